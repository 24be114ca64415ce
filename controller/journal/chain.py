"""The journal's chain: every fact's hash covers its columns, with their SQLite types, and the hash before it."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeVar, cast

from controller.chain import Text, link
from controller.journal.errors import JournalCorruptError
from controller.journal.rows import Entry, Head, Row

# A row as it really stands in a file: INTEGER is int, TEXT bytearray (undecoded), BLOB bytes, NULL None, REAL float.
# `sqlite3` gives exactly these with `text_factory = bytearray`: the value alone tells its type.
Value: TypeAlias = int | float | Text | bytes | None
RawRow: TypeAlias = tuple[Value, ...]
AnyRow = TypeVar("AnyRow", bound=RawRow)

COLUMNS = ("seq", "at", "round", "type", "version", "payload", "prev_hash", "hash")
_DECLARED = ("INTEGER", "TEXT", "INTEGER", "TEXT", "INTEGER", "TEXT", "BLOB", "BLOB")
_STORED = {int: "INTEGER", float: "REAL", str: "TEXT", bytearray: "TEXT", bytes: "BLOB", type(None): "NULL"}
# The types a sound row can have, for both kinds of text and with or without a round.
_SHAPES = {
    (int, text, number, text, int, text, bytes, bytes) for text in (str, bytearray) for number in (int, type(None))
}


def chained(head: Head, entries: Iterable[Entry]) -> list[Row]:
    """The rows of new facts that follow `head`."""
    rows = []
    seq, last = head
    for entry in entries:
        seq += 1
        prev_hash, last = last, link(last, seq, *entry)
        rows.append(tuple.__new__(Row, (seq, *entry, prev_hash, last)))  # half the time of Row(…)
    return rows


def sound(rows: Iterable[AnyRow], start: Head) -> Iterator[AnyRow]:
    """The same rows, each once it is proven to continue the chain from `start`; at the first that does not, an error.

    Takes rows as read from a file of unknown honesty (`RawRow`) and rows of an open journal alike, and hashes the bytes
    that stand there: no payload is ever parsed or encoded anew.
    """
    seq, last = start
    for row in rows:
        seq += 1
        columns: Any = row  # of the types their shape says, if it is one of these
        if (
            tuple(map(type, row)) not in _SHAPES
            or columns[0] != seq
            or columns[6] != last
            or columns[7] != link(last, *columns[:6])
        ):
            raise JournalCorruptError(f"fact {seq}: {_flaw(row, seq, last)}", seq)
        last = columns[7]
        yield row


def proven(rows: Iterable[RawRow], start: Head) -> Head:
    """The head that `rows` lead to from `start`, when all of them are sound."""
    final = deque(sound(rows, start), maxlen=1)
    return Head(cast("int", final[0][0]), cast("bytes", final[0][7])) if final else start


def _flaw(row: RawRow, seq: int, last: bytes) -> str:
    """Why a row cannot be the fact `seq` after the one with the hash `last`."""
    if tuple(map(type, row)) not in _SHAPES:
        return _misshapen(row)
    number, at, round_, kind, version, payload, prev_hash, hash_ = cast(
        "tuple[int, Text, int | None, Text, int, Text, bytes, bytes]", row
    )
    if number != seq:
        return f"fact {number} stands in its place: " + ("facts are missing" if number > seq else "its number is wrong")
    if prev_hash != last:
        return f"its prev_hash is {prev_hash.hex()}, the fact before it has the hash {last.hex()}"
    actual = link(prev_hash, seq, at, round_, kind, version, payload)
    return f"its hash is {hash_.hex()}, its content has the hash {actual.hex()}"


def _misshapen(row: RawRow) -> str:
    if len(row) != len(COLUMNS):
        return f"it has {len(row)} columns, not {len(COLUMNS)}"
    for column, value, declared in zip(COLUMNS, row, _DECLARED, strict=True):
        stored = _STORED.get(type(value), type(value).__name__)
        if stored != declared and not (column == "round" and value is None):
            return f"its {column} is stored as {stored}, not as {declared}"
    return "its text is of two kinds"  # no store returns such a row
