"""Events become inputs in an order that gives nobody an advantage: on lines that only hand up what they are told to."""

import asyncio
from collections.abc import Sequence

from controller.core import inputs
from controller.core.inputs import Input
from controller.engine import Answer
from controller.intake.devices import Intake
from controller.settings import ButtonSettings
from drivers.driver import Device, Driver, HandUp, Place
from drivers.events import Button, Dropped
from tests.core.play import BEGIN

SLOT = Place(9, "royal9")


class Clock:
    """It stands still."""

    def now(self) -> int:
        return BEGIN

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Noted:
    """An engine that notes what it is given."""

    def __init__(self) -> None:
        self.given: list[Input] = []

    async def submit(self, input_: Input) -> Answer:
        await asyncio.sleep(0)
        self.given.append(input_)
        return Answer(len(self.given))


class Slot(Driver):
    """A board, and a drop slot into which a coin fell just now: it is told when the slot is read once more."""

    name = "noted"

    def __init__(self, hand_up: HandUp) -> None:
        self.devices = (Device("slot", "cctalk", "bus", (SLOT,)), Device("left", "modbus", "rail", button=True))
        self._hand_up = hand_up

    async def run(self) -> None:
        """It says nothing by itself."""

    async def last_call(self) -> None:
        coin = Dropped(device="slot", position=9, wager="royal9", ordinal=1, counter=1, coin=1)
        await self._hand_up([coin])


def given(events: Sequence[Button], *, maintained: bool = False) -> list[Input]:
    """What the engine is given for these events of a board."""

    async def main() -> list[Input]:
        engine = Noted()
        intake = Intake(engine, Clock(), ButtonSettings(maintained=maintained), {1: 500})
        intake.serve([Slot(intake.take)])
        await intake.take(events)
        return engine.given

    return asyncio.run(main())


def test_a_coin_that_fell_before_the_press_is_handed_over_before_it() -> None:
    coin, press = given([Button(device="left", pressed=True)])
    assert isinstance(coin, inputs.WagerDropped)
    assert isinstance(press, inputs.Button)
    assert coin.cents == 500


def test_a_button_that_comes_up_is_nothing() -> None:
    assert given([Button(device="left", pressed=False)]) == []


def test_a_switch_that_is_put_back_reads_no_slot_once_more() -> None:
    (level,) = given([Button(device="left", pressed=False)], maintained=True)
    assert isinstance(level, inputs.Button)
    assert level.level == "unlocked"
