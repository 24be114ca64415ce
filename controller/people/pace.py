"""How often something came from each client within a minute."""

from collections.abc import Callable

MINUTE_SECONDS = 60
# Clients of one table: consoles, tools, and many to spare. Those beyond share one count.
MOST_CLIENTS = 100
_THE_REST = "\0"


class Pace:
    """Counts by client, from zero every minute. The clock counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._counts: dict[str, int] = {}

    def so_far(self, client: str) -> int:
        """How often, within this minute."""
        if self._clock() - self._began >= MINUTE_SECONDS:
            self._began = self._clock()
            self._counts = {}
        return self._counts.get(self._key(client), 0)

    def count(self, client: str) -> int:
        """Once more; how often now."""
        count = self._counts[self._key(client)] = self.so_far(client) + 1
        return count

    def _key(self, client: str) -> str:
        return client if client in self._counts or len(self._counts) < MOST_CLIENTS else _THE_REST
