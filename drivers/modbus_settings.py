"""The boards of a Modbus line as they are wired: which input is which chip, which coil is which lamp."""

from typing import Annotated

from msgspec import Meta, Struct

from drivers.driver import Place
from drivers.modbus_bus import silence
from drivers.modbus_rtu import LAST_ADDRESS, MOST_BITS, MOST_COILS
from drivers.patterns import LIGHTS, PATTERNS
from drivers.port import LineSettings

Address = Annotated[int, Meta(ge=0, le=LAST_ADDRESS)]
Position = Annotated[int, Meta(ge=1, le=99)]
Milliseconds = Annotated[float, Meta(ge=0, le=60_000)]


class InputSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One input: a chip sensor, the base wager's sensor (`wager = "base"`), or the button."""

    at: Address
    position: Position | None = None
    wager: str = ""
    button: bool = False
    active_low: bool = False  # the board reads off while a chip lies there, or the button is down
    debounce_ms: Milliseconds | None = None  # the line's where it is not given
    counter: Address | None = None  # two input registers in which the board counts pulses, also those between two polls
    latch: Address | None = None  # an input that stays on after a pulse, and
    latch_clear: Address | None = None  # the coil that clears it

    def __post_init__(self) -> None:
        if self.button == (self.position is not None or bool(self.wager)) or bool(self.wager) != (
            self.position is not None
        ):
            raise ValueError(f"input {self.at}: give it a position and a wager, or button = true")
        if not self.button and (self.counter is not None or self.latch is not None):
            raise ValueError(
                f"input {self.at}: a chip that lies shorter than a poll is no wager; only a button has that"
            )
        if (self.latch is None) != (self.latch_clear is None):
            raise ValueError(f"input {self.at}: a latch takes latch_clear too, or it is set for ever")
        if self.counter == LAST_ADDRESS:
            raise ValueError(f"input {self.at}: a counter has two registers, and {LAST_ADDRESS} is the last one")

    def name(self) -> str:
        """What it is, for people."""
        return "button" if self.button else f"{self.position} {self.wager}"


class LampSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One coil that lights a lamp. Several colours are several coils of one place that show different things."""

    at: Address
    position: Position
    wager: str
    shows: dict[str, str] = {}  # a light for each pattern, instead of the usual ones

    def __post_init__(self) -> None:
        for pattern, light in self.shows.items():
            if pattern not in PATTERNS:
                raise ValueError(f"lamp {self.at} shows {pattern!r}: there are {', '.join(PATTERNS)}")
            if light not in LIGHTS:
                raise ValueError(f"lamp {self.at} shows {pattern} as {light!r}: there are {', '.join(LIGHTS)}")

    def light(self, pattern: str) -> str:
        """How it shows a pattern. A lamp that is told what it shows stays dark for the rest."""
        return self.shows.get(pattern, "off") if self.shows else PATTERNS[pattern]


class BoardSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One board."""

    id: str
    address: Annotated[int, Meta(ge=1, le=255)]
    inputs: tuple[InputSettings, ...] = ()
    lamps: tuple[LampSettings, ...] = ()
    watchdog: Address | None = None  # the coil that switches on a watchdog of the board's own, where it has one

    def __post_init__(self) -> None:
        if not self.id or not all(letter.isalnum() or letter in "-_." for letter in self.id):
            raise ValueError(f"board {self.id!r}: a name of letters, digits, - _ and .")
        if not self.inputs and not self.lamps:
            raise ValueError(f"board {self.id} has neither inputs nor lamps")
        _distinct(f"board {self.id}: input", [each.at for each in self.inputs])
        _distinct(
            f"board {self.id}: place", [Place(each.position, each.wager) for each in self.inputs if each.position]
        )
        first, last = self.input_span()
        if last - first >= MOST_BITS:
            raise ValueError(f"board {self.id}: inputs {first} to {last} do not fit into one reading of {MOST_BITS}")
        first, last = self.lamp_span()
        if last - first >= MOST_COILS:
            raise ValueError(f"board {self.id}: lamps {first} to {last} do not fit into one writing of {MOST_COILS}")
        others = [self.watchdog, *(each.latch_clear for each in self.inputs)]
        if any(other is not None and first <= other <= last for other in others):
            raise ValueError(
                f"board {self.id}: coils {first} to {last} are lamps, and one of them is something else too"
            )

    def input_span(self) -> tuple[int, int]:
        """The first and last input read; (0, -1) where there is none."""
        return _span([each.at for each in self.inputs] + [each.latch for each in self.inputs if each.latch is not None])

    def lamp_span(self) -> tuple[int, int]:
        """The first and last coil written."""
        return _span([each.at for each in self.lamps])

    def places(self) -> tuple[Place, ...]:
        """The wagers sensed here."""
        return tuple(Place(each.position, each.wager) for each in self.inputs if each.position is not None)

    def has_button(self) -> bool:
        """Whether the lock-out button is here."""
        return any(each.button for each in self.inputs)


class ModbusSettings(LineSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of boards."""

    boards: Annotated[tuple[BoardSettings, ...], Meta(min_length=1, max_length=32)]  # what a bus of RS-485 carries
    poll_ms: Milliseconds = 25
    stale_ms: Milliseconds = 250  # without an answer for so long, a board is lost
    reply_ms: Milliseconds = 30  # a board takes some milliseconds to answer, and an adapter up to 16
    debounce_ms: Milliseconds = 40
    silence_ms: Milliseconds | None = None  # before every question; by the book where it is not given

    def __post_init__(self) -> None:
        _distinct("board", [each.id for each in self.boards])
        _distinct("board address", [each.address for each in self.boards])
        _distinct("place", [place for each in self.boards for place in each.places()])
        if sum(input_.button for each in self.boards for input_ in each.inputs) > 1:
            raise ValueError("there is one lock-out button")
        if self.stale_ms < self.poll_ms + self.reply_ms:
            raise ValueError(
                f"stale_ms {self.stale_ms:g}: at least poll_ms and reply_ms together, or all would be lost"
            )

    def silence_seconds(self) -> float:
        """How long the line is left alone before a question."""
        return silence(self) if self.silence_ms is None else self.silence_ms / 1000


def _span(found: list[int]) -> tuple[int, int]:
    return (min(found), max(found)) if found else (0, -1)


def _distinct(what: str, found: list[object]) -> None:
    twice = {str(each) for index, each in enumerate(found) if each in found[:index]}
    if twice:
        raise ValueError(f"{what} {', '.join(sorted(twice))} is there twice")
