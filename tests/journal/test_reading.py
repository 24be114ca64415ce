"""Reading without writing: while the controller runs, after it died, from a copy, from a stick."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import schema
from controller.journal.chain import proven
from controller.journal.errors import (
    JournalBusyError,
    JournalCorruptError,
    JournalForeignError,
    JournalUnreadableError,
)
from controller.journal.reading import open_readonly
from controller.journal.rows import EMPTY, Head
from controller.journal.sqlite import SqliteJournal
from tests.journal.children import in_child, kill_self, killed
from tests.journal.disk_faults import become_nobody, on_a_disk_of_its_own, remount_disk
from tests.journal.entries import entries


def head_of(path: Path) -> Head:
    """The head, proven, as an auditor finds it."""
    with open_readonly(path) as reader:
        assert proven(reader.raw(), reader.start()) == reader.head()
        return reader.head()


def beside(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.parent.iterdir()}


def crash_with(path: Path, count: int) -> None:
    """A journal whose process died with everything still in the -wal."""

    def append_and_die() -> None:
        SqliteJournal(path).append(entries(count))
        kill_self()

    assert killed(append_and_die)
    assert Path(f"{path}-wal").stat().st_size > 0


def test_it_is_read_while_it_is_written(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(600))
        with open_readonly(path) as reader:
            rows = reader.raw()
            first = next(rows)
            journal.append(entries(600, first=600))
            assert [first[0], *(row[0] for row in rows)] == list(range(1, 601))
            assert proven(reader.raw(), EMPTY) == journal.head()
            assert in_child(lambda: head_of(path)) == journal.head()
        journal.append(entries(1))


def test_a_closed_journal_is_read_and_nothing_is_left_beside_it(path: Path) -> None:
    with SqliteJournal(path) as journal:
        head = journal.append(entries(5))
    before = beside(path)
    assert head_of(path) == head
    assert beside(path) == before


def test_a_crashed_journal_is_read_with_its_wal(path: Path) -> None:
    crash_with(path, 5)
    before = beside(path)
    assert head_of(path).seq == 5
    assert {**beside(path), f"{path.name}-shm": b""} == {**before, f"{path.name}-shm": b""}


def test_a_copy_is_read_as_far_as_it_was_copied(path: Path, tmp_path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(5))
    crash_with(path, 5)
    alone, both = tmp_path / "alone", tmp_path / "both"
    shutil.copy(path, alone)
    shutil.copy(path, both)
    shutil.copy(f"{path}-wal", f"{both}-wal")
    assert head_of(alone).seq == 5
    assert head_of(both).seq == 10
    assert head_of(both).seq == 10
    assert not list(tmp_path.glob("alone-*"))


@pytest.mark.parametrize("copied", [("",), ("", "-wal"), ("", "-wal", "-shm")], ids=["alone", "with -wal", "with both"])
def test_it_is_read_on_media_that_cannot_be_written(tmp_path: Path, copied: tuple[str, ...]) -> None:
    box, stick = tmp_path / "box", tmp_path / "stick"
    box.mkdir()
    stick.mkdir()
    with SqliteJournal(box / "j") as journal:
        journal.append(entries(5))
    crash_with(box / "j", 5)

    def read_the_stick() -> None:
        for each in copied:
            shutil.copy(f"{box}/j{each}", stick)
        remount_disk(stick, read_only=True)
        before = beside(stick / "j")
        assert head_of(stick / "j").seq == (5 if copied == ("",) else 10)
        assert beside(stick / "j") == before

    on_a_disk_of_its_own(stick, read_the_stick)


def test_an_auditor_who_may_only_read_can(open_folder: Path) -> None:
    """With rights to read and none to write, while the controller runs and when it does not."""
    path = open_folder / "table.journal"
    open_folder.chmod(0o755)

    def read_as_nobody() -> int:
        become_nobody()
        return head_of(path).seq

    with SqliteJournal(path) as journal:
        if os.geteuid() == 0:  # as the group would see it
            os.chown(open_folder, 0, 0)
            for each in open_folder.iterdir():
                os.chown(each, 0, 65534)
        else:
            open_folder.chmod(0o555)
        journal.append(entries(5))
        assert in_child(read_as_nobody) == 5
    if os.geteuid() == 0:
        assert in_child(read_as_nobody) == 5
    open_folder.chmod(0o755)


def test_a_start_of_the_controller_during_a_reading_without_locks_is_noticed(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(600))
        journal.append(entries(600, first=600))
    with open_readonly(path) as reader:
        rows = reader.raw()
        next(rows)
        with SqliteJournal(path) as journal:
            journal.append(entries(1))
        with pytest.raises(JournalBusyError, match="was written to while it was read: read it again"):
            list(rows)
    assert head_of(path).seq == 1201


def test_queries_read_and_never_write(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(8))
        with open_readonly(path) as reader:
            counted = list(reader.db.query("SELECT round, count(*) AS facts FROM facts GROUP BY round ORDER BY round"))
            assert counted == [{"round": None, "facts": 2}, {"round": 0, "facts": 3}, {"round": 1, "facts": 3}]
            next(reader.raw())
            assert next(reader.db.query("SELECT type FROM facts"))["type"] == "wager-accepted"
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.db.execute("DELETE FROM outbox")


def test_rows_can_be_asked_for_from_and_to(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(5))
    with open_readonly(path) as reader:
        assert [row[0] for row in reader.raw(after=2)] == [3, 4, 5]
        assert [row[0] for row in reader.raw(after=1, upto=3)] == [2, 3]
        assert list(reader.raw(after=5)) == []


def test_an_empty_journal_is_one(path: Path) -> None:
    SqliteJournal(path).close()
    assert head_of(path) == EMPTY


def test_a_missing_file_is_named(path: Path) -> None:
    with pytest.raises(JournalUnreadableError, match=r"table\.journal cannot be read: No such file or directory"):
        open_readonly(path)
    assert not path.exists()


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalUnreadableError, match="cannot be read"):
        open_readonly(tmp_path)


def test_other_files_are_no_journal(path: Path) -> None:
    path.write_text("Dear auditor, " * 100)
    with pytest.raises(JournalCorruptError, match="file is not a database"):
        open_readonly(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE facts (x)")
    with pytest.raises(JournalForeignError, match="is a database, but not a journal"):
        open_readonly(path)


def test_a_journal_of_the_future_is_refused(path: Path) -> None:
    SqliteJournal(path).close()
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    with pytest.raises(JournalForeignError, match="use the version that wrote it"):
        open_readonly(path)


def test_an_archived_beginning_is_where_the_proof_starts(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(5))
        rows = list(journal.rows())
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("UPDATE archived SET seq = 3, hash = ?", (rows[2].hash,))
        conn.execute("DELETE FROM facts WHERE seq <= 3")
    with open_readonly(path) as reader:
        assert reader.start() == Head(3, rows[2].hash)
        assert proven(reader.raw(), reader.start()) == Head(5, rows[4].hash)
