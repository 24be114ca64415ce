"""Chips seen and lifted, coins dropped in, and positions in and out of service."""

from msgspec.structs import replace

from controller.core.decision import NOTHING, Decision, known, people, refuse, text
from controller.core.draft import Draft
from controller.core.effects import Acceptors, Effect, Flash, Lamps
from controller.core.facts import (
    ChipLifted,
    CreditToReturn,
    Placed,
    PositionServiced,
    ReturnWasConfirmed,
    SensorRead,
    WagerPlaced,
    WagerRefused,
    WagerWithdrawn,
    Withdrawn,
)
from controller.core.floor import BASE, LATE_BET, at, bar, filed_with, is_in, stakes, withdraw
from controller.core.inputs import (
    DEALER,
    FLOORPERSON,
    PositionService,
    ReturnConfirmed,
    WagerAbsent,
    WagerDropped,
    WagerPresent,
    need,
)
from controller.core.phases import Phase
from controller.core.refusals import Refusal
from controller.core.state import CHIP, DROP, State
from controller.core.times import ms_between

MOST_COIN_CENTS = 100_000_000  # as much as the dearest wager that can be filed


def _stake(state: State, wager: str) -> int:
    return known(state.filed, "nothing is filed").wagers[wager].stake_cents


def present(state: State, seen: WagerPresent) -> Decision:
    """A chip is there: a wager while the round is open, otherwise refused and recorded."""
    if seen.wager == BASE:
        return _base_present(state, seen)
    place = at(state, seen.position, seen.wager)
    sensor = state.sensors.get(place)
    if sensor is not None and sensor.present:
        return NOTHING
    lamps = Lamps((seen.position,))
    why = bar(state, seen.position, seen.wager)
    if not why and (sensor is None or not sensor.lifted):
        why = "not-lifted"  # never seen absent since the last lock-out: an old chip, not a new wager
    if not why and place in state.standing:
        why = "already-made"
    if why:
        effects: tuple[Effect, ...] = (lamps, Flash(seen.position, seen.wager, why)) if why == LATE_BET else (lamps,)
        return Decision(WagerRefused(position=seen.position, wager=seen.wager, why=why), effects)
    placed = Placed(seen.position, seen.wager, _stake(state, seen.wager), CHIP)
    return Decision(WagerPlaced(position=seen.position, wager=seen.wager, placed=(placed,)), (lamps,))


def _base_present(state: State, seen: WagerPresent) -> Decision:
    """The base wager is there: chips that waited for it become wagers at this instant."""
    filed_with(state, seen.position)
    if state.base.get(seen.position) is True:
        return NOTHING
    placed: tuple[Placed, ...] = ()
    if state.phase is Phase.OPEN:
        waiting = [place for place in state.sensors if place.startswith(f"{seen.position}/")]
        without = {position: there for position, there in state.base.items() if position != seen.position}
        placed = stakes(replace(state, base=without), waiting)
    return Decision(WagerPlaced(position=seen.position, wager=BASE, placed=placed), (Lamps((seen.position,)),))


def absent(state: State, seen: WagerAbsent) -> Decision:
    """No chip is there: a standing wager is withdrawn while open; after lock-out a chip lifted is recorded."""
    if seen.wager == BASE:
        return _base_absent(state, seen)
    place = at(state, seen.position, seen.wager)
    sensor = state.sensors.get(place)
    if sensor is None:
        return Decision(SensorRead(position=seen.position, wager=seen.wager))
    if not sensor.present:
        return NOTHING
    lamps = Lamps((seen.position,))
    standing = state.standing.get(place)
    if state.phase is Phase.OPEN and standing is not None and standing.source == CHIP:
        gone = (Withdrawn(seen.position, seen.wager, "lifted"),)
        return Decision(WagerWithdrawn(position=seen.position, wager=seen.wager, withdrawn=gone), (lamps,))
    if not is_in(state, seen.position, seen.wager):
        return Decision(ChipLifted(position=seen.position, wager=seen.wager), (lamps,))
    after_ms = max(0, ms_between(state.locked_at, seen.at))
    flash = after_ms < seen.pulled_ms
    lifted = ChipLifted(position=seen.position, wager=seen.wager, after_ms=after_ms, flash=flash)
    return Decision(lifted, (lamps, Flash(seen.position, seen.wager, "pulled")) if flash else (lamps,))


def _base_absent(state: State, seen: WagerAbsent) -> Decision:
    """The base wager is gone: no progressive wager stands without it."""
    filed_with(state, seen.position)
    if state.base.get(seen.position) is False:
        return NOTHING
    draft = Draft(state)
    gone: tuple[Withdrawn, ...] = ()
    if state.phase is Phase.OPEN:
        there = [standing for standing in state.standing.values() if standing.position == seen.position]
        gone = withdraw(draft, there, "no-base-wager")
    fact = WagerWithdrawn(position=seen.position, wager=BASE, withdrawn=gone, returns=tuple(draft.returns))
    return Decision(fact, (Lamps((seen.position,)),))


def dropped(state: State, credit: WagerDropped) -> Decision:
    """A coin in a drop slot: a wager if it is the first, the right one and in time; otherwise to be returned."""
    if not 0 < credit.cents <= MOST_COIN_CENTS:
        raise refuse(
            Refusal.BAD_REQUEST, f"a credit is of 1 to {MOST_COIN_CENTS} cents: no coin is worth another amount"
        )
    place = at(state, credit.position, credit.wager)
    why = bar(state, credit.position, credit.wager)
    if not why and place in state.standing:
        why = "second-credit"
    if not why and credit.cents != _stake(state, credit.wager):
        why = "wrong-coin"
    inhibit = Acceptors(inhibit=True, position=credit.position, wager=credit.wager)
    lamps = Lamps((credit.position,))
    if why:
        draft = Draft(state)
        draft.give_back(credit.position, credit.wager, credit.cents, why)
        effects: tuple[Effect, ...] = (lamps,)
        if why == LATE_BET:
            effects += (Flash(credit.position, credit.wager, why),)
        return Decision(CreditToReturn(returns=tuple(draft.returns), counted=credit.counted), effects)
    placed = Placed(credit.position, credit.wager, credit.cents, DROP)
    fact = WagerPlaced(position=credit.position, wager=credit.wager, placed=(placed,), counted=credit.counted)
    return Decision(fact, (inhibit, lamps))


def service(state: State, command: PositionService) -> Decision:
    """A position out of service takes no wager; the table plays on."""
    need(command.by, FLOORPERSON)
    text("a reason", command.reason)
    filed_with(state, command.position)
    draft = Draft(state)
    gone: tuple[Withdrawn, ...] = ()
    placed: tuple[Placed, ...] = ()
    if state.play is Phase.OPEN and not command.on:  # also while it is faulted: a coin goes back now
        there = [standing for standing in state.standing.values() if standing.position == command.position]
        gone = withdraw(draft, there, "out-of-service")
    if state.phase is Phase.OPEN and command.on:
        others = {position: why for position, why in state.out_of_service.items() if position != command.position}
        placed = stakes(replace(state, out_of_service=others), state.sensors, positions=(command.position,))
    fact = PositionServiced(
        position=command.position,
        on=command.on,
        reason=command.reason,
        withdrawn=gone,
        placed=placed,
        returns=tuple(draft.returns),
        **people(command.by),
    )
    return Decision(fact, (Lamps((command.position,)),))


def confirm_return(state: State, command: ReturnConfirmed) -> Decision:
    """Money of a drop slot was given back."""
    need(command.by, DEALER)
    known(state.returns.get(command.return_id), f"{command.return_id!r} is not to be returned, or was")
    return Decision(ReturnWasConfirmed(return_id=command.return_id, **people(command.by)))
