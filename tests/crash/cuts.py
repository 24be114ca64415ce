"""Power cuts at every moment of a recorded run: each outcome is reopened and held to what was promised by then."""

import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple

from controller.journal.opening import LEAST_FREE_BYTES
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from tests.crash.child import Acknowledged, Committed
from tests.crash.disk import Choice, Disk, Image, Key, newest, oldest
from tests.crash.recorder import Kind
from tests.crash.recording import JOURNAL, Boundary, Recording, lay_out

_QUIET = (Kind.FIND, Kind.SAY)  # these leave the disk as it was


def torn(chance: Random) -> Choice:
    """Any version; and, for one outcome as a whole, leaning to nothing, to everything or to neither."""
    leaning = chance.choice((0.02, 0.2, 0.5, 0.8, 0.98))

    def choose(versions: int) -> int:
        if versions > 2 and chance.random() < 0.5:
            return chance.randrange(versions)
        return versions - 1 if chance.random() < leaning else 0

    return choose


# Every cut is tried with these first: names and contents.
PLAIN: tuple[tuple[Choice, Choice], ...] = ((oldest, oldest), (newest, newest), (oldest, newest), (newest, oldest))


def outcome(disk: Disk, trial: int, seed: str) -> Image:
    """One outcome of a power cut at this moment: the plain ones first, then torn ones, each from its own seed."""
    if trial < len(PLAIN):
        return disk.after_a_cut(*PLAIN[trial])
    chance = Random(f"{seed} {trial}")
    return disk.after_a_cut(torn(chance), torn(chance))


class Failure(NamedTuple):
    """A power cut that broke a promise: after which operation, which of its outcomes, and how."""

    point: int
    trial: int
    why: str


class Found(NamedTuple):
    """Of a range of moments: how many different outcomes were looked at, and which were wrong."""

    outcomes: int
    failures: list[Failure]


class Promise(NamedTuple):
    """What must be in the journal at a moment: the boundary it may not be before, and the one it cannot be after."""

    least: int
    most: int


def promises(recording: Recording) -> list[Promise]:
    """For each moment, after each operation: all that was acknowledged, and at most one transaction beyond."""
    found: list[Promise] = []
    committed = least = 0
    for operation in recording.operations:
        match operation.line():
            case Committed():
                committed += 1
                least = max(least, committed)
            case Acknowledged(seq=seq):
                covering = (n for n, each in enumerate(recording.boundaries) if each.seq >= seq)
                least = max(least, next(covering))
        found.append(Promise(least, max(committed + 1, least)))
    return found


def examine(folder: Path, recording: Recording, promise: Promise) -> str:
    """Reopen the journal in `folder`: what of the promise is broken, or nothing."""
    try:
        with SqliteJournal(folder / JOURNAL) as journal:
            rows = list(journal.rows())
            snapshots = tuple(each.seq for each in journal.snapshots())
            here = Boundary(len(rows), journal.cursor(), snapshots)
            state = load(journal)
            # By a connection of our own it would take half as long as all the rest: SQLite would read the schema again.
            flaws = journal._open().execute("PRAGMA integrity_check").fetchall()  # noqa: SLF001 -- see above
    except Exception as error:  # noqa: BLE001 -- whatever it is, the journal could not be used
        return f"{type(error).__name__}: {error}"
    if flaws != [("ok",)]:
        return f"the database is damaged: {flaws}"
    # Byte for byte the facts of the whole run, whose chain and money were proven: so are these.
    if rows != recording.rows[: len(rows)]:
        return "facts that were never given"
    if state != recording.states[len(rows)]:
        return "the state is not what the facts add up to"
    places = [n for n, each in enumerate(recording.boundaries) if each == here]
    if not places:
        return f"part of a transaction: {here}"
    if places[-1] < promise.least:
        return f"lost: {here}, after {recording.boundaries[promise.least]} was acknowledged"
    return "" if places[0] <= promise.most else f"{here} before it was written"


def try_moments(  # noqa: PLR0913 -- what is tried, how hard, and on what disk
    recording: Recording, moments: Iterable[int], trials: int, *, first: int = 0, lies: int = 0, enough: int = 10
) -> Found:
    """Look at outcomes `first` to `trials` of cuts after each of these operations, until there are enough failures."""
    wanted, due = set(moments), promises(recording)
    disk, seen, found = Disk(recording.files, lies=lies), set[tuple[Key, Promise]](), Found(0, [])
    with tempfile.TemporaryDirectory(dir=_in_memory()) as folder:
        for point, operation in enumerate(recording.operations):
            disk.apply(operation)
            if point not in wanted or len(found.failures) >= enough:
                continue
            # Where the disk stays as it was, only what is promised has changed.
            most = min(trials, len(PLAIN)) if operation.kind in _QUIET or not disk.unsafe else trials
            for trial in range(first, most):
                image = outcome(disk, trial, f"{recording.seed} {point}")
                if (image.key, due[point]) in seen:
                    continue
                seen.add((image.key, due[point]))
                lay_out(Path(folder), image.files)
                why = examine(Path(folder), recording, due[point])
                if why:
                    found.failures.append(Failure(point, trial, why))
    return found._replace(outcomes=len(seen))


def try_all(recording: Recording, trials: int) -> Found:
    """Look at cuts after every operation, on all cores."""
    moments, cores = range(len(recording.operations)), len(os.sched_getaffinity(0))
    size = -(-len(moments) // (4 * cores))  # short ranges, so that no core waits long for the other
    ranges = [(moments[first : first + size], trials) for first in range(0, len(moments), size)]
    with multiprocessing.get_context("fork").Pool(cores, _remember, (recording,)) as pool:
        found = pool.starmap(_try_range, ranges, chunksize=1)
    return Found(sum(each.outcomes for each in found), [failure for each in found for failure in each.failures])


_recorded: list[Recording] = []  # of a process of the pool: inherited, not copied through a pipe


def _remember(recording: Recording) -> None:
    _recorded[:] = [recording]


def _try_range(moments: range, trials: int) -> Found:
    return try_moments(_recorded[0], moments, trials)


def _in_memory() -> str | None:
    shared = "/dev/shm"  # noqa: S108 -- a folder of our own is made in it
    usable = os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 2 * LEAST_FREE_BYTES
    return shared if usable else None
