"""What a disk may hold of a file after a power cut, as POSIX promises it and no better.

What was synced stays. Of the rest, each 512-byte sector holds what it held at the last sync or after any write since,
whatever its neighbours hold: writes are lost, torn and reordered. So is the length of a file, but a truncation happens
or not: file systems free blocks, they do not write zeros over them.

A write is only noted; what versions of each sector that makes is worked out when a cut asks for it.
"""

from collections.abc import Callable
from random import Random

SECTOR = 512

# Which of a number of versions, oldest first, is found.
Choice = Callable[[int], int]
FileKey = tuple[object, ...]
Sectors = dict[int, list[bytes]]


class Content:
    """A file's content, and every version of every sector and of its length since the last sync."""

    def __init__(self, content: bytes | bytearray = b"", sectors: Sectors | None = None) -> None:
        self.size = len(content)
        self._now = bytearray(content)
        self._sizes = [self.size]
        self._noted: Sectors = sectors or {}  # from before the truncation that made this
        self._writes: list[tuple[int, bytes, bytes]] = []  # first byte of the first sector; all sectors before, after

    def read(self, offset: int, amount: int) -> bytes:
        """As the process sees it; less at its end."""
        return bytes(self._now[offset : offset + amount])

    def write(self, offset: int, data: bytes) -> None:
        """Put data at an offset."""
        end = offset + len(data)
        first, past = offset // SECTOR * SECTOR, -(-end // SECTOR) * SECTOR
        now = self._now
        before = bytes(now[first:past])
        if end > self.size:
            self.extend(end)
        now[offset:end] = data
        self._writes.append((first, before, bytes(now[first:past])))

    def extend(self, size: int) -> None:
        """Make it longer, if it is shorter."""
        if size > self.size:
            self._now.extend(bytes(size - self.size))
            self.size = size
            self._sizes.append(size)

    def cut(self, size: int) -> "Content":
        """Its shorter self: of what was cut off nothing comes back, whatever is written there later."""
        kept = {sector: list(versions) for sector, versions in self.sectors().items() if sector * SECTOR < size}
        if size % SECTOR and size // SECTOR in kept:
            kept[size // SECTOR] = [each[: size % SECTOR].ljust(SECTOR, b"\0") for each in kept[size // SECTOR]]
        return Content(self._now[:size], kept)

    def settle(self) -> None:
        """Everything so far is safe."""
        self._writes.clear()
        self._noted = {}
        self._sizes = [self.size]

    def now(self) -> bytes:
        """All of it, as the process sees it."""
        return bytes(self._now)

    def flip(self, bit: int) -> None:
        """Turn a bit over where it lies, by no write."""
        self._now[bit // 8] ^= 1 << bit % 8

    @property
    def settled(self) -> bool:
        """Whether nothing was written since the last sync."""
        return not self._writes and not self._noted and len(self._sizes) == 1

    @property
    def unsafe(self) -> int:
        """How many sectors, and lengths, a power cut may take back."""
        return sum(len(versions) > 1 for versions in self.sectors().values()) + (len(self._sizes) > 1)

    def sectors(self) -> Sectors:
        """All versions of every sector that was written to, oldest first."""
        found = self._noted
        for first, before, after in self._writes:
            for start in range(0, len(after), SECTOR):
                versions = found.get((first + start) // SECTOR)
                if versions is None:
                    versions = found[(first + start) // SECTOR] = [_sector(before, start)]
                content = _sector(after, start)
                if versions[-1] != content:
                    versions.append(content)
        self._writes.clear()
        return found

    def after_a_cut(self, choice: Choice) -> tuple[bytes, FileKey]:
        """One version of its length and of each sector, and which those are."""
        size = self._sizes[choice(len(self._sizes))]
        content = self._now[:size]
        chosen: list[tuple[int, int]] = []
        for sector, versions in self.sectors().items():
            start = sector * SECTOR
            if start < size:
                which = choice(len(versions)) if len(versions) > 1 else 0
                content[start : start + SECTOR] = versions[which]
                if which:
                    chosen.append((sector, which))
        return bytes(content[:size]), (size, *chosen)


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

    @property
    def content(self) -> Content:
        """As the process sees it."""
        return self._contents[-1]

    def write(self, offset: int, data: bytes) -> None:
        """Put data at an offset."""
        self._contents[-1].write(offset, data)
        if not self._cuts:
            return
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
        if self._cuts or not self._contents[-1].settled:
            self._epoch += 1
            self._contents[-1].settle()
            if self._cuts:
                self._contents = self._contents[-1:]
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


def _sector(content: bytes, start: int) -> bytes:
    return content[start : start + SECTOR].ljust(SECTOR, b"\0")


def oldest(_versions: int) -> int:
    """Nothing since the last sync."""
    return 0


def newest(versions: int) -> int:
    """Everything."""
    return versions - 1


def torn(chance: Random) -> Choice:
    """Any version; and, for one outcome as a whole, leaning to nothing, to everything or to neither."""
    leaning = chance.choice((0.02, 0.2, 0.5, 0.8, 0.98))

    def choose(versions: int) -> int:
        if versions > 2 and chance.random() < 0.5:  # noqa: PLR2004 -- neither the oldest nor the newest is all there is
            return chance.randrange(versions)
        return versions - 1 if chance.random() < leaning else 0

    return choose
