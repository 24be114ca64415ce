"""How the machine is: warned of before it stands still, on both sides of every limit."""

import asyncio
import time
from pathlib import Path

import pytest

from controller.core.state import Device, State
from controller.outlets.broker import Stand
from controller.service.machine import CLOCK_STEP_SECONDS, SLOW_COMMIT_MS, Machine, free_mb
from drivers.registry import make, read

STAND: Stand = {"epoch": 1, "seq": 2, "at": "2026-11-16T11:15:00.000000Z"}


class Clock:
    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> int:
        return time.time_ns() // 1000 + round(self.ahead * 1_000_000)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def made(tmp_path: Path, warn_free_mb: int = 1, state: State | None = None) -> Machine:
    return Machine(Clock(), tmp_path / "journal.db", warn_free_mb, lambda: state or State())


def test_a_disk_is_warned_of_before_it_is_full(tmp_path: Path) -> None:
    free = free_mb(tmp_path)
    assert made(tmp_path, warn_free_mb=max(1, free // 2)).warnings() == ()
    (warning,) = made(tmp_path, warn_free_mb=free * 2).warnings()
    assert "MB free" in warning
    assert "make room" in warning
    assert free_mb(tmp_path / "not there") == 0


@pytest.mark.parametrize(("ms", "warned"), [(SLOW_COMMIT_MS - 1, 0), (SLOW_COMMIT_MS, 1)])
def test_a_slow_disk_is_warned_of(tmp_path: Path, ms: int, warned: int) -> None:
    machine = made(tmp_path)
    machine.committed("2026-11-16T11:15:00.000000Z", ms / 1000)
    assert len(machine.warnings()) == warned
    assert machine.health(outbox=7).commit_ms == ms
    assert machine.health(outbox=7).outbox == 7


@pytest.mark.parametrize("seconds", [-3600.0, 3600.0])
def test_a_clock_that_is_set_is_noticed_once(tmp_path: Path, seconds: float) -> None:
    clock = Clock()
    machine = Machine(clock, tmp_path / "journal.db", 1, State)
    assert machine.look() == 0
    clock.ahead += CLOCK_STEP_SECONDS / 2
    assert machine.look() == 0
    clock.ahead += seconds
    assert abs(machine.look() - seconds) < 1
    assert machine.look() == 0


def test_what_is_wrong_for_good_is_told_until_it_is_not(tmp_path: Path) -> None:
    machine = made(tmp_path)
    machine.standing["broker"] = "gone"
    assert machine.warnings() == ("broker: gone",)
    machine.guessing = lambda: "50 wrong PINs"
    assert machine.warnings() == ("broker: gone", "people: 50 wrong PINs")
    machine.guessing = str
    del machine.standing["broker"]
    assert machine.warnings() == ()


def test_each_device_says_how_it_is(tmp_path: Path) -> None:
    async def nobody(_: object) -> None:
        pass

    board = {"id": "left", "address": 1, "inputs": [{"at": 0, "position": 1, "wager": "royal9"}]}
    drivers = make(read({"rail": {"driver": "modbus", "port": "/dev/ttyUSB0", "boards": [board]}}), nobody).values()
    for part, state, detail in [
        (None, "lost", ""),
        (Device("board", lost=True, detail="silent"), "lost", "silent"),
        (Device("board", lost=False, detail="silent"), "online", ""),
    ]:
        machine = made(tmp_path, state=State(devices={"left": part} if part else {}))
        machine.serve(drivers)
        told = machine.devices(STAND)["left"]
        assert (told.state, told.detail, told.driver, told.port) == (state, detail, "modbus", "/dev/ttyUSB0")
        assert (told.frames, told.last_seen) == (0, "")
