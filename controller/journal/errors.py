"""What can go wrong with a journal: four kinds for its file and its disk, one for the caller."""

import os
import sqlite3


class JournalError(Exception):
    """The journal cannot do what was asked; the message names the file, the cause and the remedy."""


class JournalBusyError(JournalError):
    """Another process holds the journal, or wrote to it."""


class JournalUnwritableError(JournalError):
    """The disk is full, read-only, failing or not there: the journal works again once that has passed."""


class JournalUnreadableError(JournalError):
    """An auditor's file is missing or may not be read."""


class JournalForeignError(JournalError):
    """A database that is not a journal, or one of a newer version of this software."""


class JournalCorruptError(JournalError):
    """Not what was written: damaged, or changed by someone. `seq` is the first bad fact where that is known."""

    def __init__(self, message: str, seq: int | None = None) -> None:
        super().__init__(message)
        self.seq = seq


class JournalLimitError(JournalError):
    """An entry, cursor or snapshot the journal does not take: nothing was written, the caller is wrong."""


# What the module sqlite3 raises of a database. The second: what SQLite says of a damaged one can hold its very bytes.
COMPLAINTS = (sqlite3.Error, UnicodeDecodeError)

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_CONSTRAINT}
_REMEDIES = {
    sqlite3.SQLITE_FULL: "make room on its disk",
    sqlite3.SQLITE_READONLY: "make the file, its folder and the file system writable",
    sqlite3.SQLITE_CANTOPEN: "see that the folder exists and that this user may write there",
    sqlite3.SQLITE_IOERR: "see whether its disk is full, and what `dmesg` says of it",
}


def translated(path: str, cause: sqlite3.Error | UnicodeDecodeError | OSError) -> JournalError:
    """The journal's own error for one of SQLite or of the operating system; raise it `from` the cause."""
    if isinstance(cause, OSError):
        return JournalUnwritableError(
            f"{path}: {os.strerror(cause.errno) if cause.errno else cause}: "
            "see that its folder exists, has room and that this user may write there"
        )
    if isinstance(cause, UnicodeDecodeError):
        return JournalCorruptError(
            f"{path}: what it says is no text: keep a copy of it, restore a backup and verify that"
        )
    # Python's own complaints carry no code of SQLite: of us, such as a second thread, or of a text that is not UTF-8.
    extended: int | None = getattr(cause, "sqlite_errorcode", None)
    if isinstance(cause, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        return JournalError(f"{path}: {cause}")
    if extended is None:
        return JournalCorruptError(f"{path}: {cause}: restore it from a backup and verify that")
    code = extended & 0xFF
    name: str = cause.sqlite_errorname
    if code in _BUSY:
        return JournalBusyError(f"{path}: {cause} ({name}): end the other program that writes to it")
    if code in _CORRUPT or code == sqlite3.SQLITE_ERROR:
        return JournalCorruptError(f"{path}: {cause} ({name}): keep a copy of it, restore a backup and verify that")
    remedy = _REMEDIES.get(code, "put that right")
    return JournalUnwritableError(f"{path}: {cause} ({name}): {remedy}; what was acknowledged is safe")
