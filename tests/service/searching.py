"""A search for secrets in whatever a run leaves behind or says: every form in which one might stand there."""

import bz2
import gzip
import lzma
import re
import sqlite3
import zlib
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

_UNITS_PER_CENT = 1_000_000  # the journal's own measure of money
_UNPACK: tuple[Callable[[bytes], bytes], ...] = (zlib.decompress, gzip.decompress, lzma.decompress, bz2.decompress)


def forms_of_bytes(secret: bytes) -> set[bytes]:
    """Bytes as they are, as hex of either case, as base64 wherever it begins, as numbers."""
    forms = {secret, secret[::-1], secret.hex().encode(), secret.hex().upper().encode(), b32encode(secret).rstrip(b"=")}
    for encode in (b64encode, urlsafe_b64encode):
        # Behind any other bytes: without the characters that hold bits of those, or of what follows.
        forms |= {encode(bytes(before) + secret)[4 * bool(before) : -4] for before in (0, 1, 2)}
    forms |= {str(int.from_bytes(secret, order)).encode() for order in ("big", "little")}
    forms |= {between.join(str(each) for each in secret).encode() for between in (",", ", ", " ")}
    return forms


def pattern_of_number(secret: int) -> str:
    """A number that is no part of a longer one, of hex, or of a second's fraction; in cents, units or dollars."""
    dollars = f"{secret // 100}\\.{secret % 100:02}|{secret // 100:,}\\.{secret % 100:02}"
    return rf"(?<![0-9a-f.])(?:{secret}|{secret * _UNITS_PER_CENT})(?![0-9a-f])|(?<![0-9.])(?:{dollars})(?![0-9])"


class Secrets:
    """Everything that must not be said, by name, as it might look."""

    def __init__(self) -> None:
        self.patterns: dict[str, re.Pattern[bytes]] = {}

    def raw(self, name: str, secret: bytes) -> None:
        """Bytes, in all their forms."""
        self.patterns[name] = re.compile(b"|".join(map(re.escape, sorted(forms_of_bytes(secret)))))

    def text(self, name: str, secret: str) -> None:
        """Text, wherever it stands."""
        self.patterns[name] = re.compile(re.escape(secret.encode()))

    def number(self, name: str, secret: int) -> None:
        """A number as text, and in the eight bytes in which it is sealed."""
        eight = b"|".join(re.escape(secret.to_bytes(8, order)) for order in ("big", "little"))
        self.patterns[name] = re.compile(pattern_of_number(secret).encode() + b"|" + eight)

    def found(self, said: Iterable[bytes]) -> list[str]:
        """The secrets that were said."""
        whole = b"\n".join(said)
        return [name for name, pattern in self.patterns.items() if pattern.search(whole)]


def left_in(folder: Path, but: Iterable[Path] = ()) -> Iterator[bytes]:
    """All that lies in a folder: every file to the byte, every cell of every database, and both unpacked."""
    apart = set(but)
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or apart & {path, *path.parents}:
            continue
        content = path.read_bytes()
        yield from unpacked(content)
        if content.startswith(b"SQLite format 3\0"):
            yield from _cells(path)


def _cells(path: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            for row in db.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 -- a table of the file's own
                for cell in row:
                    yield from unpacked(cell if isinstance(cell, bytes) else str(cell).encode())


def unpacked(content: bytes) -> Iterator[bytes]:
    """The content, and what it was packed from, if it was."""
    yield content
    for unpack in _UNPACK:
        with suppress(Exception):
            yield unpack(content)
