"""The journal and the engine: durable inputs a second, syncs, replay, verifying, start-up and bytes."""

import json
from collections.abc import Mapping
from pathlib import Path

from bench import long_journal
from bench.places import MEMORY, compiled, file_system, folder, machine, python, syncs
from bench.report import Figure, Note, progress
from bench.slow_sync import VARIABLE

ROUNDS = {"disk": 30, "0.3 ms": 60, "2 ms": 30}  # blocks of each writer
LATENCIES = {"0.3 ms": 300_000, "2 ms": 2_000_000}  # nanoseconds
JUDGED = "0.3 ms"  # the disk has moods; the goals are for a quick one in the same mood all the time
COMMITS = 2000

ENGINE, BARE, RIVAL = "EngineWriter", "BareWriter", "RivalWriter"
NAMES = {ENGINE: "engine", BARE: "bare sqlite3", RIVAL: "eventsourcing"}
# Inputs of a transaction, whom the engine is compared with, and the least it should reach of their rate.
RATIOS: tuple[tuple[int, str, float | None], ...] = (
    (1, BARE, 0.75),
    (8, BARE, None),
    (64, BARE, 0.3),
    (1, RIVAL, 1.1),
    (8, RIVAL, None),
    (64, RIVAL, 1.0),
)

Measured = Mapping[str, Mapping[str, float]]


def figures() -> list[Figure | Note]:
    """All of them, the noisy disk first and what the goals are judged on last.

    Rates and latencies are of the wall clock. Ratios are too on the disk; with fixed syncs they are of `SyncClock`.
    """
    found: list[Figure | Note] = [Note(machine())]
    here = Path.cwd()
    progress("writing on this disk")
    with folder(here) as made:
        measured = _measure(made, ROUNDS["disk"], {})
        found += [Note(f"Writing on this disk ({file_system(here)}), real syncs:"), *_written(measured, judged=False)]
        library = compiled(made)
        if isinstance(library, str):
            found.append(Note(f"Writing with syncs of fixed latency: skipped, {library}"))
        else:
            for name, nanoseconds in reversed(LATENCIES.items()):
                progress(f"writing in memory, every sync {name}")
                with folder(MEMORY) as fast:
                    env = {"LD_PRELOAD": str(library), VARIABLE: str(nanoseconds)}
                    measured = _measure(fast, ROUNDS[name], env)
                found += [Note(f"Writing in memory, every sync {name}:"), *_written(measured, judged=name == JUDGED)]
        found += [Note("Syncs, replay, verifying, start-up, size:"), _syncs(made), *long_journal.figures(made)]
    return found


def _measure(where: Path, rounds: int, env: Mapping[str, str]) -> Measured:
    measured: Measured = json.loads(python("-m", "bench.writers", str(where), str(rounds), env=env))
    return measured


def _written(measured: Measured, *, judged: bool) -> list[Figure | Note]:
    found: list[Figure | Note] = []
    for name, result in measured.items():
        kind, together = name.split()
        told = f"{NAMES[kind]}, {together} at a time"
        found += [
            Figure(f"{told}: durable inputs a second", result["rate"], ""),
            Figure(f"{told}: until durable, p50", result["p50"], " ms"),
            Figure(f"{told}: until durable, p99", result["p99"], " ms"),
        ]
    for group, other, least in RATIOS:
        ratio = measured[f"{ENGINE} {group}"]["steady"] / measured[f"{other} {group}"]["steady"]
        name = f"engine / {NAMES[other]}, {group} at a time"
        found.append(Figure(name, ratio, "x", least=least if judged else None))
    return found


def _syncs(where: Path) -> Figure | Note:
    """The difference between many commits and none, so that opening and closing do not count."""
    progress("counting syncs")
    name = "syncs a commit of one input"
    counted = [
        syncs("-c", f"from bench.writers import *; commit_singly(Path({str(where / f'{number}.db')!r}), {number})")
        for number in (0, COMMITS)
    ]
    none, all_ = counted
    if isinstance(none, str) or isinstance(all_, str):
        return Note(f"{name}: skipped, {none if isinstance(none, str) else all_}")
    return Figure(name, (all_ - none) / COMMITS, "", 1.05)
