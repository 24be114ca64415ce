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
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlite_utils import Database

from controller.journal import lock, schema
from controller.journal.chain import RawRow
from controller.journal.errors import (
    JournalBusyError,
    JournalCorruptError,
    JournalError,
    JournalUnreadableError,
    JournalUnwritableError,
    translated,
)
from controller.journal.paging import page
from controller.journal.rows import Head

BUSY_SECONDS = 5.0  # a reader waits only while the controller opens or recovers the file

_LOWEST = -(2**63)  # SQLite's least integer
_START = "SELECT seq, hash FROM archived"
_HEAD = "SELECT seq, hash FROM facts UNION ALL SELECT seq, hash FROM archived ORDER BY seq DESC LIMIT 1"


class JournalReader:
    """A journal open for reading: `with open_readonly(path) as journal:`.

    `db` is for queries. `raw` gives the facts as they really stand, for `chain.sound` or `chain.proven`.
    """

    def __init__(self, path: str, conn: sqlite3.Connection, *, unlocked: tuple[object, ...] | None) -> None:
        self.path = path
        # No plug-ins of sqlite-utils that happen to be on the box: an audit runs what it says it runs.
        self.db = Database(conn, recursive_triggers=False, execute_plugins=False)
        self._unlocked = unlocked  # how the file stood when a reading without locks began

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

        Without limits all there are when the first is asked for, also such as have no business there. Who has no use
        for the difference of text and blobs takes text as `bytes`, which is quicker.
        """
        first = _LOWEST if after is None else after + 1
        last = self.head().seq if upto is None else upto
        while found := self._page(first, last, text):
            yield from found
            first = found[-1][0] + 1

    def check_unchanged(self) -> None:
        """Raise if the file was written to while it was read without locks: what was read may be of two minds."""
        if self._unlocked is not None and _standing(self.path) != self._unlocked:
            raise JournalBusyError(f"{self.path} was written to while it was read: read it again")

    def close(self) -> None:
        """Let go of the file; it may be called again."""
        self.db.close()

    def _page(self, first: int, last: int, text: type[bytearray | bytes]) -> list[Any]:
        conn = self.db.conn
        conn.text_factory = text
        try:
            found = page(conn, first, last)
        except sqlite3.Error as error:
            self.check_unchanged()
            raise _unreadable(self.path, error) from error
        finally:
            conn.text_factory = str
        self.check_unchanged()
        return found

    def _place(self, query: str) -> Head:
        try:
            found = self.db.conn.execute(query).fetchone()
        except sqlite3.Error as error:
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


def open_readonly(path: str | os.PathLike[str]) -> JournalReader:
    """The journal at `path`, while the controller runs or not; refuses a file that is no journal."""
    real = os.path.realpath(path)
    standing = _standing(real)
    in_use = Path(f"{real}-wal").exists() or lock.is_held(real)
    try:
        conn = _connect(real, "mode=ro") if in_use else _connect(real, "mode=ro&immutable=1")
    except sqlite3.Error as error:
        raise _unreadable(real, error) from error
    reader = JournalReader(real, conn, unlocked=None if in_use else standing)
    try:
        schema.recognise(reader.db, real)
        reader.start()
    except BaseException:
        reader.close()
        raise
    return reader


def _connect(path: str, way: str) -> sqlite3.Connection:
    conn = sqlite3.connect(f"{Path(path).as_uri()}?{way}", uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        if "unix-none" in way:
            conn.execute("PRAGMA locking_mode = EXCLUSIVE").close()  # before the first read: no -shm is then wanted
        conn.execute("PRAGMA schema_version").close()  # reads the file, so that what stands in the way shows here
    except sqlite3.Error as error:
        conn.close()
        # Only where nothing can be written: closing this way in, SQLite would otherwise tidy the -wal away.
        hopeless = way != "mode=ro" or os.access(Path(path).parent, os.W_OK) or not Path(path).exists()
        if hopeless or error.sqlite_errorcode != sqlite3.SQLITE_CANTOPEN:
            raise
        return _connect(path, "mode=ro&vfs=unix-none")
    return conn


def _standing(path: str) -> tuple[object, ...]:
    try:
        found = Path(path).stat()
    except OSError as error:
        raise JournalUnreadableError(f"{path} cannot be read: {error.strerror}: name a journal") from error
    return found.st_ino, found.st_size, found.st_mtime_ns, Path(f"{path}-wal").exists()


def _unreadable(path: str, error: sqlite3.Error) -> JournalError:
    found = translated(path, error)
    if isinstance(found, JournalUnwritableError):
        return JournalUnreadableError(f"{path} cannot be read: {error}: see that this user may read it and its folder")
    return found
