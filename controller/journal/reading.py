"""Reading a journal that someone else may be writing, or that lies on a stick, without ever writing to it.

SQLite reads a database in WAL mode through an index of its -wal that all its users share, the -shm file. Which way in
is right depends on what lies beside the file:

| beside it | way in |
|---|---|
| a -wal, and a -shm or a folder to make one in: the controller runs, or crashed, or both were copied | `mode=ro` |
| a -wal on media that cannot be written, no -shm | the index in this process's own memory |
| no -wal: closed cleanly, or copied without | `immutable=1`: no locks, nothing made beside it |
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlite_utils import Database

from controller.journal import schema
from controller.journal.archive.naming import Shelf
from controller.journal.archive.past import Past
from controller.journal.chain import RawRow
from controller.journal.errors import (
    COMPLAINTS,
    JournalBusyError,
    JournalCorruptError,
    JournalError,
    JournalUnreadableError,
    JournalUnwritableError,
    translated,
)
from controller.journal.paging import page
from controller.journal.place import HERE, Place
from controller.journal.rows import Head

BUSY_SECONDS = 5.0  # a reader waits only while the controller opens or recovers the file

_LOWEST = -(2**63)  # SQLite's least integer
_START = "SELECT seq, hash FROM archived"
_HEAD = "SELECT seq, hash FROM main.facts UNION ALL SELECT seq, hash FROM archived ORDER BY seq DESC LIMIT 1"


class JournalReader:
    """A journal open for reading: `with open_readonly(path) as journal:`.

    `db` is for queries. `raw` gives the facts as they really stand, for `chain.sound` or `chain.proven`. `past` brings
    facts back that have left for archives.
    """

    def __init__(
        self, path: str, conn: sqlite3.Connection, place: Place, shelf: Shelf, *, unlocked: tuple[object, ...] | None
    ) -> None:
        self.path = path
        self.disk = place
        self.shelf = shelf
        # No plug-ins of sqlite-utils that happen to be on the box: an audit runs what it says it runs.
        self.db = Database(conn, recursive_triggers=False, execute_plugins=False)
        self._unlocked = unlocked  # how the file stood when a reading without locks began
        self._began = self.start()
        self.past = Past(conn, path, self._began, shelf, place)

    def start(self) -> Head:
        """Where this file's chain begins: after the last archived fact."""
        return self._place(_START)

    def head(self) -> Head:
        """The last fact as the file has it, unproven."""
        return self._place(_HEAD)

    def raw(
        self, after: int | None = None, upto: int | None = None, text: type[bytearray | bytes] = bytearray
    ) -> Iterator[RawRow]:
        """The facts with after < seq <= upto in order, undecoded: see `chain.RawRow` for how types show.

        Without limits all that follow the anchor when the first is asked for, also such as have no business there. Who
        has no use for the difference of text and blobs takes text as `bytes`, which is quicker.
        """
        last = self.head().seq if upto is None else upto
        if after is None:
            yield from self._pages(_LOWEST, 0, text)
            after = self._began.seq
        yield from self._pages(after + 1, last, text)

    def _pages(self, first: int, last: int, text: type[bytearray | bytes]) -> Iterator[RawRow]:
        while found := self._page(first, last, text):
            yield from found
            first = found[-1][0] + 1

    def check_unchanged(self) -> None:
        """Raise if what was read may be of two minds: written to while it was read without locks, or days that left."""
        if self._unlocked is not None and _standing(self.path, self.disk) != self._unlocked:
            raise JournalBusyError(f"{self.path} was written to while it was read: read it again")
        if self._unlocked is None and self.start() != self._began:
            raise JournalBusyError(f"{self.path}: a day was archived while it was read: read it again")

    def close(self) -> None:
        """Let go of the file; it may be called again."""
        self.db.close()

    def _page(self, first: int, last: int, text: type[bytearray | bytes]) -> list[Any]:
        conn = self.db.conn
        conn.text_factory = text
        try:
            found = page(conn, first, last)
        except COMPLAINTS as error:
            self.check_unchanged()
            raise _unreadable(self.path, error) from error
        finally:
            conn.text_factory = str
        self.check_unchanged()
        return found

    def _place(self, query: str) -> Head:
        try:
            found = self.db.conn.execute(query).fetchone()
        except COMPLAINTS as error:
            raise _unreadable(self.path, error) from error
        if found is None or tuple(map(type, found)) != (int, bytes):
            raise JournalCorruptError(f"{self.path}: {found!r} is no place in a chain ({query})")
        return Head(*found)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_readonly(
    path: str | os.PathLike[str], place: Place = HERE, archives: Sequence[str | os.PathLike[str]] = ()
) -> JournalReader:
    """The journal at `path`, while the controller runs or not; refuses a file that is no journal.

    `archives` are folders and files in which its archives are looked for, before the folder beside it.
    """
    real = place.real(path)
    standing = _standing(real, place)
    in_use = place.exists(f"{real}-wal") or place.is_held(real)
    try:
        conn = _connect(real, "mode=ro", place) if in_use else _connect(real, "mode=ro&immutable=1", place)
    except COMPLAINTS as error:
        raise _unreadable(real, error) from error
    try:
        schema.recognise(Database(conn, recursive_triggers=False, execute_plugins=False), real)
        return JournalReader(real, conn, place, Shelf(real, archives, place), unlocked=None if in_use else standing)
    except BaseException:
        conn.close()
        raise


def _connect(path: str, way: str, place: Place) -> sqlite3.Connection:
    conn = place.connect(path, way, BUSY_SECONDS)
    try:
        if "unix-none" in way:
            conn.execute("PRAGMA locking_mode = EXCLUSIVE").close()  # before the first read: no -shm is then wanted
        conn.execute("PRAGMA schema_version").close()  # reads the file, so that what stands in the way shows here
    except COMPLAINTS as error:
        conn.close()
        # Only where nothing can be written: closing this way in, SQLite would otherwise tidy the -wal away.
        hopeless = way != "mode=ro" or place.allows(str(Path(path).parent), os.W_OK) or not place.exists(path)
        if hopeless or getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_CANTOPEN:
            raise
        return _connect(path, "mode=ro&vfs=unix-none", place)
    return conn


def _standing(path: str, place: Place) -> tuple[object, ...]:
    try:
        found = place.standing(path)
    except OSError as error:
        raise JournalUnreadableError(f"{path} cannot be read: {error.strerror}: name a journal") from error
    return *found, place.exists(f"{path}-wal")


def _unreadable(path: str, error: sqlite3.Error | UnicodeDecodeError) -> JournalError:
    found = translated(path, error)
    if isinstance(found, JournalUnwritableError):
        return JournalUnreadableError(f"{path} cannot be read: {error}: see that this user may read it and its folder")
    return found
