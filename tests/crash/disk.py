"""What a disk may hold after a power cut, as POSIX promises it and no better.

What was synced stays. Of the rest, each 512-byte sector holds what it held at the last sync or after any write since,
whatever its neighbours hold: writes are lost, torn and reordered. So is the length of a file, but a truncation happens
or not: file systems free blocks, they do not write zeros over them. A name made, changed or removed since the last sync
of its folder may be so or not, each on its own; a sync of the file does not help its name. (ext4 is kinder: there it
does, and names change in order.)
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.crash.recorder import Kind, Operation

SECTOR = 512

# Which of a number of versions, oldest first, is found.
Choice = Callable[[int], int]
Key = tuple[tuple[str, "FileKey"], ...]
FileKey = tuple[object, ...]


class Image(NamedTuple):
    """The files after a power cut, and a key that tells one such outcome from another."""

    files: dict[str, bytes]
    key: Key


class Content:
    """What is safe of a file, and every version of every sector and of its length since."""

    def __init__(self, content: bytes = b"") -> None:
        self.size = len(content)
        self.sectors: dict[int, list[bytes]] = {}
        self._sizes = [len(content)]
        self._safe = content
        self._now = bytearray(content)

    def write(self, offset: int, data: bytes) -> None:
        """Put data at an offset."""
        touched = range(offset // SECTOR, (offset + len(data) + SECTOR - 1) // SECTOR)
        for sector in touched:
            self.sectors.setdefault(sector, [self._sector(sector)])
        self.extend(offset + len(data))
        self._now[offset : offset + len(data)] = data
        for sector in touched:
            content = self._sector(sector)
            if self.sectors[sector][-1] != content:
                self.sectors[sector].append(content)

    def extend(self, size: int) -> None:
        """Make it longer, if it is shorter."""
        if size > self.size:
            self._now.extend(bytes(size - self.size))
            self.size = size
            self._sizes.append(size)

    def cut(self, size: int) -> "Content":
        """Its shorter self: of what was cut off nothing comes back, whatever is written there later."""
        after = Content(bytes(self._safe[:size].ljust(size, b"\0")))
        after._now = self._now[:size]
        kept = {sector: list(versions) for sector, versions in self.sectors.items() if sector * SECTOR < size}
        after.sectors = kept
        if size % SECTOR and size // SECTOR in kept:
            kept[size // SECTOR] = [each[: size % SECTOR].ljust(SECTOR, b"\0") for each in kept[size // SECTOR]]
        return after

    def now(self) -> bytes:
        """All of it, as the process sees it."""
        return bytes(self._now)

    @property
    def unsafe(self) -> int:
        """How many sectors, and lengths, a power cut may take back."""
        return sum(len(versions) > 1 for versions in self.sectors.values()) + (len(self._sizes) > 1)

    def after_a_cut(self, choice: Choice) -> tuple[bytes, FileKey]:
        """One version of its length and of each sector, and which those are."""
        size = self._sizes[choice(len(self._sizes))]
        content = bytearray(self._safe[:size].ljust(size, b"\0"))
        chosen: list[tuple[int, int]] = []
        for sector, versions in self.sectors.items():
            start = sector * SECTOR
            which = choice(len(versions)) if len(versions) > 1 and start < size else 0
            if which:
                content[start : start + SECTOR] = versions[which]
                chosen.append((sector, which))
        return bytes(content[:size]), (size, *chosen)

    def _sector(self, number: int) -> bytes:
        return bytes(self._now[number * SECTOR : (number + 1) * SECTOR].ljust(SECTOR, b"\0"))


class File:
    """A file: its content, and what that was before each truncation that is not safe yet.

    A truncation changes a length and frees what lay beyond, all or nothing. What is written later to the part cut off
    can only be found if the truncation is.
    """

    def __init__(self, number: int, content: bytes = b"") -> None:
        self.number = number
        self._epoch = 0  # changes of what is safe
        self._contents = [Content(content)]
        self._cuts: list[int] = []  # one less: the length after each truncation

    def write(self, offset: int, data: bytes) -> None:
        """Put data at an offset."""
        self._contents[-1].write(offset, data)
        most = len(data)
        for content, cut in zip(reversed(self._contents[:-1]), reversed(self._cuts), strict=True):
            most = min(most, cut // SECTOR * SECTOR - offset)
            if most > 0:
                content.write(offset, data[:most])

    def truncate(self, size: int) -> None:
        """Cut or extend it."""
        last = self._contents[-1]
        if size < last.size:
            self._contents.append(last.cut(size))
            self._cuts.append(size)
        else:
            last.extend(size)

    def sync(self) -> None:
        """Everything so far is safe."""
        if self.unsafe:
            self._epoch += 1
            self._contents = [Content(self._contents[-1].now())]
            self._cuts.clear()

    @property
    def unsafe(self) -> int:
        """How many sectors, lengths and truncations a power cut may take back."""
        return len(self._cuts) + sum(content.unsafe for content in self._contents)

    def after_a_cut(self, choice: Choice) -> tuple[bytes, FileKey]:
        """Its content before or after each truncation, of what was written by then any part, and which those are."""
        which = choice(len(self._contents))
        content, key = self._contents[which].after_a_cut(choice)
        return content, (self.number, self._epoch, which, *key)


class Disk:
    """One folder. `apply` the operations of a recording in order; between any two, `after_a_cut`."""

    def __init__(self, files: Mapping[str, bytes] | None = None, *, lies: int = 0) -> None:
        self._lies = (
            lies  # of so many syncs of files, the first has no effect: 1 for none that has, 0 for an honest disk
        )
        self._syncs = 0
        self._count = 0
        self._by_inode: dict[int, File] = {}
        self._now = {name: self._new(content) for name, content in (files or {}).items()}
        self._safe = dict(self._now)
        self._renamed: list[dict[str, File | None]] = []  # names since the last sync of the folder; None: gone

    def apply(self, operation: Operation) -> None:
        """Do what was done."""
        match operation:
            case Operation(Kind.WRITE, inode, offset, _, data):
                self._by_inode[inode].write(offset, data)
            case Operation(Kind.TRUNCATE, inode, size):
                self._by_inode[inode].truncate(size)
            case Operation(Kind.SYNC, inode) if inode in self._by_inode:
                if not self._lies or self._syncs % self._lies:
                    self._by_inode[inode].sync()
                self._syncs += 1
            case Operation(Kind.SYNC):  # no file: the folder
                self._safe = dict(self._now)
                self._renamed.clear()
            case _:
                self._apply_to_names(operation)

    @property
    def unsafe(self) -> int:
        """How many sectors, lengths and names a power cut may take back."""
        files = {*self._now.values(), *self._safe.values()}
        return len(self._renamed) + sum(file.unsafe for file in files)

    def after_a_cut(self, names: Choice, contents: Choice) -> Image:
        """The files that a power cut at this moment may leave."""
        there: dict[str, File] = dict(self._safe)
        for change in self._renamed:
            if names(2):
                _rename(there, change)
        found = {name: file.after_a_cut(contents) for name, file in sorted(there.items())}
        key = tuple((name, key) for name, (_, key) in found.items())
        return Image({name: content for name, (content, _) in found.items()}, key)

    def _apply_to_names(self, operation: Operation) -> None:
        match operation:
            case Operation(Kind.FIND, inode, _, name) if name:
                self._by_inode[inode] = self._now[name]
            case Operation(Kind.CREATE, inode, _, name):
                self._by_inode[inode] = made = self._new(b"")  # also where a removed file had that inode
                self._name({name: made})
            case Operation(Kind.RENAME, inode, _, name, to):
                self._name({name: None, to.decode(): self._by_inode[inode]})
            case Operation(Kind.LINK, inode, _, name):
                self._name({name: self._by_inode[inode]})
            case Operation(Kind.UNLINK, _, _, name):
                self._name({name: None})

    def _new(self, content: bytes) -> File:
        self._count += 1
        return File(self._count, content)

    def _name(self, change: dict[str, File | None]) -> None:
        _rename(self._now, change)
        self._renamed.append(change)


def _rename(names: dict[str, File], change: dict[str, File | None]) -> None:
    for name, file in change.items():
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file


def oldest(_versions: int) -> int:
    """Nothing since the last sync."""
    return 0


def newest(versions: int) -> int:
    """Everything."""
    return versions - 1
