"""Facts asked for by type, decoded. Read a page at a time: no read stays open while the controller writes."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import MsgspecError

from controller.core.facts import Fact, UnreadableFactError, decode
from controller.journal.errors import JournalCorruptError, translated
from controller.journal.paging import PAGE_ROWS
from controller.journal.reading import JournalReader

_SELECT = """
SELECT seq, at, round, type, version, payload FROM facts
WHERE seq > ? AND seq <= ? AND type IN ({types}) AND (? = '' OR instr(payload, ?)) ORDER BY seq LIMIT ?
"""
_FEW = 8  # facts read at once where the first is nearly always the one


class Stored(NamedTuple):
    """A fact and its place."""

    seq: int
    at: str
    round: int | None
    fact: Fact


def stored(
    journal: JournalReader, types: Sequence[str], after: int = 0, upto: int | None = None, holding: str = ""
) -> Iterator[Stored]:
    """Facts of some types with after < seq <= upto, in order; with `holding`, those whose payload has that text."""
    last = journal.head().seq if upto is None else upto
    select = _SELECT.format(types=", ".join("?" * len(types)))
    while rows := _page(journal, select, (after, last, *types, holding, holding, PAGE_ROWS)):
        yield from map(_decoded, rows)
        after = rows[-1][0]


def latest(journal: JournalReader, types: Sequence[str], upto: int, holding: str) -> Iterator[Stored]:
    """Facts of some types up to a number whose payload has a text, the newest first."""
    select = _SELECT.format(types=", ".join("?" * len(types))).replace("ORDER BY seq", "ORDER BY seq DESC")
    while rows := _page(journal, select, (0, upto, *types, holding, holding, _FEW)):
        yield from map(_decoded, rows)
        upto = rows[-1][0] - 1


def in_round(journal: JournalReader, round_: int, name: str) -> list[Stored]:
    """The facts of one type in a round."""
    select = "SELECT seq, at, round, type, version, payload FROM facts WHERE round = ? AND type = ? ORDER BY seq"
    return list(map(_decoded, _page(journal, select, (round_, name))))


def one(journal: JournalReader, seq: int) -> Stored | None:
    """The fact with a number."""
    select = "SELECT seq, at, round, type, version, payload FROM facts WHERE seq = ?"
    return next(map(_decoded, _page(journal, select, (seq,))), None)


def _page(
    journal: JournalReader, select: str, values: tuple[int | str, ...]
) -> list[tuple[int, str, int | None, str, int, str]]:
    try:
        found = journal.db.conn.execute(select, values).fetchall()
    except sqlite3.Error as error:
        journal.check_unchanged()
        raise translated(journal.path, error) from error
    journal.check_unchanged()
    return found


def _decoded(row: tuple[int, str, int | None, str, int, str]) -> Stored:
    seq, at, round_, name, version, payload = row
    try:
        return Stored(seq, at, round_, decode(name, version, payload))
    except (MsgspecError, UnreadableFactError) as error:
        raise JournalCorruptError(f"fact {seq} cannot be read: {error}: verify the journal", seq) from error
