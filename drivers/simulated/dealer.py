"""A dealer: a shuffled shoe, and rounds dealt from it by the rules of the game."""

import random
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from drivers.events import BANKER, PLAYER
from drivers.shoe_game import RANKS, SUITS

COVER = 14  # § 627a.5(d): the cover card goes at least 14 cards above the bottom
NATURAL = 8
PLAYER_DRAWS_BELOW = BANKER_DRAWS_BELOW = 6

# § 627a.10, Table 1: by the Banker's two-card count, the values of the Player's third card on which the Banker draws.
BANKER_DRAWS_ON = {3: "012345679", 4: "234567", 5: "4567", 6: "67", 7: ""}


class Round(NamedTuple):
    """Two hands in dealt order, who won, and the cards burned before them."""

    player: tuple[str, ...]
    banker: tuple[str, ...]
    result: str
    burned: tuple[str, ...] = ()

    def cards(self) -> Iterator[tuple[str, int, str]]:
        """Every card as it leaves the shoe: to which hand, its place there, and its name."""
        for index, pair in enumerate(zip_longest(self.player, self.banker), start=1):
            for hand, card in zip((PLAYER, BANKER), pair, strict=True):
                if card is not None:
                    yield hand, index, card


def value(card: str) -> int:
    """§ 627a.6(a): an ace is one, tens and face cards are nothing."""
    place = RANKS.index(card[0]) + 1
    return place if place < 10 else 0  # noqa: PLR2004 -- the ten


def points(cards: tuple[str, ...]) -> int:
    """§ 627a.6(b): the right digit of the total."""
    return sum(map(value, cards)) % 10


def deal(draw: Callable[[], str], burned: tuple[str, ...] = ()) -> Round:
    """A round of cards drawn one by one (§§ 627a.8 to 627a.10)."""
    first, second, third, fourth = draw(), draw(), draw(), draw()
    player: tuple[str, ...] = (first, third)
    banker: tuple[str, ...] = (second, fourth)
    players, bankers = points(player), points(banker)
    if max(players, bankers) < NATURAL:
        if players < PLAYER_DRAWS_BELOW:
            player += (draw(),)
            draws = str(value(player[2])) in BANKER_DRAWS_ON.get(bankers, "0123456789")
        else:
            draws = bankers < BANKER_DRAWS_BELOW
        if draws:
            banker += (draw(),)
    players, bankers = points(player), points(banker)
    result = "tie" if players == bankers else PLAYER if players > bankers else BANKER
    return Round(player, banker, result, burned)


class Dealer:
    """Deals for ever. The same seed deals the same cards."""

    def __init__(self, seed: int, decks: int = 8) -> None:
        self._chance = random.Random(seed)
        self._decks = decks
        self._shoe: list[str] = []
        self._last_hand = True

    def deal(self) -> Round:
        """The next round. A new shoe begins with a burned card, one round after the cover card came (§ 627a.9(e))."""
        burned: tuple[str, ...] = ()
        if self._last_hand:
            self._shuffle()
            burned = (self._shoe.pop(),)
        self._last_hand = len(self._shoe) < COVER
        return deal(self._shoe.pop, burned)

    def _shuffle(self) -> None:
        self._shoe = [rank + suit for rank in RANKS for suit in SUITS] * self._decks
        self._chance.shuffle(self._shoe)
