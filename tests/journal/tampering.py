"""Ways to change a journal behind its back, as someone with the file and any tool could."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from controller.journal.chain import chained
from controller.journal.rows import EMPTY, Entry, Row, Snapshot
from controller.journal.sqlite import SqliteJournal

Payload = dict[str, Any]
COLUMNS = ("seq", "at", "round", "type", "version", "payload", "prev_hash", "hash")


def run(path: Path, *statements: tuple[str, tuple[object, ...]] | str) -> None:
    """Statements on the file, with everything gone from it that would refuse them."""
    with closing(sqlite3.connect(path)) as conn:
        loosen(conn)
        for statement in statements:
            conn.execute(*((statement,) if isinstance(statement, str) else statement))
        conn.commit()


def update(column: str, expression: str, seq: int, *values: object) -> tuple[str, tuple[object, ...]]:
    """The statement that changes one column of one fact."""
    return f"UPDATE facts SET {column} = {expression} WHERE seq = ?", (*values, seq)  # noqa: S608 -- a test's own


def loosen(conn: sqlite3.Connection) -> None:
    """The same facts in a table that takes any value of any type, without triggers and views."""
    for kind in ("view", "trigger"):
        for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = ?", (kind,)).fetchall():
            conn.execute(f"DROP {kind} {name}")
    kept = conn.execute("SELECT * FROM facts").fetchall()
    conn.execute("DROP TABLE facts")
    # A column without a type stores what it is given; `rowid` order is no order, so `seq` is a key of its own.
    conn.execute(f"CREATE TABLE facts ({', '.join(COLUMNS)})")
    conn.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", kept)


def rewritten(path: Path, rows: Sequence[Row], snapshots: Sequence[Snapshot] = ()) -> Path:
    """A journal of these facts with every hash computed anew, by someone who knows how."""
    made = chained(EMPTY, [Entry(*row[1:6]) for row in rows])
    with SqliteJournal(path) as journal:
        journal.append([Entry(*row[1:6]) for row in made])
        for snapshot in snapshots:
            journal.append([], snapshot=snapshot._replace(hash=made[snapshot.seq - 1].hash))
    return path


def forged(rows: Sequence[Row], seq: int, change: Callable[[Payload], object]) -> list[Row]:
    """The facts with what one of them says changed."""
    payload = json.loads(rows[seq - 1].payload)
    change(payload)
    text = json.dumps(payload, separators=(",", ":"), ensure_ascii=False)
    return [row._replace(payload=text) if row.seq == seq else row for row in rows]


def first(rows: Sequence[Row], type_: str, holding: str = "") -> int:
    """The number of the first fact of a type."""
    return next(row.seq for row in rows if row.type == type_ and holding in row.payload)
