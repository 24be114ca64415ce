"""Everything put back into one plain SQLite file, for auditors with tools of their own."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import cast

from sqlite_utils import Database

from controller.journal import opening, schema
from controller.journal.archive.whole import whole
from controller.journal.chain import RawRow, sound
from controller.journal.errors import COMPLAINTS, JournalUnwritableError, translated
from controller.journal.place import HERE
from controller.journal.reading import JournalReader
from controller.journal.rows import EMPTY, Head

_INSERT = "INSERT INTO facts VALUES (?, CAST(? AS TEXT), ?, CAST(? AS TEXT), ?, CAST(? AS TEXT), ?, ?)"
# The hashes of PINs are left out: the file is for auditors.


def restore(journal: JournalReader, into: str) -> Head:
    """Write a journal with every fact from the first on, each proven; its head. It is there whole or not at all."""
    unfinished = f"{into}.new"
    try:
        if Path(into).exists():
            raise JournalUnwritableError(f"{into} is there already: name a file that is not")
        HERE.write_new(unfinished, opening.blank())
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as conn:
            head = _filled(conn, journal)
        HERE.rename(unfinished, into)
        HERE.sync_folder(into)
    except (*COMPLAINTS, OSError) as error:
        raise translated(into, error) from error
    finally:
        with suppress(OSError):  # what went wrong is told
            Path(unfinished).unlink()
    return head


def _filled(conn: sqlite3.Connection, journal: JournalReader) -> Head:
    conn.execute("PRAGMA journal_mode = OFF").close()  # a file without its name may be lost: it is made again
    schema.migrate(Database(conn, execute_plugins=False, strict=True))
    last = EMPTY

    def seen() -> Iterator[RawRow]:
        nonlocal last
        for row in sound(whole(journal), EMPTY):
            last = Head(cast("int", row[0]), cast("bytes", row[7]))
            yield row

    conn.execute("BEGIN")
    conn.executemany(_INSERT, seen())
    # A table that plays has told of more by now than was read: what comes after the last fact here was not told.
    (cursor,) = journal.db.conn.execute("SELECT cursor FROM outbox").fetchone()
    conn.execute("UPDATE outbox SET cursor = min(?, ?)", (cursor, last.seq))
    saved = journal.db.conn.execute("SELECT seq, hash, version, payload FROM snapshots WHERE seq < ?", (last.seq,))
    conn.executemany("INSERT INTO snapshots VALUES (?, ?, ?, ?)", saved.fetchall())
    conn.execute("COMMIT")
    return last
