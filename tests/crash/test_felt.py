"""The felt that lamps are held against: what it bears, and that nothing is on it twice."""

from collections.abc import Mapping

import pytest
from msgspec import json

from controller.journal.rows import Row
from tests.crash.felt import Felt, TwiceError, felt_of

FIRST, SECOND = (1, "royal9"), (2, "harmony")


def wager(place: tuple[int, str]) -> dict[str, object]:
    return {"position": place[0], "wager": place[1]}


def award(place: tuple[int, str], **more: object) -> dict[str, object]:
    return {"id": "a-1", "position": place[0], "wager": f"{place[1]}/5", **more}


def felt(*facts: tuple[str, Mapping[str, object]]) -> list[Felt]:
    """The felt after each of these facts."""
    rows = [
        Row(seq, "", 1, kind, 1, json.encode(payload).decode(), b"", b"")
        for seq, (kind, payload) in enumerate(facts, start=1)
    ]
    return felt_of(rows)[1:]


PLACED = ("wager-placed", {"placed": [wager(FIRST)]})
LOCKED = ("locked-out", {"wagers": [wager(FIRST)]})
WON = ("hand-entered", {"awards": [award(FIRST)]})


def test_a_wager_is_placed_accepted_won_and_paid() -> None:
    paid = ("award-validated", {"fates": [{"award": "a-1", "fate": "paid"}]})
    placed, locked, won, reopened, ended = felt(PLACED, LOCKED, WON, ("reopened", {}), paid)
    assert placed == Felt(placed=frozenset({FIRST}))
    assert locked == Felt(accepted=frozenset({FIRST}))
    assert (won.bears(FIRST, "won"), won.bears(FIRST, "accepted"), won.bears(SECOND, "won")) == (True, True, False)
    assert (reopened.accepted, reopened.won, ended) == (frozenset(), frozenset({FIRST}), Felt())


def test_a_wager_is_withdrawn_or_taken_out_and_the_dealers_awards_light_nothing() -> None:
    *_, withdrawn = felt(PLACED, ("wager-withdrawn", {"withdrawn": [wager(FIRST)]}))
    *_, taken = felt(PLACED, LOCKED, ("wager-taken-out", wager(FIRST)))
    *_, fixed = felt(("hand-entered", {"awards": [award(FIRST, validate=False)]}))
    assert withdrawn == taken == fixed == Felt()


@pytest.mark.parametrize(
    "facts",
    [
        (PLACED, PLACED),
        (PLACED, ("locked-out", {"wagers": [wager(FIRST), wager(FIRST)]})),
        (LOCKED,),
        (PLACED, ("locked-out", {"wagers": []})),
        (WON, WON),
        (("input-noted", {"key": "k"}), ("input-noted", {"key": "k"})),
    ],
    ids=["a wager", "one that is in", "one that did not stand", "one that stood", "an award", "a command"],
)
def test_what_is_there_twice_or_not_at_all_is_noticed(facts: tuple[tuple[str, Mapping[str, object]], ...]) -> None:
    with pytest.raises(TwiceError):
        felt(*facts)
