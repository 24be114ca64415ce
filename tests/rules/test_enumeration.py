"""Exact counts against brute force: every ordered deal of small shoes, judged by the restatement of the text."""

from collections import Counter

import pytest

from controller.rules import catalog, royal9
from controller.rules.cards import CARDS, Card, hand
from controller.rules.drawing import deal
from controller.rules.enumeration import SHOES_REMEMBERED, Shoe, deals, full_shoe, results
from controller.rules.odds import counts
from controller.rules.outcomes import result
from controller.rules.settlement import RESULTS_REMEMBERED, hand_wagers
from tests.rules import restatement
from tests.rules.deals import every_deal, texts

LAYOUT = royal9.parse_layout("KS9S,KH9S,KS9H")
# Small shoes in which the rare things happen: one rank, one suit, zeros, nines, kings and nines, naturals, mixtures.
SHOES = [
    "KS KS KH KD KC KC KS",
    "8S 8S 8H 8D 8C 8C 3S",
    "KS QS TS JS KH QD TC",
    "2S 3S 4S 2S 3S 4S KS",
    "2S 3C 4S 2S 3C 4S 9D",
    "9S 9S 9S 9D KS KH QS",
    "KS 9S KS 9S KH JS 9H",
    "AS 2H 3D 4C 5S 6H 7D",
    "7S KS 7H KH AS 2D 4C",
    "5S 5H 5D AC AS KD 6S",
]


def shoe_of(cards: tuple[Card, ...]) -> Shoe:
    return tuple(cards.count(card) for card in CARDS.values())


@pytest.mark.parametrize("text", SHOES)
@pytest.mark.slow
def test_counts_of_every_wager_equal_brute_force_over_a_small_shoe(text: str) -> None:
    cards = hand(text)
    brute: dict[str, Counter[str]] = {id_: Counter() for id_ in (*hand_wagers(), "royal9/5")}
    for dealt, number in Counter(every_deal(list(cards))).items():
        player, banker, *_ = deal(dealt)
        for id_, outcome in restatement.outcomes(texts(player), texts(banker)).items():
            brute[id_][outcome] += number
        royal = restatement.royal9(texts(player), texts(banker), list(LAYOUT.combinations), 1)
        brute["royal9/5"][royal] += number
    for id_, expected in brute.items():
        total, found = counts(catalog.wagers()[id_], shoe_of(cards), LAYOUT, seat=1)
        assert total == expected.total() == 7 * 6 * 5 * 4 * 3 * 2
        assert {name: number for name, number in found.items() if number} == expected, id_


@pytest.mark.parametrize("text", SHOES)
def test_results_equal_brute_force_over_a_small_shoe(text: str) -> None:
    cards = hand(text)
    brute = Counter(result(dealt.player, dealt.banker) for dealt in map(deal, every_deal(list(cards))))
    assert results(shoe_of(cards)) == brute


@pytest.mark.parametrize(
    ("decks", "total"), [(8, 4_998_398_275_503_360), (7, 2_231_622_494_861_760), (6, 878_869_206_895_680)]
)
def test_every_deal_of_a_whole_shoe_is_counted_once(decks: int, total: int) -> None:
    assert deals(full_shoe(decks)) == total
    found = results(full_shoe(decks))
    assert sum(found.values()) == total
    assert all(number > 0 for number in found.values())


def test_every_result_a_shoe_can_show_fits_what_settling_remembers() -> None:
    shown = [set(results(full_shoe(decks))) for decks in (6, 7, 8)]
    assert shown[0] == shown[1] == shown[2]
    assert len(shown[0]) == 1533 <= RESULTS_REMEMBERED


def test_only_so_many_shoes_are_remembered() -> None:
    counted = {decks: dict(results(full_shoe(decks))) for decks in range(2, 3 + SHOES_REMEMBERED)}
    assert len(counted) > SHOES_REMEMBERED == results.cache_info().currsize
    assert results(full_shoe(2)) == counted[2]
