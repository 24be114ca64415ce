import pytest
from hypothesis import given, settings

from controller.rules.cards import CARDS, Card, Hand, hand, point_count
from controller.rules.drawing import Side, Verdict, banker_draws, deal, is_complete, judge, next_draw
from tests.rules import restatement
from tests.rules.deals import any_hands, texts, whole_rounds

# § 627a.10, Table 1, as printed: columns are the value of the Player's third card, 0 to 9.
TABLE_1 = {3: "DDDDDDDDSD", 4: "SSDDDDDDSS", 5: "SSSSDDDDSS", 6: "SSSSSSDDSS"}
# A card and a two-card hand of each value.
OF_VALUE: dict[int, Card] = {card.value: card for card in CARDS.values() if card.suit == "C" and card.rank != "T"}
KING = CARDS["KS"]


def two(count: int) -> Hand:
    return (KING, OF_VALUE[count])


def test_the_examples_of_point_counts() -> None:
    assert point_count(hand("AS 2H 4D")) == 7  # § 627a.6(b)(1)
    assert point_count(hand("AS 2H 9D")) == 2  # § 627a.6(b)(2)


@pytest.mark.parametrize("rank", "TJQK")
def test_tens_and_face_cards_count_nothing(rank: str) -> None:
    assert point_count(hand(f"{rank}S 7H")) == 7


def test_the_example_of_table_1() -> None:
    """§ 627a.10(g): the Banker has 5, the Player's third card is worth 4, the Banker draws."""
    assert next_draw(hand("2S 2H 4D"), hand("2C 3C")).to is Side.BANKER


@pytest.mark.parametrize("third", range(10))
@pytest.mark.parametrize("banker", TABLE_1)
def test_each_cell_of_table_1(banker: int, third: int) -> None:
    player = (*two(5), OF_VALUE[third])
    draws = TABLE_1[banker][third] == "D"
    assert next_draw(player, two(banker)).to is (Side.BANKER if draws else None)
    drawn = (*two(banker), OF_VALUE[9])
    assert judge(player, drawn).verdict is (Verdict.COMPLETE if draws else Verdict.IMPOSSIBLE)
    assert judge(player, two(banker)).verdict is (Verdict.INCOMPLETE if draws else Verdict.COMPLETE)


@pytest.mark.parametrize("third", range(10))
def test_with_a_player_who_drew_the_banker_draws_below_3_and_never_on_7(third: int) -> None:
    player = (*two(5), OF_VALUE[third])
    assert [next_draw(player, two(count)).to for count in (0, 1, 2, 7)] == [Side.BANKER] * 3 + [None]


@pytest.mark.parametrize("player", [6, 7])
def test_with_a_player_who_stayed_the_banker_draws_on_5_or_less(player: int) -> None:
    assert [next_draw(two(player), two(count)).to is Side.BANKER for count in range(8)] == [True] * 6 + [False] * 2


def test_the_player_draws_below_6() -> None:
    drawing = [next_draw(two(count), two(0)).to is Side.PLAYER for count in range(8)]
    assert drawing == [True] * 6 + [False] * 2


@pytest.mark.parametrize("natural", [8, 9])
@pytest.mark.parametrize("other", range(10))
def test_nobody_draws_against_a_natural(natural: int, other: int) -> None:
    for player, banker in ((two(natural), two(other)), (two(other), two(natural))):
        assert next_draw(player, banker).to is None
        assert judge(player, banker).verdict is Verdict.COMPLETE
        assert "natural" in judge((*player, KING), banker).why
        assert judge(player, (*banker, KING)).verdict is Verdict.IMPOSSIBLE
    assert not banker_draws(natural, other)


@pytest.mark.parametrize(
    ("player", "banker", "verdict", "why"),
    [
        ("", "", Verdict.INCOMPLETE, "the Player is owed a card"),
        ("2S", "", Verdict.INCOMPLETE, "the Banker is owed a card"),
        ("2S", "3S", Verdict.INCOMPLETE, "the Player is owed a card"),
        ("2S 3S", "3S", Verdict.INCOMPLETE, "the Banker is owed a card"),
        ("2S 3S", "KS QS", Verdict.INCOMPLETE, "the Player draws on 5 (§ 627a.10(b)(1))"),
        ("2S 3S", "KS QS 4S", Verdict.IMPOSSIBLE, "the Banker cannot have a third card: the Player draws on 5"),
        ("2S 4S 9S", "KS QS", Verdict.IMPOSSIBLE, "the Player cannot have a third card"),
        ("2S 4S", "KS QS", Verdict.INCOMPLETE, "the Banker draws on 0 (§ 627a.10(c)(1))"),
        ("2S 3S 8S", "KS 3D 2D", Verdict.IMPOSSIBLE, "the Banker stays on 3 (§ 627a.10(c)(2))"),
        ("2S 3S 8S 9S", "KS 3D", Verdict.IMPOSSIBLE, "the Player has 4 cards"),
        ("2S", "KS 3D 2D", Verdict.IMPOSSIBLE, "the Banker cannot have a third card"),
    ],
)
def test_hands_are_judged_with_the_reason(player: str, banker: str, verdict: Verdict, why: str) -> None:
    found = judge(hand(player), hand(banker))
    assert found.verdict is verdict
    assert why in found.why


@given(any_hands)
@settings(max_examples=1500)
@pytest.mark.slow
def test_any_two_hands_are_judged_as_the_text_judges_them(hands: tuple[Hand, Hand]) -> None:
    player, banker = hands
    verdict = judge(player, banker).verdict
    assert verdict.value == restatement.status(texts(player), texts(banker))
    assert is_complete(player, banker) is (verdict is Verdict.COMPLETE)


@given(whole_rounds)
def test_a_dealt_round_is_complete_and_its_beginnings_are_not(hands: tuple[Hand, Hand]) -> None:
    player, banker = hands
    assert judge(player, banker).verdict is Verdict.COMPLETE
    order = [*zip(player[:2], banker[:2], strict=True)]
    cards = tuple(card for pair in order for card in pair) + player[2:] + banker[2:]
    for length in range(len(cards)):
        begun = deal(cards[:length])
        assert judge(begun.player, begun.banker).verdict is Verdict.INCOMPLETE
        assert begun.next.to is not None
    finished = deal((*cards, KING))
    assert (finished.player, finished.banker, finished.left) == (player, banker, (KING,))
