"""The staff's way to the controller: a client of its commands, and another one when the broker was away."""

import asyncio
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

from controller.asking import Client, NoReplyError
from controller.demo.rights import SITE, STAFF
from controller.demo.twins import StalledError
from controller.mqtt import BrokerError
from controller.wire.broker import MqttSettings
from controller.wire.commands import Reply

MOST_TRIES = 10  # of one command: a controller that does not answer ten times, or a broker that is gone, stays away
RETRY_SECONDS = 1.0  # between two attempts at the broker


class Asking:
    """`async with Asking(settings, password, "mb-01") as asks:`; then `await asks.ask(…)`."""

    def __init__(self, settings: MqttSettings, password: str | None, table: str) -> None:
        self._settings = settings
        self._password = password
        self._table = table
        self._client: Client | None = None
        self._stack = AsyncExitStack()
        self._turn = asyncio.Lock()  # one client is made at a time

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def ask(self, name: str, **parts: Any) -> Reply:  # noqa: ANN401 -- the fields of a command
        """Send a command and wait for its reply."""
        why: Exception | None = None
        for _ in range(MOST_TRIES):
            try:
                return await (await self._connected()).ask(name, **parts)
            except (BrokerError, NoReplyError) as error:
                why = error
                await self._lose()
        raise StalledError(f"table {self._table} does not answer {name}: {why}")

    async def _connected(self) -> Client:
        async with self._turn:
            if self._client is None:
                client = Client(self._settings, SITE, self._table, name=STAFF, password=self._password)
                self._client = await self._stack.enter_async_context(client)
            return self._client

    async def _lose(self) -> None:
        async with self._turn:
            self._client = None
            await self._stack.aclose()
        await asyncio.sleep(RETRY_SECONDS)
