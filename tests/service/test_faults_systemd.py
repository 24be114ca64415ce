"""What systemd is told by the whole service, and that its watchdog starves when the disk or a line stands still."""

import asyncio
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from controller.clock import WallClock
from controller.core.inputs import DeviceLost
from controller.core.times import stamp
from controller.engine import Engine
from controller.journal.memory import MemoryJournal
from controller.journal.starting import load
from controller.mqtt import end
from controller.notify import Notifier
from controller.service import logs
from controller.service.progress import Watch
from drivers.driver import Bookmark, Counters, Device, Driver, HandUp
from tests.core.play import vault
from tests.outlets.brokers import needs_mosquitto
from tests.people.tables import Lines
from tests.service.faults import Meddler, check_every_fact_was_told, survived
from tests.service.house import House
from tests.test_notify import Manager

WATCHDOG_USEC = 400_000  # fed four times in that
FED = b"WATCHDOG=1"


class Systemd(Manager):
    """systemd's end of the socket, with all it has heard."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder / "notify"))
        self.told: list[bytes] = []
        self.environ = {"NOTIFY_SOCKET": self.address, "WATCHDOG_USEC": str(WATCHDOG_USEC)}

    def times(self, what: bytes) -> int:
        """How often it was told this so far."""
        self.told += self.heard()
        return self.told.count(what)


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    found = Systemd(tmp_path)
    yield found
    found.close()


@needs_mosquitto
def test_ready_is_said_when_the_devices_are_there_and_stopping_at_the_end(tmp_path: Path, systemd: Systemd) -> None:
    async def scene(house: House) -> None:
        house.module = ["tests.service.waiting"]  # so that READY can only mean that the devices are there
        house.lines["rail"].unplug()
        await house.start(ready=False, NOTIFY_SOCKET=systemd.address, WATCHDOG_USEC=str(WATCHDOG_USEC))
        await house.until(lambda: house.sign.state == "faulted")
        assert systemd.times(b"READY=1") == systemd.times(FED) == 0
        house.lines["rail"].plug()
        await house.until(lambda: systemd.times(b"READY=1"))
        lost = [name for name, part in house.state().devices.items() if part.lost]
        assert lost == []
        assert (await house.agree()).phase.value == "closed"
        await house.open()
        await house.until(lambda: systemd.times(FED) > 8)
        assert b"STATUS=keeping valley-forge/mb-07" in systemd.told
        assert systemd.times(b"STOPPING=1") == 0
        assert await house.stop() == 0
        assert (systemd.times(b"READY=1"), systemd.times(b"STOPPING=1")) == (1, 1)
        assert systemd.told[-1] == b"STOPPING=1"

    check_every_fact_was_told(survived(tmp_path, scene))


@needs_mosquitto
def test_a_disk_that_hangs_starves_the_watchdog_and_lights_nothing(tmp_path: Path, systemd: Systemd) -> None:
    meddler = Meddler(tmp_path)

    async def hang(house: House) -> None:
        """Let a chip wait for the disk, until nobody is told anything any more."""
        meddler.hold_disk(held=True)
        house.chip(2)
        silent = 0
        while silent < 5:
            fed = systemd.times(FED)
            await asyncio.sleep(WATCHDOG_USEC / 1_000_000)
            silent = silent + 1 if systemd.times(FED) == fed else 0
        assert house.sign.lamp(2) == "invite"

    async def scene(house: House) -> None:
        await meddler.start(house, **systemd.environ)
        await house.open()
        await house.bet(1)
        await house.until(lambda: systemd.times(FED) > 1)
        await hang(house)
        meddler.hold_disk(held=False)
        fed = systemd.times(FED)
        await house.until(lambda: systemd.times(FED) > fed + 1)
        await house.until(lambda: house.sign.lamp(2) == "placed")
        house.chip(2, there=False)
        await house.until(lambda: house.sign.lamp(2) == "invite")
        await hang(house)
        await house.kill()  # as systemd does then
        meddler.hold_disk(held=False)
        await house.start()
        await house.until(lambda: house.sign.lamp(2) == "placed")
        await house.lock()
        await house.agree()

    check_every_fact_was_told(survived(tmp_path, scene))


# -- a line that stands still, which no twin can bring about --


class Nothing(Struct):
    """No settings."""


class Standing(Driver):
    """A line that is asked when the test says so."""

    name = "standing"
    settings = Nothing

    def __init__(self, line: str, settings: Any, hand_up: HandUp, bookmarks: Mapping[str, Bookmark]) -> None:  # noqa: ANN401 -- as every driver
        del settings, hand_up, bookmarks
        self.devices = (Device(line, self.name, "nowhere"),)
        self.counters = {line: Counters()}

    async def run(self) -> None:
        """For ever."""
        await asyncio.Event().wait()


def test_a_line_that_stands_still_starves_the_watchdog_unless_it_is_lost(systemd: Systemd) -> None:
    async def main() -> None:
        journal, clock, told = MemoryJournal(), WallClock(), io.StringIO()
        engine = Engine(load(journal), journal, vault(), clock, Lines())
        moving, standing = (Standing(name, None, _nobody, {}) for name in ("moving", "standing"))
        writer = logs.Writer(told)
        log = logs.make(writer, readable=False, priorities=False)
        watch = Watch(engine, [moving, standing], Notifier.from_environment(systemd.environ), clock, log)
        tasks = [asyncio.create_task(engine.run()), asyncio.create_task(watch.run()), asyncio.create_task(move(moving))]
        async with asyncio.timeout(20):
            await until(lambda: '"no-progress"' in told.getvalue())
            assert systemd.times(FED) == 1  # the first look has nothing to compare with
            assert '"lines":["standing"]' in told.getvalue()
            moves = asyncio.create_task(move(standing))
            await until(lambda: systemd.times(FED) > 2)
            await end(moves)
            fed = systemd.times(FED)
            await until(lambda: told.getvalue().count('"no-progress"') > fed)
            await engine.submit(DeviceLost(at=stamp(clock.now()), device="standing", device_kind="board"))
            fed = systemd.times(FED)
            await until(lambda: systemd.times(FED) > fed)  # known to be lost: signs say so, and the rest is served
        await end(*tasks)
        writer.close()

    asyncio.run(main())


async def _nobody(_: object) -> None:
    pass


async def move(driver: Driver) -> None:
    """Serve a line."""
    while True:
        driver.turns += 1
        await asyncio.sleep(0.005)


async def until(true: Any) -> None:  # noqa: ANN401 -- anything to be called
    """Wait until something is so."""
    while not true():
        await asyncio.sleep(0.005)
