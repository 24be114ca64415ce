"""How the machine, its disk and the devices are: what a technician asks before anything else."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Clock
from controller.link.sessions import Shown
from controller.outlets.broker import Stand
from controller.outlets.link import LinkClient
from controller.wire.messages import Device, Health
from drivers.driver import Driver

MEGABYTE = 1024 * 1024
LOOK_SECONDS = 10.0  # between two looks at the disk
# A commit that took longer is told: dealers notice half a second.
SLOW_COMMIT_MS = 500
# The wall clock may run a little apart from the one that only counts; more, and it was set.
CLOCK_STEP_SECONDS = 2.0


class Machine:
    """Counts and looks. It is what the broker calls `Around`."""

    def __init__(
        self,
        clock: Clock,
        journal: Path,
        warn_free_mb: int,
        state: Callable[[], State],
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._seconds = seconds
        self._folder = journal.parent
        self._warn_free_mb = warn_free_mb
        self._state = state
        self._began = seconds()
        self._drivers: tuple[Driver, ...] = ()
        self._apart = self._difference()
        self.last_commit_at = ""
        self.commit_ms = 0
        self.alive_at = ""
        self.free_mb = free_mb(self._folder)
        self.waiting: Callable[[], int] = int
        self.link: LinkClient | None = None
        self.guessing: Callable[[], str] = str  # whether somebody seems to try PINs
        self.standing: dict[str, str] = {}  # what is wrong for good: unsigned software, a broker that is gone

    def serve(self, drivers: Iterable[Driver]) -> None:
        """The lines there are."""
        self._drivers = tuple(drivers)

    def committed(self, at: str, seconds: float) -> None:
        """Facts became durable."""
        self.last_commit_at, self.commit_ms = at, round(seconds * 1000)

    def look(self) -> float:
        """Look at the disk; and by how many seconds the clock was set since the last look, if it was."""
        self.free_mb = free_mb(self._folder)
        before, self._apart = self._apart, self._difference()
        stepped = self._apart - before
        return stepped if abs(stepped) >= CLOCK_STEP_SECONDS else 0.0

    def warnings(self) -> tuple[str, ...]:
        """What someone should see to."""
        found = [f"{name}: {why}" for name, why in self.standing.items()]
        if guessing := self.guessing():
            found.append(f"people: {guessing}")
        if self.free_mb < self._warn_free_mb:
            found.append(f"disk: {self.free_mb} MB free in {self._folder}, fewer than {self._warn_free_mb}: make room")
        if self.commit_ms >= SLOW_COMMIT_MS:
            found.append(f"disk: the last commit took {self.commit_ms} ms: see `dmesg`, and have the disk looked at")
        return tuple(found)

    def health(self, outbox: int) -> Health:
        """All of it."""
        return Health(
            uptime_s=int(self._seconds() - self._began),
            last_commit_at=self.last_commit_at,
            commit_ms=self.commit_ms,
            alive_at=self.alive_at,
            waiting=self.waiting(),
            outbox=outbox,
            free_mb=self.free_mb,
            memory_mb=memory_mb(),
            warnings=self.warnings(),
        )

    def devices(self, stand: Stand) -> Mapping[str, Device]:
        """Each device: whether it answers, and what was counted on the way to it."""
        known = self._state().devices
        found: dict[str, Device] = {}
        for driver in self._drivers:
            for device in driver.devices:
                part, counters = known.get(device.id), driver.counters[device.id]
                found[device.id] = Device(
                    **stand,
                    state="lost" if part is None or part.lost else "online",
                    driver=device.driver,
                    port=device.port,
                    detail=part.detail if part is not None and part.lost else "",
                    frames=counters.frames,
                    bad_checksums=counters.bad_checksums,
                    resyncs=counters.resyncs,
                    timeouts=counters.timeouts,
                    reconnects=counters.reconnects,
                    last_seen=stamp(int(counters.last_seen * 1_000_000)) if counters.last_seen else "",
                )
        if self.link is not None:
            found[f"link-{self.link.link}"] = self._link_told(self.link, stand)
        return found

    def _link_told(self, link: LinkClient, stand: Stand) -> Device:
        return Device(
            **stand,
            state="lost" if link.reason else "online",
            driver="postgresql",
            port=link.link,
            detail=link.reason,
            frames=link.answered,
            timeouts=link.losses,
            reconnects=max(0, link.meetings - 1),
            last_seen=link.last_seen,
        )

    def linked(self) -> Mapping[str, Shown]:
        """Each linked meter as it was last seen."""
        return self.link.shown(self._state()) if self.link is not None else {}

    def _difference(self) -> float:
        return self._clock.now() / 1_000_000 - self._seconds()


def free_mb(folder: Path) -> int:
    """Room on a disk; none where it cannot be asked."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return 0
    return disk.f_bavail * disk.f_frsize // MEGABYTE


def memory_mb() -> int:
    """What the program holds in memory."""
    with Path("/proc/self/statm").open(encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // MEGABYTE
