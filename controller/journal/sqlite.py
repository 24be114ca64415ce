"""The journal on disk: one SQLite file, one connection that writes, one transaction per append."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from controller.journal import limits, opening, schema
from controller.journal.chain import chained, proven
from controller.journal.errors import COMPLAINTS, JournalCorruptError, JournalError, JournalLimitError, translated
from controller.journal.journal import KEPT_SNAPSHOTS
from controller.journal.paging import page
from controller.journal.pins import Pin
from controller.journal.place import HERE, Place
from controller.journal.rows import EMPTY, Entry, Head, Row, Snapshot

_INSERT = "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_LAST = "SELECT seq, hash FROM facts ORDER BY seq DESC LIMIT 1"
_ANCHOR = "SELECT seq, hash FROM archived"
# The fact after the anchor continues its hash, and an archive is named that ends with it: what is let go rests on it.
_HOLDS = f"""
SELECT (SELECT prev_hash FROM facts WHERE seq = :seq + 1) IS :hash AND EXISTS (
    SELECT 1 FROM facts WHERE type = 'facts-archived' AND {schema.OF_DAYS}
    AND payload ->> '$.last' = :seq AND payload ->> '$.hash' = lower(hex(:hash)))
"""  # noqa: S608 -- made of constants
_DROP = f"""
DELETE FROM facts WHERE seq IN
(SELECT seq FROM facts WHERE seq > ? AND seq <= ? AND NOT {schema.STAYS} ORDER BY seq LIMIT ?) RETURNING seq
"""  # noqa: S608 -- made of constants
_FORGET = "DELETE FROM snapshots WHERE seq NOT IN (SELECT seq FROM snapshots ORDER BY seq DESC LIMIT ?)"


class SqliteJournal:
    """A journal in the file at `path`, which is created if there is none: `with SqliteJournal(path) as journal:`.

    Opening it proves that it can be written. Every fault of the file or the disk is a `JournalError`; an unwritable
    disk is one that can pass, and then opening it again works.
    """

    def __init__(self, path: str | os.PathLike[str], place: Place = HERE) -> None:
        # One name for one journal: the lock of a link and of its target must be the same.
        self.path = place.real(path)
        self.place = place
        self._failure: BaseException | None = None
        self._release: Callable[[], None] | None = place.hold(self.path)
        self._conn: sqlite3.Connection | None = None
        try:
            opening.check_room(self.path, place)
            opening.create_if_missing(self.path, place)
            self._conn = opening.connect(self.path, place)
            opening.prepare(self._conn, self.path, place)
            self._base = self._found_base()
            self._gone = 0  # facts up to this one that were to leave have left, as far as is known
            self._head = self._found_head()
        except (*COMPLAINTS, OSError) as error:
            self.close()
            raise translated(self.path, error) from error
        except BaseException:
            self.close()
            raise

    def head(self) -> Head:
        """The last fact's number and hash."""
        return self._head

    def append(
        self,
        entries: Sequence[Entry],
        *,
        cursor: int | None = None,
        snapshot: Snapshot | None = None,
        archived: Head | None = None,
    ) -> Head:
        """Add facts, move cursor and anchor, keep a snapshot: one transaction, durable when it returns the new head."""
        if self._failure:
            raise self._failure
        try:
            limits.check(entries, cursor, snapshot, self._head)
            rows = chained(self._head, entries)
            if archived:
                self._check_leaving(archived, cursor)
            if rows or cursor is not None or snapshot or archived:
                self._commit(self._open(), rows, cursor, snapshot, archived)
        except (*COMPLAINTS, OSError) as error:
            self._failure = translated(self.path, error)
            raise self._failure from error
        except BaseException as error:
            self._failure = error
            raise
        if rows:
            self._head = Head(rows[-1].seq, rows[-1].hash)
        self._base = archived or self._base
        return self._head

    def anchor(self) -> Head:
        """The last fact that lies in an archive."""
        return self._base

    def forget(self, most: int) -> int:
        """Let some facts go that lie in an archive, in one transaction: the oldest first."""
        if self._failure:
            raise self._failure
        try:
            gone = self._open().execute(_DROP, (self._gone, self._base.seq, most)).fetchall()
        except COMPLAINTS as error:
            self._failure = translated(self.path, error)
            raise self._failure from error
        self._gone = max((seq for (seq,) in gone), default=self._base.seq)
        return len(gone)

    def rows(self, after: int = 0, upto: int | None = None) -> Iterator[Row]:
        """The facts with after < seq <= upto in order, read a page at a time."""
        last = self._head.seq if upto is None else min(upto, self._head.seq)
        while after < last:
            try:
                found = page(self._open(), after + 1, last)
            except COMPLAINTS as error:
                raise translated(self.path, error) from error
            if not found:
                return
            after = found[-1][0]
            yield from map(Row._make, found)

    def found(self, condition: str, *, after: int, most: int) -> list[Row]:
        """The first facts after one that meet a condition in SQL."""
        select = f"SELECT * FROM facts WHERE seq > ? AND {condition} ORDER BY seq LIMIT ?"  # noqa: S608 -- the caller's own
        try:
            return [Row(*row) for row in self._open().execute(select, (after, most)).fetchall()]
        except COMPLAINTS as error:
            raise translated(self.path, error) from error

    def cursor(self) -> int:
        """The outbox position."""
        try:
            (cursor,) = self._one("SELECT cursor FROM outbox")
        except COMPLAINTS as error:
            raise translated(self.path, error) from error
        if not isinstance(cursor, int):
            raise JournalCorruptError(f"{self.path}: the outbox holds {cursor!r}: restore a backup and verify that")
        return cursor

    def snapshots(self) -> list[Snapshot]:
        """The kept snapshots, newest first."""
        try:
            found = self._open().execute("SELECT seq, hash, version, payload FROM snapshots ORDER BY seq DESC")
            return [Snapshot(*row) for row in found.fetchall()]
        except COMPLAINTS as error:
            raise translated(self.path, error) from error

    def pin(self, operator: str) -> Pin | None:
        """The hash of an operator's PIN."""
        try:
            found = self._open().execute("SELECT operator, hash, changed_at FROM pins WHERE operator = ?", (operator,))
            row = found.fetchone()
        except COMPLAINTS as error:
            raise translated(self.path, error) from error
        return Pin(*row) if row else None

    def pins(self) -> list[Pin]:
        """The hash of everybody's PIN."""
        try:
            found = self._open().execute("SELECT operator, hash, changed_at FROM pins ORDER BY operator").fetchall()
        except COMPLAINTS as error:
            raise translated(self.path, error) from error
        return [Pin(*row) for row in found]

    def keep_pin(self, pin: Pin) -> None:
        """Keep the hash of a PIN in place of the operator's last, durable when it returns."""
        limits.check_pin(pin)
        self._write("INSERT OR REPLACE INTO pins VALUES (?, ?, ?)", pin)

    def drop_pin(self, operator: str) -> None:
        """Keep no PIN of an operator, durable when it returns."""
        self._write("DELETE FROM pins WHERE operator = ?", (operator,))

    def beat(self, at: str) -> None:
        """Write the time outside of the chain, durable when it returns."""
        self._write("UPDATE alive SET at = ?", (at,))

    def close(self) -> None:
        """Close the file and let the next process have it."""
        self._failure = self._failure or JournalError(f"{self.path} is closed: open it again")
        conn, self._conn = self._conn, None
        release, self._release = self._release, None
        try:
            if conn is not None:
                conn.close()
        finally:
            if release is not None:
                release()

    def _commit(
        self,
        conn: sqlite3.Connection,
        rows: list[Row],
        cursor: int | None,
        snapshot: Snapshot | None,
        archived: Head | None,
    ) -> None:
        conn.execute("BEGIN IMMEDIATE")
        try:
            self._check_unchanged(conn)
            conn.executemany(_INSERT, rows)
            if cursor is not None:
                conn.execute("UPDATE outbox SET cursor = ?", (cursor,))
            if snapshot:
                self._keep(conn, snapshot)
            if archived:
                conn.execute("UPDATE archived SET seq = ?, hash = ?", archived)
            conn.execute("COMMIT")
        except BaseException:
            # SQLite has rolled back by itself after most faults of the disk; the first error is the one that counts.
            with suppress(*COMPLAINTS):
                if conn.in_transaction:
                    conn.execute("ROLLBACK")
            raise

    def _write(self, statement: str, values: tuple[str, ...]) -> None:
        """One statement outside of the chain, as a transaction of its own. After any error nothing more is taken."""
        if self._failure:
            raise self._failure
        try:
            self._open().execute(statement, values)
        except COMPLAINTS as error:
            self._failure = translated(self.path, error)
            raise self._failure from error

    def _check_unchanged(self, conn: sqlite3.Connection) -> None:
        found = conn.execute(_LAST).fetchone() or self._base
        if found != self._head:
            raise JournalCorruptError(
                f"{self.path} ends at fact {found[0]} with hash {found[1].hex()}, this process left it at fact "
                f"{self._head.seq} with {self._head.hash.hex()}: end the program that changed it and verify the journal"
            )

    def _check_leaving(self, archived: Head, cursor: int | None) -> None:
        kept = [snapshot.seq for snapshot in self.snapshots()]
        limits.check_archived(archived, self._base, self.cursor() if cursor is None else cursor, kept)
        found = self._open().execute("SELECT seq, hash FROM facts WHERE seq = ?", (archived.seq,)).fetchone()
        if found != archived:
            raise JournalLimitError(f"archived up to fact {archived.seq}: that fact has another hash")

    def _keep(self, conn: sqlite3.Connection, snapshot: Snapshot) -> None:
        found = conn.execute("SELECT seq, hash FROM facts WHERE seq = ?", (snapshot.seq,)).fetchone() or self._base
        if found != (snapshot.seq, snapshot.hash):
            raise JournalLimitError(f"snapshot after fact {snapshot.seq}: that fact has another hash")
        conn.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)", snapshot)
        conn.execute(_FORGET, (KEPT_SNAPSHOTS,))

    def _found_base(self) -> Head:
        """The anchor, as the chain itself has it: a damaged one would let facts go that are in no archive."""
        base = Head(*self._one(_ANCHOR))
        if base != EMPTY and self._one(_HOLDS, {"seq": base.seq, "hash": base.hash}) != (1,):
            raise JournalCorruptError(
                f"{self.path}: its chain begins after fact {base.seq}, and it names no archive that ends there: "
                "keep a copy of it, restore a backup and verify that"
            )
        return base

    def _found_head(self) -> Head:
        """The head as the file has it; its last fact must at least agree with itself."""
        found = self._open().execute(_LAST).fetchone()
        if found is None:
            return self._base
        newest: int = found[0]
        if newest <= self._base.seq:
            raise JournalCorruptError(f"{self.path} ends at fact {newest}, its chain begins after {self._base.seq}")
        (last,) = map(Row._make, page(self._open(), newest, newest))
        return proven([last], Head(newest - 1, last.prev_hash))

    def _one(self, query: str, values: dict[str, object] | tuple[()] = ()) -> tuple[Any, ...]:
        found: tuple[Any, ...] | None = self._open().execute(query, values).fetchone()
        if found is None:
            raise JournalCorruptError(f"{self.path}: a row is missing ({query}): restore a backup and verify that")
        return found

    def _open(self) -> sqlite3.Connection:
        if self._conn is None:
            raise JournalError(f"{self.path} is closed: open it again")
        return self._conn

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
