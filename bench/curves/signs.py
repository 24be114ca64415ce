"""A table that 1 to 200 signs listen to: by MQTT, and by the sockets pages open at the console; beside bare sockets.

Each kind of sign is measured by itself, in blocks that take turns with those of the bare sockets. Times begin when the
board's answer that carries the chip leaves the board, as in `bench.service_latency`; those of the bare sockets when a
line of the same length leaves its speaker. Signs live in processes of their own, which do next to nothing.
"""

import asyncio
import socket
import sys
import time
from bisect import bisect_left
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from msgspec import json

from bench.brokers import LOOPBACK, MOSQUITTO, broker
from bench.consoles import console
from bench.curves.audience import Came
from bench.curves.data import Series
from bench.places import folder
from bench.raw_mqtt import connected
from bench.report import progress
from bench.service_latency import Players, one_board, p50, p99, wired
from bench.service_table import base, cpu_seconds, memory_mb, running
from controller.demo.children import Child
from controller.wire import topics

SIZES, QUICK = (1, 10, 50, 100, 200), (1, 4)
BLOCKS, QUICK_BLOCKS = 3, 1
RATE, SECONDS = 10, 2.5  # wagers a second, and of a block
ARRIVE_SECONDS = 0.5  # for the last sign to hear the last wager
MQTT, PAGES = "mqtt", "ws"
TICK_MS = 10.0  # what the system counts processor time in: less than one cannot be told from none


class Told(Players):
    """Players who know by which message each wager was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[int, float]] = []  # its number, and when the wager left the board

    def hear(self, now: float, topic: str, payload: bytes) -> None:
        """The sign in this process hears something."""
        unheard = [wager for wager in self._laid.values() if wager.left and not wager.heard]
        super().hear(now, topic, payload)
        if any(wager.heard for wager in unheard):
            seq: int = json.decode(payload)["seq"]
            self.told += [(seq, wager.left) for wager in unheard if wager.heard]


class Audience:
    """Signs of one kind, in their process."""

    def __init__(self, child: Child, file: Path) -> None:
        self._child = child
        self._file = file

    async def have(self, number: int) -> None:
        """Connect until there are so many."""
        await self._say(f"have {number}")

    async def take(self) -> list[Came]:
        """What each sign heard since it was asked last."""
        await self._say(f"take {self._file}")
        return json.decode(self._file.read_bytes(), type=list[Came])

    async def _say(self, line: str) -> None:
        process = self._child.process
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the audience cannot be spoken to")
        process.stdin.write(f"{line}\n".encode())
        if await process.stdout.readline() != b"ok\n":
            raise RuntimeError("the audience ended:\n" + "\n".join(self._child.last_lines()))


@asynccontextmanager
async def _audience(made: Path, kind: str, port: int, what: str) -> AsyncIterator[Audience]:
    command = [sys.executable, "-m", "bench.curves.audience", kind, str(port), what]
    child = await Child.start(f"signs, {kind}", command, made / f"{kind}.log", {}, talks=True)
    try:
        yield Audience(child, made / f"{kind}.json")
    finally:
        await child.stop()


class Bare:
    """Who speaks to the bare sockets."""

    def __init__(self, child: Child, port: int) -> None:
        self.process = child.process.pid
        self.port = port
        self._speaker = socket.create_connection((LOOPBACK, port))
        self._speaker.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._number = 0

    async def block(self, lines: int, size: int) -> list[tuple[int, float]]:
        """Lines at the pace of wagers: two messages each, laid and lifted."""
        told = []
        for _ in range(lines):
            await asyncio.sleep(1 / (2 * RATE))
            self._number += 1
            began = time.perf_counter()
            self._speaker.sendall(self._number.to_bytes(8, "big") + size.to_bytes(4, "big") + bytes(size))
            told.append((self._number, began))
        return told


@asynccontextmanager
async def _bare(made: Path) -> AsyncIterator[Bare]:
    command = [sys.executable, "-m", "bench.curves.bare_sockets"]
    child = await Child.start("bare sockets", command, made / "bare-sockets.log", {}, talks=True)
    try:
        line = await child.process.stdout.readline() if child.process.stdout else b""
        yield Bare(child, int(line))
    finally:
        await child.stop()


def measure(series: Series, quick: bool) -> None:
    """All kinds, all numbers."""
    if MOSQUITTO is None:
        raise RuntimeError("there is no mosquitto: install it")
    sizes, blocks = (QUICK, QUICK_BLOCKS) if quick else (SIZES, BLOCKS)
    with folder(Path.cwd()) as made, broker(made) as (port, process):
        asyncio.run(_measured(series, made, port, process, sizes, blocks))


async def _measured(  # noqa: PLR0913, PLR0917 -- where, whom, how many and how long
    series: Series, made: Path, port: int, broker_process: int, sizes: Sequence[int], blocks: int
) -> None:
    players = Told()
    sign = await connected(port, "sign", players.hear)
    async with AsyncExitStack() as ending:
        table = await ending.enter_async_context(
            running(made, port, wired(made, players), [one_board()], debounce_ms=0)
        )
        name = base().removeprefix("jackpot/")
        own, console_process = await ending.enter_async_context(console(made, port, name))
        await sign.subscribe(f"{base()}/{topics.ROUND}")
        await players.bet(100, 0.5)  # for caches
        processes = {
            "controller": table.process,
            "broker": broker_process,
            "console": console_process,
        }
        kinds = {MQTT: (port, f"{base()}/{topics.ROUND}"), PAGES: (own, name)}
        floors: dict[int, list[Found]] = {size: [] for size in sizes}
        for kind, (at, what) in kinds.items():
            async with (
                _bare(made) as bare,
                _audience(made, "bare", bare.port, "-") as floor,
                _audience(made, kind, at, what) as audience,
            ):
                for size in sizes:
                    progress(f"signs: {size} by {kind}")
                    await audience.have(size)
                    await floor.have(size)
                    found = await _blocks(players, bare, audience, floor, processes | {"bare": bare.process}, blocks)
                    _add(series, kind, size, found)
                    floors[size].append(found)
        for size, found_twice in floors.items():
            _add_floor(series, size, found_twice)
        sign.close()


class Found:
    """What blocks came to: milliseconds from a wager, or a line, to every sign, and what each process did for it."""

    def __init__(self) -> None:
        self.own: list[float] = []
        self.bare: list[float] = []
        self.wagers = self.lines = 0
        self.cpu: dict[str, float] = {}
        self.mb: dict[str, float] = {}


async def _blocks(  # noqa: PLR0913, PLR0917 -- all that takes part
    players: Told, bare: Bare, audience: Audience, floor: Audience, processes: dict[str, int], blocks: int
) -> Found:
    found = Found()
    for _ in range(blocks):
        players.told.clear()
        before = {name: cpu_seconds(each) for name, each in processes.items()}
        wagers, _ = await players.bet(RATE, SECONDS)
        await asyncio.sleep(ARRIVE_SECONDS)
        between = {name: cpu_seconds(each) for name, each in processes.items()}
        found.own += delays(players.told, await audience.take())
        found.wagers += len(wagers)
        told = await bare.block(round(2 * RATE * SECONDS), players.round_bytes)
        await asyncio.sleep(ARRIVE_SECONDS)
        after = {name: cpu_seconds(each) for name, each in processes.items()}
        found.bare += delays(told, await floor.take())
        found.lines += len(told)
        for name in processes:
            used = after[name] - between[name] if name == "bare" else between[name] - before[name]
            found.cpu[name] = found.cpu.get(name, 0.0) + used
    found.mb = {name: memory_mb(each) for name, each in processes.items()}
    return found


def delays(told: Sequence[tuple[int, float]], signs: Sequence[Came]) -> list[float]:
    """Seconds until each sign knew, of each wager: by its message, or by a newer one that took its place."""
    found = []
    for came in signs:
        numbers = [number for number, _ in came]
        for number, left in told:
            at = bisect_left(numbers, number)
            if at == len(came):
                raise RuntimeError(f"a sign never heard message {number}: it heard up to {numbers[-1:]}")
            found.append(came[at][1] - left)
    return found


def _add(series: Series, kind: str, size: int, found: Found) -> None:
    series.add(size, **{f"{kind}_p50": p50(found.own), f"{kind}_p99": p99(found.own)})
    for name in ("controller", "broker", "console"):
        cpu = max(found.cpu[name] * 1000, TICK_MS) / found.wagers
        series.add(size, **{f"{name}_{kind}_cpu": cpu, f"{name}_{kind}_mb": found.mb[name]})


def _add_floor(series: Series, size: int, found: Sequence[Found]) -> None:
    """The bare sockets, beside whom they were measured ever: a wager is two lines, laid and lifted."""
    taken = [delay for each in found for delay in each.bare]
    wagers = sum(each.lines for each in found) / 2
    cpu = max(sum(each.cpu["bare"] for each in found) * 1000, TICK_MS) / wagers
    memory = max(each.mb["bare"] for each in found)
    series.add(size, bare_p50=p50(taken), bare_p99=p99(taken), bare_cpu=cpu, bare_mb=memory)
