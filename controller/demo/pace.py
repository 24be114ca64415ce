"""How fast a demonstration goes: one number divides every time of the table."""

from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from controller.rules.errors import BadInputError
from controller.settings import ButtonSettings
from drivers.modbus_bus import LEAST_SILENCE
from drivers.modbus_settings import ModbusSettings

# Ten times slower than a table is the slowest worth watching: half a minute between two presses. A thousand times
# faster no time of a table is longer than a program takes to do anything, and 0 says that better.
SLOWEST, FASTEST = 0.1, 1000.0


def _usual(settings: type[Struct], name: str) -> Any:  # noqa: ANN401 -- whatever type the setting has
    """What a setting is where nothing is said."""
    return next(each.default for each in fields(settings) if each.name == name)


class Pace(Struct, frozen=True):
    """Times of a table at a speed: 1 is a real table, 10 is ten times faster, and 0 waits for nothing but answers."""

    speed: float

    def __post_init__(self) -> None:
        if self.speed != 0 and not SLOWEST <= self.speed <= FASTEST:
            raise BadInputError(f"--speed {self.speed:g}: from {SLOWEST:g} to {FASTEST:g}, or 0: as fast as it can")

    def of(self, time: float) -> float:
        """A time of the table at this speed, in the unit it is given in."""
        return time / self.speed if self.speed else 0.0

    @property
    def debounce_seconds(self) -> float:
        """How long a chip or a press must last to be believed."""
        return self.of(_usual(ModbusSettings, "debounce_ms")) / 1000

    def line(self) -> dict[str, float]:
        """The times of a line of boards, for its settings."""
        usual = {name: _usual(ModbusSettings, name) for name in ("poll_ms", "debounce_ms")}
        usual["silence_ms"] = LEAST_SILENCE * 1000  # above 19200 baud
        return {name: round(self.of(time), 3) for name, time in usual.items()}

    def button(self) -> dict[str, int]:
        """The times of the button, for its settings."""
        return {name: round(self.of(_usual(ButtonSettings, name))) for name in ("reopen_after_ms", "pulled_ms")}
