"""One power cut again: `python -m tests.crash.replay SEED POINT TRIAL [SABOTAGE]`, as a failed test prints it."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.crash.cuts import Failure, outcome, try_moments
from tests.crash.disk import Disk
from tests.crash.recorder import told
from tests.crash.recording import Recording, record

LEAD = 40  # operations shown before the cut
LIARS = {"lies": 1, "lies-at-times": 7}  # in place of a saboteur: the run is honest, the disk is not; see `Disk`


def command(seed: str, failure: Failure, sabotage: str = "") -> str:
    """How to see a failure again."""
    return f"python -m tests.crash.replay {seed} {failure.point} {failure.trial} {sabotage}".rstrip()


def replay(folder: Path, seed: str, point: int, trial: int, sabotage: str = "") -> Iterator[str]:
    """What was done before the cut, what the disk held after it, and what is wrong with that."""
    lies = LIARS.get(sabotage, 0)
    recording = record(folder, seed, sabotage="" if lies else sabotage)
    done = recording.operations[: point + 1]
    yield from list(told(done))[-LEAD:]
    yield from _left(recording, point, trial, lies=lies)
    found = try_moments(recording, [point], trial + 1, first=trial, lies=lies)
    yield from (failure.why for failure in found.failures)
    if not found.failures:
        yield "nothing is wrong"


def _left(recording: Recording, point: int, trial: int, *, lies: int) -> Iterator[str]:
    disk = Disk(recording.files, lies=lies)
    for operation in recording.operations[: point + 1]:
        disk.apply(operation)
    image = outcome(disk, trial, f"{recording.seed} {point}")
    for name, key in image.key:
        yield f"left: {name}; file, syncs, truncations, length and changed sectors with their versions: {key}"


if __name__ == "__main__":
    _, given_seed, given_point, given_trial, *given_sabotage = sys.argv
    with tempfile.TemporaryDirectory() as scratch:
        for text in replay(Path(scratch), given_seed, int(given_point), int(given_trial), *given_sabotage):
            sys.stdout.write(f"{text}\n")
