"""Lock-outs a second on one shared meter: the product, the same statements by bare psycopg, and pgbench, in turns."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import json

from bench.link_clients import Block, Closed, Opening, Played
from bench.link_pgbench import Pgbench
from bench.link_place import Sample, now, opened, server_cpu, wrong
from bench.link_ways import BARE, BLOCKING, OURS
from bench.report import Figure, Note, progress
from controller.core.times import stamp
from tests.link.server import Server

CLIENTS = (1, 8, 32, 128)
PROCESSES = 4  # at most: the controllers of a floor are many, and one Python would be the limit before the server is
ROUNDS = 13  # of blocks
BLOCK_SECONDS = 0.35
PGBENCH_EVERY = 4  # rounds
SOON = 0.02  # seconds until a block begins, so that all processes have heard of it
LEAST = 0.7
PGBENCH = "pgbench"


class Found:
    """What the blocks of one way came to."""

    def __init__(self) -> None:
        self.rates: list[float] = []
        self.taken: list[float] = []
        self.seconds, self.clients_cpu, self.server_cpu = 0.0, 0.0, 0.0

    def told(self, name: str) -> list[Figure]:
        """Its figures."""
        return [
            Figure(f"{name}: lock-outs a second", self.rate, ""),
            Figure(f"{name}: p50", percentile(self.taken, 50), " ms"),
            Figure(f"{name}: p99", percentile(self.taken, 99), " ms"),
        ]

    @property
    def rate(self) -> float:
        """Lock-outs a second, the median of the blocks."""
        return statistics.median(self.rates)

    @property
    def cpu(self) -> float:
        """Seconds of a processor that a client spends on a lock-out."""
        return self.clients_cpu / len(self.taken)

    @property
    def busy(self) -> str:
        """How many processors were kept busy, and by whom."""
        return (
            f"{self.clients_cpu / self.seconds:.1f} by clients and {self.server_cpu / self.seconds:.1f} by the server"
        )


def percentile(taken: Sequence[float], percent: int) -> float:
    """Milliseconds that so many percent did not exceed."""
    return sorted(taken)[min(len(taken) - 1, len(taken) * percent // 100)] * 1e3


class Crowd:
    """Clients in several processes, all of which have every way open."""

    def __init__(self, on: Server, openings: Sequence[Opening]) -> None:
        command = [sys.executable, "-m", "bench.link_clients"]
        self._on = on
        self._processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in openings
        ]
        self._openings = openings

    def open(self) -> None:
        """Have all of them connect."""
        for each, opening in zip(self._processes, self._openings, strict=True):
            self._say(each, opening)
        for each in self._processes:
            self._heard(each)

    def _asked(self, what: object) -> list[str]:
        for each in self._processes:
            self._say(each, what)
        return [self._heard(each) for each in self._processes]

    def block(self, way: str, found: Found) -> None:
        """All clients of one way, for a while."""
        self._asked(way)
        before, begin = server_cpu(self._on), now() + SOON
        played = [json.decode(said, type=Played) for said in self._asked(Block(begin, begin + BLOCK_SECONDS))]
        seconds = max(each.ended for each in played) - begin
        found.rates.append(sum(len(each.taken) for each in played) / seconds)
        found.seconds += seconds
        found.clients_cpu += sum(each.cpu for each in played)
        found.server_cpu += sum(used - before.get(pid, used) for pid, used in server_cpu(self._on).items())
        found.taken += [taken for each in played for taken in each.taken]

    def close(self) -> Closed:
        """The end; what the product's clients have done in all."""
        found = [json.decode(each.communicate()[0], type=Closed) for each in self._processes]
        rounds = {table: played for each in found for table, played in each.rounds.items()}
        return Closed(rounds, sum(each.lost for each in found))

    def end(self) -> None:
        """However it stands, end it."""
        for each in self._processes:
            each.kill()
            each.communicate()

    @staticmethod
    def _say(process: subprocess.Popen[str], what: object) -> None:
        if process.stdin:
            process.stdin.write(f"{json.encode(what).decode()}\n")
            process.stdin.flush()

    @staticmethod
    def _heard(process: subprocess.Popen[str]) -> str:
        line = process.stdout.readline() if process.stdout else ""
        if not line:
            raise RuntimeError(f"clients of a link ended with {process.wait()}")
        return line


def figures(
    on: Server, folder: Path, sample: Sample, every: Sequence[int] = CLIENTS, blocks: int = ROUNDS
) -> list[Figure | Note]:
    """Every number of clients."""
    names = {clients: [f"c{clients}-{number}" for number in range(clients)] for clients in every}
    tables = [name for each in names.values() for name in each]
    ours, bare, blocking = opened(on, tables), opened(on, tables), opened(on, tables)
    pgbench = Pgbench(folder, opened(on, tables), sample, stamp(time.time_ns() // 1000))
    found: list[Figure | Note] = []
    rounds: dict[str, int] = {}
    lost = 0
    for clients in every:
        progress(f"link: {clients} clients")
        processes = min(clients, PROCESSES)
        openings = [
            Opening(ours, bare, blocking, names[clients][number::processes], sample) for number in range(processes)
        ]
        crowd = Crowd(on, openings)
        try:
            crowd.open()
            ways = _measured(crowd, pgbench, clients, processes, blocks)
            closed = crowd.close()
        finally:
            crowd.end()
        rounds |= closed.rounds
        lost += closed.lost
        found += _told(clients, processes, ways)
    progress("link: adding up")
    return [
        *found,
        Figure("sessions lost meanwhile", lost, "", 0),
        Figure("tables not exactly once in the ledger, and sums that an audit finds wrong", wrong(ours, rounds), "", 0),
    ]


def _measured(crowd: Crowd, pgbench: Pgbench, clients: int, processes: int, blocks: int) -> dict[str, Found]:
    turns = (OURS, BARE, BLOCKING)
    for way in turns:
        crowd.block(way, Found())  # for caches
    ways = {way: Found() for way in (*turns, PGBENCH)}
    for number in range(blocks):
        for way in turns if number % 2 else reversed(turns):
            crowd.block(way, ways[way])
        if number % PGBENCH_EVERY == PGBENCH_EVERY // 2:
            ran = pgbench.block(clients, processes)
            ways[PGBENCH].rates.append(ran.rate)
            ways[PGBENCH].taken += ran.taken
    return ways


def _told(clients: int, processes: int, ways: Mapping[str, Found]) -> list[Figure | Note]:
    busy = f"processors kept busy: {ways[OURS].busy}; bare, {ways[BARE].busy}"
    who = f"{clients} link clients on one meter, Python in {processes} processes" if clients > 1 else "1 link client"
    return [
        Note(f"{who}, on the server's own machine; {busy}; load {os.getloadavg()[0]:.1f}:"),
        *(figure for name, way in ways.items() for figure in way.told(f"{clients}, {name}")),
        Figure(f"{clients}, {OURS} / {BARE}", ways[OURS].rate / ways[BARE].rate, "x", least=LEAST),
        Figure(f"{clients}, {OURS} / {BLOCKING}", ways[OURS].rate / ways[BLOCKING].rate, "x"),
        Figure(f"{clients}, {OURS} / {BARE}: a client's processor time", ways[OURS].cpu / ways[BARE].cpu, "x"),
        Figure(f"{clients}, {OURS} / {PGBENCH}", ways[OURS].rate / ways[PGBENCH].rate, "x"),
    ]
