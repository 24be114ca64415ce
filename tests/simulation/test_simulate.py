"""`jackpotd simulate`: the same seed is the same run, what is found is told shortly, and bad usage is refused."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from controller.cli.main import main
from controller.cli.simulate import MOST_ROUNDS
from controller.core import meters, voids
from controller.simulation import lines, trace
from controller.simulation.layout import SUBMISSIONS, layout
from controller.simulation.run import play
from controller.simulation.schedule import KINDS, schedule

ROOT = Path(__file__).parent.parent.parent
SILENT_SLOT = 7004  # a seed with an acceptor that is silent for 14 s
SHORT_DAYS = 1018  # a seed whose table is open for an hour each day, so that days pass


def simulated(seed: int, hash_seed: str) -> str:
    command = [sys.executable, "-m", "controller", "simulate", "--seed", str(seed), "--rounds", "60", "--json"]
    environ = {**os.environ, "PYTHONHASHSEED": hash_seed}
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, cwd=ROOT)
    return str(json.loads(ended.stdout)["sha256"])


def test_the_same_seed_is_the_same_run_byte_for_byte_in_any_process() -> None:
    first, second, other = (simulated(*each) for each in ((11, "1"), (11, "2"), (12, "1")))
    assert first == second
    assert first != other


def test_a_run_in_this_process_is_the_same_again() -> None:
    assert play(5, 20) == play(5, 20)


def test_skipping_idle_polls_changes_nothing_that_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def seen() -> list[trace.Any_]:
        events: list[trace.Any_] = []
        play(4, 3, kinds=(), takers=[events.append])
        # Devices count their polls, and lamps blink with them, which is what is skipped; a trace has the rest to the
        # microsecond.
        return [each for each in events if "/devices/" not in getattr(each, "topic", "") and not _of_device(each)]

    quick = seen()
    monkeypatch.setattr(lines, "LONGEST_IDLE", 0.0)
    assert seen() == quick


def test_a_drop_slot_that_falls_silent_is_noticed_although_its_polls_are_skipped() -> None:
    """One that did not answer once was taken to be at rest, and not asked again for a minute."""
    assert play(SILENT_SLOT, 50, kinds=("silent",)).violations == ()


def _of_device(event: trace.Any_) -> bool:
    return isinstance(event, trace.BoardLit) or (isinstance(event, trace.Shown) and event.topic.startswith("devices/"))


def test_days_leave_for_archives_while_everything_goes_wrong() -> None:
    archived: list[str] = []

    def take(event: trace.Any_) -> None:
        if isinstance(event, trace.Row) and event.type == "facts-archived":
            archived.append(json.loads(event.payload)["day"])

    result = play(SHORT_DAYS, 450, takers=[take])
    assert result.violations == ()
    assert len(archived) >= 3, archived
    assert archived == sorted(archived)


def test_every_event_can_be_read_back(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    assert main(["simulate", "--seed", "6", "--rounds", "5", "--trace", str(file), "--json"]) == 0
    with file.open("rb") as written:
        for line in written:
            assert trace.line(trace.DECODER.decode(line)) == line


def test_a_violation_is_told_with_the_shortest_history_and_how_to_see_it_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = meters.reverse
    with monkeypatch.context() as broken:  # a void gives back all but what went to the reserve
        broken.setattr(voids, "reverse", lambda meter, share, *a, **b: real(meter, replace(share, reserve=0), *a, **b))
        assert main(["simulate", "--seed", "2", "--rounds", "60", "--table", "midibaccarat-harmony"]) == 1
        told = capsys.readouterr().out
        assert "VIOLATION with seed 2" in told
        found = re.search(r"history that shows it: (\d+) hands and (\d+) faults", told)
        assert found is not None
        assert int(found[1]) < 60
        assert int(found[2]) < len(schedule(2, 60))
        again = told.rpartition("again: ")[2]
        assert main([*shlex.split(again)[1:], "--no-shrink"]) == 1
    assert main(shlex.split(again)[1:]) == 0


def test_a_violation_among_fair_draws_is_played_again_with_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = meters.reverse
    with monkeypatch.context() as broken:
        broken.setattr(voids, "reverse", lambda meter, share, *a, **b: real(meter, replace(share, reserve=0), *a, **b))
        words = [
            "simulate",
            "--seed",
            "2",
            "--rounds",
            "60",
            "--table",
            "midibaccarat-harmony",
            "--fair",
            "--hours",
            "0.5",
        ]
        assert main([*words, "--no-shrink"]) == 1
    assert "--table midibaccarat-harmony --fair --hours 0.5" in capsys.readouterr().out.rpartition("again: ")[2]


def test_what_was_covered_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--seed", "7", "--rounds", "10", "--runs", "2"]) == 0
    told = capsys.readouterr().out
    assert "table-hours" in told
    assert "times as fast as life" in told
    assert "2 runs, 20 hands" in told
    assert "whole: nothing was found" in told


@pytest.mark.parametrize(
    "wrong",
    [
        ["--rounds", "0"],
        ["--rounds", str(MOST_ROUNDS + 1)],
        ["--table", "poker"],
        ["--hours", "0"],
        ["--hours", "24.5"],
        ["--faults", "flood"],
        ["--only", "three"],
    ],
)
def test_bad_usage_is_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", *wrong]) == 2
    assert wrong[0] in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_fault_can_be_had_alone(kind: str) -> None:
    listed = schedule(3, 300, (kind,))
    assert listed
    assert {each.kind for each in listed} == {kind}
    every = schedule(3, 300)
    assert all(each in every for each in listed), "the others do not move when some are left out"


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_the_tables_are_those_of_the_examples(name: str) -> None:
    simulated_ = ROOT / "controller" / "simulation" / "tables" / f"{name}.toml"
    assert simulated_.read_text() == (ROOT / "config" / f"{name}.toml").read_text()
    assert layout(Random(1), name).spots
