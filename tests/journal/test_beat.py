"""The heartbeat: it proves the disk, is no fact, and a journal that cannot be written says so."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.errors import JournalError
from controller.journal.journal import Journal
from controller.journal.rows import EMPTY
from controller.journal.sqlite import SqliteJournal
from tests.journal.entries import entries

AT, LATER = "2026-11-16T11:15:00.123456Z", "2026-11-16T11:15:10.000000Z"


def test_a_beat_is_no_fact(journal: Journal) -> None:
    journal.beat(AT)
    assert (journal.head(), list(journal.rows())) == (EMPTY, [])
    journal.append(entries(1))
    journal.beat(LATER)
    assert journal.head().seq == 1


def test_a_closed_journal_has_no_beat(journal: Journal) -> None:
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.beat(AT)


def test_the_last_beat_is_on_disk(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.beat(AT)
        journal.beat(LATER)
        with closing(sqlite3.connect(path)) as reader:
            assert reader.execute("SELECT only, at FROM alive").fetchall() == [(1, LATER)]


def test_a_beat_that_could_not_be_written_ends_the_writing(path: Path) -> None:
    with SqliteJournal(path) as journal:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(JournalError) as first:
                journal.beat(AT)
        with pytest.raises(JournalError) as second:
            journal.append(entries(1))
        assert second.value is first.value
