"""The hash of a line in a chain: it covers the line's columns and the hash before it.

SHA-256 of the previous hash followed by seq, at, round, type, version and payload, each as one byte of its type (n
NULL, i INTEGER, t TEXT, b BLOB), the length of its value in 8 bytes, big-endian, and the value: integers as decimal
ASCII, text as UTF-8, NULL as nothing. Lengths and types are hashed too, so no two lines share an encoding. A table's
journal and a link's ledger are both such chains.
"""

from hashlib import sha256
from typing import TypeAlias

Text: TypeAlias = str | bytearray

_NULL = b"n" + bytes(8)
_INTEGER = tuple(b"i" + length.to_bytes(8, "big") for length in range(21))  # 64 bits: 19 digits and a sign


class _Prefixes(dict[int, bytes]):
    """What stands before a text, by its length: worked out once for those that come often."""

    def __missing__(self, length: int) -> bytes:
        prefix = b"t" + length.to_bytes(8, "big")
        if length < _OFTEN:
            self[length] = prefix
        return prefix


_OFTEN = 4096  # characters: nearly all facts are shorter
_TEXT = _Prefixes()


def link(  # noqa: PLR0913, PLR0917 -- the columns, in the order in which they are hashed
    prev_hash: bytes,
    seq: int,
    at: Text,
    round: int | None,  # noqa: A002 -- the column's name
    type: Text,  # noqa: A002 -- the column's name
    version: int,
    payload: Text,
) -> bytes:
    """The hash of a fact that follows the one with `prev_hash`."""
    # Written out, joined and hashed once: this runs for every fact ever written and for every one ever verified.
    number, revision = b"%d" % seq, b"%d" % version
    moment = at.encode() if isinstance(at, str) else at
    kind = type.encode() if isinstance(type, str) else type
    content = payload.encode() if isinstance(payload, str) else payload
    played = b"" if round is None else b"%d" % round
    fields = (
        prev_hash,
        _INTEGER[len(number)],
        number,
        _TEXT[len(moment)],
        moment,
        _NULL if round is None else _INTEGER[len(played)],
        played,
        _TEXT[len(kind)],
        kind,
        _INTEGER[len(revision)],
        revision,
        _TEXT[len(content)],
        content,
    )
    return sha256(b"".join(fields)).digest()
