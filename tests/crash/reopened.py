"""A journal opened again after a power cut, and proven as the controller proves it."""

from pathlib import Path
from typing import NamedTuple

from controller.core.state import State
from controller.journal.rows import Row
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load


class Reopened(NamedTuple):
    """What the journal holds."""

    rows: list[Row]
    state: State
    cursor: int
    snapshots: tuple[int, ...]  # newest first
    pins: frozenset[str]  # of whom there is one


def reopen(path: Path) -> Reopened | str:
    """What is there; or what is wrong with it."""
    try:
        with SqliteJournal(path) as journal:
            rows = list(journal.rows())
            snapshots = tuple(each.seq for each in journal.snapshots())
            cursor, state = journal.cursor(), load(journal)
            # By a connection of our own it would take half as long as all the rest: SQLite would read the schema again.
            asked = journal._open()  # noqa: SLF001 -- see above
            flaws = asked.execute("PRAGMA integrity_check").fetchall()
            pins = frozenset(operator for (operator,) in asked.execute("SELECT operator FROM pins"))
    except Exception as error:  # noqa: BLE001 -- whatever it is, the journal could not be used
        return f"{type(error).__name__}: {error}"
    return Reopened(rows, state, cursor, snapshots, pins) if flaws == [("ok",)] else f"the database is damaged: {flaws}"
