"""The table as a whole: opened, closed, dealt to without wagers, its parts lost and restored, its meters read."""

from datetime import date

from msgspec.structs import replace

from controller.core.decision import NOTHING, Decision, people, refuse
from controller.core.draft import Draft
from controller.core.effects import Acceptors, Lamps
from controller.core.facts import (
    ControllerWasStarted,
    DeviceChanged,
    Reading,
    ReadingsTaken,
    SimulatedBegun,
    TableWasClosed,
    TableWasOpened,
)
from controller.core.floor import is_faulted, is_held, is_lifted, opening, out, stakes, withdraw
from controller.core.hands import end_simulated
from controller.core.inputs import (
    DEALER,
    ControllerStarted,
    DeviceLost,
    DeviceRestored,
    ReadingsDue,
    SimulatedRound,
    TableClosed,
    TableOpened,
    need,
)
from controller.core.phases import Phase
from controller.core.refusals import Refusal
from controller.core.state import Device, Standing, State

MODES = ("live", "demonstration")
DEVICE_KINDS = ("button", "board", "acceptor", "shoe", "journal", "broker", "software", "link", "vault")


def open_table(state: State, command: TableOpened) -> Decision:
    """Play begins."""
    if state.filed is None:
        raise refuse(Refusal.WRONG_PHASE, "no Rules Submission is filed: the table cannot open")
    if is_held(state):
        raise refuse(Refusal.WRONG_PHASE, "an award is pending, and play is held for it: validate or reject it first")
    need(command.by, DEALER)
    begun = state.round > state.last_locked  # closed before its lock-out: the round goes on
    there = opening(state)
    fact = TableWasOpened(
        round=state.round if begun else state.round + 1,
        phase=there.phase,
        placed=there.placed,
        **people(command.by),
    )
    return Decision(fact, (Acceptors(inhibit=there.phase != Phase.OPEN.value), Lamps()))


def close_table(state: State, command: TableClosed) -> Decision:
    """Play ends; wagers of an open round are withdrawn."""
    need(command.by, DEALER)
    draft = Draft(state)
    gone = withdraw(draft, list(state.standing.values()), "table-closed")
    fact = TableWasClosed(phase=Phase.CLOSED.value, withdrawn=gone, returns=tuple(draft.returns), **people(command.by))
    return Decision(fact, (Acceptors(inhibit=True), Lamps()))


def simulate(state: State, command: SimulatedRound) -> Decision:
    """Begin a round without wagers, or end it (§ 627a.13(c)(2), (d))."""
    need(command.by, DEALER)
    if state.phase is Phase.SIMULATED:
        return end_simulated(state, command.by.id)
    draft = Draft(state)
    gone = withdraw(draft, list(state.standing.values()), "simulated-round")
    fact = SimulatedBegun(
        phase=Phase.SIMULATED.value, withdrawn=gone, returns=tuple(draft.returns), **people(command.by)
    )
    return Decision(fact, (Acceptors(inhibit=True), Lamps()))


def device(state: State, change: DeviceLost) -> Decision:
    """A part lost or restored: the whole table faulted, or only its positions or wagers out; and back."""
    if change.device_kind not in DEVICE_KINDS:
        raise refuse(Refusal.BAD_REQUEST, f"{change.device_kind!r} is no kind of part: {', '.join(DEVICE_KINDS)} are")
    lost = not isinstance(change, DeviceRestored)
    before = state.devices.get(change.device)
    if before is not None and before.kind != change.device_kind:
        raise refuse(Refusal.BAD_REQUEST, f"{change.device} is a {before.kind}, not a {change.device_kind}")
    positions = change.positions or (before.positions if before else ())
    wagers = change.wagers or (before.wagers if before else ())
    part = Device(change.device_kind, lost, positions, wagers, change.detail)
    if before == part and (change.counted is None or change.counted == state.counted.get(change.device)):
        return NOTHING
    after = replace(state, devices={**state.devices, change.device: part})
    faulted = is_faulted(after)
    fact = DeviceChanged(
        device=change.device,
        device_kind=change.device_kind,
        lost=lost,
        positions=positions,
        wagers=wagers,
        detail=change.detail,
        faulted=faulted,
        counted=change.counted,
    )
    if faulted:
        return Decision(fact, (Acceptors(inhibit=True), Lamps()))
    if state.play is not Phase.OPEN:
        return Decision(fact, (Lamps(),))
    fact = _look_again(Draft(state), after, fact)
    ended = (Acceptors(inhibit=fact.locked),) if state.phase is Phase.FAULTED else ()
    return Decision(fact, (*ended, Lamps()))


def _look_again(draft: Draft, after: State, fact: DeviceChanged) -> DeviceChanged:
    """Hold the standing wagers of an open round against what its sensors read now."""
    if after.phase is Phase.FAULTED and after.switch == "locked":
        gone = withdraw(draft, list(after.standing.values()), "switch-locked")
        return replace(fact, locked=True, withdrawn=gone, returns=tuple(draft.returns))
    barred = [each for each in after.standing.values() if out(after, each.position, each.wager)]
    gone = withdraw(draft, barred, "device-lost")
    if after.phase is Phase.FAULTED:
        unbased = [each for each in _others(after, barred) if after.base.get(each.position) is False]
        gone += withdraw(draft, unbased, "no-base-wager")
        bare = [each for each in _others(after, barred + unbased) if is_lifted(after, each)]
        gone += withdraw(draft, bare, "lifted")
    placed = stakes(after, after.sensors)
    return replace(fact, withdrawn=gone, placed=placed, returns=tuple(draft.returns))


def _others(state: State, those: list[Standing]) -> list[Standing]:
    return [each for each in state.standing.values() if each not in those]


def _days_behind(day: str, other: str) -> int:
    try:
        return (date.fromisoformat(day) - date.fromisoformat(other)).days
    except ValueError as error:
        raise refuse(Refusal.BAD_REQUEST, f"{other!r} is no gaming day: write it as YYYY-MM-DD") from error


def read_meters(state: State, due: ReadingsDue) -> Decision:
    """Read every meter at the end of a gaming day."""
    if due.day == state.day or 0 < _days_behind(state.day, due.day) <= 1:
        return NOTHING  # a clock set back a little repeats no day; one that was far ahead is followed back
    readings = tuple(
        Reading(
            meter.id,
            meter.units,
            meter.reserve,
            meter.carry,
            meter.in_cents,
            meter.hits,
            meter.wins_cents,
            meter.paid_cents,
            meter.cycle,
        )
        for meter in state.meters.values()
    )
    return Decision(ReadingsTaken(ended=state.day, day=due.day, readings=readings))


def start(state: State, started: ControllerStarted) -> Decision:
    """Count a start. What was begun as a demonstration is never played for money, nor the reverse."""
    if started.mode not in MODES:
        raise refuse(Refusal.BAD_REQUEST, f"{started.mode[:40]!r} is no mode: {' and '.join(MODES)} are")
    if state.mode and started.mode != state.mode:
        why = f"this journal is {state.mode}, the configuration {started.mode}: each takes a journal of its own"
        raise refuse(Refusal.BAD_REQUEST, why)
    fact = ControllerWasStarted(
        epoch=state.epoch + 1, version=started.version, mode=started.mode, record=started.record
    )
    return Decision(fact)
