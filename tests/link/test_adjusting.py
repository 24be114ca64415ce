"""Two supervisors adjust a linked meter, and place what a linked mystery carries: no cent is in two places."""

import pytest

from controller.core import inputs
from controller.core.accounts import units
from controller.core.adjusting import MOST_CENTS
from controller.core.decision import MOST_TEXT, Decision
from controller.core.facts import AdjustmentWasAsked, LinkWasAnswered
from controller.core.invariants import check
from controller.core.refusals import Refusal, Refused
from controller.journal.audit.reasons import changes
from controller.link.memory import MemoryLink
from tests.core.play import DEALER, FLOOR, FLOOR2, HEAVENLY, MINI, SUPERVISOR, SUPERVISOR2, Rigged
from tests.link.test_memory_link import Linked, link_for, locked, seated, totals

UNIT = 1_000_000  # of a cent
SEED, LEAST = 2_500_000, 500_000  # of the Harmony meter, and the least it opens with
CARRY = "carry:must-hit-by"


def adjust(table: Linked, meter: str, delta: int, expected: int, **parts: object) -> Decision | Refused:
    given = {"by": SUPERVISOR, "second": SUPERVISOR2, "reason": "reading of 2026-11-15", "key": f"adjust-{table.now}"}
    wanted = {"meter": meter, "delta_cents": delta, "expected_cents": expected}
    return table.try_(inputs.MeterAdjusted, **{**given, **wanted, **parts})


def asked(table: Linked, meter: str, delta: int, expected: int, **parts: object) -> None:
    decision = adjust(table, meter, delta, expected, **parts)
    assert isinstance(decision, Decision), decision
    assert isinstance(decision.fact, AdjustmentWasAsked)


def settle(table: Linked, link: MemoryLink, *, times: int = 1) -> list[LinkWasAnswered]:
    """Everything asked, and what follows from it; the answers."""
    before = len(table.facts)
    while table.asked:
        table.answer(link, times=times)
    totals(link)
    check(table.state)
    return [each.fact for each in table.facts[before:] if isinstance(each.fact, LinkWasAnswered)]


def carried(links: dict[str, str]) -> tuple[Linked, MemoryLink, int]:
    """A baccarat table whose link carries a rejected mystery award, and how much that is."""
    table = Linked(HEAVENLY, links)
    filed = table.state.filed
    assert filed is not None
    link = link_for(table, "bank", filed.meters()["must-hit-by"].filing.initial_cents, 10**6)
    table.do(inputs.WagerAbsent, position=1, wager="heavenly9")
    table.do(inputs.TableOpened, by=DEALER)
    locked(table, 1, wager="heavenly9")
    settle(table, link)
    (award,) = table.state.pending()
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award.id, reason="no base wager")
    settle(table, link)
    assert link.meters["must-hit-by"].carry == award.amount_cents * UNIT
    return table, link, award.amount_cents


BOTH = {"heavenly9": "bank", "must-hit-by": "bank"}


@pytest.mark.parametrize("delta", [1, 12_345, LEAST - SEED])
def test_a_linked_meter_is_adjusted_when_its_link_says_so(delta: int) -> None:
    table, link = seated()
    asked(table, "harmony", delta, SEED)
    assert "adjustments" not in table.state.accounts  # nothing moves before it is known whether it may
    (answer,) = settle(table, link, times=3)
    assert (answer.refusal, answer.delta_cents, answer.by, answer.second) == ("", delta, "s1", "s2")
    assert link.meters["harmony"].display_cents == table.state.linked["harmony"] == SEED + delta
    assert table.state.accounts["adjustments"] == link.accounts["adjustments"] == -delta * UNIT
    assert table.state.accounts["link:bank"] == delta * UNIT


def test_the_amount_is_compared_where_it_moves() -> None:
    table, link = seated()
    locked(table, 1)
    asked(table, "harmony", 100, SEED)  # the wager is not there yet when they look, and is when it is decided
    _, answer = settle(table, link)
    assert (answer.refusal, answer.why) == ("stale", "harmony shows $25,000.95 now, not $25,000")
    assert link.meters["harmony"].display_cents == SEED + 95
    assert "adjustments" not in table.state.accounts


@pytest.mark.parametrize(
    ("why", "parts"),
    [
        ("of no known kind", {"refusal": "moody"}),
        ("with an essay", {"refusal": "stale", "why": "x" * (MOST_TEXT + 1)}),
        ("with a jackpot", {"left_cents": 1}),
        ("with winners", {"hits": (inputs.LinkHit(1, 5),)}),
    ],
)
def test_an_answer_that_is_none_to_an_adjustment_is_refused(why: str, parts: dict[str, object]) -> None:
    table, link = seated()
    asked(table, "harmony", 100, SEED)
    (intent,) = table.state.intents
    refused = table.try_(inputs.LinkAnswered, **{"intent": intent, "display_cents": SEED, **parts})
    assert isinstance(refused, Refused), why
    assert refused.refusal is Refusal.BAD_REQUEST
    table.do(inputs.LinkAnswered, intent=intent, display_cents=SEED, refusal="stale", why="x" * MOST_TEXT)
    assert "adjustments" not in table.state.accounts
    totals(link)


def test_only_an_adjustment_is_refused_by_a_link() -> None:
    table, _ = seated()
    locked(table, 1)
    (intent,) = table.state.intents
    refused = table.try_(inputs.LinkAnswered, intent=intent, display_cents=SEED, refusal="stale", why="no")
    assert isinstance(refused, Refused)
    assert refused.refusal is Refusal.BAD_REQUEST


def test_what_was_refused_once_is_not_done_when_it_is_asked_again() -> None:
    table, link = seated()
    asked(table, "harmony", 100, SEED - 1)
    (intent,) = table.asked
    first = link.apply(intent, "2026-11-18T01:02:03.000004Z")
    asked(table, "harmony", -1, SEED)
    table.asked.pop(0)
    link.apply(table.asked.pop(), "2026-11-18T01:02:03.000004Z")  # now it shows what the first one expected
    assert link.apply(intent, "2026-11-18T01:02:03.000004Z") == first
    assert link.meters["harmony"].display_cents == SEED - 1


def test_a_linked_meter_never_falls_below_its_reset_amount() -> None:
    table, link = seated()
    asked(table, "harmony", LEAST - SEED - 1, SEED)
    (answer,) = settle(table, link)
    assert answer.refusal == "bad-request"
    assert "below its reset amount of $5,000" in answer.why
    asked(table, "harmony", LEAST - SEED, SEED)
    (answer,) = settle(table, link)
    assert (answer.refusal, link.meters["harmony"].display_cents) == ("", LEAST)


def test_without_a_filed_least_a_linked_harmony_falls_to_zero_and_no_further() -> None:
    toml = "\n".join(line for line in MINI.splitlines() if not line.startswith("minimum_reseed"))
    table, link = seated(toml)
    for delta, shown in ((-SEED - 1, SEED), (-SEED, 0)):
        asked(table, "harmony", delta, SEED)
        settle(table, link)
        assert link.meters["harmony"].display_cents == shown


def test_no_more_is_put_on_a_meter_than_a_submission_may_file() -> None:
    table, link = seated()
    refused = adjust(table, "harmony", MOST_CENTS + 1, SEED)
    assert isinstance(refused, Refused)
    assert refused.refusal is Refusal.BAD_REQUEST
    asked(table, "harmony", MOST_CENTS - SEED + 1, SEED)
    asked(table, "harmony", MOST_CENTS - SEED, SEED)
    assert [answer.refusal for answer in settle(table, link)] == ["bad-request", ""]
    assert link.meters["harmony"].display_cents == MOST_CENTS


@pytest.mark.parametrize(
    ("meter", "parts", "refusal"),
    [
        ("harmony", {"second": None}, Refusal.SECOND_PERSON),
        ("harmony", {"by": FLOOR, "second": FLOOR2}, Refusal.NOT_ALLOWED),
        ("harmony", {"reason": " "}, Refusal.BAD_REQUEST),
        ("harmony", {"delta": 0}, Refusal.BAD_REQUEST),
        ("harmony", {"source": "carry:harmony"}, Refusal.UNKNOWN),
        ("heavenly9", {}, Refusal.UNKNOWN),
    ],
)
def test_what_the_table_itself_can_refuse_is_never_asked(
    meter: str, parts: dict[str, object], refusal: Refusal
) -> None:
    table, _ = seated()
    given = dict(parts)
    refused = adjust(table, meter, int(str(given.pop("delta", 100))), SEED, **given)
    assert isinstance(refused, Refused)
    assert refused.refusal is refusal
    assert table.asked == []


def test_a_linked_mystery_is_not_adjusted() -> None:
    table, _, cents = carried(BOTH)
    for parts in ({}, {"source": CARRY}):
        refused = adjust(table, "must-hit-by", cents, 0, **parts)
        assert isinstance(refused, Refused)
        assert refused.refusal is Refusal.BAD_REQUEST


def test_a_link_that_is_lost_is_not_asked_and_one_lost_later_answers_later() -> None:
    table, link = seated()
    asked(table, "harmony", 100, SEED)
    table.do(inputs.DeviceLost, device="link:bank", device_kind="link", wagers=("harmony",))
    refused = adjust(table, "harmony", 100, SEED)
    assert isinstance(refused, Refused)
    assert (refused.refusal, refused.why) == (
        Refusal.FAULTED,
        "the link bank is lost: ask again when it is back",
    )
    table.do(inputs.DeviceRestored, device="link:bank", device_kind="link", wagers=("harmony",))
    (answer,) = settle(table, link)
    assert (answer.refusal, link.meters["harmony"].display_cents) == ("", SEED + 100)


def test_what_a_link_carries_goes_into_a_linked_meter_of_it() -> None:
    table, link, cents = carried(BOTH)
    shown = link.meters["heavenly9"].display_cents
    asked(table, "heavenly9", cents, shown, source=CARRY)
    out, into = settle(table, link, times=2)
    assert [(each.meter, each.delta_cents, each.refusal) for each in (out, into)] == [
        ("must-hit-by", -cents, ""),
        ("heavenly9", cents, ""),
    ]
    assert (link.meters["must-hit-by"].carry, link.meters["heavenly9"].display_cents) == (0, shown + cents)
    assert "adjustments" not in table.state.accounts
    assert "adjustments" not in link.accounts


def test_what_a_linked_meter_does_not_take_is_carried_again() -> None:
    table, link, cents = carried(BOTH)
    shown = link.meters["heavenly9"].display_cents
    asked(table, "heavenly9", cents, shown + 1, source=CARRY)
    out, into, back = settle(table, link, times=2)
    assert (out.refusal, into.refusal, back.refusal) == ("", "stale", "")
    assert (back.meter, back.delta_cents) == ("must-hit-by", cents)
    assert (link.meters["must-hit-by"].carry, link.meters["heavenly9"].display_cents) == (cents * UNIT, shown)
    assert "adjustments" not in table.state.accounts


def test_what_a_link_carries_goes_into_a_meter_of_the_table_in_one_fact() -> None:
    table, link, cents = carried({"must-hit-by": "bank"})
    shown = table.state.meters["heavenly9"].display_cents
    stale = adjust(table, "heavenly9", cents, shown + 1, source=CARRY)
    assert isinstance(stale, Refused)
    assert stale.refusal is Refusal.STALE  # a meter of its own the table can judge
    asked(table, "heavenly9", cents, shown, source=CARRY)
    assert table.state.meters["heavenly9"].display_cents == shown
    (answer,) = settle(table, link, times=2)
    assert table.state.meters["heavenly9"].display_cents == shown + cents
    assert link.meters["must-hit-by"].carry == 0
    assert answer.delta_cents == -cents
    assert "adjustments" not in table.state.accounts


@pytest.mark.parametrize("delta", [0, 1])
def test_no_more_is_moved_than_the_link_carries(delta: int) -> None:
    table, link, cents = carried(BOTH)
    asked(table, "heavenly9", cents + delta, link.meters["heavenly9"].display_cents, source=CARRY)
    answers = settle(table, link)
    assert [each.refusal for each in answers] == (["bad-request"] if delta else ["", ""])
    assert link.meters["must-hit-by"].carry == (cents * UNIT if delta else 0)


def test_money_is_moved_out_of_a_carry_and_never_into_it() -> None:
    table, link, _ = carried(BOTH)
    refused = adjust(table, "heavenly9", -1, link.meters["heavenly9"].display_cents, source=CARRY)
    assert isinstance(refused, Refused)
    assert refused.refusal is Refusal.BAD_REQUEST


def test_of_two_tables_that_want_the_same_carry_one_gets_it() -> None:
    table, link, cents = carried(BOTH)
    other = Linked(HEAVENLY.replace('"bac-01"', '"bac-02"'), BOTH)
    shown = link.meters["heavenly9"].display_cents
    for each in (table, other):
        asked(each, "heavenly9", cents, shown, source=CARRY)
    assert [each.refusal for each in settle(other, link)] == ["", ""]
    assert [each.refusal for each in settle(table, link)] == ["bad-request"]
    assert link.meters["heavenly9"].display_cents == shown + cents


@pytest.mark.parametrize("off", [0, 1])
def test_what_the_table_carries_itself_goes_into_a_linked_meter_or_back(off: int) -> None:
    table = Linked(HEAVENLY, {"heavenly9": "bank"}, Rigged(must_hit_by=[250_00, 499_99]))
    link = link_for(table, "bank")
    table.do(inputs.WagerAbsent, position=1, wager="heavenly9")
    table.do(inputs.TableOpened, by=DEALER)
    locked(table, 1, wager="heavenly9")
    (award,) = table.state.pending()
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award.id, reason="no base wager")
    settle(table, link)
    before, cents = table.state.meters["must-hit-by"], award.amount_cents
    shown = link.meters["heavenly9"].display_cents
    asked(table, "heavenly9", cents, shown + off, source=CARRY)
    assert table.state.meters["must-hit-by"].carry == 0  # nobody else takes it meanwhile
    (answer,) = settle(table, link)
    assert answer.refusal == ("stale" if off else "")
    assert table.state.meters["must-hit-by"].carry == (before.carry if off else 0)
    assert table.state.meters["must-hit-by"].units == before.units
    assert link.meters["heavenly9"].display_cents == shown + (0 if off else cents)
    assert "adjustments" not in table.state.accounts
    words = [change.why for each in table.facts for change in changes(each.fact, CARRY)]  # as a day's report has them
    assert words == ["award rejected", "adjusted into a meter", *(["not taken by a link"] if off else [])]


@pytest.mark.parametrize("lost", [False, True])
def test_a_meter_whose_carry_is_on_its_way_leaves_only_a_link_that_is_lost(lost: bool) -> None:
    table, link, cents = carried(BOTH)
    asked(table, "heavenly9", cents, link.meters["heavenly9"].display_cents + 1, source=CARRY)
    table.answer(link)  # out of the carry; into the meter is asked next, and will be refused
    table.do(inputs.Button)
    table.do(inputs.TableClosed, by=FLOOR)
    if lost:
        table.do(inputs.DeviceLost, device="link:bank", device_kind="link", wagers=("heavenly9",))
    without = HEAVENLY.replace('must_hit_by = { paytable = "D", configuration = 5 }\n', "")
    people = {"by": SUPERVISOR, "second": SUPERVISOR2, "key": "console/leave"}
    change = {"toml": without, "day": "2026-11-16", "reason": "no more", "links": BOTH}
    found = table.try_(inputs.SubmissionChanged, **change, **people)
    if not lost:
        assert isinstance(found, Refused)
        assert (found.refusal, "has not answered everything yet" in found.why) == (Refusal.STALE, True)
    settle(table, link)
    carry = link.meters["must-hit-by"].carry
    assert (carry, table.state.accounts.get("adjustments", 0)) == ((0, units(cents)) if lost else (units(cents), 0))
    check(table.state)
