"""What a hand will settle, told before it is sent: by the rules, for every paytable it may be filed with."""

from itertools import product
from urllib.parse import urlencode

import pytest
from msgspec import UNSET, json
from starlette.requests import Request
from starlette.responses import Response

from controller.console import preview
from controller.console.preview import Settles, answer
from controller.console.preview import preview as told
from controller.rules import royal9
from controller.rules.cards import CARDS, hand
from controller.rules.drawing import deal
from controller.rules.royal9 import parse_layout
from controller.rules.settlement import settle_all, settle_royal9


def rows(player: str, banker: str, *wagers: str) -> dict[tuple[str, str], Settles]:
    found = told(hand(player), hand(banker), wagers or preview.WAGERS).rows
    return {(row.outcome, row.whom): row for row in found}


def test_both_hands_with_one_combination_are_the_mega_of_its_position_and_envy_for_the_rest() -> None:
    found = rows("KS 9S", "9S KS", "royal9")
    assert set(found) == {("mega", "KS9S"), ("mega-envy", "others")}
    assert found["mega", "KS9S"].meter == "royal9-mega"
    envy = found["mega-envy", "others"]
    assert envy.meter is UNSET
    assert set(envy.pays.values()) == {("5",), ("1",)}


def test_one_combination_is_the_major_or_the_minor_of_its_position_and_a_row_for_the_rest() -> None:
    assert set(rows("KH 9D", "2H 7D", "royal9")) == {("minor", "KH9D"), ("any-royal9", "others")}
    assert set(rows("2H 7D", "KH 9H", "royal9")) == {("major", "KH9H"), ("any-suited-royal9", "others")}


def test_a_queen_and_a_nine_belong_to_no_position() -> None:
    assert set(rows("QS 9S", "2H 7D", "royal9")) == {("any-suited-royal9", "")}


def test_four_cards_settle_royal9_and_nothing_else_yet() -> None:
    found = told(hand("KS 5S"), hand("2H 3D"))
    assert not found.complete
    assert found.next == "player"
    assert "draws on 5" in found.why
    assert found.rows == ()


def test_a_harmony_tie_is_told_for_every_paytable() -> None:
    found = rows("2S 3S 9H", "KS 4S", "harmony")
    assert {outcome for outcome, _ in found} == {"tie-1-5", "any-tie", "tie-5-card"}
    assert found["tie-1-5", ""].pays == {"6 for 1": ("A",), "5 for 1": ("B", "C")}


def test_a_harmony_jackpot_is_the_same_row_under_all_paytables() -> None:
    ((_, row),) = rows("KS KH KD", "KC KS KH", "harmony").items()
    assert row.outcome == "six-of-a-kind"
    assert row.meter == "harmony"
    assert sorted(sum(row.pays.values(), ())) == list("ABCDEFGHI")


def test_a_heavenly9_jackpot_needs_one_suit() -> None:
    assert rows("2S 3S 4S", "AS 2S 6S", "heavenly9")["both-same-suit", ""].meter == "heavenly9"


def test_what_is_told_is_what_settling_says_wherever_the_layout_puts_a_combination() -> None:
    layout = parse_layout(",".join(royal9.COMBINATIONS))
    names = ("KS", "9S", "9H", "QD", "4C")
    for cards in product(names, repeat=4):
        dealt = deal((*(CARDS[name] for name in cards), CARDS["AS"], CARDS["2D"]))
        by_seat = settle_royal9(dealt.player, dealt.banker, layout)
        shown = {row.whom: row.outcome for row in told(dealt.player, dealt.banker, ("royal9",)).rows}
        for seat, combination in enumerate(layout.combinations, start=1):
            wanted = shown.get(combination, shown.get("others", shown.get("", "lose")))
            assert by_seat[str(seat)] == wanted, (cards, combination)
        outcomes = settle_all(dealt.player, dealt.banker)
        for row in told(dealt.player, dealt.banker, ("harmony", "heavenly9")).rows:
            for paytable in sum(row.pays.values(), ()):
                assert outcomes[f"{row.wager}/{paytable}" if paytable else row.wager] == row.outcome


def asked(**query: str) -> tuple[int, dict[str, object]]:
    async def ask() -> Response:
        return await answer(Request({"type": "http", "query_string": urlencode(query).encode(), "headers": []}))

    coroutine = ask()
    with pytest.raises(StopIteration) as ended:
        coroutine.send(None)
    response: Response = ended.value.value
    return response.status_code, json.decode(bytes(response.body))


def test_a_page_asks_with_cards_and_wagers() -> None:
    status, body = asked(player="KS,9S", banker="2H,3D", wagers="royal9")
    assert status == 200
    assert (body["player_total"], body["banker_total"], body["complete"]) == (9, 5, True)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({}, "player: give two or three cards"),
        ({"player": "KS", "banker": "2H,3D"}, "player: give two or three cards"),
        ({"player": "KS,9S", "banker": "2H,3D,4D,5D"}, "banker: give two or three cards"),
        ({"player": "KS,9S", "banker": "2H,1D"}, "'1D' is not a card"),
        ({"player": "KS,9S,2D", "banker": "2H,3D"}, "the Player cannot have a third card"),
        ({"player": "KS,9S", "banker": "2H,3D", "wagers": "tie"}, "wagers: 'tie' is none of"),
    ],
)
def test_what_cannot_be_is_refused_in_words(query: dict[str, str], said: str) -> None:
    status, body = asked(**query)
    assert (status, body["ok"], body["error"]) == (400, False, "bad-hand")
    assert said in str(body["message"])
