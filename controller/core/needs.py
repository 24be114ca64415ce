"""What chance a decision may need: the engine prepares no more than that, and only then."""

from typing import NamedTuple

from controller.core.filed import MYSTERY
from controller.core.filing import new_meters, read
from controller.core.inputs import Button, Input, SubmissionChanged
from controller.core.lockout import locks
from controller.core.refusals import RefusedError
from controller.core.state import State

CHANCY = (Button, SubmissionChanged)  # the only inputs that ever need chance


class Need(NamedTuple):
    """One mystery meter: its standing value, and how many draws of the following cycles, between which limits."""

    table: str  # as commitments name it
    meter: str
    cycle: int  # the last one; 0 where there was none
    sealed: str | None  # the standing value; None where the meter is only being opened
    key_id: str
    minimum_cents: int
    maximum_cents: int
    draws: int


def needs(state: State, input_: Input, *, draws: bool = True) -> list[Need]:
    """The chance an input needs in a state.

    Few lock-outs pass a mystery value. Without `draws` only the standing values are asked for; where one is passed,
    `decide` raises `DrawsNeededError` and is asked again with them: one draw for each wager, as each could hit.
    """
    if isinstance(input_, Button):
        return _lock_out(state, draws=draws) if locks(state, input_) else []
    if isinstance(input_, SubmissionChanged):
        return _filing(state, input_)
    return []


def _lock_out(state: State, *, draws: bool) -> list[Need]:
    found: list[Need] = []
    table = state.filed.name if state.filed else ""
    for meter in state.meters.values():
        if meter.kind != MYSTERY:
            continue
        feeding = sum(standing.wager == meter.wager for standing in state.standing.values())
        if feeding:
            following = meter.next_filing or meter.filing
            found.append(
                Need(
                    table,
                    meter.id,
                    meter.cycle,
                    meter.sealed,
                    meter.key_id,
                    following.reset_cents,
                    following.maximum_cents,
                    feeding if draws else 0,
                )
            )
    return found


def _filing(state: State, change: SubmissionChanged) -> list[Need]:
    try:
        files = read(change)
    except RefusedError:
        return []  # `decide` says why
    return [
        Need(
            files.name,
            id_,
            state.meters[id_].cycle if id_ in state.meters else 0,
            None,
            "",
            meter.filing.reset_cents,
            meter.filing.maximum_cents,
            1,
        )
        for id_, (_, meter) in new_meters(state, files).items()
        if meter.kind == MYSTERY
    ]
