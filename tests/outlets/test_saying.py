"""What a table says to a broker that loses connections and acknowledgements, on virtual time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from msgspec import json

from controller.core import inputs
from controller.core.times import stamp
from controller.engine import Engine
from controller.journal.rows import Entry, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.mqtt import MOST_WAITING, Connection, Said, end
from controller.outlets.broker import Broker
from controller.outlets.heads import Identity
from controller.outlets.table import TableLines
from controller.simulation.broker import Broker as BrokerInMemory
from controller.wire.broker import MqttSettings
from tests.core.play import DEALER, FLOOR, MINI, SUPERVISOR, SUPERVISOR2, vault
from tests.virtual_time import VirtualClock, run

BASE = "jackpot/valley-forge/mb-07/"
MINOR = {"player": ("KS", "9S"), "banker": ("2H", "3D")}
AWARD = {"method": "slip", "base_wager": True}


class Table:
    """A table that speaks to a broker in memory."""

    def __init__(self, path: Path) -> None:
        loop = asyncio.get_running_loop()
        self.heard: list[Said] = []  # by the broker
        self.broker = BrokerInMemory(loop, Random(1), lambda _life, said: self.heard.append(said))
        self.journal, self.clock = SqliteJournal(path / "table.db"), VirtualClock()
        lines = TableLines(lambda _why: None)
        self.engine = Engine(load(self.journal), self.journal, vault(), self.clock, lines, committer=self._commit)
        self.speaking = Broker(
            MqttSettings(),
            Identity(site="valley-forge", table="mb-07", epoch=1, instance="1"),
            self.engine,
            self.journal,
            self.clock,
            connect=self._connect,
        )
        self._keys = 0

    def _connect(
        self,
        settings: MqttSettings,
        identifier: str,
        *,
        password: str | None = None,
        will: Said | None = None,
        most_waiting: int = MOST_WAITING,
    ) -> AbstractAsyncContextManager[Connection]:
        del password
        return self.broker.connect(settings, identifier, 1, will, most_waiting)

    def _commit(self, entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> object:
        head = self.journal.append(entries, cursor=cursor, snapshot=snapshot)
        self.speaking.committed(head.seq)
        return head

    def retained(self, topic: str) -> dict[str, Any]:
        return dict(json.decode(self.broker.retained[BASE + topic]))

    def awards(self) -> set[str]:
        return {topic.rpartition("/")[2] for topic in self.broker.retained if topic.startswith(f"{BASE}awards/")}

    def pending(self) -> set[str]:
        return {award.id for award in self.engine.state.pending()}

    def facts(self) -> set[int]:
        """All that were told."""
        told = [json.decode(said.payload) for said in self.heard if said.topic == f"{BASE}events"]
        return {fact["seq"] for each in told for fact in each["facts"]}

    async def do(self, kind: type[inputs.Input], **parts: object) -> None:
        self._keys += 1
        if "key" in kind.__struct_fields__ and parts.get("source", "console") == "console":
            parts["key"] = f"key-{self._keys}"
        await asyncio.sleep(5)
        answer = await self.engine.submit(kind(**{"at": stamp(self.clock.now()), **parts}))  # type: ignore[arg-type]
        assert answer.ok, answer

    async def open(self) -> None:
        await self.do(inputs.SubmissionChanged, toml=MINI, day="2026-11-16", reason="new")
        await self.do(inputs.WagerAbsent, position=1, wager="royal9")
        await self.do(inputs.TableOpened, by=DEALER)

    async def hit(self) -> str:
        """Make an award that waits; its id."""
        await self.do(inputs.WagerPresent, position=1, wager="royal9")
        await self.do(inputs.Button)
        await self.do(inputs.HandComplete, **MINOR)
        (award,) = self.pending()
        return award


@asynccontextmanager
async def speaking(path: Path) -> AsyncIterator[Table]:
    table = Table(path)
    tasks = [asyncio.create_task(table.engine.run()), asyncio.create_task(table.speaking.run())]
    try:
        await table.open()
        yield table
    finally:
        table.speaking.close("offline", "stopped")
        await end(*tasks)
        table.journal.close()


def at_a_table(path: Path, scene: Callable[[Table], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with speaking(path) as table:
            await scene(table)

    run(main())


def test_the_status_says_that_the_table_is_faulted_and_why_until_it_is_not(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await asyncio.sleep(5)
        assert (table.retained("status")["state"], table.retained("status")["reason"]) == ("online", "")
        lost = {"device": "left.button", "device_kind": "button", "detail": "it does not answer"}
        await table.do(inputs.DeviceLost, **lost)
        await asyncio.sleep(1)  # at once, and not with the next sign of life
        status = table.retained("status")
        assert (status["state"], status["reason"]) == ("faulted", "left.button: it does not answer")
        await table.do(inputs.DeviceRestored, **lost)
        await asyncio.sleep(1)
        assert table.retained("status")["state"] == "online"

    at_a_table(tmp_path, scene)


def test_who_dies_is_said_to_be_offline_by_the_broker(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await asyncio.sleep(5)
        table.broker.died(1, noticed=True)
        await asyncio.sleep(0.001)
        status = table.retained("status")
        assert (status["state"], status["reason"]) == ("offline", "lost")

    at_a_table(tmp_path, scene)


def test_what_the_broker_had_not_acknowledged_when_it_was_lost_is_told_again(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        for _ in range(3):
            await table.do(inputs.WagerPresent, position=1, wager="royal9")
            table.broker.crash(forgets=True)
            await table.do(inputs.WagerAbsent, position=1, wager="royal9")
            table.broker.up = True
            await asyncio.sleep(10)
            table.broker.partition()  # nothing gets there, and nobody knows yet
            await table.do(inputs.WagerPresent, position=1, wager="royal9")
            await asyncio.sleep(60)
            table.broker.reachable = True
            await table.do(inputs.WagerAbsent, position=1, wager="royal9")
            await asyncio.sleep(60)
        assert table.facts() == set(range(1, table.journal.head().seq + 1))

    at_a_table(tmp_path, scene)


def test_an_award_is_shown_while_it_waits_and_no_longer(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        award = await table.hit()
        await asyncio.sleep(1)
        assert table.awards() == {award}
        await table.do(inputs.AwardValidated, by=FLOOR, award=award, **AWARD)
        await asyncio.sleep(1)
        assert table.awards() == set()

    at_a_table(tmp_path, scene)


def test_an_award_settled_while_the_broker_cannot_be_reached_is_cleared_when_it_can(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        award = await table.hit()
        await asyncio.sleep(1)
        table.broker.partition()
        await table.do(inputs.AwardValidated, by=FLOOR, award=award, **AWARD)
        await asyncio.sleep(60)
        assert table.awards() == {award}
        table.broker.reachable = True
        await asyncio.sleep(60)
        assert table.awards() == set()

    at_a_table(tmp_path, scene)


def test_a_meter_that_was_corrected_downwards_names_the_fact(tmp_path: Path) -> None:
    async def scene(table: Table) -> None:
        await asyncio.sleep(1)
        shown = table.retained("meters/royal9-mega")["display_cents"]
        two = {"by": SUPERVISOR, "second": SUPERVISOR2}
        parts = {"meter": "royal9-mega", "delta_cents": 700, "expected_cents": shown, "reason": "counted"}
        await table.do(inputs.MeterAdjusted, **two, **parts)
        await asyncio.sleep(1)
        assert "correction" not in table.retained("meters/royal9-mega")
        await table.do(inputs.MeterAdjusted, **two, **{**parts, "delta_cents": -500, "expected_cents": shown + 700})
        await asyncio.sleep(1)
        told = table.retained("meters/royal9-mega")
        assert (told["display_cents"], told["correction"]) == (shown + 200, table.journal.head().seq)

    at_a_table(tmp_path, scene)
