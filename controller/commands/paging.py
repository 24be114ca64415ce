"""Pages of rows: so many, of so many bytes, and where the next one begins."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType, json

from controller.journal.audit.days import spans
from controller.journal.reading import JournalReader
from controller.rules.errors import BadInputError

# Bytes of the rows of a page: a broker takes 4 MiB, and no console shows more at once. One row there is in any case.
MOST_PAGE_BYTES = 1024 * 1024
# What `after` may be where it is a number: SQLite's integers.
_MOST_NUMBER = 2**63 - 1

T = TypeVar("T", bound=Struct)


class BadQueryError(Exception):
    """A query that cannot be answered as it is put."""


def cut(rows: Sequence[T], limit: int, name: Callable[[T], str]) -> tuple[tuple[T, ...], str | UnsetType]:
    """The rows of a page, and the `next` if more follow. `name` is what a page after a row is asked for with."""
    size, kept = 0, 0
    for row in rows[:limit]:
        size += len(json.encode(row))
        if kept and size > MOST_PAGE_BYTES:
            break
        kept += 1
    page = tuple(rows[:kept])
    return page, name(page[-1]) if kept < len(rows) else UNSET


def number(after: str, otherwise: int) -> int:
    """The number that `after` is."""
    if not after:
        return otherwise
    if not (after.isascii() and after.isdigit()) or int(after[:20]) > _MOST_NUMBER:
        raise BadQueryError(f"after: {after[:40]!r} is no `next` of a page: give it back as it came")
    return int(after)


def span(journal: JournalReader, day: str) -> tuple[int, int]:
    """The first and the last fact of a gaming day, or of all."""
    last = journal.head().seq
    if not day:
        return 1, last
    known = spans(journal)
    if day not in known:
        told = f"it has {', '.join(known)}" if known else "it has none"
        raise BadInputError(f"{day[:40]!r} is no gaming day of this journal: {told}")
    first, end = known[day]
    return first.seq, end.seq - 1 if end else last


def exact(units: int) -> str:
    """Units of 1e-8 dollars as dollars."""
    sign, size = "-" if units < 0 else "", abs(units)
    return f"{sign}{size // 10**8}.{size % 10**8:08}"
