"""One journal that grows to ten million facts in minutes: every fact is decided by the engine, few are synced.

A journal that was hurried is as whole as any: `audit verify` is run on it as a part of what is measured. Its gaming
days are those of a busy table, 2,400 rounds each; only the last few are short, as `bench.long_journal` makes them.
"""

import sqlite3
import time
from pathlib import Path

from bench.long_journal import EVERY, TOGETHER, Builder
from bench.play import engine
from bench.report import progress
from controller.core.inputs import Input
from controller.journal.rows import Head, Row, Snapshot
from controller.journal.sqlite import SqliteJournal

CALMLY = 3 * EVERY  # facts at the end that are played with snapshots, as a controller takes them
COMMIT_FACTS = 100_000  # facts of a transaction while hurrying
TELL_FACTS = 1_000_000
LEAST_FREE = 1.3  # of what the journals take, on the disk


class HastyJournal(SqliteJournal):
    """A journal that syncs nothing and commits seldom: for a file that is thrown away should anything happen."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._open().execute("PRAGMA synchronous = OFF").close()
        self._uncommitted = 0

    def _commit(
        self,
        conn: sqlite3.Connection,
        rows: list[Row],
        cursor: int | None,
        snapshot: Snapshot | None,
        archived: Head | None,
    ) -> None:
        if cursor is not None or snapshot is not None or archived is not None:
            raise RuntimeError("a hasty journal takes facts and nothing else")
        if not conn.in_transaction:
            conn.execute("BEGIN IMMEDIATE")
        conn.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._uncommitted += len(rows)
        if self._uncommitted >= COMMIT_FACTS:
            conn.execute("COMMIT")
            self._uncommitted = 0

    def close(self) -> None:
        """Commit what is left."""
        if self._conn is not None and self._conn.in_transaction:
            self._conn.execute("COMMIT")
        super().close()


class Growing(Builder):
    """Plays one journal longer and longer, in a hurry."""

    @property
    def ahead(self) -> list[Input]:
        """What is due at the table."""
        return list(self._ahead)

    def grow(self, least: int) -> int:
        """As `build`, of which only the end is played in peace."""
        if self._state.seq < least - CALMLY:
            self._hurry(least - CALMLY)
        return self.build(least)

    def _hurry(self, upto: int) -> None:
        began, first, told = time.monotonic(), self._state.seq, self._state.seq
        with HastyJournal(self.path) as journal:
            playing = engine(self._state, journal, self._chance, self.play)
            while self._state.seq < upto:
                self._commit(playing, TOGETHER * 25)
                self._state = playing.state
                if self._state.seq - told >= TELL_FACTS:
                    told = self._state.seq
                    rate = (told - first) / (time.monotonic() - began)
                    progress(f"history: {told:,} facts, {rate:,.0f} a second")
