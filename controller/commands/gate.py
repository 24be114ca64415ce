"""How much one client, and all of them, may have under way: nobody's flood keeps a dealer waiting."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from controller.people.pace import Pace
from controller.people.rights import QUERIES

# Commands not yet answered: many times the consoles and tools of one table. Who comes then is told to come again.
MOST_UNDER_WAY = 64
MOST_OF_A_CLIENT = 32  # half of them: the other half is for the others
# Queries wait for one another, for seconds each at worst. Whoever asks behind so many would get no answer in time.
MOST_QUERIES = 8
MOST_QUERIES_OF_A_CLIENT = 4
# Ten a second for a minute on end: no console with people at it sends so many, and each that is refused is a fact.
MOST_PER_MINUTE = 600


class Gate:
    """Counts what is under way."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._pace = Pace(seconds)
        self._commands: Counter[str] = Counter()
        self._queries: Counter[str] = Counter()

    def shut(self, client: str, name: str) -> str:
        """Why one more is too many; empty where it is not. It counts as sent either way."""
        if self._pace.count(client) > MOST_PER_MINUTE:
            return f"{MOST_PER_MINUTE} commands from this client within a minute: wait a minute"
        if self._commands.total() >= MOST_UNDER_WAY:
            return f"{MOST_UNDER_WAY} commands are under way: send it again"
        if self._commands[client] >= MOST_OF_A_CLIENT:
            return f"{MOST_OF_A_CLIENT} commands of this client are under way: send it again"
        if name in QUERIES and self._queries.total() >= MOST_QUERIES:
            return f"{MOST_QUERIES} queries are under way: ask again in a while"
        if name in QUERIES and self._queries[client] >= MOST_QUERIES_OF_A_CLIENT:
            return f"{MOST_QUERIES_OF_A_CLIENT} queries of this client are under way: ask again in a while"
        return ""

    @contextmanager
    def passing(self, client: str, name: str) -> Iterator[None]:
        """One that is under way."""
        counts = [self._commands, *([self._queries] if name in QUERIES else [])]
        for each in counts:
            each[client] += 1
        try:
            yield
        finally:
            for each in counts:
                each[client] -= 1
                if not each[client]:
                    del each[client]
