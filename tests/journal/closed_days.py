"""A table played for a week, its older days archived as the controller does it, and the same left whole beside it."""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from controller.core.facts import FactsWereArchived, Recorded
from controller.journal.archive.leaving import MOST_FACTS, due
from controller.journal.archive.packing import job, prepare, publish
from controller.journal.rows import Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.people.stopped import Stopped
from tests.journal.played import MINOR_AT_1, eventful, write

DAYS, KEPT = 7, 3  # closed days, and how many of them stay


@cache
def long_play() -> tuple[list[Recorded], list[Snapshot]]:
    """A week: two days on which everything happens, and days with rounds, jackpots and a hand entered the day after."""
    table, _ = eventful()
    for day in range(18, 16 + DAYS + 1):
        table.play(1, 2)
        table.play(2, 3, hands=MINOR_AT_1)
        if day % 2:
            for award in table.pending():
                table.validate(award.id)
        table.bets(1, 2)
        table.lock()
        table.next_day(f"2026-11-{day}")  # in the midst of a round
        table.deal()
        table.next()
    snapshots = [table.snapshot()]
    table.play(1)
    snapshots.append(table.snapshot())
    table.play(1, 2, hands=MINOR_AT_1)
    return table.facts, snapshots


def week(path: Path) -> Path:
    """The journal of that week, all of it told."""
    facts, snapshots = long_play()
    write(path, facts, snapshots)
    with SqliteJournal(path) as journal:
        journal.append([], cursor=journal.head().seq)
    return path


def archived(path: Path, keep: int = KEPT, most: int = MOST_FACTS, *, forget: bool = True) -> list[FactsWereArchived]:
    """Archive what is due, beside the journal."""
    made = []
    with SqliteJournal(path) as journal:
        table = Stopped(journal)
        assert table.state.filed is not None
        while leaving := due(journal, keep, most):
            wanted = job(journal, str(path.parent / "archive"), table.state.filed.name, leaving)
            made.append(prepare(wanted))
            publish(wanted, made[-1])
            table.archive(made[-1])
        while forget and journal.forget(50):
            pass
    return made


def both(folder: Path) -> tuple[Path, Path]:
    """The week in one file, and the same with its older days archived."""
    whole, parted = folder / "whole" / "table.journal", folder / "parted" / "table.journal"
    for path in (whole, parted):
        path.parent.mkdir()
        week(path)
    archived(parted)
    return whole, parted


def copied(path: Path, folder: Path, leave: Callable[[str], bool] = lambda _name: False) -> Path:
    """A copy of a journal with its archives, some left out."""
    shutil.copytree(path.parent, folder, ignore=lambda _, names: {name for name in names if leave(name)})
    for each in (folder / "archive").iterdir():
        each.chmod(0o640)
    return folder / path.name
