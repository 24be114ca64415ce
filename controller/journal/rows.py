"""What goes into the journal and what comes out of it: plain tuples in the order of the columns."""

from typing import NamedTuple

HASH_BYTES = 32  # SHA-256


class Entry(NamedTuple):
    """A fact as the engine hands it over; the journal gives it its number and its place in the chain."""

    at: str  # RFC 3339, UTC, always six digits of a second: 2026-11-16T11:15:00.123456Z sorts as text
    round: int | None
    type: str
    version: int
    payload: str  # JSON text, kept and hashed byte for byte as it came


class Row(NamedTuple):
    """A fact as it stands in the journal."""

    seq: int
    at: str
    round: int | None
    type: str
    version: int
    payload: str
    prev_hash: bytes
    hash: bytes


class Head(NamedTuple):
    """A place in the chain: the number and the hash of the last fact up to there."""

    seq: int
    hash: bytes


EMPTY = Head(0, bytes(HASH_BYTES))  # where the chain of every journal begins


class Snapshot(NamedTuple):
    """The state after fact `seq`, in the engine's own bytes, and the hash of the chain it stands on."""

    seq: int
    hash: bytes
    version: int
    payload: bytes
