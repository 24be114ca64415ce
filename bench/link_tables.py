"""A thousand tables, each with a lock-out every 30 seconds, over 64 connections: `python -m bench.link_tables WAY …`.

A process for each way, both at once and on databases of their own: so both have the same weather, and the server has
twice the load. A lock-out counts from the moment it was due, so that waiting for a neighbour's, or for a machine that
is slow, counts too. Each connection looks at the meter as often as a table does.
"""

import asyncio
import gc
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence

from msgspec import Struct, json

from bench.link_place import Sample, now, opened, wrong
from bench.link_rates import percentile
from bench.link_ways import BARE, OURS, Bare, Ours, Way
from bench.report import Figure, Note, progress
from controller.core.times import stamp
from controller.outlets.link import LOOK_SECONDS
from tests.link.server import Server

TABLES = 1_000
CONNECTIONS = 64
EVERY_SECONDS = 30.0
SECONDS, SOAK_SECONDS = 60, 600
SETTLING = 2.0  # seconds from the last connection to the first lock-out


class Setup(Struct):
    """What a process is to do."""

    way: str
    dsn: str
    seconds: float
    sample: Sample


class Result(Struct):
    """What became of it."""

    taken: list[float]  # seconds from when each lock-out was due
    due: int
    rounds: dict[str, int]
    lost: int
    cpu: float


def names() -> list[str]:
    """The tables."""
    return [f"t-{number:04}" for number in range(TABLES)]


def timetable(tables: Sequence[str], seconds: float) -> list[tuple[float, str]]:
    """When each lock-out is due: every table by its own clock, and the same for both ways."""
    found = []
    for table in tables:
        first = random.Random(table).uniform(0, EVERY_SECONDS)
        found += [(first + nth * EVERY_SECONDS, table) for nth in range(int((seconds - first) // EVERY_SECONDS) + 1)]
    return sorted(found)


async def _serve(way: Way, begin: float, seconds: float) -> list[float]:
    """All lock-outs of one connection, and looks between them."""
    taken = []
    look = now()
    for after, table in timetable(list(way.rounds), seconds):
        due = begin + after
        while (wait := min(due, look) - now()) > 0 or look < due:
            await asyncio.sleep(wait)
            if now() >= look:
                await way.look()
                look = now() + LOOK_SECONDS
        await way.lock_out(table, stamp(time.time_ns() // 1000))
        taken.append(now() - due)
        look = now() + LOOK_SECONDS
    return taken


async def _play(setup: Setup) -> Result:
    shares = [names()[number::CONNECTIONS] for number in range(CONNECTIONS)]
    ways: list[Way] = [
        Ours(setup.dsn, share) if setup.way == OURS else Bare(setup.dsn, share, setup.sample) for share in shares
    ]
    opening = now()
    for way in ways:
        await way.open()
        if now() - opening > LOOK_SECONDS:  # nobody may be silent for long
            await asyncio.gather(*(each.look() for each in ways[: ways.index(way) + 1]))
            opening = now()
    gc.freeze()
    before = time.process_time()
    begin = now() + SETTLING
    taken = await asyncio.gather(*(_serve(way, begin, setup.seconds) for way in ways))
    cpu = time.process_time() - before
    for way in ways:
        await way.close()
    rounds = {table: played for way in ways for table, played in way.rounds.items()}
    due = len(timetable(names(), setup.seconds))
    return Result([each for served in taken for each in served], due, rounds, sum(way.lost for way in ways), cpu)


def figures(on: Server, sample: Sample, seconds: float = SECONDS) -> list[Figure | Note]:
    """Both ways at once, and whether everything is there afterwards."""
    progress(f"link: {TABLES} tables for {seconds:g} s")
    ours, bare = opened(on, names()), opened(on, names())
    running = []
    for way, dsn in ((OURS, ours), (BARE, bare)):
        setup = json.encode(Setup(way, dsn, seconds, sample)).decode()
        command = [sys.executable, "-m", "bench.link_tables", setup]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    told = [each.communicate()[0] for each in running]
    if any(each.returncode for each in running):
        raise RuntimeError("the tables of a link did not play to the end")
    found = {way: json.decode(text, type=Result) for way, text in zip((OURS, BARE), told, strict=True)}
    mine = found[OURS]
    name = f"{TABLES:,} tables"
    p99 = {way: percentile(result.taken, 99) for way, result in found.items()}
    figures_ = [
        figure
        for way, result in found.items()
        for figure in (
            Figure(f"{name}, {way}: p50", percentile(result.taken, 50), " ms"),
            Figure(f"{name}, {way}: p99", p99[way], " ms"),
            Figure(f"{name}, {way}: the slowest", max(result.taken) * 1e3, " ms"),
        )
    ]
    return [
        Note(
            f"{TABLES:,} tables, each with a lock-out every {EVERY_SECONDS:g} s, over {CONNECTIONS} connections for "
            f"{seconds:g} s, from when each was due; both ways at once; the product's process kept "
            f"{mine.cpu / seconds:.2f} processors busy; load {os.getloadavg()[0]:.1f}:"
        ),
        *figures_,
        Figure(f"{name}, {OURS} / {BARE}: p99", p99[OURS] / p99[BARE], "x"),
        Figure(f"{name}: answered before the table's next was due", _held(mine), "%", least=100),
        Figure(f"{name}: sessions lost meanwhile", mine.lost, "", 0),
        Figure(
            f"{name}: not exactly once in the ledger, and sums that an audit finds wrong",
            wrong(ours, mine.rounds),
            "",
            0,
        ),
    ]


def _held(result: Result) -> float:
    return 100 * sum(each < EVERY_SECONDS for each in result.taken) / result.due


if __name__ == "__main__":
    print(json.encode(asyncio.run(_play(json.decode(sys.argv[1], type=Setup)))).decode())
