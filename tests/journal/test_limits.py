"""Every limit of an append, on both sides, for both journals."""

import pytest

from controller.journal.errors import JournalLimitError
from controller.journal.journal import Journal
from controller.journal.limits import (
    MOST_ENTRIES,
    MOST_INTEGER,
    MOST_PAYLOAD_BYTES,
    MOST_SNAPSHOT_BYTES,
    MOST_TYPE_CHARACTERS,
)
from controller.journal.rows import EMPTY, Entry, Snapshot
from tests.journal.entries import entries, entry

AT_THE_LIMIT = {
    "payload": entry(payload="x" * MOST_PAYLOAD_BYTES),
    "payload of wide characters": entry(payload="龍" * (MOST_PAYLOAD_BYTES // 3)),
    "no payload": entry(payload=""),
    "type": entry()._replace(type="t" * MOST_TYPE_CHARACTERS),
    "round": entry()._replace(round=MOST_INTEGER),
    "round 0": entry()._replace(round=0),
    "version": entry()._replace(version=MOST_INTEGER),
}
BEYOND = {
    "payload": (entry(payload="x" * (MOST_PAYLOAD_BYTES + 1)), "payload of 4194305 bytes: at most 4194304"),
    "payload of wide characters": (entry(payload="龍" * (MOST_PAYLOAD_BYTES // 3 + 1)), "payload of"),
    "no type": (entry()._replace(type=""), "type"),
    "type": (entry()._replace(type="t" * (MOST_TYPE_CHARACTERS + 1)), "type"),
    "round": (entry()._replace(round=MOST_INTEGER + 1), "round"),
    "round below 0": (entry()._replace(round=-1), "round -1"),
    "version": (entry()._replace(version=MOST_INTEGER + 1), "version"),
    "version below 0": (entry()._replace(version=-1), "version -1"),
    "a time without a fraction": (
        entry()._replace(at="2026-11-16T11:15:00Z"),
        "at '2026-11-16T11:15:00Z': write it like",
    ),
    "a time of another zone": (entry()._replace(at="2026-11-16T11:15:00.123456+01:00"), "at"),
    "a time in other digits": (entry()._replace(at="٢026-11-16T11:15:00.123456Z"), "at"),
    "a time and a line": (entry()._replace(at="2026-11-16T11:15:00.123456Z\n"), "at"),
}


@pytest.mark.parametrize("name", AT_THE_LIMIT)
def test_an_entry_at_the_limit_is_taken_and_comes_back(journal: Journal, name: str) -> None:
    journal.append([AT_THE_LIMIT[name]])
    assert [Entry(*row[1:6]) for row in journal.rows()] == [AT_THE_LIMIT[name]]


@pytest.mark.parametrize("name", BEYOND)
def test_an_entry_beyond_is_refused(journal: Journal, name: str) -> None:
    bad, message = BEYOND[name]
    with pytest.raises(JournalLimitError, match=message):
        journal.append([bad])
    assert journal.head() == EMPTY


def test_as_many_entries_as_allowed_are_taken(journal: Journal) -> None:
    assert journal.append(entries(MOST_ENTRIES)).seq == MOST_ENTRIES


def test_one_entry_more_is_refused(journal: Journal) -> None:
    with pytest.raises(JournalLimitError, match="1025 entries in one append: at most 1024"):
        journal.append(entries(MOST_ENTRIES + 1))


@pytest.mark.parametrize("cursor", [0, 5])
def test_the_cursor_may_be_anywhere_in_the_journal(journal: Journal, cursor: int) -> None:
    journal.append(entries(3))
    journal.append(entries(2), cursor=cursor)
    assert journal.cursor() == cursor


@pytest.mark.parametrize("cursor", [-1, 6])
def test_the_cursor_may_not_leave_it(journal: Journal, cursor: int) -> None:
    journal.append(entries(3))
    with pytest.raises(JournalLimitError, match=f"cursor {cursor}: the journal ends at fact 5"):
        journal.append(entries(2), cursor=cursor)


def test_a_snapshot_of_the_size_allowed_is_kept(journal: Journal) -> None:
    snapshot = Snapshot(*EMPTY, 1, bytes(MOST_SNAPSHOT_BYTES))
    journal.append([], snapshot=snapshot)
    assert journal.snapshots() == [snapshot]


@pytest.mark.parametrize(
    ("snapshot", "message"),
    [
        (Snapshot(*EMPTY, 1, bytes(MOST_SNAPSHOT_BYTES + 1)), "snapshot of 16777217 bytes: at most 16777216"),
        (Snapshot(3, bytes(32), 1, b""), "the journal ended at fact 2"),
        (Snapshot(-1, bytes(32), 1, b""), "snapshot after fact -1"),
        (Snapshot(2, bytes(32), 1, b""), "that fact has another hash"),
        (Snapshot(0, b"\1" * 32, 1, b""), "that fact has another hash"),
        (Snapshot(0, bytes(31), 1, b""), "a hash of 31 bytes"),
        (Snapshot(*EMPTY, -1, b""), "version -1"),
        (Snapshot(*EMPTY, MOST_INTEGER + 1, b""), "version"),
    ],
)
def test_a_snapshot_that_stands_on_nothing_is_refused(journal: Journal, snapshot: Snapshot, message: str) -> None:
    journal.append(entries(2))
    with pytest.raises(JournalLimitError, match=message):
        journal.append(entries(1), snapshot=snapshot)
    assert journal.snapshots() == []
    assert journal.head().seq == 2
