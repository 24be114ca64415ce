"""Looking something up in the journal while it is written: on a read-only connection of its own, in a thread."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from msgspec import MsgspecError

from controller.core.facts import UnreadableFactError
from controller.journal.audit.stored import Stored, one
from controller.journal.errors import JournalCorruptError, JournalError, translated
from controller.journal.reading import JournalReader

# One long look at a time leaves a core for play; a short one, for a reply, does not wait behind it.
QUERIES_AT_ONCE = 1
REPLIES_AT_ONCE = 2
# Nobody waits longer at a console, and a stop must not wait for a look: the service ends within five seconds.
QUERY_SECONDS = 20.0
_STEPS = 100_000  # of SQLite between two glances at the clock: some milliseconds

T = TypeVar("T")


class TooLongError(Exception):
    """A look was given up."""


class Looks:
    """`open_reader` opens the journal for reading; each look has a reader of its own, closed when it ends."""

    def __init__(self, open_reader: Callable[[], JournalReader], *, query_seconds: float = QUERY_SECONDS) -> None:
        self._open = open_reader
        self._query_seconds = query_seconds
        self._queries = asyncio.Semaphore(QUERIES_AT_ONCE)
        self._replies = asyncio.Semaphore(REPLIES_AT_ONCE)

    async def query(self, ask: Callable[[JournalReader], T]) -> T:
        """The answer to a question that may go through the whole journal."""
        async with self._queries:
            return await self._look(ask)

    async def fact(self, seq: int) -> Stored | None:
        """The fact with a number, unless it has left for an archive."""
        return await self.glance(lambda journal: one(journal, seq))

    async def glance(self, ask: Callable[[JournalReader], T]) -> T:
        """The answer to a question about a few facts."""
        async with self._replies:
            return await self._look(ask)

    async def _look(self, ask: Callable[[JournalReader], T]) -> T:
        given_up = Event()
        try:
            return await asyncio.to_thread(self._in_thread, ask, given_up)
        finally:
            given_up.set()  # who asked may be gone: the thread ends by itself

    def _in_thread(self, ask: Callable[[JournalReader], T], given_up: Event) -> T:
        until = time.monotonic() + self._query_seconds

        def over() -> bool:
            return given_up.is_set() or time.monotonic() >= until

        with self._open() as journal:
            journal.db.conn.set_progress_handler(over, _STEPS)
            try:
                return ask(journal)
            except (MsgspecError, UnreadableFactError) as error:
                raise JournalCorruptError(f"{journal.path} holds a fact that is none: verify it: {error}") from error
            except (JournalError, sqlite3.Error) as error:
                if over():
                    why = f"it took longer than {self._query_seconds:g} s: ask for less, or later"
                    raise TooLongError(why) from error
                if isinstance(error, sqlite3.Error):
                    raise translated(journal.path, error) from error
                raise
