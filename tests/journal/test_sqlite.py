"""The journal on disk: what is in the file, who may have it, and what it says when someone else meddles."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from controller.journal import opening, schema
from controller.journal.chain import proven
from controller.journal.errors import (
    JournalBusyError,
    JournalCorruptError,
    JournalError,
    JournalForeignError,
    JournalUnwritableError,
)
from controller.journal.rows import EMPTY, Snapshot
from controller.journal.sqlite import SqliteJournal
from tests.journal.children import in_child, kill_self, killed
from tests.journal.entries import entries


def test_everything_is_there_again_after_reopening(path: Path) -> None:
    with SqliteJournal(path) as journal:
        head = journal.append(entries(5), cursor=3)
        journal.append([], snapshot=Snapshot(*head, 1, b"state"))
        rows = list(journal.rows())
    with SqliteJournal(path) as journal:
        assert journal.head() == head
        assert list(journal.rows()) == rows
        assert journal.cursor() == 3
        assert journal.snapshots() == [Snapshot(*head, 1, b"state")]
        journal.append(entries(1))
        assert proven(journal.rows(), EMPTY) == journal.head()


def test_everything_acknowledged_is_there_after_kill_9(path: Path) -> None:
    def append_and_die() -> None:
        journal = SqliteJournal(path)
        for number in range(20):
            journal.append(entries(3, first=3 * number), cursor=number)
        kill_self()

    assert killed(append_and_die)
    with SqliteJournal(path) as journal:
        assert [tuple(row[1:6]) for row in journal.rows()] == [tuple(each) for each in entries(60)]
        assert journal.cursor() == 19


@pytest.mark.parametrize(("name", "_setting", "expected"), opening.PRAGMAS)
def test_pragmas_are_what_they_were_set_to(path: Path, name: str, _setting: object, expected: object) -> None:
    with SqliteJournal(path) as journal:
        assert journal._open().execute(f"PRAGMA {name}").fetchone() == (expected,)  # noqa: SLF001 -- that connection's


def test_a_commit_waits_for_the_disk(path: Path) -> None:
    with SqliteJournal(path) as journal:
        assert journal._open().execute("PRAGMA journal_mode").fetchone() == ("wal",)  # noqa: SLF001 -- the same
        assert journal._open().execute("PRAGMA synchronous").fetchone() == (2,)  # noqa: SLF001 -- FULL


def test_a_pragma_that_is_not_honoured_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "PRAGMAS", (("page_size", 8192, 8192),))  # which a file that exists does not change
    with pytest.raises(JournalUnwritableError, match="page_size is 4096 and cannot be made 8192: put the journal on"):
        SqliteJournal(path)


def test_the_file_says_what_it_is_and_only_owner_and_group_see_it(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(1))
        for beside in ("", "-wal", "-shm", ".lock"):
            mode = stat.S_IMODE(Path(f"{path}{beside}").stat().st_mode)
            assert mode & ~0o640 == 0, f"{path}{beside} has mode {mode:o}"
    header = path.read_bytes()[:100]
    assert header[68:72] == b"jack"
    assert int.from_bytes(header[60:64], "big") == schema.VERSION


def test_facts_can_be_neither_changed_nor_deleted_by_a_slip(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(3))
    with closing(sqlite3.connect(path)) as conn:
        with pytest.raises(sqlite3.IntegrityError, match="a fact is never changed"):
            conn.execute("UPDATE facts SET payload = '{}' WHERE seq = 2")
        with pytest.raises(sqlite3.IntegrityError, match="a fact is never deleted before it is archived"):
            conn.execute("DELETE FROM facts WHERE seq = 1")
        with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT value in INTEGER column"):
            conn.execute("INSERT INTO facts VALUES (4, '', 'one', '', 1, '', zeroblob(32), zeroblob(32))")


def test_archived_facts_can_leave_and_the_rest_stands_on_the_anchor(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(5))
        third = list(journal.rows())[2]
        named = json.dumps({"last": third.seq, "hash": third.hash.hex()})
        (first,) = entries(1)
        head = journal.append([first._replace(type="facts-archived", payload=named)])
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("UPDATE archived SET seq = ?, hash = ?", (third.seq, third.hash))
        conn.execute("DELETE FROM facts WHERE seq <= 3")
        with pytest.raises(sqlite3.IntegrityError, match="never deleted"):
            conn.execute("DELETE FROM facts WHERE seq = 4")
    with SqliteJournal(path) as journal:
        assert journal.head() == head
        assert [row.seq for row in journal.rows()] == [4, 5, 6]
        assert journal.append(entries(1)).seq == 7


def test_a_second_opening_is_refused_until_the_first_is_closed(path: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(path)
    with SqliteJournal(path):
        for name in (path, tmp_path / "link"):
            with pytest.raises(
                JournalBusyError, match=r"table\.journal is held by another process: stop that one first"
            ):
                SqliteJournal(name)
    SqliteJournal(path).close()


def test_another_process_is_refused_until_this_one_is_gone(path: Path) -> None:
    program = "import sys; from controller.journal.sqlite import SqliteJournal; SqliteJournal(sys.argv[1]).close()"
    command = [sys.executable, "-c", program, str(path)]
    with SqliteJournal(path) as journal:
        journal.append(entries(1))
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "JournalBusyError" in refused.stderr
        journal.append(entries(1))
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0


def test_the_lock_dies_with_its_process(path: Path) -> None:
    def die() -> None:
        SqliteJournal(path).append(entries(2))
        kill_self()

    assert killed(die)
    with SqliteJournal(path) as journal:
        assert journal.head().seq == 2


def test_someone_else_writing_facts_is_noticed_at_the_next_append(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(2))
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            conn.execute("INSERT INTO facts VALUES (3, '', 1, 'x', 1, '{}', zeroblob(32), zeroblob(32))")
        with pytest.raises(JournalCorruptError, match=r"ends at fact 3 .* this process left it at fact 2"):
            journal.append(entries(1))
        with pytest.raises(JournalCorruptError, match="ends at fact 3"):
            journal.append(entries(1))


def test_someone_else_writing_for_a_moment_is_waited_for(path: Path) -> None:
    with (
        SqliteJournal(path) as journal,
        closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as conn,
    ):
        conn.execute("BEGIN IMMEDIATE")
        moment = Timer(opening.BUSY_SECONDS / 5, conn.execute, ["ROLLBACK"])
        moment.start()
        assert journal.append(entries(1)).seq == 1
        moment.join()


def test_someone_else_holding_the_write_lock_is_waited_for_and_then_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.01)
    with SqliteJournal(path) as journal, closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalBusyError, match=r"database is locked .*: end the other program") as error:
            journal.append(entries(1))
        assert isinstance(error.value.__cause__, sqlite3.OperationalError)


def test_a_second_thread_is_refused_without_talk_of_damage(path: Path) -> None:
    with SqliteJournal(path) as journal, ThreadPoolExecutor(1) as thread:
        refused = thread.submit(journal.append, entries(1)).exception()
    assert type(refused) is JournalError
    assert "thread" in str(refused)


def test_an_interrupted_append_is_rolled_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(1))
        monkeypatch.setattr("controller.journal.sqlite._FORGET", "no statement")
        with pytest.raises(JournalCorruptError, match="syntax error"):
            journal.append(entries(2), cursor=1, snapshot=Snapshot(*journal.head(), 1, b""))
        assert journal.head().seq == 1
        assert journal.cursor() == 0
        assert journal.snapshots() == []
    with SqliteJournal(path) as journal:
        assert journal.append(entries(1)).seq == 2


def test_a_database_of_others_is_refused_and_left_as_it_was(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(JournalForeignError, match=r"is a database, but not a journal .*: name another file"):
        SqliteJournal(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"not a database at all, only some text " * 100])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(JournalCorruptError, match=r"table\.journal"):
        SqliteJournal(path)
    assert path.read_bytes() == content


def test_a_wal_without_its_database_is_not_begun_anew(path: Path) -> None:
    Path(f"{path}-wal").write_bytes(b"frames")
    with pytest.raises(JournalCorruptError, match=r"is gone, but .*-wal is there"):
        SqliteJournal(path)


@pytest.mark.parametrize("where", ["missing/table.journal", ""])
def test_a_place_where_no_file_can_be_is_unwritable(tmp_path: Path, where: str) -> None:
    with pytest.raises(JournalUnwritableError):
        SqliteJournal(tmp_path / where)


def test_a_disk_with_just_enough_room_is_taken_and_one_with_less_is_not(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.statvfs(path.parent)

    def room(byte_count: int) -> None:
        found = os.statvfs_result((*real[:1], 1, *real[2:4], byte_count, *real[5:]))
        monkeypatch.setattr(os, "statvfs", lambda _: found)

    room(opening.LEAST_FREE_BYTES - 1)
    with pytest.raises(JournalUnwritableError, match="has 33554431 bytes free: make room, 33554432 are needed"):
        SqliteJournal(path)
    assert not path.exists()
    room(opening.LEAST_FREE_BYTES)
    SqliteJournal(path).close()


def test_a_wal_grown_large_under_a_long_read_is_cut_back(path: Path) -> None:
    big = [each._replace(payload="x" * 1_000_000) for each in entries(1)]
    with SqliteJournal(path) as journal, closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM facts").fetchone()
        for _ in range(30):
            journal.append(big)
        wal = Path(f"{path}-wal")
        assert wal.stat().st_size > 30_000_000
        reader.execute("COMMIT")
        for _ in range(3):
            journal.append(big)
        assert wal.stat().st_size <= opening.WAL_KEPT_BYTES


def test_an_unfinished_creation_is_begun_again(path: Path) -> None:
    Path(f"{path}.new").write_bytes(b"half a jour")
    with SqliteJournal(path) as journal:
        journal.append(entries(1))
    assert not Path(f"{path}.new").exists()


def test_a_journal_opened_in_a_child_is_the_childs(path: Path) -> None:
    assert in_child(lambda: SqliteJournal(path).append(entries(2)).seq) == 2
    with SqliteJournal(path) as journal:
        assert journal.head().seq == 2
