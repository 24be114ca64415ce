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
from controller.journal.errors import (
    JournalBusyError,
    JournalCorruptError,
    JournalError,
    JournalUnreadableError,
    translated,
)
from controller.journal.reading import JournalReader
from controller.people.pins import Elsewhere

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

    def __init__(
        self,
        open_reader: Callable[[], JournalReader],
        *,
        query_seconds: float = QUERY_SECONDS,
        elsewhere: Elsewhere = asyncio.to_thread,
    ) -> None:
        self._open = open_reader
        self._elsewhere = elsewhere
        self._query_seconds = query_seconds
        self._queries = asyncio.Semaphore(QUERIES_AT_ONCE)
        self._replies = asyncio.Semaphore(REPLIES_AT_ONCE)

    async def query(self, ask: Callable[[JournalReader], T]) -> T:
        """The answer to a question that may go through the whole journal."""
        async with self._queries:
            return await self._look(ask)

    async def fact(self, seq: int) -> Stored | None:
        """The fact with a number, unless it has left for an archive."""
        return await self.glance(lambda journal: one(journal, seq, here=True))

    async def glance(self, ask: Callable[[JournalReader], T]) -> T:
        """The answer to a question about a few facts."""
        async with self._replies:
            return await self._look(ask)

    async def _look(self, ask: Callable[[JournalReader], T]) -> T:
        given_up = Event()
        try:
            found: T = await self._elsewhere(self._in_thread, ask, given_up)
        finally:
            given_up.set()  # who asked may be gone: the thread ends by itself
        return found

    def _in_thread(self, ask: Callable[[JournalReader], T], given_up: Event) -> T:
        until = time.monotonic() + self._query_seconds

        def over() -> bool:
            return given_up.is_set() or time.monotonic() >= until

        try:
            return self._asked(ask, over)
        except JournalBusyError:  # a day was archived meanwhile, which happens once a day: once more
            return self._asked(ask, over)

    def _asked(self, ask: Callable[[JournalReader], T], over: Callable[[], bool]) -> T:
        def give_up() -> None:
            if over():
                raise JournalUnreadableError("nobody waits for it any more")

        with self._open() as journal:
            journal.db.conn.set_progress_handler(over, _STEPS)
            journal.past.still_wanted = give_up
            try:
                found = _unparted(journal, ask)
            except (MsgspecError, UnreadableFactError) as error:
                raise JournalCorruptError(f"{journal.path} holds a fact that is none: verify it: {error}") from error
            except (JournalError, sqlite3.Error) as error:
                if over():
                    why = f"it took longer than {self._query_seconds:g} s: ask for less, or later"
                    raise TooLongError(why) from error
                if isinstance(error, sqlite3.Error):
                    raise translated(journal.path, error) from error
                raise
            return found


def _unparted(journal: JournalReader, ask: Callable[[JournalReader], T]) -> T:
    """An answer, or what went wrong with it, of one journal: facts that leave meanwhile can bring forth anything."""
    try:
        return ask(journal)
    finally:
        journal.check_unchanged()
