"""Closed gaming days leave the journal for archive files, in the background, while the table plays.

The order is what makes it safe: the file is written, synced, read again and proven, named, the name synced; then one
transaction puts its name into the chain and moves the anchor; only then do facts leave, a few at a time. A crash before
that transaction leaves a file that is found and used, after it facts that the next start lets go.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress

from msgspec import json

from controller.core.facts import FactsWereArchived
from controller.engine import Clock, Engine
from controller.journal.archive.leaving import due
from controller.journal.archive.packing import Job, job, publish
from controller.journal.errors import JournalError, JournalUnwritableError
from controller.journal.place import Place
from controller.journal.sqlite import SqliteJournal
from controller.people.pins import Elsewhere
from controller.service.logs import Log
from controller.service.machine import Machine
from controller.settings import JournalSettings

LOOK_SECONDS = 60.0  # between two looks whether a day has closed: nothing waits for it
RETRY_SECONDS = 600.0  # after an archive could not be written: somebody has to see to it first
# Facts let go in one transaction. 256 take 1 ms with their sync, 4 at worst (`python -m bench retention`): what a wager
# that comes at that moment waits longer. A day of 60,000 facts has left in 25 s.
TOGETHER = 256
# For one file. The largest, a million facts, takes a quarter of a minute: a disk that needs more hangs.
PACK_SECONDS = 600.0
KILLED_SECONDS = 1.0  # for a process to be gone: one that waits for a disk that hangs is left to the system
PAUSE_SECONDS = 0.1  # between two of them: wagers come first

Packer = Callable[[Job, Place], Awaitable[FactsWereArchived]]


async def in_a_process(job: Job, _place: Place) -> FactsWereArchived:
    """Have a file made by a process of its own, at the lowest priority; it ends with whoever waits for it."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "controller.journal.archive.packing"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(PACK_SECONDS):
            said, why = await child.communicate(json.encode(job))
    except TimeoutError:
        raise JournalUnwritableError(
            f"{job.folder}: not done in {PACK_SECONDS:g} s: see whether its disk hangs"
        ) from None
    finally:
        if child.returncode is None:
            child.kill()
            with suppress(TimeoutError):
                async with asyncio.timeout(KILLED_SECONDS):
                    await child.communicate()  # its pipes are closed with it
    if child.returncode:
        told = why.decode(errors="replace").strip().splitlines()
        raise JournalUnwritableError(told[-1] if told else f"it ended with {child.returncode}")
    return json.decode(said, type=FactsWereArchived)


class Retention:
    """`run` looks for closed days for ever. What it cannot do it tells, and tries again: the table plays on."""

    def __init__(  # noqa: PLR0913, PLR0917 -- all that it works with
        self,
        engine: Engine,
        journal: SqliteJournal,
        settings: JournalSettings,
        machine: Machine,
        clock: Clock,
        log: Log,
        *,
        packer: Packer = in_a_process,
        elsewhere: Elsewhere = asyncio.to_thread,
    ) -> None:
        self._engine, self._journal, self._settings = engine, journal, settings
        self._machine, self._clock, self._log = machine, clock, log
        self._packer, self._elsewhere = packer, elsewhere

    async def run(self) -> None:
        """Let go what a crash has left, then archive one closed day after the other."""
        await self._let_go()
        while True:
            await self._clock.sleep(await self._turn())

    async def _turn(self) -> float:
        """Archive a day if one is due; the seconds until the next look."""
        try:
            wanted = self._job()
            if wanted is None:
                self._trouble("")
                return LOOK_SECONDS
            fact = await self._packer(wanted, self._journal.place)
            await self._elsewhere(publish, wanted, fact, self._journal.place)
        except (JournalError, OSError) as error:
            self._trouble(f"{error}; nothing has left the journal, it is tried again")
            return RETRY_SECONDS
        self._trouble("")
        self._engine.archive(fact)
        await self._let_go()
        return 0.0  # the day after it may be due too

    def _job(self) -> Job | None:
        filed = self._engine.state.filed
        found = due(self._journal, self._settings.keep_days) if self._settings.archive else None
        return job(self._journal, self._settings.archives, filed.name, found) if found and filed else None

    async def _let_go(self) -> None:
        while self._journal.forget(TOGETHER):
            await self._clock.sleep(PAUSE_SECONDS)

    def _trouble(self, why: str) -> None:
        if why and self._machine.standing.get("archive") != why:
            self._log.warning("archive-failed", why=why)
        if why:
            self._machine.standing["archive"] = why
        elif self._machine.standing.pop("archive", None):
            self._log.info("archive-works")
