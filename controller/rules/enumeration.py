"""Exact counts over every ordered deal of six cards, by integer enumeration. Never a simulation.

Six cards are always counted, also where a round needs four or five, so that every count has the same total.

The views that wagers ask about are counted. `results` counts whole rounds by `Result`: the third-card rule sees only
values, so deals are enumerated by value (ten kinds of card, not 52), once for each sub-deck whose cards share what a
`Result` tells (rank, suit, color, all of value zero); a sub-deck's own deals are what smaller ones leave of it.
`openings` counts the first four cards by whatever features of a card a wager asks for.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from controller.rules.cards import CARDS, RANKS, SUITS, Card
from controller.rules.drawing import MOST, banker_draws, player_draws
from controller.rules.outcomes import Result

Shoe = tuple[int, ...]  # how many of each card of CARDS, in that order
_CARDS = tuple(CARDS.values())
_DEALT = 2 * MOST
SHOES_REMEMBERED = 3  # six, seven and eight decks; each has 35 sub-decks that differ in their values


class _Shape(NamedTuple):
    """A round by what drawing sees of it."""

    player_total: int
    banker_total: int
    player_cards: int
    banker_cards: int


def full_shoe(decks: int) -> Shoe:
    """A shoe of whole decks."""
    return (decks,) * len(_CARDS)


def deals(shoe: Shoe, cards: int = _DEALT) -> int:
    """How many ordered deals of so many cards a shoe has."""
    total = 1
    for taken in range(cards):
        total *= sum(shoe) - taken
    return total


class _SubDeck(NamedTuple):
    """Cards that share something, and what they share."""

    cards: frozenset[int]  # indexes into CARDS
    rank: str
    suit: str
    color: str
    zeros: bool


@cache
def _sub_decks() -> tuple[_SubDeck, ...]:
    """All sub-decks, smaller ones first: any two overlap in one of the others, so each deal has one smallest."""
    by_rank: list[tuple[str, bool, set[int]]] = [("", False, set(range(len(_CARDS))))]
    by_rank.append(("", True, {index for index, card in enumerate(_CARDS) if card.value == 0}))
    for rank in RANKS:
        cards = {index for index, card in enumerate(_CARDS) if card.rank == rank}
        by_rank.append((rank, all(_CARDS[index].value == 0 for index in cards), cards))
    by_suit: list[tuple[str, str, set[int]]] = [("", "", set(range(len(_CARDS))))]
    by_suit += [
        ("", color, {index for index, card in enumerate(_CARDS) if card.color == color}) for color in ("red", "black")
    ]
    for suit in SUITS:
        cards = {index for index, card in enumerate(_CARDS) if card.suit == suit}
        by_suit.append((suit, _CARDS[min(cards)].color, cards))
    found = [
        _SubDeck(frozenset(ranked & suited), rank, suit, color, zeros)
        for rank, zeros, ranked in by_rank
        for suit, color, suited in by_suit
    ]
    return tuple(sorted(found, key=lambda deck: len(deck.cards)))


@lru_cache(maxsize=SHOES_REMEMBERED)
def results(shoe: Shoe) -> Mapping[Result, int]:
    """How many ordered six-card deals of a shoe show each result."""
    size = sum(shoe)
    found: dict[Result, int] = {}
    alone: list[tuple[frozenset[int], Mapping[_Shape, int]]] = []
    for deck in _sub_decks():
        values = [0] * 10
        for index in deck.cards:
            values[_CARDS[index].value] += shoe[index]
        counts = dict(_shapes(tuple(values), size))
        for cards, smaller in alone:
            if cards < deck.cards:
                for shape, count in smaller.items():
                    counts[shape] -= count
        counts = {shape: count for shape, count in counts.items() if count}
        alone.append((deck.cards, counts))
        for shape, count in counts.items():
            shown = Result(*shape, rank=deck.rank, suit=deck.suit, color=deck.color, zeros=deck.zeros)
            found[shown] = found.get(shown, 0) + count
    return found


@lru_cache(maxsize=SHOES_REMEMBERED * 40)
def _shapes(values: tuple[int, ...], size: int) -> Mapping[_Shape, int]:
    """Deals, from a shoe of `size` cards, whose hands take only cards counted in `values` (how many of each value)."""
    left = list(values)
    # Deals by the cards of Player and Banker, then by their totals.
    tally = {(p, b): [[0] * 10 for _ in range(10)] for p in (2, 3) for b in (2, 3)}

    def bankers_turn(player: int, banker: int, thirds: tuple[int, ...], weight: int) -> None:
        cards = 2 + len(thirds)
        rest = size - 2 - cards
        total = (player + sum(thirds)) % 10
        if banker_draws(player, banker, *thirds):
            weight *= 1 if thirds else rest - 1
            row = tally[cards, 3][total]
            for value, number in enumerate(left):
                row[(banker + value) % 10] += weight * number
        else:
            tally[cards, 2][total][banker] += weight * (rest if thirds else rest * (rest - 1))

    for p1, p2, player_ways in _two_of(left):
        player = (p1 + p2) % 10
        for b1, b2, banker_ways in _two_of(left):
            banker = (b1 + b2) % 10
            weight = player_ways * banker_ways
            if not player_draws(player, banker):
                bankers_turn(player, banker, (), weight)
                continue
            for third in range(10):
                number = left[third]
                if number:
                    left[third] -= 1
                    bankers_turn(player, banker, (third,), weight * number)
                    left[third] += 1
    return {
        _Shape(player, banker, *cards): number
        for cards, rows in tally.items()
        for player, row in enumerate(rows)
        for banker, number in enumerate(row)
        if number
    }


def openings(
    shoe: Shoe, key: Callable[[Card], Hashable], outcome: Callable[[Card, Card, Card, Card], str]
) -> Mapping[str, int]:
    """How many ordered six-card deals give each outcome of the four initial cards.

    Cards with the same key count together; `outcome` sees one of them, and must not tell two such cards, or a hand's
    first and second card, apart.
    """
    kinds: dict[Hashable, tuple[Card, int]] = {}
    for card, number in zip(_CARDS, shoe, strict=True):
        first, so_far = kinds.get(key(card), (card, 0))
        kinds[key(card)] = first, so_far + number
    cards = [card for card, _ in kinds.values()]
    left = [number for _, number in kinds.values()]
    found: dict[str, int] = {}
    rest = deals(shoe) // deals(shoe, 4)
    for p1, p2, player_ways in _two_of(left):
        for b1, b2, banker_ways in _two_of(left):
            name = outcome(cards[p1], cards[p2], cards[b1], cards[b2])
            found[name] = found.get(name, 0) + player_ways * banker_ways * rest
    return found


def _two_of(left: list[int]) -> Iterator[tuple[int, int, int]]:
    """Two kinds of card in either order and in how many ways, out of `left` while the caller uses them."""
    for one in range(len(left)):
        for two in range(one, len(left)):
            ways = left[one] * (left[two] - (one == two)) * (1 if one == two else 2)
            if ways:
                left[one] -= 1
                left[two] -= 1
                yield one, two, ways
                left[one] += 1
                left[two] += 1


def hands(shoe: Shoe, outcome: Callable[[Card, Card], str]) -> Mapping[str, int]:
    """How many ordered six-card deals give each outcome of one hand's two initial cards; either hand, by symmetry."""
    rest = deals(shoe) // deals(shoe, 2)
    return {name: number * rest for name, number in two_cards(shoe, outcome).items()}


def two_cards(shoe: Shoe, outcome: Callable[[Card, Card], str]) -> Mapping[str, int]:
    """How many ordered deals of two cards give each outcome."""
    found: dict[str, int] = {}
    for one, number in zip(_CARDS, shoe, strict=True):
        for two, others in zip(_CARDS, shoe, strict=True):
            ways = number * (others - (one is two))
            if ways > 0:
                name = outcome(one, two)
                found[name] = found.get(name, 0) + ways
    return found


def forget() -> None:
    """Drop what was counted before, so that the next count is from nothing."""
    results.cache_clear()
    _shapes.cache_clear()
