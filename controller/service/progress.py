"""Signs of life that a program standing still cannot give: the disk written, every line asked, the engine answering."""

from collections.abc import Sequence

from controller.core.inputs import Tick
from controller.core.times import stamp
from controller.engine import Clock, Engine
from controller.journal.journal import Journal
from controller.notify import Notifier
from controller.service.logs import Log
from controller.service.machine import LOOK_SECONDS, Machine
from drivers.driver import Driver

BEAT_SECONDS = 10.0
FEEDS = 4  # in the time systemd allows: one or two that are missed on a busy machine cost nothing
UNWATCHED_SECONDS = 5.0  # between two looks where no systemd waits for them


async def beat(journal: Journal, clock: Clock, machine: Machine) -> None:
    """Have the disk prove itself every ten seconds, for ever. A disk that cannot ends the service."""
    while True:
        at = stamp(clock.now())
        journal.beat(at)
        machine.alive_at = at
        await clock.sleep(BEAT_SECONDS)


async def look(machine: Machine, clock: Clock, log: Log) -> None:
    """Look after the disk and the clock, for ever, and tell once when something is wrong or well again."""
    told: tuple[str, ...] = ()
    while True:
        stepped = machine.look()
        if stepped:
            log.warning("clock-set", seconds=round(stepped, 1))
        found = machine.warnings()
        for each in found:
            if each.partition(":")[0] not in {one.partition(":")[0] for one in told}:
                log.warning("health", warning=each)
        if told and not found:
            log.info("health", warning="")
        told = found
        await clock.sleep(LOOK_SECONDS)


class Watch:
    """Feeds systemd's watchdog as long as there is progress, and says what stands still when there is none."""

    def __init__(self, engine: Engine, drivers: Sequence[Driver], notifier: Notifier, clock: Clock, log: Log) -> None:
        self._engine = engine
        self._drivers = drivers
        self._notifier = notifier
        self._clock = clock
        self._log = log
        self._turns: dict[Driver, int] = {}

    async def run(self) -> None:
        """Look and feed, for ever."""
        allowed = self._notifier.watchdog_seconds
        pause = allowed / FEEDS if allowed else UNWATCHED_SECONDS
        while True:
            await self._engine.submit(Tick(at=stamp(self._clock.now())))
            still = self._standing_still()
            if still:
                self._log.error("no-progress", lines=still)
            else:
                self._notifier.watchdog()
            await self._clock.sleep(pause)

    def _standing_still(self) -> list[str]:
        """The lines that were not asked since the last look, though they ought to answer."""
        known, still = self._engine.state.devices, list[str]()
        for driver in self._drivers:
            moved, self._turns[driver] = self._turns.get(driver) != driver.turns, driver.turns
            ids = [device.id for device in driver.devices]
            if driver.polls and not moved and not all(id_ in known and known[id_].lost for id_ in ids):
                still += ids
        return still
