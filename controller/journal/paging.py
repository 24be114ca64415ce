"""Reading facts a page at a time: constant memory, and no read left open that would keep a -wal from being reset."""

import sqlite3
from typing import Any

PAGE_ROWS = 512  # a few hundred kilobytes of ordinary facts, and the query's own cost spread over many
PAGE_BYTES = 8 * 1024 * 1024  # ... and of extraordinary ones no more than this and one fact

_SELECT = """
SELECT seq, at, round, type, version, payload, prev_hash, hash FROM main.facts
WHERE seq >= ? AND seq <= ? ORDER BY seq LIMIT ?
"""


def page(conn: sqlite3.Connection, first: int, last: int) -> list[Any]:
    """The facts from `first` to `last` that fit on a page, in order, all read before it returns."""
    rows: list[Any] = []
    size = 0
    found = conn.execute(_SELECT, (first, last, PAGE_ROWS))
    try:
        for row in found:
            rows.append(row)
            try:
                size += len(row[5])
            except TypeError:  # a changed file may hold anything there, a number too
                continue
            if size >= PAGE_BYTES:
                break
    finally:
        found.close()
    return rows
