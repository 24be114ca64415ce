"""How a wire with coin acceptors is configured."""

from typing import Literal

from msgspec import Struct

from drivers.cctalk_frames import HOST
from drivers.driver import Place
from drivers.port import LineSettings

COINS = 16  # an inhibit mask has two bytes
# A wire at 9600 baud polls sixteen of them in half a second: half of what an acceptor waits before it takes no coins.
MOST_ACCEPTORS = 16
# "Some acceptors stop accepting after 1 s without" being polled: twice in that time, or one lost reply shuts them.
MOST_POLL_MS = 500
LEAST_REPLY_MS, MOST_REPLY_MS = 10, 1000  # "a reply usually comes within 10 ms"
MOST_STALE_MS = 60_000  # a slot that says nothing for a minute is lost by any measure


class AcceptorSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An acceptor: its address on the wire, the place it serves, and the coins it may take, by their number in it."""

    id: str
    address: int = 2
    position: int
    wager: str
    coins: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.id or not self.wager:
            raise ValueError("an acceptor has an id, and a wager it is for")
        if not HOST < self.address <= 0xFF:  # noqa: PLR2004 -- a byte
            raise ValueError(f"address {self.address}: 2 to 255, 1 is the host")
        if self.position < 1:
            raise ValueError(f"position {self.position}: positions begin with 1")
        if not self.coins or len(set(self.coins)) != len(self.coins):
            raise ValueError("coins are the numbers of one or more coins, each once")
        if not all(1 <= coin <= COINS for coin in self.coins):
            raise ValueError(f"coins {list(self.coins)}: numbers from 1 to {COINS}")

    @property
    def mask(self) -> bytes:
        """The inhibit mask: a bit for every coin that is enabled, coins 1 to 8 in the first byte."""
        return sum(1 << coin - 1 for coin in self.coins).to_bytes(2, "little")

    @property
    def place(self) -> Place:
        """Where its coins belong."""
        return Place(self.position, self.wager)


class CcTalkSettings(LineSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A wire with acceptors on it."""

    acceptors: tuple[AcceptorSettings, ...]
    checksum: Literal["simple", "crc16"] = "simple"
    poll_ms: int = 100  # from one reading of an acceptor to the next
    reply_ms: int = 50  # how long to wait for a reply, beyond the time it takes on the wire
    stale_ms: int = 1000  # an acceptor that is not read for so long is lost

    def __post_init__(self) -> None:
        if not 1 <= len(self.acceptors) <= MOST_ACCEPTORS:
            raise ValueError(f"{len(self.acceptors)} acceptors: 1 to {MOST_ACCEPTORS} on a line")
        for what in ("id", "address", "place"):
            values = [getattr(acceptor, what) for acceptor in self.acceptors]
            if len(set(values)) != len(values):
                raise ValueError(f"two acceptors have the same {what}")
        if not 1 <= self.poll_ms <= MOST_POLL_MS:
            raise ValueError(f"poll_ms {self.poll_ms}: 1 to {MOST_POLL_MS}, or acceptors shut by themselves")
        if not LEAST_REPLY_MS <= self.reply_ms <= MOST_REPLY_MS:
            raise ValueError(f"reply_ms {self.reply_ms}: {LEAST_REPLY_MS} to {MOST_REPLY_MS}")
        if not self.poll_ms + self.reply_ms <= self.stale_ms <= MOST_STALE_MS:
            raise ValueError(f"stale_ms {self.stale_ms}: poll_ms and reply_ms together, up to {MOST_STALE_MS}")
