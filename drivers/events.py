"""What a driver hands up: what a device said, in terms of the table, and how the device itself is.

Nothing here is worth money. A coin is the number the acceptor gives it; what it is worth is the controller's to know.
"""

from msgspec import Struct

PLAYER, BANKER, BURN = "player", "banker", "burn"  # where a card went


class Event(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, tag_field="event", tag=str.lower):
    """Something a device reported, or that became of the device."""

    device: str


class Present(Event, frozen=True, kw_only=True):
    """A chip lies on a sensor. A level: it is handed up when it changes, and again whenever a device comes online."""

    position: int
    wager: str


class Absent(Event, frozen=True, kw_only=True):
    """No chip lies on a sensor."""

    position: int
    wager: str


class Counted(Event, frozen=True, kw_only=True):
    """An event that the device itself counts. `ordinal` is the driver's number for it, which never comes again."""

    position: int
    wager: str
    ordinal: int
    counter: int  # what the device's own counter showed with it
    unit: str = ""  # the serial number of the device that counts

    @property
    def key(self) -> str:
        """The name under which it is taken once, however often it is handed up."""
        return f"{self.device}:{self.ordinal}"


class Dropped(Counted, frozen=True, kw_only=True):
    """A coin fell into a drop slot."""

    coin: int


class Rejected(Counted, frozen=True, kw_only=True):
    """A coin was refused by the acceptor itself, or something disturbed it: its own error code."""

    code: int


class Known(Event, frozen=True, kw_only=True):
    """How far the events of a device that counts are known, where no coin says so: at first, and after a fault.

    Kept with the coins, it is where the driver goes on after a restart.
    """

    ordinal: int
    counter: int
    unit: str = ""


class Button(Event, frozen=True, kw_only=True):
    """The lock-out button went down, or came up again. A maintained switch is down while it says "locked"."""

    pressed: bool


class Card(Event, frozen=True, kw_only=True):
    """A card left the shoe: which hand it went to, its place in that hand from 1, and its name, such as 9H."""

    hand: str
    index: int
    card: str


class Game(Event, frozen=True, kw_only=True):
    """The shoe's own view of the game: begun, ended with a result, or cancelled."""

    what: str  # begun, ended, cancelled
    result: str = ""  # player, banker, tie


class Online(Event, frozen=True, kw_only=True):
    """A device answers. The levels of all its sensors are handed up together with this."""

    detail: str = ""


class Lost(Event, frozen=True, kw_only=True):
    """A device does not answer. Nothing it said before counts any more."""

    reason: str


class Faulted(Event, frozen=True, kw_only=True):
    """Something a device should have done or told is in doubt; what it senses still is what it says."""

    reason: str


class Cleared(Event, frozen=True, kw_only=True):
    """A fault is over."""
