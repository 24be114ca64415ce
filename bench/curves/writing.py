"""Durable writing at the end of journals of every length, in turns: the engine, and bare `sqlite3` with the same rows.

What the engine has written in a block, bare `sqlite3` writes into a copy of the same file right after it: same rows,
same index, same settings.
"""

import gc
import shutil
import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

from bench.curves.data import Series
from bench.play import Play, engine, vault
from bench.report import progress
from controller.core.inputs import Input
from controller.core.state import State
from controller.journal.opening import PRAGMAS
from controller.journal.rows import Row
from controller.journal.sqlite import SqliteJournal

GROUPS = {1: 40, 8: 10}  # inputs of a transaction, and transactions of a block
ROUNDS = 40
T = TypeVar("T")
_INSERT = "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class Stage(NamedTuple):
    """A journal of one length, and the table that was played on it."""

    facts: int
    path: Path
    state: State
    play: Play
    ahead: list[Input]  # what is due at the table


class Pair:
    """The engine and bare `sqlite3` at the end of one journal."""

    def __init__(self, stage: Stage) -> None:
        self.facts = stage.facts
        copy = stage.path.with_suffix(".bare.db")
        shutil.copy(stage.path, copy)
        self._play = deepcopy(stage.play)
        self._journal = SqliteJournal(stage.path)
        self._engine = engine(stage.state, self._journal, vault(2), self._play)
        self._bare = sqlite3.connect(copy, isolation_level=None)
        for name, setting, _ in PRAGMAS:
            self._bare.execute(f"PRAGMA {name} = {setting}").close()
        self._ahead = list(stage.ahead)
        self.taken: dict[tuple[str, int], list[list[float]]] = {}

    def block(self, group: int, transactions: int) -> None:
        """A block of the engine, and the same rows by bare `sqlite3`."""
        first = self._engine.state.seq
        own = _timed(self._step, self._inputs(group, transactions))
        rows = list(self._journal.rows(first))
        bare = _timed(self._insert, [rows[at : at + group] for at in range(0, len(rows), group)])
        self.taken.setdefault(("engine", group), []).append(own)
        self.taken.setdefault(("bare", group), []).append(bare)

    def close(self) -> None:
        """The end; both files have the same facts, or nothing was compared."""
        (found,) = self._bare.execute("SELECT max(seq) FROM facts").fetchone()
        if found != self._engine.state.seq:
            raise RuntimeError(f"bare sqlite3 ends at fact {found}, the engine at {self._engine.state.seq}")
        self._bare.close()
        self._journal.close()

    def _inputs(self, group: int, transactions: int) -> list[list[Input]]:
        """What comes next at the table, in groups."""
        while len(self._ahead) < group * transactions:
            self._ahead += self._play.round()
        found = [self._ahead[at : at + group] for at in range(0, group * transactions, group)]
        del self._ahead[: group * transactions]
        return found

    def _step(self, inputs: list[Input]) -> None:
        self._play.heed(self._engine.step(inputs))

    def _insert(self, rows: list[Row]) -> None:
        self._bare.execute("BEGIN IMMEDIATE")
        self._bare.executemany(_INSERT, rows)
        self._bare.execute("COMMIT")


def _timed(write: Callable[[T], None], groups: Sequence[T]) -> list[float]:
    marks = [time.perf_counter()]
    for group in groups:
        write(group)
        marks.append(time.perf_counter())
    return [after - before for before, after in pairwise(marks)]


def measure(series: Series, stages: Sequence[Stage], rounds: int = ROUNDS) -> None:
    """All lengths in turns."""
    progress("history: copies to write to")
    pairs = [Pair(stage) for stage in stages]
    gc.freeze()
    progress(f"history: writing, {rounds} rounds of blocks")
    for number in range(rounds + 1):
        for pair in pairs:
            for group, transactions in GROUPS.items():
                pair.block(group, transactions)
        if not number:  # for caches
            for pair in pairs:
                pair.taken.clear()
    gc.unfreeze()
    for pair in pairs:
        pair.close()
        _told(series, pair)


def _told(series: Series, pair: Pair) -> None:
    for (who, group), blocks in pair.taken.items():
        seconds = statistics.median(map(sum, blocks))
        series.add(pair.facts, **{f"{who}_{group}_rate": len(blocks[0]) * group / seconds})
        if group == 1:
            each = sorted(taken * 1000 for block in blocks for taken in block)
            series.add(pair.facts, **{f"{who}_p50": statistics.median(each), f"{who}_p99": each[int(len(each) * 0.99)]})
