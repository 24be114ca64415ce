"""Thirty-two devices at once, each waiting until its wager is durable and the broker has it: by jackpotd, by others.

Run as a process of its own, `python -m bench.service_rivals FOLDER PORT BLOCKS`, so that a library can be loaded before
it. It prints as JSON how many wagers a second each variant takes, the median of its blocks.

The table has 18 sensors. Whichever of the devices comes next to one of them turns it over: a chip is laid, or lifted.
"""

import asyncio
import gc
import json
import statistics
import sys
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from bench.play import NEVER, POSITIONS, WAGERS, NoLines, Play, vault
from bench.rival import Rival
from bench.script import Script
from controller.clock import WallClock
from controller.core.inputs import Input, WagerAbsent, WagerPresent
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Engine
from controller.journal.rows import Entry, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.mqtt import Connection, Said, connection, end
from controller.outlets.broker import Broker
from controller.outlets.heads import Identity
from controller.wire.broker import MqttSettings

DEVICES = 32
BLOCK_SECONDS = 0.7
PLACES = [(position, wager) for position in range(1, POSITIONS + 1) for wager in WAGERS]
OURS, DURABLE = "jackpotd", "jackpotd durable"  # durable and with the broker; durable, whatever the broker has
ES_LOOP, ES_THREAD, SCRIPT = "eventsourcing", "eventsourcing thread", "script"


class Variant(Protocol):
    """One way to do it."""

    async def block(self, seconds: float) -> dict[str, float]:
        """Wagers a second, by what is counted."""


# -- jackpotd --


class ToldEngine(Engine):
    """The engine, which also lets devices wait for what the broker has acknowledged."""

    told: asyncio.Event

    def handed_on(self, seq: int) -> None:
        """Facts up to this one are with the broker: whoever waits may look."""
        super().handed_on(seq)
        self.told.set()
        self.told = asyncio.Event()


class Jackpotd:
    """Engine, journal and broker of the service, in this process, said as in production."""

    def __init__(self, path: Path, port: int) -> None:
        self._journal = SqliteJournal(path)
        self._clock = WallClock()
        self._tasks: list[asyncio.Task[None]] = []
        self._play = Play()
        self._engine = ToldEngine(
            State(), self._journal, vault(9), self._clock, NoLines(), committer=self._commit, snapshot_every=NEVER
        )
        self._engine.told = asyncio.Event()
        self._play.heed(self._engine.step(self._play.opening()))
        identity = Identity(site="bench", table=uuid4().hex, epoch=1)  # of which the broker has never heard
        self._broker = Broker(MqttSettings(port=port), identity, self._engine, self._journal, self._clock)
        self._there = dict.fromkeys(PLACES, False)
        self._next = cycle(PLACES)

    async def start(self) -> None:
        """Have the engine and the broker run."""
        self._tasks = [asyncio.create_task(self._engine.run()), asyncio.create_task(self._broker.run())]
        connecting = asyncio.create_task(self._broker.connected.wait())
        await asyncio.wait([*self._tasks, connecting], return_when=asyncio.FIRST_COMPLETED)
        for task in self._tasks:
            if task.done():
                task.result()  # raises what ended it

    async def stop(self) -> None:
        """The end."""
        await end(*self._tasks)
        self._journal.close()

    async def block(self, seconds: float) -> dict[str, float]:
        """All devices for a while."""
        until = time.perf_counter() + seconds
        counts = await asyncio.gather(*(self._device(until, told=True) for _ in range(DEVICES)))
        told = sum(counts) / seconds
        until = time.perf_counter() + seconds
        counts = await asyncio.gather(*(self._device(until, told=False) for _ in range(DEVICES)))
        return {OURS: told, DURABLE: sum(counts) / seconds}

    async def _device(self, until: float, *, told: bool) -> int:
        count = 0
        while True:
            answer = await self._engine.submit(self._turned(next(self._next)))
            if not answer.ok or not answer.seq:
                raise RuntimeError(f"a wager was not taken: {answer}")
            while told and self._broker.said_up_to < answer.seq:
                await self._engine.told.wait()
            if time.perf_counter() > until:
                return count
            count += 1

    def _turned(self, place: tuple[int, str]) -> Input:
        self._there[place] = not self._there[place]
        kind = WagerPresent if self._there[place] else WagerAbsent
        return kind(at=stamp(self._clock.now()), position=place[0], wager=place[1])

    def _commit(self, entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> object:
        head = self._journal.append(entries, cursor=cursor, snapshot=snapshot)
        if entries and self._tasks:
            self._broker.committed(head.seq)
        return head


# -- the eventsourcing library --


class EventSourced:
    """The `eventsourcing` library on SQLite, and aiomqtt: an event is saved, then published, by each device itself."""

    def __init__(self, path: Path, broker: Connection, *, in_thread: bool) -> None:
        self._rival = Rival(path)
        self._broker = broker
        self._in_thread = in_thread
        self._turn = asyncio.Lock()  # one aggregate is saved by one at a time
        self._saved = 0

    def close(self) -> None:
        """See that all is there."""
        self._rival.close(self._saved)

    async def block(self, seconds: float) -> dict[str, float]:
        """All devices for a while."""
        until = time.perf_counter() + seconds
        counts = await asyncio.gather(*(self._device(number, until) for number in range(DEVICES)))
        return {ES_THREAD if self._in_thread else ES_LOOP: sum(counts) / seconds}

    async def _device(self, number: int, until: float) -> int:
        count = 0
        while True:
            at = stamp(time.time_ns() // 1000)
            payload = json.dumps({"position": number % POSITIONS + 1, "wager": "royal9", "cents": 500})
            entry = Entry(at, 1, "wager-placed", 1, payload)
            if self._in_thread:
                async with self._turn:
                    await asyncio.to_thread(self._rival.save, [entry])
            else:
                self._rival.save([entry])
            self._saved += 1
            await self._broker.publish(Said(f"rival/{number}", payload.encode()))
            if time.perf_counter() > until:
                return count
            count += 1


class Scripted:
    """A script of threads, which do not know of this loop."""

    def __init__(self, path: Path, port: int) -> None:
        self._script = Script(path, port, DEVICES)

    def close(self) -> None:
        """The end."""
        self._script.close()

    async def block(self, seconds: float) -> dict[str, float]:
        """All devices for a while."""
        return {SCRIPT: await asyncio.to_thread(self._script.block, seconds)}


async def measure(folder: Path, port: int, blocks: int) -> dict[str, float]:
    """All variants in turns."""
    async with connection(MqttSettings(port=port), "rival") as broker:
        ours = Jackpotd(folder / "ours.db", port)
        await ours.start()
        in_loop = EventSourced(folder / "loop.db", broker, in_thread=False)
        in_thread = EventSourced(folder / "thread.db", broker, in_thread=True)
        script = Scripted(folder / "script.db", port)
        variants: list[Variant] = [ours, in_loop, in_thread, script]
        gc.freeze()
        found: dict[str, list[float]] = {}
        for number in range(blocks + 1):
            for variant in variants:
                for name, rate in (await variant.block(BLOCK_SECONDS)).items():
                    if number:  # the first is for caches
                        found.setdefault(name, []).append(rate)
        script.close()
        in_thread.close()
        in_loop.close()
        await ours.stop()
    return {name: statistics.median(rates) for name, rates in found.items()}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))))
