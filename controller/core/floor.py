"""Which wagers may stand where: positions, sensors, and what happens to them when a round opens or stops being open."""

from collections.abc import Iterable
from typing import NamedTuple

from controller.core.decision import refuse
from controller.core.draft import Draft
from controller.core.facts import Placed, Withdrawn
from controller.core.filed import Filed
from controller.core.phases import Phase
from controller.core.refusals import Refusal
from controller.core.state import CHIP, DROP, Standing, State, spot

BASE = "base"  # the base wager, where a position senses it
TABLE_WIDE = frozenset({"button", "journal", "broker", "software"})  # parts without which no wager is recognised
BOARD = "board"

LATE_BET = "late"
IN_PLAY = (Phase.LOCKED, Phase.DEALT, Phase.SETTLED)  # from lock-out until the next round opens


def is_faulted(state: State) -> bool:
    """Whether the parts that are lost fault the whole table."""
    boards = [device.lost for device in state.devices.values() if device.kind == BOARD]
    wide = any(device.lost and device.kind in TABLE_WIDE for device in state.devices.values())
    return wide or (bool(boards) and all(boards))


def out(state: State, position: int, wager: str) -> str:
    """Why no wager is taken at a place in any phase; empty where one may be."""
    if position in state.out_of_service:
        return "out-of-service"
    for device in state.devices.values():
        if device.lost and (position in device.positions or wager in device.wagers):
            return f"{device.kind}-lost"
    return ""


def bar(state: State, position: int, wager: str) -> str:
    """Why a wager made now does not stand; empty where it does."""
    if state.phase is not Phase.OPEN:
        return LATE_BET if state.phase in IN_PLAY else state.phase.value
    return out(state, position, wager) or ("no-base-wager" if state.base.get(position) is False else "")


class Opening(NamedTuple):
    """A round as it opens."""

    phase: str
    placed: tuple[Placed, ...] = ()


def stakes(state: State, sensed: Iterable[str], *, positions: Iterable[int] | None = None) -> tuple[Placed, ...]:
    """Wagers of the sensors that read present and were seen absent since the last lock-out, by position."""
    if state.filed is None:
        return ()
    found: list[Placed] = []
    for place in sensed:
        number, _, wager = place.partition("/")
        position, sensor = int(number), state.sensors[place]
        if not (sensor.present and sensor.lifted) or place in state.standing:
            continue
        if position > state.filed.positions or (positions is not None and position not in positions):
            continue
        if out(state, position, wager) or state.base.get(position) is False or wager not in state.filed.wagers:
            continue
        found.append(Placed(position, wager, state.filed.wagers[wager].stake_cents, CHIP))
    return tuple(sorted(found, key=lambda placed: (placed.position, placed.wager)))


def opening(state: State) -> Opening:
    """How a round opens: with the wagers that lie there, or locked with none where a maintained switch says so."""
    if state.switch == "locked":
        return Opening(Phase.LOCKED.value)
    if state.phase is Phase.FAULTED:  # what lies there is looked at when the fault ends
        return Opening(Phase.OPEN.value)
    return Opening(Phase.OPEN.value, stakes(state, state.sensors))


def withdraw(draft: Draft, leaving: Iterable[Standing], why: str) -> tuple[Withdrawn, ...]:
    """Withdraw standing wagers; those of a drop slot are to be returned by hand."""
    gone: list[Withdrawn] = []
    for standing in leaving:
        gone.append(Withdrawn(standing.position, standing.wager, why))
        if standing.source == DROP:
            draft.give_back(standing.position, standing.wager, standing.stake_cents, why)
    return tuple(gone)


def is_lifted(state: State, standing: Standing) -> bool:
    """Whether the chip of a standing wager is no longer there."""
    sensor = state.sensors.get(spot(standing.position, standing.wager))
    return standing.source == CHIP and not (sensor is not None and sensor.present)


def is_in(state: State, position: int, wager: str) -> bool:
    """Whether a wager is in the round that was locked out last and is still in play."""
    record = state.record(state.round) if state.phase in IN_PLAY else None
    for each in record.wagers if record else ():
        if each.position == position and each.wager == wager:
            return not each.out
    return False


def is_held(state: State) -> bool:
    """Whether play waits for the validation of a hit, where that is filed (§ 631c.6(c)(5))."""
    if state.filed is None or not state.filed.hold_play_on_hit:
        return False
    asked = any(intent.kind == "hit" for intent in state.intents.values())  # of a link, which has not answered yet
    return asked or bool(state.pending())


def filed_with(state: State, position: int) -> Filed:
    """What is filed, refused where it has no such position."""
    if state.filed is None or not 1 <= position <= state.filed.positions:
        raise refuse(Refusal.UNKNOWN, "there is no such position on this table")
    return state.filed


def at(state: State, position: int, wager: str) -> str:
    """The name of a place on this table, refused where there is none."""
    filed = filed_with(state, position)
    if wager not in filed.wagers:
        raise refuse(Refusal.UNKNOWN, f"{wager!r} is not offered: {', '.join(filed.wagers) or 'nothing'} is")
    return spot(position, wager)
