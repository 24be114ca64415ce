"""What every journal does, on disk and in memory alike."""

import pytest

from controller.journal.chain import proven
from controller.journal.errors import JournalError, JournalLimitError
from controller.journal.journal import Journal
from controller.journal.memory import MemoryJournal
from controller.journal.rows import EMPTY, Entry, Head, Row, Snapshot
from tests.journal.entries import entries, entry


def contents(row: Row) -> Entry:
    return Entry(*row[1:6])


def test_an_empty_journal_has_nothing(journal: Journal) -> None:
    assert journal.head() == EMPTY == Head(0, bytes(32))
    assert list(journal.rows()) == []
    assert journal.cursor() == 0
    assert journal.snapshots() == []


def test_what_is_appended_comes_back_in_order_numbered_and_chained(journal: Journal) -> None:
    first = journal.append(entries(3))
    second = journal.append(entries(2, first=3))
    rows = list(journal.rows())
    assert [contents(row) for row in rows] == entries(5)
    assert [row.seq for row in rows] == [1, 2, 3, 4, 5]
    assert first == Head(3, rows[2].hash)
    assert second == journal.head() == Head(5, rows[4].hash)
    assert rows[0].prev_hash == EMPTY.hash
    assert proven(rows, EMPTY) == second


def test_batches_leave_no_trace_in_the_chain(journal: Journal) -> None:
    for each in entries(5):
        journal.append([each])
    assert journal.head() == MemoryJournal().append(entries(5))


def test_payloads_come_back_as_they_went_in(journal: Journal) -> None:
    payloads = ["{}", ' { "b" : 1e2 , "a" : "\\u00e9é龍" } ', "null", '{"nul":"\x00"}']
    journal.append([entry(number, payload) for number, payload in enumerate(payloads)])
    assert [row.payload for row in journal.rows()] == payloads


@pytest.mark.parametrize(
    ("after", "upto", "expected"),
    [(0, None, [1, 2, 3, 4]), (2, None, [3, 4]), (1, 3, [2, 3]), (4, None, []), (0, 0, []), (9, None, []), (3, 2, [])],
)
def test_rows_can_be_asked_for_from_and_to(journal: Journal, after: int, upto: int | None, expected: list[int]) -> None:
    journal.append(entries(4))
    assert [row.seq for row in journal.rows(after, upto)] == expected


def test_more_rows_than_a_page_come_back(journal: Journal) -> None:
    journal.append(entries(1000))
    journal.append(entries(300, first=1000))
    assert [row.seq for row in journal.rows()] == list(range(1, 1301))


def test_rows_end_where_the_journal_ended_when_the_first_was_asked_for(journal: Journal) -> None:
    journal.append(entries(2))
    rows = journal.rows()
    beyond = journal.rows(upto=100)
    seen = [next(rows).seq, next(beyond).seq]
    journal.append(entries(2, first=2))
    assert seen == [1, 1]
    assert [row.seq for row in rows] == [2]
    assert [row.seq for row in beyond] == [2]
    assert [row.seq for row in journal.rows()] == [1, 2, 3, 4]


def test_the_cursor_moves_with_an_append_or_alone(journal: Journal) -> None:
    head = journal.append(entries(3), cursor=2)
    assert journal.cursor() == 2
    assert journal.append([], cursor=3) == head
    assert journal.cursor() == 3
    journal.append(entries(1, first=3))
    assert journal.cursor() == 3


def test_an_append_of_nothing_changes_nothing(journal: Journal) -> None:
    head = journal.append(entries(2))
    assert journal.append([]) == head
    assert len(list(journal.rows())) == 2


def test_the_newest_two_snapshots_are_kept_newest_first(journal: Journal) -> None:
    taken = []
    for number in range(4):
        head = journal.append(entries(2, first=2 * number))
        taken.append(Snapshot(head.seq, head.hash, 1, f"state {number}".encode()))
        journal.append([entry(number)], snapshot=taken[-1])
    assert journal.snapshots() == [taken[3], taken[2]]


def test_a_snapshot_may_be_of_the_empty_journal_and_be_taken_again(journal: Journal) -> None:
    journal.append([], snapshot=Snapshot(*EMPTY, 1, b"empty"))
    journal.append([], snapshot=Snapshot(*EMPTY, 2, b"still empty"))
    assert journal.snapshots() == [Snapshot(*EMPTY, 2, b"still empty")]


def test_a_refused_append_leaves_nothing_and_ends_the_appending(journal: Journal) -> None:
    head = journal.append(entries(2), cursor=1)
    with pytest.raises(JournalError) as first:
        journal.append([*entries(2), entry()._replace(at="yesterday")], cursor=2)
    with pytest.raises(JournalError) as second:
        journal.append(entries(1))
    assert second.value is first.value
    assert journal.head() == head
    assert len(list(journal.rows())) == 2
    assert journal.cursor() == 1


def test_an_error_of_the_caller_ends_the_appending_too(journal: Journal) -> None:
    with pytest.raises(UnicodeEncodeError):
        journal.append([entry(payload='"\ud800"')])
    with pytest.raises(UnicodeEncodeError):
        journal.append(entries(1))
    assert list(journal.rows()) == []


def test_a_closed_journal_takes_nothing(journal: Journal) -> None:
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal.append(entries(1))


def told(journal: Journal) -> Head:
    """Facts that are all handed on, two snapshots near their end; the third fact."""
    journal.append([*entries(4), entry(4, '{"hit":"x"}'), *entries(4, first=5)])
    rows = list(journal.rows())
    for seq in (7, 8):
        journal.append([], snapshot=Snapshot(seq, rows[seq - 1].hash, 1, b""), cursor=9)
    return Head(6, rows[5].hash)


def test_archived_facts_leave_a_few_at_a_time_and_those_of_awards_stay(journal: Journal) -> None:
    anchor = told(journal)
    assert journal.anchor() == EMPTY
    assert journal.forget(10) == 0
    head = journal.append(entries(1, first=9), archived=anchor)
    assert journal.anchor() == anchor
    assert [row.seq for row in journal.rows()] == list(range(1, 11))
    assert [journal.forget(3) for _ in range(3)] == [3, 2, 0]
    assert [row.seq for row in journal.rows()] == [5, 7, 8, 9, 10]
    assert journal.head() == head
    assert journal.append(entries(1)).seq == 11


@pytest.mark.parametrize(
    ("seq", "why"),
    [(0, "facts up to 0 are already"), (8, "two snapshots after it are needed"), (10, "only those up to 9")],
)
def test_an_anchor_past_what_is_told_and_saved_is_refused(journal: Journal, seq: int, why: str) -> None:
    told(journal)
    with pytest.raises(JournalLimitError, match=why):
        journal.append([], archived=Head(seq, bytes(32)))


def test_an_anchor_with_another_hash_is_refused(journal: Journal) -> None:
    told(journal)
    with pytest.raises(JournalLimitError, match="that fact has another hash"):
        journal.append([], archived=Head(6, bytes(32)))
