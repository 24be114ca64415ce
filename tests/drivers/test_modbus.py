"""The Modbus driver over a real terminal, against boards that speak their side of the protocol."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from drivers.driver import Device, Place
from drivers.events import Absent, Button, Cleared, Event, Faulted, Lost, Online, Present
from drivers.modbus import CHECK_SECONDS, Modbus
from drivers.modbus_board import Sensed
from drivers.modbus_settings import InputSettings, ModbusSettings
from drivers.patterns import LIGHTS, PATTERNS, is_lit
from drivers.simulated.line import BYTE_BY_BYTE, CLEAN, NOISY, Condition, TwinLine
from drivers.simulated.modbus import WATCHDOG_SECONDS, Board, Bus
from drivers.simulated.players import Table

POSITIONS = 5
QUICK = {"baudrate": 115200, "poll_ms": 1, "debounce_ms": 4, "silence_ms": 0, "reply_ms": 100, "stale_ms": 2000}


def chips(first: int, last: int) -> list[dict[str, Any]]:
    return [{"at": at, "position": position, "wager": "royal9"} for at, position in enumerate(range(first, last + 1))]


BOARDS: list[dict[str, Any]] = [
    {"id": "left", "address": 1, "inputs": [*chips(1, 3), {"at": 7, "button": True}], "lamps": chips(1, 3)},
    {"id": "right", "address": 2, "inputs": chips(4, 5), "lamps": chips(4, 5)},
]


def settings(port: Path, boards: Sequence[dict[str, Any]] = BOARDS, **changes: object) -> ModbusSettings:
    return msgspec.convert({"port": str(port), "boards": list(boards), **QUICK, **changes}, ModbusSettings)


class Floor:
    """A table with boards on a line, and what their driver hands up."""

    def __init__(self, path: Path, condition: Condition, chance: Random, twins: Sequence[Board]) -> None:
        self.bus = Bus(twins, asyncio.get_running_loop().time)
        self.line = TwinLine(path, self.bus, condition, chance)
        self.events: list[Event] = []
        self.levels: dict[Place, bool] = {}
        self.changed = asyncio.Event()
        self.presses = 0
        self.lost: set[str] = set()
        self.devices: Sequence[Device] = ()
        self.at_press: list[set[Place]] = []  # what lay there when the button was told

    async def take(self, events: Sequence[Event]) -> None:
        for event in events:
            self.events.append(event)
            match event:
                case Present() | Absent():
                    self.levels[Place(event.position, event.wager)] = isinstance(event, Present)
                case Button():
                    self.presses += event.pressed
                    if event.pressed:
                        self.at_press.append({place for place, there in self.levels.items() if there})
                case Lost():
                    self.lost.add(event.device)
                    gone = {place for device in self.devices if device.id == event.device for place in device.places}
                    self.levels = {place: there for place, there in self.levels.items() if place not in gone}
                case Online():
                    self.lost.discard(event.device)
                case _:
                    pass
        self.changed.set()

    async def until(self, true: Callable[[], bool], seconds: float = 20) -> None:
        async with asyncio.timeout(seconds):
            while not true():
                self.changed.clear()
                try:
                    async with asyncio.timeout(0.01):
                        await self.changed.wait()
                except TimeoutError:
                    continue

    def faults(self) -> list[Event]:
        return [event for event in self.events if isinstance(event, Lost | Faulted)]

    def sense(self, place: Place, *, there: bool) -> None:
        board, at = (1, place.position - 1) if place.position <= 3 else (2, place.position - 4)
        self.bus.boards[board].sense(at, there)


@asynccontextmanager
async def floor(
    tmp_path: Path,
    condition: Condition = CLEAN,
    twins: Sequence[Board] = (),
    boards: Sequence[dict[str, Any]] = BOARDS,
    seed: int = 1,
    **changes: object,
) -> AsyncIterator[tuple[Floor, Modbus]]:
    path = tmp_path / "rail"
    found = Floor(path, condition, Random(seed), twins or [Board(1), Board(2)])
    found.line.plug()
    driver = Modbus("rail", settings(path, boards, **changes), found.take, {})
    found.devices = driver.devices
    serving = asyncio.create_task(driver.run())
    try:
        yield found, driver
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        found.line.unplug()


def played(scenario: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(_as_coroutine(scenario), 60))


async def _as_coroutine(scenario: Callable[[], Awaitable[None]]) -> None:
    await scenario()


# -- inputs --


def test_a_board_comes_online_and_tells_all_it_senses(tmp_path: Path) -> None:
    async def scenario() -> None:
        twins = [Board(1), Board(2)]
        twins[0].sense(1, on=True)
        async with floor(tmp_path, twins=twins) as (table, driver):
            await table.until(lambda: len(table.levels) == POSITIONS)
            assert table.levels == {Place(at, "royal9"): at == 2 for at in range(1, 6)}
            assert [type(event) for event in table.events if event.device == "right"] == [Online, Absent, Absent]
            assert Button(device="left", pressed=False) in table.events
            assert driver.look("left") == {
                "1 royal9": "- off",
                "2 royal9": "chip off",
                "3 royal9": "- off",
                "button": "up",
            }
            assert [(each.id, each.button, len(each.places)) for each in driver.devices] == [
                ("left", True, 3),
                ("right", False, 2),
            ]

    played(scenario)


def test_a_chip_and_the_button_of_one_poll_are_told_the_chip_first(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path) as (table, _):
            await table.until(lambda: len(table.levels) == POSITIONS)
            for turn in range(30):
                seen = len(table.events)
                # Between two polls, the button on the board that is read first.
                table.bus.boards[1].sense(7, on=True)
                table.bus.boards[2].sense(turn % 2, on=True)
                await table.until(lambda seen=seen: len(table.events) >= seen + 2)  # type: ignore[misc]  # bound now
                assert [type(event) for event in table.events[seen:]] == [Present, Button]
                table.bus.boards[1].sense(7, on=False)
                table.bus.boards[2].sense(turn % 2, on=False)
                await table.until(lambda seen=seen: len(table.events) >= seen + 4)  # type: ignore[misc]  # bound now

    played(scenario)


def test_a_level_is_told_only_when_its_debounce_has_ended(tmp_path: Path) -> None:
    async def scenario() -> None:
        first = {"at": 0, "position": 1, "wager": "royal9", "debounce_ms": 700}
        boards = [{"id": "b", "address": 1, "inputs": [first, {"at": 1, "position": 2, "wager": "royal9"}]}]
        async with floor(tmp_path, boards=boards, twins=[Board(1)]) as (table, _):
            await table.until(lambda: len(table.levels) == 2)
            for _ in range(3):  # never for as long
                for on in (True, False):
                    table.bus.boards[1].sense(0, on=on)
                    table.bus.boards[1].sense(1, on=on)
                    await table.until(lambda on=on: table.levels[Place(2, "royal9")] is on)  # type: ignore[misc]  # bound
            assert [event for event in table.events if event == Present(device="b", position=1, wager="royal9")] == []
            table.bus.boards[1].sense(0, on=True)
            await table.until(lambda: table.levels[Place(1, "royal9")])

    played(scenario)


def test_a_sensor_that_flickers_does_not_keep_its_board_off_the_table(tmp_path: Path) -> None:
    class Flickering(Board):
        def answer(self, function: int, body: bytes) -> bytes:
            self.inputs[0] = not self.inputs[0]
            return super().answer(function, body)

    async def scenario() -> None:
        # A question that is asked again for want of an answer would find the same level twice.
        twins = [Flickering(1), Board(2)]
        async with floor(tmp_path, twins=twins, reply_ms=1000, stale_ms=20_000) as (table, _):
            await table.until(lambda: len(table.levels) == POSITIONS)
            assert not any(table.levels.values())

    played(scenario)


def test_a_chip_is_told_also_when_the_button_s_counter_was_not_answered_in_that_cycle(tmp_path: Path) -> None:
    class Deaf(Board):
        deaf = False

    class DeafBus(Bus):
        def received(self, data: bytes) -> bytes:
            board = self.boards[1]
            assert isinstance(board, Deaf)
            return b"" if board.deaf and data[1:2] == b"\x04" else super().received(data)

    async def scenario() -> None:
        inputs = [*chips(1, 3), {"at": 7, "button": True, "counter": 14}]
        boards = [{"id": "left", "address": 1, "inputs": inputs}]
        twin = Deaf(1)
        async with floor(tmp_path, boards=boards, twins=[twin], reply_ms=5, stale_ms=5000) as (table, driver):
            table.line.twin = DeafBus([twin], asyncio.get_running_loop().time)
            await table.until(lambda: len(table.levels) == 3)
            for turn in range(5):
                twin.deaf = True
                twin.sense(turn % 3, on=not twin.inputs[turn % 3])
                timeouts = driver.counters["left"].timeouts
                await table.until(lambda seen=timeouts: driver.counters["left"].timeouts > seen + 6)  # type: ignore[misc]
                twin.deaf = False
                await table.until(lambda: [table.levels[Place(at, "royal9")] for at in (1, 2, 3)] == twin.inputs[:3])
            assert not table.faults()

    played(scenario)


def test_at_the_end_every_lamp_goes_off(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path) as (table, driver):
            driver.show({Place(1, "royal9"): "accepted", Place(5, "royal9"): "accepted"})
            await table.until(lambda: table.bus.boards[1].coils[0] and table.bus.boards[2].coils[1])
            await driver.rest()
            assert not any(table.bus.boards[1].coils + table.bus.boards[2].coils)

    played(scenario)


def test_an_active_low_input_reads_the_other_way_round(tmp_path: Path) -> None:
    async def scenario() -> None:
        boards = [{"id": "b", "address": 1, "inputs": [{"at": 0, "position": 1, "wager": "base", "active_low": True}]}]
        async with floor(tmp_path, boards=boards, twins=[Board(1)]) as (table, _):
            await table.until(lambda: table.levels == {Place(1, "base"): True})
            table.bus.boards[1].sense(0, on=True)
            await table.until(lambda: table.levels == {Place(1, "base"): False})

    played(scenario)


@pytest.mark.parametrize("how", ["counter", "latch"])
def test_a_press_between_two_polls_is_caught_by_a_board_that_counts_or_latches(tmp_path: Path, how: str) -> None:
    extra = {"counter": 14} if how == "counter" else {"latch": 15, "latch_clear": 15}
    boards = [{"id": "b", "address": 1, "inputs": [{"at": 7, "button": True, **extra}]}]

    async def scenario() -> None:
        twin = Board(1, latches=how == "latch")
        async with floor(tmp_path, boards=boards, twins=[twin], debounce_ms=20) as (table, _):
            await table.until(lambda: Button(device="b", pressed=False) in table.events)
            for number in (1, 2):
                twin.pulse(7)
                await table.until(lambda number=number: table.presses == number)  # type: ignore[misc]  # bound now
            twin.sense(7, on=True)  # and a long one is one press too
            await table.until(lambda: table.presses == 3)
            twin.sense(7, on=False)
            await table.until(lambda: table.events[-1] == Button(device="b", pressed=False))
            twin.restart()  # counts nothing any more: no press
            questions = table.bus.questions
            await table.until(lambda: table.bus.questions > questions + 20)
            assert table.presses == 3
            assert not table.faults()

    played(scenario)


def test_a_press_is_told_once_whenever_the_board_counts_it() -> None:
    """The input is read before its count: a press between the two is not one that is over already."""
    for debounce in (0.0, 0.02):
        for count_first in (True, False):
            each = Sensed(InputSettings(at=0, button=True, counter=0), debounce)
            told: list[bool] = []
            readings = [(False, 5)] * 4 + ([(False, 6)] if count_first else []) + [(True, 6)] * 4 + [(False, 6)] * 4
            for number, (bit, count) in enumerate(readings):
                told += each.take(bit, number * 0.01, count)
            assert told == [False, True, False], (debounce, count_first)


def test_a_press_only_the_board_saw_is_told_once_it_is_certain_that_it_is_over() -> None:
    each = Sensed(InputSettings(at=0, button=True, counter=0), 0.02)
    told: list[list[bool]] = [
        [*each.take(bit=False, now=number * 0.01, counted=5 if number < 5 else 6)] for number in range(12)
    ]
    assert [levels for levels in told if levels] == [[False], [True, False]]
    assert told[5] == told[6] == []


def test_a_level_is_told_in_the_very_poll_in_which_its_debounce_ends_and_in_none_before() -> None:
    """So the chip that lay there for just as long as it must is in with the press of the same poll."""
    each = Sensed(InputSettings(at=0, position=1, wager="royal9"), 0.5)
    polls = range(13)  # four a second: off, on from the fourth, off again from the eighth
    told = [each.take(bit=4 <= number < 8, now=number * 0.25, counted=None) for number in polls]
    assert told == [(), (), (False,), (), (), (), (True,), (), (), (), (False,), (), ()]


def test_a_bouncing_press_is_one(tmp_path: Path) -> None:
    del tmp_path
    each = Sensed(InputSettings(at=0, button=True, latch=1, latch_clear=1), 0.02)
    told: list[bool] = []
    bits = [False] * 4 + [False, True, False, True, True, True, True] + [False, True, False, False, False, False]
    latches = [False] * 4 + [True, True, True, True, False, False, False] + [True, True, False, False, False, False]
    for number, (bit, latched) in enumerate(zip(bits, latches, strict=True)):
        told += each.take(bit, number * 0.01, each.latch(latched))
    assert told == [False, True, False]


def test_a_latch_that_cannot_be_cleared_is_one_press() -> None:
    each = Sensed(InputSettings(at=0, button=True, latch=1, latch_clear=1), 0.0)
    told: list[bool] = []
    for number in range(20):
        told += each.take(bit=False, now=number * 0.01, counted=each.latch(number > 4))
    assert told == [False, True, False]


def test_a_button_that_flickers_while_its_board_comes_back_is_no_press() -> None:
    each = Sensed(InputSettings(at=0, button=True, counter=0), 0.5)
    for number in range(10):
        assert each.take(bit=bool(number % 2), now=number * 0.01, counted=number) == ()
    assert not each.believed()
    told = [level for number in range(10, 80) for level in each.take(bit=False, now=number * 0.01, counted=9)]
    assert told == []


# -- boards that do not answer --


def test_a_board_lost_in_the_cycle_in_which_the_line_is_lost_is_told_too(tmp_path: Path) -> None:
    boards = [{"id": f"b{at}", "address": at, "inputs": chips(at, at)} for at in range(1, 5)]

    async def scenario() -> None:
        chance = Random(3)
        for _ in range(6):
            twins = [Board(at) for at in range(1, 5)]
            async with floor(tmp_path, boards=boards, twins=twins, stale_ms=60, reply_ms=20) as (table, _):
                await table.until(lambda: len(table.levels) == 4)
                table.bus.silent |= {1, 2, 3}
                await asyncio.sleep(0.05 + chance.random() * 0.2)
                table.line.unplug()
                await table.until(lambda: table.lost == {"b1", "b2", "b3", "b4"})
                for id_ in ("b1", "b2", "b3", "b4"):  # a busy machine may have lost one before, which came back
                    told = [type(e) for e in table.events if isinstance(e, Lost | Online) and e.device == id_]
                    assert all(one is not other for one, other in pairwise(told)), (id_, told)

    played(scenario)


def test_a_dead_board_of_lamps_is_lost_and_costs_the_others_nothing(tmp_path: Path) -> None:
    lamps = [{"id": f"lamps{at}", "address": at, "lamps": chips(at, at)} for at in (3, 4)]

    async def scenario() -> None:
        twins = [Board(at) for at in (1, 2, 3, 4)]
        async with floor(tmp_path, boards=[*BOARDS, *lamps], twins=twins, stale_ms=5000, reply_ms=50) as (table, _):
            await table.until(lambda: len(table.levels) == POSITIONS)
            table.bus.silent |= {3, 4}
            await table.until(lambda: table.lost == {"lamps3", "lamps4"})
            table.levels = {}
            table.bus.asked.clear()
            await table.until(lambda: len(table.bus.asked) > 400)
            lost = sum(address in {3, 4} for address in table.bus.asked)
            assert lost < len(table.bus.asked) / 10  # as before, but for one question to a lost one now and then
            table.bus.silent.clear()
            await table.until(lambda: not table.lost)

    played(scenario)


def test_boards_that_are_lost_do_not_cost_the_button(tmp_path: Path) -> None:
    boards = [BOARDS[0], *({"id": f"b{at}", "address": at, "inputs": chips(at, at)} for at in (4, 5, 6))]

    async def scenario() -> None:
        async with floor(tmp_path, boards=boards, twins=[Board(1)], stale_ms=5000, reply_ms=50) as (table, _):
            await table.until(lambda: table.lost == {"b4", "b5", "b6"})
            table.bus.asked.clear()
            await table.until(lambda: len(set(table.bus.asked)) == 4 and len(table.bus.asked) > 400)
            others = "".join("." if address == 1 else "x" for address in table.bus.asked)
            assert "xx" not in others  # never two questions to lost ones before the button is read again
            assert others.count("x") < others.count(".") / 4

    played(scenario)


def test_a_line_that_is_never_silent_loses_its_boards(tmp_path: Path) -> None:
    class Flooding(Bus):
        def received(self, data: bytes) -> bytes:
            del data
            return bytes(range(256)) * 16

    async def scenario() -> None:
        async with floor(tmp_path, stale_ms=200, reply_ms=20) as (table, _):
            await table.until(lambda: len(table.levels) == POSITIONS)
            table.line.twin = Flooding([], asyncio.get_running_loop().time)
            await table.until(lambda: table.lost == {"left", "right"})

    played(scenario)


def test_run_again_it_tells_everything_anew(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path) as (table, driver):
            await table.until(lambda: len(table.levels) == POSITIONS)
            hold = asyncio.Event()

            async def never(_: Sequence[Event]) -> None:
                hold.set()
                await asyncio.Event().wait()

            take, driver.hand_up = driver.hand_up, never
            table.sense(Place(1, "royal9"), there=True)
            await hold.wait()
            (running,) = [task for task in asyncio.all_tasks() if "Modbus.run" in repr(task)]
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            driver.hand_up = take
            again = asyncio.create_task(driver.run())
            await table.until(lambda: table.levels.get(Place(1, "royal9"), False))
            again.cancel()
            await asyncio.gather(again, return_exceptions=True)

    played(scenario)


def test_a_board_that_stops_answering_is_lost_and_leaves_nothing_behind(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path, stale_ms=2000, reply_ms=200) as (table, driver):
            await table.until(lambda: len(table.levels) == POSITIONS)
            table.sense(Place(4, "royal9"), there=True)
            table.sense(Place(1, "royal9"), there=True)
            await table.until(lambda: table.levels[Place(4, "royal9")] and table.levels[Place(1, "royal9")])
            table.bus.silent.add(2)
            await table.until(lambda: table.lost == {"right"})
            assert table.events[-1] == Lost(device="right", reason="it does not answer")
            assert driver.look("right")["4 royal9"] == "? off"
            table.sense(Place(4, "royal9"), there=False)  # while nobody could see it
            table.sense(Place(1, "royal9"), there=False)
            await table.until(lambda: not table.levels[Place(1, "royal9")])  # the others are read as before
            table.bus.silent.clear()
            await table.until(lambda: table.levels.get(Place(4, "royal9")) is False)
            assert driver.counters["right"].timeouts > 0
            assert [event.device for event in table.events if isinstance(event, Lost)] == ["right"]

    played(scenario)


def test_a_board_that_never_answered_is_told_lost_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path, twins=[Board(1)], stale_ms=50, reply_ms=5) as (table, driver):
            await table.until(lambda: driver.counters["right"].timeouts > 8)
            assert [event for event in table.events if event.device == "right"] == [
                Lost(device="right", reason="it does not answer")
            ]
            assert driver.counters["left"].frames > 0

    played(scenario)


def test_a_board_without_the_inputs_it_is_asked_for_is_lost_with_its_own_reason(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path, twins=[Board(1, inputs=4), Board(2)], stale_ms=200) as (table, _):
            await table.until(lambda: table.lost == {"left"})
            assert Lost(device="left", reason="it has no such address") in table.events

    played(scenario)


def test_a_lost_line_loses_every_board_and_all_come_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path) as (table, driver):
            await table.until(lambda: len(table.levels) == POSITIONS)
            table.line.unplug()
            await table.until(lambda: table.lost == {"left", "right"})
            assert all("is lost" in event.reason for event in table.faults() if isinstance(event, Lost))
            table.line.plug()
            await table.until(lambda: len(table.levels) == POSITIONS and not table.lost)
            assert driver.counters["left"].reconnects == 1
            assert len(table.faults()) == 2

    played(scenario)


def test_while_what_is_handed_up_waits_nothing_is_asked(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path) as (table, driver):
            await table.until(lambda: len(table.levels) == POSITIONS)
            gate = asyncio.Event()
            taken: list[Event] = []

            async def wait(events: Sequence[Event]) -> None:
                await gate.wait()
                taken.extend(events)

            driver.hand_up = wait
            table.sense(Place(1, "royal9"), there=True)
            questions = -1
            while questions != table.bus.questions:  # until it stands still
                questions = table.bus.questions
                await asyncio.sleep(0.05)
            table.sense(Place(2, "royal9"), there=True)
            gate.set()
            await table.until(lambda: len(taken) == 2)
            assert [event.device for event in taken] == ["left", "left"]

    played(scenario)


# -- lamps --


def test_a_lamp_shows_what_it_was_told_last(tmp_path: Path) -> None:
    async def unheard(_events: Sequence[Event]) -> None:
        """It is not run."""

    driver, place = Modbus("rail", settings(tmp_path / "rail"), unheard, {}), Place(1, "royal9")
    for before in PATTERNS:
        for pattern in PATTERNS:
            driver.show({place: before})
            driver.show({place: pattern})
            assert driver.look("left")["1 royal9"] == f"? {pattern}"


def test_coils_are_off_first_and_then_show_what_they_are_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        twins = [Board(1), Board(2)]
        twins[0].coils = [True] * 8  # as someone left them
        async with floor(tmp_path, twins=twins) as (table, driver):
            await table.until(lambda: twins[0].coils[:3] == [False] * 3)
            driver.show({Place(1, "royal9"): "accepted", Place(4, "royal9"): "accepted", Place(9, "royal9"): "won"})
            await table.until(lambda: twins[0].coils[:3] == [True, False, False] and twins[1].coils[0])
            driver.show({Place(1, "royal9"): "off"})
            await table.until(lambda: twins[0].coils[:3] == [False] * 3)
            assert twins[1].coils[0]  # shown until it is told otherwise
            assert twins[0].coils[3:] == [True] * 5  # coils that are no lamps are left alone

    played(scenario)


def test_an_invitation_blinks_and_an_accepted_wager_is_steady(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path) as (table, driver):
            board = table.bus.boards[1]
            driver.show({Place(1, "royal9"): "invite", Place(2, "royal9"): "accepted"})
            seen: list[bool] = []
            await table.until(lambda: board.coils[1])
            for _ in range(3):
                await table.until(lambda: board.coils[0])
                await table.until(lambda: not board.coils[0])
                seen.append(board.coils[1])
            assert all(seen)

    played(scenario)


def test_a_flash_ends_by_itself(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path) as (table, driver):
            board = table.bus.boards[1]
            await table.until(lambda: len(table.levels) == POSITIONS)
            driver.flash(Place(3, "royal9"))
            for _ in range(2):
                await table.until(lambda: board.coils[2])
                await table.until(lambda: not board.coils[2])
            driver.show({Place(3, "royal9"): "accepted"})
            await asyncio.sleep(2.1)
            await table.until(lambda: board.coils[2])
            seen, questions = set[bool](), table.bus.questions
            for _ in range(120):  # more than a period
                seen.add(board.coils[2])
                await asyncio.sleep(0.01)
            assert seen == {True}
            assert table.bus.questions > questions + 50

    played(scenario)


def test_a_board_that_restarted_gets_its_lamps_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with floor(tmp_path) as (table, driver):
            board = table.bus.boards[1]
            driver.show({Place(2, "royal9"): "accepted"})
            await table.until(lambda: board.coils[1])
            board.restart()
            assert not board.coils[1]
            await table.until(lambda: board.coils[1], CHECK_SECONDS + 15)
            assert not table.faults()

    played(scenario)


def test_a_coil_that_does_not_follow_faults_its_board_until_it_does(tmp_path: Path) -> None:
    class Stuck(Board):
        stuck = False

        def answer(self, function: int, body: bytes) -> bytes:
            said = super().answer(function, body)
            if self.stuck:
                self.coils[1] = False
            return said

    async def scenario() -> None:
        twin = Stuck(1)
        async with floor(tmp_path, twins=[twin, Board(2)]) as (table, driver):
            await table.until(lambda: len(table.levels) == POSITIONS)
            twin.stuck = True
            driver.show({Place(2, "royal9"): "accepted"})
            await table.until(lambda: Faulted(device="left", reason="coil 1 does not follow") in table.events)
            twin.stuck = False
            await table.until(lambda: Cleared(device="left") in table.events)
            assert len(table.faults()) == 1

    played(scenario)


def test_a_watchdog_of_the_board_is_switched_on_and_darkens_it_when_nobody_asks(tmp_path: Path) -> None:
    async def scenario() -> None:
        twin = Board(1, watchdog=64)
        boards = [{**BOARDS[0], "watchdog": 64}]
        async with floor(tmp_path, twins=[twin], boards=boards) as (table, driver):
            driver.show({Place(2, "royal9"): "accepted"})
            await table.until(lambda: twin.coils[1] and twin.guarded)
            twin.restart()
            await table.until(lambda: twin.coils[1] and twin.guarded)
        await asyncio.sleep(WATCHDOG_SECONDS + 0.1)
        table.bus.look()
        assert not any(twin.coils)

    played(scenario)


def test_lamps_are_written_only_when_they_change(tmp_path: Path) -> None:
    async def scenario() -> None:
        writes = 0

        class Counting(Board):
            def answer(self, function: int, body: bytes) -> bytes:
                nonlocal writes
                writes += function == 15
                return super().answer(function, body)

        twin = Counting(1)
        twins = [twin, Board(2)]
        # Patient: what is not answered in time is written again.
        async with floor(tmp_path, twins=twins, reply_ms=1000, stale_ms=5000) as (table, driver):
            driver.show({Place(2, "royal9"): "accepted"})
            await table.until(lambda: twin.coils[1])
            before, questions = writes, table.bus.questions
            await table.until(lambda: table.bus.questions > questions + 200)
            assert writes == before == 2  # off at first, and this one

    played(scenario)


def test_colours_are_coils_that_show_different_things(tmp_path: Path) -> None:
    lamps = [
        {"at": 0, "position": 1, "wager": "royal9", "shows": {"accepted": "on", "placed": "on"}},
        {"at": 1, "position": 1, "wager": "royal9", "shows": {"refused": "on", "fault": "on"}},
    ]

    async def scenario() -> None:
        boards = [{"id": "b", "address": 1, "inputs": chips(1, 1), "lamps": lamps}]
        async with floor(tmp_path, twins=[Board(1)], boards=boards) as (table, driver):
            board = table.bus.boards[1]
            for pattern, coils in (("accepted", [True, False]), ("fault", [False, True]), ("invite", [False, False])):
                driver.show({Place(1, "royal9"): pattern})
                await table.until(lambda coils=coils: board.coils[:2] == coils)  # type: ignore[misc]  # bound now
            with pytest.raises(ValueError, match="sparkle: no lamp shows that"):
                driver.show({Place(1, "royal9"): "sparkle"})

    played(scenario)


def test_only_an_accepted_wager_is_steady_light_and_patterns_differ() -> None:
    shown = {pattern: LIGHTS[light] for pattern, light in PATTERNS.items() if pattern not in {"off", "fault"}}
    assert len(set(shown.values())) == len(shown)
    assert [pattern for pattern, light in shown.items() if light == "########"] == ["accepted"]
    assert [is_lit("blink", slot) for slot in range(8)] == [True] * 4 + [False] * 4


# -- settings --

GOOD = {"port": "/dev/null", "boards": BOARDS}


@pytest.mark.parametrize(
    ("board", "why"),
    [
        ({"id": "b", "address": 0, "inputs": chips(1, 1)}, "address"),
        ({"id": "b", "address": 256, "inputs": chips(1, 1)}, "address"),
        ({"id": "a/b", "address": 1, "inputs": chips(1, 1)}, "a name of letters"),
        ({"id": "b", "address": 1, "inputs": [{"at": 0}]}, "give it a position and a wager"),
        ({"id": "b", "address": 1, "inputs": [{"at": 0, "position": 1}]}, "give it a position and a wager"),
        ({"id": "b", "address": 1, "inputs": [{"at": 0, "position": 1, "wager": "x", "button": True}]}, "or button"),
        ({"id": "b", "address": 1, "inputs": [*chips(1, 2), {"at": 1, "button": True}]}, "input 1 is there twice"),
        ({"id": "b", "address": 1, "inputs": [{"at": 0, "position": 1, "wager": "x", "counter": 0}]}, "only a button"),
        ({"id": "b", "address": 1, "inputs": [{"at": 0, "button": True, "latch_clear": 3}]}, "takes latch_clear too"),
        ({"id": "b", "address": 1, "inputs": [{"at": 0, "button": True, "latch": 3}]}, "takes latch_clear too"),
        ({"id": "b", "address": 1, "inputs": [{"at": 0, "button": True, "counter": 65535}]}, "two registers"),
        ({"id": "b", "address": 1, "inputs": [{"at": at, "button": True} for at in (0, 1)]}, "one lock-out button"),
        ({"id": "b", "address": 1}, "neither inputs nor lamps"),
        ({"id": "b", "address": 1, "lamps": [{**chips(1, 1)[0], "shows": {"glow": "on"}}]}, "shows 'glow'"),
        ({"id": "b", "address": 1, "lamps": [{**chips(1, 1)[0], "shows": {"won": "dim"}}]}, "as 'dim'"),
        ({"id": "b", "address": 1, "lamps": chips(1, 4), "watchdog": 2}, "something else too"),
        ({"id": "b", "address": 1, "inputs": [*chips(1, 1), {"at": 2000, "button": True}]}, "one reading of 2000"),
        ({"id": "b", "address": 1, "lamps": [*chips(1, 1), {**chips(2, 2)[0], "at": 1968}]}, "one writing of 1968"),
        ({"id": "b", "address": 1, "inputs": chips(1, 1), "colour": "red"}, "unknown field"),
    ],
)
def test_a_board_that_cannot_be_is_refused_with_the_reason(board: dict[str, Any], why: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        msgspec.convert({**GOOD, "boards": [board]}, ModbusSettings)


@pytest.mark.parametrize(
    ("boards", "why"),
    [
        ([], "length >= 1"),
        ([BOARDS[0], BOARDS[0]], "left is there twice"),
        ([BOARDS[0], {**BOARDS[1], "address": 1}], "board address 1 is there twice"),
        ([BOARDS[0], {**BOARDS[1], "inputs": chips(3, 4)}], "is there twice"),
        ([BOARDS[0], {**BOARDS[1], "inputs": [{"at": 0, "button": True}]}], "one lock-out button"),
    ],
)
def test_boards_that_do_not_go_together_are_refused(boards: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        msgspec.convert({**GOOD, "boards": boards}, ModbusSettings)


def test_the_silence_before_a_question_follows_the_speed() -> None:
    at = {rate: msgspec.convert({**GOOD, "baudrate": rate}, ModbusSettings) for rate in (9600, 19200, 38400)}
    assert at[9600].silence_seconds() == pytest.approx(3.5 * 10 / 9600)
    assert at[19200].silence_seconds() == pytest.approx(3.5 * 10 / 19200)
    assert at[38400].silence_seconds() == 0.00175


# -- people --


class People:
    """Hands at the twin's table: each thing done waits until the driver has told it, or time is up."""

    def __init__(self, table: Floor) -> None:
        self.table = table
        self.missed = 0
        self._wanted: dict[Place, bool] = {}

    async def chip(self, place: Place, *, there: bool) -> None:
        self._wanted[place] = there
        self.table.sense(place, there=there)

    async def press(self) -> None:
        seen = self.table.presses
        await self._settled()
        self.table.bus.boards[1].sense(7, on=True)
        await self._seen(lambda: self.table.presses > seen)
        self.table.bus.boards[1].sense(7, on=False)
        await self._seen(lambda: Button(device="left", pressed=False) in self.table.events[-8:])

    async def deal(self) -> None:
        pass

    async def pause(self, seconds: float) -> None:
        del seconds
        await asyncio.sleep(0)

    async def _settled(self) -> None:
        await self._seen(lambda: all(self.table.levels.get(place) is on for place, on in self._wanted.items()))

    async def _seen(self, true: Callable[[], bool]) -> None:
        try:
            await self.table.until(true, 3)
        except TimeoutError:
            self.missed += 1


COUNTING = [{**BOARDS[0], "inputs": [*chips(1, 3), {"at": 7, "button": True, "counter": 14}]}, BOARDS[1]]


@pytest.mark.parametrize("boards", [BOARDS, COUNTING], ids=["plain", "counting"])
@pytest.mark.parametrize(
    "condition",
    [
        pytest.param(CLEAN, id="clean"),
        pytest.param(BYTE_BY_BYTE, id="byte by byte"),
        pytest.param(NOISY, id="noisy", marks=pytest.mark.slow),  # every frame that is spoilt is waited for
    ],
)
def test_what_is_told_is_what_people_did(
    tmp_path: Path, condition: Condition, boards: Sequence[dict[str, Any]]
) -> None:
    async def scenario() -> None:
        rounds = 20
        noisy = condition is NOISY
        changes: dict[str, Any] = {"reply_ms": 8} if noisy else {"stale_ms": 5000}
        async with floor(tmp_path, condition, boards=boards, seed=11, **changes) as (table, driver):
            people = People(table)
            model = Table(POSITIONS, ["royal9"], people, Random(4))
            await table.until(lambda: len(table.levels) == POSITIONS)
            whole = 0
            for _ in range(rounds):
                faults, missed, presses = len(table.faults()), people.missed, table.presses
                done = await model.play()
                if len(table.faults()) == faults and people.missed == missed:
                    whole += 1
                    assert table.presses == presses + 2
                    assert table.at_press[-2:] == [done.bets, set()]
            await table.until(lambda: len(table.levels) == POSITIONS)
            truth = {Place(at, "royal9"): False for at in range(1, POSITIONS + 1)}
            await table.until(lambda: table.levels == truth)
            if noisy:
                assert whole >= rounds * 0.9
                assert driver.counters["left"].timeouts
                assert driver.counters["left"].bad_checksums
            else:
                assert (whole, table.faults(), table.presses) == (rounds, [], 2 * rounds)
                assert driver.counters["left"].bad_checksums == 0

    played(scenario)


def test_unplugged_at_random_it_tells_the_truth_in_the_end_and_a_fault_each_time(tmp_path: Path) -> None:
    async def scenario() -> None:
        chance = Random(6)
        async with floor(tmp_path) as (table, _):
            for turn in range(6):
                for position in range(1, POSITIONS + 1):
                    table.sense(Place(position, "royal9"), there=chance.random() < 0.5)
                for _ in range(chance.randrange(40)):
                    await asyncio.sleep(0)
                faults = len(table.faults())
                was_online = len(table.lost) < 2 and bool(table.events)
                table.line.unplug()
                if was_online:
                    await table.until(lambda faults=faults: len(table.faults()) > faults)  # type: ignore[misc]  # bound
                for position in range(1, POSITIONS + 1):
                    table.sense(Place(position, "royal9"), there=chance.random() < 0.5)
                table.line.plug()
                if turn % 3:
                    await table.until(lambda: len(table.levels) == POSITIONS and not table.lost)
            truth = {
                Place(at, "royal9"): table.bus.boards[1 if at <= 3 else 2].inputs[at - 1 if at <= 3 else at - 4]
                for at in range(1, 6)
            }
            await table.until(lambda: table.levels == truth)

    played(scenario)
