"""Making an archive file: written beside its name, synced, and proven by reading it again. Nothing leaves by this.

The controller has it done in a process of its own: reading, hashing and compressing a day takes a second of processor
time, which in a thread would be taken from the table's turns, and a process can be killed at a stop. It returns the
fact for the chain; `publish` gives the file its name, and sees that it is the one. Both may be done again at any time.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import cast

from msgspec import Struct, json

from controller.core.facts import FactsWereArchived
from controller.journal.archive.files import FILE_MODE, ArchiveFile, Header, pack
from controller.journal.archive.leaving import Leaving
from controller.journal.archive.naming import name
from controller.journal.archive.past import unlike
from controller.journal.chain import sound
from controller.journal.errors import JournalCorruptError, JournalError, JournalUnwritableError
from controller.journal.place import HERE, Place
from controller.journal.reading import open_readonly
from controller.journal.rows import Head
from controller.journal.sqlite import SqliteJournal

UNFINISHED = ".new"
# What is left free for the table itself, should the archives lie on its disk: as much as it needs to open, twice.
LEAST_FREE_BYTES = 64 * 1024 * 1024


class Job(Struct, frozen=True, kw_only=True):
    """What is to be packed, and into which folder."""

    journal: str
    folder: str
    table: str
    day: str
    first: int
    last: int
    prev_hash: str
    hash: str  # of the last fact

    @property
    def path(self) -> str:
        """The file it makes."""
        return f"{self.folder}/{name(self.journal, self.first, self.last, self.day)}"

    @property
    def header(self) -> Header:
        """Its first line."""
        return Header(table=self.table, day=self.day, first=self.first, last=self.last, prev_hash=self.prev_hash)


def job(journal: SqliteJournal, folder: str, table: str, leaving: Leaving) -> Job:
    """What is to be packed when facts leave."""
    return Job(
        journal=journal.path,
        folder=folder,
        table=table,
        day=leaving.day,
        first=leaving.start.seq + 1,
        last=leaving.last,
        prev_hash=leaving.start.hash.hex(),
        hash=next(iter(journal.rows(leaving.last - 1, leaving.last))).hash.hex(),
    )


def prepare(job: Job, place: Place = HERE) -> FactsWereArchived:
    """Write and prove the file of a job, unless a sound one is there: after a crash, or of an older copy's own."""
    try:
        place.make_folder(job.folder)
        if place.exists(job.path):
            place.sync_file(job.path)  # one that was put back by hand may not be on the disk yet
            return _proven(job, job.path, place)
        with open_readonly(job.journal, place) as journal:
            content = pack(job.header, journal.raw(job.first - 1, job.last))
        if place.free_bytes(job.path) - len(content) < LEAST_FREE_BYTES:
            raise JournalUnwritableError(
                f"{job.folder}: it would leave less than {LEAST_FREE_BYTES >> 20} MiB free: make room"
            )
        place.write_new(f"{job.path}{UNFINISHED}", content, FILE_MODE)
        return _proven(job, f"{job.path}{UNFINISHED}", place)
    except OSError as error:
        raise JournalUnwritableError(
            f"{job.folder}: {error.strerror}: see that the folder above it exists, has room and may be written"
        ) from error


def publish(job: Job, made: FactsWereArchived, place: Place = HERE) -> None:
    """Give a file that was prepared its name, for good, and see that what has that name now is what was proven.

    Since then someone may have put a file back, or what a killed controller has left behind may have written its own.
    """
    try:
        if not place.exists(job.path):
            place.rename(f"{job.path}{UNFINISHED}", job.path)
        place.sync_file(job.path)
        place.sync_folder(job.path)
    except OSError as error:
        raise JournalUnwritableError(f"{job.folder}: {error.strerror}: see what became of it") from error
    if why := unlike(ArchiveFile(job.path, place), made):
        raise JournalCorruptError(f"{job.path}: {why}: if it stays so, move it away, and have it looked into")


def _proven(job: Job, path: str, place: Place) -> FactsWereArchived:
    """The fact for a file that holds what it should, as it is read from the disk."""
    file = ArchiveFile(path, place)
    elsewhere = f"{path} is there and holds something else: move it away, and have it looked into"
    if file.header != job.header:
        raise JournalCorruptError(elsewhere)
    head, lowest, highest = job.header.start, 0, 0
    for row in sound(file.raw(), head):
        head = Head(cast("int", row[0]), cast("bytes", row[7]))
        if round_ := cast("int", row[2] or 0):
            lowest, highest = min(lowest or round_, round_), max(highest, round_)
    if head.hash.hex() != job.hash:
        raise JournalCorruptError(elsewhere)
    return FactsWereArchived(
        file=Path(job.path).name,
        day=job.day,
        first=job.first,
        last=job.last,
        prev_hash=job.prev_hash,
        hash=head.hash.hex(),
        bytes=file.bytes,
        sha256=file.sha256,
        rounds=(lowest, highest),
    )


def main() -> int:
    """Do a job from standard input and say the fact, or on standard error why not."""
    with suppress(OSError):  # a sandbox may forbid it
        os.nice(19)
    try:
        told = prepare(json.decode(sys.stdin.buffer.read(), type=Job))
    except JournalError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.buffer.write(json.encode(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
