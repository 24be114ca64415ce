"""Who may do what, alone or with a second person; which of several refusals is given; and the same key again."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from controller.core import facts, inputs
from controller.core.decision import Decision
from controller.core.inputs import Input, Person
from controller.core.refusals import Refusal, Refused
from controller.core.state import State
from controller.core.times import stamp
from tests.core.play import DEALER, FLOOR, FLOOR2, MINI, SUPERVISOR, SUPERVISOR2, Table

DEALER2 = Person("d2", "dealer")
AUDITOR, AUDITOR2 = Person("a1", "auditor"), Person("a2", "auditor")
STRANGER = Person("x1", "cook")
RANKS = ("dealer", "floorperson", "supervisor")
PEOPLE: dict[str, Person | None] = {
    "dealer": DEALER,
    "floorperson": FLOOR,
    "supervisor": SUPERVISOR,
    "auditor": AUDITOR,
    "cook": STRANGER,
    "nobody": None,
}
SECONDS = {"dealer": DEALER2, "floorperson": FLOOR2, "supervisor": SUPERVISOR2, "auditor": AUDITOR2}

NATURAL = {"player": ("2S", "6S"), "banker": ("2H", "5D")}
STANDING = {"player": ("2S", "4S"), "banker": ("2H", "5D")}
FOUR = {"player": ("2S", "3S"), "banker": ("2H", "4D")}
MAJOR = {"player": ("2S", "3H"), "banker": ("KS", "9S")}
MEGA = {"player": ("KS", "9S"), "banker": ("KS", "9S")}
IMPOSSIBLE = {"player": ("2S", "6S", "3D"), "banker": ("2H", "5D")}

Parts = dict[str, object]


def opened() -> Table:
    """An open round with a wager at position 1 and a coin to return at position 2."""
    table = Table()
    table.do(inputs.WagerAbsent, position=1, wager="royal9")
    table.do(inputs.TableOpened, by=DEALER)
    table.do(inputs.WagerPresent, position=1, wager="royal9")
    table.do(inputs.WagerDropped, position=2, wager="royal9", cents=100)
    return table


def locked() -> Table:
    table = opened()
    table.do(inputs.Button)
    return table


def dealt() -> Table:
    table = locked()
    table.do(inputs.FourCards, **FOUR)
    return table


def closed() -> Table:
    table = opened()
    table.do(inputs.TableClosed, by=DEALER)
    return table


def faulted() -> Table:
    table = opened()
    table.do(inputs.DeviceLost, device="button", device_kind="button")
    return table


def major() -> Table:
    """An award of $450.20, which takes one person."""
    table = locked()
    table.do(inputs.FourCards, **MAJOR)
    return table


def paid() -> Table:
    """The same, validated."""
    table = major()
    table.do(inputs.AwardValidated, award=award(table), method="slip", base_wager=True, by=FLOOR)
    return table


def mega() -> Table:
    """An award of $55,000.50, which takes two."""
    table = locked()
    table.do(inputs.FourCards, **MEGA)
    return table


def entered(rounds: int) -> Table:
    """An open round after some that were entered."""
    table = locked()
    for _ in range(rounds - 1):
        table.do(inputs.HandComplete, **NATURAL)
        table.do(inputs.Button)
        table.do(inputs.Button)
    table.do(inputs.HandComplete, **NATURAL)
    table.do(inputs.Button)
    return table


def not_entered(rounds: int) -> Table:
    """An open round after some that were not."""
    table = locked()
    for _ in range(2 * rounds - 1):
        table.do(inputs.Button)
    return table


def award(table: Table) -> str:
    (only,) = table.state.awards
    return only


def adjusting(table: Table) -> Parts:
    return {
        "meter": "royal9-major",
        "delta_cents": 100,
        "expected_cents": table.state.meters["royal9-major"].display_cents,
        "reason": "r",
    }


def wager_1(_: Table) -> Parts:
    return {"round": 1, "position": 1, "wager": "royal9", "reason": "r"}


def two_supervisors() -> Table:
    table = opened()
    table.do(inputs.OperatorChanged, operator="ana", name="Ana Ruiz", role="supervisor")
    table.do(inputs.OperatorChanged, operator="bo", name="Bo Lind", role="supervisor", by=SUPERVISOR)
    return table


class Case(NamedTuple):
    """A command with everything right but, perhaps, the people."""

    name: str
    table: Callable[[], Table]
    kind: type[Input]
    parts: Callable[[Table], Parts]
    role: str  # the least that may
    two: bool = False


CASES = [
    Case("four cards", locked, inputs.FourCards, lambda _: {"source": "console", **FOUR}, "dealer"),
    Case("whole hand", locked, inputs.HandComplete, lambda _: {"source": "console", **NATURAL}, "dealer"),
    Case("third cards", dealt, inputs.FourCards, lambda _: {"source": "console", **FOUR}, "dealer"),
    Case("correction in play", dealt, inputs.HandCorrected, lambda _: {"round": 1, **NATURAL}, "dealer"),
    Case("simulated round", opened, inputs.SimulatedRound, lambda _: {}, "dealer"),
    Case("opening", closed, inputs.TableOpened, lambda _: {}, "dealer"),
    Case("closing", opened, inputs.TableClosed, lambda _: {}, "dealer"),
    Case("return", opened, inputs.ReturnConfirmed, lambda t: {"return_id": next(iter(t.state.returns))}, "dealer"),
    Case("wager out while open", opened, inputs.WagerVoided, wager_1, "dealer"),
    Case("late hand", lambda: not_entered(2), inputs.LateHand, lambda _: {"round": 1, **NATURAL}, "floorperson"),
    Case(
        "late correction", lambda: entered(2), inputs.HandCorrected, lambda _: {"round": 1, **STANDING}, "floorperson"
    ),
    Case(
        "validation",
        major,
        inputs.AwardValidated,
        lambda t: {"award": award(t), "method": "slip", "base_wager": True},
        "floorperson",
    ),
    Case("slip", paid, inputs.SlipPrinted, lambda t: {"award": award(t)}, "floorperson"),
    Case("void", locked, inputs.RoundVoided, lambda _: {"round": 1, "reason": "r"}, "floorperson"),
    Case(
        "service", opened, inputs.PositionService, lambda _: {"position": 4, "on": False, "reason": "r"}, "floorperson"
    ),
    Case(
        "large validation",
        mega,
        inputs.AwardValidated,
        lambda t: {"award": award(t), "method": "slip", "base_wager": True},
        "floorperson",
        two=True,
    ),
    Case(
        "rejection", major, inputs.AwardRejected, lambda t: {"award": award(t), "reason": "r"}, "floorperson", two=True
    ),
    Case("wager out after lock-out", locked, inputs.WagerVoided, wager_1, "floorperson", two=True),
    Case(
        "old hand",
        lambda: not_entered(6),
        inputs.LateHand,
        lambda _: {"round": 1, "reference": "c", **NATURAL},
        "supervisor",
        two=True,
    ),
    Case(
        "old correction",
        lambda: entered(6),
        inputs.HandCorrected,
        lambda _: {"round": 1, "reference": "c", **STANDING},
        "supervisor",
        two=True,
    ),
    Case(
        "operator",
        opened,
        inputs.OperatorChanged,
        lambda _: {"operator": "ana", "name": "Ana Ruiz", "role": "dealer"},
        "supervisor",
    ),
    Case(
        "operator who counts",
        two_supervisors,
        inputs.OperatorChanged,
        lambda _: {"operator": "flo", "name": "Flo Berg", "role": "floorperson"},
        "supervisor",
        two=True,
    ),
    Case("adjustment", opened, inputs.MeterAdjusted, adjusting, "supervisor", two=True),
    Case(
        "submission",
        closed,
        inputs.SubmissionChanged,
        lambda _: {"toml": MINI, "day": "2026-11-16", "reason": "r"},
        "supervisor",
        two=True,
    ),
]
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
EACH_OF_TWO = pytest.mark.parametrize(
    "case", [case for case in CASES if case.two], ids=lambda case: case.name.replace(" ", "-")
)
EACH_ALONE = pytest.mark.parametrize(
    "case",
    [case for case in CASES if not case.two and "second" in case.kind.__struct_fields__],
    ids=lambda case: case.name.replace(" ", "-"),
)


def may(role: str, least: str) -> bool:
    return role in RANKS and RANKS.index(role) >= RANKS.index(least)


def parts_of(case: Case, table: Table, by: Person | None, second: Person | None = None) -> Parts:
    parts = {**case.parts(table), "by": by}
    return parts if "second" not in case.kind.__struct_fields__ else {**parts, "second": second}


def unchanged(state: State, before: State) -> bool:
    """Whether nothing but the record of the question is new."""
    return (state.phase, state.rounds, state.standing, state.meters, state.accounts, state.returns, state.toml) == (
        before.phase,
        before.rounds,
        before.standing,
        before.meters,
        before.accounts,
        before.returns,
        before.toml,
    ) and (state.out_of_service, state.awards, state.slip, state.operators) == (
        before.out_of_service,
        before.awards,
        before.slip,
        before.operators,
    )


def refused(answer: Decision | Refused, why: Refusal) -> Refused:
    assert isinstance(answer, Refused), answer
    assert answer.refusal is why, answer
    assert answer.why
    return answer


# ------------------------------------------------------------------------------------------------------- roles


@EACH
@pytest.mark.parametrize("role", PEOPLE)
def test_each_command_is_open_to_its_role_and_those_above_and_to_nobody_else(case: Case, role: str) -> None:
    table = case.table()
    before = table.state
    second = SECONDS.get(case.role) if case.two else None
    if case.two and may(role, case.role):
        second = SECONDS[role]
    answer = table.try_(case.kind, **parts_of(case, table, PEOPLE[role], second))
    if may(role, case.role):
        assert isinstance(answer, Decision), answer
        assert answer.fact is not None
        assert answer.fact.by == getattr(PEOPLE[role], "id", None)
        assert answer.fact.second == (second.id if second else "")
    else:
        refused(answer, Refusal.NOT_ALLOWED)
        assert unchanged(table.state, before)


@EACH_OF_TWO
@pytest.mark.parametrize("second", ["nobody", "same", "same-id", "lower", "auditor", "cook"])
def test_what_takes_two_takes_two_different_people_who_both_hold_the_role(case: Case, second: str) -> None:
    table = case.table()
    before = table.state
    by = PEOPLE[case.role]
    assert by is not None
    other = {
        "nobody": None,
        "same": by,
        "same-id": Person(by.id, "supervisor"),
        "lower": SECONDS[RANKS[RANKS.index(case.role) - 1]],
        "auditor": AUDITOR,
        "cook": STRANGER,
    }[second]
    refused(table.try_(case.kind, **parts_of(case, table, by, other)), Refusal.SECOND_PERSON)
    assert unchanged(table.state, before)


@EACH_OF_TWO
def test_the_second_person_may_hold_a_higher_role(case: Case) -> None:
    table = case.table()
    answer = table.try_(case.kind, **parts_of(case, table, PEOPLE[case.role], SUPERVISOR2))
    assert isinstance(answer, Decision), answer


@EACH_OF_TWO
def test_a_second_person_does_not_make_up_for_a_first_of_too_low_a_role(case: Case) -> None:
    table = case.table()
    lower = SECONDS[RANKS[RANKS.index(case.role) - 1]]
    refused(table.try_(case.kind, **parts_of(case, table, lower, SUPERVISOR2)), Refusal.NOT_ALLOWED)


@EACH_ALONE
def test_what_takes_one_is_refused_to_a_lower_role_even_with_a_second(case: Case) -> None:
    table = case.table()
    lower = AUDITOR if case.role == "dealer" else DEALER
    refused(table.try_(case.kind, **parts_of(case, table, lower, SUPERVISOR2)), Refusal.NOT_ALLOWED)


@pytest.mark.parametrize("amount", ["450.20", "450.21"])
def test_second_person_from_is_the_first_amount_that_takes_two(amount: str) -> None:
    toml = MINI.replace('second_person_from = "10000.00"', f'second_person_from = "{amount}"').replace(
        'validate_from = "1000.00"', 'validate_from = "100.00"'
    )
    table = Table(toml)
    table.do(inputs.WagerAbsent, position=1, wager="royal9")
    table.do(inputs.TableOpened, by=DEALER)
    table.do(inputs.WagerPresent, position=1, wager="royal9")
    table.do(inputs.Button)
    table.do(inputs.FourCards, **MAJOR)  # $450.20
    given = {"award": award(table), "method": "slip", "base_wager": True, "by": FLOOR}
    answer = table.try_(inputs.AwardValidated, **given)
    if amount == "450.20":
        refused(answer, Refusal.SECOND_PERSON)
        answer = table.try_(inputs.AwardValidated, second=FLOOR2, **given)
    assert isinstance(answer, Decision)


def test_the_first_submission_needs_nobody() -> None:
    assert Table().facts[0].fact.by == ""


def test_the_shoe_needs_nobody() -> None:
    table = locked()
    table.do(inputs.FourCards, **FOUR)
    assert table.facts[-1].fact.by == ""


# -------------------------------------------------------------------------------------------------- precedence

FIRST_OF_TWO: dict[str, tuple[Refusal, Callable[[], Table], type[Input], Callable[[Table], Parts]]] = {
    "no reason, by a dealer": (
        Refusal.BAD_REQUEST,
        locked,
        inputs.RoundVoided,
        lambda _: {"by": DEALER, "round": 1, "reason": ""},
    ),
    "no reason, by a dealer alone": (
        Refusal.BAD_REQUEST,
        major,
        inputs.AwardRejected,
        lambda t: {"by": DEALER, "award": award(t), "reason": ""},
    ),
    "no reason, without a second": (
        Refusal.BAD_REQUEST,
        opened,
        inputs.MeterAdjusted,
        lambda t: {**adjusting(t), "by": SUPERVISOR, "reason": ""},
    ),
    "no reason, an unknown position": (
        Refusal.BAD_REQUEST,
        opened,
        inputs.PositionService,
        lambda _: {"by": FLOOR, "position": 99, "on": False, "reason": ""},
    ),
    "the wrong phase, no reason": (
        Refusal.WRONG_PHASE,
        opened,
        inputs.RoundVoided,
        lambda _: {"by": FLOOR, "round": 1, "reason": ""},
    ),
    "no reason for taking out, by an auditor": (
        Refusal.BAD_REQUEST,
        opened,
        inputs.WagerVoided,
        lambda t: {**wager_1(t), "by": AUDITOR, "reason": ""},
    ),
    "no reason for a filing, by a dealer": (
        Refusal.BAD_REQUEST,
        closed,
        inputs.SubmissionChanged,
        lambda _: {"by": DEALER, "toml": MINI, "day": "2026-11-16", "reason": ""},
    ),
    "an unlawful filing, by a dealer": (
        Refusal.BAD_REQUEST,
        closed,
        inputs.SubmissionChanged,
        lambda _: {"by": DEALER, "toml": "", "day": "2026-11-16", "reason": "r"},
    ),
    "a method that is none, by a dealer": (
        Refusal.BAD_REQUEST,
        major,
        inputs.AwardValidated,
        lambda t: {"by": DEALER, "award": award(t), "method": "cheque", "base_wager": True},
    ),
    "no base wager, by a dealer": (
        Refusal.BAD_REQUEST,
        major,
        inputs.AwardValidated,
        lambda t: {"by": DEALER, "award": award(t), "method": "slip", "base_wager": False},
    ),
    "a dealer alone": (
        Refusal.NOT_ALLOWED,
        major,
        inputs.AwardRejected,
        lambda t: {"by": DEALER, "award": award(t), "reason": "r"},
    ),
    "a dealer, an unknown award": (
        Refusal.NOT_ALLOWED,
        major,
        inputs.AwardValidated,
        lambda _: {"by": DEALER, "award": "none", "method": "slip", "base_wager": True},
    ),
    "the wrong phase, by a dealer": (
        Refusal.WRONG_PHASE,
        opened,
        inputs.RoundVoided,
        lambda _: {"by": DEALER, "round": 1, "reason": "r"},
    ),
    "the wrong phase, by an auditor": (Refusal.WRONG_PHASE, opened, inputs.TableOpened, lambda _: {"by": AUDITOR}),
    "a fault, by an auditor": (Refusal.FAULTED, faulted, inputs.TableClosed, lambda _: {"by": AUDITOR}),
    "an auditor, an unknown return": (
        Refusal.NOT_ALLOWED,
        opened,
        inputs.ReturnConfirmed,
        lambda _: {"by": AUDITOR, "return_id": "none"},
    ),
    "the wrong phase, by nobody": (
        Refusal.WRONG_PHASE,
        opened,
        inputs.FourCards,
        lambda _: {"by": None, "source": "console", **FOUR},
    ),
    "an auditor, a bad hand": (
        Refusal.NOT_ALLOWED,
        locked,
        inputs.FourCards,
        lambda _: {"by": AUDITOR, "source": "console", **IMPOSSIBLE},
    ),
    "one supervisor, an unknown meter": (
        Refusal.SECOND_PERSON,
        opened,
        inputs.MeterAdjusted,
        lambda t: {**adjusting(t), "by": SUPERVISOR, "meter": "none"},
    ),
    "one supervisor, a stale amount": (
        Refusal.SECOND_PERSON,
        opened,
        inputs.MeterAdjusted,
        lambda t: {**adjusting(t), "by": SUPERVISOR, "expected_cents": 1},
    ),
    "one floorperson, an unknown award": (
        Refusal.SECOND_PERSON,
        major,
        inputs.AwardRejected,
        lambda _: {"by": FLOOR, "award": "none", "reason": "r"},
    ),
    "one floorperson, an unknown wager": (
        Refusal.SECOND_PERSON,
        locked,
        inputs.WagerVoided,
        lambda t: {**wager_1(t), "by": FLOOR, "position": 7},
    ),
    "the wrong phase, an unknown round": (
        Refusal.WRONG_PHASE,
        opened,
        inputs.RoundVoided,
        lambda _: {"by": FLOOR, "round": 99, "reason": "r"},
    ),
    "an unknown round, a bad hand": (
        Refusal.UNKNOWN,
        locked,
        inputs.LateHand,
        lambda _: {"by": SUPERVISOR, "second": SUPERVISOR2, "reference": "c", "round": 99, **IMPOSSIBLE},
    ),
    "an unknown meter, a stale amount": (
        Refusal.UNKNOWN,
        opened,
        inputs.MeterAdjusted,
        lambda t: {**adjusting(t), "by": SUPERVISOR, "second": SUPERVISOR2, "meter": "none", "expected_cents": 1},
    ),
    "the wrong phase, a bad hand": (
        Refusal.WRONG_PHASE,
        opened,
        inputs.FourCards,
        lambda _: {"by": DEALER, "source": "console", **IMPOSSIBLE},
    ),
    "the round in play entered late, a bad hand": (
        Refusal.WRONG_PHASE,
        locked,
        inputs.LateHand,
        lambda _: {"by": FLOOR, "round": 1, **IMPOSSIBLE},
    ),
}


@pytest.mark.parametrize("name", FIRST_OF_TWO)
def test_where_several_refusals_hold_the_first_of_the_list_is_given(name: str) -> None:
    why, prepare, kind, parts = FIRST_OF_TWO[name]
    table = prepare()
    before = table.state
    refused(table.try_(kind, **parts(table)), why)
    assert unchanged(table.state, before)


def test_a_bad_hand_is_refused_as_such_before_a_validated_award() -> None:
    table = major()
    table.do(inputs.AwardValidated, by=FLOOR, award=award(table), method="slip", base_wager=True)
    refused(table.try_(inputs.HandCorrected, by=DEALER, round=1, **IMPOSSIBLE), Refusal.BAD_HAND)
    refused(table.try_(inputs.HandCorrected, by=DEALER, round=1, **NATURAL), Refusal.VALIDATED)


def test_a_bad_hand_is_refused_as_such_before_it_is_too_late() -> None:
    table = not_entered(5)
    table.do(inputs.ReadingsDue, day="2026-11-17")
    table.do(inputs.ReadingsDue, day="2026-11-18")
    two = {"by": SUPERVISOR, "second": SUPERVISOR2, "reference": "c", "round": 1}
    refused(table.try_(inputs.LateHand, **two, **NATURAL), Refusal.TOO_LATE)
    refused(table.try_(inputs.LateHand, **two, **IMPOSSIBLE), Refusal.BAD_HAND)


def test_the_refusals_are_those_of_the_contract() -> None:
    assert {each.value for each in Refusal} == {
        "bad-request",
        "not-allowed",
        "second-person",
        "unknown",
        "wrong-phase",
        "bad-hand",
        "too-late",
        "validated",
        "stale",
        "faulted",
    }


# --------------------------------------------------------------------------------------------- reasons in words

REASONED = [case for case in CASES if "reason" in case.kind.__struct_fields__]


@pytest.mark.parametrize("case", REASONED, ids=lambda case: case.name.replace(" ", "-"))
@pytest.mark.parametrize(
    ("reason", "taken"),
    [("", False), ("   ", False), ("\n\t", False), ("r", True), ("é" * 500, True), ("é" * 501, False)],
    ids=["none", "blanks", "blank lines", "one letter", "500", "501"],
)
def test_a_reason_is_needed_in_at_most_500_characters(*, case: Case, reason: str, taken: bool) -> None:
    table = case.table()
    before = table.state
    second = SECONDS[case.role] if case.two else None
    parts = {**parts_of(case, table, PEOPLE[case.role], second), "reason": reason}
    answer = table.try_(case.kind, **parts)
    if taken:
        assert isinstance(answer, Decision), answer
    else:
        refused(answer, Refusal.BAD_REQUEST)
        assert unchanged(table.state, before)


@pytest.mark.parametrize("kind", [inputs.LateHand, inputs.HandCorrected])
@pytest.mark.parametrize(("length", "taken"), [(500, True), (501, False)])
def test_a_reference_has_at_most_500_characters(*, kind: type[Input], length: int, taken: bool) -> None:
    table = not_entered(6) if kind is inputs.LateHand else entered(6)
    two = {"by": SUPERVISOR, "second": SUPERVISOR2, "reference": "c" * length, "round": 1}
    answer = table.try_(kind, **two, **STANDING)
    if taken:
        assert isinstance(answer, Decision), answer
    else:
        refused(answer, Refusal.BAD_REQUEST)


@pytest.mark.parametrize("kind", [inputs.LateHand, inputs.HandCorrected])
def test_a_reference_that_is_not_needed_has_at_most_500_characters_too(kind: type[Input]) -> None:
    table = not_entered(2) if kind is inputs.LateHand else entered(2)
    answer = table.try_(kind, by=FLOOR, round=1, reference="c" * 501, **STANDING)
    refused(answer, Refusal.BAD_REQUEST)


# -------------------------------------------------------------------------------------------- the same key again

DROP = Case("coin", opened, inputs.WagerDropped, lambda _: {"position": 4, "wager": "royal9", "cents": 500}, "nobody")
KEYED = [*CASES, DROP]
EACH_KEYED = pytest.mark.parametrize("case", KEYED, ids=lambda case: case.name.replace(" ", "-"))


def make(case: Case, table: Table, **other: object) -> Input:
    """The command of a case, with the people it takes."""
    parts: Parts = dict(case.parts(table))
    if case is not DROP:
        parts = parts_of(case, table, PEOPLE[case.role], SECONDS[case.role] if case.two else None)
    return table.make(case.kind, key="once", **{**parts, **other})


def again(table: Table, input_: Input, **other: object) -> Decision | Refused:
    """The same input an hour later, perhaps with something else about it."""
    table.now += 3600 * 1_000_000
    parts = {name: getattr(input_, name) for name in input_.__struct_fields__}
    return table.give(type(input_)(**{**parts, "at": stamp(table.now), **other}))


@EACH_KEYED
def test_the_same_key_with_the_same_content_is_answered_as_before_and_changes_nothing(case: Case) -> None:
    table = case.table()
    input_ = make(case, table)
    first = table.give(input_)
    assert isinstance(first, Decision), first
    assert first.fact is not None
    before, count = table.state, len(table.facts)
    for _ in range(3):
        answer = again(table, input_)
        assert isinstance(answer, Decision), answer
        assert answer.fact is None
        assert answer.effects == ()
        assert answer.repeated is not None
        assert (answer.repeated.seq, answer.repeated.refusal) == (before.seq, "")
        assert (table.state, len(table.facts)) == (before, count)


@EACH
def test_people_are_no_part_of_the_content_of_a_key(case: Case) -> None:
    table = case.table()
    input_ = make(case, table)
    table.give(input_)
    before = table.state
    other: Parts = {"by": AUDITOR}
    if "second" in case.kind.__struct_fields__:
        other["second"] = None
    answer = again(table, input_, **other)
    assert isinstance(answer, Decision), answer
    assert answer.repeated is not None
    assert table.state == before


@EACH
def test_a_refusal_is_repeated_too_although_it_would_be_allowed_by_now(case: Case) -> None:
    table = case.table()
    input_ = make(case, table, by=AUDITOR)
    first = refused(table.give(input_), Refusal.NOT_ALLOWED)
    recorded = table.facts[-1].fact
    assert isinstance(recorded, facts.InputRefused)
    assert (recorded.key, recorded.refusal, recorded.why) == ("once", "not-allowed", first.why)
    assert recorded.kind == input_.kind
    before, count = table.state, len(table.facts)
    answer = again(table, input_, by=PEOPLE[case.role], **({"second": SECONDS[case.role]} if case.two else {}))
    assert isinstance(answer, Decision)
    assert answer.repeated is not None
    assert (answer.repeated.refusal, answer.repeated.why) == ("not-allowed", first.why)
    assert (answer.fact, answer.effects) == (None, ())
    assert (table.state, len(table.facts)) == (before, count)


OTHERWISE: dict[type[Input], Parts] = {
    inputs.FourCards: {"banker": ("2H", "4C")},
    inputs.HandComplete: {"banker": ("2H", "5C")},
    inputs.HandCorrected: {"banker": ("2H", "5C")},
    inputs.LateHand: {"banker": ("2H", "5C")},
    inputs.ReturnConfirmed: {"return_id": "none"},
    inputs.WagerVoided: {"position": 2},
    inputs.AwardValidated: {"method": "inventory"},
    inputs.AwardRejected: {"reason": "another"},
    inputs.RoundVoided: {"reason": "another"},
    inputs.PositionService: {"on": True},
    inputs.MeterAdjusted: {"delta_cents": 101},
    inputs.SubmissionChanged: {"reason": "another"},
    inputs.WagerDropped: {"cents": 501},
}


@pytest.mark.parametrize(
    "case", [case for case in KEYED if case.kind in OTHERWISE], ids=lambda case: case.name.replace(" ", "-")
)
def test_a_key_with_other_content_is_refused_and_recorded_as_a_fault(case: Case) -> None:
    table = case.table()
    input_ = make(case, table)
    table.give(input_)
    before = table.state
    for _ in range(2):
        refused(again(table, input_, **OTHERWISE[case.kind]), Refusal.BAD_REQUEST)
        recorded = table.facts[-1].fact
        assert isinstance(recorded, facts.KeyReused)
        assert (recorded.reused, recorded.first, recorded.kind) == ("once", before.seq, input_.kind)
        assert unchanged(table.state, before)
    answer = again(table, input_)
    assert isinstance(answer, Decision)
    assert answer.repeated is not None
    assert answer.repeated.seq == before.seq


@EACH_KEYED
def test_a_key_of_another_input_is_refused_and_recorded_as_a_fault(case: Case) -> None:
    table = case.table()
    table.do(inputs.PositionService, by=FLOOR, position=9, on=False, reason="r", key="once")
    before = table.state
    refused(table.give(make(case, table)), Refusal.BAD_REQUEST)
    assert isinstance(table.facts[-1].fact, facts.KeyReused)
    assert unchanged(table.state, before)


def test_a_key_of_a_refused_input_is_not_free_for_another() -> None:
    table = opened()
    refused(table.try_(inputs.TableOpened, by=DEALER, key="once"), Refusal.WRONG_PHASE)
    refused(table.try_(inputs.TableClosed, by=DEALER, key="once"), Refusal.BAD_REQUEST)
    assert isinstance(table.facts[-1].fact, facts.KeyReused)


@pytest.mark.parametrize(("days", "kept"), [(0, True), (1, True), (2, False)])
def test_answers_are_kept_for_this_and_the_previous_gaming_day(*, days: int, kept: bool) -> None:
    table = opened()
    input_ = table.make(inputs.WagerDropped, key="coin", position=4, wager="royal9", cents=500)
    table.give(input_)
    for day in range(days):
        table.do(inputs.ReadingsDue, day=f"2026-11-{17 + day}")
    answer = again(table, input_)
    assert isinstance(answer, Decision)
    assert (answer.repeated is not None) is kept


def test_a_key_is_needed() -> None:
    refused(opened().try_(inputs.TableClosed, by=DEALER, key=""), Refusal.BAD_REQUEST)
