"""Facts that stayed in the journal when their day was archived, held against the archive; and archives gone through."""

from collections.abc import Iterator, Sequence
from typing import cast

from controller.journal.archive.files import ArchiveFile
from controller.journal.chain import RawRow, sound
from controller.journal.errors import JournalCorruptError
from controller.journal.rows import Head

_OF_DAYS = frozenset({b"submission-filed", b"readings-taken", b"facts-archived"})


def unpacked_files(paths: Sequence[str], text: type[bytearray | bytes], upto: int | None = None) -> Iterator[RawRow]:
    """The facts of archive files, one file after the other. A file that is none is found at the fact it should have."""
    seq = 0
    for path in paths:
        try:
            for row in ArchiveFile(path).raw(text):
                if upto is not None and seq >= upto:
                    return
                seq = cast("int", row[0])
                yield row
        except JournalCorruptError as error:
            raise error if error.seq else JournalCorruptError(f"fact {seq + 1}: {error}", seq + 1) from error


def alike(archived: Iterator[RawRow], stayed: Iterator[RawRow]) -> Iterator[RawRow]:
    """Archived facts; an error at the first that the journal itself has otherwise, or should have and has not.

    While a day is leaving, more of it is still there than stays.
    """
    here = next(stayed, None)
    for row in archived:
        seq = cast("int", row[0])
        if here is not None and here[0] == seq:
            if here != row:
                raise JournalCorruptError(f"fact {seq}: the journal itself has it otherwise than its archive", seq)
            here = next(stayed, None)
        elif stays(row):
            raise JournalCorruptError(f"fact {seq}: it stays when its day is archived, and the journal lacks it", seq)
        yield row
    if here is not None:
        seq = cast("int", here[0])
        raise JournalCorruptError(f"fact {seq}: the journal has it, and no archive does", seq)


def alone(stayed: Iterator[RawRow]) -> Iterator[RawRow]:
    """Facts that stayed, where their archives are not there: each at least of one piece with its own hashes."""
    for row in stayed:
        before = row[6] if isinstance(row[6], bytes) else b""
        yield from sound([row], Head(cast("int", row[0]) - 1, before))


def stays(row: RawRow) -> bool:
    """As `schema.STAYS` says it; `tests/journal/test_archives.py` holds the two together."""
    type_, payload = cast("bytearray", row[3]), cast("bytearray", row[5])
    return bytes(type_) in _OF_DAYS or b'"hit":' in payload or b'"fates":[' in payload
