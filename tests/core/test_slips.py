"""The slip of an award: printed only once it is validated, each printing recorded, and nothing else changed."""

import pytest
from msgspec.structs import replace

from controller.core import inputs
from controller.core.facts import SlipWasPrinted
from controller.core.refusals import Refusal
from tests.core.play import FLOOR, FLOOR2, Table
from tests.core.test_people import award, major, paid, refused


def test_each_printing_is_a_fact_and_changes_nothing_else() -> None:
    table = paid()
    for number in (1, 2):
        before = table.state
        fact = table.do(inputs.SlipPrinted, award=award(table), by=FLOOR, key=f"print {number}")
        assert isinstance(fact, SlipWasPrinted)
        assert (fact.award, fact.by, fact.second) == (award(table), "f1", "")
        same = {name: getattr(before, name) for name in ("seq", "at", "instant", "seen")}
        assert replace(table.state, **same) == before


def test_an_award_that_waits_has_no_slip() -> None:
    table = major()
    why = refused(table.try_(inputs.SlipPrinted, award=award(table), by=FLOOR), Refusal.UNKNOWN)
    assert "is pending: only a validated one has a slip" in why.why


def test_a_rejected_award_has_no_slip() -> None:
    table = major()
    id_ = award(table)
    table.do(inputs.AwardRejected, award=id_, reason="no base wager", by=FLOOR, second=FLOOR2)
    assert "is rejected" in refused(table.try_(inputs.SlipPrinted, award=id_, by=FLOOR), Refusal.UNKNOWN).why


@pytest.mark.parametrize("id_", ["", "mb-07-1-1", "none"])
def test_an_award_there_is_not_has_no_slip(id_: str) -> None:
    assert repr(id_) in refused(Table().try_(inputs.SlipPrinted, award=id_, by=FLOOR), Refusal.UNKNOWN).why


@pytest.mark.parametrize(("days", "kept"), [(1, True), (2, False)])
def test_a_slip_is_printed_for_this_and_the_previous_gaming_day(days: int, kept: bool) -> None:
    table = paid()
    id_ = award(table)
    for ahead in range(days):
        table.do(inputs.ReadingsDue, day=f"2026-11-{17 + ahead}")
        for _ in range(10):  # rounds, so that it is not among the last few either
            table.do(inputs.Button)
    answer = table.try_(inputs.SlipPrinted, award=id_, by=FLOOR)
    if kept:
        assert answer.fact is not None  # type: ignore[union-attr]  # a decision
    else:
        assert "of this or the previous gaming day" in refused(answer, Refusal.UNKNOWN).why
