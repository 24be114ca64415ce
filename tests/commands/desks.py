"""A table that takes commands: the real engine on a journal on disk, people with PINs, and a clock that tests turn."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Self, TypeVar
from uuid import uuid4

from msgspec import json

from controller.commands import Commands
from controller.core.inputs import (
    Button,
    HandComplete,
    Input,
    OperatorChanged,
    Person,
    SubmissionChanged,
    WagerAbsent,
    WagerPresent,
)
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Answer, Engine
from controller.journal.reading import open_readonly
from controller.journal.rows import Row
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.people.pins import Pins
from controller.people.signing_in import SigningIn
from controller.people.tokens import Tokens
from controller.wire import topics
from controller.wire.commands import REPLIES
from tests.core.play import BEGIN, DEALER, MINI, vault
from tests.people.tables import PEPPER, Lines
from tests.wire.validating import check

T = TypeVar("T")
PIN = "480213"
STAFF = {
    "dee": "dealer",
    "dan": "dealer",
    "flo": "floorperson",
    "fay": "floorperson",
    "sue": "supervisor",
    "sam": "supervisor",
    "aud": "auditor",
    "abe": "auditor",
}
FIRST = {"dealer": "dee", "floorperson": "flo", "supervisor": "sue", "auditor": "aud"}
SECOND = {"dealer": "dan", "floorperson": "fay", "supervisor": "sam", "auditor": "abe"}
Hand = dict[str, tuple[str, ...]]
MEGA: Hand = {"player": ("KS", "9S"), "banker": ("KS", "9S")}  # position 1 wins $55,000.50
MAJOR: Hand = {"player": ("2S", "3H"), "banker": ("KS", "9S")}  # $450.20
NOTHING: Hand = {"player": ("2S", "6S"), "banker": ("2H", "5D")}


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a test's own loop."""
    return asyncio.run(main)


class Clock:
    """The time of day; the seconds of tokens stand still, so that nobody is signed out by a long test."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.idle = 0.0

    def now(self) -> int:
        return BEGIN + round(self.passed * 1_000_000)

    def seconds(self) -> float:
        return self.idle

    async def sleep(self, seconds: float) -> None:
        self.passed += seconds


class Desk:
    """A table and a console at it. `with Desk(path) as desk:`; open it again on the same path for a restart."""

    def __init__(self, path: Path, clock: Clock | None = None, epoch: int = 1) -> None:
        self.path, self.clock = path, clock or Clock()
        self.journal = SqliteJournal(path)
        self.engine = Engine(load(self.journal), self.journal, vault(), self.clock, Lines())
        self.pins = Pins(self.journal, PEPPER, memory_kib=8, passes=1)
        self.way_in = SigningIn(self, self.pins, Tokens(self.clock.seconds), self.clock, self.clock.seconds)
        self.commands = Commands(self, self.way_in, lambda: open_readonly(path), self.clock, epoch)
        self.tokens: dict[tuple[str, str], str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.close()

    @property
    def state(self) -> State:
        return self.engine.state

    async def submit(self, input_: Input) -> Answer:
        (answer,) = self.engine.step([input_])
        return answer

    # -- play --

    def do(self, kind: type[Input], **parts: object) -> Answer:
        """Something that happens at the table five seconds later."""
        self.clock.passed += 5
        if "key" in kind.__struct_fields__ and parts.get("source", "console") == "console":
            parts.setdefault("key", str(uuid4()))
        (answer,) = self.engine.step([kind(**({"at": stamp(self.clock.now())} | parts))])  # type: ignore[arg-type]  # its parts
        assert answer.ok, answer
        return answer

    def install(self, toml: str = MINI) -> "Desk":
        """A submission filed and everybody known, as an installation leaves it."""
        self.do(SubmissionChanged, toml=toml, day="2026-11-16", reason="installed")
        self.do(OperatorChanged, operator="sue", name="Sue", role="supervisor")
        for operator, role in STAFF.items():
            by = Person("sue", "supervisor")
            self.do(OperatorChanged, operator=operator, name=operator.title(), role=role, by=by)
        for position in range(1, 4):
            for wager in ("royal9", "harmony"):
                self.do(WagerAbsent, position=position, wager=wager)
        return self

    async def staff(self) -> "Desk":
        """Everybody has a PIN."""
        for operator in STAFF:
            await self.pins.keep(operator, PIN, stamp(self.clock.now()))
        return self

    def bet(self, *positions: int, wager: str = "royal9") -> None:
        for position in positions:
            self.do(WagerPresent, position=position, wager=wager)

    def lock(self) -> int:
        self.do(Button)
        return self.state.round

    def deal(self, hand: Hand = NOTHING) -> None:
        self.do(HandComplete, source="console", by=DEALER, **hand)

    def next(self) -> None:
        """Chips collected, the next round open."""
        for place, sensor in list(self.state.sensors.items()):
            if sensor.present:
                position, _, wager = place.partition("/")
                self.do(WagerAbsent, position=int(position), wager=wager)
        self.do(Button)

    def play(self, *positions: int, hand: Hand = NOTHING) -> int:
        self.bet(*positions)
        round_ = self.lock()
        self.deal(hand)
        self.next()
        return round_

    def pending(self) -> list[str]:
        return [award.id for award in self.state.pending()]

    # -- commands --

    def now(self, ahead: float = 0) -> str:
        return stamp(self.clock.now() + round(ahead * 1_000_000))

    async def token(self, operator: str, client: str = "console") -> str:
        """Someone's token at a client, signed in once."""
        if (operator, client) not in self.tokens:
            reply = await self.send("login", client=client, operator=operator, pin=PIN)
            assert reply["ok"], reply
            self.tokens[operator, client] = reply["token"]
        return self.tokens[operator, client]

    async def send(
        self,
        name: str,
        /,
        *,
        client: str = "console",
        retained: bool = False,
        **fields: Any,  # noqa: ANN401 -- each command's own
    ) -> dict[str, Any]:
        """A command as a client sends it, and the reply, which must be of its declared type."""
        sent = {"id": str(uuid4()), "at": self.now()} | fields
        answer = await self.commands.answer(client, name, json.encode(sent), retained=retained)
        assert answer is not None
        id_, payload = answer
        check(topics.reply(client, id_), payload, command=name if name in REPLIES else "")
        reply: dict[str, Any] = json.decode(payload)
        assert (id_, reply["id"]) == (sent["id"], sent["id"])
        assert {"v", "epoch", "seq", "at", "id", "ok"} <= reply.keys()
        assert reply["ok"] == ("error" not in reply)
        return reply

    async def ask(self, name: str, by: str, second: str = "", /, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 -- the same
        """A command of someone signed in."""
        signed: dict[str, Any] = {"token": await self.token(by)}
        if second:
            signed["second"] = await self.token(second)
        return await self.send(name, **(signed | fields))

    def rows(self) -> list[Row]:
        return list(self.journal.rows())
