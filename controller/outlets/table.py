"""Lamps, drop slots and links: they show and do what the state says, and only what is durable."""

from collections.abc import Callable, Iterable, Sequence

from controller.core.effects import Ask, Effect, Flash, Lamps
from controller.core.floor import out
from controller.core.lamps import lamps
from controller.core.phases import Phase
from controller.core.state import State, spot
from drivers.driver import Driver, Place

_FAULT = "fault"


class TableLines:
    """Where the effects of a table's decisions go. It is the engine's `Lines`."""

    def __init__(self, fault: Callable[[str], None], asked: Callable[[], None] = lambda: None) -> None:
        self._drivers: tuple[Driver, ...] = ()
        self._slots: frozenset[Place] = frozenset()
        self._lamps: frozenset[Place] = frozenset()
        self._fault = fault
        self._asked = asked  # there is something to ask of a link

    def serve(self, drivers: Iterable[Driver]) -> None:
        """The lines there are."""
        self._drivers = tuple(drivers)
        every = [device for driver in self._drivers for device in driver.devices]
        self._slots = frozenset(place for device in every if device.driver == "cctalk" for place in device.places)

    def release(self, effects: Sequence[Effect], state: State) -> None:
        """Carry out what a durable decision asks for. What is shown and open follows from the state alone."""
        kinds = {type(effect) for effect in effects}
        if Lamps in kinds:
            self.show(state)
        self.open_slots(state)  # whatever was decided: a slot that came back is told, too
        if Ask in kinds:
            self._asked()
        for effect in effects:
            if isinstance(effect, Flash):
                for driver in self._drivers:
                    driver.flash(Place(effect.position, effect.wager))

    def show(self, state: State) -> None:
        """Every lamp as the state has it."""
        shown = {
            Place(position, wager): lamp.value
            for position, each in lamps(state).items()
            for wager, lamp in each.items()
        }
        self._lamps = frozenset(shown)
        for driver in self._drivers:
            driver.show(shown)

    def open_slots(self, state: State) -> None:
        """Let coins in where a wager can be made now, and nowhere else."""
        free = frozenset(
            place
            for place in self._slots
            if state.phase is Phase.OPEN and spot(*place) not in state.standing and not out(state, *place)
        )
        for driver in self._drivers:
            driver.accept(free)

    def faulted(self, why: str) -> None:
        """Show that the table cannot be played: no lamp invites, no slot is open."""
        for driver in self._drivers:
            driver.show(dict.fromkeys(self._lamps, _FAULT))
            driver.accept(frozenset())
        self._fault(why)
