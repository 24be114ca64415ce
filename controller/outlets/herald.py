"""A word for the signs while there is no table yet: it cannot start, or its journal cannot be written."""

from collections.abc import Callable
from contextlib import suppress

from msgspec import json

from controller.core.times import stamp
from controller.engine import Clock
from controller.mqtt import BrokerError, Connect, Connection, Said, connection
from controller.outlets.broker import RETRY_SECONDS, STATUS_SECONDS
from controller.outlets.heads import Identity, another_speaks, is_kept, kept_by, not_below
from controller.wire import topics
from controller.wire.broker import MqttSettings
from controller.wire.messages import Status


async def lament(  # noqa: PLR0913 -- where, who, what
    settings: MqttSettings,
    identity: Identity,
    clock: Clock,
    why: Callable[[], str],
    *,
    password: str | None,
    connect: Connect = connection,
) -> None:
    """Say that the table is faulted, and why, every two seconds until cancelled."""
    while True:
        with suppress(BrokerError):
            async with connect(settings, identity.client, password=password) as broker:
                kept = await kept_by(broker, identity)
                if not is_kept(kept) or not await another_speaks(broker, identity):
                    while True:
                        await _say(broker, identity, clock, kept, why())
                        await clock.sleep(STATUS_SECONDS)
        await clock.sleep(RETRY_SECONDS)


async def announce(  # noqa: PLR0913 -- the same
    settings: MqttSettings,
    identity: Identity,
    clock: Clock,
    why: str,
    *,
    password: str | None,
    connect: Connect = connection,
) -> None:
    """Say once that the table is faulted, and why, if there is a broker to say it to and nobody else keeps it."""
    with suppress(BrokerError):
        async with connect(settings, identity.client, password=password) as broker:
            kept = await kept_by(broker, identity)
            if not is_kept(kept) or not await another_speaks(broker, identity):
                await _say(broker, identity, clock, kept, why)


async def _say(broker: Connection, identity: Identity, clock: Clock, kept: dict[str, bytes], why: str) -> None:
    """Where the last status stood, this one stands: what is lower would be dropped by every sign."""
    own = Status(epoch=0, seq=0, at=stamp(clock.now()), state="faulted", reason=why, mode=identity.mode)
    await broker.publish(Said(identity.topic(topics.STATUS), json.encode(not_below(kept, own)), retain=True))
