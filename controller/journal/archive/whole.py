"""All facts of a journal, from the first on: through its archives, and on through its own file."""

import os
from collections.abc import Iterator, Sequence
from typing import cast

from controller.journal.archive.past import opened
from controller.journal.chain import RawRow
from controller.journal.place import HERE, Place
from controller.journal.reading import JournalReader, open_readonly
from controller.journal.rows import Row


def whole(journal: JournalReader, upto: int | None = None) -> Iterator[RawRow]:
    """Every fact in order, unproven; an error where an archive is missing, or is not the one that was written."""
    for file in journal.past.files:
        yield from opened(journal.shelf, file, journal.disk).raw()
    yield from journal.raw(upto=upto)


def archived_rows(path: str, place: Place = HERE, archives: Sequence[str | os.PathLike[str]] = ()) -> Iterator[Row]:
    """The facts that have left a journal, for a start that has no snapshot to begin from."""
    with open_readonly(path, place, archives) as journal:
        for file in journal.past.files:
            for row in opened(journal.shelf, file, place).raw(bytes):
                seq, at, round_, type_, version, payload, before, hash_ = cast(
                    "tuple[int, bytes, int | None, bytes, int, bytes, bytes, bytes]", row
                )
                yield Row(seq, at.decode(), round_, type_.decode(), version, payload.decode(), before, hash_)
