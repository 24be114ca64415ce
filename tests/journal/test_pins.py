"""Hashes of PINs, in the journal on disk and in its twin in memory: kept, replaced, dropped, and no fact."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.errors import JournalError, JournalLimitError
from controller.journal.limits import MOST_PIN_CHARACTERS
from controller.journal.memory import MemoryJournal
from controller.journal.pins import Pin
from controller.journal.rows import EMPTY
from controller.journal.sqlite import SqliteJournal
from tests.journal.entries import entries

AT, LATER = "2026-11-16T11:15:00.123456Z", "2026-11-17T11:15:00.000000Z"
FIRST, SECOND, OTHER = Pin("ana", "one", AT), Pin("ana", "two", LATER), Pin("bo", "three", AT)

Both = SqliteJournal | MemoryJournal


def test_a_pin_is_kept_replaced_and_dropped(journal: Both) -> None:
    assert journal.pin("ana") is None
    journal.keep_pin(FIRST)
    journal.keep_pin(OTHER)
    assert journal.pin("ana") == FIRST
    journal.keep_pin(SECOND)
    assert (journal.pin("ana"), journal.pin("bo")) == (SECOND, OTHER)
    assert journal.pins() == [SECOND, OTHER]
    journal.drop_pin("ana")
    journal.drop_pin("nobody")
    assert (journal.pin("ana"), journal.pin("bo")) == (None, OTHER)
    assert journal.pins() == [OTHER]


def test_a_pin_is_no_fact(journal: Both) -> None:
    journal.keep_pin(FIRST)
    assert (journal.head(), list(journal.rows())) == (EMPTY, [])
    journal.append(entries(2))
    journal.keep_pin(SECOND)
    assert journal.head().seq == 2


@pytest.mark.parametrize(
    "pin",
    [
        Pin("", "hash", AT),
        Pin("ana", "", AT),
        Pin("x" * (MOST_PIN_CHARACTERS + 1), "hash", AT),
        Pin("ana", "x" * (MOST_PIN_CHARACTERS + 1), AT),
        Pin("ana", "hash", "yesterday"),
    ],
)
def test_what_is_no_pin_is_refused_and_nothing_else_is(journal: Both, pin: Pin) -> None:
    with pytest.raises(JournalLimitError):
        journal.keep_pin(pin)
    journal.keep_pin(Pin("x" * MOST_PIN_CHARACTERS, "x" * MOST_PIN_CHARACTERS, AT))
    journal.append(entries(1))


def test_a_closed_journal_takes_no_pin(journal: Both) -> None:
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.keep_pin(FIRST)
    with pytest.raises(JournalError, match="closed"):
        journal.drop_pin("ana")


def test_pins_are_there_after_opening_again(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.keep_pin(FIRST)
    with SqliteJournal(path) as journal:
        assert journal.pin("ana") == FIRST


def test_a_pin_that_could_not_be_written_ends_the_writing(path: Path) -> None:
    with SqliteJournal(path) as journal:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(JournalError) as first:
                journal.keep_pin(FIRST)
        with pytest.raises(JournalError) as second:
            journal.append(entries(1))
        assert second.value is first.value
        assert journal.pin("ana") is None
