"""A whole table on real parts: `jackpotd run` as its own process, twins on terminals, SQLite on disk, a real broker.

The test is the players, the dealer, the sign on the wall and the console.
"""

import asyncio
import os
import re
import secrets
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from msgspec import json

from controller import mqtt
from controller.core.evolve import evolve
from controller.core.facts import Recorded, decode
from controller.core.inputs import OperatorChanged, Person, SubmissionChanged
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Engine
from controller.journal.audit.verifying import verify
from controller.journal.reading import open_readonly
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.mqtt import BrokerError, Connection, Said, connection, end
from controller.people.pins import Pins
from controller.rules.errors import BadInputError
from controller.service.starting import configuration, gaming_day_of
from controller.vault import Vault, key_id
from controller.wire.broker import MqttSettings
from drivers.simulated.cctalk import Acceptor, AcceptorBus
from drivers.simulated.dealer import Round
from drivers.simulated.line import TwinLine
from drivers.simulated.modbus import Board, Bus
from drivers.simulated.shoe import TextShoeTwin, tell
from tests import loop
from tests.core.play import MINI, vault
from tests.outlets.brokers import Mosquitto
from tests.people.tables import Clock, Lines
from tests.service import program
from tests.service.program import Program
from tests.service.truth import check_wire

SITE, TABLE = "valley-forge", "mb-07"
BASE = f"jackpot/{SITE}/{TABLE}"
PINS = {"dora": "111222", "flo": "222333", "finn": "333444", "sue": "444555", "sid": "555666", "abe": "666777"}
ROLES = {
    "sue": "supervisor",
    "sid": "supervisor",
    "dora": "dealer",
    "flo": "floorperson",
    "finn": "floorperson",
    "abe": "auditor",
}
CLIENT = "console"
BUTTON = 9
SEEN_AFTER = 8  # questions to both boards: several polls, and the time a debounce takes
WAGERS = ("royal9", "harmony")  # one board each
FAR_CENTS = 2**62  # above its least, so as far as can be: a few wagers must not reach a value by chance
WAIT_SECONDS = program.WAIT_SECONDS
JOIN_SECONDS = 10.0  # for a sign to subscribe: the library does not notice a broker that dies meanwhile


@contextmanager
def patient() -> Iterator[None]:
    """Let the tests' own connections wait for a broker as long as tests do; what is tested runs in other processes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(mqtt, "ANSWER_SECONDS", WAIT_SECONDS)
        yield


class Sign:
    """Someone who hears everything of a table: the newest of each topic, every message, every fact once."""

    def __init__(self, settings: MqttSettings, password: str | None = None) -> None:
        self._settings, self._password = settings, password
        self.topics: dict[str, dict[str, Any]] = {}
        self.heard: set[str] = set()  # on this connection: what else there was may be gone
        self.messages: list[tuple[str, bytes]] = []
        self.kept: set[int] = set()  # which of them came out of what the broker keeps: nobody said them just then
        self.facts: list[dict[str, Any]] = []
        self.again = 0  # facts told more than once, which a consumer drops by their number
        self.connections = 0

    async def run(self) -> None:
        """Listen, and come back when the broker does."""
        while True:
            with suppress(BrokerError, TimeoutError):
                async with (
                    asyncio.timeout(JOIN_SECONDS) as joining,
                    connection(self._settings, f"sign-{id(self)}", password=self._password) as broker,
                ):
                    self.heard.clear()
                    await broker.subscribe([f"{BASE}/#"])
                    if joining.expired():  # and the library lost that: see `controller.mqtt.end`
                        continue
                    joining.reschedule(None)
                    self.connections += 1
                    while True:
                        heard = await broker.hear()
                        if heard.retained:
                            self.kept.add(len(self.messages))
                        self._take(heard.topic.removeprefix(f"{BASE}/"), heard.payload)
            await asyncio.sleep(0.005)  # sooner than the controller: facts said to nobody are not said again

    def _take(self, topic: str, payload: bytes) -> None:
        self.messages.append((topic, payload))
        if not payload:
            self.topics.pop(topic, None)
            return
        if topic.startswith(("commands/", "replies/")):
            return
        told = json.decode(payload)
        self.topics[topic] = told
        self.heard.add(topic)
        if topic == "events":
            last = self.facts[-1]["seq"] if self.facts else 0
            new = [fact for fact in told["facts"] if fact["seq"] > last]
            self.again += len(told["facts"]) - len(new)
            self.facts += new

    @property
    def told(self) -> list[tuple[str, dict[str, Any]]]:
        """Every message that said something, in order."""
        own = ("commands/", "replies/")
        heard = [(topic, payload) for topic, payload in self.messages if payload and not topic.startswith(own)]
        return [(topic, json.decode(payload)) for topic, payload in heard]

    def meter(self, id_: str) -> int:
        """What a meter shows."""
        cents: int = self.topics[f"meters/{id_}"]["display_cents"]
        return cents

    @property
    def state(self) -> str:
        """What the status says."""
        return str(self.topics.get("status", {}).get("state", ""))

    @property
    def phase(self) -> str:
        """The phase the sign was told last."""
        return str(self.topics.get("round", {}).get("phase", ""))

    def lamp(self, position: int, wager: str = "royal9") -> str:
        """A lamp, as the sign was told."""
        lamp: str = self.topics["round"]["positions"][str(position)][wager]
        return lamp


class House(Program):
    """The table, the people, and the process that keeps it."""

    JOURNAL = "journal.db"
    # Polled often enough, and patient: a machine that is busy with something else loses no board.
    PACE = "poll_ms = 20\nstale_ms = 8000\n"

    def __init__(
        self,
        folder: Path,
        broker: Mosquitto,
        *,
        toml: str = MINI,
        settings: str = "",
        wagers: tuple[str, ...] = WAGERS,
        **mqtt: object,
    ) -> None:
        super().__init__()
        self.wagers = wagers
        loop = asyncio.get_running_loop()
        self.folder = folder
        self.broker = broker
        self.boards = [Board(1, inputs=16, coils=16), Board(2, inputs=16, coils=16)]
        self.bus = Bus(self.boards, loop.time)
        self.shoe = TextShoeTwin()
        self.slot = Acceptor(needs_polling=False)
        self.lines = {
            "rail": TwinLine(folder / "rail", self.bus),
            "slots": TwinLine(folder / "slots", AcceptorBus([self.slot])),
            "shoe": TwinLine(folder / "shoe", self.shoe),
        }
        self.config = folder / "table.toml"
        self.journal = folder / self.JOURNAL
        self.keys = folder / "keys"
        self.config.write_text(toml)
        self.config.with_suffix(".service.toml").write_text(self._settings(mqtt) + settings)
        self.sign = Sign(*self.speaking_as("witness"))
        self.tokens: dict[str, str] = {}
        self.ahead = 0  # seconds of the console's clock before the machine's
        self.environ: dict[str, str] = {}
        self.never_started = True
        self._read_up_to = State()

    def _settings(self, mqtt: Mapping[str, object]) -> str:
        boards = "".join(
            f'[[devices.rail.boards]]\nid = "{wager}"\naddress = {address}\n'
            f"inputs = [{self._chips(wager)}{', { at = 9, button = true }' if address == 1 else ''}]\n"
            f"lamps = [{self._lamps(wager)}]\n"
            for address, wager in enumerate(self.wagers, start=1)
        )
        given = {"port": self.broker.port, **mqtt}
        said = "".join(f"{name} = {json.encode(value).decode()}\n" for name, value in given.items())
        return (
            f'[devices.rail]\ndriver = "modbus"\nport = "{self.lines["rail"].path}"\nbaudrate = 115200\n'
            f"{self.PACE}debounce_ms = 5\nsilence_ms = 0\nreply_ms = 300\n{boards}"
            f'[devices.shoe]\ndriver = "text-shoe"\nport = "{self.lines["shoe"].path}"\n'
            f'[journal]\npath = "{self.journal}"\n[software]\nallow_unsigned = true\n'
            f"[button]\nreopen_after_ms = 0\n[mqtt]\n{said}"
        )

    def _chips(self, wager: str) -> str:
        return ", ".join(
            f'{{ at = {position - 1}, position = {position}, wager = "{wager}" }}' for position in range(1, 10)
        )

    def _lamps(self, wager: str) -> str:
        """One lamp of one colour for each chip."""
        return self._chips(wager)

    # -- the process --

    async def prepare(self) -> None:
        """Keys, and people who may sign in."""
        self.keys.mkdir(mode=0o700)
        for name in ("vault-key", "pin-pepper", "mqtt-password"):
            (self.keys / name).touch(0o600)
            (self.keys / name).write_text(secrets.token_hex(32))
        with self.stopped() as (journal, engine):
            pepper = bytes.fromhex((self.keys / "pin-pepper").read_text())
            pins = Pins(journal, pepper, memory_kib=8, passes=1)  # quick; the hash says how it was made
            for operator, role in ROLES.items():
                by = None if operator == "sue" else Person("sue", "supervisor")
                second = Person("sid", "supervisor") if role == "floorperson" else None
                at = stamp(Clock().now())
                added = OperatorChanged(
                    at=at, key=operator, operator=operator, name=operator.title(), role=role, by=by, second=second
                )
                (answer,) = engine.step([added])
                assert answer.ok, answer
                await pins.keep(operator, PINS[operator], at)

    @contextmanager
    def stopped(self, chance: Vault | None = None) -> Iterator[tuple[SqliteJournal, Engine]]:
        """The journal while the controller does not run."""
        with SqliteJournal(self.journal) as journal:
            engine = Engine(load(journal), journal, chance or vault(), Clock(), Lines())
            yield journal, engine
            engine.stop()

    def file(self, above_cents: int) -> None:
        """File the submission, as a first start does, with first mystery values so far above their least."""
        key = bytes.fromhex((self.keys / "vault-key").read_text())
        known = Vault({key_id(key): key}, key_id(key), randbelow=lambda below: min(above_cents, below - 1))
        with self.stopped(known) as (_, engine):
            if engine.state.filed is not None:
                return
            now = Clock().now()
            found = configuration(self.config, now)
            filed = SubmissionChanged(
                at=stamp(now),
                key="filed",
                toml=found.toml,
                day=gaming_day_of(found.files, now),
                reason="the first of this journal",
                links=found.settings.link.links,
            )
            (answer,) = engine.step([filed])
            assert answer.ok, answer

    async def start(self, *, ready: bool = True, heard: bool = True, **environ: str) -> None:
        """Start the controller, and wait until it keeps the table; and, if it can be heard, until the sign says so."""
        if self.never_started and re.search("^(mystery|must_hit_by) = ", self.config.read_text(), re.MULTILINE):
            with suppress(BadInputError):  # the start says it
                self.file(FAR_CENTS)
        self.never_started = False
        begun = len(self.log)
        self.environ = {**os.environ, "CREDENTIALS_DIRECTORY": str(self.keys), **environ}
        await self.launch("run", "--config", str(self.config), env=self.environ)
        if ready:
            await self.until(lambda: self.logged("ready", begun) or not self.runs)
            assert self.runs, self.raw_log.decode()
        if ready and heard:
            (*_, line) = self.logged("ready")
            await self.until(lambda: self.sign.topics.get("status", {}).get("epoch") == line["epoch"])
            await self.until(lambda: self.sign.state in {"online", "faulted"})
            await self.until(lambda: self.sign.topics.get("round", {}).get("epoch") == line["epoch"])

    @asynccontextmanager
    async def unheard(self) -> AsyncIterator[None]:
        """Hold the controller still while the broker comes back, until the sign hears: nobody repeats a fact for it."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
            await self._sign_hears()
        finally:
            self.process.send_signal(signal.SIGCONT)

    async def _sign_hears(self) -> None:
        """Wait until something that is said now comes to the sign: an award nobody knows, emptied."""
        topic = f"awards/echo-{uuid4()}"
        async with asyncio.timeout(WAIT_SECONDS), self.as_client() as broker:
            while (topic, b"") not in self.sign.messages:  # one that was thrown out meanwhile has missed the last
                await broker.publish(Said(f"{BASE}/{topic}", b""))

    # -- the console --

    async def ask(self, name: str, /, client: str = CLIENT, **fields: object) -> dict[str, Any]:
        """Send a command, and wait for the reply."""
        at = datetime.now(UTC) + timedelta(seconds=self.ahead)
        request = {"id": str(uuid4()), "at": at.isoformat(), **fields}
        async with self.as_client(client) as broker:
            return await asked(broker, name, request, client)

    @asynccontextmanager
    async def as_client(self, client: str = CLIENT) -> AsyncIterator[Connection]:
        """A connection that hears the replies of a client."""
        settings, password = self.speaking_as(client)
        async with connection(settings, f"{client}-{uuid4()}", password=password) as broker:
            await broker.subscribe([f"{BASE}/replies/{client}/+"])
            yield broker

    def speaking_as(self, user: str) -> tuple[MqttSettings, str | None]:
        """How a user reaches the broker. This one knows no users."""
        del user
        return MqttSettings(port=self.broker.port), None

    async def sign_in(self, *operators: str) -> None:
        """Sign people in at the console."""
        for operator in operators:
            reply = await self.ask("login", operator=operator, pin=PINS[operator])
            assert reply["ok"], reply
            self.tokens[operator] = reply["token"]

    async def do(self, name: str, /, by: str, second: str = "", **fields: Any) -> dict[str, Any]:  # noqa: ANN401 -- as the command has them
        """A command of someone signed in, which succeeds."""
        tokens = {"token": self.tokens[by], **({"second": self.tokens[second]} if second else {})}
        reply = await self.ask(name, **tokens, **fields)
        assert reply["ok"], reply
        return reply

    # -- the table --

    def chip(self, position: int, wager: str = "royal9", *, there: bool = True) -> None:
        """Put a chip on a sensor, or lift it."""
        self.boards[self.wagers.index(wager)].sense(position - 1, on=there)

    async def bet(self, *positions: int, wager: str = "royal9") -> None:
        """Chips, and the lamps that say they are seen."""
        for position in positions:
            self.chip(position, wager)
        await self.until(lambda: all(self.sign.lamp(each, wager) == "placed" for each in positions))

    async def press(self, *to: str) -> None:
        """Press the button until the sign says another phase, and let it go."""
        self.boards[0].sense(BUTTON, on=True)
        await self.until(lambda: self.sign.phase in to)
        await self.let_go()

    async def let_go(self) -> None:
        """Let the button go, and wait until the boards were asked often enough that it was seen."""
        self.boards[0].sense(BUTTON, on=False)
        before = self.bus.questions
        await self.until(lambda: self.bus.questions >= before + SEEN_AFTER)

    async def lock(self) -> None:
        """No more bets."""
        await self.press("locked")

    async def reopen(self) -> None:
        """Chips collected, the next round."""
        for position in range(1, 10):
            for wager in self.wagers:
                self.chip(position, wager, there=False)
        round_ = self.sign.topics["round"]["round"]
        self.boards[0].sense(BUTTON, on=True)
        await self.until(lambda: self.sign.topics["round"]["round"] == round_ + 1 and self.sign.phase == "open")
        await self.let_go()
        await self.until(lambda: "placed" not in str(self.sign.topics["round"]["positions"]))

    def deal(self, played: Round) -> None:
        """Cards out of the shoe."""
        for message in tell(played, self.shoe):
            self.lines["shoe"].send(message)

    async def open(self) -> None:
        """The dealer signs in and opens the table."""
        await self.sign_in("dora")
        await self.do("open-table", "dora")
        await self.until(lambda: self.sign.phase == "open")

    # -- what is true --

    def state(self) -> State:
        """The state, from the journal on disk alone."""
        with open_readonly(self.journal) as journal:
            rows = journal.db.execute(
                "SELECT at, round, type, version, payload FROM facts WHERE seq > ? ORDER BY seq", [self._read_up_to.seq]
            ).fetchall()
        for at, round_, *stored in rows:
            self._read_up_to = evolve(self._read_up_to, Recorded(at, round_, decode(*stored)))
        return self._read_up_to

    def head(self) -> int:
        """The last fact on disk."""
        with open_readonly(self.journal) as journal:
            return journal.head().seq

    async def agree(self) -> State:
        """Wait until the sign shows what the journal on disk adds up to, to the cent; and return that."""
        state = self.state()

        def same() -> bool:
            nonlocal state
            state = self.state()
            # What ended while the broker was away, and with it what it retained, nobody says again.
            topics = {topic: told for topic, told in self.sign.topics.items() if topic in self.sign.heard}
            shown = {
                topic.removeprefix("meters/"): told["display_cents"]
                for topic, told in topics.items()
                if topic.startswith("meters/")
            }
            pending = {topic.removeprefix("awards/") for topic in topics if topic.startswith("awards/")}
            return (
                shown == {id_: meter.display_cents for id_, meter in state.meters.items()}
                and pending == {award.id for award in state.pending()}
                and topics.get("round", {}).get("round") == state.round
            )

        await self.until(same, pause=0.05)
        return state

    async def until(self, true: Callable[[], object], pause: float = 0.005) -> None:
        """Wait until something is so."""
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while not true():
                    await asyncio.sleep(pause)
        except TimeoutError:
            said = {topic: told for topic, told in self.sign.topics.items() if topic in {"status", "round"}}
            pytest.fail(f"it did not happen; the sign says {said}; the log ends {self.raw_log[-2000:].decode()}")


class HurriedHouse(House):
    """The same for people who do not wait, and for lines that are cut."""

    PACE = "poll_ms = 5\nstale_ms = 1500\n"


async def asked(broker: Connection, name: str, request: dict[str, Any], client: str = CLIENT) -> dict[str, Any]:
    """Send one request on a connection, and wait for its reply."""
    await broker.publish(Said(f"{BASE}/commands/{client}/{name}", json.encode(request)))
    async with asyncio.timeout(WAIT_SECONDS):
        while True:
            heard = await broker.hear()
            if heard.topic == f"{BASE}/replies/{client}/{request['id']}":
                reply: dict[str, Any] = json.decode(heard.payload)
                return reply


def in_a_house(
    folder: Path,
    scene: Callable[[House], Awaitable[None]],
    *,
    toml: str = MINI,
    settings: str = "",
    **more: Any,  # noqa: ANN401 -- as `House` has them
) -> House:
    """Play a scene at a table that is plugged in and not yet started; at the end its journal must be whole."""
    return in_house_of(House, folder, scene, toml=toml, settings=settings, **more)


H = TypeVar("H", bound=House)


def in_house_of(
    kind: type[H],
    folder: Path,
    scene: Callable[[H], Awaitable[None]],
    **more: Any,  # noqa: ANN401 -- as `House` has them
) -> H:
    """The same in a house of another kind."""

    async def main() -> H:
        broker = Mosquitto(folder)
        await broker.start()
        house = kind(folder, broker, **more)
        await house.prepare()
        for line in house.lines.values():
            line.plug()
        watching = asyncio.create_task(house.sign.run())
        try:
            await scene(house)
            if house.runs:
                assert await house.stop() == 0, house.raw_log.decode()
        finally:
            if house.runs:
                await house.kill()
            await end(watching)
            for line in house.lines.values():
                line.unplug()
            broker.close()
        return house

    with patient():
        house = loop.run(main())
    check_wire(house.sign.messages)
    with open_readonly(house.journal) as journal:
        verdict = verify(journal)
    assert verdict.bad is None, verdict
    return house
