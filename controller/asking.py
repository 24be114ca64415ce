"""The other end: someone who sends commands to a table over MQTT and waits for the replies."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from msgspec import MsgspecError, json, structs

from controller.mqtt import BrokerError, Connection, Said, connection, end
from controller.wire import topics
from controller.wire.broker import MqttSettings
from controller.wire.commands import REPLIES, REQUESTS, Query, Reply

REPLY_SECONDS = 5.0  # a sign-in waits its turn for two, a commit on a bad disk for one
TRIES = 3  # of one command, with the same id: a broker that was restarted loses what it had not delivered
QUERY_SECONDS = 30.0  # a question may go through years of play; asked twice it takes twice as long


class NoReplyError(Exception):
    """Nobody answered; the message says what to look for."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Client:
    """`async with Client(settings, "valley-forge", "mb-07", password=…) as client:`; then `await client.ask(…)`.

    `settings.user` is the client's name in its topics, as the broker's ACL knows it; `name` is for a broker without
    users. Many may ask at once. A connection that ends raises `BrokerError` for all who wait: make another client.
    """

    def __init__(  # noqa: PLR0913 -- where the broker is, who asks, and two that tests turn
        self,
        settings: MqttSettings,
        site: str,
        table: str,
        *,
        name: str = "",
        password: str | None = None,
        now: Callable[[], str] = _now,
        reply_seconds: float = REPLY_SECONDS,
    ) -> None:
        self.name = name or settings.user
        if not self.name:
            raise ValueError("a client has a name: that of its user at the broker")
        self._settings, self._password = settings, password
        self._base, self._now, self._reply_seconds = topics.base(site, table), now, reply_seconds
        self._waiting: dict[str, asyncio.Future[bytes]] = {}
        self._stack = AsyncExitStack()
        self._broker: Connection | None = None
        self._gone: BrokerError | None = None

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            identifier = f"{self.name}-{uuid4().hex[:8]}"
            opened = connection(self._settings, identifier, password=self._password)
            broker = self._broker = await stack.enter_async_context(opened)
            await broker.subscribe([f"{self._base}/{topics.reply(self.name, '+')}"])
            hearing = asyncio.create_task(self._hear(broker), name="replies")
            stack.push_async_callback(end, hearing)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gone = BrokerError("the client has ended")
        await self._stack.aclose()
        self._fail(self._gone)

    async def ask(self, command: str, *, token: str = "", second: str = "", **fields: Any) -> Reply:  # noqa: ANN401 -- each command's own
        """Send a command and wait for its reply, which may be a refusal. Fields are as in `wire.commands`."""
        type_ = REQUESTS[command]
        request = type_(id=str(uuid4()), at=self._now(), token=token, second=second, **fields)
        reply = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = reply
        asked_once = issubclass(type_, Query)
        try:
            for _ in range(1 if asked_once else TRIES):
                await self._send(command, json.encode(structs.replace(request, at=self._now())))
                done, _ = await asyncio.wait([reply], timeout=QUERY_SECONDS if asked_once else self._reply_seconds)
                if done:
                    return _read(command, reply.result())
        finally:
            del self._waiting[request.id]
            if not reply.cancel() and not reply.cancelled():
                reply.exception()  # asked for, so that asyncio does not complain that nobody did
        raise NoReplyError(
            f"no reply to {command}: see that the controller runs, and that the broker lets {self.name} send it"
        )

    async def _send(self, command: str, payload: bytes) -> None:
        if self._gone is not None:
            raise self._gone
        if self._broker is None:
            raise RuntimeError("a client is used within `async with`")
        await self._broker.publish(Said(f"{self._base}/{topics.command(self.name, command)}", payload))

    async def _hear(self, broker: Connection) -> None:
        try:
            while True:
                heard = await broker.hear()
                waiting = self._waiting.get(heard.topic.rpartition("/")[2])
                if waiting is not None and not waiting.done():
                    waiting.set_result(heard.payload)
        except BrokerError as error:
            self._fail(error)

    def _fail(self, error: BrokerError) -> None:
        self._gone = error
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(error)


def _read(command: str, payload: bytes) -> Reply:
    try:
        return json.decode(payload, type=REPLIES[command])
    except MsgspecError as error:
        raise NoReplyError(f"the reply to {command} is not one this version knows: {error}") from error
