"""A table's end of its link: what it shows, what it forgets, and how soon it knows that the link is gone."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from controller.core import inputs
from controller.core.inputs import DeviceRestored, Input, LinkAnswered
from controller.core.state import Device, Intent, State
from controller.engine import Answer
from controller.link import postgres
from controller.link.memory import MemoryLink
from controller.link.sessions import Identity, LinkLostError, LinkRefusedError, Shown
from controller.outlets.link import (
    LOOK_SECONDS,
    PROVE_SECONDS,
    REFUSED_SECONDS,
    RETRY_SECONDS,
    LinkClient,
    device,
    forgotten,
)
from tests.link.test_memory_link import Linked, seated


def play(scene: Callable[[], Coroutine[None, None, None]]) -> None:
    """Play a scene that does not last for ever, whatever goes wrong."""
    asyncio.run(asyncio.wait_for(scene(), 60))


class Times:
    """A clock that keeps what it was asked to wait."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

        self.seconds = 0.0

    def now(self) -> int:
        return 1_800_000_000_000_000 + int(self.seconds * 1_000_000)

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)


class Memory:
    """A session with a link in memory."""

    def __init__(self, link: MemoryLink) -> None:
        self._link = link
        self.shown: dict[str, Shown] = {}
        self.proofs = self.looks = 0

    async def look(self) -> None:
        self.looks += 1
        self.shown = {
            id_: Shown(len(self._link.lines[id_]), meter, (), "00" * 32) for id_, meter in self._link.meters.items()
        }

    async def prove(self) -> None:
        self.proofs += 1

    async def apply(self, intent: Intent, at: str) -> LinkAnswered:
        answer = self._link.apply(intent, at)
        await self.look()
        return answer


class Engine:
    """Takes inputs one by one, and can hold one back before it is durable."""

    def __init__(self, table: Linked) -> None:
        self.table = table
        self.held: asyncio.Event | None = None
        self.reached = asyncio.Event()

    @property
    def state(self) -> State:
        return self.table.state

    async def submit(self, input_: Input) -> Answer:
        if isinstance(input_, LinkAnswered) and self.held is not None:
            self.reached.set()
            await self.held.wait()
        self.table.now += 1000
        self.table.give(input_)
        return Answer(self.table.state.seq)


def locked_table() -> tuple[Linked, MemoryLink]:
    table, link = seated()
    table.do(inputs.WagerPresent, position=1, wager="harmony")
    table.do(inputs.Button)
    return table, link


def client(table: Linked, link: MemoryLink, **more: Any) -> tuple[LinkClient, Engine]:  # noqa: ANN401 -- as the client has them
    @asynccontextmanager
    async def meet(identity: Identity) -> AsyncIterator[Memory]:
        assert identity.table == "valley-forge/mb-07"
        yield Memory(link)

    engine = Engine(table)
    return LinkClient("bank", meet, engine, Times(), "test", **more), engine  # type: ignore[arg-type]  # as much of an engine as it knows


def amounts(shown: Mapping[str, Shown]) -> dict[str, int]:
    return {id_: each.meter.display_cents for id_, each in shown.items()}


def test_a_link_that_is_gone_is_known_to_be_within_two_seconds() -> None:
    """A look may begin right before the end, and has its whole time to be answered."""
    assert LOOK_SECONDS + postgres.ANSWER_SECONDS < 2


def test_a_display_waits_until_the_answer_is_durable_here() -> None:
    async def scene() -> None:
        table, link = locked_table()
        linked, engine = client(table, link)
        engine.held = asyncio.Event()
        running = asyncio.create_task(linked.run())
        await engine.reached.wait()
        assert link.meters["harmony"].display_cents == 2_500_095  # the link has it
        assert amounts(linked.shown(engine.state)) == {}  # and nobody here was told
        engine.held.set()
        while amounts(linked.shown(engine.state)) != {"harmony": 2_500_095}:
            await asyncio.sleep(0)
        assert not engine.state.intents
        running.cancel()

    play(scene)


def test_it_asks_at_once_when_it_is_woken_and_takes_wagers_only_then() -> None:
    async def scene() -> None:
        table, link = seated()
        told: list[str] = []
        linked, engine = client(table, link, told=told.append)
        await linked.begin()
        assert engine.state.devices[device("bank")].lost
        running = asyncio.create_task(linked.run())
        await linked.heard(5)
        assert not engine.state.devices[device("bank")].lost
        assert told == ["not reached yet", ""]
        table.do(inputs.WagerPresent, position=1, wager="harmony")
        table.do(inputs.Button)
        linked.wake()
        async with asyncio.timeout(LOOK_SECONDS * 10):
            while engine.state.intents:
                await asyncio.sleep(0)
        assert linked.answered == 1
        running.cancel()

    play(scene)


@pytest.mark.parametrize(("error", "pause"), [(LinkLostError, RETRY_SECONDS), (LinkRefusedError, REFUSED_SECONDS)])
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_tables_do_not_all_come_back_at_once(error: type[LinkLostError], pause: float, spread: float) -> None:
    async def scene() -> None:
        table, link = seated()
        times = Times()

        @asynccontextmanager
        async def meet(identity: Identity) -> AsyncIterator[Memory]:
            if identity.table:
                raise error("gone")
            yield Memory(link)

        linked = LinkClient("bank", meet, Engine(table), times, "test", spread=lambda: spread)  # type: ignore[arg-type]  # as above
        running = asyncio.create_task(linked.run())
        while len(times.pauses) < 3:
            await asyncio.sleep(0)
        assert set(times.pauses) == {pause * (1 + spread)}
        assert (linked.reason, linked.losses >= 3) == ("gone", True)
        running.cancel()

    play(scene)


def test_a_link_that_is_no_longer_configured_keeps_no_wager_out() -> None:
    parts = {
        device("old"): Device("link", lost=True, wagers=("harmony",)),
        device("now"): Device("link", lost=True, wagers=("harmony",)),
        device("fine"): Device("link", lost=False),
        "rail": Device("board", lost=True),
    }
    (found,) = forgotten(State(devices=parts), "now", "2026-11-18T01:02:03.000004Z")
    assert isinstance(found, DeviceRestored)
    assert found.device == device("old")
    assert len(forgotten(State(devices=parts), "", "2026-11-18T01:02:03.000004Z")) == 2


def test_a_wager_that_is_not_filed_yet_is_waited_for() -> None:
    async def scene() -> None:
        table, link = seated(links={"heavenly9": "bank"})
        linked, engine = client(table, link)
        running = asyncio.create_task(linked.run())
        for _ in range(20):
            await asyncio.sleep(0)
        assert (linked.meetings, engine.state.devices) == (0, {})
        running.cancel()

    play(scene)


def test_a_ledger_that_ends_before_a_line_that_was_seen_is_refused() -> None:
    async def scene() -> None:
        table, link = locked_table()
        told: list[str] = []
        linked, engine = client(table, link, told=told.append)
        running = asyncio.create_task(linked.run())
        while engine.state.intents or not linked.shown(engine.state):
            await asyncio.sleep(0)
        link.lines["harmony"].clear()  # an older copy
        linked.wake()
        while "was set back" not in linked.reason:
            await asyncio.sleep(0)
        assert engine.state.devices[device("bank")].lost
        running.cancel()

    play(scene)


def test_a_table_that_asks_nothing_proves_now_and_then_that_it_could() -> None:
    async def scene() -> None:
        table, link = seated()
        times, session = Times(), Memory(link)

        @asynccontextmanager
        async def meet(_: Identity) -> AsyncIterator[Memory]:
            yield session

        linked = LinkClient("bank", meet, Engine(table), times, "test")  # type: ignore[arg-type]  # as above
        running = asyncio.create_task(linked.run())
        await linked.heard(5)
        for seconds, proofs in ((PROVE_SECONDS - 0.1, 0), (PROVE_SECONDS, 1), (PROVE_SECONDS + 1, 1)):
            times.seconds = seconds
            looks = session.looks
            linked.wake()
            while session.looks == looks:
                await asyncio.sleep(0)
            assert session.proofs == proofs, seconds
        running.cancel()

    play(scene)
