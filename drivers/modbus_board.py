"""What is known of one board: its inputs as they were read, its coils as they were written and read back."""

from drivers import modbus_rtu as rtu
from drivers.driver import Counters
from drivers.events import Absent, Button, Event, Present
from drivers.modbus_settings import BoardSettings, InputSettings

SETTLE_SECONDS = 1.0  # beyond the longest debounce: one sensor that flickers must not keep its board off the table


class Sensed:
    """One input: what it reads, since when, and what was handed up of it."""

    def __init__(self, settings: InputSettings, debounce: float) -> None:
        self.settings = settings
        self.debounce = debounce
        self.level: bool | None = None  # what was handed up
        self._read: bool | None = None
        self._since = 0.0
        self._readings = 0
        self._told: int | None = None  # pulses by the board's own count, when a level was last handed up
        self._counted: int | None = None  # the same, as it was last read
        self._latched, self._latches = False, 0  # its latch as it was last read, and how often it was set

    def forget(self) -> None:
        """Know nothing of it: the next reading that lasts is news, whatever it is."""
        self.level = self._read = self._told = self._counted = None

    @property
    def rests(self) -> bool:
        """Whether it reads what was handed up, and has for long enough."""
        return self._read is self.level and self._counted == self._told

    def believed(self) -> bool:
        """The level, with one that has not lasted yet taken for none: a chip that flickers is no wager."""
        self.level = bool(self.level)
        self._told = self._counted
        return self.level

    def latch(self, latched: bool) -> int:
        """How often its latch was set, with this reading of it. One that cannot be cleared counts once."""
        self._latches += latched and not self._latched
        self._latched = latched
        return self._latches

    def take(self, bit: bool, now: float, counted: int | None) -> tuple[bool, ...]:
        """A reading. The levels to hand up: none, one, or two for a press that was over before it was read."""
        if bit is not self._read or counted != self._counted:  # also a pulse that was not seen begins it anew
            self._read, self._counted, self._since, self._readings = bit, counted, now, 0
        self._readings += 1
        lasted = self._readings > 1 and now - self._since >= self.debounce
        # One reading is enough where there is no debounce; otherwise two at least: a damaged reply can pass the CRC.
        if bit is not self.level and (lasted or not self.debounce):
            self.level, self._told = bit, counted
            return (bit,)
        # A press the board counted, and that is over for as long as a level must last: it is not just beginning.
        if not lasted or bit or self.level is not False or counted == self._told:
            return ()
        self._told = counted
        return (True, False) if counted else ()  # a count of nothing is a board that has restarted

    def event(self, board: str, on: bool) -> Event:
        """A level as it is handed up."""
        if self.settings.position is None:
            return Button(device=board, pressed=on)
        kind = Present if on else Absent
        return kind(device=board, position=self.settings.position, wager=self.settings.wager)


class Board:
    """One board."""

    def __init__(self, settings: BoardSettings, debounce: float) -> None:
        self.settings = settings
        self.counters = Counters()
        self.inputs = [
            Sensed(each, debounce if each.debounce_ms is None else each.debounce_ms / 1000) for each in settings.inputs
        ]
        self.online = False  # it answers
        self.told_online = False  # and all it senses has been handed up
        self.told_lost = False
        self.faulted = False
        self.begun_at = 0.0
        self.good_at = 0.0  # when it was last read
        self.ask_at = 0.0  # not before: one that is lost
        self.light_at = 0.0  # not before: one whose coils were not answered for
        self.coils: tuple[bool, ...] | None = None  # as last read back
        self.checked_at = 0.0
        self.unfollowed_since: float | None = None
        address = settings.address
        self.first_input, last = settings.input_span()
        self.read_inputs = (
            rtu.read_bits(address, rtu.READ_INPUTS, self.first_input, last - self.first_input + 1)
            if settings.inputs
            else None
        )
        self.first_coil, last = settings.lamp_span()
        self.coil_count = last - self.first_coil + 1
        self.read_coils = (
            rtu.read_bits(address, rtu.READ_COILS, self.first_coil, self.coil_count) if settings.lamps else None
        )

    def forget(self) -> None:
        """It is not there: nothing it said counts."""
        self.online = self.told_online = self.faulted = False
        self.coils = self.unfollowed_since = None
        for each in self.inputs:
            each.forget()

    def is_idle(self) -> bool:
        """Whether all it senses and shows is known, and has been told."""
        followed = self.coils is not None or self.read_coils is None
        return (
            self.told_online and followed and self.unfollowed_since is None and all(each.rests for each in self.inputs)
        )

    def settled(self, cycle: float) -> bool:
        """Whether all it senses is known, or has had its time."""
        if all(each.level is not None for each in self.inputs):
            return True
        longest = max(each.debounce for each in self.inputs)
        return cycle - self.begun_at > SETTLE_SECONDS + longest

    def levels(self) -> list[Event]:
        """Everything it senses."""
        return [each.event(self.settings.id, each.believed()) for each in self.inputs]

    def wrong_coils(self, wanted: tuple[bool, ...]) -> list[str]:
        """Coils that are not as they should be."""
        found = self.coils or ()
        return [
            str(self.first_coil + at) for at, (is_, want) in enumerate(zip(found, wanted, strict=True)) if is_ != want
        ]
