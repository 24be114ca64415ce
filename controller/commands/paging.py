"""Pages of rows: so many, of so many bytes, and where the next one begins."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType, json

from controller.core.facts import ReadingsTaken, SubmissionFiled
from controller.journal.audit.stored import stored
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
    began: dict[str, int] = {}
    for each in stored(journal, ("submission-filed", "readings-taken")):
        if isinstance(each.fact, ReadingsTaken) or (isinstance(each.fact, SubmissionFiled) and not began):
            began[each.fact.day] = each.seq
    if day not in began:
        known = f"it has {', '.join(began)}" if began else "it has none"
        raise BadInputError(f"{day[:40]!r} is no gaming day of this journal: {known}")
    later = [seq for seq in began.values() if seq > began[day]]
    return began[day], min(later, default=last + 1) - 1


def exact(units: int) -> str:
    """Units of 1e-8 dollars as dollars."""
    sign, size = "-" if units < 0 else "", abs(units)
    return f"{sign}{size // 10**8}.{size % 10**8:08}"
