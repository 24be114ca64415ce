"""Everything that might grow with a history: journals of 10⁴ to 10⁷ facts, each measured beside its floor."""

import shutil
import sqlite3
import time
from contextlib import closing
from copy import deepcopy
from functools import partial
from hashlib import sha256
from pathlib import Path

from bench.curves import asking, probe, writing
from bench.curves.data import Series
from bench.curves.growing import LEAST_FREE, Growing
from bench.curves.writing import Stage
from bench.long_journal import TAIL
from bench.places import folder
from bench.report import medians, progress
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load

SIZES, QUICK = (10_000, 100_000, 1_000_000, 10_000_000), (10_000, 30_000, 60_000)
START_ROUNDS = 15
REPEATED = 3  # times the shorter ones are verified, to take the quickest
ONCE_FROM = 500_000  # facts: from here on once is enough
FACT_BYTES = 400  # of a file, about: to see that the disk has room for two copies of each
_SINCE = "SELECT at, type, payload, prev_hash FROM facts WHERE seq > ? ORDER BY seq"


def measure(series: Series, quick: bool) -> None:
    """All of them, on this disk."""
    sizes = QUICK if quick else SIZES
    with folder(Path.cwd()) as made:
        _check_room(made, sum(sizes))
        stages = _stages(made, sizes)
        _starts(series, stages)
        _passes(series, stages)
        asking.measure(series, stages)
        writing.measure(series, stages, 8 if quick else writing.ROUNDS)


def _check_room(made: Path, facts: int) -> None:
    wanted, free = int(2 * facts * FACT_BYTES * LEAST_FREE), shutil.disk_usage(made).free
    if free < wanted:
        raise RuntimeError(f"{wanted / 1e9:.1f} GB are wanted here, and {free / 1e9:.1f} are free: --quick takes less")


def _stages(made: Path, sizes: tuple[int, ...]) -> list[Stage]:
    growing, found = Growing(made / "growing.db"), list[Stage]()
    for size in sizes:
        began = time.monotonic()
        facts = growing.grow(size)
        path = made / f"{size}.db"
        (shutil.move if size == sizes[-1] else shutil.copy)(growing.path, path)
        found.append(Stage(facts, path, growing.state, deepcopy(growing.play), growing.ahead))
        progress(f"history: {facts:,} facts after {time.monotonic() - began:.0f} s more")
    return found


def _starts(series: Series, stages: list[Stage]) -> None:
    progress("history: starting")
    own = {stage.facts: stage.path for stage in stages}
    ways: dict[str, partial[None]] = {f"start {facts}": partial(_start, path) for facts, path in own.items()}
    ways |= {f"floor {facts}": partial(_floor, path, facts) for facts, path in own.items()}
    taken = medians(ways, START_ROUNDS)
    for facts in own:
        series.add(facts, start_ms=taken[f"start {facts}"] * 1000, start_floor_ms=taken[f"floor {facts}"] * 1000)


def _start(path: Path) -> None:
    with SqliteJournal(path) as journal:
        load(journal)


def _floor(path: Path, facts: int) -> None:
    """What nobody can do without: the newest snapshot and the rows since, fetched and hashed."""
    with closing(sqlite3.connect(path)) as conn:
        conn.text_factory = bytes
        (saved,) = conn.execute("SELECT payload FROM snapshots ORDER BY seq DESC LIMIT 1").fetchone()
        sha256(saved).digest()
        for row in conn.execute(_SINCE, (facts - TAIL,)):
            sha256(b"".join(row)).digest()


def _passes(series: Series, stages: list[Stage]) -> None:
    """Verifying and fetching in turns, and what a start holds; each in a process of its own."""
    for facts, path, *_ in stages:
        taken: dict[str, list[probe.Told]] = {"verify": [], "fetch": []}
        for _ in range(1 if facts >= ONCE_FROM else REPEATED):
            for what, found in taken.items():
                progress(f"history: {what}, {facts:,} facts")
                found.append(probe.peak(what, path))
        for what, found in taken.items():
            if any(each["facts"] != facts for each in found):
                raise RuntimeError(f"{what} saw {found[0]['facts']:,} facts of {facts:,}")
            seconds = min(each["seconds"] for each in found)
            figures = {"s": seconds, "rate": facts / seconds, "mb": max(each["mb"] for each in found)}
            series.add(facts, **{f"{what}_{name}": value for name, value in figures.items()})
        fetched, size = taken["fetch"][0], path.stat().st_size
        series.add(
            facts,
            start_mb=probe.peak("start", path)["mb"],
            import_mb=probe.peak("import", path)["mb"],
            bytes_a_fact=size / facts,
            bytes_a_round=size / fetched["rounds"],
            content_a_fact=fetched["content"] / facts,
            content_a_round=fetched["content"] / fetched["rounds"],
        )
