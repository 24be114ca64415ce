"""Durable writing side by side: the engine, bare `sqlite3` with the same rows, and the `eventsourcing` library.

Run as a process of its own, `python -m bench.writers FOLDER ROUNDS`, so that a library can be loaded before it. It
prints what it measured as JSON.
"""

import gc
import json
import shutil
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

from bench.play import NEVER, Frozen, Play, engine, vault
from bench.rival import Rival
from bench.slow_sync import clock
from controller.core.inputs import Input
from controller.core.state import State
from controller.engine import Engine
from controller.journal.limits import MOST_ENTRIES
from controller.journal.memory import MemoryJournal
from controller.journal.opening import PRAGMAS
from controller.journal.rows import Entry, Row
from controller.journal.sqlite import SqliteJournal
from controller.vault import Vault

GROUPS = {1: 40, 8: 20, 64: 10}  # inputs of a transaction, and transactions of a block
PLAYED = 400  # rounds at the table before: the state of some hours of play
_SEED = 9
_INSERT = "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

Result: TypeAlias = dict[str, float]
Write = Callable[[int, int], object]  # the inputs, or rows, from one index to another, durable when it returns


class Script(NamedTuple):
    """A play known beforehand: the state it begins in, its inputs, and the row each of them leads to."""

    before: list[Row]
    state: State
    clock: Frozen
    inputs: list[Input]
    rows: list[Row]
    rounds: int


def first_hours(chance: Vault) -> tuple[Play, MemoryJournal, Engine]:
    """A table that has been played for a while; always the same, and it leaves the chance as that left it."""
    play, journal = Play(), MemoryJournal()
    playing = engine(State(), journal, chance, play)
    play.heed(playing.step(play.opening()))
    while play.rounds < PLAYED:
        play.heed(playing.step(play.round()))
    return play, journal, playing


def script(number: int) -> Script:
    """Play in memory until there are so many inputs after those of the first hours."""
    play, journal, playing = first_hours(vault(_SEED))
    state, clock = playing.state, Frozen(play.now())
    inputs: list[Input] = []
    while len(inputs) < number:
        made = play.round()
        play.heed(playing.step(made))
        inputs += made
    rows = list(journal.rows())
    if len(rows) != state.seq + len(inputs):
        raise RuntimeError(f"{len(inputs)} inputs made {len(rows) - state.seq} facts: the rows would not be the same")
    return Script(rows[: state.seq], state, clock, inputs, rows[state.seq :], play.rounds)


def entries(rows: Sequence[Row]) -> list[Entry]:
    """Rows as they were before they had a place in the chain."""
    return [Entry(row.at, row.round, row.type, row.version, row.payload) for row in rows]


def preloaded(path: Path, played: Script) -> SqliteJournal:
    """A journal with the first hours of a play."""
    journal = SqliteJournal(path)
    for part in range(0, len(played.before), MOST_ENTRIES):
        journal.append(entries(played.before[part : part + MOST_ENTRIES]))
    return journal


class EngineWriter:
    """The engine on its journal, every decision made anew."""

    def __init__(self, path: Path, played: Script) -> None:
        self._played = played
        self._journal = SqliteJournal(path)
        chance = vault(_SEED)
        first_hours(chance)
        self._engine = engine(played.state, self._journal, chance, played.clock)

    def write(self, first: int, last: int) -> None:
        """Decide and commit."""
        self._engine.step(self._played.inputs[first:last])

    def close(self, number: int) -> None:
        """See that exactly the rows were written that the others were given."""
        before = self._played.state.seq
        if list(self._journal.rows(before)) != self._played.rows[:number]:
            raise RuntimeError("the engine wrote other rows than bare sqlite3 did: the comparison is void")
        self._journal.close()


class BareWriter:
    """`sqlite3` with nothing around it: same file, same schema, same settings, the rows hashed beforehand."""

    def __init__(self, path: Path, played: Script) -> None:
        self._rows = played.rows
        self._conn = sqlite3.connect(path, isolation_level=None)
        for name, setting, expected in PRAGMAS:
            self._conn.execute(f"PRAGMA {name} = {setting}").close()
            if self._conn.execute(f"PRAGMA {name}").fetchone() != (expected,):
                raise RuntimeError(f"{name} is not {setting}")

    def write(self, first: int, last: int) -> None:
        """One transaction."""
        self._conn.execute("BEGIN IMMEDIATE")
        self._conn.executemany(_INSERT, self._rows[first:last])
        self._conn.execute("COMMIT")

    def close(self, number: int) -> None:
        """See that they are all there."""
        (found,) = self._conn.execute("SELECT count(*) FROM facts").fetchone()
        if found != self._rows[0].seq - 1 + number:
            raise RuntimeError(f"bare sqlite3 wrote {found} rows")
        self._conn.close()


class RivalWriter:
    """The `eventsourcing` library, which decides nothing and keeps no chain."""

    def __init__(self, path: Path, played: Script) -> None:
        self._before = len(played.before)
        self._entries = entries(played.rows)
        self._rival = Rival(path)
        self._rival.save(entries(played.before))

    def write(self, first: int, last: int) -> None:
        """One transaction."""
        self._rival.save(self._entries[first:last])

    def close(self, number: int) -> None:
        """See that they are all there, and that it did sync."""
        self._rival.close(self._before + number)


def measure(folder: Path, rounds: int) -> dict[str, Result]:
    """All writers in turns, a block of transactions each."""
    played = script(max(group * block for group, block in GROUPS.items()) * (rounds + 1))
    template = folder / "template.db"
    preloaded(template, played).close()
    writers: dict[str, tuple[EngineWriter | BareWriter | RivalWriter, int]] = {}
    for group in GROUPS:
        for kind in (EngineWriter, BareWriter, RivalWriter):
            path = folder / f"{kind.__name__}-{group}.db"
            if kind is not RivalWriter:
                shutil.copy(template, path)
            writers[f"{kind.__name__} {group}"] = kind(path, played), group
    gc.freeze()  # what was prepared is nobody's to search through
    taken: dict[str, list[list[float]]] = {name: [] for name in writers}
    steady: dict[str, list[float]] = {name: [] for name in writers}
    fixed = clock()
    for number in range(rounds + 1):
        for name, (writer, group) in writers.items():
            begun = fixed() if fixed else 0.0
            taken[name].append(_block(writer.write, number * GROUPS[group], group))
            steady[name].append(fixed() - begun if fixed else sum(taken[name][-1]))
    for writer, group in writers.values():
        writer.close((rounds + 1) * GROUPS[group] * group)
    return {name: _told(taken[name][1:], steady[name][1:], group) for name, (_, group) in writers.items()}


def _block(write: Write, done: int, group: int) -> list[float]:
    """Seconds of each transaction of a block."""
    marks = [time.perf_counter()]
    for number in range(done, done + GROUPS[group]):
        write(number * group, number * group + group)
        marks.append(time.perf_counter())
    return [after - before for before, after in pairwise(marks)]


def _told(blocks: Sequence[list[float]], steady: Sequence[float], group: int) -> Result:
    """The median block as inputs a second, also by the steady clock, and the milliseconds of single transactions."""
    each = sorted(seconds * 1000 for block in blocks for seconds in block)
    inputs = len(blocks[0]) * group
    return {
        "rate": inputs / statistics.median(map(sum, blocks)),
        "steady": inputs / statistics.median(steady),
        "p50": statistics.median(each),
        "p99": each[int(len(each) * 0.99)],
    }


def commit_singly(path: Path, number: int) -> None:
    """So many commits of one input each, for something outside to count what they cost."""
    played = script(number)
    with preloaded(path, played) as journal:
        writer = engine(played.state, journal, vault(_SEED), played.clock, snapshot_every=NEVER)
        for input_ in played.inputs[:number]:
            writer.step([input_])


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), int(sys.argv[2]))))
