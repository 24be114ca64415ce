"""The simulated dealer keeps the rules of the game."""

from collections import Counter
from itertools import islice, pairwise, product

import pytest

from controller.rules.cards import CARDS, point_count
from controller.rules.drawing import Verdict, judge
from drivers.simulated.dealer import COVER, Dealer, Round, deal, points


def is_lawful(played: Round) -> bool:
    player, banker = (tuple(CARDS[name] for name in hand) for hand in (played.player, played.banker))
    return judge(player, banker).verdict is Verdict.COMPLETE


def test_every_combination_of_counts_and_third_cards_is_dealt_by_the_rule() -> None:
    ranks = "A23456789T"
    for first, second, third, last in product(ranks, ranks, ranks, ("4C", "9C")):
        cards = iter([f"{first}S", f"{second}H", "TS", "TH", f"{third}D", last])
        played = deal(cards.__next__)
        assert is_lawful(played), played
        used = [card for _, _, card in played.cards()]
        assert used == [f"{first}S", f"{second}H", "TS", "TH", f"{third}D", last][: len(used)]


def test_the_winner_is_the_hand_with_the_higher_count() -> None:
    dealer = Dealer(1)
    seen = Counter[str]()
    for _ in range(500):
        played = dealer.deal()
        player, banker = (point_count(tuple(CARDS[name] for name in hand)) for hand in (played.player, played.banker))
        assert (player, banker) == (points(played.player), points(played.banker))
        assert played.result == ("tie" if player == banker else "player" if player > banker else "banker")
        assert is_lawful(played)
        seen[played.result] += 1
    assert set(seen) == {"player", "banker", "tie"}


@pytest.mark.parametrize("decks", [1, 6, 8])
def test_a_shoe_holds_its_decks_and_is_shuffled_anew_one_round_after_the_cover_card(decks: int) -> None:
    dealer = Dealer(7, decks)
    rounds = list(islice(iter(dealer.deal, None), 300))
    starts = [index for index, played in enumerate(rounds) if played.burned]
    assert starts[0] == 0
    for begin, end in pairwise(starts):
        shoe = rounds[begin:end]
        dealt = Counter(card for played in shoe for card in (*played.burned, *played.player, *played.banker))
        assert max(dealt.values()) <= decks
        left = 52 * decks - dealt.total()
        assert 0 <= left < COVER
        last = len(shoe[-1].player) + len(shoe[-1].banker)
        before = len(shoe[-2].player) + len(shoe[-2].banker)
        assert left + last < COVER <= left + last + before


def test_the_same_seed_deals_the_same_cards() -> None:
    one, other, different = Dealer(3), Dealer(3), Dealer(4)
    rounds = [one.deal() for _ in range(100)]
    assert rounds == [other.deal() for _ in range(100)]
    assert rounds != [different.deal() for _ in range(100)]
