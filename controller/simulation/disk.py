"""A disk in memory that the real journal lies on, and that loses whatever a real one may: `SqliteJournal(path, disk)`.

What is written is safe once it is synced, and not before. `cut` takes the power away, now or at a later write;
`kill` ends the process and leaves what it wrote. Then `disk.life` is another, every handle of the last one is dead,
and the journal is opened anew. All chance comes from the seed.
"""

import errno
import os
import sqlite3
from collections.abc import Callable
from random import Random
from typing import Any

from controller.journal.errors import JournalBusyError
from controller.simulation import disk_vfs
from controller.simulation.disk_content import File, torn
from controller.simulation.disk_files import Handle, Sharing
from controller.simulation.disk_folder import Folder

CAPACITY = 1 << 30  # bytes; a controller's disk holds more, a simulated evening needs far less
_NEW_NAMES = 0x800 | 0x4000 | 0x80000  # SQLITE_OPEN_MAIN_JOURNAL, _SUPER_JOURNAL, _WAL
_CREATE, _DELETE_ON_CLOSE = 4, 8  # SQLITE_OPEN_…
_NO_SUCH_FILE = sqlite3.SQLITE_IOERR_DELETE_NOENT


class PowerCutError(SystemExit):
    """The power is gone: raised out of the life that lost it. As a SystemExit it passes straight through asyncio."""


class Life:
    """From a start of the machine, or of the process, to its end."""

    def __init__(self) -> None:
        self.sharing: dict[File, Sharing] = {}
        self.holders: set[str] = set()


class SimulatedDisk:
    """One disk: a `Place` for a journal, and the drive that SQLite writes to.

    `failing` names what fails meanwhile: "read", "write", "sync", "open". `ballast` is what others have on it.
    """

    def __init__(
        self, seed: object, *, lies: int = 0, capacity: int = CAPACITY, milliseconds: Callable[[], int] = lambda: 0
    ) -> None:
        self._seed = seed
        self._chance = Random(f"{seed} disk")
        self._lies = lies
        self.folder = Folder(lies=lies)
        self.capacity = capacity
        self.ballast = 0
        self.failing: set[str] = set()
        self.milliseconds = milliseconds
        self.life: Life | None = Life()
        self.lives = 1
        self.writes = 0  # of any kind, since the disk was made: what a cut is counted by
        self.syncs = 0
        self._cut_at = 0
        self._kept: BaseException | None = None
        self._vfs = disk_vfs.register(self)
        disk_vfs.seed_library(self)

    # -- what happens to it --

    def cut(self, writes: int = 0) -> None:
        """Take the power away: now, or in the midst of that many writes from now (1: the next)."""
        if writes:
            self._cut_at = self.writes + writes
            return
        self._cut_at = 0
        self.life = None

    def spare(self) -> None:
        """Let a cut that was to come not come."""
        self._cut_at = 0

    @property
    def is_off(self) -> bool:
        """Whether the power is gone, and `restart` must come before anything else."""
        return self.life is None

    def restart(self) -> None:
        """Power again, after a cut: the disk holds what the cut left of it, from the seed."""
        if self.life is not None:
            raise RuntimeError("the power is on: cut it first")
        chance = Random(f"{self._seed} cut {self.lives}")
        image = self.folder.after_a_cut(torn(chance), torn(chance))
        self.folder = Folder(image.files, lies=self._lies)
        self._begin()

    def kill(self) -> None:
        """End the process: what it wrote is there, what it locked is free."""
        if self.life is not None:
            self._begin()

    def flip_a_bit(self, name: str) -> int:
        """Turn over one bit of a file where it lies, by chance; the number of its byte."""
        content = self.folder.names[name].content
        bit = self._chance.randrange(content.size * 8)
        content.flip(bit)
        return bit // 8

    def close(self) -> None:
        """Let SQLite forget it; every connection must be closed."""
        disk_vfs.unregister(self)

    def raise_kept(self) -> None:
        """Raise what could not be raised through SQLite, and a cut that has come."""
        kept, self._kept = self._kept, None
        if self.life is None:
            raise PowerCutError("the power is gone") from kept
        if kept is not None:
            raise kept

    def _begin(self) -> None:
        self.life = Life()
        self.lives += 1
        self._kept = None
        disk_vfs.seed_library(self)

    # -- the journal's place --

    def real(self, path: str | os.PathLike[str]) -> str:
        """There are no links."""
        return os.fspath(path)

    def hold(self, path: str) -> Callable[[], None]:
        """One at a time in each life."""
        holders = self._alive().holders
        if path in holders:
            raise JournalBusyError(f"{path} is held by another process: stop that one first")
        holders.add(path)
        return lambda: holders.discard(path)

    def is_held(self, path: str) -> bool:
        """Whether it is held."""
        return path in self._alive().holders

    def free_bytes(self, _path: str) -> int:
        """What neither we nor others have filled."""
        return max(0, self.capacity - self.ballast - self._used())

    def exists(self, path: str) -> bool:
        """Whether there is a file of that name."""
        self._alive()
        return path in self.folder.names

    def standing(self, path: str) -> tuple[int, int, int]:
        """Its number, its size, and what was written so far."""
        if not self.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        file = self.folder.names[path]
        return file.number, file.content.size, self.writes

    def allows(self, _path: str, _mode: int) -> bool:
        """Everything."""
        return True

    def read(self, path: str) -> bytes:
        """All that is in a file."""
        if not self.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        content = self.folder.names[path].content
        return bytes(content.read(0, content.size))

    def names(self, folder: str) -> list[str]:
        """Those that begin with it."""
        return [name.removeprefix(f"{folder}/") for name in self.folder.names if name.startswith(f"{folder}/")]

    def make_folder(self, _folder: str) -> None:
        """There is one folder, and names in it may have more."""

    def write_new(self, path: str, content: bytes, _mode: int = 0) -> None:
        """A file of this content, synced; its name is not."""
        self._alive()
        file = self.folder.create(path)
        self._checked(self.writing(file, len(content)))
        file.write(0, content)
        self._checked(self.written())
        self._checked(self.syncing(file))

    def sync_file(self, path: str) -> None:
        """Make its content safe."""
        self._alive()
        self._checked(self.syncing(self.folder.names[path]))

    def rename(self, path: str, to: str) -> None:
        """Give a file another name."""
        self._alive()
        self.folder.rename(path, to, self.folder.names[path])
        self._checked(self.written())

    def sync_folder(self, _path: str) -> None:
        """Make the names safe."""
        self._alive()
        if "sync" in self.failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self.sync_names()

    def connect(self, path: str, way: str, seconds: float) -> sqlite3.Connection:
        """A connection through SQLite's VFS for this disk."""
        self._alive()

        def made(*arguments: Any, **options: Any) -> "_Connection":  # noqa: ANN401 -- sqlite3's own
            return _Connection(self, *arguments, **options)

        uri = f"file:{path}?{way}&vfs={self._vfs}"
        return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=seconds, factory=made)  # type: ignore[call-overload,no-any-return]  # any callable will do

    def _alive(self) -> Life:
        if self.life is None:
            raise PowerCutError("the power is gone")
        return self.life

    def _checked(self, code: int) -> None:
        if code:
            self.raise_kept()
            number = errno.ENOSPC if code == sqlite3.SQLITE_FULL else errno.EIO
            raise OSError(number, os.strerror(number))

    # -- SQLite's drive --

    def open(self, name: str | None, flags: int) -> Handle | int:
        """A file; a new one where it may be."""
        if self.life is None or "open" in self.failing:
            return sqlite3.SQLITE_CANTOPEN
        file = self.folder.names.get(name) if name else self.folder.nameless()
        if file is None:
            if not flags & _CREATE or name is None:
                return sqlite3.SQLITE_CANTOPEN
            file = self.folder.create(name)
            if self.written():
                return sqlite3.SQLITE_CANTOPEN
        sharing = self.life.sharing.setdefault(file, Sharing())
        if flags & _DELETE_ON_CLOSE and name:
            self.folder.remove(name)
        return Handle(self, file, sharing, names_too=bool(flags & _CREATE and flags & _NEW_NAMES))

    def delete(self, name: str, *, sync: bool) -> int:
        """Take a name away."""
        if self.life is None:
            return sqlite3.SQLITE_IOERR_DELETE
        if name not in self.folder.names:
            return _NO_SUCH_FILE
        self.folder.remove(name)
        if self.written():
            return sqlite3.SQLITE_IOERR_DELETE
        if sync:
            self.sync_names()
        return sqlite3.SQLITE_OK

    def accessible(self, name: str) -> bool:
        """Whether there is such a file, with something in it: so SQLite's Unix answers."""
        return self.life is not None and name in self.folder.names and self.folder.names[name].content.size > 0

    def random(self, amount: int) -> bytes:
        """From the seed."""
        return self._chance.randbytes(amount)

    def keep(self, error: BaseException) -> None:
        """Remember what was raised while SQLite had the word; the first counts."""
        self._kept = self._kept or error

    def reading(self) -> int:
        """Before a read."""
        return sqlite3.SQLITE_IOERR_READ if self.failing and "read" in self.failing else 0

    def writing(self, file: File, past: int) -> int:
        """Before a write up to `past`: whether it fails, and whether there is room."""
        if self.failing and "write" in self.failing:
            return sqlite3.SQLITE_IOERR_WRITE
        grows = past - file.content.size
        return sqlite3.SQLITE_FULL if grows > 0 and self.ballast and self.free_bytes("") < grows else 0

    def written(self) -> int:
        """After a write of any kind: whether that was the one the power went at."""
        self.writes += 1
        if self.writes != self._cut_at:
            return 0
        self.cut()
        return sqlite3.SQLITE_IOERR_WRITE

    def syncing(self, file: File) -> int:
        """Make a file safe, unless that fails."""
        if self.failing and "sync" in self.failing:
            return sqlite3.SQLITE_IOERR_FSYNC
        self.syncs += 1
        if self.written():  # the power can go before the sync has done its work
            return sqlite3.SQLITE_IOERR_FSYNC
        self.folder.sync_file(file)
        return 0

    def sync_names(self) -> None:
        """Make the names safe."""
        self.folder.sync()

    def _used(self) -> int:
        return sum(file.content.size for file in {*self.folder.names.values()})


class _Connection(sqlite3.Connection):
    """A connection that raises what the disk has kept, in place of SQLite's I/O error for it."""

    def __init__(self, disk: SimulatedDisk, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 -- sqlite3's own
        self._disk = disk
        super().__init__(*arguments, **options)

    def execute(self, *arguments: Any) -> sqlite3.Cursor:  # noqa: ANN401 -- sqlite3's own
        try:
            found = super().execute(*arguments)
        except sqlite3.Error:
            self._disk.raise_kept()
            raise
        if self._disk.is_off:  # in a checkpoint, which SQLite puts up with; without power nothing goes on
            self._disk.raise_kept()
        return found

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:  # noqa: ANN401 -- sqlite3's own
        try:
            found = super().executemany(*arguments)
        except sqlite3.Error:
            self._disk.raise_kept()
            raise
        if self._disk.is_off:  # in a checkpoint, which SQLite puts up with; without power nothing goes on
            self._disk.raise_kept()
        return found

    def close(self) -> None:
        on = not self._disk.is_off
        super().close()
        if on:  # it wrote the -wal home, and the power may have gone meanwhile
            self._disk.raise_kept()
