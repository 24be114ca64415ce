"""What is to be done once a decision is durable, and never before."""

from typing import NamedTuple

from controller.core.state import Intent


class Lamps(NamedTuple):
    """Lamps that may show something else now; no positions: all of them."""

    positions: tuple[int, ...] = ()


class Flash(NamedTuple):
    """A position to flash: a late bet, or a chip pulled after lock-out."""

    position: int
    wager: str
    why: str


class Acceptors(NamedTuple):
    """Drop-slot acceptors to inhibit or to free: one, or all of them."""

    inhibit: bool
    position: int = 0
    wager: str = ""


class Meters(NamedTuple):
    """Meters whose display changed."""

    ids: tuple[str, ...]


class Ask(NamedTuple):
    """An intent to send to its link."""

    intent: Intent


Effect = Lamps | Flash | Acceptors | Meters | Ask
