"""The shoes' drivers over four kinds of line: clean, byte by byte, noisy, unplugged. Never a silent difference."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from drivers import port
from drivers.events import BURN, Card, Event, Lost, Online
from drivers.shoe import AngelEye, Shoe, TextShoe
from drivers.simulated.dealer import Round
from drivers.simulated.line import BYTE_BY_BYTE, CLEAN, NOISY, Condition
from drivers.simulated.shoe import AngelEyeTwin, ShoeTwin, TextShoeTwin, tell
from tests.drivers.lines import eventually
from tests.drivers.shoes import LAST, ROUNDS, SEED, Table, assert_never_silent, dealt, table, troubles

Twins = tuple[type[Shoe], Callable[[int], ShoeTwin]]
ANGEL: Twins = (AngelEye, AngelEyeTwin)
TEXT: Twins = (TextShoe, TextShoeTwin)
BARE_TEXT: Twins = (TextShoe, partial(TextShoeTwin, checksum="none"))


def over(path: Path, shoe: Twins, condition: Condition, sent: int, **settings: object) -> tuple[int, list[Event]]:
    """Rounds dealt over a line: how many were handed up whole, and all that was handed up."""

    async def main() -> list[Event]:
        twin = shoe[1](sent)
        async with table(path, shoe[0], twin, condition, **settings) as at:
            await at.play(rounds, twin)
            await at.finish(twin)
            return at.events

    rounds = dealt()
    events = asyncio.run(main())
    return assert_never_silent([*rounds, LAST], events) - 1, events


@pytest.mark.parametrize("condition", [CLEAN, BYTE_BY_BYTE], ids=["clean", "byte-by-byte"])
@pytest.mark.parametrize(
    ("shoe", "sent", "wanted"), [(ANGEL, 3, 1), (ANGEL, 3, 2), (ANGEL, 3, 3), (ANGEL, 1, 1), (TEXT, 1, 1), (TEXT, 3, 2)]
)
def test_on_a_good_line_every_round_is_handed_up_without_any_fault(
    tmp_path: Path, condition: Condition, shoe: Twins, sent: int, wanted: int
) -> None:
    count, events = over(tmp_path, shoe, condition, sent, copies=wanted)
    assert count == ROUNDS
    assert troubles(events) == []
    burned = [event.card for event in events if isinstance(event, Card) and event.hand == BURN]
    assert burned == [card for played in dealt() for card in played.burned]


# A frame of eight bytes is whole with a chance of 0.95 ** 8 = 0.66, a line of text of some 21 with one of 0.34. Three
# copies are too few for whole rounds then, and what counts is that nothing wrong passes for whole.
@pytest.mark.parametrize(
    ("shoe", "sent", "settings"),
    [
        (ANGEL, 3, {"copies": 2}),
        (ANGEL, 3, {"copies": 3}),
        (TEXT, 3, {}),
        (TEXT, 6, {"copies": 2}),
        (BARE_TEXT, 6, {"copies": 2, "checksum": "none"}),
    ],
)
def test_on_a_noisy_line_with_too_few_copies_a_round_is_whole_and_right_or_a_fault_is_told(
    tmp_path: Path, shoe: Twins, sent: int, settings: dict[str, object]
) -> None:
    count, events = over(tmp_path, shoe, NOISY, sent, **settings)
    assert count < ROUNDS
    assert troubles(events)


# Two equal copies of eight: a frame is there with 0.997, a round of seven with 0.98; and that two copies are damaged
# alike and pass their checks does not happen. Of a line of text one of 16 is enough, because 16 bits check it: 0.999.
@pytest.mark.parametrize(("shoe", "sent", "wanted"), [(ANGEL, 8, 2), (TEXT, 16, 1)])
def test_on_a_noisy_line_with_enough_copies_nine_rounds_of_ten_are_whole(
    tmp_path: Path, shoe: Twins, sent: int, wanted: int
) -> None:
    count, _ = over(tmp_path, shoe, NOISY, sent, copies=wanted)
    assert count >= 0.9 * ROUNDS


def test_on_a_noisy_line_a_shoe_that_repeats_until_acknowledged_has_nine_rounds_of_ten_whole(tmp_path: Path) -> None:
    rounds = dealt(20)
    twin = AngelEyeTwin(copies=60, until_acknowledged=True)

    async def speak(at: Table, played: Round) -> None:
        for said in tell(played, twin):
            at.line.send(said)
            at.line.send(twin.again())  # two copies are wanted
            await at.quiet()  # an ACK has no number: one for a late copy must not come for the next message
            while twin.is_waiting:
                at.line.send(twin.again())
                await at.quiet()

    async def main() -> list[Event]:
        async with table(tmp_path, AngelEye, twin, NOISY, copies=2, acknowledge=True) as at:
            for played in rounds:
                await speak(at, played)
            at.line.condition = CLEAN
            await speak(at, LAST)
            await at.whole(LAST)
            return at.events

    count = assert_never_silent([*rounds, LAST], asyncio.run(main())) - 1
    assert count >= 0.9 * len(rounds)


class Carelessness:
    """Somebody who pulls the adapter out and plugs it in, at random, also in the middle of a message."""

    def __init__(self, at: Table) -> None:
        self._at = at
        self._chance = Random(SEED)
        self.steady = True  # it is plugged in, and the driver has opened it since
        self.pulled = 0

    async def between_rounds(self) -> None:
        if not self.steady and self._chance.random() < 0.5:
            await self.settle()

    async def settle(self) -> None:
        self._at.line.unplug()
        await eventually(lambda: isinstance(self._state(), Lost))
        self._at.line.plug()
        await eventually(lambda: isinstance(self._state(), Online))
        self.steady = True

    def between_messages(self) -> None:
        if self._at.line.plugged and self._chance.random() < 0.03:
            self._at.line.unplug()
            self.pulled += 1
            self.steady = False
        elif not self._at.line.plugged and self._chance.random() < 0.3:
            self._at.line.plug()  # and it does not matter whether the driver has noticed

    def _state(self) -> Event | None:
        return next((event for event in reversed(self._at.events) if isinstance(event, Online | Lost)), None)


@pytest.mark.parametrize(("shoe", "sent"), [(ANGEL, 3), (TEXT, 1)])
def test_on_a_line_that_is_unplugged_at_random_a_round_is_whole_and_right_or_a_fault_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shoe: Twins, sent: int
) -> None:
    monkeypatch.setattr(port, "LAST_RETRY", 0.02)  # adapters come and go quickly here
    rounds = dealt()

    async def main() -> None:
        twin = shoe[1](sent)
        async with table(tmp_path, shoe[0], twin) as at:
            careless, undisturbed = Carelessness(at), 0
            for played in rounds:
                await careless.between_rounds()
                steady = careless.steady
                for said in tell(played, twin):
                    careless.between_messages()
                    at.line.send(said)
                    await asyncio.sleep(0)
                if steady and careless.steady:
                    undisturbed += 1
                    await at.whole(played)
            await careless.settle()
            await at.finish(twin)
            count = assert_never_silent([*rounds, LAST], at.events) - 1
            assert 0 < undisturbed <= count < ROUNDS
            assert careless.pulled > 3
            assert at.driver.counters["shoe"].reconnects == at.count(Online) - 1 > 3

    asyncio.run(main())
