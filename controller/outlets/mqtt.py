"""The broker: the only module that knows the MQTT library.

What is retained follows from the state, and all of it is said at every connection; facts follow each other behind one
cursor. Nothing is said before it is durable, because both are read from what is.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal, Protocol, TypedDict
from uuid import uuid4

import aiomqtt
from msgspec import Struct, json
from msgspec.structs import replace

from controller.core.inputs import DeviceLost, DeviceRestored, Input
from controller.core.phases import Phase
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Answer, Clock
from controller.journal.journal import Journal
from controller.outlets.messages import fallen, retained
from controller.outlets.public import told
from controller.settings import MqttSettings
from controller.wire import topics
from controller.wire.messages import Events, Head, Message, Meter, Status

DEVICE = "broker"
STATUS_SECONDS = 2.0  # between two signs of life; a display is stale after five
KEEPALIVE_SECONDS = 5
PUBLISH_SECONDS = 3.0  # a broker that has not acknowledged by then is gone
RETRY_SECONDS = 1.0
CANCEL_SECONDS = 0.2  # until a cancellation that was lost is repeated
WINDOW = 10  # publishes under way: a broker's own limit is 20
FACTS_TOGETHER = 64  # in one message, while catching up: as many as a commit can have
MOST_COMMITS = 1024  # remembered while there is no broker; older ones are told together when it is back
HEAD_EVERY = 100  # facts between two anchors of the chain


class Source(Protocol):
    """The engine, as far as the broker is told of it."""

    state: State

    async def submit(self, input_: Input) -> Answer:
        """Take an input."""

    def handed_on(self, seq: int) -> None:
        """Facts up to this one have left the outbox."""


class RolledBackError(Exception):
    """The broker knows more of this table than the journal: the disk was set back, or is another one."""


class Identity(Struct, frozen=True, kw_only=True):
    """Who speaks."""

    site: str
    table: str
    epoch: int
    mode: Literal["live", "demonstration"] = "live"


class _Stand(TypedDict):
    epoch: int
    seq: int
    at: str


class Broker:
    """Says what the table is, as long as there is a broker to say it to."""

    def __init__(  # noqa: PLR0913 -- all it speaks of
        self,
        settings: MqttSettings,
        identity: Identity,
        engine: Source,
        journal: Journal,
        clock: Clock,
        *,
        password: str | None = None,
    ) -> None:
        self._settings = settings
        self._identity = identity
        self._engine = engine
        self._journal = journal
        self._clock = clock
        self._password = password
        self._base = topics.base(identity.site, identity.table)
        self._changed = asyncio.Event()
        self._said: dict[str, Message] = {}  # since the last connection
        self._meters: State | None = None  # as it was when the meters were last said
        self._head_said = 0
        self._cursor = journal.cursor()  # facts up to this one were acknowledged
        self._commits: deque[int] = deque(maxlen=MOST_COMMITS)  # the last fact of each that was not said yet
        self.connected, self._gone = asyncio.Event(), asyncio.Event()
        self.reason = ""  # why it is not

    @property
    def said_up_to(self) -> int:
        """The last fact the broker has acknowledged."""
        return self._cursor

    def committed(self, last: int) -> None:
        """Facts up to this one are durable."""
        self._commits.append(last)
        self._changed.set()

    async def run(self) -> None:
        """Keep a connection, for ever; while there is none for longer than the grace, the table is faulted."""
        waiting = asyncio.create_task(self._waiting_out())
        try:
            while True:
                try:
                    async with self._client() as client:
                        await self._greet(client)
                        self._gone.clear()
                        self.connected.set()
                        await self._speak(client)
                except aiomqtt.MqttError as error:
                    self.reason = str(error)
                    self.connected.clear()
                    self._gone.set()
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            waiting.cancel()

    async def stop(self, running: asyncio.Task[None]) -> None:
        """End `run`, and say that nobody is here any more.

        A cancellation that meets an acknowledgement is lost in `asyncio.wait_for` before Python 3.12, which the library
        uses: so it is repeated until it is heard.
        """
        while not running.done():
            running.cancel()
            await asyncio.wait([running], timeout=CANCEL_SECONDS)
        await self.farewell()

    async def farewell(self) -> None:
        """Say that nobody is here any more: the last will is only for what was not planned."""
        with suppress(aiomqtt.MqttError, TimeoutError):
            async with asyncio.timeout(PUBLISH_SECONDS), self._client() as client:
                await self._publish(client, topics.STATUS, self._status("offline", "stopped"))

    # -- one connection --

    def _client(self) -> aiomqtt.Client:
        host, port = self._settings.address()
        will = aiomqtt.Will(self._topic(topics.STATUS), json.encode(self._status("offline", "lost")), 1, retain=True)
        return aiomqtt.Client(
            host,
            port,
            username=self._settings.user or None,
            password=self._password,
            identifier=f"jackpotd-{self._identity.site}-{self._identity.table}",
            clean_session=True,
            keepalive=KEEPALIVE_SECONDS,
            timeout=PUBLISH_SECONDS,
            will=will,
            tls_context=self._tls(),
            max_inflight_messages=WINDOW,
        )

    def _tls(self) -> ssl.SSLContext | None:
        settings = self._settings
        if not settings.tls:
            return None
        context = ssl.create_default_context(cafile=settings.ca or None)
        if settings.certificate:
            context.load_cert_chain(settings.certificate, settings.key)
        return context

    async def _greet(self, client: aiomqtt.Client) -> None:
        """Compare heads, clear away awards that are settled, and say everything."""
        kept = await self._retained(client)
        self._compare(kept.get(topics.HEAD))
        self._said.clear()
        wanted = retained(self._engine.state, self._identity.epoch)
        gone = [topic for topic in kept if topic.startswith("awards/") and topic not in wanted]
        await self._publish(client, topics.STATUS, self._standing())
        for topic in gone:
            await client.publish(self._topic(topic), b"", qos=1, retain=True, timeout=PUBLISH_SECONDS)
        await self._say_state(client)
        await self._say_head(client)

    async def _retained(self, client: aiomqtt.Client) -> dict[str, bytes]:
        """What the broker keeps of this table: its head, and awards."""
        found: dict[str, bytes] = {}
        # A broker hands out what it retains when it takes a subscription. What is published after that comes later: our
        # own word coming back says that there is no more, however slow the broker is.
        own = json.encode(self._status("offline", f"connecting {uuid4()}"))
        wanted = [self._topic(topics.HEAD), self._topic("awards/+"), self._topic(topics.STATUS)]
        for each in wanted:
            await client.subscribe(each, qos=1, timeout=PUBLISH_SECONDS)
        await client.publish(wanted[-1], own, qos=1, retain=True, timeout=PUBLISH_SECONDS)
        try:
            async with asyncio.timeout(PUBLISH_SECONDS):
                async for message in client.messages:
                    if message.payload == own:
                        break
                    if message.retain and isinstance(message.payload, bytes):
                        found[str(message.topic).removeprefix(f"{self._base}/")] = message.payload
        except TimeoutError:
            raise aiomqtt.MqttError("the broker does not give back what it was told: see its ACL") from None
        for each in wanted:
            await client.unsubscribe(each, timeout=PUBLISH_SECONDS)
        return found

    def _compare(self, kept: bytes | None) -> None:
        """Refuse to go on where the broker knows a fact that the journal has not, or has otherwise."""
        if not kept:
            return
        try:
            anchor = json.decode(kept, type=Head)
        except ValueError:
            return  # not ours
        head = self._journal.head()
        if anchor.seq > head.seq:
            raise RolledBackError(
                f"the broker knows fact {anchor.seq} of this table, the journal ends at fact {head.seq}: the disk was "
                "set back, or is another one; restore the newest copy, or empty the topic journal/head after an inquiry"
            )
        rows = list(self._journal.rows(anchor.seq - 1, anchor.seq)) if anchor.seq else []
        if rows and rows[0].hash.hex() != anchor.hash:
            raise RolledBackError(f"fact {anchor.seq} is not the one the broker knows: this is another journal")

    async def _speak(self, client: aiomqtt.Client) -> None:
        """Say what changes as it does, and that we are alive."""
        loop = asyncio.get_running_loop()
        alive_at = loop.time() + STATUS_SECONDS
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, alive_at - loop.time())):
                    await self._changed.wait()
            self._changed.clear()
            await self._say_facts(client)
            await self._say_state(client)
            if loop.time() >= alive_at:
                alive_at = loop.time() + STATUS_SECONDS
                await self._publish(client, topics.STATUS, self._standing())

    # -- what is said --

    async def _say_state(self, client: aiomqtt.Client) -> None:
        """Every retained message that says something else than when it was last said."""
        state, before = self._engine.state, self._meters
        wanted = retained(state, self._identity.epoch)
        changed = {topic: each for topic, each in wanted.items() if _differs(self._said.get(topic), each)}
        gone = [topic for topic in self._said if topic not in wanted]
        if Phase.FAULTED in (state.phase, before.phase if before else state.phase) and topics.ROUND in changed:
            await self._publish(client, topics.STATUS, self._standing())
        await self._publish_all(
            client, {topic: self._corrected(topic, each, before) for topic, each in changed.items()}
        )
        for topic in gone:
            await client.publish(self._topic(topic), b"", qos=1, retain=True, timeout=PUBLISH_SECONDS)
        self._said, self._meters = wanted, state

    def _corrected(self, topic: str, message: Message, before: State | None) -> Message:
        """A meter that fell without a hit says which fact made it."""
        id_ = topic.removeprefix("meters/")
        if not isinstance(message, Meter) or before is None or id_ not in before.meters:
            return message
        if not fallen(before.meters[id_], self._engine.state.meters[id_]):
            return message
        return replace(message, correction=message.seq)

    async def _say_facts(self, client: aiomqtt.Client) -> None:
        """Facts behind the cursor, in order; the cursor follows what is acknowledged."""
        last = self._journal.head().seq
        while self._cursor < last:
            rows = list(self._journal.rows(self._cursor, self._ending(last)))
            message = Events(**self._stand(rows[-1].seq, rows[-1].at), facts=told(rows))
            await client.publish(self._topic(topics.EVENTS), json.encode(message), qos=1, timeout=PUBLISH_SECONDS)
            self._cursor = rows[-1].seq
            self._engine.handed_on(self._cursor)
        if last - self._head_said >= HEAD_EVERY:
            await self._say_head(client)

    def _ending(self, last: int) -> int:
        """Where the next message of facts ends: with a commit, and after as many as one can have."""
        while self._commits and self._commits[0] <= self._cursor:
            self._commits.popleft()
        return min(self._commits[0] if self._commits else last, self._cursor + FACTS_TOGETHER, last)

    async def _say_head(self, client: aiomqtt.Client) -> None:
        head = self._journal.head()
        await self._publish(client, topics.HEAD, Head(**self._stand(head.seq, self._now()), hash=head.hash.hex()))
        self._head_said = head.seq

    async def _publish_all(self, client: aiomqtt.Client, found: Mapping[str, Message]) -> None:
        """In order, at most a window of them unacknowledged."""
        waiting = list(found.items())
        for first in range(0, len(waiting), WINDOW):
            part: Sequence[tuple[str, Message]] = waiting[first : first + WINDOW]
            await asyncio.gather(*(self._publish(client, topic, message) for topic, message in part))

    async def _publish(self, client: aiomqtt.Client, topic: str, message: Message) -> None:
        await client.publish(self._topic(topic), json.encode(message), qos=1, retain=True, timeout=PUBLISH_SECONDS)

    def _standing(self) -> Status:
        state = self._engine.state
        if state.phase is not Phase.FAULTED:
            return self._status("online", "")
        lost = [f"{name}: {part.detail or 'lost'}" for name, part in state.devices.items() if part.lost]
        return self._status("faulted", "; ".join(lost))

    def _status(self, state: Literal["online", "faulted", "offline"], reason: str) -> Status:
        stand = self._stand(self._engine.state.seq, self._now())
        return Status(**stand, state=state, reason=reason, mode=self._identity.mode)

    def _stand(self, seq: int, at: str) -> _Stand:
        return {"epoch": self._identity.epoch, "seq": seq, "at": at}

    def _topic(self, name: str) -> str:
        return f"{self._base}/{name}"

    def _now(self) -> str:
        return stamp(self._clock.now())

    # -- without a broker --

    async def _waiting_out(self) -> None:
        """Fault the table when the broker has been gone for longer than the grace, and end that when it is back."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._settings.grace_s):
                    await self.connected.wait()
            if not self.connected.is_set():
                lost = DeviceLost(
                    at=self._now(), device=DEVICE, device_kind=DEVICE, detail=self.reason or "not reached"
                )
                await self._engine.submit(lost)
                await self.connected.wait()
            await self._engine.submit(DeviceRestored(at=self._now(), device=DEVICE, device_kind=DEVICE))
            await self._gone.wait()


def _differs(said: Message | None, now: Message) -> bool:
    """Whether a message says something else, apart from where it stands."""
    return said is None or replace(said, seq=now.seq, at=now.at) != now
