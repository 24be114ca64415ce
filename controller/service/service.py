"""The controller: everything started in order, stopped in the reverse, and ended as one when a part of it fails.

Started: configuration, keys, software, journal, the broker asked for what it knows, first facts, engine, broker,
devices, ready. Stopped: devices at rest, what waits decided, the broker told the rest and that nobody is here, journal
closed.
"""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

from controller.clock import WallClock
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Clock, EngineStoppedError, wait_until_writable
from controller.intake.devices import START_SECONDS
from controller.journal import lock
from controller.journal.archive.whole import archived_rows
from controller.journal.errors import JournalError, JournalUnreadableError
from controller.journal.rows import Row
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.mqtt import BrokerError, end
from controller.notify import Notifier
from controller.outlets.heads import Identity, RolledBackError, another_speaks, compare, is_kept, kept_by
from controller.outlets.herald import announce, lament
from controller.outlets.link import forgotten
from controller.service import progress, socket, software
from controller.service.logs import Log
from controller.service.starting import configuration, refuse_other_submission
from controller.service.table import MadeOf, RefusedToStartError, Table
from controller.service.world import REAL, World
from controller.settings import SettingsError

# For the broker, before anything is written: one that is there answers at once, another controller within 2.5 s.
Part = Callable[[], Coroutine[Any, Any, None]]  # made when its task begins: one that never does leaves nothing
ASK_SECONDS = 5.0
ANNOUNCE_SECONDS = 5.0  # for a start that is refused, to say so if nobody else speaks
EXTEND_SECONDS = 30.0  # what systemd is asked for while the disk cannot be written
EXTEND_ROWS = 100_000  # archived facts added up between two such: a second of them, ten on a slow box
# All of it within five seconds: lamps off, what waits decided, the broker told.
REST_SECONDS, DRAIN_SECONDS, FAREWELL_SECONDS = 1.2, 0.8, 2.0


class FailedError(Exception):
    """A part of the service ended, and the service with it."""


class Service:
    """One table's controller. `run` returns when it was stopped, and raises why otherwise."""

    def __init__(  # noqa: PLR0913 -- all that is given to it
        self,
        config: Path,
        environ: Mapping[str, str],
        log: Log,
        notifier: Notifier,
        clock: Clock | None = None,
        *,
        world: World = REAL,
    ) -> None:
        self._path = config
        self._environ = environ
        self._log = log
        self._notifier = notifier
        self._clock: Clock = clock or WallClock()
        self._world = world
        self._stop = asyncio.Event()
        self._failure: BaseException | None = None
        self._after: BaseException | None = None  # what only followed from it

    def stop(self) -> None:
        """Begin to end."""
        self._stop.set()

    async def run(self) -> None:
        """Start, serve until stopped or a part fails, and end."""
        self._world.heed_signals(self.stop)
        self._found = configuration(self._path, self._clock.now())
        self._log = self._log.bind(table=f"{self._found.site}/{self._found.table}")
        self._secrets = self._world.credentials(self._environ, self._found)
        self._identity = Identity(
            site=self._found.site,
            table=self._found.table,
            epoch=0,
            mode=self._found.settings.mode,
            instance=self._world.new_name()[:8],
        )
        try:
            await self._start()
        except (RefusedToStartError, SettingsError, software.SoftwareError, JournalError) as error:
            if not self._kept_by_another():  # who says how it is
                await _within(ANNOUNCE_SECONDS, self._announced(str(error)))
            if isinstance(error, JournalError):
                raise RefusedToStartError(str(error)) from error
            raise

    async def _start(self) -> None:
        self._software = self._world.software(self._found.settings.software)
        self._log.info("starting", version=self._software.version or "unknown", signed=self._software.signed)
        journal = await self._until_stopped(self._opened())
        if journal is None:
            return
        with journal:
            state = self._proven(journal)
            if await self._until_stopped(self._agreed(journal)) is None:
                return
            await self._serve(journal, state)

    def _kept_by_another(self) -> bool:
        """Whether another controller keeps this table: whatever keeps us from starting is nobody's business then."""
        return lock.is_held(os.path.realpath(self._found.settings.journal.path))

    async def _announced(self, why: str) -> None:
        settings, password = self._found.settings.mqtt, self._secrets.password
        await announce(settings, self._identity, self._clock, why, password=password, connect=self._world.connect)

    async def _until_stopped(self, coming: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401 -- whatever comes
        """What comes; nothing if the service is stopped before that."""
        task, stopping = asyncio.create_task(coming), asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait([task, stopping], return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            if not task.done():
                await end(task)
        return None if task.cancelled() else task.result()

    # -- before there is a table --

    async def _opened(self) -> SqliteJournal:
        """The journal. While its disk cannot be written that is a state, not a failure: signs say so."""
        path = Path(self._found.settings.journal.path)
        why, crying = "", None

        def faulted(reason: str) -> None:
            nonlocal why, crying
            if reason != why:
                self._log.error("journal-unwritable", why=reason)
            why = reason
            self._notifier.extend(EXTEND_SECONDS)
            self._notifier.status(f"faulted: {reason}")
            if crying is None:
                coming = lament(
                    self._found.settings.mqtt,
                    self._identity,
                    self._clock,
                    lambda: f"journal: {why}",
                    password=self._secrets.password,
                    connect=self._world.connect,
                )
                crying = asyncio.create_task(coming, name="herald")

        try:
            return await wait_until_writable(lambda: self._world.open_journal(path), self._clock, faulted)  # type: ignore[return-value]  # what was opened
        except JournalError as error:
            raise RefusedToStartError(str(error)) from error
        finally:
            if crying is not None:
                await end(crying)

    def _proven(self, journal: SqliteJournal) -> State:
        """The state the journal adds up to, with every check there is."""
        began, archives = time.monotonic(), [self._found.settings.journal.archives]
        try:
            state = load(journal, lambda: self._patiently(archived_rows(journal.path, journal.place, archives)))
        except JournalUnreadableError as error:
            raise RefusedToStartError(
                f"no snapshot of {journal.path} can be read by this version, so its archives are added up: {error}"
            ) from error
        except (JournalError, ValueError, RuntimeError, AssertionError) as error:
            raise RefusedToStartError(
                f"{journal.path} does not prove itself: {error}; keep it as it is, restore the newest copy that "
                "`jackpotd audit verify` finds whole, and have the difference looked into"
            ) from error
        self._log.info("journal-proven", facts=state.seq, seconds=round(time.monotonic() - began, 3))
        refuse_other_submission(state, self._found)
        return state

    def _patiently(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Years of them: systemd is told that this goes on."""
        for number, row in enumerate(rows):
            if number % EXTEND_ROWS == 0:
                self._notifier.extend(EXTEND_SECONDS)
            yield row

    async def _agreed(self, journal: SqliteJournal) -> bool:
        """Ask the broker how far it knows this table, before anything is written: ahead means a disk that was set back.

        One that cannot be reached is asked at its first connection.
        """
        settings, password = self._found.settings.mqtt, self._secrets.password
        try:
            async with asyncio.timeout(ASK_SECONDS):
                async with self._world.connect(settings, self._identity.client, password=password) as broker:
                    kept = await kept_by(broker, self._identity)
                    if is_kept(kept) and await another_speaks(broker, self._identity):
                        raise RefusedToStartError("another controller keeps this table: stop that one first")
        except (BrokerError, TimeoutError) as error:
            self._log.warning("broker-not-reached", why=str(error) or "it does not answer")
            return True
        try:
            if not compare(kept, journal):
                self._log.warning("head-unreadable", why="someone else wrote journal/head: it is written anew")
        except RolledBackError as error:
            raise RefusedToStartError(str(error)) from error
        return True

    # -- the table --

    async def _serve(self, journal: SqliteJournal, state: State) -> None:
        found, instance = self._found, self._identity.instance
        made_of = MadeOf(found, self._secrets, self._software, self._clock, self._log, instance, self._world)
        table = Table(made_of, journal, state)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(
                self._world.serve_status(socket.place(self._environ, Path(journal.path)), table.told_at_once)
            )
            async with asyncio.TaskGroup() as group:
                await self._run_tasks(group, table)
        if self._failure is not None:
            raise FailedError(str(self._failure)) from self._failure

    async def _run_tasks(self, group: asyncio.TaskGroup, table: Table) -> None:
        """Start every part, wait for the stop or a failure, and stop every part."""
        notifier, log = self._notifier, self._log

        def start(name: str, part: Part) -> asyncio.Task[None]:
            return group.create_task(self._guarded(name, part), name=name)

        engine = start("engine", table.engine.run)
        broker = start("broker", table.broker.run)
        rest = [
            start("heartbeat", lambda: progress.beat(table.journal, self._clock, table.machine)),
            start("health", lambda: progress.look(table.machine, self._clock, log)),
        ]
        lines: list[asyncio.Task[None]] = []
        try:
            if await self._until_stopped(self._began(table, start, lines)) and not self._stop.is_set():
                watch = progress.Watch(table.engine, table.drivers, notifier, self._clock, log)
                rest.append(start("watchdog", watch.run))
                rest.append(start("retention", table.retention.run))
                notifier.ready()
                notifier.status(f"keeping {self._found.site}/{self._found.table}")
                log.info("ready", facts=table.engine.state.seq, epoch=table.engine.state.epoch)
                await self._stop.wait()
        except EngineStoppedError as error:
            self._after = error
        except Exception as error:  # noqa: BLE001 -- whatever it was, the service ends with it and says it
            self._fail("start", error)
        finally:
            await self._ended(table, lines, rest, broker, engine)

    async def _began(
        self, table: Table, start: Callable[..., asyncio.Task[None]], lines: list[asyncio.Task[None]]
    ) -> bool:
        await table.intake.begin(table.engine.state)
        for each in forgotten(table.engine.state, self._found.settings.link.name, stamp(self._clock.now())):
            await table.engine.submit(each)
        if table.link is not None:
            await table.link.begin()
            lines.append(start("link", table.link.run))
        table.lines.show(table.engine.state)
        lines += [start(f"line {driver.devices[0].port}", driver.run) for driver in table.drivers]
        if table.link is not None:  # a wager that stood on it stands on, if it is there in time
            await table.link.heard(START_SECONDS)
        await table.intake.started()
        return True

    async def _guarded(self, name: str, part: Part) -> None:
        """A part whose end is the end of all, in good order."""
        try:
            await part()
            if not self._stop.is_set():
                self._fail(name, RuntimeError("it came to an end"))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it was, the service ends with it and says it
            self._fail(name, error)

    def _fail(self, name: str, error: Exception) -> None:
        if isinstance(error, EngineStoppedError) and name != "engine":
            self._after = error  # the engine's own end says why
        elif self._failure is None:
            self._failure = error
            self._log.error("failed", part=name, why=str(error), kind=type(error).__name__, exc_info=error)
        self._stop.set()

    async def _ended(
        self,
        table: Table,
        lines: Sequence[asyncio.Task[None]],
        rest: Sequence[asyncio.Task[None]],
        broker: asyncio.Task[None],
        engine: asyncio.Task[None],
    ) -> None:
        self._notifier.stopping()
        self._failure = self._failure or self._after
        why = str(self._failure) if self._failure is not None else ""
        self._log.info("stopping", why=why or "asked to")
        await _within(REST_SECONDS, *(driver.rest() for driver in table.drivers))
        await end(*lines, *rest)
        with suppress(EngineStoppedError):
            await _within(DRAIN_SECONDS, table.drained())
        table.broker.close("faulted" if why else "offline", why or "stopped")
        await asyncio.wait([broker], timeout=FAREWELL_SECONDS)
        await end(broker, engine)
        if why and not table.broker.last_words_said:  # the way to the broker itself failed: try another
            await _within(FAREWELL_SECONDS, self._announced(why))
        with suppress(JournalError):  # what failed already was told
            table.engine.stop()
        self._log.info("stopped", facts=table.engine.state.seq, told=table.broker.said_up_to)


async def _within(seconds: float, *coming: Coroutine[Any, Any, None]) -> None:
    """Do things side by side, for as long as there is time."""
    tasks = [asyncio.create_task(each) for each in coming]
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)
        await end(*tasks)
        for task in tasks:
            with suppress(asyncio.CancelledError, Exception):
                task.result()
