"""A disk that is really full, failing or read-only: a clear error, nothing acknowledged lost, and then all back."""

import errno
import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.chain import proven
from controller.journal.errors import JournalUnwritableError
from controller.journal.rows import EMPTY, Row
from controller.journal.sqlite import SqliteJournal
from tests.journal.children import in_child
from tests.journal.disk_faults import become_nobody, fail_from_now_on, on_a_disk_of_its_own, remount_disk
from tests.journal.entries import entries

# What fails, in what way, and how an append names it.
FAULTS = {
    "disk full": (errno.ENOSPC, ("pwrite64",), "disk is full (SQLITE_FULL): make room"),
    "write error": (errno.EIO, ("pwrite64",), "disk I/O error (SQLITE_IOERR_WRITE): see whether its disk is full"),
    "sync error": (errno.EIO, ("fdatasync", "fsync"), "disk I/O error (SQLITE_IOERR_FSYNC): see whether"),
    "turned read-only": (errno.EROFS, ("pwrite64",), "disk I/O error (SQLITE_IOERR_WRITE): see whether"),
}


def refusal(work: Callable[[], object]) -> str:
    """The message of the JournalUnwritableError that `work` must end in."""
    with pytest.raises(JournalUnwritableError) as refused:
        work()
    return str(refused.value)


def rows_of(path: Path) -> list[Row]:
    with SqliteJournal(path) as journal:
        assert proven(journal.rows(), EMPTY) == journal.head()
        return list(journal.rows())


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_during_an_append(path: Path, name: str) -> None:
    number, calls, message = FAULTS[name]

    def append_into_the_fault() -> tuple[list[Row], str, str]:
        with SqliteJournal(path) as journal:
            journal.append(entries(5), cursor=4)
            acknowledged = list(journal.rows())
            fail_from_now_on(number, *calls)
            first = refusal(lambda: journal.append(entries(3, first=5), cursor=6))
            second = refusal(lambda: journal.append(entries(1)))
            assert journal.head().seq == 5
        return acknowledged, first, second

    acknowledged, first, second = in_child(append_into_the_fault)
    assert first == second
    assert first.startswith(str(path))
    assert message in first
    assert first.endswith("what was acknowledged is safe")
    with SqliteJournal(path) as journal:
        rows = list(journal.rows())
        # Nothing of the refused append is there, or all of it: a sync that failed may have reached the disk.
        assert rows == acknowledged or (name == "sync error" and len(rows) == 8 and rows[:5] == acknowledged)
        assert journal.cursor() == (4 if len(rows) == 5 else 6)
        journal.append(entries(1))


@pytest.mark.parametrize(
    ("number", "calls"),
    [
        (errno.ENOSPC, ("pwrite64",)),
        (errno.EIO, ("pwrite64",)),
        (errno.EIO, ("pread64",)),
        (errno.EIO, ("fdatasync", "fsync")),
        (errno.EIO, ("ftruncate",)),
    ],
    ids=lambda value: errno.errorcode[value] if isinstance(value, int) else value[0],
)
@pytest.mark.parametrize("exists", [True, False], ids=["existing", "new"])
def test_a_fault_while_opening(path: Path, number: int, calls: tuple[str, ...], *, exists: bool) -> None:
    """Opening proves that the journal can be written: it says yes only if it can."""
    before = []
    if exists:
        with SqliteJournal(path) as journal:
            journal.append(entries(5))
            before = list(journal.rows())

    def open_into_the_fault() -> list[str]:
        fail_from_now_on(number, *calls)
        return [refusal(lambda: SqliteJournal(path)) for _ in range(3)]  # as often as it is tried

    assert all(str(path) in message for message in in_child(open_into_the_fault))
    assert rows_of(path) == before


def test_a_file_that_may_not_grow(path: Path) -> None:
    """RLIMIT_FSIZE: the oldest disk quota there is."""

    def append_until_refused() -> tuple[int, str]:
        with SqliteJournal(path) as journal:
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
            try:
                while True:
                    journal.append(entries(10, first=journal.head().seq))
            except JournalUnwritableError as error:
                return journal.head().seq, str(error)

    acknowledged, message = in_child(append_until_refused)
    assert "SQLITE_IOERR_WRITE" in message
    assert acknowledged >= 100
    assert [row[1:6] for row in rows_of(path)] == [tuple(each) for each in entries(acknowledged)]


def test_a_file_system_that_is_really_full(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    ballast = tmp_path / "ballast"

    def fill_and_free() -> None:
        with SqliteJournal(path) as journal:
            journal.append(entries(5))
            room = os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize
            ballast.write_bytes(bytes(room - 300_000))
            message = refusal(lambda: [journal.append(entries(50, first=journal.head().seq)) for _ in range(1000)])
            assert "disk is full (SQLITE_FULL): make room on its disk" in message
            acknowledged = list(journal.rows())
        for _ in range(3):
            with pytest.raises(JournalUnwritableError, match="make room"):
                SqliteJournal(path)
        ballast.unlink()
        assert rows_of(path) == acknowledged
        assert len(acknowledged) > 5
        with SqliteJournal(path) as journal:
            journal.append(entries(1))

    on_a_disk_of_its_own(tmp_path, fill_and_free)


def test_a_file_system_that_is_really_read_only(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"

    def protect_and_release() -> None:
        with SqliteJournal(path) as journal:
            journal.append(entries(5))
            acknowledged = list(journal.rows())
        remount_disk(tmp_path, read_only=True)
        for _ in range(3):
            assert "Read-only file system" in refusal(lambda: SqliteJournal(path))
        remount_disk(tmp_path, read_only=False)
        assert rows_of(path) == acknowledged

    on_a_disk_of_its_own(tmp_path, protect_and_release)


@pytest.mark.parametrize(
    ("what", "closed", "opened"),
    [("table.journal", 0o440, 0o640), ("table.journal.lock", 0o440, 0o640), (".", 0o550, 0o750), (".", 0o000, 0o750)],
)
def test_a_file_or_folder_without_the_right_to_write(open_folder: Path, what: str, closed: int, opened: int) -> None:
    path = open_folder / "table.journal"

    def close_and_open() -> None:
        become_nobody()
        with SqliteJournal(path) as journal:
            journal.append(entries(5))
            acknowledged = list(journal.rows())
        (open_folder / what).chmod(closed)
        for _ in range(3):
            assert str(path) in refusal(lambda: SqliteJournal(path))
        (open_folder / what).chmod(opened)
        assert rows_of(path) == acknowledged

    in_child(close_and_open)
