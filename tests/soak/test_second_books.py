"""The second books agree with a journal, and with no other."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from controller.core import facts, inputs
from controller.core.facts import Recorded
from tests.core.auditor import DifferenceError
from tests.core.play import DEALER, FLOOR, FLOOR2, SUPERVISOR, SUPERVISOR2, Table
from tests.soak.second_books import check_second_books

PEOPLE = (SUPERVISOR, SUPERVISOR2, DEALER, FLOOR, FLOOR2)


def played() -> Table:
    """A table with a jackpot paid, a coin too late, and a wager taken back."""
    table = Table()
    for person in PEOPLE:
        by = None if person is SUPERVISOR else SUPERVISOR
        second = SUPERVISOR2 if person in {FLOOR, FLOOR2} else None
        table.do(inputs.OperatorChanged, operator=person.id, name=person.id, role=person.role, by=by, second=second)
    table.do(inputs.ControllerStarted, version="1")
    for position in (1, 2):
        table.do(inputs.WagerAbsent, position=position, wager="royal9")
    table.do(inputs.TableOpened, by=DEALER)
    table.do(inputs.WagerPresent, position=1, wager="royal9")
    table.do(inputs.WagerPresent, position=2, wager="royal9")
    table.do(inputs.WagerAbsent, position=2, wager="royal9")
    table.do(inputs.WagerDropped, position=3, wager="harmony", cents=500)
    table.do(inputs.Button)
    table.do(inputs.WagerDropped, position=4, wager="harmony", cents=500)
    table.do(inputs.HandComplete, player=("KS", "9S"), banker=("2H", "3D"))
    (award,) = table.state.pending()
    people = {"by": FLOOR, "second": FLOOR2}
    table.do(inputs.AwardValidated, award=award.id, method="slip", base_wager=True, **people)
    table.do(inputs.Button)
    return table


def test_they_agree() -> None:
    table = played()
    books = check_second_books(table.facts, table.vault)
    assert (len(books.rounds), books.happened["jackpot validated"], sum(books.to_return.values())) == (1, 1, 1)


def _of(kind: type[facts.Fact], change: Callable[[Recorded], Recorded | None]) -> list[Recorded]:
    """What was played, with the last fact of a kind changed or gone."""
    journal = played().facts
    at = max(at for at, each in enumerate(journal) if isinstance(each.fact, kind))
    changed = change(journal[at])
    return [*journal[:at], *([changed] if changed else []), *journal[at + 1 :]]


@pytest.mark.parametrize(
    "forged",
    [
        lambda: _of(facts.WagerPlaced, lambda _: None),
        lambda: _of(facts.WagerWithdrawn, lambda _: None),
        lambda: _of(facts.LockedOut, lambda each: replace(each, fact=replace(each.fact, moves=each.fact.moves[1:]))),
        lambda: _of(facts.HandEntered, lambda each: replace(each, fact=replace(each.fact, player=("KS", "8S")))),
    ],
    ids=["a wager gone", "a withdrawal gone", "a contribution gone", "other cards"],
)
def test_they_notice(forged: Callable[[], list[Recorded]]) -> None:
    with pytest.raises(DifferenceError):
        check_second_books(forged(), played().vault)
