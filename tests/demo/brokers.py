"""A demonstration's broker in a test, and clients of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiomqtt

from controller.demo.broker import LOOPBACK, LoopbackBroker, Told, quiet
from controller.demo.rights import RIGHTS, SITE

BASE = f"jackpot/{SITE}/mb-01"
PASSWORDS = {user: f"password of {user}" for user in RIGHTS}


@asynccontextmanager
async def broker(kind: type[LoopbackBroker] = LoopbackBroker) -> AsyncIterator[LoopbackBroker]:
    """A broker on a port of its own."""
    quiet()
    running = kind(Told(passwords=PASSWORDS))
    await running.start()
    try:
        yield running
    finally:
        await running.shutdown()


def client(at: LoopbackBroker, user: str, password: str | None = None) -> aiomqtt.Client:
    """A client of a user, with that user's password unless another is given."""
    return aiomqtt.Client(LOOPBACK, at.port, username=user, password=password or PASSWORDS.get(user, ""), timeout=20)


async def heard(client_: aiomqtt.Client, until: str) -> list[tuple[str, bytes]]:
    """What a client gets up to and with a topic."""
    found: list[tuple[str, bytes]] = []
    async with asyncio.timeout(20):
        async for message in client_.messages:
            assert isinstance(message.payload, bytes)
            found.append((str(message.topic), message.payload))
            if str(message.topic) == until:
                return found
    raise AssertionError("the messages ended")
