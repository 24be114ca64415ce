import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.rules import catalog, dice, royal9, settle_one, top_card
from controller.rules.cards import Card, Hand, hand
from controller.rules.settlement import HandError, hand_wagers, settle_all, settle_royal9
from tests.rules import restatement
from tests.rules.deals import DECK, rounds, texts, whole_rounds

layouts = st.lists(st.sampled_from(royal9.COMBINATIONS), min_size=1, max_size=9, unique=True).map(tuple)
royal_cards = [card for card in DECK if card.rank in "KQJ9"]


@given(whole_rounds)
@settings(max_examples=1500)
@pytest.mark.slow
def test_every_wager_has_the_outcome_the_text_gives_it(hands: tuple[Hand, Hand]) -> None:
    assert settle_all(*hands) == restatement.outcomes(texts(hands[0]), texts(hands[1]))


def test_so_it_is_for_rounds_as_they_are_dealt() -> None:
    for player, banker in rounds(seed=627, number=5000):
        assert settle_all(player, banker) == restatement.outcomes(texts(player), texts(banker))


@given(whole_rounds)
def test_one_wager_alone_settles_as_among_all(hands: tuple[Hand, Hand]) -> None:
    every = settle_all(*hands)
    assert {id_: settle_one.on_hands(catalog.wagers()[id_], *hands).outcome for id_ in hand_wagers()} == every


@given(st.lists(st.sampled_from(royal_cards), min_size=4, max_size=4), layouts)
@settings(max_examples=1500)
def test_royal_9_is_what_the_text_says_at_every_seat(cards: list[Card], combinations: tuple[str, ...]) -> None:
    player, banker = tuple(cards[:2]), tuple(cards[2:])
    found = settle_royal9(player, banker, royal9.Layout(combinations))
    assert found == {
        str(seat): restatement.royal9(texts(player), texts(banker), list(combinations), seat)
        for seat in range(1, len(combinations) + 1)
    }


def test_royal_9_with_every_pair_of_king_9s_on_the_full_layout() -> None:
    layout = royal9.Layout(royal9.COMBINATIONS)
    for one in royal9.COMBINATIONS:
        for two in royal9.COMBINATIONS:
            player, banker = hand(f"{one[:2]} {one[2:]}"), hand(f"{two[2:]} {two[:2]}")
            found = settle_royal9(player, banker, layout)
            seats = {seat: royal9.COMBINATIONS[int(seat) - 1] for seat in found}
            for seat, outcome in found.items():
                expected = restatement.royal9(texts(player), texts(banker), list(royal9.COMBINATIONS), int(seat))
                assert outcome == expected
            if one == two:
                assert sorted(set(found.values())) == ["mega", "mega-envy"]
                assert [seats[seat] for seat, outcome in found.items() if outcome == "mega"] == [one]
            else:
                assert [seats[seat] for seat, outcome in found.items() if outcome == "major"] == [two]
                assert [seats[seat] for seat, outcome in found.items() if outcome == "minor"] == [one]


@pytest.mark.parametrize("wager", [id_ for id_ in catalog.wagers() if id_.startswith("sic-bo-")])
def test_super_sic_bo_is_what_the_text_says_for_all_throws(wager: str) -> None:
    for a in range(1, 7):
        for b in range(1, 7):
            for c in range(1, 7):
                assert dice.outcome(wager, (a, b, c)) == restatement.sic_bo(wager, [a, b, c])


@pytest.mark.parametrize("wager", ["top-card-home", "top-card-away", "top-card-tie"])
def test_top_card_is_what_the_text_says_for_all_pairs_of_cards(wager: str) -> None:
    for home in DECK:
        for away in DECK:
            assert top_card.outcome(wager, home, away) == restatement.top_card(wager, str(home), str(away))


# Hands of the sections' own definitions and examples, each with what it must be.
@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [
        # § 627a.1: Dragon 7 and Panda 8; § 627a.7(a)(1)(iii): the Banker pushes on a Dragon 7
        ("2S 4S", "AS 3H 3D", {"dragon-7": "win", "banker/ez": "push", "banker/commission": "win", "player": "lose"}),
        ("2S 3S 3D", "7S KS", {"panda-8": "win", "player": "win", "golden-8": "win", "rp-moon-8": "win"}),
        # § 627a.7(a)(4): a natural wins as a natural, whatever it wins by; equal naturals push
        ("9S KS", "KD QD", {"dragon-bonus/A@player": "natural-win", "golden-talons/C@player": "natural-win"}),
        ("9S KS", "9D QD", {"dragon-bonus/B@banker": "natural-tie", "golden-talons/B@player": "natural-tie"}),
        ("9S KS", "8D QD", {"dragon-bonus/A@player": "natural-win", "dragon-bonus/A@banker": "lose"}),
        ("2S 3S 4D", "KD JD KS", {"dragon-bonus/A@player": "win-by-9", "dragon-bonus/A@banker": "lose"}),
        # § 627a.7(a)(7): a pair is by rank, regardless of suit; a king and a queen are none
        ("QS QH", "9D KD", {"house-money": "one-pair", "player-pair": "win", "perfect-pairs/A@player": "mixed"}),
        ("JS JS", "4D 4H", {"perfect-pairs/A@player": "perfect", "perfect-pairs/A@banker": "colored"}),
        # § 627b.1(c), § 627b.2(c)(1), § 627b.4(g)(4)(xix): their examples of pairs
        ("9S 9H", "4D 4C", {"player-pair": "win", "banker-pair": "win", "house-money": "both-pair"}),
        ("KS KH", "4D 4C", {"rp-player-pair": "win", "rp-banker-pair": "win", "perfect-pairs/C@banker": "mixed"}),
        ("KS QS", "9D TD", {"house-money": "lose", "majestic-match@player": "royal-match", "rp-player-pair": "lose"}),
        # § 627b.2(i) and (k): six points
        ("2S 3S KD", "2D 4D", {"banker/commission-free": "win-6", "lucky-six": "banker-6-2card"}),
        ("KS QS 4D", "2D 2H 2S", {"banker/commission-free": "win-6", "lucky-six": "banker-6-3card"}),
        ("2S 4S", "KD 2H 4D", {"lucky-six": "lose", "tie": "win", "harmony/A": "tie-6-9", "banker/commission": "push"}),
        # § 627b.4(g)(1)(iv)
        ("2S 4S", "AS 3H 3D", {"banker/rising-phoenix": "push", "rp-sun-7": "win"}),
        # § 627b.6(g): six of a kind is by rank; four cards dealt; zero values; colours of all cards
        ("KS KH KD", "KC KS KH", {"harmony/A": "six-of-a-kind", "harmony/I": "six-of-a-kind"}),
        ("8S 8H", "8D 8C", {"harmony/A": "four-8s", "harmony/F": "four-8s"}),
        ("3S 3H", "3D 3C", {"harmony/A": "four-of-a-kind", "rp-tie-4-5-6-7": "win"}),
        ("KS QH TD", "JC QS KH", {"harmony/B": "six-zero-value", "harmony/D": "six-zero-value"}),
        ("9S KS", "9C KC", {"harmony/D": "tie-same-color", "harmony/G": "tie-4-card", "harmony/A": "tie-6-9"}),
        ("9S KS", "9C KD", {"harmony/D": "any-tie", "harmony/E": "any-tie"}),
        # § 631c.2(g): both hands of three cards and nine points, by suit and colour
        ("2S 3S 4S", "2S 3S 4S", {"heavenly9": "both-same-suit", "heavenly-9-bonus": "both", "cover-all/A": "win"}),
        ("2S 3C 4S", "2S 3C 4S", {"heavenly9": "both-same-color"}),
        ("2S 3D 4S", "2S 3C 4S", {"heavenly9": "both", "harmony/H": "tie-6-card"}),
        ("7S KS", "2S 3C 4S", {"heavenly9": "banker-3card-9", "heavenly-9-bonus": "one", "rp-9-over-7": "win"}),
        ("2S 3D 4S", "7S KC", {"heavenly9": "player-3card-9", "cover-all/B": "win"}),
        # § 631c.3(f)(4): both sevens of two cards, or both of three; mixed loses; paytable A knows only three
        ("7S KS", "7H KH", {"blazing-7s/A": "lose", "blazing-7s/B": "both-2card", "cover-all/A": "lose"}),
        ("7S KS", "7H KH", {"cover-all/B": "win"}),
        ("2S 3S 2D", "AS 2H 4D", {"blazing-7s/A": "both-3card", "blazing-7s/B": "both-3card", "cover-all/A": "win"}),
        ("2S 3S 2D", "7H KH", {"blazing-7s/A": "lose", "blazing-7s/B": "lose", "cover-all/B": "lose"}),
        # § 631c.4(e)
        ("9S 9S", "9S 9D", {"lucky-nines/A": "four-nines"}),
        ("9S 9S", "9S KD", {"lucky-nines/A": "three-nines-same-suit"}),
        ("9S 9S", "9D KD", {"lucky-nines/B": "three-nines"}),
        ("9S KS", "9S KD", {"lucky-nines/C": "two-nines-same-suit"}),
        ("9S KS", "9C KD", {"lucky-nines/D": "two-nines"}),
        ("9D KS", "2C KD", {"lucky-nines/A": "one-nine-diamonds"}),
        ("2D 2S 9D", "2C KD 2S", {"lucky-nines/A": "lose"}),
    ],
)  # fmt: skip
def test_hands_the_sections_describe(player: str, banker: str, expected: dict[str, str]) -> None:
    found = settle_all(hand(player), hand(banker))
    assert {id_: found[id_] for id_ in expected} == expected


def test_hands_that_are_no_round_are_refused_with_the_reason() -> None:
    with pytest.raises(HandError, match=r"^incomplete: the Player is owed a card"):
        settle_all(hand("2S 3S"), hand("KH QH"))
    with pytest.raises(HandError, match=r"^the Banker cannot have a third card: the Player has a natural 9"):
        settle_all(hand("9S KS"), hand("KH QH 2C"))


def test_a_ten_is_no_face_card() -> None:
    assert settle_royal9(hand("TS 9S"), hand("2H 3H"), royal9.DEFAULT_LAYOUT)["1"] == "lose"
    assert settle_royal9(hand("JS 9S"), hand("2H 3H"), royal9.DEFAULT_LAYOUT)["1"] == "any-suited-royal9"


def test_nobody_gets_envy_for_a_combination_no_position_has() -> None:
    layout = royal9.parse_layout("KS9S,KH9H")
    assert set(settle_royal9(hand("KD 9D"), hand("9D KD"), layout).values()) == {"suited-royal9-tie"}
    assert set(settle_royal9(hand("KD 9C"), hand("9C KD"), layout).values()) == {"royal9-tie"}


@pytest.mark.parametrize(("layout", "seat"), [(None, None), (royal9.DEFAULT_LAYOUT, None), (None, 1)])
def test_royal_9_is_not_settled_without_a_layout_and_a_seat(layout: royal9.Layout | None, seat: int | None) -> None:
    with pytest.raises(royal9.LayoutError, match="needs a layout and a seat"):
        settle_one.on_hands(catalog.wagers()["royal9/5"], hand("KS 9S"), hand("2H 3D"), layout, seat)


@pytest.mark.parametrize(
    ("wager", "throw", "multiplier", "allowed"),
    [
        ("sic-bo-even", (1, 1, 2), 2, "sic-bo-even may pay 1 to 1 "),
        ("sic-bo-triple-2", (2, 2, 2), 1000, "sic-bo-triple-2 may pay 150 to 999 to 1 "),
        ("sic-bo-one-2", (2, 2, 3), 20, "sic-bo-one-2 (two) may pay 2 to 19 to 1 "),
        ("sic-bo-one-2", (1, 1, 3), 88, "sic-bo-one-2 may pay 1, 2 to 19, 3 to 87 to 1 "),
    ],
)
def test_a_multiplier_out_of_range_is_told_the_range(
    wager: str, throw: dice.Dice, multiplier: int, allowed: str
) -> None:
    with pytest.raises(dice.DiceError) as refused:
        settle_one.on_dice(catalog.wagers()[wager], throw, multiplier)
    assert allowed in str(refused.value)
