"""Pages end at a number of rows or of bytes, whichever comes first."""

from pathlib import Path

import pytest

from controller.journal import paging
from controller.journal.sqlite import SqliteJournal
from tests.journal.entries import entries, entry


@pytest.mark.parametrize(("count", "expected"), [(511, 511), (512, 512), (513, 512)])
def test_a_page_has_at_most_so_many_rows(path: Path, count: int, expected: int) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(count))
        assert len(paging.page(journal._open(), 1, count)) == expected  # noqa: SLF001 -- the connection it reads
        assert len(list(journal.rows())) == count


@pytest.mark.parametrize(("size", "expected"), [(100, 1), (99, 2), (50, 2), (49, 3)])
def test_a_page_ends_with_the_row_that_reaches_so_many_bytes(
    path: Path, monkeypatch: pytest.MonkeyPatch, size: int, expected: int
) -> None:
    monkeypatch.setattr(paging, "PAGE_BYTES", 100)
    with SqliteJournal(path) as journal:
        journal.append([entry(number, "x" * size) for number in range(3)])
        assert len(paging.page(journal._open(), 1, 3)) == expected  # noqa: SLF001 -- the connection it reads
        assert len(list(journal.rows())) == 3
