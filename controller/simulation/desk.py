"""People who ask over MQTT: they sign in with a PIN, send a command, wait, and send it again under its id."""

import asyncio
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from msgspec import MsgspecError, Struct, json

from controller.simulation import trace
from controller.simulation.broker import Broker, Message
from controller.simulation.trace import Trace
from controller.simulation.virtual import VirtualLoop
from controller.wire import topics
from controller.wire.commands import REPLIES, REQUESTS, Reply

REPLY_SECONDS = 5.0
TRIES = 3
FRESH_SECONDS = 200.0  # a token not used for longer is not tried: five minutes of idleness end it
_1970 = datetime(1970, 1, 1, tzinfo=UTC)


class Member(Struct, frozen=True):
    """Someone who works there."""

    id: str
    role: str
    pin: str


SUPERVISORS = (Member("sue", "supervisor", "300300"), Member("sid", "supervisor", "300301"))
DEALERS = (Member("dana", "dealer", "100100"), Member("dan", "dealer", "100101"))
FLOOR = (Member("fay", "floorperson", "200200"), Member("finn", "floorperson", "200201"))
AUDITOR = Member("ann", "auditor", "400400")
EVERYBODY = (*SUPERVISORS, *DEALERS, *FLOOR, AUDITOR)


class Desk:
    """A console with people at it. Its clock is right."""

    def __init__(  # noqa: PLR0913, PLR0917 -- where it stands
        self, name: str, base: str, broker: Broker, loop: VirtualLoop, begin: int, trace_: Trace, chance: Random
    ) -> None:
        self.name = name
        self.filters = (f"{base}/{topics.reply(name, '+')}",)
        self.again = 0.0  # the chance that a command is sent a second time though it was answered
        self._base, self._broker, self._loop, self._begin = base, broker, loop, begin
        self._trace, self._chance = trace_, chance
        self._waiting: dict[str, asyncio.Future[bytes]] = {}
        self._tokens: dict[str, tuple[str, float]] = {}

    def hear(self, message: Message) -> None:
        """A reply."""
        id_ = message.topic.rpartition("/")[2]
        at = self._loop.microseconds()
        self._trace.add(trace.Replied(at=at, client=self.name, id=id_, payload=message.payload))
        waiting = self._waiting.get(id_)
        if waiting is not None and not waiting.done():
            waiting.set_result(message.payload)

    async def ask(
        self,
        who: Member,
        command: str,
        second: Member | None = None,
        meant: str = "",
        **fields: Any,  # noqa: ANN401 -- each command's own
    ) -> Reply | None:
        """Ask as someone, signed in; the reply, or nothing where none came."""
        reply: Reply | None = None
        for _ in range(2):  # once more where their time was over
            token = await self._token(who)
            other = await self._token(second) if second is not None else ""
            if not token or (second is not None and not other):
                return None
            reply = await self.send(command, who, second, meant, token=token, second=other, **fields)
            if reply is None or reply.ok or reply.error != "not-allowed":
                return reply
            for each in (who, second):
                self._tokens.pop(each.id if each else "", None)
        return reply

    async def send(
        self,
        command: str,
        by: Member | None,
        second_: Member | None = None,
        meant: str = "",
        *,
        late: float = 0.0,
        **fields: Any,  # noqa: ANN401 -- each command's own
    ) -> Reply | None:
        """Send a command until it is answered, each time under the same id."""
        id_ = str(UUID(int=self._chance.getrandbits(128), version=4))
        waiting: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[id_] = waiting
        try:
            for attempt in range(TRIES):
                request = REQUESTS[command](id=id_, at=self._now(late), **fields)
                self._say(command, id_, json.encode(request), by, second_, meant if not attempt else "again")
                done, _ = await asyncio.wait([waiting], timeout=REPLY_SECONDS)
                if done:
                    if self.again and self._chance.random() < self.again:
                        await asyncio.sleep(self._chance.uniform(0, 20))
                        self._say(command, id_, json.encode(request), by, second_, "again")
                    return _read(command, waiting.result())
        finally:
            del self._waiting[id_]
        return None

    def _say(  # noqa: PLR0913, PLR0917 -- what is sent, and who is behind it
        self, command: str, id_: str, payload: bytes, by: Member | None, second: Member | None, meant: str
    ) -> None:
        self._trace.add(
            trace.Commanded(
                at=self._loop.microseconds(),
                client=self.name,
                name=command,
                id=id_,
                payload=payload,
                by=by.id if by else "",
                second=second.id if second else "",
                meant=meant,
            )
        )
        self._broker.send(f"{self._base}/{topics.command(self.name, command)}", payload)

    async def _token(self, who: Member | None) -> str:
        if who is None:
            return ""
        token, shown = self._tokens.get(who.id, ("", 0.0))
        now = self._loop.time()
        if not token or now - shown > FRESH_SECONDS:
            reply = await self.send("login", who, operator=who.id, pin=who.pin)
            given = getattr(reply, "token", "")
            token = given if isinstance(given, str) else ""
        if token:
            self._tokens[who.id] = (token, self._loop.time())
        return token

    def _now(self, late: float) -> str:
        now = _1970 + timedelta(microseconds=self._begin + self._loop.microseconds() - round(late * 1_000_000))
        return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _read(command: str, payload: bytes) -> Reply | None:
    try:
        return json.decode(payload, type=REPLIES[command])
    except MsgspecError:
        return None
