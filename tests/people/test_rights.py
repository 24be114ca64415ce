"""The table of rights, held against the contract's list of commands and against what the core decides."""

import re

import pytest

from controller.core import inputs
from controller.core.inputs import ROLES
from controller.people.rights import LOGIN, QUERIES, RIGHTS, People, may
from tests.core.test_people import CASES

# The contract: every command by name, and the roles in its own words.
COMMANDS = [
    "login",
    "enter-hand",
    "correct-hand",
    "preview-hand",
    "validate",
    "reject",
    "void-round",
    "void-wager",
    "simulated-round",
    "open-table",
    "close-table",
    "position-service",
    "confirm-return",
    "adjust-meter",
    "operator-add",
    "operator-disable",
    "change-submission",
    "print-slip",
    "query-hits",
    "query-derive",
    "query-readings",
    "query-rounds",
    "query-actions",
    "query-operators",
]
ROLES_SAID = (
    "dealer: hands of the current round, `void-wager` while open, returns, simulated round, open and close; "
    "floorperson: also validate, reject, void, late hands, service; "
    "supervisor: also adjust, submission, operators; auditor: queries"
)
MEANT = {
    "hands of the current round": {"enter-hand", "correct-hand", "preview-hand"},
    "`void-wager` while open": {"void-wager"},
    "returns": {"confirm-return"},
    "simulated round": {"simulated-round"},
    "open and close": {"open-table", "close-table"},
    "validate": {"validate"},
    "reject": {"reject"},
    "void": {"void-round"},
    "late hands": set[str](),  # commands a dealer has too: the core asks for more
    "service": {"position-service"},
    "adjust": {"adjust-meter"},
    "submission": {"change-submission"},
    "operators": {"operator-add", "operator-disable"},
    "queries": set(QUERIES),
}
NOT_SAID = {"print-slip"}  # goes with validation
INPUTS: dict[str, set[type[inputs.Input]]] = {
    "enter-hand": {inputs.FourCards, inputs.HandComplete, inputs.LateHand},
    "correct-hand": {inputs.HandCorrected},
    "void-wager": {inputs.WagerVoided},
    "confirm-return": {inputs.ReturnConfirmed},
    "simulated-round": {inputs.SimulatedRound},
    "open-table": {inputs.TableOpened},
    "close-table": {inputs.TableClosed},
    "validate": {inputs.AwardValidated},
    "reject": {inputs.AwardRejected},
    "print-slip": {inputs.SlipPrinted},
    "void-round": {inputs.RoundVoided},
    "position-service": {inputs.PositionService},
    "adjust-meter": {inputs.MeterAdjusted},
    "change-submission": {inputs.SubmissionChanged},
    "operator-add": {inputs.OperatorChanged},
    "operator-disable": {inputs.OperatorChanged},
}


def said() -> dict[str, set[str]]:
    """The commands of each role that the contract names for it, not those of the roles below."""
    found = {}
    for clause in ROLES_SAID.split("; "):
        role, _, words = clause.partition(": ")
        parts = re.split(", ", words.removeprefix("also "))
        found[role] = set().union(*(MEANT[part] for part in parts))
    return found


def test_every_command_of_the_contract_is_in_the_table_and_no_other() -> None:
    assert {LOGIN, *RIGHTS, *QUERIES} == set(COMMANDS)
    assert not RIGHTS.keys() & QUERIES


def test_each_command_has_the_least_role_the_contract_names() -> None:
    for role, commands in said().items():
        if role == "auditor":
            continue
        assert {name for name, right in RIGHTS.items() if right.least == role} - NOT_SAID == commands


def test_an_auditor_only_asks() -> None:
    assert {command for command in COMMANDS if may("auditor", command)} == QUERIES


@pytest.mark.parametrize("command", sorted(RIGHTS))
def test_a_higher_role_may_what_a_lower_one_may(command: str) -> None:
    allowed = [may(role, command) for role in ("dealer", "floorperson", "supervisor")]
    assert allowed == sorted(allowed)
    assert allowed[-1]


def test_a_dealer_does_not_look_into_the_books_and_the_floor_does() -> None:
    for command in QUERIES:
        assert [may(role, command) for role in ROLES] == [False, True, True, True]


@pytest.mark.parametrize("command", ["", "login", "format-disk", "VALIDATE"])
@pytest.mark.parametrize("role", [*ROLES, "", "cook"])
def test_what_is_in_no_table_nobody_may(role: str, command: str) -> None:
    assert not may(role, command)


@pytest.mark.parametrize("role", ["", "cook", "Supervisor"])
def test_who_has_no_role_may_nothing(role: str) -> None:
    assert not any(may(role, command) for command in COMMANDS)


@pytest.mark.parametrize("command", sorted(INPUTS))
def test_the_core_asks_for_the_same_people(command: str) -> None:
    cases = [case for case in CASES if case.kind in INPUTS[command]]
    if command == "operator-disable":  # the same input as adding; only that takes two
        cases = [case for case in cases if not case.two]
    ranks = ("dealer", "floorperson", "supervisor")
    assert RIGHTS[command].least == min((case.role for case in cases), key=ranks.index)
    two = {case.two for case in cases}
    assert RIGHTS[command].people == (People.DEPENDS if len(two) > 1 else People.TWO if True in two else People.ONE)


def test_every_command_is_held_against_the_core() -> None:
    assert RIGHTS.keys() - {"preview-hand"} == INPUTS.keys()  # which is no input
