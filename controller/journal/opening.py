"""From a path to a connection that has proven it can write durably, or to an error that says why not."""

import os
import sqlite3
from contextlib import closing

from sqlite_utils import Database

from controller.journal import schema
from controller.journal.errors import JournalCorruptError, JournalUnwritableError
from controller.journal.place import Place

# Below this the disk would soon be full: room for the -wal and its checkpoint (4 MiB each), and for an evening's facts.
# A table that opens is a table that can play.
LEAST_FREE_BYTES = 32 * 1024 * 1024
# Nobody else should write. A tool that does for a moment is waited for; longer, and the table stands still anyway.
BUSY_SECONDS = 1.0
# 4 MiB of -wal, a checkpoint every few hundred commits: too rare to be felt, and little to recover after a crash.
CHECKPOINT_PAGES = 1000
# What a -wal grown large (an auditor's long read holds it) is cut back to once it is free again.
WAL_KEPT_BYTES = 16 * 1024 * 1024

# Each is set and read back: SQLite answers a setting it cannot honour with the old value, not with an error.
PRAGMAS: tuple[tuple[str, int | str, int | str], ...] = (
    ("journal_mode", "WAL", "wal"),  # a commit is one append and one sync, and readers never wait for it
    ("synchronous", "FULL", 2),  # that sync: NORMAL would acknowledge what a power cut can undo
    ("wal_autocheckpoint", CHECKPOINT_PAGES, CHECKPOINT_PAGES),
    ("journal_size_limit", WAL_KEPT_BYTES, WAL_KEPT_BYTES),
    ("mmap_size", 0, 0),  # a bad disk block is then an error; in mapped memory it would be a signal that kills
    ("cell_size_check", "ON", 1),  # a damaged page is noticed when it is read, not when it has done harm
    ("foreign_keys", "ON", 1),
    ("trusted_schema", "OFF", 0),  # nothing smuggled into the schema gets to call functions with effects
)


def check_room(path: str, place: Place) -> None:
    """Refuse a disk that is about to be full."""
    free = place.free_bytes(path)
    if free < LEAST_FREE_BYTES:
        raise JournalUnwritableError(
            f"{path}: its disk has {free} bytes free: make room, {LEAST_FREE_BYTES} are needed"
        )


def create_if_missing(path: str, place: Place) -> None:
    """Put an empty journal at `path` if there is no file: whole, named and synced at once, or not at all.

    So a file found there always has its application id, and an empty one is a loss, never a beginning.
    """
    if place.exists(path):
        _check_usable(path, place)
        return
    if place.exists(f"{path}-wal"):
        raise JournalCorruptError(
            f"{path} is gone, but {path}-wal is there: restore both, or remove that to begin anew"
        )
    unfinished = f"{path}.new"
    place.write_new(unfinished, blank())
    place.rename(unfinished, path)
    place.sync_folder(path)


def blank() -> bytes:
    """A database that says it is a journal, and holds nothing yet."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        return made.serialize()


def _check_usable(path: str, place: Place) -> None:
    _, size, _ = place.standing(path)
    if not size:
        raise JournalCorruptError(f"{path} is empty, as no journal ever is: restore it, or remove it to begin anew")
    # Asked beforehand: SQLite would open the file for reading and make a -wal beside it as unwritable as itself, which
    # would then outlast the cause.
    if not place.allows(path, os.R_OK | os.W_OK):
        raise JournalUnwritableError(f"{path} may not be read and written by this user: give it the right to")


def connect(path: str, place: Place) -> sqlite3.Connection:
    """The one connection that writes: every transaction is begun and ended in so many words."""
    return place.connect(path, "mode=rw", BUSY_SECONDS)


def prepare(conn: sqlite3.Connection, path: str, place: Place) -> None:
    """Recognise the journal, set it up, migrate it and prove that it can be written."""
    # Plug-ins of sqlite-utils found on the box are not let near this connection.
    db = Database(conn, execute_plugins=False, strict=True)
    schema.recognise(db, path)
    for name, setting, expected in PRAGMAS:
        conn.execute(f"PRAGMA {name} = {setting}").close()
        (answer,) = conn.execute(f"PRAGMA {name}").fetchone()
        if answer != expected:
            raise JournalUnwritableError(
                f"{path}: {name} is {answer!r} and cannot be made {expected!r}: put the journal on a local disk"
            )
    schema.migrate(db)
    _prove_writable(conn)
    # SQLite syncs the folder with the first sync of a new -wal. The name of the database file rests on this one.
    place.sync_folder(path)


def _prove_writable(conn: sqlite3.Connection) -> None:
    """Commit something of no consequence and carry it into the database file."""
    # Setting a header field writes its page even when nothing changes; an UPDATE to the same value would write nothing.
    conn.execute("BEGIN IMMEDIATE")
    conn.execute(f"PRAGMA user_version = {schema.VERSION}")
    conn.execute("COMMIT")
    # The commit proved the -wal; this proves the file itself. A reader may keep it from finishing, which is no fault.
    conn.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
