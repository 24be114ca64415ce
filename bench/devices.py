"""Devices: from an input that changes to the event handed up, beside the bare terminal; and what polling costs."""

import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec
from pymodbus.client import AsyncModbusSerialClient

from bench.report import Figure, Note, progress
from drivers.cctalk import CcTalk, CcTalkSettings
from drivers.driver import Driver, Place
from drivers.events import BANKER, PLAYER, Event
from drivers.modbus import Modbus
from drivers.modbus_settings import ModbusSettings
from drivers.port import Line, LineSettings
from drivers.shoe import AngelEye, AngelEyeSettings
from drivers.simulated.cctalk import Acceptor, AcceptorBus
from drivers.simulated.line import TwinLine
from drivers.simulated.modbus import Board, Bus
from drivers.simulated.shoe import AngelEyeTwin

CHANGES = 300  # of an input, at moments that have nothing to do with the polls
POLL_MS = 25
ECHOES = 3000
BUSY_SECONDS = 6.0  # of polling, for its cost
MOST_TIMES_ECHO, MOST_CORE = 3.0, 0.04  # the goals
POSITIONS = 9


def figures() -> list[Figure | Note]:
    """All of them."""
    found: list[Figure | Note] = []
    with tempfile.TemporaryDirectory(prefix="jackpotd-bench-") as folder:
        progress("devices: latency")
        found += asyncio.run(_latencies(Path(folder)))
        progress("devices: cost of polling")
        found += _costs(Path(folder))
    return found


# -- latency --


async def _latencies(folder: Path) -> list[Figure | Note]:
    echoes = await _echoes(folder)
    echo = _p99(echoes)
    found: list[Figure | Note] = [
        Note("From an input that changes to the event handed up; the device's side runs in the same process:"),
        Figure("bare terminal, 5 bytes there and back, p50", statistics.median(echoes) * 1e6, " µs"),
        Figure("bare terminal, 5 bytes there and back, p99", echo * 1e6, " µs"),
    ]
    for name, paper, measure in (
        ("modbus, one board", (8 + 6) * 10 / 115200, _modbus),
        ("cctalk, one acceptor", 2 * (5 + 16) * 10 / 9600, _cctalk),
        ("angel-eye, one card", 8 * 10 / 4800, _shoe),
    ):
        progress(f"devices: {name}")
        whole, added = await measure(folder)
        found += [
            Figure(f"{name}: from the change, p50", statistics.median(whole) * 1e3, " ms"),
            Figure(f"{name}: from the change, p99", _p99(whole) * 1e3, " ms"),
            Figure(f"{name}: on the wire, by the book", paper * 1e3, " ms"),
            Figure(f"{name}: from the question that saw it, p99", _p99(added) * 1e6, " µs"),
            Figure(f"{name}: the same / bare terminal", _p99(added) / echo, "x", MOST_TIMES_ECHO),
        ]
    return found


async def _echoes(folder: Path) -> list[float]:
    class Echo:
        def received(self, data: bytes) -> bytes:
            return data

    twin = TwinLine(folder / "echo", Echo())
    twin.plug()
    line = Line(LineSettings(port=str(twin.path)))
    taken = []
    for _ in range(ECHOES):
        began = time.perf_counter()
        await line.write(b"12345")
        came = b""
        while len(came) < 5:  # noqa: PLR2004 -- what was sent
            came += await line.read(1)
        taken.append(time.perf_counter() - began)
    line.close()
    twin.unplug()
    return taken


class _Taker:
    """Takes what is handed up, and the time it came."""

    def __init__(self) -> None:
        self.events = 0
        self.at = 0.0
        self._came = asyncio.Event()

    async def take(self, events: Sequence[Event]) -> None:
        self.events += len(events)
        self.at = time.perf_counter()
        self._came.set()

    async def more(self, than: int) -> float:
        while self.events <= than:
            self._came.clear()
            await self._came.wait()
        return self.at


async def _measured(
    line: TwinLine, driver: Driver, taker: _Taker, heard: list[float], change: Callable[[], object]
) -> tuple[list[float], list[float]]:
    """Seconds from each change to its event: all of them, and those since the last question before it was told."""
    chance = random.Random(7)
    line.plug()
    serving = asyncio.create_task(driver.run())
    await taker.more(0)
    whole, added = [], []
    for _ in range(CHANGES):
        await asyncio.sleep(0.01 + chance.random() * POLL_MS / 1000)
        before, began = taker.events, time.perf_counter()
        change()
        told = await taker.more(before)
        whole.append(told - began)
        added.append(told - (heard[-1] if heard else began))
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    line.unplug()
    return whole, added


async def _modbus(folder: Path) -> tuple[list[float], list[float]]:
    board, taker, heard = Board(1, inputs=10), _Taker(), list[float]()
    line = TwinLine(folder / "modbus", Bus([board], time.monotonic), heard=_noting(heard))
    settings = _boards(str(line.path), lamps=False, boards=1, debounce_ms=0)
    driver = Modbus("rail", settings, taker.take, {})
    return await _measured(line, driver, taker, heard, lambda: board.sense(0, not board.inputs[0]))


async def _cctalk(folder: Path) -> tuple[list[float], list[float]]:
    acceptor, taker, heard = Acceptor(), _Taker(), list[float]()
    line = TwinLine(folder / "cctalk", AcceptorBus([acceptor]), heard=_noting(heard))
    slot = {"id": "slot", "position": 1, "wager": "royal9", "coins": [1]}
    settings = msgspec.convert({"port": str(line.path), "poll_ms": POLL_MS, "acceptors": [slot]}, CcTalkSettings)
    driver = CcTalk("slots", settings, taker.take, {})
    driver.accept(frozenset({Place(1, "royal9")}))
    return await _measured(line, driver, taker, heard, lambda: acceptor.happen(1, 1))


async def _shoe(folder: Path) -> tuple[list[float], list[float]]:
    twin, taker = AngelEyeTwin(), _Taker()
    line = TwinLine(folder / "shoe", twin)
    settings = msgspec.convert({"port": str(line.path)}, AngelEyeSettings)
    driver = AngelEye("shoe", settings, taker.take, {})
    cards = cycle([(hand, index) for index in (1, 2, 3) for hand in (PLAYER, BANKER)])

    def deal() -> None:
        hand, index = next(cards)
        if (hand, index) == (PLAYER, 1):
            line.send(twin.begin())
        line.send(twin.deal(hand, index, "9H"))

    return await _measured(line, driver, taker, [], deal)


def _noting(heard: list[float]) -> Callable[[bytes], None]:
    return lambda _: heard.append(time.perf_counter())


# -- cost --


def _costs(folder: Path) -> list[Figure | Note]:
    """The CPU of this process, with the boards in another."""
    path = folder / "boards"
    command = [sys.executable, "-m", "bench.devices", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as boards:
        if boards.stdout is None or boards.stdout.readline() != "ready\n":
            raise RuntimeError("the boards did not come up")
        ours = asyncio.run(_busy(_polling(str(path), lamps=True)))
        bare = asyncio.run(_busy(_polling(str(path), lamps=False)))
        theirs = asyncio.run(_busy(_pymodbus(str(path))))
        boards.terminate()
    return [
        Note(f"Three boards, 19 inputs, polled every {POLL_MS} ms for {BUSY_SECONDS:g} s; 18 lamps that blink:"),
        Figure("modbus driver: of one core", ours * 100, "%", MOST_CORE * 100),
        Figure("modbus driver: CPU of a cycle", ours * POLL_MS * 1000, " µs"),
        Figure("modbus driver, no lamps: of one core", bare * 100, "%"),
        Figure("pymodbus client, no lamps: of one core", theirs * 100, "%"),
        Figure("modbus driver / pymodbus client, no lamps", bare / theirs, "x"),
    ]


async def _busy(work: Awaitable[None]) -> float:
    """How much of a core is used while something works."""
    task = asyncio.ensure_future(work)
    await asyncio.sleep(1)  # until it is under way
    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.sleep(BUSY_SECONDS)
    used = (time.process_time() - cpu) / (time.perf_counter() - began)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return used


async def _polling(path: str, *, lamps: bool) -> None:
    taker = _Taker()
    driver = Modbus("rail", _boards(path, lamps=lamps, boards=3), taker.take, {})
    driver.show({Place(position, wager): "invite" for position in range(1, POSITIONS + 1) for wager in _WAGERS})
    await driver.run()


async def _pymodbus(path: str) -> None:
    client = AsyncModbusSerialClient(path, baudrate=115200, timeout=0.2, retries=1)
    await client.connect()
    due = time.monotonic()
    try:
        while True:
            for board in (1, 2, 3):
                reply = await client.read_discrete_inputs(0, count=7, device_id=board)
                if reply.isError():
                    raise RuntimeError(f"board {board}: {reply}")
            due = max(due + POLL_MS / 1000, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
    finally:
        client.close()


_WAGERS = ("royal9", "harmony")


def _boards(path: str, *, lamps: bool, boards: int, **changes: object) -> ModbusSettings:
    places = [{"position": position, "wager": wager} for wager in _WAGERS for position in range(1, POSITIONS + 1)]
    made: list[dict[str, Any]] = []
    for number in range(boards):
        mine = [{"at": at, **place} for at, place in enumerate(places[number * 6 : number * 6 + 6])]
        button = [{"at": 6, "button": True}] if number == 0 else []
        made.append(
            {"id": f"b{number}", "address": number + 1, "inputs": mine + button, "lamps": mine if lamps else []}
        )
    settings = {"port": path, "baudrate": 115200, "poll_ms": POLL_MS, "boards": made, **changes}
    return msgspec.convert(settings, ModbusSettings)


def _p99(taken: Sequence[float]) -> float:
    return sorted(taken)[int(len(taken) * 0.99)]


async def _serve(path: Path) -> None:
    """The boards, in a process of their own, until it is ended."""
    line = TwinLine(path, Bus([Board(number) for number in (1, 2, 3)], time.monotonic))
    line.plug()
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
