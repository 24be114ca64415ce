"""One writer: a lock beside the journal that a second process, or a second opening in this one, does not get."""

import fcntl
import os

from controller.journal.errors import JournalBusyError, translated

FILE_MODE = 0o640  # the service's own user writes, its group (auditors) reads, nobody else sees other people's money


def hold(path: str) -> int:
    """Take the lock of the journal at `path`; closing the returned descriptor, or dying, releases it.

    The lock is on a file of its own, `<path>.lock`: to open and close the database itself by another descriptor would
    drop the locks SQLite holds on it in this process. The file stays: removing it would let two processes hold two.
    """
    beside = f"{path}.lock"
    try:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
    except OSError as error:
        raise translated(beside, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise JournalBusyError(
            f"{path} is held by another process: stop that one first (`fuser {beside}` shows its number)"
        ) from error
    except OSError as error:
        os.close(descriptor)
        raise translated(beside, error) from error
    return descriptor


def is_held(path: str) -> bool:
    """Whether a process holds the journal at `path` at this moment; asking leaves no trace."""
    try:
        descriptor = os.open(f"{path}.lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False  # never opened for writing here, or a copy, or not ours to see
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)
