"""A driver whose lamps are seen: it hands everything on, and notes what they are told to show."""

from collections.abc import Callable, Mapping

from controller.simulation import trace
from drivers.driver import Driver, Place


class Watched(Driver):
    """Another driver, watched."""

    def __init__(
        self, driver: Driver, note: Callable[[trace.Any_], None], now: Callable[[], int], stir: Callable[[], None]
    ) -> None:
        self._driver = driver
        self._note, self._now, self._stir = note, now, stir
        self._shown: dict[Place, str] = {}
        self._boards = {place: device.id for device in driver.devices for place in device.places}
        self.name = driver.name  # type: ignore[misc]  # as the one that is watched
        self.polls = driver.polls  # type: ignore[misc]  # the same
        self.devices, self.counters = driver.devices, driver.counters

    async def run(self) -> None:
        """Serve the line until cancelled."""
        await self._driver.run()

    def look(self, device: str) -> dict[str, str]:
        """What a device senses and shows now."""
        return self._driver.look(device)

    def show(self, lamps: Mapping[Place, str]) -> None:
        """Show these patterns, and note those that are new."""
        for place, pattern in sorted(lamps.items()):
            board = self._boards.get(place)
            if board is not None and self._shown.get(place, "off") != pattern:
                self._shown[place] = pattern
                self._note(trace.LampShown(at=self._now(), board=board, pattern=pattern, **place._asdict()))
        self._driver.show(lamps)
        self._stir()

    def flash(self, place: Place) -> None:
        """Flash a lamp once."""
        board = self._boards.get(place)
        if board is not None:
            self._note(trace.LampFlashed(at=self._now(), board=board, **place._asdict()))
        self._driver.flash(place)
        self._stir()

    def accept(self, places: frozenset[Place]) -> None:
        """Let coins into these drop slots."""
        self._stir()
        self._driver.accept(places)

    async def rest(self) -> None:
        """Switch off and shut everything."""
        for place, pattern in sorted(self._shown.items()):
            if pattern != "off":
                self._shown[place] = "off"
                board = self._boards[place]
                self._note(trace.LampShown(at=self._now(), board=board, pattern="off", **place._asdict()))
        self._stir()
        await self._driver.rest()

    async def last_call(self) -> None:
        """Shut every drop slot and hand up what fell in before."""
        self._stir()
        await self._driver.last_call()
