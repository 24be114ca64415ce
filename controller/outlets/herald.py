"""A word for the signs while there is no table yet: the journal cannot be opened, and nothing else is known."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from msgspec import json
from msgspec.structs import replace

from controller.core.times import stamp
from controller.engine import Clock
from controller.mqtt import BrokerError, Connection, Said, connection
from controller.outlets.broker import RETRY_SECONDS, STATUS_SECONDS, Identity
from controller.wire import topics
from controller.wire.broker import MqttSettings
from controller.wire.messages import Status

LISTEN_SECONDS = 1.0  # for the last status: a broker that retains one gives it at once


async def lament(
    settings: MqttSettings, identity: Identity, clock: Clock, why: Callable[[], str], *, password: str | None
) -> None:
    """Say that the table is faulted, and why, every two seconds until cancelled."""
    while True:
        with suppress(BrokerError):
            async with connection(settings, identity.client, password=password) as broker:
                last = await _last(broker, identity)
                while True:
                    said = replace(last, at=stamp(clock.now()), state="faulted", reason=why(), mode=identity.mode)
                    await broker.publish(Said(identity.topic(topics.STATUS), json.encode(said), retain=True))
                    await clock.sleep(STATUS_SECONDS)
        await clock.sleep(RETRY_SECONDS)


async def announce(settings: MqttSettings, identity: Identity, clock: Clock, why: str, *, password: str | None) -> None:
    """Say once that the table is faulted, and why, if there is a broker to say it to."""
    with suppress(BrokerError):
        async with connection(settings, identity.client, password=password) as broker:
            said = replace(await _last(broker, identity), at=stamp(clock.now()), reason=why, mode=identity.mode)
            await broker.publish(Said(identity.topic(topics.STATUS), json.encode(said), retain=True))


async def _last(broker: Connection, identity: Identity) -> Status:
    """The last status: where it stood, we stand still. What is lower would be dropped by every sign."""
    topic = identity.topic(topics.STATUS)
    await broker.subscribe([topic])
    last = Status(epoch=0, seq=0, at="", state="faulted")
    with suppress(TimeoutError):
        async with asyncio.timeout(LISTEN_SECONDS):
            heard = await broker.hear()
            with suppress(ValueError):
                known = json.decode(heard.payload, type=Status)
                last = replace(last, epoch=known.epoch, seq=known.seq)
    await broker.unsubscribe([topic])
    return last
