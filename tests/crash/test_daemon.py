"""The power goes at any moment of the whole, unmodified daemon: what a lamp, a sign or a reply has said is on its disk.

What was said is read from its own writes to the terminal and to the broker, which stand in one log with its writes and
syncs; see `heard`.
"""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.cuts import Failure, Found, try_all, try_moments
from tests.crash.daemon import DaemonRecording, record_daemon
from tests.crash.recorder import Kind
from tests.crash.recorder import told as in_words
from tests.crash.saboteur import FREQUENT, SABOTAGE
from tests.crash.wires import MqttWire
from tests.outlets.brokers import needs_mosquitto
from tests.service.house import BASE

pytestmark = [needs_mosquitto, pytest.mark.verify]
SOAK = bool(os.environ.get("JACKPOTD_SOAK"))
SEEDS = [f"daemon-{number}" for number in range(12 if SOAK else 1)]
TRIALS = 60 if SOAK else 6  # outcomes of a cut at one moment; many moments have fewer that differ
LEAST = 100_000 if SOAK else 1_000
LEAD = 25  # operations shown before a cut that broke a promise
LIARS = {"lies": 1, "lies-at-times": 7}  # see `Disk`


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> DaemonRecording:
    """An evening with the daemon as it is."""
    return record_daemon(tmp_path_factory.mktemp("honest"), SEEDS[0])


def explained(recording: DaemonRecording, failure: Failure) -> str:
    """What was wrong, and what had been done before: a daemon does not play the same evening twice."""
    before = list(in_words(recording.operations[: failure.point + 1]))[-LEAD:]
    promise = recording.promises()[failure.point]
    return "\n".join([*before, f"promised {promise}", f"seed {recording.seed}, outcome {failure.trial}: {failure.why}"])


def tried(recording: DaemonRecording) -> Found:
    """All cuts of a run, none of which breaks a promise."""
    found = try_all(recording, TRIALS)
    assert not found.failures, explained(recording, found.failures[0])
    return found


def checkpoints(recording: DaemonRecording) -> int:
    """How often the -wal was carried into the database: at each start and stop, and while playing."""
    names: dict[int, str] = {}
    synced = 0
    for kind, file, _, name, _ in recording.operations:
        if kind in {Kind.FIND, Kind.CREATE}:
            names[file] = name
        synced += kind is Kind.SYNC and names[file] == "journal.db"
    return synced


def test_no_cut_takes_back_what_was_told(
    tmp_path: Path,
    honest: DaemonRecording,
    record_property: Callable[[str, object], None],
) -> None:
    outcomes = tried(honest).outcomes
    for seed in SEEDS[1:]:
        (tmp_path / seed).mkdir()
        outcomes += tried(record_daemon(tmp_path / seed, seed)).outcomes
    # The same with snapshots and checkpoints in play, which are rare in the daemon as it is.
    for number in range(len(SEEDS)):
        (tmp_path / f"{FREQUENT}-{number}").mkdir()
        recording = record_daemon(tmp_path / f"{FREQUENT}-{number}", f"{FREQUENT}-{number}", sabotage=FREQUENT)
        assert sum(row.type == "snapshot-taken" for row in recording.rows) > 1
        assert checkpoints(recording) > checkpoints(honest) + 1, "no checkpoint while playing"
        outcomes += tried(recording).outcomes
    record_property("states of the disk", f"{outcomes:,}")
    assert outcomes >= LEAST


def test_the_recording_has_all_that_is_to_be_kept(honest: DaemonRecording) -> None:
    kinds = Counter(row.type for row in honest.rows)
    for needed in ("wager-placed", "wager-withdrawn", "locked-out", "hand-entered", "award-validated", "round-voided"):
        assert kinds[needed], kinds
    assert kinds["controller-started"] == 3
    assert any('"mystery"' in row.payload for row in honest.rows if row.type == "locked-out")
    last, topics = honest.promises()[-1], {topic.partition("/")[0] for topic, _ in honest.heard.messages}
    assert min(last.lamp, last.message, last.reply, last.facts) > len(honest.rows) * 3 // 4, last
    assert last.pins == ("tom",)
    assert {"meters", "awards", "proofs", "round", "events", "replies", "status", "journal"} <= topics
    assert honest.heard.lit > 30
    done = Counter(operation.kind for operation in honest.operations)
    assert all(done[kind] for kind in (Kind.WRITE, Kind.SYNC, Kind.UNLINK, Kind.CREATE, Kind.SEND)), done
    assert len(honest.inside) > 10, "no facts that became durable together"


def said_early(recording: DaemonRecording) -> list[str]:
    """What a board or a listener was told in each life before its start was on the disk; asking is not telling."""
    starts = [row.payload.encode() for row in recording.rows if row.type == "controller-started"]
    early: list[str] = []
    for life, start in zip(recording.lives, starts, strict=True):
        connections, written, said = dict[int, MqttWire](), False, list[str]()
        for kind, file, _, name, data in life:
            written |= kind is Kind.WRITE and start in data
            if written and kind is Kind.SYNC:
                break
            if kind is Kind.SEND and name.startswith("/dev/"):
                said.append(name)
            elif kind is Kind.SEND:
                told = connections.setdefault(file, MqttWire()).take(data)
                said += [each.topic for each in told if each.payload or each.retain]  # an echo is empty, and not kept
        early += said
    return early


def test_nothing_is_told_before_a_start_is_on_the_disk(honest: DaemonRecording) -> None:
    assert len(honest.lives) == 3
    assert said_early(honest) == []


@pytest.mark.parametrize("sabotage", SABOTAGE)
def test_a_saboteur_is_caught(tmp_path: Path, sabotage: str) -> None:
    recording = record_daemon(tmp_path, f"{sabotage}-0", sabotage=sabotage, rounds=2)
    # With nothing unsynced, and with everything: that is enough to see it.
    found = try_moments(recording, range(len(recording.operations)), 2, enough=300)
    reasons = Counter(word for failure in found.failures for word in failure.why.partition(" told of ")[0].split())
    wanted = ("part",) if sabotage == "split-group" else ("lamp,", "message,", "reply")
    assert all(reasons[each] for each in wanted), f"{found.outcomes} states: {reasons}"
    if sabotage in {"normal", "off"}:
        early = set(said_early(recording))
        assert {f"{BASE}/status", f"{BASE}/round"} < early, early
        assert any(each.startswith("/dev/") for each in early)


@pytest.mark.parametrize("lies", LIARS.values(), ids=LIARS)
def test_a_disk_that_lies_is_caught(honest: DaemonRecording, lies: int) -> None:
    found = try_moments(honest, range(len(honest.operations)), 6, lies=lies, enough=20)
    assert found.failures, f"{found.outcomes} states, and nobody noticed"
