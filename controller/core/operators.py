"""People who may sign in, and the record of who did, who could not, and who asked for what they may not do."""

import re

from controller.core.decision import Decision, people, refuse
from controller.core.facts import NOT_ALLOWED, SIGNED_IN, WRONG_PIN, AccessWasNoted, OperatorWasChanged
from controller.core.inputs import FLOORPERSON, ROLES, SUPERVISOR, AccessNoted, OperatorChanged, need, need_two
from controller.core.refusals import Refusal
from controller.core.state import State
from controller.core.times import ms_between

# Everyone who may ever work at one table, those who have left included: a large house has some hundreds of dealers.
MOST_OPERATORS = 2000
MOST_ID = 32  # characters: an employee number, or first and last name
MOST_NAME = 80  # characters: long names there are, and this still fits a line of the console
# A PIN of six digits has a million values. Five tries each 15 minutes are 480 a day: three years to try half of them.
WRONG_PINS = 5
LOCKED_MS = 15 * 60 * 1000
# Names nobody has, whose wrong PINs are counted too, so that a lock-out tells nobody which names there are.
MOST_STRANGERS = 100
MOST_CLAIMED = (
    64  # characters of a name or a client as someone gave it: twice an id, so that a slip shows in the record
)
MOST_DETAIL = 200  # characters: one sentence

# One form for each id: no capitals, so that Ana and ana are not two people.
_ID = re.compile(f"[a-z0-9][a-z0-9._-]{{0,{MOST_ID - 1}}}")
_NOTED = (SIGNED_IN, WRONG_PIN, NOT_ALLOWED)


def change(state: State, command: OperatorChanged) -> Decision:
    """Add an operator, change one, or take away the right to sign in."""
    _refuse_unsound(command)
    _refuse_unsigned(state, command)
    if command.operator not in state.operators:
        if not command.active:
            raise refuse(Refusal.UNKNOWN, f"there is no operator {command.operator!r}")
        if len(state.operators) >= MOST_OPERATORS:
            raise refuse(Refusal.BAD_REQUEST, f"there are {MOST_OPERATORS} operators, and no table takes more")
    if supervisors(state) == {command.operator} and not (command.active and command.role == SUPERVISOR):
        raise refuse(Refusal.BAD_REQUEST, f"{command.operator} is the only supervisor: add another one first")
    # From here it succeeds.
    return Decision(
        OperatorWasChanged(
            operator=command.operator,
            name=command.name,
            role=command.role,
            active=command.active,
            **people(command.by, command.second),
        )
    )


def _refuse_unsound(command: OperatorChanged) -> None:
    if _ID.fullmatch(command.operator) is None:
        why = f"{command.operator[:MOST_CLAIMED]!r} is no operator's id: write 1 to {MOST_ID} of a-z 0-9 . _ -"
        raise refuse(Refusal.BAD_REQUEST, f"{why}, a letter or digit first")
    if not command.name.strip() or len(command.name) > MOST_NAME or not command.name.isprintable():
        raise refuse(Refusal.BAD_REQUEST, f"a name is needed, in at most {MOST_NAME} characters and on one line")
    if command.role not in ROLES:
        raise refuse(Refusal.BAD_REQUEST, f"{command.role[:MOST_CLAIMED]!r} is no role: {', '.join(ROLES)} are")


def _refuse_unsigned(state: State, command: OperatorChanged) -> None:
    if command.by is None and command.active and command.role == SUPERVISOR and not supervisors(state):
        return  # the first supervisor comes with the installation and needs nobody
    # Whoever can be one of two people is let in by two, once there are two: otherwise one could make the other.
    counts = command.active and command.role in (FLOORPERSON, SUPERVISOR)
    if command.second is not None or (counts and len(supervisors(state)) > 1):
        need_two(command.by, command.second, SUPERVISOR)
    else:
        need(command.by, SUPERVISOR)


def supervisors(state: State) -> set[str]:
    """The supervisors who may sign in."""
    return {id_ for id_, each in state.operators.items() if each.active and each.role == SUPERVISOR}


def note(state: State, noted: AccessNoted) -> Decision:
    """Record a sign-in, a wrong PIN or a command that was refused, and lock out after too many wrong PINs."""
    if noted.what not in _NOTED:
        raise refuse(Refusal.BAD_REQUEST, f"{noted.what[:MOST_CLAIMED]!r} is not noted: {', '.join(_NOTED)} are")
    if max(map(len, (noted.operator, noted.client, noted.command))) > MOST_CLAIMED or len(noted.detail) > MOST_DETAIL:
        why = f"operator, client and command have at most {MOST_CLAIMED} characters, the detail {MOST_DETAIL}"
        raise refuse(Refusal.BAD_REQUEST, why)
    wrong = _wrong(state, noted)
    return Decision(
        AccessWasNoted(
            what=noted.what,
            operator=noted.operator,
            client=noted.client,
            command=noted.command,
            detail=noted.detail,
            wrong=wrong,
            locked=wrong >= WRONG_PINS,
            forgotten=_forgotten(state, noted.operator) if wrong else "",
        )
    )


def _wrong(state: State, noted: AccessNoted) -> int:
    """Wrong PINs in a row, with this one. After a lock-out the count begins anew."""
    if noted.what != WRONG_PIN:
        return 0
    before = state.wrong_pins.get(noted.operator)
    if before is None or (before.locked and not locked_ms(state, noted.operator, noted.at)):
        return 1
    return before.count + 1


def _forgotten(state: State, operator: str) -> str:
    """The name nobody has that was tried longest ago, where one more would be too many."""
    if operator in state.operators or operator in state.wrong_pins:
        return ""
    strangers = [name for name in state.wrong_pins if name not in state.operators]
    return min(strangers, key=lambda name: state.wrong_pins[name].at) if len(strangers) >= MOST_STRANGERS else ""


def locked_ms(state: State, operator: str, at: str) -> int:
    """For how long no PIN of an operator is looked at, 0 if it is. A clock set back makes it longer, never shorter."""
    seen = state.wrong_pins.get(operator)
    return max(0, LOCKED_MS - ms_between(seen.at, at)) if seen is not None and seen.locked else 0
