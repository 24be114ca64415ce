"""What the table says over MQTT, and what it is asked there, as long as there is a broker.

Facts leave in order behind one cursor, and only when they are durable. What is retained follows the state. Commands are
handed to whoever answers them, and the answer goes back to the client that asked.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Literal, Protocol, TypedDict

from msgspec import UNSET, UnsetType, json
from msgspec.structs import replace

from controller.core.inputs import DeviceLost, DeviceRestored, Input
from controller.core.phases import Phase
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Answer, Clock, EngineStoppedError
from controller.journal.journal import Journal
from controller.journal.rows import Row
from controller.link.sessions import Shown
from controller.mqtt import BrokerError, Connect, Connection, Heard, Said, connection, end, raise_first
from controller.outlets.corrections import corrections, linked_correction, shown_before
from controller.outlets.heads import Identity, RolledBackError, compare, kept_by, not_below
from controller.outlets.messages import retained
from controller.outlets.public import told
from controller.wire import topics
from controller.wire.broker import MqttSettings
from controller.wire.messages import Device, Events, Head, Health, Message, Meter, Status

DEVICE = "broker"
STATUS_SECONDS = 2.0  # between two signs of life; a display is stale after five
COUNTERS_EVERY = 5  # signs of life: counters move all the time, and nobody reads them more often than every 10 s
RETRY_SECONDS = 1.0
FACTS_TOGETHER = 64  # in one message, while catching up: as many as a commit can have
MESSAGES_TOGETHER = 8  # of facts, before the meters are said again: catching up must not leave a sign behind
MOST_COMMITS = 1024  # remembered while there is no broker; older ones are told together when it is back
HEAD_EVERY = 100  # facts between two anchors of the chain
HOUR = 3600 * 1_000_000  # microseconds
# Commands not yet answered, those included that are only about to be refused because too many are under way. They are
# taken off the line as they come, so that one client's do not stand before another's.
COMMANDS_AT_ONCE = 128
COMMANDS_WAITING = 256  # on the line; those beyond are dropped, and their senders ask again
MOST_EVENTS_BYTES = 1024 * 1024  # of one message of facts, unless one fact alone is longer: brokers take some MiB
# A connection that lasts no longer does not count: a broker that comes and goes is one that is gone.
STEADY_SECONDS = 3.0


class Source(Protocol):
    """The engine, as far as the broker is told of it."""

    state: State

    async def submit(self, input_: Input) -> Answer:
        """Take an input."""

    def handed_on(self, seq: int) -> None:
        """Facts up to this one have left the outbox."""


class Answering(Protocol):
    """Who answers commands."""

    def __call__(
        self, client: str, name: str, payload: bytes, *, retained: bool
    ) -> Awaitable[tuple[str, bytes] | None]:
        """The id of the command and its reply; nothing where it has no id to reply to."""


class Around(Protocol):
    """What the state does not know: how the machine and its devices are."""

    def health(self, outbox: int) -> Health | UnsetType:
        """For the technician. `outbox`: facts that have not been told yet."""

    def devices(self, stand: "Stand") -> Mapping[str, Device]:
        """Each device by its id."""

    def linked(self) -> Mapping[str, Shown]:
        """Each linked meter by its id, as it was last seen."""


class Stand(TypedDict):
    """Where a message stands."""

    epoch: int
    seq: int
    at: str


class Nothing:
    """No machine and no devices."""

    def health(self, outbox: int) -> UnsetType:
        """None."""
        del outbox
        return UNSET

    def devices(self, stand: Stand) -> Mapping[str, Device]:
        """None."""
        del stand
        return {}

    def linked(self) -> Mapping[str, Shown]:
        """None."""
        return {}


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
        answer: Answering | None = None,
        around: Around | None = None,
        changed: Callable[[str], None] = lambda _: None,
        failed: Callable[[str, Exception], None] = lambda _name, _error: None,
        connect: Connect = connection,
        alive_seconds: float = STATUS_SECONDS,
    ) -> None:
        self._settings = settings
        self._connect = connect
        self._alive_seconds = alive_seconds
        self._identity = identity
        self._engine = engine
        self._journal = journal
        self._clock = clock
        self._password = password
        self._answer = answer
        self._around: Around = around or Nothing()
        self._failed = failed  # a command could not be answered, through a fault of ours
        self._told_of = changed  # that the broker is there, or why it is not
        self._changed = asyncio.Event()
        self._said: dict[str, Message] = {}  # since the last connection
        self._shown: State | None = None  # as it was when the meters were last said
        self._plight_said: tuple[str, str] | None = None  # whether the table is faulted and why, as last said
        self._head_said, self._hour = 0, 0
        self._cursor = journal.cursor()  # facts up to this one were acknowledged
        self._commits: deque[int] = deque(maxlen=MOST_COMMITS)  # the last fact of each that was not said yet
        self._last_words: Status | None = None
        self.last_words_said = False
        self.connected, self._gone = asyncio.Event(), asyncio.Event()
        self._gone.set()
        # Since when there is no broker to rely on: a connection that lasted for a moment only does not count.
        self._flapping = False
        self._away_since, self._connected_at = asyncio.get_running_loop().time(), 0.0
        self.reason = "not reached yet"  # why it is not

    @property
    def said_up_to(self) -> int:
        """The last fact the broker has acknowledged."""
        return self._cursor

    def committed(self, last: int) -> None:
        """Facts up to this one are durable."""
        self._commits.append(last)
        self._changed.set()

    def look_again(self) -> None:
        """Something beside the state has changed."""
        self._changed.set()

    def close(self, state: Literal["faulted", "offline"], reason: str) -> None:
        """Let `run` say what is left, then this, and return. The last will is only for what was not planned."""
        self._last_words = self._status(state, reason)
        self._changed.set()
        self._gone.set()

    async def run(self) -> None:
        """Keep a connection; while there is none for longer than the grace, the table is faulted."""
        tasks = [
            asyncio.create_task(self._keep_connected(), name="broker: connection"),
            asyncio.create_task(self._waiting_out(), name="broker: grace"),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end(*tasks)
        raise_first(*tasks)

    async def _keep_connected(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                will = self._retained(topics.STATUS, self._status("offline", "lost"))
                async with self._connect(
                    self._settings,
                    self._identity.client,
                    password=self._password,
                    will=will,
                    most_waiting=COMMANDS_WAITING,
                ) as broker:
                    await self._greet(broker)
                    self._gone.clear()
                    self.connected.set()
                    self._connected_at = loop.time()
                    self.reason = ""
                    self._told_of("")
                    await self._converse(broker)
            except BrokerError as error:
                if str(error) != self.reason:
                    self._told_of(str(error))
                self.reason = str(error)
                if self.connected.is_set():
                    self._flapping = loop.time() - self._connected_at < STEADY_SECONDS
                    self._away_since = self._away_since if self._flapping else loop.time()
                self.connected.clear()
                self._gone.set()
            if self._last_words is not None:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(RETRY_SECONDS):
                    await self._until_closed()

    async def _until_closed(self) -> None:
        while self._last_words is None:
            self._changed.clear()
            await self._changed.wait()

    # -- one connection --

    async def _converse(self, broker: Connection) -> None:
        """Speak and listen until the broker is gone, or everything is said."""
        tasks = [asyncio.create_task(self._speak(broker), name="broker: speaking")]
        if self._answer is not None:
            tasks.append(asyncio.create_task(self._listen(broker, self._answer), name="broker: listening"))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end(*tasks)
        raise_first(*tasks)

    async def _greet(self, broker: Connection) -> None:
        """Compare heads, clear away what is no longer true, and say everything."""
        kept = await kept_by(broker, self._identity)
        try:
            compare(kept, self._journal)
        except RolledBackError as error:
            said = not_below(kept, self._status("faulted", str(error)))
            await broker.publish(self._retained(topics.STATUS, said))
            self.last_words_said = True
            raise
        self._said.clear()
        if self._answer is not None:  # before anybody hears that we are here
            await broker.subscribe([self._identity.topic(topics.COMMANDS)])
        wanted = self._wanted()
        gone = [topic for topic in kept if topic not in wanted and topic not in {topics.HEAD, topics.STATUS}]
        await self._say_standing(broker, [])
        await broker.publish_all(self._emptied(topic) for topic in gone)
        await self._say(broker, [], kept)
        await self._say_head(broker)

    async def _speak(self, broker: Connection) -> None:
        """Say what changes as it does, and that we are alive."""
        loop = asyncio.get_running_loop()
        alive_at, beats = loop.time() + self._alive_seconds, 0
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, alive_at - loop.time())):
                    await self._changed.wait()
            self._changed.clear()
            facts = list(self._facts_said())
            await self._say(broker, [said for _, said in facts])
            if facts:
                self._cursor = facts[-1][0]
                self._engine.handed_on(self._cursor)
            await self._say_head_at_times(broker)
            if self._cursor < self._journal.head().seq:
                self._changed.set()  # there is more to catch up with
            elif self._last_words is not None:
                await self._say_head(broker)  # a copy made before this moment is then known to be old
                await broker.publish(self._retained(topics.STATUS, self._last_words))
                self.last_words_said = True
                return
            if loop.time() >= alive_at:
                alive_at, beats = loop.time() + self._alive_seconds, beats + 1
                every: list[Said] = []
                if beats % COUNTERS_EVERY == 0:
                    devices = self._devices()
                    self._said |= devices
                    every = [self._retained(topic, each) for topic, each in devices.items()]
                await self._say_standing(broker, every)
                if self._journal.head().seq != self._head_said:
                    await self._say_head(broker)

    async def _listen(self, broker: Connection, answer: Answering) -> None:
        """Take commands, and answer each when it is done."""
        free = asyncio.Semaphore(COMMANDS_AT_ONCE)
        under_way: set[asyncio.Task[None]] = set()
        try:
            while True:
                await free.acquire()
                heard = await broker.hear()
                task = asyncio.create_task(self._reply(broker, answer, heard), name=f"command {heard.topic}")
                under_way.add(task)
                task.add_done_callback(lambda _: free.release())
                task.add_done_callback(under_way.discard)
        finally:
            await end(*under_way)

    async def _reply(self, broker: Connection, answer: Answering, heard: Heard) -> None:
        *_, client, name = heard.topic.split("/")
        try:
            replied = await answer(client, name, heard.payload, retained=heard.retained)
        except Exception as error:  # noqa: BLE001 -- a fault of ours in one command must not end play
            self._failed(f"{client}/{name}", error)
            return
        if replied is not None:
            id_, payload = replied
            with suppress(BrokerError):  # who asked asks again, with the same id
                await broker.publish(Said(self._identity.topic(topics.reply(client, id_)), payload))

    # -- what is said --

    async def _say(self, broker: Connection, facts: list[Said], kept: Mapping[str, bytes] = {}) -> None:
        """Say facts, and every retained message that says something else than when it was last said."""
        state, wanted, plight = self._engine.state, self._wanted(), self._plight()
        await broker.publish_all([*facts, *self._differing(state, wanted, kept)])
        # Only now: what was not acknowledged was not said.
        self._said, self._shown, self._plight_said = wanted, state, plight

    async def _say_standing(self, broker: Connection, more: list[Said]) -> None:
        """Say how the table is, as a sign of life, and more after it."""
        plight = self._plight()
        await broker.publish_all([self._retained(topics.STATUS, self._standing()), *more])
        self._plight_said = plight

    def _wanted(self) -> dict[str, Message]:
        """Every retained message but the status, as it ought to be now."""
        return retained(self._engine.state, self._identity.epoch, self._around.linked()) | self._devices()

    def _devices(self) -> dict[str, Message]:
        stand = self._stand(self._engine.state.seq, self._now())
        return {topics.device(id_): each for id_, each in self._around.devices(stand).items()}

    def _differing(self, state: State, wanted: Mapping[str, Message], kept: Mapping[str, bytes]) -> Iterator[Said]:
        before = self._shown
        changed = {topic: each for topic, each in wanted.items() if _differs(self._said.get(topic), each)}
        if self._plight() != self._plight_said:
            yield self._retained(topics.STATUS, self._standing())
        fell = corrections(shown_before(before, kept), state, self._journal)
        for topic, message in changed.items():
            fact = None
            if isinstance(message, Meter):
                fact = linked_correction(self._said.get(topic), kept.get(topic), message)
                fact = fact or fell.get(topic.removeprefix("meters/"))
            yield self._retained(topic, replace(message, correction=fact) if fact else message)
        yield from [self._emptied(topic) for topic in self._said if topic not in wanted]

    def _facts_said(self) -> Iterator[tuple[int, Said]]:
        """Facts behind the cursor, in order, some messages of them; each with its last fact."""
        cursor, last = self._cursor, self._journal.head().seq
        for _ in range(MESSAGES_TOGETHER):
            if cursor >= last:
                return
            rows = _short(self._journal.rows(cursor, self._ending(cursor, last)))
            cursor = rows[-1].seq
            message = Events(**self._stand(cursor, rows[-1].at), facts=told(rows))
            yield cursor, Said(self._identity.topic(topics.EVENTS), json.encode(message))

    def _ending(self, cursor: int, last: int) -> int:
        """Where the next message of facts ends: with a commit, and after as many as one can have."""
        while self._commits and self._commits[0] <= self._cursor:
            self._commits.popleft()
        ends = next((each for each in self._commits if each > cursor), last)
        return min(ends, cursor + FACTS_TOGETHER, last)

    async def _say_head_at_times(self, broker: Connection) -> None:
        """An anchor for the chain: every so many facts, and on the hour; with each sign of life where it has moved."""
        if self._journal.head().seq - self._head_said >= HEAD_EVERY or self._clock.now() // HOUR != self._hour:
            await self._say_head(broker)

    async def _say_head(self, broker: Connection) -> None:
        head, self._hour = self._journal.head(), self._clock.now() // HOUR
        message = Head(**self._stand(head.seq, self._now()), hash=head.hash.hex())
        await broker.publish(self._retained(topics.HEAD, message))
        self._head_said = head.seq

    def _retained(self, topic: str, message: Message) -> Said:
        return Said(self._identity.topic(topic), json.encode(message), retain=True)

    def _emptied(self, topic: str) -> Said:
        return Said(self._identity.topic(topic), b"", retain=True)

    def _plight(self) -> tuple[Literal["online", "faulted"], str]:
        """Whether the table is faulted, and why."""
        state = self._engine.state
        if state.phase is not Phase.FAULTED:
            return "online", ""
        return "faulted", "; ".join(
            f"{name}: {part.detail or 'lost'}" for name, part in state.devices.items() if part.lost
        )

    def _standing(self) -> Status:
        health = self._around.health(self._journal.head().seq - self._cursor)
        return replace(self._status(*self._plight()), health=health)

    def _status(self, state: Literal["online", "faulted", "offline"], reason: str) -> Status:
        stand = self._stand(self._engine.state.seq, self._now())
        return Status(**stand, state=state, reason=reason, mode=self._identity.mode)

    def _stand(self, seq: int, at: str) -> Stand:
        return {"epoch": self._identity.epoch, "seq": seq, "at": at}

    def _now(self) -> str:
        return stamp(self._clock.now())

    # -- without a broker --

    async def _waiting_out(self) -> None:
        """Fault the table when the broker has been gone for longer than the grace, and end that when it is back."""
        loop = asyncio.get_running_loop()
        while self._last_words is None:
            if not self.connected.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(max(0.0, self._away_since + self._settings.grace_s - loop.time())):
                        await self.connected.wait()
                if not self.connected.is_set():
                    await self._submit(DeviceLost, self.reason)
                    await self.connected.wait()
            known = self._engine.state.devices.get(DEVICE)
            if known is not None and known.lost:
                if self._flapping:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(STEADY_SECONDS):
                            await self._gone.wait()
                if self._gone.is_set():
                    continue
                await self._submit(DeviceRestored, "")
            await self._gone.wait()
        await asyncio.Event().wait()  # the other part says the last words

    async def _submit(self, kind: type[DeviceLost], detail: str) -> None:
        with suppress(EngineStoppedError):  # whose own end is told by those who run it
            await self._engine.submit(kind(at=self._now(), device=DEVICE, device_kind=DEVICE, detail=detail))


def _short(rows: Iterable[Row]) -> list[Row]:
    """The first rows, as many as fit one message; at least one."""
    found: list[Row] = []
    size = 0
    for row in rows:
        size += len(row.payload)
        if found and size > MOST_EVENTS_BYTES:
            break
        found.append(row)
    return found


def _differs(said: Message | None, now: Message) -> bool:
    """Whether a message says something else, apart from where it stands and what is only counted."""
    if isinstance(now, Device) and isinstance(said, Device):
        return (said.state, said.detail, said.driver, said.port) != (now.state, now.detail, now.driver, now.port)
    return said is None or replace(said, seq=now.seq, at=now.at) != now
