"""The power goes at any moment: what was acknowledged is there exactly once, and no transaction is there in part.

Runs of the real engine and journal are recorded, then every state is built in which a disk could have been left.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from tests.crash.child import SABOTEURS, Acknowledged, Committed, Ready
from tests.crash.cuts import Found, outcome, try_all, try_moments
from tests.crash.disk import Disk
from tests.crash.recorder import Kind, compiled
from tests.crash.recording import JOURNAL, STOP, Recording, record
from tests.crash.replay import LIARS, command, replay

SOAK = bool(os.environ.get("JACKPOTD_SOAK"))
SEED = "power-0"
SEEDS = [f"power-{number}" for number in range(60 if SOAK else 3)]
TRIALS = 40 if SOAK else 18  # outcomes of a cut at one moment; many moments have fewer that differ
LEAST = 10_000
SECOND_CUTS = 100 if SOAK else 6


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """An evening without a saboteur."""
    return record(tmp_path_factory.mktemp("honest"), SEED)


def report(seed: str, found: Found) -> list[str]:
    return [f"{command(seed, failure)}: {failure.why}" for failure in found.failures]


@pytest.mark.verify
def test_no_cut_breaks_a_promise(
    tmp_path: Path,
    honest: Recording,
    record_property: Callable[[str, object], None],
) -> None:
    outcomes = 0
    for seed in SEEDS:
        (tmp_path / seed).mkdir()
        found = try_all(honest if seed == SEED else record(tmp_path / seed, seed), TRIALS)
        assert report(seed, found) == []
        outcomes += found.outcomes
    record_property("states of the disk", f"{outcomes:,}")
    assert outcomes >= LEAST


@pytest.mark.parametrize("number", range(SECOND_CUTS))
def test_a_second_cut_while_the_first_is_recovered_from(tmp_path: Path, honest: Recording, number: int) -> None:
    chance = Random(number)
    point, trial = chance.randrange(len(honest.operations)), chance.randrange(4, 100)
    disk = Disk()
    for operation in honest.operations[: point + 1]:
        disk.apply(operation)
    left = outcome(disk, trial, f"{honest.seed} {point}").files
    again = record(tmp_path, f"second-{number}", files=left, lives=((1, STOP),))
    assert again.boundaries[0] in honest.boundaries
    assert try_all(again, 8).failures == [], f"after a cut at {point}, outcome {trial}"


@pytest.mark.parametrize("sabotage", [*SABOTEURS, *LIARS])
def test_a_saboteur_is_caught(tmp_path: Path, honest: Recording, sabotage: str) -> None:
    lies = LIARS.get(sabotage, 0)
    typical = "part of a transaction" if sabotage.startswith("split") else "lost"
    if sabotage in {"off", "lies", "unsynced-file"}:
        typical = ""  # those leave files that cannot be read, in many ways
    recording = honest if lies else record(tmp_path, SEED, sabotage=sabotage)
    # A disk that lies at times first leaves files that cannot be read; what it loses shows among more of them.
    enough = 1 if not typical else 400 if lies else 20
    found = try_moments(recording, range(len(recording.operations)), 8, lies=lies, enough=enough)
    reasons = Counter(failure.why.partition(":")[0] for failure in found.failures)
    assert reasons, f"{found.outcomes} states, and nobody noticed"
    assert not typical or reasons[typical], reasons


def test_a_failure_can_be_seen_again(tmp_path: Path) -> None:
    for name in ("first", "again"):
        (tmp_path / name).mkdir()
    sabotaged = record(tmp_path / "first", SEED, sabotage="normal")
    failure = try_moments(sabotaged, range(len(sabotaged.operations)), 8, enough=1).failures[0]
    seed, point, trial, sabotage = command(SEED, failure, "normal").split()[3:]
    *_, operation, _lock, _file, _log, why = replay(tmp_path / "again", seed, int(point), int(trial), sabotage)
    assert operation.startswith(point)
    assert why == failure.why


def test_a_seed_does_the_same_again(tmp_path: Path, honest: Recording) -> None:
    again = record(tmp_path, SEED)
    assert [each.shape() for each in again.operations] == [each.shape() for each in honest.operations]
    assert again.rows == honest.rows


def test_the_recording_has_all_that_a_cut_can_hit(honest: Recording) -> None:
    names: dict[int, str] = {}
    done: Counter[tuple[Kind, str]] = Counter()
    checkpoints = writing_database = ready = 0
    for operation in honest.operations:
        match operation.line():
            case Ready():
                ready += 1
                writing_database = 0
            case Committed():
                checkpoints += bool(writing_database)
                writing_database = 0
        if operation.kind in {Kind.CREATE, Kind.FIND}:
            names[operation.file] = operation.name
        done[operation.kind, operation.name or names.get(operation.file, "")] += 1
        writing_database += operation.kind is Kind.WRITE and names[operation.file] == JOURNAL
    wal = f"{JOURNAL}-wal"
    for what in [
        (Kind.CREATE, f"{JOURNAL}.new"),
        (Kind.WRITE, f"{JOURNAL}.new"),
        (Kind.SYNC, f"{JOURNAL}.new"),
        (Kind.RENAME, f"{JOURNAL}.new"),
        (Kind.SYNC, ""),  # the folder
        (Kind.CREATE, wal),
        (Kind.WRITE, wal),
        (Kind.SYNC, wal),
        (Kind.WRITE, JOURNAL),
        (Kind.SYNC, JOURNAL),
        (Kind.UNLINK, wal),
    ]:
        assert done[what], f"nothing was recorded of {what}: is SQLite called past the C library?"
    assert ready == 3
    assert checkpoints >= 2, "no checkpoint while playing"
    acknowledged = [line.seq for each in honest.operations if isinstance(line := each.line(), Acknowledged)]
    transactions = [later.seq - earlier.seq for earlier, later in pairwise(honest.boundaries)]
    assert len(acknowledged) > 100
    assert {0, 1} < set(transactions), "one fact, several, and the cursor alone"
    assert len({each.cursor for each in honest.boundaries}) > 10
    assert len({each.snapshots for each in honest.boundaries}) > 3


def test_without_a_compiler_the_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(RuntimeError, match="install the Debian packages gcc libc6-dev"):
        compiled(tmp_path)
