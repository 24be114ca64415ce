"""What devices say has the time of the controller's clock, and the settings of the button go with each press."""

import asyncio

from controller.core import inputs
from controller.core.inputs import Input
from controller.core.times import stamp
from controller.engine import Answer
from controller.intake.devices import Intake
from controller.settings import ButtonSettings
from drivers.events import Absent, Button, Dropped, Present
from tests.core.play import BEGIN
from tests.test_engine import Clock


class Takes:
    """An engine that takes everything."""

    def __init__(self) -> None:
        self.taken: list[Input] = []

    async def submit(self, input_: Input) -> Answer:
        self.taken.append(input_)
        return Answer(len(self.taken))


def taken(button: ButtonSettings, *events: Present | Absent | Dropped | Button) -> list[Input]:
    """What the engine is given of some events."""
    engine, clock = Takes(), Clock()

    async def hand_up() -> None:
        intake = Intake(engine, clock, button, {1: 500})
        for event in events:
            await intake.take([event])

    asyncio.run(hand_up())
    return engine.taken


def test_an_input_has_the_time_at_which_it_was_handed_up() -> None:
    board = {"device": "board-1", "position": 1, "wager": "royal9"}
    found = taken(
        ButtonSettings(),
        Present(**board),  # type: ignore[arg-type]  # its fields
        Absent(**board),  # type: ignore[arg-type]  # the same
        Dropped(device="slot-1", position=2, wager="royal9", ordinal=1, counter=1, coin=1),
        Button(device="board-1", pressed=True),
    )
    assert [type(each) for each in found] == [
        inputs.WagerPresent,
        inputs.WagerAbsent,
        inputs.WagerDropped,
        inputs.Button,
    ]
    assert [each.at for each in found] == [stamp(BEGIN)] * 4


def test_the_milliseconds_that_are_set_go_with_presses_and_with_chips_that_are_lifted() -> None:
    found = taken(
        ButtonSettings(reopen_after_ms=2750, pulled_ms=1250),
        Absent(device="board-1", position=1, wager="royal9"),
        Button(device="board-1", pressed=True),
        Button(device="board-1", pressed=False),
    )
    assert found == [
        inputs.WagerAbsent(at=stamp(BEGIN), position=1, wager="royal9", pulled_ms=1250),
        inputs.Button(at=stamp(BEGIN), reopen_after_ms=2750),
    ]
