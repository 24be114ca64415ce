"""What a table says of itself over MQTT, as anybody with a subscription can know it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import json

from controller import mqtt
from controller.demo.rights import SITE
from controller.wire import topics
from controller.wire.broker import MqttSettings
from controller.wire.messages import Award, Events, Message, Meter, Round, Status

RETRY_SECONDS = 0.5  # between two attempts at the broker
STALE_SECONDS = 5.0  # a status comes every two
LAST_HITS = 25  # that are shown or told: what a meter keeps itself

M = TypeVar("M", bound=Message)


class Hit(msgspec.Struct):
    """An award that had to be validated, and what became of it."""

    award: Award
    settled: bool = False  # validated, or rejected


class Watched:
    """A table as its messages tell it."""

    def __init__(self, table: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.table = table
        self._clock = clock
        self._alive_at = 0.0  # when the last status came
        self.base = topics.base(SITE, table)
        self.status: Status | None = None
        self.round: Round | None = None
        self.meters: dict[str, Meter] = {}
        self.pending: dict[str, Award] = {}
        self.hits: deque[Hit] = deque(maxlen=LAST_HITS)  # the newest last
        self.hits_seen = 0
        self.player: tuple[str, ...] = ()  # the last hand that was told
        self.banker: tuple[str, ...] = ()
        self.changes = 0
        self._stands: dict[str, tuple[int, int]] = {}
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def stale(self) -> bool:
        """Whether nothing was heard of the table for so long that what it showed may no longer be true."""
        return self.status is not None and self._clock() - self._alive_at > STALE_SECONDS

    def filters(self) -> list[str]:
        """What to subscribe to."""
        wanted = (topics.STATUS, topics.ROUND, topics.meter("+"), topics.award("+"), topics.EVENTS)
        return [f"{self.base}/{each}" for each in wanted]

    def take(self, topic: str, payload: bytes) -> None:
        """A message. What is older than the last of its topic, or no message of a table, is dropped."""
        kind, _, id_ = topic.removeprefix(f"{self.base}/").partition("/")
        try:
            taken = self._take(kind, id_, payload)
        except msgspec.DecodeError:
            return
        if taken:
            self.changes += 1
            self._wake()

    async def until(self, true: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until something is so, looking at every message; whether it came to be in time."""
        try:
            async with asyncio.timeout(seconds):
                while not true():
                    await self.change()
        except TimeoutError:
            return true()
        return True

    async def change(self) -> None:
        """Wait for the next message that says something new."""
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            await waiting
        finally:
            self._waiting.discard(waiting)

    def _wake(self) -> None:
        for each in self._waiting:
            if not each.done():
                each.set_result(None)

    def _take(self, kind: str, id_: str, payload: bytes) -> bool:
        if kind == "awards":
            return self._take_award(id_, payload)
        if kind == topics.EVENTS:
            return self._take_events(json.decode(payload, type=Events))
        if kind == topics.STATUS and (status := self._newer(kind, payload, Status)):
            self.status, self._alive_at = status, self._clock()
            return True
        if kind == topics.ROUND and (round_ := self._newer(kind, payload, Round)):
            self.round = round_
            return True
        if kind == "meters" and (meter := self._newer(f"meters/{id_}", payload, Meter)):
            self.meters[id_] = meter
            return True
        return False

    def _newer(self, topic: str, payload: bytes, type_: type[M]) -> M | None:
        message = json.decode(payload, type=type_)
        # A last will stands where its connection began: of the status the start alone counts.
        stand = (message.epoch, 0 if topic == topics.STATUS else message.seq)
        if stand < self._stands.get(topic, (0, 0)):
            return None
        self._stands[topic] = stand
        return message

    def _take_award(self, id_: str, payload: bytes) -> bool:
        """An award that waits, or an empty message: it was validated or rejected."""
        if not payload:
            for hit in self.hits:
                hit.settled |= hit.award.award == id_
            return self.pending.pop(id_, None) is not None
        award = json.decode(payload, type=Award)
        if award.award not in self.pending and all(hit.award.award != award.award for hit in self.hits):
            self.hits.append(Hit(award))
            self.hits_seen += 1
        self.pending[award.award] = award
        return True

    def _take_events(self, events: Events) -> bool:
        hands: list[dict[str, Any]] = [fact["payload"] for fact in events.facts if fact.get("type") == "hand-entered"]
        if hands:
            self.player, self.banker = tuple(hands[-1].get("player", ())), tuple(hands[-1].get("banker", ()))
        return bool(hands)


async def watch(watched: Watched, settings: MqttSettings, password: str | None) -> None:
    """Hear a table for ever, through every loss of the broker."""
    while True:
        try:
            async with mqtt.connection(settings, f"demonstration-view-{watched.table}", password=password) as broker:
                await broker.subscribe(watched.filters())
                while True:
                    heard = await broker.hear()
                    watched.take(heard.topic, heard.payload)
        except mqtt.BrokerError:
            await asyncio.sleep(RETRY_SECONDS)
