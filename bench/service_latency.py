"""From a chip on a sensor to its lamp and to a sign, beside what no table can do without: a sync and a hop.

Times begin when the board's answer that first carries the chip leaves the board, so waiting for the poll is no part of
them; the whole way from the chip is told too. One board senses all places: chips it reads wait for no other board.
Nothing is debounced, and the lamps shine for placed wagers alone, so that a coil that goes on can mean nothing else.
The sign is a bare socket in this process, which does nothing but answer for the board forty times a second.
"""

import asyncio
import random
import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, json

from bench.raw_mqtt import connected
from bench.report import Figure, Note, progress
from bench.service_floor import CLIENT_HOP, COMMIT, RAW_HOP, SYNC, measuring
from bench.service_table import PLACES, POLL_MS, base, running
from controller.wire import topics
from drivers import modbus_rtu as rtu
from drivers.simulated.line import TwinLine
from drivers.simulated.modbus import Board, Bus

BLOCKS = 8
RATES = {100: 2.5, 10: 2.5}  # wagers a second, and the seconds of a block
# The goals: so many syncs, a hop, and so many milliseconds for deciding, encoding and all the rest.
P50_SYNCS, P50_MORE_MS = 1.5, 2.0
P99_SYNCS, P99_MORE_MS = 2.0, 6.0
SETTLE_SECONDS = 20.0
BUTTON_AT = len(PLACES)
INPUTS = 24  # of the board, and coils

# What they are held against: the barest there is, on disk and broker. What they would be over a commit of SQLite and a
# hop by the service's own library is told beside them.
JUDGED_SYNC, JUDGED_HOP = SYNC, RAW_HOP


class Wager(Struct):
    """One chip's way, by `time.perf_counter`; 0 where it has not come yet."""

    laid: float
    left: float = 0.0  # the answer that carried it left the board
    heard: float = 0.0  # the sign heard that it is placed
    lit: float = 0.0  # its coil was written


class SeenBoard(Board):
    """A board that knows which of its inputs an answer is the first to tell, and which coils a question switches."""

    def __init__(self, switched: Callable[[int, bool], None]) -> None:
        super().__init__(1, inputs=INPUTS, coils=INPUTS)
        self._told = list(self.inputs)
        self._switched = switched
        self.telling: list[int] = []

    def answer(self, function: int, body: bytes) -> bytes:
        """Answer, and see what is new in it."""
        before = list(self.coils)
        said = super().answer(function, body)
        if function == rtu.READ_INPUTS:
            self.telling = [at for at, level in enumerate(self.inputs) if level != self._told[at]]
            self._told = list(self.inputs)
        for at, lit in enumerate(self.coils):
            if lit != before[at]:
                self._switched(at, lit)
        return said


class Players:
    """Lay chips and lift them again once both the lamp and the sign have shown them."""

    def __init__(self) -> None:
        self.board = SeenBoard(self._switched)
        self.wagers: list[Wager] = []
        self._laid: dict[int, Wager] = {}
        self._shown: set[int] = set()
        self._lit: set[int] = set()
        self._free = deque(range(len(PLACES)))
        self._chance = random.Random(5)
        self.round_bytes = 0

    def leaves(self) -> None:
        """An answer leaves the board now."""
        if self.board.telling:
            now = time.perf_counter()
            for at in self.board.telling:
                if at in self._laid and not self._laid[at].left:
                    self._laid[at].left = now
            self.board.telling = []

    def _switched(self, at: int, lit: bool) -> None:
        if lit:
            self._lit.add(at)
            if at in self._laid:
                self._laid[at].lit = time.perf_counter()
        else:
            self._lit.discard(at)
        self._look(at)

    def hear(self, now: float, topic: str, payload: bytes) -> None:
        """The sign hears something."""
        if not topic.endswith(f"/{topics.ROUND}"):
            return
        self.round_bytes = len(payload)
        positions = json.decode(payload)["positions"]
        for at, (position, wager) in enumerate(PLACES):
            placed = positions[str(position)][wager] == "placed"
            if placed != (at in self._shown):
                self._shown ^= {at}
                if placed and at in self._laid:
                    self._laid[at].heard = now
                self._look(at)

    def _look(self, at: int) -> None:
        """Lift a chip that has been shown; a place from which that has been told too is free again."""
        wager = self._laid.get(at)
        if wager is None or bool(wager.heard) != bool(wager.lit):
            return
        if wager.heard and self.board.inputs[at]:
            self.board.sense(at, on=False)
        elif not self.board.inputs[at] and at not in self._shown and at not in self._lit:
            self.wagers.append(self._laid.pop(at))
            self._free.append(at)

    async def bet(self, rate: float, seconds: float) -> tuple[list[Wager], int]:
        """Lay chips at moments that have nothing to do with the polls; and how many found no free place."""
        self.wagers, held = [], 0
        due = time.perf_counter()
        until = due + seconds
        while due < until:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if self._free:
                at = self._free.popleft()
                self._laid[at] = Wager(time.perf_counter())
                self.board.sense(at, on=True)
            else:
                held += 1
            due += self._chance.uniform(0.0, 2.0 / rate)
        async with asyncio.timeout(SETTLE_SECONDS):
            while self._laid:  # noqa: ASYNC110 -- nothing is measured any more
                await asyncio.sleep(POLL_MS / 1000)
        return self.wagers, held


class SentLine(TwinLine):
    """A line that says when something is sent on it."""

    sends: Callable[[], None] = staticmethod(lambda: None)

    def send(self, data: bytes) -> None:
        """Send."""
        self.sends()
        super().send(data)


def wired(folder: Path, players: Players) -> SentLine:
    """The line of the players' board."""
    line = SentLine(folder / "rail", Bus([players.board], time.monotonic))
    line.sends = players.leaves
    return line


def one_board() -> dict[str, Any]:
    """A board that senses all places, as a configuration has it."""
    places = [{"at": at, "position": position, "wager": wager} for at, (position, wager) in enumerate(PLACES)]
    return {
        "id": "all",
        "address": 1,
        "inputs": [*places, {"at": BUTTON_AT, "button": True}],
        "lamps": [{**place, "shows": {"placed": "on"}} for place in places],
    }


async def measured(folder: Path, port: int, blocks: int) -> tuple[dict[int, list[Wager]], dict[str, list[float]], int]:
    """Wagers by their rate, the floor by its kind, and how many wagers found no free place."""
    players = Players()
    line = wired(folder, players)
    sign = await connected(port, "sign", players.hear)
    found: dict[int, list[Wager]] = {rate: [] for rate in RATES}
    held = 0
    async with running(folder, port, line, [one_board()], debounce_ms=0), measuring(folder, port) as floor:
        await sign.subscribe(f"{base()}/#")
        await players.bet(100, 0.5)  # for caches
        floor.payload_bytes = players.round_bytes
        for _ in range(blocks):
            for rate, seconds in RATES.items():
                wagers, none_free = await players.bet(rate, seconds)
                found[rate] += wagers
                held += none_free
            await floor.block()
        sign.close()
        return found, floor.taken, held


def figures(folder: Path, port: int, blocks: int = BLOCKS) -> list[Figure | Note]:
    """All of them."""
    progress("service: latency")
    found, floor, held = asyncio.run(measured(folder, port, blocks))
    told: list[Figure | Note] = [
        Note(
            f"From a sensor to its lamp and to a sign, polled every {POLL_MS} ms, counted from the answer that carries "
            "the chip:"
        )
    ]
    for kind, taken in floor.items():
        told += [
            Figure(f"floor, {kind}, p50", p50(taken), " ms"),
            Figure(f"floor, {kind}, p99", p99(taken), " ms"),
        ]
    usual = _bounds(floor[COMMIT], floor[CLIENT_HOP])
    told += [
        Figure("the goal below if sqlite3 and the library were its floor, p50", usual[0], " ms"),
        Figure("the goal below if sqlite3 and the library were its floor, p99", usual[1], " ms"),
    ]
    goals = _bounds(floor[JUDGED_SYNC], floor[JUDGED_HOP])
    for rate, wagers in found.items():
        told += _told(f"{rate} wagers a second", wagers, goals)
    told.append(Figure("wagers that found no free place", held, ""))
    return told


def _bounds(sync: Sequence[float], hop: Sequence[float]) -> tuple[float, float]:
    """The most a wager may take, p50 and p99, over a floor."""
    return (
        P50_SYNCS * p50(sync) + p50(hop) + P50_MORE_MS,
        P99_SYNCS * p99(sync) + p99(hop) + P99_MORE_MS,
    )


def _told(name: str, wagers: Sequence[Wager], goals: tuple[float, float]) -> list[Figure | Note]:
    sign = [wager.heard - wager.left for wager in wagers]
    lamp = [wager.lit - wager.left for wager in wagers]
    whole = [wager.heard - wager.laid for wager in wagers]
    return [
        Figure(f"{name}: to the sign, p50", p50(sign), " ms", goals[0]),
        Figure(f"{name}: to the sign, p99", p99(sign), " ms", goals[1]),
        Figure(f"{name}: to the lamp, p50", p50(lamp), " ms"),
        Figure(f"{name}: to the lamp, p99", p99(lamp), " ms"),
        Figure(f"{name}: to the sign, from the chip itself, p50", p50(whole), " ms"),
        Figure(f"{name}: to the sign, from the chip itself, p99", p99(whole), " ms"),
    ]


def p50(seconds: Sequence[float]) -> float:
    """The median, in milliseconds."""
    return statistics.median(seconds) * 1000


def p99(seconds: Sequence[float]) -> float:
    """What one in a hundred exceeds, in milliseconds."""
    return sorted(seconds)[int(len(seconds) * 0.99)] * 1000
