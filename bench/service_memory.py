"""What the controller holds in memory while thousands of rounds are played, and how fast the whole can play.

The table is that of the demonstration, at full speed. What a controller remembers are the rounds of two gaming days, so
days have to pass: after as many rounds as a busy table plays in one, all clocks are set on to the next day.
"""

import asyncio
import re
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct

from bench.places import python
from bench.play import Play, engine, vault
from bench.report import Figure, Note, progress
from bench.service_days import DAY_SECONDS
from bench.service_table import memory_mb
from controller.asking import Client
from controller.core.state import State as TableState
from controller.demo.children import Child
from controller.demo.configuration import POSITIONS, WAGERS
from controller.demo.pace import Pace
from controller.demo.rights import SITE, STAFF
from controller.demo.staff import Staff
from controller.demo.state import State, held
from controller.demo.summary import counted
from controller.demo.table import DemoTable
from controller.journal.sqlite import SqliteJournal
from controller.mqtt import end
from controller.wire.broker import MqttSettings
from controller.wire.commands import Reply
from drivers.simulated.players import Table

ROUNDS, SOAK_ROUNDS = 10_000, 100_000
ROUNDS_A_DAY = 2400  # a hundred an hour, day and night
LOOK_ROUNDS = 50  # between two looks at the memory
MOST_MB = 100.0
MOST_GROWTH, MOST_GROWTH_MB = 0.05, 3.0  # of the second half over the first: less than either is flat
DEMO_ROUNDS = 300
OWN_SECONDS = 2.0  # for the journal's own rate
TOGETHER = 8  # inputs of a commit: about what one poll brings at full speed
DEMO_TABLE, TABLE = "mb-01", "mb-02"  # that of the demonstration, and one of which the broker has never heard
_SUMMARY = re.compile(r"^([\d,]+) rounds in ([\d,.]+) s", re.MULTILINE)


class Looked(Struct, frozen=True):
    """The memory after so many rounds."""

    rounds: int
    megabytes: float


class Asking:
    """The staff's way to the controller, by the controller's own clock."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def ask(self, name: str, **parts: Any) -> Reply:  # noqa: ANN401 -- the fields of a command
        """Send a command and wait for its reply."""
        return await self._client.ask(name, **parts)


class Days:
    """The days that have been passed over."""

    def __init__(self) -> None:
        self._passed = 0

    def now(self) -> str:
        """The time as the controller has it, for a command."""
        return (datetime.now(UTC) + timedelta(seconds=self._passed * DAY_SECONDS)).isoformat()

    def next(self, child: Child) -> None:
        """Set the controller's clock on, and ours."""
        self._passed += 1
        child.process.send_signal(signal.SIGUSR1)


async def played(folder: Path, port: int, rounds: int, look: Callable[[Looked], None]) -> None:
    """Play so many rounds and look at the memory on the way."""
    settings, pace, days = MqttSettings(port=port), Pace(0), Days()
    with held(folder) as state:
        state.make_credentials({})
        table = DemoTable(TABLE, state, pace, Random(4))
        await table.prepare(settings, {})
        with table.twin.plugged():
            watching = asyncio.create_task(table.watch(settings, None))
            child = await _start(table, state)

            def after(number: int) -> None:
                if number % ROUNDS_A_DAY == 0:
                    days.next(child)
                if number % LOOK_ROUNDS == 0:
                    look(Looked(number, memory_mb(child.process.pid)))

            try:
                async with Client(settings, SITE, TABLE, name=STAFF, now=days.now) as client:
                    staff = Staff(Asking(client), table.watched, pace)
                    playing = asyncio.create_task(_play(table, staff, rounds, after))
                    await _first(playing, asyncio.create_task(child.ended()))
            finally:
                await child.stop()
                await end(watching)


async def _start(table: DemoTable, state: State) -> Child:
    command = [sys.executable, "-m", "bench.service_days", str(table.config)]
    credentials = {"CREDENTIALS_DIRECTORY": str(state.credentials)}
    return await Child.start("the controller", command, table.folder / "run.log", credentials)


async def _first(*tasks: asyncio.Task[None]) -> None:
    """Wait for the first of them to end, and for what ended it."""
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            task.result()
    finally:
        await end(*tasks)


async def _play(table: DemoTable, staff: Staff, rounds: int, after: Callable[[int], None]) -> None:
    players = Table(POSITIONS, WAGERS, table.twin, Random(5))
    await staff.open_table()
    validating = asyncio.create_task(staff.validate())
    try:
        for number in range(1, rounds + 1):
            table.twin.begin()
            await players.play()
            players.rounds.clear()
            after(number)
            if validating.done():
                validating.result()  # raises what ended it
    finally:
        await end(validating)


def figures(folder: Path, port: int, rounds: int = ROUNDS) -> list[Figure | Note]:
    """The memory over so many rounds."""
    progress(f"service: memory over {rounds:,} rounds")

    found: list[Looked] = []

    def look(looked: Looked) -> None:
        found.append(looked)
        if looked.rounds % (rounds // 5) == 0:
            progress(f"service: {looked.rounds:,} rounds, {looked.megabytes:.0f} MB")

    began = time.perf_counter()
    asyncio.run(played(folder / "days", port, rounds, look))
    seconds = time.perf_counter() - began
    half = len(found) // 2
    first, second = (max(each.megabytes for each in part) for part in (found[:half], found[half:]))
    return [
        Note(
            f"Memory of the controller over {rounds:,} rounds at full speed, {ROUNDS_A_DAY:,} of them a gaming day "
            f"(it remembers two), {rounds / seconds:.0f} rounds a second:"
        ),
        Figure("memory after the first rounds", found[0].megabytes, " MB"),
        Figure("memory at most, first half", first, " MB"),
        Figure("memory at most, second half", second, " MB", MOST_MB),
        Figure("second half above the first", second - first, " MB", max(MOST_GROWTH_MB, MOST_GROWTH * first)),
    ]


def sustained(folder: Path, port: int) -> list[Figure | Note]:
    """`jackpotd demo` as fast as it can, beside the journal's own rate."""
    progress("service: full speed")
    state = folder / "demo"
    arguments = ["--speed", "0", "--rounds", str(DEMO_ROUNDS), "--state", str(state), "--seed", "3"]
    before = [_own_rate(folder / f"own-{together}.db", together) for together in (1, TOGETHER)]
    said = python("-m", "controller", "demo", *arguments, "--broker", f"127.0.0.1:{port}")
    after = [_own_rate(folder / f"own-{together}-again.db", together) for together in (1, TOGETHER)]
    summary = _SUMMARY.search(said)
    if summary is None:
        raise RuntimeError(f"the demonstration ended without a summary:\n{said}")
    seconds = float(summary[2].replace(",", ""))
    total = counted(state / DEMO_TABLE / "journal.db", 0)
    singly, together = (sum(each) / 2 for each in zip(before, after, strict=True))
    facts = total.facts / seconds
    return [
        Note(
            f"jackpotd demo --speed 0 --rounds {DEMO_ROUNDS}, over the broker, beside the engine on its journal alone:"
        ),
        Figure("whole table: rounds a second", total.rounds / seconds, ""),
        Figure("whole table: wagers a second", total.wagers / seconds, ""),
        Figure("whole table: facts a second", facts, ""),
        Figure("engine and journal alone, 1 at a time: facts a second", singly, ""),
        Figure(f"engine and journal alone, {TOGETHER} at a time: facts a second", together, ""),
        Figure("whole table / engine and journal alone, 1 at a time", facts / singly, "x"),
        Figure(f"whole table / engine and journal alone, {TOGETHER} at a time", facts / together, "x"),
    ]


def _own_rate(path: Path, together: int) -> float:
    """Facts a second of the engine and its journal, with nobody to tell."""
    play = Play()
    with SqliteJournal(path) as journal:
        own = engine(TableState(), journal, vault(9), play)
        play.heed(own.step(play.opening()))
        first, began = own.state.seq, time.perf_counter()
        while time.perf_counter() - began < OWN_SECONDS:
            inputs = play.round()
            for at in range(0, len(inputs), together):
                play.heed(own.step(inputs[at : at + together]))
        return (own.state.seq - first) / (time.perf_counter() - began)
