"""What a hand would settle, told beforehand: the same as it then settles, and nothing is done by telling it."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core.inputs import AwardValidated, Button, SimulatedRound
from controller.rules.cards import CARDS
from controller.rules.drawing import Verdict, judge, next_draw
from tests.commands.desks import FIRST, MAJOR, MEGA, NOTHING, Desk, Hand, run
from tests.core.play import DEALER, FLOOR

ROWS = ("kind", "wager", "outcome", "position", "amount_cents", "needs_validation", "needs_second", "meter")


async def installed(path: Path) -> Desk:
    desk = await Desk(path / "journal.db").install().staff()
    assert (await desk.ask("open-table", "dee"))["ok"]
    return desk


def rows(reply: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: each[name] for name in ROWS if name in each} for each in reply["awards"]]


async def told_and_done(
    desk: Desk,
    round_: int,
    hand: Hand,
    by: tuple[str, str] = ("dee", ""),
    *,
    correction: bool = False,
    **more: str,
) -> None:
    """What is told beforehand is what is then done, and the telling leaves no trace."""
    name = "correct-hand" if correction else "enter-hand"
    await desk.token("dee")
    before, facts = desk.state, len(desk.rows())
    told = await desk.ask("preview-hand", "dee", round=round_, correction=correction, **hand, **more)
    assert (desk.state, len(desk.rows())) == (before, facts)
    done = await desk.ask(name, *by, round=round_, **hand, **more)
    assert told["ok"] == done["ok"], (told, done)
    if not told["ok"]:
        assert (told["error"], told["message"]) == (done["error"], done["message"])
        return
    assert rows(told) == rows(done)
    assert all("award" not in each for each in told["awards"])
    assert (told["fates"], told["complete"]) == (done["fates"], done["complete"])


@st.composite
def hands(draw: st.DrawFn) -> Hand:
    """Cards as they are dealt, many of them kings and nines, stopped after four or at the end."""
    cards = st.sampled_from([*CARDS, *(f"{rank}{suit}" for rank in "K9" for suit in "SHDC"), *(["KS", "9S"] * 8)])
    player, banker = [draw(cards), draw(cards)], [draw(cards), draw(cards)]
    if draw(st.booleans()):
        for _ in range(2):
            to = next_draw(tuple(CARDS[card] for card in player), tuple(CARDS[card] for card in banker)).to
            if to is not None:
                (player if to.value.lower() == "player" else banker).append(draw(cards))
    return {"player": tuple(player), "banker": tuple(banker)}


@settings(max_examples=40, deadline=None)
@given(first=hands(), then=hands())
def test_what_is_told_is_what_is_then_settled_and_corrected(
    tmp_path_factory: pytest.TempPathFactory, first: Hand, then: Hand
) -> None:
    async def main() -> None:
        with await installed(tmp_path_factory.mktemp("desk")) as desk:
            desk.bet(1, 2, 3)
            desk.bet(1, 2, wager="harmony")
            round_ = desk.lock()
            await told_and_done(desk, round_, first)
            await told_and_done(desk, round_, then)
            await told_and_done(desk, round_, then, correction=True)
            whole = judge(*(tuple(CARDS[card] for card in then[side]) for side in ("player", "banker"))).verdict
            assert (desk.state.phase.value == "settled") or whole is not Verdict.COMPLETE

    run(main())


def test_the_amount_told_is_the_meter_after_the_rounds_own_contributions(tmp_path: Path) -> None:
    async def main() -> None:
        with await installed(tmp_path) as desk:
            desk.bet(1)
            round_ = desk.lock()
            reply = await desk.ask("preview-hand", "dee", round=round_, **MAJOR)
            assert (reply["player_total"], reply["banker_total"], reply["complete"]) == (5, 9, True)
            (award,) = reply["awards"]
            assert (award["amount_cents"], award["meter"], award["position"]) == (45_020, "royal9-major", 1)
            assert reply["linked"] == []

    run(main())


def test_late_and_old_hands_are_told_to_a_dealer_who_may_not_enter_them(tmp_path: Path) -> None:
    async def main() -> None:
        with await installed(tmp_path) as desk:
            desk.bet(1)
            for _ in range(12):  # six rounds, of which no hand was entered
                desk.do(Button)
            refused = await desk.ask("enter-hand", "dee", round=1, **MAJOR)
            assert refused["error"] in ("not-allowed", "bad-request")
            await told_and_done(desk, 1, MAJOR, ("sue", "sam"), reference="camera 4")

    run(main())


@pytest.mark.parametrize(
    ("hand", "correction", "error"),
    [
        ({"player": ("KS", "9S", "2C"), "banker": ("2H", "3D")}, False, "bad-hand"),
        ({"player": ("KS", "1S"), "banker": ("2H", "3D")}, False, "bad-hand"),
        ({"player": ("KS",), "banker": ("2H", "3D")}, False, "bad-hand"),
        (NOTHING, True, "validated"),
        (NOTHING, False, "bad-hand"),
    ],
)
def test_what_would_be_refused_is_refused_beforehand(
    tmp_path: Path,
    hand: Hand,
    correction: bool,
    error: str,
) -> None:
    async def main() -> None:
        with await installed(tmp_path) as desk:
            desk.bet(1)
            round_ = desk.lock()
            if hand is NOTHING:
                desk.deal(MAJOR)
                (award,) = desk.pending()
                desk.do(AwardValidated, award=award, method="slip", base_wager=True, by=FLOOR)
            reply = await desk.ask("preview-hand", "dee", round=round_, correction=correction, **hand)
            assert (reply["ok"], reply["error"]) == (False, error), reply
            await told_and_done(desk, round_, hand, correction=correction)

    run(main())


def test_four_cards_that_are_no_natural_leave_the_rest_open(tmp_path: Path) -> None:
    async def main() -> None:
        with await installed(tmp_path) as desk:
            desk.bet(1, wager="harmony")
            round_ = desk.lock()
            reply = await desk.ask("preview-hand", "dee", round=round_, player=("2S", "2H"), banker=("2D", "2C"))
            assert (reply["complete"], reply["awards"]) == (False, [])  # four of a kind so far, and two to come

    run(main())


def test_a_simulated_round_settles_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        with await installed(tmp_path) as desk:
            desk.do(SimulatedRound, by=DEALER)
            round_ = desk.state.round
            reply = await desk.ask("preview-hand", "dee", round=round_, **MEGA)
            assert (reply["ok"], reply["complete"], reply["awards"]) == (True, True, [])
            reply = await desk.ask("preview-hand", "dee", round=round_, player=("2S", "2H"), banker=("2D", "AC"))
            assert (reply["complete"], reply["awards"]) == (False, [])

    run(main())


def test_an_auditor_is_told_nothing_and_it_is_recorded(tmp_path: Path) -> None:
    async def main() -> None:
        with await installed(tmp_path) as desk:
            desk.bet(1)
            round_ = desk.lock()
            reply = await desk.ask("preview-hand", FIRST["auditor"], round=round_, **MAJOR)
            assert (reply["ok"], reply["error"]) == (False, "not-allowed")

    run(main())
