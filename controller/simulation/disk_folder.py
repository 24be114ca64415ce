"""The names on a disk, and what a power cut may leave of them.

A name made, changed or removed since the last sync of its folder may be so or not, each on its own; a sync of the file
does not help its name. (ext4 is kinder: there it does, and names change in order.)
"""

from collections.abc import Mapping
from typing import NamedTuple

from controller.simulation.disk_content import Choice, File, FileKey

Key = tuple[tuple[str, FileKey], ...]


class Image(NamedTuple):
    """The files after a power cut, and a key that tells one such outcome from another."""

    files: dict[str, bytes]
    key: Key


class Folder:
    """One folder and its files, as a process sees them and as they may be found `after_a_cut`."""

    def __init__(self, files: Mapping[str, bytes] | None = None, *, lies: int = 0) -> None:
        # Of so many syncs of files, the first has no effect: 1 for none that has, 0 for an honest disk.
        self._lies = lies
        self._syncs = 0
        self._count = 0
        self.names = {name: self._new(content) for name, content in (files or {}).items()}
        self._safe = dict(self.names)
        self._renamed: list[dict[str, File | None]] = []  # names since the last sync of the folder; None: gone

    def create(self, name: str) -> File:
        """A new, empty file of this name; what had it is another file."""
        made = self._new(b"")
        self._name({name: made})
        return made

    def nameless(self) -> File:
        """A file that no cut leaves anything of."""
        return self._new(b"")

    def rename(self, name: str, to: str, file: File) -> None:
        """Give a file another name."""
        self._name({name: None, to: file})

    def link(self, name: str, file: File) -> None:
        """Give a file one more name."""
        self._name({name: file})

    def remove(self, name: str) -> None:
        """Take a name away."""
        self._name({name: None})

    def sync_file(self, file: File) -> None:
        """All that was written to a file is safe, unless the disk lies."""
        if not self._lies or self._syncs % self._lies:
            file.sync()
        self._syncs += 1

    def sync(self) -> None:
        """All names are safe."""
        self._safe = dict(self.names)
        self._renamed.clear()

    @property
    def unsafe(self) -> int:
        """How many sectors, lengths and names a power cut may take back."""
        files = {*self.names.values(), *self._safe.values()}
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

    def _new(self, content: bytes) -> File:
        self._count += 1
        return File(self._count, content)

    def _name(self, change: dict[str, File | None]) -> None:
        _rename(self.names, change)
        self._renamed.append(change)


def _rename(names: dict[str, File], change: dict[str, File | None]) -> None:
    for name, file in change.items():
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file
