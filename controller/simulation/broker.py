"""A broker in memory: retained messages, QoS 1, last wills, and everything that can befall a connection.

`connect` is what `controller.mqtt.connection` is in the product. Subscribers of the simulation are told by a call.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import NamedTuple

from controller.mqtt import ANSWER_SECONDS, KEEPALIVE_SECONDS, MOST_WAITING, BrokerError, Connection, Said
from controller.wire.broker import MqttSettings

HOP_SECONDS = 0.002  # from a publish to its acknowledgement
MOST_AGAIN = 12  # messages of one repetition: a broker has at most 20 under way
WILL_SECONDS = 1.5 * KEEPALIVE_SECONDS  # after that long without a word a broker says the last will


class Message(NamedTuple):
    """As the library gives one."""

    topic: str
    payload: bytes
    retain: bool


Hear = Callable[[Message], None]
Taken = Callable[[int, Said], None]


class Client:
    """One connection of a controller; it is the `Client` of `controller.mqtt`."""

    def __init__(self, broker: "Broker", identifier: str, life: int, will: Said | None, most_waiting: int) -> None:
        self.identifier, self.life, self.will = identifier, life, will
        self.filters: list[str] = []
        self.gone = ""  # why, once it is
        self.frozen = False  # the way to the broker is cut: nothing comes and goes
        self._broker = broker
        self._most = most_waiting
        self._waiting: deque[Message] = deque()
        self._arrival: asyncio.Future[None] | None = None

    @property
    def messages(self) -> "Client":
        """It gives its own."""
        return self

    async def __anext__(self) -> Message:
        while not self._waiting:
            self._refuse_gone()
            self._arrival = asyncio.get_running_loop().create_future()
            await self._arrival
        return self._waiting.popleft()

    async def publish(self, topic: str, payload: bytes, qos: int, retain: bool, *, timeout: float) -> None:  # noqa: ASYNC109 -- as the library has it
        """Hand a message to the broker, and wait for its acknowledgement."""
        del qos
        self._refuse_gone()
        said = Said(topic, payload, retain)
        if not self.frozen:
            self._broker.take(said, self.life)
        await self._answered(timeout)

    async def subscribe(self, topic: list[tuple[str, int]], *, timeout: float) -> list[int]:  # noqa: ASYNC109 -- the same
        """Subscribe; what is retained comes at once."""
        self._refuse_gone()
        names = [name for name, _ in topic]
        if not self.frozen:
            self.filters += names
            self._broker.hand_out(names, self.hear)
        await self._answered(timeout)
        return [1] * len(names)

    async def unsubscribe(self, topic: list[str], *, timeout: float) -> None:  # noqa: ASYNC109 -- the same
        """Hear no more of them."""
        self._refuse_gone()
        self.filters = [each for each in self.filters if each not in topic]
        await self._answered(timeout)

    def hear(self, message: Message) -> None:
        """Something for this client."""
        if not self.gone and not self.frozen and len(self._waiting) < self._most:
            self._waiting.append(message)
            self._wake()

    def lose(self, why: str) -> None:
        """The connection is gone, and its client knows."""
        self.gone = self.gone or why
        self._wake()

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    async def _answered(self, timeout: float) -> None:  # noqa: ASYNC109 -- the library's
        slow = self._broker.slow_seconds
        if self.frozen or slow > timeout:
            await asyncio.sleep(timeout)
            self.lose("it does not answer")
        else:
            await asyncio.sleep(HOP_SECONDS + slow)
        self._refuse_gone()

    def _refuse_gone(self) -> None:
        if self.gone:
            raise OSError(self.gone)


class _Listener:
    """A subscriber of the simulation, and what it heard last."""

    def __init__(self, filters: tuple[str, ...], hear: Hear) -> None:
        self.filters, self.hear = filters, hear
        self.last: deque[Message] = deque(maxlen=MOST_AGAIN)


class Broker:
    """The broker of one table."""

    def __init__(self, loop: asyncio.AbstractEventLoop, chance: Random, taken: Taken) -> None:
        self.retained: dict[str, bytes] = {}
        self.reachable = True  # by controllers
        self.up = True
        self.slow_seconds = 0.0
        self.twice = 0.0  # the chance that a message is delivered once more, later
        self.lost_acknowledgements = 0
        self._loop = loop
        self._chance = chance
        self._taken = taken
        self._clients: dict[str, Client] = {}
        self._subscribers: dict[str, _Listener] = {}
        self._words = 0

    # -- controllers --

    @asynccontextmanager
    async def connect(
        self,
        settings: MqttSettings,
        identifier: str,
        life: int,
        will: Said | None = None,
        most_waiting: int = MOST_WAITING,
    ) -> AsyncIterator[Connection]:
        """A connection of a controller's life."""
        del settings
        if not self.up:
            await asyncio.sleep(HOP_SECONDS)
            raise BrokerError("Connection refused")
        if not self.reachable:
            await asyncio.sleep(ANSWER_SECONDS)
            raise BrokerError("it does not answer")
        client = Client(self, identifier, life, will, most_waiting)
        before = self._clients.get(identifier)
        if before is not None:
            before.lose("another has this name")
        self._clients[identifier] = client
        await asyncio.sleep(HOP_SECONDS)
        try:
            yield Connection(client, self._word)
        finally:
            if self._clients.get(identifier) is client and not client.gone and not client.frozen:
                del self._clients[identifier]  # a farewell: no last will
                client.lose("ended")

    def _word(self) -> str:
        self._words += 1
        return f"word-{self._words}"

    def died(self, life: int, *, noticed: bool) -> None:
        """A controller's process is gone: its wills are said at once, or when the broker misses it."""
        for identifier, client in list(self._clients.items()):
            if client.life == life:
                client.frozen = True
                self._loop.call_later(0.0 if noticed else WILL_SECONDS, self._miss, identifier, client)

    def partition(self) -> None:
        """The way between controllers and the broker is cut; neither knows at once."""
        self.reachable = False
        for identifier, client in list(self._clients.items()):
            client.frozen = True
            self._loop.call_later(WILL_SECONDS, self._miss, identifier, client)

    def crash(self, *, forgets: bool) -> None:
        """The broker dies; with or without what it retained on its disk."""
        self.up = False
        for client in self._clients.values():
            client.lose("Connection reset by peer")
        self._clients.clear()
        if forgets:
            self.retained.clear()

    def _miss(self, identifier: str, client: Client) -> None:
        if self._clients.get(identifier) is client:
            del self._clients[identifier]
            client.lose("the broker has not heard from us")
            if client.will is not None and self.up:
                self.take(client.will, 0)

    # -- everybody --

    def take(self, said: Said, life: int) -> None:
        """A message comes in: it is kept if it is to be, and goes to everybody who wants it."""
        self._taken(life, said)
        if said.retain and said.payload:
            self.retained[said.topic] = said.payload
        elif said.retain:
            self.retained.pop(said.topic, None)
        message = Message(said.topic, said.payload, retain=False)
        for client in list(self._clients.values()):
            if any(matches(each, said.topic) for each in client.filters):
                client.hear(message)
        for listener in list(self._subscribers.values()):
            if any(matches(each, said.topic) for each in listener.filters):
                listener.last.append(message)
                listener.hear(message)
                if self.twice and self._chance.random() < self.twice:
                    self._loop.call_later(self._chance.uniform(0.01, 5.0), self._once_more, listener)

    def _once_more(self, listener: "_Listener") -> None:
        """QoS 1 lets a broker send again what was not acknowledged: the last few, in their order."""
        for message in list(listener.last)[-self._chance.randint(1, MOST_AGAIN) :]:
            listener.hear(message)

    def hand_out(self, filters: list[str] | tuple[str, ...], hear: Hear) -> None:
        """What is retained under these filters."""
        for topic, payload in list(self.retained.items()):
            if any(matches(each, topic) for each in filters):
                hear(Message(topic, payload, retain=True))

    def subscribe(self, name: str, filters: tuple[str, ...], hear: Hear) -> None:
        """A subscriber of the simulation comes, or comes again."""
        self._subscribers[name] = _Listener(filters, hear)
        self.hand_out(filters, hear)

    def leave(self, name: str) -> None:
        """A subscriber of the simulation is gone."""
        self._subscribers.pop(name, None)

    def send(self, topic: str, payload: bytes) -> bool:
        """A client of the simulation publishes; false where there is no broker."""
        if not self.up:
            return False
        message = Message(topic, payload, retain=False)
        for client in list(self._clients.values()):
            if any(matches(each, topic) for each in client.filters):
                client.hear(message)
                if self.twice and self._chance.random() < self.twice:
                    self._loop.call_later(self._chance.uniform(0.0, 1.0), client.hear, message)
        return True


def matches(filter_: str, topic: str) -> bool:
    """Whether a subscription covers a topic."""
    if filter_ == topic:
        return True
    if filter_.endswith("/#"):
        return topic.startswith(filter_[:-1])
    if "+" not in filter_:
        return False
    wanted, parts = filter_.split("/"), topic.split("/")
    return len(wanted) == len(parts) and all(want in ("+", part) for want, part in zip(wanted, parts, strict=True))
