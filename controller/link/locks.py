"""The lock by which a link knows that a table is active."""

from hashlib import sha256


def lock_key(link: str, table: str) -> int:
    """The number of the lock that a table's session holds as long as it lives."""
    return int.from_bytes(sha256(f"jackpotd/{link}/{table}".encode()).digest()[:8], "big", signed=True)
