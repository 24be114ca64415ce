"""Cards, hands and point counts (§ 627a.6)."""

from typing import NamedTuple

from controller.rules.errors import BadInputError

RANKS = "A23456789TJQK"
SUITS = "SHDC"
_RED = "HD"


class Card(NamedTuple):
    """One of the 52 cards. There is one object for each: `CARDS` and `card` hand them out."""

    rank: str
    suit: str
    value: int  # § 627a.6(a): ace one, ten and face cards zero
    color: str

    def __str__(self) -> str:
        """The card as the contracts write it: rank and suit, `TS` for the ten of spades."""
        return self.rank + self.suit


Hand = tuple[Card, ...]  # in dealt order: the first two are the initial cards


def _value(rank: str) -> int:
    index = RANKS.index(rank) + 1
    return index if index < 10 else 0


CARDS: dict[str, Card] = {
    rank + suit: Card(rank, suit, _value(rank), "red" if suit in _RED else "black") for suit in SUITS for rank in RANKS
}


class CardError(BadInputError):
    """Text that names no card; the message says how one is written."""


def card(text: str) -> Card:
    """The card named by rank and suit."""
    found = CARDS.get(text)
    if found is None:
        raise CardError(f"{text!r} is not a card: write rank (A 2-9 T J Q K) and suit (S H D C), like TS or 9D")
    return found


def hand(text: str) -> Hand:
    """The hand written as cards with spaces between them: "KS 9S"."""
    return tuple(card(word) for word in text.split())


def point_count(cards: Hand) -> int:
    """The right digit of the total (§ 627a.6(b))."""
    return sum(each.value for each in cards) % 10
