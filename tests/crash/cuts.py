"""Power cuts at every moment of a recorded run: each outcome is reopened and held to what was promised by then."""

import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

from controller.journal.opening import LEAST_FREE_BYTES
from controller.simulation.disk_content import Choice, newest, oldest, torn
from controller.simulation.disk_folder import Image, Key
from tests.crash.disk import Disk
from tests.crash.recorder import Kind, Operation

_QUIET = (Kind.FIND, Kind.SAY, Kind.SEND)  # these leave the disk as it was

P = TypeVar("P")  # what was promised at a moment


class Run(Protocol[P]):
    """A recorded run, and what was promised in it."""

    @property
    def seed(self) -> str:
        """What its cuts are drawn from."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """The disk when it began."""

    @property
    def operations(self) -> Sequence[Operation]:
        """All that it did."""

    def promises(self) -> Sequence[P]:
        """What was promised after each operation."""

    def examine(self, folder: Path, promise: P) -> str:
        """Reopen the journal in `folder`: what of the promise is broken, or nothing."""


def lay_out(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make `folder` hold these files and no others."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)


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


def try_moments(  # noqa: PLR0913 -- what is tried, how hard, and on what disk
    recording: Run[P], moments: Iterable[int], trials: int, *, first: int = 0, lies: int = 0, enough: int = 10
) -> Found:
    """Look at outcomes `first` to `trials` of cuts after each of these operations, until there are enough failures."""
    wanted, due = set(moments), recording.promises()
    disk, seen, found = Disk(recording.files, lies=lies), set[tuple[Key, P]](), Found(0, [])
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
                why = recording.examine(Path(folder), due[point])
                if why:
                    found.failures.append(Failure(point, trial, why))
    return found._replace(outcomes=len(seen))


def try_all(recording: Run[P], trials: int) -> Found:
    """Look at cuts after every operation, on all cores."""
    moments, cores = range(len(recording.operations)), len(os.sched_getaffinity(0))
    size = -(-len(moments) // (4 * cores))  # short ranges, so that no core waits long for the other
    ranges = [(moments[first : first + size], trials) for first in range(0, len(moments), size)]
    with multiprocessing.get_context("fork").Pool(cores, _remember, (recording,)) as pool:
        found = pool.starmap(_try_range, ranges, chunksize=1)
    return Found(sum(each.outcomes for each in found), [failure for each in found for failure in each.failures])


_recorded: list[Run[Any]] = []  # of a process of the pool: inherited, not copied through a pipe


def _remember(recording: Run[Any]) -> None:
    _recorded[:] = [recording]


def _try_range(moments: range, trials: int) -> Found:
    return try_moments(_recorded[0], moments, trials)


def _in_memory() -> str | None:
    shared = "/dev/shm"  # noqa: S108 -- a folder of our own is made in it
    usable = os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 2 * LEAST_FREE_BYTES
    return shared if usable else None
