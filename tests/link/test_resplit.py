"""A share of a linked jackpot goes: until one is validated, those who are left share all of it."""

import pytest
from msgspec.structs import replace

from controller.core import inputs
from controller.core.invariants import check
from controller.core.refusals import Refusal, Refused
from controller.core.state import Award, Intent
from controller.link.lines import LedgerError
from controller.link.memory import MemoryLink
from tests.core.play import DEALER, FLOOR, FLOOR2, MINI, SUPERVISOR, SUPERVISOR2
from tests.link.test_memory_link import SIX_KINGS, Linked, locked, seated, totals

SHARE = 95  # cents of a wager of $5 for the meter
UNIT = 1_000_000  # of a cent


def won(*seats: int) -> tuple[Linked, MemoryLink]:
    """A table with a jackpot that some positions share."""
    table, link = seated()
    locked(table, *seats)
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    return table, link


def at(table: Linked, position: int) -> Award:
    return next(award for id_ in table.state.awards if (award := table.state.award(id_)) and award.position == position)


def reject(table: Linked, position: int) -> None:
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=at(table, position).id, reason="no base wager")


def validate(table: Linked, position: int) -> None:
    parts = {"award": at(table, position).id, "method": "slip", "base_wager": True}
    table.do(inputs.AwardValidated, by=FLOOR, second=FLOOR2, **parts)


def pending(table: Linked) -> dict[int, int]:
    return {award.position: award.amount_cents for award in table.state.pending()}


def agree(table: Linked, link: MemoryLink) -> None:
    """Both books add up, and the table has with the link what the link says it has."""
    totals(link)
    check(table.state)
    for award in table.state.pending():
        assert link.accounts[f"pending:{_hit_line(link)}/{award.position}"] == award.amount_cents * UNIT
    inside = sum(link.accounts.get(f"{part}:harmony", 0) for part in ("meter", "reserve", "carry"))
    house = sum(amount for name, amount in link.accounts.items() if name.startswith("house:"))
    assert table.state.accounts.get("link:bank", 0) == inside + house


def _hit_line(link: MemoryLink) -> str:
    return next(past.line.intent for past in reversed(link.lines["harmony"]) if past.kind == "hit")


JACKPOT = 2_500_000 + 3 * SHARE


def test_those_who_are_left_share_the_whole_jackpot() -> None:
    table, link = won(1, 2, 3)
    assert pending(table) == dict.fromkeys((1, 2, 3), JACKPOT // 3)
    before = link.meters["harmony"]
    reject(table, 2)
    assert pending(table) == dict.fromkeys((1, 3), JACKPOT // 2)  # the jackpot is known: nobody waits for an answer
    table.answer(link)
    after = link.meters["harmony"]
    assert (after.hits, after.wins_cents) == (1, JACKPOT // 2 * 2)
    # What could not be shared in three stays or is paid, to the cent.
    assert before.units - after.units == (JACKPOT // 2 * 2 - JACKPOT // 3 * 3) * UNIT
    (listed,) = link._listed["harmony"]  # noqa: SLF001 -- what every table is shown
    assert (listed.hit.positions, listed.hit.amount_cents // len(listed.hit.positions)) == ((1, 3), JACKPOT // 2)
    agree(table, link)


def test_the_last_one_gets_all_of_it_and_when_that_goes_too_the_meter_is_as_before() -> None:
    table, link = seated()
    locked(table, 1, 2, 3)
    table.answer(link)
    before = link.meters["harmony"]
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    reject(table, 1)
    reject(table, 2)
    assert pending(table) == {3: JACKPOT}
    reject(table, 3)
    table.answer(link)
    after = link.meters["harmony"]
    assert (after.units, after.reserve, after.hits, after.wins_cents) == (before.units, before.reserve, 0, 0)
    assert link.accounts["house:seed"] == -2_500_000 * UNIT  # what opened the next cycle is back
    agree(table, link)


def test_what_opened_the_running_cycle_stays_where_the_meter_was_hit_since() -> None:
    table, link = won(1, 2)
    other = Linked(MINI.replace('"mb-07"', '"mb-08"'), {"harmony": "bank"})
    other.do(inputs.WagerAbsent, position=5, wager="harmony")
    other.do(inputs.TableOpened, by=DEALER)
    locked(other, 5)
    other.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    other.answer(link)
    before, seeded = link.meters["harmony"], link.accounts["house:seed"]
    reject(table, 1)
    reject(table, 2)
    table.answer(link)
    after = link.meters["harmony"]
    assert link.accounts["house:seed"] == seeded
    assert after.units - before.units == (2_500_000 + 2 * SHARE) * UNIT
    assert (after.hits, after.reserve) == (1, before.reserve)
    totals(link)


def test_odd_cents_that_went_with_a_later_hit_come_from_the_house() -> None:
    table, link = seated()
    other = Linked(MINI.replace('"mb-07"', '"mb-08"'), {"harmony": "bank"})
    for seat in (5, 6):
        other.do(inputs.WagerAbsent, position=seat, wager="harmony")
    other.do(inputs.TableOpened, by=DEALER)
    locked(table, 1, 2, 3)
    locked(other, 5, 6)
    for each in (table, other):
        each.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    jackpot = 2_500_000 + 5 * SHARE
    assert jackpot % 3 == 2  # cents that three cannot share: they stay on the meter, and go with the next hit
    other.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    other.answer(link)
    before = link.meters["harmony"].units
    reject(table, 2)
    reject(table, 3)
    table.answer(link)
    assert pending(table) == {1: jackpot}
    assert link.accounts["house:late"] == -2 * UNIT
    assert link.meters["harmony"].units == before
    totals(link)
    reject(table, 1)  # and with the last share it gets them back
    table.answer(link)
    assert "house:late" not in link.accounts
    assert link.meters["harmony"].units == before + (jackpot - 2) * UNIT
    totals(link)


def test_once_a_share_is_validated_another_returns_to_the_meter() -> None:
    table, link = won(1, 2, 3)
    before = link.meters["harmony"]
    validate(table, 1)
    reject(table, 2)
    assert pending(table) == {3: JACKPOT // 3}
    assert [intent.kind for intent in table.asked] == ["paid", "unwind"]
    table.answer(link)
    assert link.meters["harmony"].units == before.units + JACKPOT // 3 * UNIT
    validate(table, 3)
    table.answer(link)
    assert link.meters["harmony"].last[-1].fate == "paid"
    agree(table, link)


def test_a_new_share_is_validated_before_the_link_knows_of_it_and_is_paid_once() -> None:
    """An intent is asked in the order of the journal: the link shares anew first, and pays that share then."""
    table, link = won(1, 3)
    reject(table, 1)
    validate(table, 3)
    assert [intent.kind for intent in table.asked] == ["resplit", "paid"]
    table.answer(link, times=3)
    assert link.meters["harmony"].paid_cents == 2_500_000 + 2 * SHARE
    assert table.state.accounts["paid:harmony@bank"] == link.accounts["paid:harmony"]
    agree(table, link)


def test_a_wager_taken_out_leaves_its_share_to_the_others_and_is_refunded_by_the_house() -> None:
    table, link = won(1, 2)
    parts = {"round": 1, "position": 2, "wager": "harmony", "reason": "wrong chip"}
    table.do(inputs.WagerVoided, by=FLOOR, second=FLOOR2, **parts)
    assert [intent.kind for intent in table.asked] == ["resplit", "reverse"]
    refused = table.try_(inputs.WagerVoided, by=FLOOR, second=FLOOR2, **{**parts, "position": 1})
    assert isinstance(refused, Refused)
    assert refused.refusal is Refusal.STALE  # what its contribution is inside of, the link has to say first
    table.answer(link)
    assert pending(table) == {1: 2_500_000 + 2 * SHARE}
    assert table.state.accounts["house:void"] == -500 * 240_000  # the contribution is inside the jackpot that stands
    agree(table, link)


def test_a_correction_takes_the_whole_jackpot_back_at_once() -> None:
    table, link = seated()
    locked(table, 1, 2, 3)
    table.answer(link)
    before = link.meters["harmony"]
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    table.do(inputs.HandCorrected, by=DEALER, round=1, player=("2S", "6S"), banker=("2H", "5D"))
    assert [(intent.kind, intent.positions) for intent in table.asked] == [("unwind", (1, 2, 3))]
    table.answer(link)
    after = link.meters["harmony"]
    assert (after.units, after.reserve, after.hits) == (before.units, before.reserve, 0)
    agree(table, link)


def test_a_jackpot_is_shared_anew_only_as_the_link_itself_would() -> None:
    table, link = won(1, 2, 3)
    reject(table, 2)
    (intent,) = table.asked
    lines = len(link.lines["harmony"])
    for wrong in (
        replace(intent, id="x-1", split=((1, JACKPOT // 2 + 1), (3, JACKPOT // 2))),
        replace(intent, id="x-2", split=((1, JACKPOT // 2),)),
        replace(intent, id="x-3", positions=(7,)),
    ):
        with pytest.raises(LedgerError):
            link.apply(wrong, "2026-11-18T01:02:03.000004Z")
    assert len(link.lines["harmony"]) == lines
    paid = Intent("x-4", intent.table, "bank", "harmony", "paid", 1, positions=(1,))
    link.apply(paid, "2026-11-18T01:02:03.000004Z")
    with pytest.raises(LedgerError, match="is not shared anew as it was asked for"):
        link.apply(intent, "2026-11-18T01:02:03.000004Z")


def test_a_jackpot_of_the_time_before_links_told_what_shares_leave_over_is_what_was_shared() -> None:
    table, link = seated()
    locked(table, 1, 2, 3)
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    (intent,) = table.asked
    answer = link.apply(intent, "2026-11-18T01:02:03.000004Z")
    hit = link.lines["harmony"].pop()
    link.lines["harmony"].append(hit._replace(line=replace(hit.line, left_cents=0)))
    table.give(replace(answer, left_cents=0))
    table.asked = []
    shared = JACKPOT // 3 * 3
    record = table.state.record(1)
    assert record is not None
    old = replace(record, awards=tuple(replace(award, jackpot_cents=0) for award in record.awards))
    table.state = replace(table.state, rounds={0: {1: old}})
    reject(table, 1)
    assert pending(table) == dict.fromkeys((2, 3), shared // 2)
    reject(table, 2)
    assert pending(table) == {3: shared}
    table.answer(link)
    agree(table, link)


@pytest.mark.parametrize("left", [-1, 2])
def test_an_answer_whose_jackpot_leaves_more_than_shares_can_is_refused(left: int) -> None:
    table, link = seated()
    locked(table, 1, 3)
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    (intent,) = table.state.intents
    hits = (inputs.LinkHit(1, 100), inputs.LinkHit(3, 100))
    answer = table.try_(inputs.LinkAnswered, intent=intent, display_cents=5, hits=hits, left_cents=left)
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.BAD_REQUEST
    table.do(inputs.LinkAnswered, intent=intent, display_cents=5, hits=hits, left_cents=1)
    assert [award.jackpot_cents for award in table.state.pending()] == [201, 201]


def test_a_jackpot_of_nothing_is_asked_for_once() -> None:
    toml = "\n".join(line for line in MINI.splitlines() if not line.startswith("minimum_reseed"))
    table, link = seated(toml)
    other = Linked(toml.replace('"mb-07"', '"mb-08"'), {"harmony": "bank"})
    other.do(inputs.WagerAbsent, position=5, wager="harmony")
    other.do(inputs.TableOpened, by=DEALER)
    locked(table, 1, 2, 3)
    table.answer(link)
    shown = link.meters["harmony"].display_cents
    people = {"by": SUPERVISOR, "second": SUPERVISOR2, "reason": "by the books", "key": "console/1"}
    table.do(inputs.MeterAdjusted, meter="harmony", delta_cents=-shown, expected_cents=shown, **people)
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    assert pending(table) == {}
    locked(other, 5)
    other.answer(link)
    again = table.do(inputs.HandComplete, **SIX_KINGS, source="console", by=DEALER, key="console/2")
    assert again is not None
    assert again.intents == ()
    assert link.meters["harmony"].hits == 1
    check(table.state)
