"""Cards of a shoe, one by one, become hands; and its own result is held against them."""

import pytest

from controller.core.inputs import Button, FourCards, HandComplete, Input
from controller.intake.cards import Hands
from drivers.events import Card, Game

AT = "2026-11-16T15:00:00.000000Z"
NATURAL = (("player", "9S"), ("banker", "2H"), ("player", "KS"), ("banker", "3D"))
DRAWN = (("player", "2S"), ("banker", "2H"), ("player", "2D"), ("banker", "3D"), ("player", "4S"), ("banker", "KC"))


def dealt(hands: Hands, cards: tuple[tuple[str, str], ...]) -> list[Input]:
    """A game: what its cards mean for the table."""
    found = hands.take(Game(device="shoe", what="begun"), AT)
    count = {"player": 0, "banker": 0}
    for hand, card in cards:
        count[hand] += 1
        found += hands.take(Card(device="shoe", hand=hand, index=count[hand], card=card), AT)
    return found


def test_the_first_card_locks_and_whole_hands_are_told_as_they_lie() -> None:
    assert dealt(Hands(), NATURAL) == [
        Button(at=AT, cause="shoe"),
        HandComplete(at=AT, player=("9S", "KS"), banker=("2H", "3D")),
    ]


def test_each_game_has_its_own_hands() -> None:
    hands = Hands()
    dealt(hands, NATURAL)
    assert dealt(hands, DRAWN)[1:] == [
        FourCards(at=AT, player=("2S", "2D"), banker=("2H", "3D")),
        HandComplete(at=AT, player=("2S", "2D", "4S"), banker=("2H", "3D", "KC")),
    ]


@pytest.mark.parametrize(
    ("cards", "right"),
    [
        (NATURAL, "player"),
        ((("player", "2H"), ("banker", "9S"), ("player", "3D"), ("banker", "KS")), "banker"),
        ((("player", "9S"), ("banker", "9H"), ("player", "KS"), ("banker", "KD")), "tie"),
    ],
)
def test_any_other_result_than_that_of_the_cards_is_doubted(cards: tuple[tuple[str, str], ...], right: str) -> None:
    hands = Hands()
    dealt(hands, cards)
    assert not hands.contradicts("")  # a shoe that does not say
    assert [each for each in ("player", "banker", "tie") if not hands.contradicts(each)] == [right]
