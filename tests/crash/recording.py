"""One evening at a table, recorded: every write, truncation, sync, name and acknowledgement, in the order they came."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec import json

from controller.core.evolve import evolve
from controller.core.state import State
from controller.journal.audit.verifying import verify
from controller.journal.journal import KEPT_SNAPSHOTS
from controller.journal.reading import open_readonly
from controller.journal.rows import Row
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import recorded
from controller.simulation.disk_content import newest
from tests.crash.child import Acknowledged, Committed, Given, Line, Ready, Setup
from tests.crash.cuts import lay_out
from tests.crash.disk import Disk
from tests.crash.game import Game
from tests.crash.recorder import Operation, compiled, operations
from tests.crash.reopened import reopen

ROOT = Path(__file__).parent.parent.parent
JOURNAL = "table.journal"
SNAPSHOT_EVERY, CHECKPOINT_PAGES = 24, 40  # rare things made frequent

STOP, KILL = "stop", "kill"
Lives = tuple[tuple[int, str], ...]
# Rounds of each life of the controller, and how it ends: in good order, or killed, so that the next one recovers.
EVENING: Lives = ((6, STOP), (3, KILL), (4, STOP))


class Boundary(NamedTuple):
    """What a journal holds between two transactions."""

    seq: int
    cursor: int
    snapshots: tuple[int, ...]  # newest first


class Promise(NamedTuple):
    """What must be in the journal at a moment: the boundary it may not be before, and the one it cannot be after."""

    least: int
    most: int


class Recording(NamedTuple):
    """The whole of a run: what it did to its disk, and what each of its transactions was to lead to."""

    seed: str
    files: Mapping[str, bytes]  # there when it began
    operations: list[Operation]
    rows: list[Row]
    states: list[State]  # after each fact; the first is before any
    boundaries: list[Boundary]  # the first is where it began

    def promises(self) -> list[Promise]:
        """For each moment, after each operation: all that was acknowledged, and at most one transaction beyond."""
        found: list[Promise] = []
        committed = least = 0
        for operation in self.operations:
            match operation.line():
                case Committed():
                    committed += 1
                    least = max(least, committed)
                case Acknowledged(seq=seq):
                    covering = (n for n, each in enumerate(self.boundaries) if each.seq >= seq)
                    least = max(least, next(covering))
            found.append(Promise(least, max(committed + 1, least)))
        return found

    def examine(self, folder: Path, promise: Promise) -> str:
        """Reopen the journal in `folder`: what of the promise is broken, or nothing."""
        found = reopen(folder / JOURNAL)
        if isinstance(found, str):
            return found
        here = Boundary(len(found.rows), found.cursor, found.snapshots)
        # Byte for byte the facts of the whole run, whose chain and money were proven: so are these.
        if found.rows != self.rows[: here.seq]:
            return "facts that were never given"
        if found.state != self.states[here.seq]:
            return "the state is not what the facts add up to"
        places = [n for n, each in enumerate(self.boundaries) if each == here]
        if not places:
            return f"part of a transaction: {here}"
        if places[-1] < promise.least:
            return f"lost: {here}, after {self.boundaries[promise.least]} was acknowledged"
        return "" if places[0] <= promise.most else f"{here} before it was written"


def record(
    folder: Path,
    seed: str,
    *,
    sabotage: str = "",
    files: Mapping[str, bytes] | None = None,
    lives: Lives = EVENING,
) -> Recording:
    """Play an evening in `folder`, beginning with `files`, and record it. The same seed does the same operations."""
    disk, log = folder / "disk", folder / "log"
    lay_out(disk, files or {})
    _, begin = _content(disk, folder / "first")
    setup = Setup(
        path=str(disk / JOURNAL),
        seed=seed,
        snapshot_every=SNAPSHOT_EVERY,
        checkpoint_pages=CHECKPOINT_PAGES,
        sabotage=sabotage,
    )
    command = [sys.executable, "-m", "tests.crash.child", json.encode(setup).decode()]
    watched = {
        "LD_PRELOAD": str(compiled(folder)),
        "JACKPOTD_RECORD_FOLDER": str(disk),
        "JACKPOTD_RECORD_LOG": str(log),
    }
    game, chance = Game(seed), Random(seed)
    for rounds, end in lives:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=os.environ | watched, bufsize=0
        ) as child:
            _play(child, game, chance, rounds)
            if end == KILL:
                child.send_signal(signal.SIGKILL)
            child.communicate()  # closes its input, which ends it in good order, and hears it out
        assert child.returncode == (-signal.SIGKILL if end == KILL else 0), f"the child ended with {child.returncode}"
    done = list(operations(log.read_bytes()))
    assert is_complete(disk, files or {}, done), "something was written that was not recorded"
    rows, _ = _content(disk, folder / "last")
    return Recording(seed, files or {}, done, rows, states_of(rows), _boundaries(begin, done))


def _play(child: "subprocess.Popen[bytes]", game: Game, chance: Random, rounds: int) -> None:
    assert child.stdin is not None
    assert child.stdout is not None
    lines: Iterator[Line] = (json.decode(text, type=Line) for text in iter(child.stdout.readline, b""))
    assert isinstance(next(lines, None), Ready), "the child did not start"
    for _ in range(rounds):
        for group in _grouped(game.next(), chance):
            child.stdin.write(b"".join(json.encode(each) + b"\n" for each in group))
            _await(lines, group[-1], game)


def _grouped(given: Sequence[Given], chance: Random) -> Iterator[Sequence[Given]]:
    """One by one, all at once, or in between."""
    most = chance.choice((1, 3, len(given)))
    for first in range(0, len(given), most):
        yield given[first : first + most]


def _await(lines: Iterator[Line], last: Given, game: Game) -> None:
    for line in lines:
        if isinstance(line, Acknowledged):
            game.hear(line)
            if line.n == last.n:
                return
    raise RuntimeError(f"the child ended before it answered input {last.n}")


def is_complete(disk: Path, files: Mapping[str, bytes], done: Sequence[Operation]) -> bool:
    """Whether what was recorded leads to what is there: nothing was done past the recorder."""
    model = Disk(files)
    for operation in done:
        model.apply(operation)
    there = {path.name: path.read_bytes() for path in disk.iterdir() if not path.name.endswith("-shm")}
    return model.after_a_cut(newest, newest).files == there


def _content(disk: Path, copy: Path) -> tuple[list[Row], Boundary]:
    """What the journal in a folder holds, looked at in a copy and proven as an auditor proves it."""
    shutil.copytree(disk, copy)
    with SqliteJournal(copy / JOURNAL) as journal:
        rows = list(journal.rows())
        boundary = Boundary(len(rows), journal.cursor(), tuple(each.seq for each in journal.snapshots()))
    with open_readonly(copy / JOURNAL) as readable:
        assert verify(readable).bad is None, verify(readable)
    return rows, boundary


def states_of(rows: Sequence[Row]) -> list[State]:
    states = [State()]
    for row in rows:
        states.append(evolve(states[-1], recorded(row)))
    return states


def _boundaries(begin: Boundary, done: Sequence[Operation]) -> list[Boundary]:
    """What each transaction was meant to lead to, as the engine's side of the journal tells it."""
    found = [begin]
    for line in (operation.line() for operation in done):
        if isinstance(line, Committed):
            kept = found[-1].snapshots
            if line.snapshot:
                kept = (line.snapshot, *kept)[:KEPT_SNAPSHOTS]
            found.append(Boundary(line.seq, line.cursor, kept))
    return found
