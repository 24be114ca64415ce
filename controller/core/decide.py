"""`decide`: what an input leads to. Every decision passes the table of phases before anything else is looked at."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, get_args

from msgspec import json
from msgspec.structs import replace

from controller.core import (
    adjusting,
    awards,
    filing,
    hands,
    linked,
    lockout,
    operators,
    table,
    taking_back,
    voids,
    wagers,
)
from controller.core.chance import NO_CHANCE, Chance
from controller.core.decision import NOTHING, Decision, people
from controller.core.evolve import evolve
from controller.core.facts import Fact, InputNoted, InputRefused, KeyReused, Recorded, round_of
from controller.core.inputs import (
    AnyInput,
    Button,
    Input,
    Keyed,
    Person,
    SubmissionChanged,
    Tick,
    WagerAbsent,
    WagerDropped,
    WagerPresent,
    key_of,
)
from controller.core.phases import TABLE, Phase
from controller.core.refusals import Refusal, Refused, RefusedError
from controller.core.state import State
from controller.core.times import is_time

MOST_KEY = 100  # characters: room for a UUID, or a device's name and its counter
MOST_INPUT = 8 * 1024  # bytes as JSON: reasons and references of 500 characters several times over
MOST_PERSON = 200  # bytes as JSON
MOST_FILING = 2 * 1024 * 1024  # a Rules Submission has at most 1 MiB, which JSON's escapes can double
# What comes many times a second: numbers, and the name of a wager, which must be one that is filed.
_READINGS = frozenset({WagerPresent, WagerAbsent, Button, Tick})
# The people of each kind of input, left out.
_NOBODY: dict[type[Input], dict[str, None]] = {
    type_: {name: None for name in ("by", "second") if name in type_.__struct_fields__} for type_ in get_args(AnyInput)
}

_DECIDE: dict[str, Callable[[State, Any], Decision]] = {
    "wager-present": wagers.present,
    "wager-absent": wagers.absent,
    "wager-dropped": wagers.dropped,
    "four-cards": hands.current,
    "hand-complete": hands.current,
    "hand-corrected": hands.correct,
    "late-hand": hands.late,
    "award-validated": awards.validate,
    "award-rejected": taking_back.reject,
    "slip-printed": awards.print_slip,
    "round-voided": voids.void,
    "wager-voided": voids.take_out,
    "simulated-round": table.simulate,
    "table-opened": table.open_table,
    "table-closed": table.close_table,
    "position-service": wagers.service,
    "return-confirmed": wagers.confirm_return,
    "meter-adjusted": adjusting.adjust,
    "operator-changed": operators.change,
    "access-noted": operators.note,
    "device-lost": table.device,
    "device-restored": table.device,
    "controller-started": table.start,
    "link-answered": linked.answered,
    "readings-due": table.read_meters,
    "tick": lambda _state, _tick: NOTHING,
}
_BY_CHANCE: dict[str, Callable[[State, Any, Chance], Decision]] = {
    "button": lockout.button,
    "submission-changed": filing.change,
}


def decide(state: State, input_: Input, chance: Chance = NO_CHANCE) -> Decision | Refused:
    """The fact and effects an input leads to, or why it is refused. Changes nothing."""
    try:
        if type(input_) in _READINGS and is_time(input_.at):
            return _decide(state, input_, chance)
        key = key_of(input_)
        if not key:
            _refuse_unsound(input_)
            return _decide(state, input_, chance)
        digest = content(input_)
        before = _answered(state, key, digest)
        if before is not None:
            return before
        decision = _decide(state, input_, chance)
    except RefusedError as error:
        return error.refused
    # A key is remembered also where nothing changed: it gets the same answer again.
    fact = decision.fact or InputNoted(kind=input_.kind, **people(getattr(input_, "by", None)))
    return Decision(replace(fact, key=key, digest=digest), decision.effects)


def _refuse_unsound(input_: Input) -> None:
    """Refuse an input without a key that is too long to record, has no time, or should have a key."""
    if isinstance(input_, Keyed):
        raise RefusedError(Refusal.BAD_REQUEST, f"{input_.kind} takes a key, so that the same one again is noticed")
    _encoded(input_)


def _refuse_time(at: str) -> None:
    if not is_time(at):
        raise RefusedError(Refusal.BAD_REQUEST, f"{at[:40]!r} is no time: write it like 2026-11-16T11:15:00.123456Z")


def _encoded(input_: Input) -> bytes:
    """What an input says, as JSON: refused where it is too long, or is no text, and could not be recorded."""
    _refuse_time(input_.at)
    try:
        said = json.encode(replace(input_, at="", **_NOBODY[type(input_)]))
        names = [len(json.encode(person)) for person in _who(input_) if person]
    except (ValueError, OverflowError) as error:
        raise RefusedError(Refusal.BAD_REQUEST, f"{input_.kind} cannot be written down: {error}") from error
    most = MOST_FILING if isinstance(input_, SubmissionChanged) else MOST_INPUT
    if len(said) > most:
        raise RefusedError(Refusal.BAD_REQUEST, f"{input_.kind} has {len(said)} bytes: at most {most}")
    if max(names, default=0) > MOST_PERSON:
        raise RefusedError(Refusal.BAD_REQUEST, f"a person's id and role have at most {MOST_PERSON} bytes together")
    return said


def _answered(state: State, key: str, digest: str) -> Decision | None:
    """The answer a key has had, refused where it comes with another content."""
    if len(key) > MOST_KEY:
        raise RefusedError(Refusal.BAD_REQUEST, f"a key has at most {MOST_KEY} characters, not {len(key)}")
    seen = state.answered(key)
    if seen is None:
        return None
    if seen.digest != digest:
        why = f"key {key!r} was used for another input, fact {seen.seq}: a new input takes a new key"
        raise RefusedError(Refusal.BAD_REQUEST, why)
    return Decision(None, repeated=seen)


def _decide(state: State, input_: Input, chance: Chance) -> Decision:
    kind = input_.kind
    if kind not in TABLE[state.phase]:
        _refuse_phase(state, kind)
    known = _DECIDE.get(kind)
    return known(state, input_) if known else _BY_CHANCE[kind](state, input_, chance)


def _refuse_phase(state: State, kind: str) -> None:
    if state.phase is Phase.FAULTED and kind in TABLE[state.play]:
        lost = ", ".join(sorted(name for name, part in state.devices.items() if part.lost))
        raise RefusedError(Refusal.FAULTED, f"the table is faulted: {lost} does not answer")
    raise RefusedError(Refusal.WRONG_PHASE, f"{kind} does not go with a table that is {state.play.value}")


def content(input_: Input) -> str:
    """The digest of what an input says. When and by whom is left out: a repetition comes later, after a new login."""
    return sha256(_encoded(input_)).hexdigest()


def refusal(state: State, input_: Input, refused: Refused) -> Fact | None:
    """The fact of a refusal. An input with a key is remembered, so that the key gets the same answer again."""
    key = key_of(input_)
    if not key:
        return None
    try:
        digest = content(input_)
    except RefusedError:
        return None  # what cannot be written down is not: no journal takes it
    who, seen = people(*_who(input_)), state.answered(key)
    if seen is not None:
        return KeyReused(kind=input_.kind, reused=key, first=seen.seq, **who)
    counted = input_.counted if isinstance(input_, WagerDropped) else None
    fact = InputRefused(kind=input_.kind, refusal=refused.refusal.value, why=refused.why, counted=counted, **who)
    return fact if len(key) > MOST_KEY else replace(fact, key=key, digest=digest)


def _who(input_: Input) -> tuple[Person | None, Person | None]:
    return getattr(input_, "by", None), getattr(input_, "second", None)


def placed(state: State, at: str, fact: Fact) -> Recorded:
    """A fact with its time and the round it belongs to."""
    return Recorded(at, round_of(fact, state.round) or None, fact)


def after(state: State, input_: Input, recorded: Recorded) -> State:
    """The state after an input's fact, which must be one the table of phases allows."""
    evolved = evolve(state, recorded)
    if evolved.phase is not state.phase and evolved.phase not in TABLE[state.phase].get(input_.kind, ()):
        raise RuntimeError(f"{input_.kind} led from {state.phase.value} to {evolved.phase.value}")
    return evolved
