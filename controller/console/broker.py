"""The console's one connection to the broker: hears every table, sends people's commands, and comes back for ever."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from msgspec import Struct, json, structs
from structlog.typing import FilteringBoundLogger as Log

from controller.console.live import Live
from controller.console.settings import Settings
from controller.mqtt import BrokerError, Connection, Heard, Said, connection
from controller.wire import topics
from controller.wire.commands import Query, Request

RETRY_SECONDS = 1.0  # between two attempts to reach the broker: a page is to recover within seconds, not minutes
RESEND_SECONDS = 5.0  # a sign-in waits its turn for two, a commit on a bad disk for one
COMMAND_SECONDS = 15.0  # three times that: longer nobody looks at a button they pressed
QUERY_SECONDS = 30.0  # the controller itself gives up after twenty
# Commands not yet answered: the controller takes 64 of one table at once.
MOST_UNDER_WAY = 256
_PUBLIC = (topics.STATUS, topics.meter("+"), topics.proof("+"))
_STAFF = (*_PUBLIC, topics.ROUND, topics.award("+"), topics.device("+"), topics.HEAD)
_BASE_PARTS = topics.base("site", "table").count("/") + 1

Answer = dict[str, Any]


class NoReplyError(Exception):
    """Nobody answered in time; the message says what to look for."""


class UnderWayError(Exception):
    """An id that is under way for someone else, or too many commands at once."""


class _Waiting(Struct):
    """A command under way: whose it is, and its reply to come."""

    owner: str
    request: Request
    reply: "asyncio.Future[Answer]"
    waiting: int = 0


class Broker:
    """Keeps a connection; `run` for ever, and `ask` meanwhile."""

    def __init__(self, settings: Settings, password: str | None, live: Live, log: Log) -> None:
        self._settings = settings
        self._password = password
        self._live = live
        self._log = log
        self._bases = {topics.base(*table.split("/")): table for table in settings.tables}
        self._connection: Connection | None = None
        self._came, self._went = asyncio.Event(), asyncio.Event()
        self._waiting: dict[str, _Waiting] = {}

    async def run(self) -> None:
        """Listen, and come back whenever the broker does."""
        why = ""
        while True:
            try:
                async with connection(
                    self._settings.mqtt, f"{self._settings.client}-{uuid4().hex[:12]}", password=self._password
                ) as broker:
                    await broker.subscribe(list(self._filters()))
                    why = ""
                    await self._listen(broker)
            except BrokerError as error:
                if str(error) != why:  # said once, however often it is tried
                    why = str(error)
                    self._log.warning("broker-lost", why=why)
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen(self, broker: Connection) -> None:
        self._connection = broker
        self._went.clear()
        self._came.set()
        self._live.connect(there=True)
        self._log.info("broker-connected")
        try:
            while True:
                self._hear(await broker.hear())
        finally:
            self._connection = None
            self._came.clear()
            self._went.set()
            self._live.connect(there=False)

    def _filters(self) -> Iterator[str]:
        for base in self._bases:
            for topic in _PUBLIC if self._settings.console.public else _STAFF:
                yield f"{base}/{topic}"
            if not self._settings.console.public:
                yield f"{base}/{topics.reply(self._settings.client, '+')}"

    def _hear(self, heard: Heard) -> None:
        *base, topic = heard.topic.split("/", _BASE_PARTS)
        table = self._bases.get("/".join(base))  # looked up, not looked for: a floor has many tables
        if table is None:
            return
        if topic.startswith("replies/"):
            self._answered(topic.rpartition("/")[2], heard.payload)
        else:
            self._live.hear(table, topic, heard.payload, retained=heard.retained)

    def _answered(self, id_: str, payload: bytes) -> None:
        waiting = self._waiting.get(id_)
        if waiting is None or waiting.reply.done():
            return
        try:
            reply = json.decode(payload, type=dict[str, Any])
        except (ValueError, RecursionError):  # msgspec's own errors are of the first kind
            self._log.warning("reply-left-out", id=id_)
            return
        if isinstance(reply.get("ok"), bool):
            waiting.reply.set_result(reply)

    # -- commands --

    async def ask(self, table: str, name: str, request: Request, owner: str = "") -> Answer:
        """Send a command until it is answered, always under the same id: the controller does it once.

        `owner` is the session it is of. Two that wait for the same id get the same reply, if they are the same one.
        """
        waiting = self._waiting.get(request.id)
        if waiting is None:
            if len(self._waiting) >= MOST_UNDER_WAY:
                raise UnderWayError(f"{MOST_UNDER_WAY} commands are under way: try again")
            waiting = _Waiting(owner, request, asyncio.get_running_loop().create_future())
            self._waiting[request.id] = waiting
        elif waiting.owner != owner or not _same(waiting.request, request):
            raise UnderWayError("this id is under way for another command: a new command takes a new id")
        waiting.waiting += 1
        try:
            async with asyncio.timeout(QUERY_SECONDS if isinstance(request, Query) else COMMAND_SECONDS):
                return await self._until_answered(table, name, request, waiting.reply)
        except TimeoutError:
            raise NoReplyError(
                f"no reply to {name}: see that the controller of {table} runs, and that the broker lets "
                f"{self._settings.client} send it"
                if self._connection is not None
                else "the broker cannot be reached: it is tried again by itself"
            ) from None
        finally:
            waiting.waiting -= 1
            if not waiting.waiting:
                del self._waiting[request.id]

    async def _until_answered(self, table: str, name: str, request: Request, reply: "asyncio.Future[Answer]") -> Answer:
        topic = f"{topics.base(*table.split('/'))}/{topics.command(self._settings.client, name)}"
        while not reply.done():
            await self._came.wait()
            sent = await self._sent(topic, structs.replace(request, at=now()))
            # Once more when no reply comes, or when the broker has gone and come again: it may have lost the command.
            # A query is asked again for that alone: it takes as long as it takes.
            gone = asyncio.create_task(self._went.wait())
            either: list[asyncio.Future[Any]] = [reply, gone]
            seconds = None if sent and isinstance(request, Query) else RESEND_SECONDS
            try:
                await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            finally:
                gone.cancel()
        return reply.result()

    async def _sent(self, topic: str, request: Request) -> bool:
        """Whether the broker has taken it. One that does not answer may have, or may be about to go."""
        if self._connection is None:
            return False
        try:
            await self._connection.publish(Said(topic, json.encode(request)))
        except BrokerError:
            return False
        return True


def _same(one: Request, other: Request) -> bool:
    """Whether two requests ask for the same thing; when, and by which sign-in, is no part of that."""

    def said(request: Request) -> tuple[type, Request]:
        return type(request), structs.replace(request, at="", token="", second="")

    return said(one) == said(other)


def now() -> str:
    """The time, as requests have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
