"""Facts that have left a journal, brought back for a question: into a temporary table beside its own facts.

Facts of days and of awards never leave (`schema.STAYS`), so that most questions need no archive. For the others the
file of a day is unpacked into SQLite's own temporary database, and a temporary view `facts` shows both: whoever asks
that connection sees one journal. What is not asked for any more makes room.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from msgspec import MsgspecError, json

from controller.core.facts import FactsWereArchived
from controller.journal.archive.files import ArchiveFile
from controller.journal.archive.naming import Shelf
from controller.journal.errors import (
    COMPLAINTS,
    JournalCorruptError,
    JournalUnreadableError,
    JournalUnwritableError,
    translated,
)
from controller.journal.place import Place
from controller.journal.rows import EMPTY, Head
from controller.journal.schema import OF_DAYS

# Facts kept unpacked: three busy days, some 70 MB in a temporary file. Those of one question may be more.
MOST_UNPACKED = 200_000
_TOGETHER = 2000  # facts put in at once: between them is looked whether anybody still waits

_NAMED = f"SELECT seq, payload FROM main.facts WHERE type = 'facts-archived' AND {OF_DAYS} ORDER BY seq"  # noqa: S608 -- a constant
_MAKE = (
    "CREATE TEMP TABLE unpacked (seq INTEGER PRIMARY KEY, at, round, type, version, payload, prev_hash, hash)",
    "CREATE INDEX temp.unpacked_by_round ON unpacked (round) WHERE round IS NOT NULL",
    # One that is still here, because it stays or because it is to go any moment, is not told twice.
    """
    CREATE TEMP VIEW facts AS SELECT * FROM main.facts UNION ALL SELECT * FROM unpacked AS old
    WHERE NOT EXISTS (SELECT 1 FROM main.facts AS here WHERE here.seq = old.seq)
    """,
)


class Past:
    """The archives of one journal, as a connection that reads it needs them."""

    def __init__(self, conn: sqlite3.Connection, path: str, anchor: Head, shelf: Shelf, place: Place) -> None:
        self._conn, self._path, self._anchor, self._shelf, self._place = conn, path, anchor, shelf, place
        self._files: list[FactsWereArchived] | None = None
        self._here: dict[int, FactsWereArchived] = {}  # by their first fact; the one asked for last is last
        self._in_use: Counter[int] = Counter()  # by their first fact, those that someone goes through
        self.still_wanted: Callable[[], None] = lambda: None  # raises where nobody waits any more

    @property
    def files(self) -> list[FactsWereArchived]:
        """The archive files, as the chain names them, from the first fact to the anchor."""
        if self._files is None:
            self._files = list(named(self._conn, self._path, self._anchor)) if self._anchor != EMPTY else []
        return self._files

    def spans(self, first: int, last: int, *, backwards: bool = False) -> Iterator[tuple[int, int]]:
        """The facts from one to another in parts, each there to be asked for when it is told."""
        live = max(first, self._anchor.seq + 1)
        if backwards and live <= last:
            yield live, last
        for file in reversed(self.files) if backwards else self.files:
            if first <= file.last and last >= file.first:
                self._bring([file])
                self._in_use[file.first] += 1  # a question within this one must not put it away
                try:
                    yield max(first, file.first), min(last, file.last)
                finally:
                    self._in_use[file.first] -= 1
        if not backwards and live <= last:
            yield live, last

    def bring(self, seqs: Sequence[int]) -> None:
        """Have some facts there, all at the same time."""
        if seqs and min(seqs) <= self._anchor.seq:
            self._bring([file for file in self.files if any(file.first <= seq <= file.last for seq in seqs)])

    def bring_rounds(self, lowest: int, highest: int) -> None:
        """Have every fact of some rounds there, all at the same time."""
        self._bring([file for file in self.files if file.rounds[0] <= highest and file.rounds[1] >= max(lowest, 1)])

    def _bring(self, files: Sequence[FactsWereArchived]) -> None:
        missing = [file for file in files if file.first not in self._here]
        for file in files:
            if file.first in self._here:
                self._here[file.first] = self._here.pop(file.first)
        if not missing:
            return
        try:
            if not self._conn.execute("SELECT 1 FROM temp.sqlite_master WHERE name = 'unpacked'").fetchone():
                for statement in _MAKE:
                    self._conn.execute(statement)
            self._make_room(sum(map(_facts, missing)), {file.first for file in files})
            for file in missing:
                self._unpack(file)
                self._here[file.first] = file
        except COMPLAINTS as error:
            found = translated(self._path, error)
            if isinstance(found, JournalUnwritableError):  # SQLite's temporary files, not the journal
                raise JournalUnreadableError(
                    f"archives cannot be unpacked: {error}: see that there is room for temporary files, in /var/tmp"
                ) from error
            raise found from error

    def _make_room(self, coming: int, wanted: set[int]) -> None:
        there = sum(map(_facts, self._here.values()))
        for first, file in list(self._here.items()):
            if there + coming > MOST_UNPACKED and first not in wanted and not self._in_use[first]:
                self._conn.execute("DELETE FROM temp.unpacked WHERE seq BETWEEN ? AND ?", (file.first, file.last))
                del self._here[first]
                there -= _facts(file)

    def _unpack(self, file: FactsWereArchived) -> None:
        found = opened(self._shelf, file, self._place)
        rows = ((r[0], _text(r[1]), r[2], _text(r[3]), r[4], _text(r[5]), r[6], r[7]) for r in found.raw(bytes))
        self._conn.execute("DELETE FROM temp.unpacked WHERE seq BETWEEN ? AND ?", (file.first, file.last))
        while together := [row for row, _ in zip(rows, range(_TOGETHER), strict=False)]:
            self.still_wanted()
            self._conn.execute("BEGIN")
            self._conn.executemany("INSERT INTO temp.unpacked VALUES (?, ?, ?, ?, ?, ?, ?, ?)", together)
            self._conn.execute("COMMIT")


def opened(shelf: Shelf, wanted: FactsWereArchived, place: Place) -> ArchiveFile:
    """The file that the chain names, to the byte."""
    path = shelf.find(wanted)
    if path is None:
        raise JournalUnreadableError(
            f"facts {wanted.first} to {wanted.last}, of {wanted.day}, are in {wanted.file}, which is not in "
            f"{' or '.join(shelf.places)}: put it there, or name it with --archives"
        )
    file = ArchiveFile(path, place)
    if why := unlike(file, wanted):
        raise JournalCorruptError(f"{path}: {why}: put the file back that was written", wanted.first)
    return file


def unlike(file: ArchiveFile, wanted: FactsWereArchived) -> str:
    """What tells a file from the one that the chain names."""
    header = file.header
    if (header.first, header.last, header.prev_hash) != (wanted.first, wanted.last, wanted.prev_hash):
        return f"it holds facts {header.first} to {header.last}, and should hold {wanted.first} to {wanted.last}"
    if file.bytes != wanted.bytes:
        return f"it has {file.bytes} bytes, and had {wanted.bytes} when it was written"
    return "" if file.sha256 == wanted.sha256 else f"its SHA-256 is {file.sha256}, and was {wanted.sha256}"


def named(conn: sqlite3.Connection, path: str, anchor: Head) -> Iterator[FactsWereArchived]:
    """The archive files that the chain names, up to the anchor. Of one that is named twice the last word counts."""
    try:
        rows = conn.execute(_NAMED).fetchall()
    except COMPLAINTS as error:
        raise translated(path, error) from error
    told = [_naming(path, seq, payload) for seq, payload in rows]
    by_first = {file.first: file for file in told if file.last <= anchor.seq}
    place = EMPTY
    while place.seq < anchor.seq:
        file = by_first.get(place.seq + 1)
        if file is None or file.prev_hash != place.hash.hex():
            raise JournalCorruptError(
                f"{path} begins after fact {anchor.seq}, and no fact names the archive of fact {place.seq + 1}",
                place.seq + 1,
            )
        yield file
        place = Head(file.last, bytes.fromhex(file.hash))
    if place != anchor:
        raise JournalCorruptError(
            f"{path} begins after {anchor.seq}, which has another hash in the archive", anchor.seq
        )


def _naming(path: str, seq: int, payload: str) -> FactsWereArchived:
    try:
        file = json.decode(payload, type=FactsWereArchived)
        bytes.fromhex(file.hash)
    except (MsgspecError, ValueError, TypeError) as error:  # a changed file may hold anything there
        raise JournalCorruptError(f"{path}: fact {seq} names no archive: {error}: verify it", seq) from error
    return file


def _facts(file: FactsWereArchived) -> int:
    return file.last - file.first + 1


def _text(value: object) -> str:
    return cast("bytes", value).decode()
