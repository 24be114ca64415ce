"""People as facts: who adds whom, what an operator is, and how wrong PINs are counted."""

import pytest
from msgspec.structs import replace

from controller.core import facts, inputs, operators
from controller.core.decision import Decision
from controller.core.evolve import evolve
from controller.core.facts import AccessWasNoted, OperatorWasChanged
from controller.core.inputs import ROLES, Person
from controller.core.operators import (
    LOCKED_MS,
    MOST_CLAIMED,
    MOST_DETAIL,
    MOST_ID,
    MOST_NAME,
    MOST_OPERATORS,
    MOST_STRANGERS,
    WRONG_PINS,
    locked_ms,
)
from controller.core.refusals import Refusal, Refused
from controller.core.state import Operator, State
from controller.core.times import stamp
from tests.core.play import DEALER, FLOOR, SUPERVISOR, SUPERVISOR2, Table

ANA = {"operator": "ana", "name": "Ana Ruiz", "role": "supervisor"}
BO = {"operator": "bo", "name": "Bo Lind", "role": "dealer"}


def refused(answer: Decision | Refused, why: Refusal) -> str:
    assert isinstance(answer, Refused), answer
    assert answer.refusal is why, answer
    return answer.why


def wrong(table: Table, operator: str = "ana", times: int = 1, what: str = "wrong-pin") -> AccessWasNoted:
    fact: facts.Fact | None = None
    for _ in range(times):
        fact = table.do(inputs.AccessNoted, what=what, operator=operator, client="console")
    assert isinstance(fact, AccessWasNoted)
    return fact


def left(table: Table, operator: str = "ana") -> int:
    return locked_ms(table.state, operator, stamp(table.now))


# ------------------------------------------------------------------------------------------------- operators


def test_nobody_adds_the_first_supervisor_and_nobody_else() -> None:
    table = Table()
    refused(table.try_(inputs.OperatorChanged, **BO), Refusal.NOT_ALLOWED)
    fact = table.do(inputs.OperatorChanged, **ANA)
    assert isinstance(fact, OperatorWasChanged)
    assert (fact.by, fact.second) == ("", "")
    assert table.state.operators == {"ana": Operator("Ana Ruiz", "supervisor", active=True)}
    refused(table.try_(inputs.OperatorChanged, **ANA | {"operator": "eve"}), Refusal.NOT_ALLOWED)
    refused(table.try_(inputs.OperatorChanged, **BO), Refusal.NOT_ALLOWED)
    refused(table.try_(inputs.OperatorChanged, **ANA, active=False), Refusal.NOT_ALLOWED)


@pytest.mark.parametrize("by", [DEALER, FLOOR, Person("x", "auditor")])
def test_nobody_but_a_supervisor_changes_operators(by: Person) -> None:
    refused(Table().try_(inputs.OperatorChanged, **BO, by=by), Refusal.NOT_ALLOWED)


def test_one_supervisor_suffices_and_a_second_who_signs_is_one_too() -> None:
    table = Table()
    table.do(inputs.OperatorChanged, **BO, by=SUPERVISOR)
    fact = table.do(inputs.OperatorChanged, **BO, by=SUPERVISOR, second=SUPERVISOR2)
    assert fact is not None
    assert (fact.by, fact.second) == ("s1", "s2")
    for second in (SUPERVISOR, FLOOR):
        refused(table.try_(inputs.OperatorChanged, **BO, by=SUPERVISOR, second=second), Refusal.SECOND_PERSON)


def test_a_change_takes_the_place_of_what_was() -> None:
    table = Table()
    table.do(inputs.OperatorChanged, **BO, by=SUPERVISOR)
    table.do(inputs.OperatorChanged, operator="bo", name="Bo Ek", role="floorperson", by=SUPERVISOR)
    assert table.state.operators == {"bo": Operator("Bo Ek", "floorperson", active=True)}
    table.do(inputs.OperatorChanged, operator="bo", name="Bo Ek", role="floorperson", active=False, by=SUPERVISOR)
    assert not table.state.operators["bo"].active


def test_who_is_not_there_is_not_disabled() -> None:
    refused(Table().try_(inputs.OperatorChanged, **BO, active=False, by=SUPERVISOR), Refusal.UNKNOWN)


@pytest.mark.parametrize("change", [{"active": False}, {"role": "floorperson"}])
def test_the_only_supervisor_stays_one(change: dict[str, object]) -> None:
    table = Table()
    table.do(inputs.OperatorChanged, **ANA)
    by = Person("ana", "supervisor")
    why = refused(table.try_(inputs.OperatorChanged, **ANA | change, by=by), Refusal.BAD_REQUEST)
    assert "only supervisor" in why
    table.do(inputs.OperatorChanged, **ANA | {"operator": "cy"}, by=by)
    table.do(inputs.OperatorChanged, **ANA | change, by=by, second=Person("cy", "supervisor"))
    assert operators.supervisors(table.state) == {"cy"}


@pytest.mark.parametrize("operator", ["a", "4", "ana.ruiz", "o-1_2", "x" * MOST_ID])
def test_an_id_is_small_letters_digits_and_three_signs(operator: str) -> None:
    Table().do(inputs.OperatorChanged, **BO | {"operator": operator}, by=SUPERVISOR)


@pytest.mark.parametrize("operator", ["", "Ana", "ana ruiz", "-a", "ana\n", "aña", "x" * (MOST_ID + 1)])
def test_what_is_no_id_is_refused(operator: str) -> None:
    table = Table()
    refused(table.try_(inputs.OperatorChanged, **BO | {"operator": operator}, by=SUPERVISOR), Refusal.BAD_REQUEST)
    assert table.state.operators == {}


def test_a_name_is_a_line_of_at_most_so_many_characters() -> None:
    table = Table()
    for name in ("龍 O'Brien-Núñez", "x" * MOST_NAME):
        table.do(inputs.OperatorChanged, **BO | {"name": name}, by=SUPERVISOR)
    for name in ("", "  ", "x" * (MOST_NAME + 1), "two\nlines", "\x1b[2J"):
        refused(table.try_(inputs.OperatorChanged, **BO | {"name": name}, by=SUPERVISOR), Refusal.BAD_REQUEST)


def test_there_are_four_roles() -> None:
    table = Table()
    for role in ROLES:
        table.do(inputs.OperatorChanged, **BO | {"operator": f"a-{role}", "role": role}, by=SUPERVISOR)
    for role in ("", "cook", "Dealer"):
        refused(table.try_(inputs.OperatorChanged, **BO | {"role": role}, by=SUPERVISOR), Refusal.BAD_REQUEST)


def test_a_table_takes_so_many_operators_and_no_more() -> None:
    table = Table()
    some = {f"o{number}": Operator("x", "dealer", active=False) for number in range(MOST_OPERATORS - 1)}
    table.state = replace(table.state, operators=some)
    table.do(inputs.OperatorChanged, **ANA, by=SUPERVISOR)
    refused(table.try_(inputs.OperatorChanged, **BO, by=SUPERVISOR), Refusal.BAD_REQUEST)
    table.do(inputs.OperatorChanged, **BO | {"operator": "o7"}, by=SUPERVISOR)


# ------------------------------------------------------------------------------------------------- wrong PINs


def test_five_wrong_pins_in_a_row_lock_out_and_four_do_not() -> None:
    table = Table()
    noted = wrong(table, times=WRONG_PINS - 1)
    assert (noted.wrong, noted.locked, left(table)) == (WRONG_PINS - 1, False, 0)
    noted = wrong(table)
    assert (noted.wrong, noted.locked, left(table)) == (WRONG_PINS, True, LOCKED_MS)
    assert left(table, "bo") == 0


def test_a_lock_out_ends_after_its_time_and_the_count_begins_anew() -> None:
    table = Table()
    wrong(table, times=WRONG_PINS)
    table.now += LOCKED_MS * 1000 - 1000
    assert left(table) == 1
    table.now += 1000
    assert left(table) == 0
    assert (wrong(table).wrong, left(table)) == (1, 0)


def test_a_wrong_pin_while_locked_out_begins_no_new_count() -> None:
    table = Table()
    wrong(table, times=WRONG_PINS)
    assert wrong(table).locked


def test_a_clock_set_back_shortens_no_lock_out() -> None:
    table = Table()
    wrong(table, times=WRONG_PINS)
    table.now -= 3_600_000_000
    assert left(table) == LOCKED_MS + 3_600_000


def test_a_right_pin_resets_the_count() -> None:
    table = Table()
    wrong(table, times=WRONG_PINS - 1)
    wrong(table, what="signed-in")
    assert table.state.wrong_pins == {}
    assert wrong(table).wrong == 1


def test_a_new_pin_by_a_supervisor_ends_a_lock_out() -> None:
    table = Table()
    wrong(table, times=WRONG_PINS)
    table.do(inputs.OperatorChanged, **ANA)
    assert (left(table), table.state.wrong_pins) == (0, {})


def test_a_refused_command_is_recorded_and_counts_for_nothing() -> None:
    table = Table()
    wrong(table, times=WRONG_PINS - 1)
    before = table.state.wrong_pins
    fact = table.do(
        inputs.AccessNoted, what="not-allowed", operator="ana", client="c", command="reject", detail="a dealer"
    )
    assert fact == AccessWasNoted(what="not-allowed", operator="ana", client="c", command="reject", detail="a dealer")
    assert table.state.wrong_pins == before


def test_names_nobody_has_are_counted_and_the_oldest_forgotten() -> None:
    table = Table()
    table.do(inputs.OperatorChanged, **ANA)
    wrong(table, "ana")
    for number in range(MOST_STRANGERS):
        assert wrong(table, f"nobody{number}").forgotten == ""
    assert wrong(table, "nobody7").forgotten == ""
    assert len(table.state.wrong_pins) == MOST_STRANGERS + 1
    assert wrong(table, "one-more").forgotten == "nobody0"
    assert len(table.state.wrong_pins) == MOST_STRANGERS + 1
    assert {"ana", "nobody1", "one-more"} <= set(table.state.wrong_pins)


@pytest.mark.parametrize(
    ("field", "most"),
    [("operator", MOST_CLAIMED), ("client", MOST_CLAIMED), ("command", MOST_CLAIMED), ("detail", MOST_DETAIL)],
)
def test_what_is_noted_has_a_length(field: str, most: int) -> None:
    table = Table()
    parts = {"what": "not-allowed", "operator": "ana", "client": "c"}
    table.do(inputs.AccessNoted, **parts | {field: "x" * most})
    refused(table.try_(inputs.AccessNoted, **parts | {field: "x" * (most + 1)}), Refusal.BAD_REQUEST)


def test_only_three_things_are_noted() -> None:
    refused(Table().try_(inputs.AccessNoted, what="sneezed", operator="a", client="c"), Refusal.BAD_REQUEST)


def test_people_survive_a_replay() -> None:
    table = Table()
    table.do(inputs.OperatorChanged, **ANA)
    wrong(table, times=2)
    wrong(table, "bo", times=WRONG_PINS)
    state = State()
    for recorded in table.facts:
        name, version, payload = facts.encode(recorded.fact)
        state = evolve(state, replace(recorded, fact=facts.decode(name, version, payload)))
    assert state == table.state


@pytest.mark.parametrize("role", ROLES)
def test_once_there_are_two_supervisors_one_alone_makes_nobody_who_could_sign_as_the_second(role: str) -> None:
    table = Table()
    table.do(inputs.OperatorChanged, **ANA)
    table.do(inputs.OperatorChanged, **ANA | {"operator": "cy"}, by=Person("ana", "supervisor"))  # there was only one
    ana, cy = Person("ana", "supervisor"), Person("cy", "supervisor")
    new = {"operator": "new", "name": "New One", "role": role}
    if role in ("floorperson", "supervisor"):
        refused(table.try_(inputs.OperatorChanged, **new, by=ana), Refusal.SECOND_PERSON)
        refused(table.try_(inputs.OperatorChanged, **new, by=ana, second=ana), Refusal.SECOND_PERSON)
        # Nor by giving the other supervisor a new PIN, which is the same input.
        refused(table.try_(inputs.OperatorChanged, **ANA | {"operator": "cy"}, by=ana), Refusal.SECOND_PERSON)
        table.do(inputs.OperatorChanged, **new, by=ana, second=cy)
    else:
        table.do(inputs.OperatorChanged, **new, by=ana)
    table.do(inputs.OperatorChanged, **new | {"active": False}, by=ana)  # anybody can be sent away by one
