"""The controller in a simulation: the real service, on a simulated world, from a start to a stop, a kill or a cut."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import copy_context
from pathlib import Path
from random import Random
from typing import Any

import structlog
from msgspec.structs import replace

from controller.core.chance import Draw
from controller.core.facts import FactsWereArchived
from controller.journal.archive.packing import Job, prepare
from controller.journal.errors import JournalError, JournalUnwritableError
from controller.journal.place import Place
from controller.journal.rows import Entry, Head, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.mqtt import MOST_WAITING, Connection, Said
from controller.notify import Notifier
from controller.outlets.broker import Stand
from controller.people.pepper import PEPPER_BYTES
from controller.people.pins import Pins
from controller.people.tokens import Tokens
from controller.rules.errors import BadInputError
from controller.service.machine import Machine
from controller.service.service import FailedError, Service
from controller.service.software import Software
from controller.service.starting import Configuration, Credentials
from controller.service.table import RefusedToStartError
from controller.service.world import World
from controller.settings import SoftwareSettings
from controller.simulation import trace, virtual
from controller.simulation.broker import Broker
from controller.simulation.disk import SimulatedDisk
from controller.simulation.felt import Felt
from controller.simulation.lamps import Watched
from controller.simulation.trace import Trace
from controller.simulation.virtual import Clock, VirtualLoop
from controller.vault import Vault
from controller.wire.broker import MqttSettings
from controller.wire.messages import Device, Health
from drivers.driver import Driver
from drivers.port import LineSettings, Port

ALIVE_SECONDS = 60.0  # between two signs of life: nothing of what is judged hangs on the two seconds of the product
SNAPSHOT_EVERY = 300  # facts: some snapshots in every run, and starts from them
MOSTLY, LOW = 0.8, 100  # of the draws lie in the lowest hundredth of their range; of the rest, some at its very end
HIGH = 0.95
OTHER_FILE = "is not what the journal has in force"
PIN_MEMORY_KIB = 8  # the least there is: what a PIN costs to guess is not what is simulated


class Around:
    """Everything of the world that outlasts a life."""

    def __init__(  # noqa: PLR0913, PLR0917 -- all of it
        self,
        loop: VirtualLoop,
        trace_: Trace,
        clock: Clock,
        disk: SimulatedDisk,
        broker: Broker,
        felt: Felt,
        seed: object,
        *,
        fair: bool = False,
    ) -> None:
        self.loop, self.trace, self.clock = loop, trace_, clock
        self.disk, self.broker, self.felt = disk, broker, felt
        self.fair = fair  # whether mystery values are drawn as in life, or mostly low
        self.chance = Random(f"{seed} controller")
        self.pepper = self.chance.randbytes(PEPPER_BYTES)
        self.key = self.chance.randbytes(32)
        self.errors: list[str] = []  # what the controller's log called an error

    def pins(self, journal: SqliteJournal, pepper: bytes, *, old: bytes | None = None) -> Pins:
        """Quick ones, in this thread."""
        return Pins(
            journal,
            pepper,
            old=old,
            memory_kib=PIN_MEMORY_KIB,
            passes=1,
            elsewhere=here,
            token_bytes=self.chance.randbytes,
        )


async def here(does: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401 -- whatever is done
    """Instead of in a thread: at once, after everybody else had a turn."""
    await asyncio.sleep(0)
    return does(*arguments)


class Journal(SqliteJournal):
    """The journal on the simulated disk; it is noted when it says that facts are durable."""

    def __init__(self, path: Path, life: "Life") -> None:
        self._life = life
        super().__init__(path, life.around.disk)

    def append(
        self,
        entries: Sequence[Entry],
        *,
        cursor: int | None = None,
        snapshot: Snapshot | None = None,
        archived: Head | None = None,
    ) -> Head:
        """Add facts, and note that they are durable."""
        head = super().append(entries, cursor=cursor, snapshot=snapshot, archived=archived)
        if entries:
            life = self._life
            life.note(trace.Committed(at=life.now(), life=life.number, seq=head.seq, hash=head.hash.hex()))
        return head


class WitnessedVault(Vault):
    """A vault whose draws are noted, and come from the seed."""

    __slots__ = ("_life",)

    def __init__(self, life: "Life") -> None:
        chance = life.around.chance
        self._life = life
        super().__init__({"key": life.around.key}, "key", randbelow=self._below, token_bytes=chance.randbytes)

    def _below(self, limit: int) -> int:
        """As in life; or mostly low, so that there are many hits to look at."""
        chance = self._life.around.chance
        if self._life.around.fair:
            return chance.randrange(limit)
        luck = chance.random()
        return limit - 1 if luck > HIGH else chance.randrange(max(1, limit // LOW) if luck < MOSTLY else limit)

    def draw(self, table: str, meter: str, cycle: int, minimum_cents: int, maximum_cents: int) -> Draw:
        """A new value."""
        life, drawn = self._life, super().draw(table, meter, cycle, minimum_cents, maximum_cents)
        life.note(
            trace.Drawn(
                at=life.now(),
                life=life.number,
                meter=meter,
                cycle=cycle,
                cents=drawn.cents,
                nonce=drawn.nonce,
                commitment=drawn.commitment,
                sealed=drawn.sealed,
            )
        )
        return drawn


class SimulatedMachine(Machine):
    """A machine without qualities: what is measured on a real one is the same each time here."""

    def health(self, outbox: int) -> Health:
        """All of it."""
        return replace(super().health(outbox), memory_mb=64, free_mb=10_000, warnings=())

    def devices(self, stand: Stand) -> Mapping[str, Device]:
        """Without the real time each was heard."""
        return {id_: replace(each, last_seen="") for id_, each in super().devices(stand).items()}


class _Notifier(Notifier):
    def __init__(self, ready: Callable[[], None]) -> None:
        super().__init__("", None)
        self._ready = ready

    def ready(self) -> bool:
        self._ready()
        return True


class Life:
    """One process of the controller. `over` is set when it has ended, however it did."""

    def __init__(self, number: int, around: Around, config: Path) -> None:
        self.number, self.around = number, around
        self.dead = False
        self.ready = asyncio.Event()
        self.over = asyncio.Event()
        self.why = ""
        self.expected = True  # whether its end is explained
        self._tasks: virtual.Owner = {}
        self._burying: asyncio.Task[None] | None = None
        self.now = around.loop.microseconds
        self._service = Service(config, {}, self._log(), _Notifier(self._is_ready), around.clock, world=self._world())
        context = copy_context()
        context.run(virtual.OWNER.set, self._tasks)
        self.note(trace.Started(at=self.now(), life=number))
        context.run(around.loop.create_task, self._run())

    def note(self, event: trace.Any_) -> None:
        """Something this life did; nothing it does counts once its power is gone."""
        if not self.dead and not self.around.disk.is_off:
            self.around.trace.add(event)

    def stop(self) -> None:
        """As systemd stops it."""
        self._service.stop()

    async def kill(self) -> None:
        """End the process in the midst of what it does."""
        if not self.over.is_set():
            self.note(trace.Killed(at=self.now(), life=self.number))
            self._die(noticed=True)
            self.around.disk.kill()
            await self._buried()

    def lose_power(self) -> None:
        """The power is gone, at this moment: its memory, and of its disk what was not synced."""
        if not self.dead and not self.over.is_set():
            self.around.trace.add(trace.PowerCut(at=self.now(), life=self.number))
            self._die(noticed=False)
            if not self.around.disk.is_off:
                self.around.disk.cut()
            self._burying = self.around.loop.create_task(self._buried())

    def _die(self, *, noticed: bool) -> None:
        self.dead = True
        self.around.broker.died(self.number, noticed=noticed)
        for cable in self.around.felt.cables.values():
            cable.hang_up("the controller is gone")

    async def _buried(self) -> None:
        """Wait until nothing is left of it."""
        await virtual.end(self._tasks)
        self.over.set()

    async def _run(self) -> None:
        try:
            await self._service.run()
        except (RefusedToStartError, FailedError, JournalError, BadInputError) as error:
            self.why = str(error)
            self.expected = _is_expected(error)
            self.note(trace.Refused(at=self.now(), life=self.number, why=self.why))
        else:
            self.note(trace.Stopped(at=self.now(), life=self.number))
        finally:
            if not self.dead:
                self.over.set()

    def _is_ready(self) -> None:
        self.note(trace.Ready(at=self.now(), life=self.number))
        self.ready.set()

    def _log(self) -> Any:  # noqa: ANN401 -- a log of structlog
        def keep(_logger: object, method: str, event: Mapping[str, Any]) -> str:
            if method == "error":
                self.around.errors.append(f"{event.get('event')}: {event.get('why', '')} {event.get('exc_info', '')!r}")
                del self.around.errors[:-20]
            raise structlog.DropEvent

        return structlog.wrap_logger(structlog.PrintLogger(), processors=[keep])

    def _world(self) -> World:
        around = self.around
        return World(
            heed_signals=lambda _stop: None,
            credentials=self._credentials,
            software=_software,
            open_journal=lambda path: Journal(path, self),
            snapshot_every=SNAPSHOT_EVERY,
            connect=self._connect,
            alive_seconds=ALIVE_SECONDS,
            open_port=self._open_port,
            seen=self._seen,
            serve_status=_unserved,
            machine=SimulatedMachine,
            pins=around.pins,
            tokens=lambda: Tokens(around.loop.time, lambda size: around.chance.randbytes(size).hex()),
            elsewhere=here,
            packer=_packed,
            seconds=around.loop.time,
            new_name=lambda: around.chance.randbytes(16).hex(),
        )

    def _credentials(self, _environ: Mapping[str, str], _found: Configuration) -> Credentials:
        return Credentials(WitnessedVault(self), self.around.pepper, None)

    def _connect(
        self,
        settings: MqttSettings,
        identifier: str,
        *,
        password: str | None = None,
        will: Said | None = None,
        most_waiting: int = MOST_WAITING,
    ) -> AbstractAsyncContextManager[Connection]:
        del password
        return self.around.broker.connect(settings, identifier, self.number, will, most_waiting)

    def _open_port(self, settings: LineSettings) -> Port:
        return Port(settings, self.around.chance.random, self.around.felt.cables[settings.port].open)

    def _seen(self, driver: Driver) -> Driver:
        return Watched(driver, self.note, self.now, self.around.felt.cables[driver.devices[0].port].stir)


def _is_expected(error: BaseException) -> bool:
    """Whether a controller may end so: its disk cannot be written, or the file is not the one in force."""
    return isinstance(error.__cause__, JournalUnwritableError) or OTHER_FILE in str(error)


def _software(_settings: SoftwareSettings) -> Software:
    return Software(version="simulated", digest="", signed=True)


async def _packed(job: Job, place: Place) -> FactsWereArchived:
    """An archive made at once, on the simulated disk: a power cut comes in the midst of it as of everything."""
    made: FactsWereArchived = await here(prepare, job, place)
    return made


@asynccontextmanager
async def _unserved(_path: Path, _say: Callable[[], bytes]) -> AsyncIterator[None]:
    yield
