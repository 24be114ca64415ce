"""What every driver is: one serial line, the devices on it, and how it hands up what they say."""

import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from drivers.events import Event
from drivers.port import OpenPort, Port


class Place(NamedTuple):
    """Where a chip, a coin or a lamp belongs."""

    position: int
    wager: str


class Device(Struct, frozen=True):
    """A device as it is configured: what is lost when it is."""

    id: str
    driver: str
    port: str
    places: tuple[Place, ...] = ()  # wagers sensed there
    button: bool = False  # it carries the lock-out button


class Counters(Struct):
    """What happened on the way to one device, since the program started."""

    frames: int = 0  # whole and good
    bad_checksums: int = 0
    resyncs: int = 0  # bytes thrown away to find the next frame, once for each time
    timeouts: int = 0
    reconnects: int = 0
    last_seen: float | None = None  # seconds since 1970, of the last good frame

    def seen(self) -> None:
        """A good frame came."""
        self.frames += 1
        self.last_seen = time.time()

    def told(self) -> dict[str, Any]:
        """All of them by name."""
        return asdict(self)


class Bookmark(NamedTuple):
    """How far the counted events of a device have been taken: its own counter, and the driver's number for it."""

    counter: int
    ordinal: int
    unit: str = ""  # the serial number of the device, where it was known
    coin: bool = True  # that event was a coin; False: it was `Known` without one


# Takes events over in their order, and returns when it has them, which is before they are durable. While it has no
# room the driver waits: nothing is polled or read meanwhile, and nothing is dropped.
HandUp = Callable[[Sequence[Event]], Awaitable[None]]


class Driver(ABC):
    """The devices of one line. `run` serves them for ever, also across a lost adapter; cancel it to end."""

    name: ClassVar[str]  # as the configuration calls it
    settings: ClassVar[type[Struct]]
    devices: tuple[Device, ...]
    counters: dict[str, Counters]  # by device
    polls: ClassVar[bool] = True  # asks all the time; otherwise the devices speak when they have something to say
    turns: int = 0  # of asking every device: a line that is served has more and more of them

    @abstractmethod
    def __init__(
        self,
        line: str,
        settings: Any,  # noqa: ANN401 -- of its own type
        hand_up: HandUp,
        bookmarks: Mapping[str, Bookmark],
        open_port: OpenPort = Port,
    ) -> None:
        """The driver of the line so called in the configuration."""

    @classmethod
    async def probe(cls, port: str) -> list[str]:
        """What answers on a line, asked in passing: a sentence for each. Nothing where a device cannot be asked."""
        del port
        return []

    @abstractmethod
    async def run(self) -> None:
        """Serve the line until cancelled."""

    def look(self, device: str) -> dict[str, str]:
        """What a device senses and shows now, for people who wire a table."""
        del device
        return {}

    def show(self, lamps: Mapping[Place, str]) -> None:  # noqa: B027 -- not every line has one
        """Show these patterns from now on; places that are no lamp of this line are not its business."""

    def flash(self, place: Place) -> None:  # noqa: B027 -- not every line has one
        """Flash a lamp once, and go back to its pattern."""

    def accept(self, places: frozenset[Place]) -> None:  # noqa: B027 -- not every line has one
        """Let coins into these drop slots, and into no other. At first, and after a `last_call`, all are shut."""

    async def rest(self) -> None:  # noqa: B027 -- not every line has one
        """Switch off and shut everything, before the program ends. Does nothing where `run` does not run."""

    async def last_call(self) -> None:  # noqa: B027 -- not every line has one
        """Shut every drop slot and hand up what fell in before. Returns when all of it has been taken.

        It hands up: whoever takes events must go on taking them while it waits for this.
        """
