"""How much one visitor may ask for, and how much is open at once. Every number has its reason beside it."""

import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

SIGN_INS_PER_MINUTE = 10  # a person types two or three; the controller locks an operator out after five wrong ones
COMMANDS_PER_MINUTE = 120  # two a second: a busy pit behind one address, two or three for each hand that is keyed
DOWNLOADS_PER_MINUTE = 10  # each may take the controller seconds
SOCKETS_PER_ADDRESS = 32  # a wall of twenty signs and some consoles driven by one box
MOST_SOCKETS = 256  # of all; the console is built for 200
MOST_DOWNLOADS = 2  # at once: the controller takes one look at a time, and others are waiting for theirs
# Addresses counted one by one. A house has fewer; those beyond share one count.
MOST_ADDRESSES = 4096
_MINUTE = 60.0
_THE_REST = "the rest"


def visitor(address: str) -> str:
    """Whom to count: an address, or the network a home or a phone is given where addresses are plenty."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return address


class Pace:
    """So many a minute for each visitor. What was not used comes back little by little, up to a minute's worth."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = float(per_minute)
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}  # what is left, and when that was worked out

    def take(self, address: str) -> bool:
        """Whether one more may come now; if so it is counted."""
        who, now = visitor(address), self._clock()
        if who not in self._left and len(self._left) >= MOST_ADDRESSES:
            self._forget(now)
            if len(self._left) >= MOST_ADDRESSES:
                who = _THE_REST
        left = self._now(who, now)
        if left < 1:
            self._left[who] = (left, now)
            return False
        self._left[who] = (left - 1, now)
        return True

    def _now(self, who: str, now: float) -> float:
        left, then = self._left.get(who, (self._most, now))
        return min(self._most, left + (now - then) * self._most / _MINUTE)

    def _forget(self, now: float) -> None:
        """Forget those who have all of theirs back."""
        self._left = {who: kept for who, kept in self._left.items() if self._now(who, now) < self._most}


class Places:
    """So many at once, for each visitor and in all."""

    def __init__(self, per_address: int, most: int) -> None:
        self._per_address, self._most = per_address, most
        self._held: dict[str, int] = {}

    def __len__(self) -> int:
        return sum(self._held.values())

    def take(self, address: str) -> bool:
        """Whether there is a place; if so it is taken."""
        who = visitor(address)
        if len(self) >= self._most or self._held.get(who, 0) >= self._per_address:
            return False
        self._held[who] = self._held.get(who, 0) + 1
        return True

    def free(self, address: str) -> None:
        """Give a place back."""
        who = visitor(address)
        left = self._held[who] - 1
        if left:
            self._held[who] = left
        else:
            del self._held[who]
