"""Processes of a demonstration: they write their logs into its folder, and die with it, however it ends."""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

STOP_SECONDS = 6.0  # a controller takes five at most to end
LAST_LINES, MOST_TOLD = 12, 16 * 1024  # of a log, where its child died: lines, and bytes looked at
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
# What a service manager told this program is not for its children.
_NOT_THEIRS = frozenset(
    {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "CREDENTIALS_DIRECTORY", "RUNTIME_DIRECTORY"}
)

_libc = ctypes.CDLL(None, use_errno=True)  # loaded here: nothing may be loaded between fork and exec


class ChildEndedError(Exception):
    """A child ended by itself; the message has its last words."""


def die_with(parent: int) -> Callable[[], None]:
    """What a new process does before it becomes the child: have itself killed when its parent is gone."""

    def prepare() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was gone already, and nobody will tell
            os._exit(1)

    return prepare


def jackpotd(*arguments: str) -> list[str]:
    """The command line of another jackpotd, this very one."""
    return [sys.executable, "-P", "-m", "controller", *arguments]


class Child:
    """One process."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, log: Path) -> None:
        self.name = name
        self.process = process
        self.log = log

    @classmethod
    async def start(
        cls, name: str, command: Sequence[str], log: Path, more: Mapping[str, str], *, talks: bool = False
    ) -> Self:
        """Start it in a session of its own: a Ctrl-C is for the demonstration, which ends its children in order."""
        pipe = asyncio.subprocess.PIPE if talks else None
        with log.open("wb") as file:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=pipe or asyncio.subprocess.DEVNULL,
                stdout=pipe or file,
                stderr=file,
                env={**{key: value for key, value in os.environ.items() if key not in _NOT_THEIRS}, **more},
                start_new_session=True,
                preexec_fn=die_with(os.getpid()),
            )
        return cls(name, process, log)

    async def ended(self) -> None:
        """Wait until it ends, which it should not."""
        code = await self.process.wait()
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        told = "\n".join(f"  {line}" for line in self.last_lines()) or "  (it said nothing)"
        raise ChildEndedError(f"{self.name} ended by itself, {how}. The end of {self.log}:\n{told}")

    async def stop(self) -> None:
        """Ask it to end, and make it if it does not."""
        if self.process.returncode is not None:
            return
        self.process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()

    def last_lines(self) -> list[str]:
        """The end of its log."""
        with self.log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MOST_TOLD))
            return file.read().decode(errors="replace").splitlines()[-LAST_LINES:]
