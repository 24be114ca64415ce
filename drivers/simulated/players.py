"""People at a table: players who come, bet, think better of it, bet too late and go; a dealer who presses and deals."""

from collections.abc import Sequence
from random import Random
from typing import Protocol

from msgspec import Struct, field

from drivers.driver import Place

# How people are, as chances in a round.
COMES, GOES, BETS, WITHDRAWS, LATE = 0.3, 0.08, 0.7, 0.08, 0.06


class Hands(Protocol):
    """What people at a table can do with it."""

    async def chip(self, place: Place, *, there: bool) -> None:
        """Put a chip on a sensor, or take it off."""

    async def press(self) -> None:
        """Press the button and let it go."""

    async def deal(self) -> None:
        """Deal a hand from the shoe, if there is one."""

    async def pause(self, seconds: float) -> None:
        """Let time pass, as people do."""


class Round(Struct):
    """What people did in one round."""

    bets: set[Place] = field(default_factory=set)  # in when the dealer pressed
    withdrawn: set[Place] = field(default_factory=set)  # before that
    late: set[Place] = field(default_factory=set)  # after it


class Table:
    """The people of one table. Everything they do follows from the chance they are given."""

    def __init__(self, positions: int, wagers: Sequence[str], hands: Hands, chance: Random) -> None:
        self._positions = range(1, positions + 1)
        self._wagers = tuple(wagers)
        self._hands = hands
        self._chance = chance
        self.seated = {position for position in self._positions if chance.random() < 0.5}  # noqa: PLR2004 -- half of them
        self.rounds: list[Round] = []

    async def play(self) -> Round:
        """One round, from an open table to an open table."""
        chance, hands, played = self._chance, self._hands, Round()
        self._come_and_go()
        for place in self._places():
            if chance.random() < BETS:
                await hands.chip(place, there=True)
                played.bets.add(place)
                await hands.pause(chance.uniform(0.2, 1.5))
        for place in sorted(played.bets):
            if chance.random() < WITHDRAWS:
                await hands.chip(place, there=False)
                played.withdrawn.add(place)
        played.bets -= played.withdrawn
        await hands.pause(chance.uniform(1.0, 3.0))
        await hands.press()
        await hands.pause(0.5)
        for place in self._places():
            if place not in played.bets and chance.random() < LATE:
                await hands.chip(place, there=True)
                played.late.add(place)
        await hands.pause(chance.uniform(1.0, 3.0))
        await hands.deal()
        await hands.pause(chance.uniform(2.0, 5.0))
        for place in sorted(played.bets | played.late):  # the dealer collects, late chips are pushed back
            await hands.chip(place, there=False)
        await hands.pause(3.5)  # a second press comes only after the time in which it would be the first once more
        await hands.press()
        await hands.pause(1.0)
        self.rounds.append(played)
        return played

    def _come_and_go(self) -> None:
        for position in self._positions:
            seated, chance = position in self.seated, self._chance.random()
            if seated and chance < GOES and len(self.seated) > 1:
                self.seated.discard(position)
            elif not seated and chance < COMES:
                self.seated.add(position)

    def _places(self) -> list[Place]:
        return [Place(position, wager) for position in sorted(self.seated) for wager in self._wagers]
