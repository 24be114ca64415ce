"""Rounds for tests: dealt from shoes, at random or all of them."""

import random
from collections.abc import Iterator
from itertools import permutations

from hypothesis import strategies

from controller.rules.cards import CARDS, Card, Hand
from controller.rules.drawing import deal

DECK = list(CARDS.values())
EIGHT_DECKS = DECK * 8


def texts(cards: Hand) -> list[str]:
    """The cards as the restatement takes them."""
    return [str(card) for card in cards]


def rounds(seed: int, number: int) -> Iterator[tuple[Hand, Hand]]:
    """So many rounds from eight decks, each from a whole shoe."""
    chance = random.Random(seed)
    for _ in range(number):
        dealt = deal(tuple(chance.sample(EIGHT_DECKS, 6)))
        yield dealt.player, dealt.banker


def every_deal(shoe: list[Card]) -> Iterator[tuple[Card, ...]]:
    """Every ordered deal of six cards from a small shoe, as often as it occurs."""
    yield from permutations(shoe, 6)


# Few ranks and suits, so that pairs, ties and hands of one suit or color are common, and not one in a million.
_narrow = strategies.lists(strategies.sampled_from(DECK), min_size=1, max_size=4, unique=True)
_cards = strategies.one_of(
    strategies.lists(strategies.sampled_from(DECK), min_size=6, max_size=6),
    _narrow.flatmap(lambda few: strategies.lists(strategies.sampled_from(few), min_size=6, max_size=6)),
)
whole_rounds = _cards.map(lambda cards: deal(tuple(cards))).map(lambda dealt: (dealt.player, dealt.banker))
any_hands = strategies.tuples(
    strategies.lists(strategies.sampled_from(DECK), max_size=4).map(tuple),
    strategies.lists(strategies.sampled_from(DECK), max_size=4).map(tuple),
)
