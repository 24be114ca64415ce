"""A connection to an MQTT broker: the one module that knows the library for it.

Everything is QoS 1 on a clean session. A connection lasts until it fails; whoever wants another makes it.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from itertools import islice
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

import aiomqtt

from controller.wire.broker import MqttSettings

KEEPALIVE_SECONDS = 5  # two of these without a word, and the broker says the last will
ANSWER_SECONDS = 3.0  # a broker that has not acknowledged by then is gone
WINDOW = 10  # publishes under way: a broker's own limit is 20
# Messages not yet looked at: minutes of a busy table. Who reads so slowly shows nothing true any more, and those beyond
# are dropped.
MOST_WAITING = 10_000
# Each message goes out at once: otherwise the second of two waits for the broker's answer to the first, up to 40 ms.
_SOCKET = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
CANCEL_SECONDS = 0.2  # until a cancellation that was lost is repeated

# The library speaks of what it drops and of calls under way. We bound both, and say ourselves what matters.
_QUIET = logging.getLogger("mqtt")
_QUIET.addHandler(logging.NullHandler())
_QUIET.propagate = False


class BrokerError(Exception):
    """There is no broker, it refuses us, or it does not answer; the message says which."""


class Said(NamedTuple):
    """Something to be published."""

    topic: str
    payload: bytes
    retain: bool = False


class Heard(NamedTuple):
    """Something that was published. `retained`: before we subscribed."""

    topic: str
    payload: bytes
    retained: bool


class Client(Protocol):
    """What a connection needs of the library. Each call raises an error of its own, or an OSError, once it fails."""

    @property
    def messages(self) -> Any:  # noqa: ANN401 -- messages of the library, one by one
        """Those that come."""

    async def publish(self, topic: str, payload: bytes, qos: int, retain: bool, *, timeout: float) -> Any:  # noqa: ANN401, ASYNC109 -- as the library has it
        """Say something; return when the broker has it."""

    async def subscribe(self, topic: Any, *, timeout: float) -> Any:  # noqa: ANN401, ASYNC109 -- the same
        """Subscribe; the broker's word for each topic."""

    async def unsubscribe(self, topic: list[str], *, timeout: float) -> Any:  # noqa: ANN401, ASYNC109 -- the same
        """Unsubscribe."""


class Connection:
    """What can be done with a broker while it is there; each call raises `BrokerError` once it is not.

    `name` gives a word nobody has said before.
    """

    def __init__(self, client: Client, name: Callable[[], object] = uuid4) -> None:
        self._client = client
        self.name = name

    async def publish(self, said: Said) -> None:
        """Say something, and wait until the broker has it."""
        with _translated():
            await self._client.publish(said.topic, said.payload, 1, said.retain, timeout=ANSWER_SECONDS)

    async def publish_all(self, every: Iterable[Said]) -> None:
        """Say all of it in this order, at most a window of it unacknowledged; returns when the broker has it."""
        waiting = iter(every)
        while part := list(islice(waiting, WINDOW)):
            # Each publish writes to the line before it first waits, so tasks made in an order write in that order.
            ended = await asyncio.gather(*map(self.publish, part), return_exceptions=True)
            for each in ended:
                if isinstance(each, BaseException):
                    raise each

    async def subscribe(self, topics: Sequence[str]) -> None:
        """Hear what is published under these topics."""
        with _translated():
            granted = await self._client.subscribe([(topic, 1) for topic in topics], timeout=ANSWER_SECONDS)
        for topic, code in zip(topics, granted, strict=True):
            if getattr(code, "is_failure", False):
                raise BrokerError(f"the broker refuses to let us subscribe to {topic}: see its ACL")

    async def unsubscribe(self, topics: Sequence[str]) -> None:
        """Hear no more of them."""
        with _translated():
            await self._client.unsubscribe(list(topics), timeout=ANSWER_SECONDS)

    async def hear(self) -> Heard:
        """The next message."""
        with _translated():
            message = await anext(self._client.messages)
        return Heard(str(message.topic), message.payload, message.retain)


class _translated:  # noqa: N801 -- used like a function
    """Errors of the library are ours."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, aiomqtt.MqttError | OSError):
            raise BrokerError(_plain(error)) from error


def _plain(error: BaseException) -> str:
    """What happened, in words that name no part of the library."""
    cause = error.__cause__ or error
    return str(cause).removeprefix("[code:").strip() or type(cause).__name__


class Connect(Protocol):
    """How a connection is made."""

    def __call__(
        self,
        settings: MqttSettings,
        identifier: str,
        *,
        password: str | None = None,
        will: Said | None = None,
        most_waiting: int = MOST_WAITING,
    ) -> AbstractAsyncContextManager[Connection]:
        """A connection, under a name of which the broker knows one at a time."""


@asynccontextmanager
async def connection(
    settings: MqttSettings,
    identifier: str,
    *,
    password: str | None = None,
    will: Said | None = None,
    most_waiting: int = MOST_WAITING,
) -> AsyncIterator[Connection]:
    """A connection, under a name of which the broker knows one at a time."""
    host, port = settings.address()
    last = aiomqtt.Will(will.topic, will.payload, 1, retain=will.retain) if will else None
    client = aiomqtt.Client(
        host,
        port,
        username=settings.user or None,
        password=password if settings.user else None,
        identifier=identifier,
        clean_session=True,
        keepalive=KEEPALIVE_SECONDS,
        timeout=ANSWER_SECONDS,
        will=last,
        tls_context=_tls(settings),
        logger=_QUIET,
        max_inflight_messages=WINDOW,
        socket_options=_SOCKET,
        max_queued_incoming_messages=most_waiting,
    )
    _asked_for(client._disconnected)  # noqa: SLF001 -- there is no other way to it
    with _translated():
        await client.__aenter__()
    _asked_for(client._disconnected)  # noqa: SLF001 -- another one, where a connection ended as it was made
    try:
        yield Connection(client)
    finally:
        with suppress(aiomqtt.MqttError, OSError):
            await client.__aexit__(None, None, None)


def _asked_for(ended: asyncio.Future[None]) -> None:
    """The library keeps why a connection ended, and asyncio complains if nobody asks for it: this always does."""
    ended.add_done_callback(lambda future: future.cancelled() or future.exception())


def _tls(settings: MqttSettings) -> ssl.SSLContext | None:
    if not settings.tls:
        return None
    try:
        context = ssl.create_default_context(cafile=settings.ca or None)
        if settings.certificate:
            context.load_cert_chain(settings.certificate, settings.key)
    except OSError as error:
        named = ", ".join(filter(None, (settings.ca, settings.certificate, settings.key)))
        raise BrokerError(f"the certificates for the broker cannot be used ({named}): {error}") from error
    return context


def raise_first(*tasks: asyncio.Task[None]) -> None:
    """Raise what the first of these failed with. The others are asked too, or asyncio complains that nobody did."""
    failures = [task.exception() for task in tasks if task.done() and not task.cancelled()]
    for failure in failures:
        if failure is not None:
            raise failure


async def end(*tasks: asyncio.Task[None]) -> None:
    """Cancel tasks until they have ended.

    Before Python 3.12 `asyncio.wait_for`, which the library uses, loses a cancellation that meets an answer. So it is
    repeated until it is heard.
    """
    while waiting := [task for task in tasks if not task.done()]:
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting, timeout=CANCEL_SECONDS)
