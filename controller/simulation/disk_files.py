"""A file of the simulated disk while SQLite has it open: reads, writes, and the locks that SQLite's users keep."""

import ctypes
import sqlite3
from dataclasses import dataclass, field
from typing import Protocol

from controller.simulation.disk_content import File

NONE, SHARED, RESERVED, PENDING, EXCLUSIVE = range(5)  # SQLite's levels of a lock
_UNLOCK, _SHARED = 1, 4  # SQLITE_SHM_UNLOCK, SQLITE_SHM_SHARED
_SLOTS = 8  # SQLITE_SHM_NLOCK
_HELD_ALONE = -1


@dataclass(eq=False)
class Sharing:
    """What the users of one file share while they run, and no power cut leaves: locks and the index of the -wal."""

    levels: "dict[Handle, int]" = field(default_factory=dict)
    regions: "list[ctypes.Array[ctypes.c_char]]" = field(default_factory=list)
    slots: list[int] = field(default_factory=lambda: [0] * _SLOTS)  # how many share each, or one that has it alone
    mapped: "set[Handle]" = field(default_factory=set)


class Surface(Protocol):
    """The disk below a file: each of these may fail, or end the life of the machine."""

    @property
    def life(self) -> object:
        """Which life it is in."""

    def reading(self) -> int:
        """Asked before a read."""

    def writing(self, file: File, past: int) -> int:
        """Asked before a write that ends at `past`."""

    def written(self) -> int:
        """Told after each write."""

    def syncing(self, file: File) -> int:
        """Make a file safe."""

    def sync_names(self) -> None:
        """Make the names safe."""


class Handle:
    """One file, opened once. A handle of a life that is over does nothing and says that the disk fails."""

    def __init__(self, disk: Surface, file: File, sharing: Sharing, *, names_too: bool) -> None:
        self._disk = disk
        self._life = disk.life
        self._file = file
        self._sharing = sharing
        self._names_too = names_too  # SQLite's Unix syncs the folder with the first sync of a new -wal
        self._held: dict[int, bool] = {}  # slots, and whether alone

    def read(self, offset: int, amount: int) -> bytes | int:
        """Its bytes; fewer at its end."""
        if self._life is not self._disk.life:
            return sqlite3.SQLITE_IOERR_READ
        return self._disk.reading() or self._file.content.read(offset, amount)

    def write(self, offset: int, data: bytes) -> int:
        """Put data at an offset."""
        disk = self._disk
        if self._life is not disk.life:
            return sqlite3.SQLITE_IOERR_WRITE
        refused = disk.writing(self._file, offset + len(data))
        if refused:
            return refused
        self._file.write(offset, data)
        return disk.written()

    def truncate(self, size: int) -> int:
        """Cut it."""
        if self._life is not self._disk.life or self._disk.writing(self._file, 0):
            return sqlite3.SQLITE_IOERR_TRUNCATE
        self._file.truncate(size)
        return self._disk.written()

    def sync(self) -> int:
        """Make it safe."""
        if self._life is not self._disk.life:
            return sqlite3.SQLITE_IOERR_FSYNC
        failed = self._disk.syncing(self._file)
        if not failed and self._names_too:
            self._disk.sync_names()
            self._names_too = False
        return failed

    def size(self) -> int:
        """Its length."""
        return self._file.content.size

    def lock(self, level: int) -> int:
        """Raise the lock."""
        levels = self._sharing.levels
        mine = levels.get(self, NONE)
        if mine >= level:
            return sqlite3.SQLITE_OK
        others = max((each for handle, each in levels.items() if handle is not self), default=NONE)
        if others >= (PENDING if level == SHARED else RESERVED):
            return sqlite3.SQLITE_BUSY
        if level == EXCLUSIVE and others:
            levels[self] = PENDING
            return sqlite3.SQLITE_BUSY
        levels[self] = level
        return sqlite3.SQLITE_OK

    def unlock(self, level: int) -> int:
        """Lower the lock."""
        if level == NONE:
            self._sharing.levels.pop(self, None)
        else:
            self._sharing.levels[self] = level
        return sqlite3.SQLITE_OK

    def is_reserved(self) -> bool:
        """Whether anyone is about to write."""
        return any(level >= RESERVED for level in self._sharing.levels.values())

    def map_region(self, number: int, size: int, *, extend: bool) -> int | None:
        """The address of a part of the shared index."""
        shared = self._sharing
        shared.mapped.add(self)
        while extend and len(shared.regions) <= number:
            shared.regions.append(ctypes.create_string_buffer(size))
        return ctypes.addressof(shared.regions[number]) if number < len(shared.regions) else None

    def lock_region(self, first: int, count: int, flags: int) -> int:
        """Take or leave some of the eight locks of the shared index, all or none."""
        slots, held = self._sharing.slots, self._held
        wanted = range(first, first + count)
        if flags & _UNLOCK:
            for slot in wanted:
                self._leave(slot)
            return sqlite3.SQLITE_OK
        if flags & _SHARED:
            if any(slots[slot] == _HELD_ALONE and slot not in held for slot in wanted):
                return sqlite3.SQLITE_BUSY
            for slot in wanted:
                if slot not in held:
                    slots[slot] += 1
                    held[slot] = False
            return sqlite3.SQLITE_OK
        if any(slots[slot] and slot not in held for slot in wanted):
            return sqlite3.SQLITE_BUSY
        for slot in wanted:
            slots[slot] = _HELD_ALONE
            held[slot] = True
        return sqlite3.SQLITE_OK

    def _leave(self, slot: int) -> None:
        alone = self._held.pop(slot, None)
        if alone is not None:
            self._sharing.slots[slot] = 0 if alone else self._sharing.slots[slot] - 1

    def unmap(self, *, delete: bool) -> None:
        """Leave the shared index; with the last user it goes."""
        shared = self._sharing
        for slot in list(self._held):
            self._leave(slot)
        shared.mapped.discard(self)
        if delete or not shared.mapped:
            shared.regions = []

    def close(self) -> None:
        """Leave it."""
        self._sharing.levels.pop(self, None)
