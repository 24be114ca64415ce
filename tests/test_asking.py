"""Commands over a real broker: asked and answered, asked again where nobody answers, and over where the broker is."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec import json

from controller.asking import TRIES, Client, NoReplyError
from controller.core.times import stamp
from controller.mqtt import BrokerError, Heard, Said, connection, end
from controller.wire import topics
from controller.wire.broker import MqttSettings
from controller.wire.commands import LoginReply, OperatorsReply, TableReply
from tests.commands.desks import PIN, Clock, Desk, run
from tests.outlets.brokers import Mosquitto, needs_mosquitto

pytestmark = needs_mosquitto
BASE = topics.base("valley-forge", "mb-07")
Answer = Callable[[Heard], Awaitable[Said | None]]


@asynccontextmanager
async def broker(folder: Path) -> AsyncIterator[tuple[Mosquitto, MqttSettings]]:
    found = Mosquitto(folder)
    await found.start()
    try:
        yield found, MqttSettings(port=found.port, user="console")
    finally:
        found.close()


@asynccontextmanager
async def answering(settings: MqttSettings, answer: Answer) -> AsyncIterator[None]:
    """Someone who answers commands, as the controller would."""
    async with connection(settings, "controller") as heard:
        await heard.subscribe([f"{BASE}/{topics.COMMANDS}"])

        async def serve() -> None:
            while True:
                said = await answer(await heard.hear())
                if said is not None:
                    await heard.publish(said)

        serving = asyncio.create_task(serve())
        try:
            yield
        finally:
            await end(serving)


def of(desk: Desk) -> Answer:
    """The table itself."""

    async def answer(heard: Heard) -> Said | None:
        *_, client, name = heard.topic.split("/")
        replied = await desk.commands.answer(client, name, heard.payload, retained=heard.retained)
        return Said(f"{BASE}/{topics.reply(client, replied[0])}", replied[1]) if replied else None

    return answer


class Now(Clock):
    """The time tests play at, which a client must agree with."""

    def text(self) -> str:
        return stamp(self.now())


def test_a_command_goes_out_and_its_reply_comes_back(tmp_path: Path) -> None:
    async def main() -> None:
        clock = Now()
        with Desk(tmp_path / "journal.db", clock) as desk:
            await desk.install().staff()
            async with (
                broker(tmp_path) as (_, settings),
                answering(settings, of(desk)),
                Client(settings, "valley-forge", "mb-07", now=clock.text) as client,
            ):
                login = await client.ask("login", operator="dee", pin=PIN)
                assert isinstance(login, LoginReply)
                assert isinstance(login.token, str)
                opened = await client.ask("open-table", token=login.token)
                assert isinstance(opened, TableReply)
                assert (opened.ok, opened.phase) == (True, "open")
                refused = await client.ask("open-table", token=login.token)
                assert (refused.ok, refused.error) == (False, "wrong-phase")
                many = await asyncio.gather(*(client.ask("login", operator="aud", pin=PIN) for _ in range(8)))
                assert len({each.token for each in many if isinstance(each, LoginReply)}) == 8
                token = await desk.token("aud")
                operators = await client.ask("query-operators", token=token, limit=2)
                assert isinstance(operators, OperatorsReply)
                assert operators.next == "aud"

    run(main())


@pytest.mark.parametrize(("lost", "heard"), [(TRIES - 1, True), (TRIES, False)])
def test_a_command_that_gets_lost_is_sent_again_with_the_same_id(tmp_path: Path, lost: int, heard: bool) -> None:
    async def main() -> None:
        clock, payloads = Now(), list[bytes]()
        with Desk(tmp_path / "journal.db", clock) as desk:
            await desk.install().staff()
            token = await desk.token("dee")

            async def forgetful(message: Heard) -> Said | None:
                payloads.append(message.payload)
                return await of(desk)(message) if len(payloads) > lost else None

            # Where the last try is answered, that must not take longer; where none is, nothing is waited for.
            reply_seconds = 2.0 if heard else 0.3
            async with (
                broker(tmp_path) as (_, settings),
                answering(settings, forgetful),
                Client(settings, "valley-forge", "mb-07", now=clock.text, reply_seconds=reply_seconds) as client,
            ):
                if heard:
                    assert (await client.ask("open-table", token=token)).ok
                else:
                    with pytest.raises(NoReplyError, match="see that the controller runs, and that the broker lets"):
                        await client.ask("open-table", token=token)
                    while len(payloads) < TRIES:  # the broker brings the last one when it can
                        await asyncio.sleep(0.01)
        assert len(payloads) == TRIES
        assert len({json.decode(payload)["id"] for payload in payloads}) == 1

    run(main())


def test_a_broker_that_dies_ends_all_that_wait(tmp_path: Path) -> None:
    async def main() -> None:
        async with broker(tmp_path) as (found, settings), Client(settings, "valley-forge", "mb-07") as client:
            waiting = [asyncio.create_task(client.ask("open-table")) for _ in range(3)]
            await asyncio.sleep(0.2)
            found.kill()
            for each in waiting:
                with pytest.raises(BrokerError):
                    await each
            with pytest.raises(BrokerError):
                await client.ask("open-table")

    run(main())


def test_without_a_broker_there_is_no_client(tmp_path: Path) -> None:
    async def main() -> None:
        settings = MqttSettings(port=Mosquitto(tmp_path).port, user="console")
        with pytest.raises(BrokerError):
            await Client(settings, "valley-forge", "mb-07").__aenter__()

    run(main())


def test_a_client_has_a_name() -> None:
    with pytest.raises(ValueError, match="a client has a name"):
        Client(MqttSettings(), "valley-forge", "mb-07")
    assert Client(MqttSettings(), "valley-forge", "mb-07", name="staff").name == "staff"


def test_a_reply_that_is_none_is_told_as_such(tmp_path: Path) -> None:
    async def main() -> None:
        async def nonsense(heard: Heard) -> Said | None:
            *_, client, _ = heard.topic.split("/")
            return Said(f"{BASE}/{topics.reply(client, json.decode(heard.payload)['id'])}", b"[]")

        async with (
            broker(tmp_path) as (_, settings),
            answering(settings, nonsense),
            Client(settings, "valley-forge", "mb-07") as client,
        ):
            with pytest.raises(NoReplyError, match="is not one this version knows"):
                await client.ask("open-table")

    run(main())
