"""What is to be done once a decision is durable, and never before."""

from msgspec import Struct

from controller.core.state import Intent


class Lamps(Struct, frozen=True, gc=False):
    """Lamps that may show something else now; no positions: all of them."""

    positions: tuple[int, ...] = ()


class Flash(Struct, frozen=True, gc=False):
    """A position to flash: a late bet, or a chip pulled after lock-out."""

    position: int
    wager: str
    why: str


class Acceptors(Struct, frozen=True, gc=False):
    """Drop-slot acceptors to inhibit or to free: one, or all of them."""

    inhibit: bool
    position: int = 0
    wager: str = ""


class Meters(Struct, frozen=True, gc=False):
    """Meters whose display changed."""

    ids: tuple[str, ...]


class Ask(Struct, frozen=True, gc=False):
    """An intent to send to its link."""

    intent: Intent


Effect = Lamps | Flash | Acceptors | Meters | Ask
