"""What each lamp shows: a function of the state, so that a lamp can never tell anything but what is durable."""

from enum import Enum

from controller.core.floor import is_in, out
from controller.core.phases import Phase
from controller.core.state import State, spot


class Lamp(Enum):
    """What a lamp can show."""

    OFF = "off"
    INVITE = "invite"
    PLACED = "placed"
    ACCEPTED = "accepted"
    REFUSED = "refused"
    WON = "won"
    FAULT = "fault"


def lamps(state: State) -> dict[int, dict[str, Lamp]]:
    """Every lamp of the table, by position and wager."""
    if state.filed is None:
        return {}
    winners = _winners(state)
    return {
        position: {wager: _lamp(state, position, wager, winners) for wager in state.filed.wagers}
        for position in range(1, state.filed.positions + 1)
    }


def _winners(state: State) -> dict[str, int]:
    """Places with an award that waits for its validation, and the round of the last such award."""
    found: dict[str, int] = {}
    for award in state.pending():
        place = spot(award.position, award.wager.partition("/")[0])
        found[place] = max(award.round, found.get(place, 0))
    return found


def _lamp(state: State, position: int, wager: str, winners: dict[str, int]) -> Lamp:
    """One lamp. A win gives way to a later wager's own lamp, and comes back after it."""
    place = spot(position, wager)
    if state.phase is Phase.FAULTED:
        return Lamp.FAULT
    why = out(state, position, wager)
    if why and why != "out-of-service":
        return Lamp.FAULT
    won = Lamp.WON if place in winners else None
    sensor = state.sensors.get(place)
    present = sensor is not None and sensor.present
    if state.phase is Phase.OPEN:
        if place in state.standing:
            return Lamp.PLACED
        if present:
            return Lamp.REFUSED
        return won or (Lamp.OFF if why else Lamp.INVITE)
    if is_in(state, position, wager):
        return Lamp.WON if winners.get(place) == state.round else Lamp.ACCEPTED
    return Lamp.REFUSED if present else won or Lamp.OFF
