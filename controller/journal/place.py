"""Where a journal lies: what it needs of an operating system beside SQLite, in one place that can be another."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from controller.journal import lock

FOLDER_MODE = 0o750  # as of the files in it: this user writes, its group reads


class Place(Protocol):
    """A disk with names on it. A fault of it is an OSError, or an error of SQLite."""

    def real(self, path: str | os.PathLike[str]) -> str:
        """The one name of a file, links resolved."""

    def hold(self, path: str) -> Callable[[], None]:
        """Take the lock of the journal at `path`; calling what is returned, or dying, releases it."""

    def is_held(self, path: str) -> bool:
        """Whether anyone holds the journal at `path` at this moment; asking leaves no trace."""

    def free_bytes(self, path: str) -> int:
        """How much more fits beside `path`."""

    def exists(self, path: str) -> bool:
        """Whether there is a file of that name."""

    def standing(self, path: str) -> tuple[int, int, int]:
        """What tells one standing of a file from another: its identity, size, and when it was written to."""

    def allows(self, path: str, mode: int) -> bool:
        """Whether this user may do to `path` what `mode` (of `os.access`) says."""

    def read(self, path: str) -> bytes:
        """All that is in a file."""

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder; none where there is no such folder."""

    def make_folder(self, folder: str) -> None:
        """See that there is a folder, its name safe."""

    def write_new(self, path: str, content: bytes, mode: int = lock.FILE_MODE) -> None:
        """A file of this content, synced, in place of what had that name; the name itself is not synced."""

    def sync_file(self, path: str) -> None:
        """Make safe what is in a file; its name is not."""

    def rename(self, path: str, to: str) -> None:
        """Give a file another name, in place of what had it."""

    def sync_folder(self, path: str) -> None:
        """Make the names in the folder of `path` survive a power cut."""

    def connect(self, path: str, way: str, seconds: float) -> sqlite3.Connection:
        """A connection by the URI's parameters in `way`, that waits so long for others; the caller begins and ends."""


class OperatingSystem:
    """The disks of this machine."""

    def real(self, path: str | os.PathLike[str]) -> str:
        """Links and `..` resolved."""
        return os.path.realpath(path)

    def hold(self, path: str) -> Callable[[], None]:
        """By a lock on a file beside it."""
        descriptor = lock.hold(path)
        return lambda: os.close(descriptor)

    def is_held(self, path: str) -> bool:
        """By the lock on the file beside it."""
        return lock.is_held(path)

    def free_bytes(self, path: str) -> int:
        """What an ordinary user may still fill."""
        disk = os.statvfs(Path(path).parent)
        return disk.f_bavail * disk.f_frsize

    def exists(self, path: str) -> bool:
        """Also through a link."""
        return Path(path).exists()

    def standing(self, path: str) -> tuple[int, int, int]:
        """Inode, size, and time of the last change of content."""
        found = Path(path).stat()
        return found.st_ino, found.st_size, found.st_mtime_ns

    def allows(self, path: str, mode: int) -> bool:
        """As `access` answers."""
        return os.access(path, mode)

    def read(self, path: str) -> bytes:
        """At once: what is read so is of a few megabytes."""
        return Path(path).read_bytes()

    def names(self, folder: str) -> list[str]:
        """In any order."""
        try:
            return [each.name for each in Path(folder).iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def make_folder(self, folder: str) -> None:
        """For this user and its group; not the folders above it, which a missing disk would leave on another one.

        The name of one that is there is synced too: who made it may have died before that.
        """
        made = not Path(folder).is_dir()
        if made:
            Path(folder).mkdir(FOLDER_MODE)
        if made or self.allows(str(Path(folder).parent), os.R_OK):
            self.sync_folder(folder)

    def write_new(self, path: str, content: bytes, mode: int = lock.FILE_MODE) -> None:
        """A new file, also where one of that name may not be written; not through a link."""
        Path(path).unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(path, flags, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)

    def sync_file(self, path: str) -> None:
        """Whoever wrote it."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, path: str, to: str) -> None:
        """At once or not at all."""
        Path(path).rename(to)

    def sync_folder(self, path: str) -> None:
        """By a descriptor of the folder."""
        folder = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def connect(self, path: str, way: str, seconds: float) -> sqlite3.Connection:
        """By SQLite's own way to this operating system."""
        return sqlite3.connect(f"{Path(path).as_uri()}?{way}", uri=True, isolation_level=None, timeout=seconds)


HERE = OperatingSystem()
