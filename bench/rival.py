"""The `eventsourcing` library recording the same facts on SQLite, set to sync every commit as the journal does."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore

from controller.journal.rows import Entry

_FULL = 2  # PRAGMA synchronous
_WAL = "wal"


class Table(Aggregate):
    """A table whose every fact is an event; it keeps no more than the time of the last."""

    @event("Opened")
    def __init__(self) -> None:
        self.at = ""

    @event("Recorded")
    def record(self, at: str, round_: int | None, kind: str, version: int, payload: str) -> None:
        """A fact: what comes of it is left out."""
        del round_, kind, version, payload  # kept in the event
        self.at = at


class Rival:
    """One application with one aggregate, which stays in memory: nothing is read again to write."""

    def __init__(self, path: Path) -> None:
        env = {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)}
        self._application: Application[UUID] = Application(env=env)
        self._store = _datastore(self._application)
        # Its connections are set to what SQLite was built with: FULL is set here, and read back on closing.
        with self._store.get_connection(commit=True) as connection:
            connection.cursor().execute("PRAGMA synchronous = FULL")
        self._table = Table()
        self._application.save(self._table)

    def save(self, entries: Sequence[Entry]) -> None:
        """Record facts in one transaction, the library's own way: the events an aggregate has collected, saved."""
        for entry in entries:
            self._table.record(*entry)
        self._application.save(self._table)

    def close(self, expected: int) -> None:
        """See that all is there and that every commit was synced."""
        recorded = self._table.version - 1
        found = []
        with self._store.transaction(commit=False) as cursor:
            for name in ("synchronous", "journal_mode"):
                cursor.execute(f"PRAGMA {name}")
                found.append(cursor.fetchone()[0])
        self._application.close()
        if (recorded, *found) != (expected, _FULL, _WAL):
            raise RuntimeError(f"eventsourcing recorded {recorded} of {expected} events with {found}")


def _datastore(application: Application[UUID]) -> SQLiteDatastore:
    return cast("SQLiteApplicationRecorder", application.recorder).datastore
