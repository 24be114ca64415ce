"""What tables said last, and the browsers that follow them.

A browser that reads slowly is told the newest of each topic and misses what came between: its queue has one place for
each topic and never grows beyond that.

Pages believe what they are told here, so nothing goes to them that is not of the form its topic has in
`controller.wire`.
"""

import asyncio
import re
import time
from collections.abc import Callable, Iterable

from msgspec import Raw, Struct, json
from structlog.typing import FilteringBoundLogger as Log

from controller.wire import topics
from controller.wire.channels import STATES
from controller.wire.messages import Award, Message, Status

TICK_SECONDS = 1.0  # a page takes three seconds without a word for a lost connection
# Of one message: fifty times the longest there is, a proof with its 25 reveals. What is longer nobody of ours said.
MOST_MESSAGE_BYTES = 256 * 1024
# Of one table: meters, devices, and awards that wait. Thousands of those would be a fault of the table.
MOST_TOPICS = 2000
# From the first sign of life on a connection until all that is retained has come: a controller that found its broker
# again says everything within a second or two.
SETTLED_SECONDS = 3.0
_TICK = '{"type":"tick"}'
# What is said under each topic, by the topic or by its first part.
_TYPES: dict[str, type[Struct]] = {channel.address.partition("/{")[0]: channel.types[0] for channel in STATES}
_OF_METERS = re.compile(r"(?:meters|proofs)/(?![a-z0-9-]+\Z)")  # followed by what is no meter's id


class _Told(Struct):
    """One table, as far as it was heard."""

    topics: dict[str, bytes]
    heard: set[str]  # on this connection; the others may be gone
    alive_at: float | None = None  # when the last sign of life came, which a retained one is not
    first_alive_at: float | None = None  # on this connection
    settled: bool = False


class _Said(Struct, frozen=True):
    table: str
    topic: str
    message: Raw | None
    retained: bool
    type: str = "said"


class _Snapshot(Struct, frozen=True):
    tables: dict[str, dict[str, Raw]]
    broker: bool
    heard: dict[str, int | None]  # milliseconds since the last sign of life
    type: str = "snapshot"


class Follower:
    """One browser: the newest of everything it was not told yet."""

    def __init__(self, tables: Iterable[str]) -> None:
        self.tables = frozenset(tables)
        self._waiting: dict[tuple[str, ...], str] = {}
        self._more = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, key: tuple[str, ...], text: str) -> None:
        """Have something told, in place of what of the same kind still waits."""
        self._waiting[key] = text
        self._more.set()

    async def next(self) -> str:
        """What is to be told next."""
        while not self._waiting:
            self._more.clear()
            await self._more.wait()
        return self._waiting.pop(next(iter(self._waiting)))


class Live:
    """Every table of this console."""

    def __init__(self, tables: Iterable[str], log: Log, clock: Callable[[], float] = time.monotonic) -> None:
        self._tables = {name: _Told({}, set()) for name in tables}
        self._log = log
        self._clock = clock
        self._followers: set[Follower] = set()
        self._broker = False
        self.ticks = 0  # seconds that browsers were told of

    @property
    def connected(self) -> bool:
        """Whether the broker is there."""
        return self._broker

    def __len__(self) -> int:
        return len(self._followers)

    # -- browsers --

    def follow(self, tables: Iterable[str]) -> Follower:
        """Someone who is told everything from now on, and first how it stands."""
        follower = Follower(tables)
        follower.put(("snapshot",), self._snapshot(follower.tables))
        self._followers.add(follower)
        return follower

    def leave(self, follower: Follower) -> None:
        """Nobody reads there any more."""
        self._followers.discard(follower)

    def _snapshot(self, tables: Iterable[str]) -> str:
        now = self._clock()
        found = {name: self._tables[name] for name in sorted(tables)}
        heard = {
            name: None if told.alive_at is None else round((now - told.alive_at) * 1000) for name, told in found.items()
        }
        known = {name: {topic: Raw(payload) for topic, payload in told.topics.items()} for name, told in found.items()}
        return json.encode(_Snapshot(known, self._broker, heard)).decode()

    async def tick(self) -> None:
        """Say once a second that the connection lives, for ever."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self.ticks += 1
            for follower in self._followers:
                follower.put(("tick",), _TICK)

    # -- the broker --

    def connect(self, *, there: bool) -> None:
        """The broker came or went. What was heard on another connection must be heard on this one to stand."""
        if there:
            for told in self._tables.values():
                told.heard, told.first_alive_at, told.settled = set(), None, False
        if there != self._broker:
            self._broker = there
            text = json.encode({"type": "broker", "connected": there}).decode()
            for follower in self._followers:
                follower.put(("broker",), text)

    def hear(self, table: str, topic: str, payload: bytes, *, retained: bool) -> None:
        """Take what a table said. What cannot be a message of ours is left out, and the log says so."""
        told = self._tables[table]
        if not payload:
            if told.topics.pop(topic, None) is not None:
                self._tell(table, topic, None, retained=retained)
            return
        message = self._read(table, topic, payload)
        if message is None:
            return
        if topic not in told.topics and len(told.topics) >= MOST_TOPICS:
            self._log.warning("too-many-topics", table=table, topic=topic, most=MOST_TOPICS)
            return
        whole = told.topics[topic] = json.encode(message)  # what it left out is in it, and what is not known is not
        told.heard.add(topic)
        self._tell(table, topic, whole, retained=retained)
        if isinstance(message, Status) and not retained:
            self._alive(table, told, message)

    def _read(self, table: str, topic: str, payload: bytes) -> Message | None:
        why = "too long" if len(payload) > MOST_MESSAGE_BYTES else ""
        if not why:
            try:
                return _understood(topic, payload)
            except (ValueError, RecursionError) as error:  # msgspec's own errors are of the first kind
                why = str(error)
        self._log.warning("message-left-out", table=table, topic=topic, why=why)
        return None

    def _alive(self, table: str, told: _Told, status: Status) -> None:
        now = told.alive_at = self._clock()
        if status.state == "offline":
            told.first_alive_at = None
            return
        if told.first_alive_at is None:
            told.first_alive_at = now
        elif not told.settled and now - told.first_alive_at >= SETTLED_SECONDS:
            told.settled = True
            for topic in [each for each in told.topics if each not in told.heard]:
                del told.topics[topic]  # emptied while nobody of ours listened
                self._tell(table, topic, None, retained=False)

    def _tell(self, table: str, topic: str, payload: bytes | None, *, retained: bool) -> None:
        followers = [follower for follower in self._followers if table in follower.tables]
        if followers:
            message = None if payload is None else Raw(payload)
            text = json.encode(_Said(table, topic, message, retained)).decode()
            for follower in followers:
                follower.put((table, topic), text)


def _understood(topic: str, payload: bytes) -> Message:
    """A message of the form its topic has, or a `ValueError` that says what is wrong with it."""
    type_ = _TYPES.get(topic) or _TYPES.get(topic.partition("/")[0])
    if type_ is None or _OF_METERS.match(topic):
        raise ValueError("a table says nothing there")
    message = json.decode(payload, type=type_)
    if not isinstance(message, Message):
        raise ValueError("it is no message of a table")  # noqa: TRY004 -- like all that is left out
    if isinstance(message, Award) and topic != topics.award(message.award):
        raise ValueError(f"it tells of the award {message.award}")
    return message
