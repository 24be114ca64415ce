"""How often something came from each client within a minute."""

from collections.abc import Callable, Hashable

MINUTE_SECONDS = 60
# Clients of one table: consoles, tools, and many to spare. Those beyond share one count.
MOST_CLIENTS = 100
_THE_REST = "\0"


class Pace:
    """Counts by client, or by what is finer, from zero every minute. The clock counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float], most: int = MOST_CLIENTS) -> None:
        self._clock = clock
        self._most = most
        self._began = clock()
        self._counts: dict[Hashable, int] = {}

    def so_far(self, client: Hashable) -> int:
        """How often, within this minute."""
        if self._clock() - self._began >= MINUTE_SECONDS:
            self._began = self._clock()
            self._counts = {}
        return self._counts.get(self._key(client), 0)

    def count(self, client: Hashable) -> int:
        """Once more; how often now."""
        count = self._counts[self._key(client)] = self.so_far(client) + 1
        return count

    def _key(self, client: Hashable) -> Hashable:
        return client if client in self._counts or len(self._counts) < self._most else _THE_REST
