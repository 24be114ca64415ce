"""Archiving closed days, and what becomes of a table's questions and commits: `python -m bench retention [FACTS]`."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec import json as typed

from bench.curves.growing import Growing
from bench.places import folder, machine
from bench.play import engine
from bench.report import Figure, Note, progress
from controller.core.facts import FactsWereArchived
from controller.engine import Engine
from controller.journal.archive.files import ArchiveFile
from controller.journal.archive.leaving import due
from controller.journal.archive.packing import Job, job, publish
from controller.journal.audit.awards import hits
from controller.journal.audit.days import days, report
from controller.journal.reading import open_readonly
from controller.journal.sqlite import SqliteJournal
from controller.service.retention import TOGETHER

FACTS = 300_000  # five busy days: half a minute
KEPT = 1  # closed days: as few as let the others leave
WAGERS = 100  # of each way a commit is measured
PACE_SECONDS = 0.01
MOST_SLOWER_MS = 6.0  # of a wager's p99 while a day is packed: what the service allows over two syncs

_PACKING = (sys.executable, "-I", "-m", "controller.journal.archive.packing")


def figures(facts: int = FACTS) -> list[Figure | Note]:
    """All of them, on this disk."""
    with folder(Path.cwd()) as made:
        growing = Growing(made / "journal.db")
        progress(f"playing {facts:,} facts")
        growing.grow(facts)
        found: list[Figure | Note] = [
            Note(machine()),
            Note(f"{growing.state.seq:,} facts of a busy table, its days archived:"),
        ]
        raw = growing.path.stat().st_size / growing.state.seq
        before = _verified(growing.path)
        with SqliteJournal(growing.path) as journal:
            journal.append([], cursor=journal.head().seq)
            playing = engine(growing.state, journal, growing._chance, growing.play)  # noqa: SLF001 -- the bench's own
            found += _archived(growing, journal, playing, made / "archive", raw)
        return [*found, *_asked(growing.path, before)]


def _archived(
    growing: Growing, journal: SqliteJournal, playing: Engine, where: Path, raw: float
) -> list[Figure | Note]:
    """Day after day: every second one is timed, with wagers during the others."""
    made: list[FactsWereArchived] = []
    took, waits = list[tuple[int, float]](), {"idle": _wagers(growing, playing), "packing": list[float]()}
    gone = list[float]()
    while leaving := due(journal, KEPT):
        progress(f"archiving {leaving.day}")
        wanted = job(journal, str(where), "valley-forge/mb-07", leaving)
        timed = len(made) % 2 == 0
        fact, seconds = _packed(wanted, None if timed else lambda: _wagers(growing, playing), waits["packing"])
        publish(wanted, fact)
        playing.archive(fact)
        made.append(fact)
        if timed:
            took.append((fact.last - fact.first + 1, seconds))
        began = time.perf_counter()
        while journal.forget(TOGETHER):
            gone.append(time.perf_counter() - began)
            began = time.perf_counter()
    facts, size = sum(each.last - each.first + 1 for each in made), sum(each.bytes for each in made)
    rate = sum(many for many, _ in took) / sum(seconds for _, seconds in took)
    plain = sum(sum(len(line) for line in ArchiveFile(f"{where}/{each.file}")._lines()) for each in made)  # noqa: SLF001 -- its lines
    idle, busy = (_percentile(waits[way], 99) for way in ("idle", "packing"))
    return [
        Figure(f"packing and proving, a process of its own: facts a second, {len(took)} days", rate, ""),
        Figure("packing and proving: a busy day of 60,000 facts", 60_000 / rate, " s"),
        Figure("bytes a fact in the journal", raw, ""),
        Figure("bytes a fact in an archive, unpacked", plain / facts, ""),
        Figure("bytes a fact in an archive", size / facts, ""),
        Figure("archive / journal", size / facts / raw, "x"),
        *(
            Figure(f"a wager durable, {way}: p50", statistics.median(taken) * 1000, " ms")
            for way, taken in waits.items()
        ),
        *(Figure(f"a wager durable, {way}: p99", _percentile(taken, 99) * 1000, " ms") for way, taken in waits.items()),
        Figure("a wager durable, packing less idle: p99", (busy - idle) * 1000, " ms", MOST_SLOWER_MS),
        Figure(f"{TOGETHER} facts let go, for which a wager may wait: p50", statistics.median(gone) * 1000, " ms"),
        Figure(f"{TOGETHER} facts let go, for which a wager may wait: p99", _percentile(gone, 99) * 1000, " ms"),
    ]


def _packed(
    wanted: Job, meanwhile: Callable[[], list[float]] | None, taken: list[float]
) -> tuple[FactsWereArchived, float]:
    """A file made by a process, as the controller has it made, while wagers go on."""
    began = time.perf_counter()
    with subprocess.Popen(_PACKING, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("no way to the process")
        child.stdin.write(typed.encode(wanted))
        child.stdin.close()
        taken += meanwhile() if meanwhile else []
        said = child.stdout.read()
        seconds = time.perf_counter() - began
    return typed.decode(said, type=FactsWereArchived), seconds


def _wagers(growing: Growing, playing: Engine) -> list[float]:
    """Seconds until each of some inputs is durable, one at a time and at a pace."""
    taken = []
    ahead = growing.ahead
    while len(ahead) < WAGERS:
        ahead += growing.play.round()
    for input_ in ahead[:WAGERS]:
        began = time.perf_counter()
        growing.play.heed(playing.step([input_]))
        taken.append(time.perf_counter() - began)
        time.sleep(PACE_SECONDS)
    growing._ahead = ahead[WAGERS:]  # noqa: SLF001 -- the bench's own
    return taken


def _asked(path: Path, before: float) -> list[Figure | Note]:
    after = _verified(path)
    with open_readonly(path) as journal:
        every = days(journal)
        old, young = (_seconds(partial(report, journal, day)) for day in (every[0], every[-2]))
        listed = _seconds(lambda: hits(journal))
    return [
        Figure("verify, all in the journal: facts a second", before, ""),
        Figure("verify, through archives: facts a second", after, ""),
        Figure("verify, through archives / in the journal", after / before, "x"),
        Figure("report of an archived day", old * 1000, " ms"),
        Figure("report of a day in the journal", young * 1000, " ms"),
        Figure("every hit there was", listed * 1000, " ms"),
    ]


def _verified(path: Path) -> float:
    progress("verifying")
    command = (sys.executable, "-m", "controller", "audit", "verify", str(path), "--json")
    began = time.perf_counter()
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return float(told["facts"] / (time.perf_counter() - began))


def _seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def _percentile(taken: list[float], percent: int) -> float:
    return sorted(taken)[min(len(taken) - 1, len(taken) * percent // 100)]
