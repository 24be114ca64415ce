"""The format of an archive file: JSON, one line for a header and one for each fact, compressed with gzip.

gzip, because any machine unpacks it in any year, and because it is quick: xz makes files a quarter smaller, of which
half are hashes nobody can compress, and takes 30 times as long to write and five times to read.
"""

import gzip
import zlib
from collections.abc import Generator, Iterable, Iterator
from hashlib import sha256
from io import BytesIO
from typing import cast

from msgspec import MsgspecError, Struct, json

from controller.journal.chain import RawRow, sound
from controller.journal.errors import JournalCorruptError, JournalUnreadableError
from controller.journal.limits import MOST_PAYLOAD_BYTES
from controller.journal.place import HERE, Place
from controller.journal.rows import HASH_BYTES, Head

FILE_MODE = 0o440  # nobody changes an archive, its owner neither
# Of 1 to 9. A day of 60,000 facts: 0.2 s and 64 bytes a fact; 9 takes five times as long and saves a fourteenth.
LEVEL = 6
_GZIP = (
    31  # zlib's way to say: a gzip file, which has no name and no time in it, so that the same facts are the same bytes
)
# A payload in which every character is written as an escape of six, and the other columns.
MOST_LINE_BYTES = 6 * MOST_PAYLOAD_BYTES + 4096
FORMAT, VERSION = "jackpotd archive", 1


class Header(Struct, frozen=True, kw_only=True):
    """The first line: what the file holds, and where its chain begins."""

    format: str = FORMAT
    version: int = VERSION
    table: str
    day: str
    first: int
    last: int
    prev_hash: str

    @property
    def start(self) -> Head:
        """The place in the chain before the first fact."""
        return Head(self.first - 1, bytes.fromhex(self.prev_hash))


class Line(Struct, frozen=True, gc=False):
    """A fact: the columns as they stand. Its `prev_hash` is the `hash` of the line before, or the header's."""

    seq: int
    at: str
    round: int | None
    type: str
    version: int
    payload: str
    hash: str


_HEADER, _LINE = json.Decoder(Header), json.Decoder(Line)
_ENCODER = json.Encoder()


def pack(header: Header, rows: Iterable[RawRow]) -> bytes:
    """The content of a file of these facts, each proven to continue the chain."""
    packing = zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP)
    parts = [packing.compress(_ENCODER.encode(header) + b"\n")]
    last = header.first - 1
    for row in sound(rows, header.start):
        seq, at, round_, type_, version, payload, _, hash_ = cast(
            "tuple[int, bytearray, int | None, bytearray, int, bytearray, bytes, bytes]", row
        )
        line = Line(seq, at.decode(), round_, type_.decode(), version, payload.decode(), hash_.hex())
        parts.append(packing.compress(_ENCODER.encode(line) + b"\n"))
        last = seq
    if last != header.last:
        raise JournalCorruptError(f"fact {last + 1} is missing, of those up to {header.last}", last + 1)
    return b"".join([*parts, packing.flush()])


class ArchiveFile:
    """An archive file that was read: `raw` gives its facts as a journal's reader does."""

    def __init__(self, path: str, place: Place = HERE) -> None:
        self.path = path
        try:
            self._content = place.read(path)
        except OSError as error:
            raise JournalUnreadableError(f"{path} cannot be read: {error.strerror}: put it there") from error
        self.bytes = len(self._content)
        self.header = self._header()

    @property
    def sha256(self) -> str:
        """Of the file as it lies there."""
        return sha256(self._content).hexdigest()

    def raw(self, text: type[bytearray | bytes] = bytearray) -> Iterator[RawRow]:
        """Its facts in order, unproven; an error where the file ends too early or says what is no fact."""
        header = self.header
        seq, last = header.first - 1, header.start.hash
        lines = self._lines()
        next(lines)
        for line in lines:
            seq += 1
            try:
                fact = _LINE.decode(line)
                hash_ = bytes.fromhex(fact.hash)
                at, type_, payload = (text(each.encode()) for each in (fact.at, fact.type, fact.payload))
            except (MsgspecError, ValueError) as error:
                raise JournalCorruptError(
                    f"fact {seq}: {self.path} has a line that is no fact: {error}", seq
                ) from error
            yield fact.seq, at, fact.round, type_, fact.version, payload, last, hash_
            last = hash_
        if seq != header.last:
            raise JournalCorruptError(f"fact {seq + 1}: {self.path} ends before it, of {header.last}", seq + 1)

    def _lines(self) -> Generator[bytes]:
        """Line by line: memory does not grow with the day."""
        with gzip.GzipFile(fileobj=BytesIO(self._content)) as file:
            seq = 0  # before the header nothing is known
            try:
                while line := file.readline(MOST_LINE_BYTES):
                    if not line.endswith(b"\n"):
                        raise EOFError("a line does not end")  # noqa: TRY301 -- told as all that is wrong with the file
                    yield line
                    seq = seq + 1 if seq else self.header.first
            except (OSError, EOFError, zlib.error) as error:
                why = (
                    f"fact {seq}: {self.path} cannot be unpacked: {error}"
                    if seq
                    else f"{self.path} is no archive: {error}"
                )
                raise JournalCorruptError(why, seq or None) from error

    def _header(self) -> Header:
        lines = self._lines()
        try:
            header = _HEADER.decode(next(lines, b""))
            known = (header.format, header.version) == (FORMAT, VERSION) and 0 < header.first <= header.last
            why = "" if known and len(header.start.hash) == HASH_BYTES else str(header)
        except (MsgspecError, ValueError) as error:
            raise JournalCorruptError(f"{self.path} is no archive that this version reads: {error}") from error
        finally:
            lines.close()
        if why:
            raise JournalCorruptError(f"{self.path} is no archive that this version reads: {why}")
        return header
