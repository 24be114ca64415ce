"""What a table says over a real Mosquitto: to the cent, in order, and again after the broker was gone."""

import asyncio
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from msgspec import json

from controller.core import inputs
from controller.core.effects import Effect
from controller.core.phases import Phase
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Engine
from controller.journal.rows import Entry, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.mqtt import Connection, connection, end
from controller.outlets.broker import FACTS_TOGETHER, Broker
from controller.outlets.heads import Identity, RolledBackError
from controller.outlets.messages import retained
from controller.wire.broker import MqttSettings
from tests.core.play import BEGIN, DEALER, FLOOR, MINI, vault
from tests.outlets.brokers import Mosquitto, needs_mosquitto
from tests.wire.validating import check

pytestmark = needs_mosquitto
BASE = "jackpot/valley-forge/mb-07"
STRANGE = "awards/mb-07-1-1"  # left there by nobody knows whom
PROBE = "probe"  # said by tests, to see whether the sign hears
MINOR = {"player": ("KS", "9S"), "banker": ("2H", "3D")}


class Clock:
    def __init__(self) -> None:
        self.at = BEGIN

    def now(self) -> int:
        self.at += 1000
        return self.at

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class NoLines:
    def release(self, effects: Sequence[Effect], state: State) -> None:
        pass

    def faulted(self, why: str) -> None:
        pass


class Sign:
    """Someone who subscribes to everything of a table, and keeps the newest of each topic and every fact."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.topics: dict[str, dict[str, Any]] = {}
        self.facts: list[int] = []
        self.batches: list[list[int]] = []
        self.statuses: list[tuple[str, str]] = []
        self.probes: set[bytes] = set()
        self.meters: list[int] = []  # what the Mega showed, one after the other

    async def run(self) -> None:
        """Listen with Mosquitto's own client, which comes back by itself when the broker does."""
        command = ["mosquitto_sub", "-p", str(self._port), "-q", "1", "-t", f"{BASE}/#", "-F", "%t\t%p", "-k", "5"]
        while True:
            listening = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=DEVNULL, limit=2**20)
            try:
                assert listening.stdout is not None
                while line := await listening.stdout.readline():
                    topic, _, payload = line.rstrip(b"\n").partition(b"\t")
                    self._take(topic.decode().removeprefix(f"{BASE}/"), payload)
                await listening.wait()
                await asyncio.sleep(0.05)
            finally:
                if listening.returncode is None:
                    listening.kill()
                    await listening.wait()

    def _take(self, topic: str, payload: bytes) -> None:
        if topic == PROBE:
            self.probes.add(payload)
            return
        if not payload:
            self.topics.pop(topic, None)
            return
        if topic != STRANGE:
            check(topic, payload)
        told = json.decode(payload)
        if topic == "events":
            last = self.facts[-1] if self.facts else 0
            batch = [fact["seq"] for fact in told["facts"] if fact["seq"] > last]  # as every consumer does
            self.batches.append(batch)
            self.facts += batch
        self.topics[topic] = told
        if topic == "status":
            self.statuses.append((told["state"], told["reason"]))
        if topic == "meters/royal9-mega":
            self.meters.append(told["display_cents"])


class Table:
    """An engine on a journal, with a broker told of every commit."""

    def __init__(self, path: Path, port: int, **mqtt: Any) -> None:  # noqa: ANN401 -- settings
        self.journal = SqliteJournal(path)
        self.clock = Clock()
        self.engine = Engine(load(self.journal), self.journal, vault(), self.clock, NoLines(), committer=self._commit)
        settings = MqttSettings(port=port, **mqtt)
        identity = Identity(site="valley-forge", table="mb-07", epoch=4, instance="1")
        self.broker = Broker(settings, identity, self.engine, self.journal, self.clock, connect=self._connect)
        self.may_connect = asyncio.Event()
        self.may_connect.set()
        self._keys = 0

    @asynccontextmanager
    async def _connect(self, *given: Any, **named: Any) -> AsyncIterator[Connection]:  # noqa: ANN401 -- as it comes
        """Connect to the broker, as soon as the test allows it."""
        await self.may_connect.wait()
        async with connection(*given, **named) as broker:
            yield broker

    def _commit(self, entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> object:
        head = self.journal.append(entries, cursor=cursor, snapshot=snapshot)
        self.broker.committed(head.seq)
        return head

    async def do(self, kind: type[inputs.Input], **parts: object) -> None:
        self._keys += 1
        if "key" in kind.__struct_fields__ and parts.get("source", "console") == "console":
            parts["key"] = f"key-{self.journal.head().seq}-{self._keys}"
        self.clock.at += 5_000_000
        answer = await self.engine.submit(kind(**{"at": stamp(self.clock.at), **parts}))  # type: ignore[arg-type]
        assert answer.ok, answer

    async def open(self) -> None:
        await self.do(inputs.SubmissionChanged, toml=MINI, day="2026-11-16", reason="new")
        for position in range(1, 10):
            await self.do(inputs.WagerAbsent, position=position, wager="royal9")
        await self.do(inputs.TableOpened, by=DEALER)

    async def round(self) -> None:
        for position in (1, 2):
            await self.do(inputs.WagerPresent, position=position, wager="royal9")
        await self.do(inputs.Button)
        for position in (1, 2):
            await self.do(inputs.WagerAbsent, position=position, wager="royal9")
        await self.do(inputs.Button)

    def said(self) -> dict[str, Any]:
        """What ought to be retained now, apart from where it stands."""
        found = retained(self.engine.state, 4).items()
        return {topic: plain(json.decode(json.encode(message))) for topic, message in found}


def plain(message: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name not in {"seq", "at"}}


@asynccontextmanager
async def running(path: Path, port: int, **mqtt: Any) -> AsyncIterator[Table]:  # noqa: ANN401 -- settings
    table = Table(path, port, **mqtt)
    tasks = [asyncio.create_task(table.engine.run()), asyncio.create_task(table.broker.run())]
    try:
        yield table
    finally:
        table.broker.close("offline", "stopped")
        await asyncio.wait(tasks[1:], timeout=20)
        await end(*tasks)
        table.journal.close()
    (ended,) = await asyncio.gather(tasks[1], return_exceptions=True)
    assert ended is None or isinstance(ended, asyncio.CancelledError), ended


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not true():
            await asyncio.sleep(0.005)


def with_a_broker(tmp_path: Path, scene: Callable[[Mosquitto, Sign], Awaitable[None]]) -> None:
    async def main() -> None:
        broker = Mosquitto(tmp_path)
        await broker.start()
        sign = Sign(broker.port)
        watching = asyncio.create_task(sign.run())
        try:
            async with asyncio.timeout(90):
                await hears(broker, sign)  # what is said to nobody is not said again
                await scene(broker, sign)
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            broker.close()

    asyncio.run(main())


async def publish(broker: Mosquitto, topic: str, payload: str, *more: str) -> None:
    """Say something retained, as somebody else."""
    command = ["mosquitto_pub", "-p", str(broker.port), "-q", "1", "-r", "-t", topic, "-m", payload, *more]
    saying = await asyncio.create_subprocess_exec(*command)
    assert await saying.wait() == 0


async def hears(broker: Mosquitto, sign: Sign) -> None:
    """Wait until the sign is subscribed."""
    word = str(uuid4())
    await publish(broker, f"{BASE}/{PROBE}", word)
    await until(lambda: word.encode() in sign.probes)


def shown(sign: Sign) -> dict[str, Any]:
    return {
        topic: plain(told) for topic, told in sign.topics.items() if topic not in {"status", "events", "journal/head"}
    }


def test_everything_is_said_and_follows_the_table_to_the_cent(tmp_path: Path) -> None:
    async def scene(broker: Mosquitto, sign: Sign) -> None:
        async with running(tmp_path / "t.db", broker.port) as table:
            await table.open()
            for _ in range(3):
                await table.round()
                await until(lambda: shown(sign) == table.said())
            await table.do(inputs.WagerPresent, position=1, wager="royal9")
            await table.do(inputs.Button)
            await table.do(inputs.HandComplete, **MINOR, source="shoe")
            await until(lambda: shown(sign) == table.said())
            (award,) = table.engine.state.pending()
            assert sign.topics[f"awards/{award.id}"]["amount_cents"] == award.amount_cents
            await table.do(inputs.AwardValidated, by=FLOOR, award=award.id, method="slip", base_wager=True)
            await until(lambda: f"awards/{award.id}" not in sign.topics)
            await until(lambda: sign.facts == list(range(1, table.journal.head().seq + 1)))
            assert max(map(len, sign.batches)) <= FACTS_TOGETHER
            assert sign.meters == sorted(sign.meters)
            assert sign.topics["status"]["state"] == "online"
            assert sign.topics["status"]["epoch"] == 4

    with_a_broker(tmp_path, scene)


def test_after_the_broker_was_gone_all_is_said_again_and_no_fact_is_missing(tmp_path: Path) -> None:
    async def scene(broker: Mosquitto, sign: Sign) -> None:
        async with running(tmp_path / "t.db", broker.port) as table:
            await table.open()
            await until(lambda: shown(sign) == table.said())
            await until(lambda: sign.facts[-1:] == [table.journal.head().seq])
            for _ in range(2):
                table.may_connect.clear()
                broker.kill()
                sign.topics.clear()
                for _ in range(12):
                    await table.round()
                await broker.start()
                await hears(broker, sign)
                table.may_connect.set()
                await until(lambda: shown(sign) == table.said() and "status" in sign.topics)
                await until(lambda: sign.facts[-1:] == [table.journal.head().seq])
            assert sign.facts == list(range(1, table.journal.head().seq + 1))
            await until(lambda: table.broker.said_up_to == table.journal.head().seq)
            assert table.engine.state.phase is Phase.OPEN  # within the grace

    with_a_broker(tmp_path, scene)


def test_a_frozen_broker_faults_the_table_after_the_grace_and_is_forgiven(tmp_path: Path) -> None:
    async def scene(broker: Mosquitto, sign: Sign) -> None:
        async with running(tmp_path / "t.db", broker.port, grace_s=1) as table:
            await table.open()
            await until(lambda: shown(sign) == table.said())
            broker.signal(signal.SIGSTOP)
            await until(lambda: table.engine.state.phase is Phase.FAULTED)
            assert table.engine.state.devices["broker"].lost
            broker.signal(signal.SIGCONT)
            await until(lambda: table.engine.state.phase is Phase.OPEN)
            await until(lambda: shown(sign) == table.said() and sign.topics["status"]["state"] == "online")

    with_a_broker(tmp_path, scene)


def test_a_broker_that_comes_and_goes_is_one_that_is_gone(tmp_path: Path) -> None:
    async def scene(broker: Mosquitto, sign: Sign) -> None:
        async with running(tmp_path / "t.db", broker.port, grace_s=3) as table:
            await table.open()
            await until(lambda: shown(sign) == table.said())
            outages = 0
            while table.engine.state.phase is not Phase.FAULTED:  # none of them is as long as the grace
                broker.kill()
                await until(lambda: not table.broker.connected.is_set())
                await broker.start()
                await until(table.broker.connected.is_set)
                outages += 1
                assert outages < 20
            assert table.engine.state.devices["broker"].lost
            await until(lambda: table.engine.state.phase is Phase.OPEN)
            await until(lambda: shown(sign) == table.said())

    with_a_broker(tmp_path, scene)


def test_a_broker_that_is_not_there_at_the_start_is_waited_for(tmp_path: Path) -> None:
    async def scene(broker: Mosquitto, sign: Sign) -> None:
        broker.kill()
        async with running(tmp_path / "t.db", broker.port, grace_s=0) as table:
            await until(lambda: table.engine.state.phase is Phase.FAULTED)
            await broker.start()
            await until(lambda: table.engine.state.phase is not Phase.FAULTED)
            await table.open()
            await until(lambda: shown(sign) == table.said())

    with_a_broker(tmp_path, scene)


def test_a_journal_that_is_behind_the_broker_is_refused(tmp_path: Path) -> None:
    async def scene(broker: Mosquitto, _: Sign) -> None:
        async with running(tmp_path / "t.db", broker.port) as table:
            await table.broker.connected.wait()
            await table.open()
        async with running(tmp_path / "t.db", broker.port) as table:  # says its head at the start
            await table.broker.connected.wait()
        other = Table(tmp_path / "other.db", broker.port)
        with pytest.raises(RolledBackError, match="the disk was set back"):
            await other.broker.run()
        other.journal.close()
        longer = Table(tmp_path / "longer.db", broker.port)
        playing = asyncio.create_task(longer.engine.run())
        await longer.open()
        await longer.round()
        with pytest.raises(RolledBackError, match="another journal"):
            await longer.broker.run()
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        longer.journal.close()

    with_a_broker(tmp_path, scene)


def test_awards_settled_while_nobody_could_say_so_are_cleared_at_the_next_connection(tmp_path: Path) -> None:
    async def scene(broker: Mosquitto, sign: Sign) -> None:
        await publish(broker, f"{BASE}/{STRANGE}", '{"award":"mb-07-1-1"}')
        await until(lambda: STRANGE in sign.topics)
        async with running(tmp_path / "t.db", broker.port) as table:
            await table.open()
            await until(lambda: shown(sign) == table.said())

    with_a_broker(tmp_path, scene)


def test_the_end_is_said_whether_it_was_planned_or_not(tmp_path: Path) -> None:
    async def scene(broker: Mosquitto, sign: Sign) -> None:
        async with running(tmp_path / "t.db", broker.port) as table:
            await table.open()
            await until(lambda: sign.topics.get("status", {}).get("state") == "online")
        await until(lambda: (sign.topics["status"]["state"], sign.topics["status"]["reason"]) == ("offline", "stopped"))
        async with running(tmp_path / "t.db", broker.port):
            await until(lambda: sign.topics["status"]["state"] == "online")
            seen = len(sign.statuses)
            # As if the line were cut: for another client of that name the broker closes the first, and does its will.
            await publish(broker, "elsewhere", "x", "-i", "jackpotd-valley-forge-mb-07-1")
            await until(lambda: ("offline", "lost") in sign.statuses[seen:])
            await until(lambda: sign.topics["status"]["state"] == "online")

    with_a_broker(tmp_path, scene)


def test_a_meter_that_falls_without_a_hit_says_which_fact_made_it(tmp_path: Path) -> None:
    async def scene(broker: Mosquitto, sign: Sign) -> None:
        async with running(tmp_path / "t.db", broker.port) as table:
            await table.open()
            await table.do(inputs.WagerPresent, position=1, wager="royal9")
            await table.do(inputs.Button)
            await until(lambda: shown(sign) == table.said())
            await table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
            seq = table.journal.head().seq
            await until(lambda: sign.topics["meters/royal9-mega"].get("correction") == seq)

    with_a_broker(tmp_path, scene)
