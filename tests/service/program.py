"""A program of ours as its own process: its log read while it is written, and an end to it."""

import asyncio
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from msgspec import json

from tests.service.nursery import Child, nursery

WAIT_SECONDS = 40.0  # for anything to happen; these machines are noisy
MOST_LINE_BYTES = 2**22  # of a log: one that holds a whole traceback


class Program:
    """`jackpotd …`, once it is launched. What it writes to its log is kept."""

    def __init__(self) -> None:
        self.module = ["controller"]  # what Python is to run, and words before all others
        self.forked = False  # whether what it runs is imported already: see `nursery`
        self.process: Process | Child | None = None
        self.log: list[dict[str, Any]] = []
        self.raw_log = bytearray()
        self._reading: asyncio.Task[None] | None = None

    async def launch(self, *words: str, env: Mapping[str, str]) -> None:
        """Start it, and read its log from now on."""
        if self.forked:
            self.process = await nursery().fork(words, env)
            self._reading = asyncio.create_task(self._read(self.process))
            return
        self.process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-m", *self.module, *words],
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=PIPE,
            env=env,
            limit=MOST_LINE_BYTES,
        )
        self._reading = asyncio.create_task(self._read(self.process))

    @property
    def runs(self) -> bool:
        """Whether the process is there."""
        return self.process is not None and self.process.returncode is None

    async def _read(self, process: Process | Child) -> None:
        assert process.stderr is not None
        while line := await process.stderr.readline():
            self.raw_log += line
            with suppress(ValueError):
                self.log.append(json.decode(line))

    def logged(self, event: str, after: int = 0) -> list[dict[str, Any]]:
        """Lines of the log with this event."""
        return [line for line in self.log[after:] if line.get("event") == event]

    async def stop(self) -> int:
        """SIGTERM, and wait for the end; its exit code."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        return await self.ended()

    async def kill(self) -> None:
        """SIGKILL."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.ended()

    async def ended(self) -> int:
        """Wait until the process has ended; its exit code."""
        assert self.process is not None
        async with asyncio.timeout(WAIT_SECONDS):
            code = await self.process.wait()
            if self._reading is not None:
                await self._reading
        return code
