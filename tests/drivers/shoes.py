"""A shoe on a line in the hands of a test, and what must be true of all that its driver hands up."""

import asyncio
import select
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from drivers.events import BANKER, BURN, PLAYER, Card, Cleared, Event, Faulted, Game, Lost, Online
from drivers.shoe import Shoe
from drivers.simulated.dealer import Dealer, Round
from drivers.simulated.line import CLEAN, Condition, TwinLine
from drivers.simulated.shoe import ShoeTwin, tell
from tests.drivers.lines import PATIENCE, eventually

ROUNDS = 60
SEED = 4
QUIET_TURNS = 20  # of the loop: more than any answer takes from one end to the other
ROUND = Round(("9H", "KS"), ("2C", "5D"), "player")


class Table:
    """A shoe on a line, and what its driver hands up."""

    def __init__(
        self, path: Path, kind: type[Shoe], twin: ShoeTwin, condition: Condition = CLEAN, **settings: object
    ) -> None:
        self.heard = bytearray()  # by the shoe
        self.line = TwinLine(path, twin, condition, Random(SEED), self.heard.extend)
        self.events: list[Event] = []
        self.calls = 0
        self.room = asyncio.Event()  # whether events are taken
        self.room.set()
        made: Any = msgspec.convert({"port": str(path), **settings}, kind.settings)
        self.driver = kind("shoe", made, self.take, {})

    async def take(self, events: Sequence[Event]) -> None:
        self.calls += 1
        await self.room.wait()
        self.events += events

    async def play(self, rounds: Iterable[Round], twin: ShoeTwin) -> None:
        for played in rounds:
            for said in tell(played, twin):
                self.line.send(said)
                await asyncio.sleep(0)

    async def quiet(self) -> None:
        """Wait until all that was said is taken and all that was answered is heard. Both ends are in this loop."""
        still, heard = 0, -1
        async with asyncio.timeout(PATIENCE):
            while still < QUIET_TURNS:
                is_still = len(self.heard) == heard and not self._is_under_way()
                still, heard = still + 1 if is_still else 0, len(self.heard)
                await asyncio.sleep(0)

    def _is_under_way(self) -> bool:
        """Whether bytes lie unread at either end. Asking also brings there what the kernel still holds."""
        unread = select.poll()
        for end in (self.line._master, self.line._slave):  # noqa: SLF001 -- nobody else needs to know
            unread.register(end, select.POLLIN)
        return bool(self.line._unsent or unread.poll(0))  # noqa: SLF001 -- the same

    def count(self, kind: type[Event]) -> int:
        return sum(isinstance(event, kind) for event in self.events)

    async def until(self, kind: type[Event], times: int = 1) -> None:
        await eventually(lambda: self.count(kind) >= times)

    async def finish(self, twin: ShoeTwin) -> None:
        """A last round over a good line: what is missing shows by then, and it is the end of what was dealt."""
        self.line.condition = CLEAN
        await self.play([LAST], twin)
        await self.whole(LAST)

    async def whole(self, played: Round) -> None:
        """Wait until this round is the last one that was handed up whole."""
        await eventually(lambda: whole(self.events)[-1:] == [(played.player, played.banker, played.result)])


LAST = Round(("9H", "KS", "AS"), ("9D", "QS", "AC"), "tie")  # no rule allows it: no dealer dealt it before


@asynccontextmanager
async def table(
    path: Path, kind: type[Shoe], twin: ShoeTwin, condition: Condition = CLEAN, **settings: object
) -> AsyncIterator[Table]:
    made = Table(path / "shoe", kind, twin, condition, **settings)
    made.line.plug()
    running = asyncio.create_task(made.driver.run())
    try:
        await made.until(Online)
        yield made
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        made.line.unplug()


Hand = tuple[tuple[str, ...], tuple[str, ...], str]


def whole(events: Iterable[Event]) -> list[Hand]:
    """The hands that were handed up from their beginning to their end without a fault between."""
    found: list[Hand] = []
    cards: dict[str, list[str]] | None = None
    for event in events:
        match event:
            case Game(what="begun"):
                cards = {PLAYER: [], BANKER: []}
            case Card(hand=hand, index=index, card=card) if cards is not None and hand != BURN:
                cards[hand].append(card)
                assert index == len(cards[hand])
            case Game(what="ended", result=result) if cards is not None:
                found.append((tuple(cards[PLAYER]), tuple(cards[BANKER]), result))
                cards = None
            case Faulted() | Lost() | Game():
                cards = None
            case _:
                pass
    return found


def assert_never_silent(dealt: Sequence[Round], events: Sequence[Event]) -> int:
    """Every whole hand was dealt, in this order, and where one is left out a fault was told. How many there are."""
    hands: list[Hand] = [(played.player, played.banker, played.result) for played in dealt]
    due = count = begin = 0
    ends = [at for at, event in enumerate(events, start=1) if isinstance(event, Game) and event.what == "ended"]
    for end in ends:
        for hand in whole(events[begin:end]):
            at = hands.index(hand, due)  # it was dealt, and after the last one
            assert at == due or any(isinstance(event, Faulted | Lost) for event in events[begin:end])
            due, count = at + 1, count + 1
            begin = end
    assert due == len(hands)
    return count


def troubles(events: Iterable[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, Faulted | Lost | Cleared)]


def dealt(rounds: int = ROUNDS) -> list[Round]:
    dealer = Dealer(SEED)
    return [dealer.deal() for _ in range(rounds)]
