"""A demonstration from its first word to its summary: what is started in which order, and ended in the other."""

import asyncio
import secrets
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec import UNSET, Struct, json
from rich.console import Console

from controller import mqtt
from controller.demo.broker import LOOPBACK, Told
from controller.demo.children import Child, ChildEndedError, jackpotd
from controller.demo.linking import DemoLink
from controller.demo.pace import Pace
from controller.demo.people import introduced
from controller.demo.rights import CONTROLLER, RIGHTS, SITE, STAFF
from controller.demo.showing import in_lines, on_a_terminal
from controller.demo.state import State, held
from controller.demo.summary import Counted, counted, proven, told
from controller.demo.table import DemoTable
from controller.demo.twins import StalledError
from controller.demo.view import About
from controller.demo.watching import Watched
from controller.rules.errors import BadInputError
from controller.wire.broker import MqttSettings

MOST_TABLES = 8  # a pit; and about as many controllers as a small computer runs at once
MOST_ROUNDS = 10_000_000  # weeks at full speed
BROKER_SECONDS = 30.0  # for the embedded broker to say where it listens
AGREE_SECONDS = 5.0  # for tables of a link, which look at it a few times a second
PASSWORD_BYTES = 24
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Wanted(Struct, frozen=True, kw_only=True):
    """What was asked for."""

    folder: Path
    speed: float = 10.0
    rounds: int = 0  # at each table; 0: until somebody ends it
    tables: int = 1
    broker: tuple[str, int] | None = None  # None: the embedded one
    port: int = 8080  # of the console
    has_console: bool = False  # whether there is one to be started
    seed: int | None = None
    link: str = ""  # the DSN of a database in which the tables share a meter
    has_floor: bool = True  # otherwise what is won waits for whoever signs in at the console

    def __post_init__(self) -> None:
        if not 1 <= self.tables <= MOST_TABLES:
            raise BadInputError(f"--tables {self.tables}: from 1 to {MOST_TABLES}")
        if not 0 <= self.rounds <= MOST_ROUNDS:
            raise BadInputError(f"--rounds {self.rounds}: from 1 to {MOST_ROUNDS}, or leave it out to play on")


class Voice(NamedTuple):
    """How it speaks: a terminal or a pipe, lines to whoever watches, and what went wrong."""

    console: Console
    say: Callable[[str], None]
    complain: Callable[[str], None]


def demonstrate(wanted: Wanted, voice: Voice) -> int:
    """Play, and say how it went; the exit code."""
    pace = Pace(wanted.speed)
    with held(wanted.folder) as state:
        return asyncio.run(_Demonstration(wanted, state, pace, voice).run())


class _Demonstration:
    def __init__(self, wanted: Wanted, state: State, pace: Pace, voice: Voice) -> None:
        self._wanted = wanted
        self._state = state
        self._pace = pace
        self._voice = voice
        self._passwords: dict[str, str] = {}
        self._link: DemoLink | None = None

    async def run(self) -> int:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for each in _SIGNALS:
            loop.add_signal_handler(each, stop.set)
        chance = Random(self._wanted.seed)  # noqa: S311 -- players and cards of a demonstration
        names = [f"mb-{number:02}" for number in range(1, self._wanted.tables + 1)]
        tables = [DemoTable(name, self._state, self._pace, Random(chance.getrandbits(64))) for name in names]  # noqa: S311 -- as above
        failed = ""
        try:
            await self._run(tables, stop)
        except (ChildEndedError, StalledError) as error:
            failed = str(error)
        whole = await self._sum_up(tables)
        if failed:
            self._voice.complain(failed)
        return 0 if whole and not failed else 1

    async def _run(self, tables: list[DemoTable], stop: asyncio.Event) -> None:
        """Start everything in order, wait for the end, and end everything in the other order."""
        async with AsyncExitStack() as ending:
            children: list[Child] = []

            def keep(child: Child) -> Child:
                ending.push_async_callback(child.stop)
                children.append(child)
                return child

            self._refuse_taken_port()
            broker = await self._reach_broker(keep)
            shown = {"port": self._wanted.port, "tables": [f"{SITE}/{table.name}" for table in tables]}
            more: dict[str, Mapping[str, object]] = {"console": shown} if self._wanted.has_console else {}
            if self._wanted.link:
                self._link = DemoLink(self._wanted.link, self._state)
                more["link"] = self._link.settings()
            watching: list[asyncio.Task[None]] = []
            ending.push_async_callback(_end, watching)
            for table in tables:
                await table.prepare(self._as(broker, CONTROLLER), more)
                ending.enter_context(table.twin.plugged())
                watching.append(asyncio.create_task(table.watch(*self._staff(broker))))
            if self._link is not None:
                await self._link.open([table.config for table in tables])
            for table in tables:
                keep(await table.start())
            if self._wanted.has_console:
                keep(await self._start_console(tables[0]))
            showing = [asyncio.create_task(self._show(tables, broker))]
            ending.push_async_callback(_end, showing)
            await self._play(tables, children, showing, broker, stop)
            if self._link is not None:
                await _agree([table.watched for table in tables])

    async def _play(
        self,
        tables: list[DemoTable],
        children: list[Child],
        showing: list[asyncio.Task[None]],
        broker: MqttSettings,
        stop: asyncio.Event,
    ) -> None:
        """Play at every table until all are done, somebody has had enough, or a child has died."""
        staffed, rounds = self._wanted.has_floor, self._wanted.rounds
        playing = [
            asyncio.create_task(table.play(*self._staff(broker), rounds, stop, staffed=staffed)) for table in tables
        ]
        living = [asyncio.create_task(child.ended()) for child in children]
        try:
            left: set[asyncio.Task[None]] = set(playing)
            while left:
                done, _ = await asyncio.wait([*left, *living, *showing], return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()  # raises what ended it
                left -= done
        finally:
            await mqtt.end(*playing, *living)
            await asyncio.gather(*playing, *living, return_exceptions=True)

    def _refuse_taken_port(self) -> None:
        """Refuse before anything is started what the console would find out only then."""
        if not self._wanted.has_console:
            return
        try:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((LOOPBACK, self._wanted.port))
        except OSError as error:
            raise BadInputError(
                f"--port {self._wanted.port}: nobody can listen there ({error.strerror}): name another with --port N"
            ) from error

    async def _reach_broker(self, keep: Callable[[Child], Child]) -> MqttSettings:
        """Start the embedded broker, or see that the given one answers."""
        if self._wanted.broker is None:
            self._passwords = {user: secrets.token_urlsafe(PASSWORD_BYTES) for user in RIGHTS}
            self._state.make_credentials(self._passwords)
            return MqttSettings(host=LOOPBACK, port=await self._start_broker(keep))
        self._state.make_credentials({})
        host, port = self._wanted.broker
        settings = MqttSettings(host=host, port=port, allow_plain_text_over_the_network=True)
        try:
            async with mqtt.connection(settings, "demonstration-look"):
                return settings
        except mqtt.BrokerError as error:
            raise BadInputError(f"--broker {host}:{port}: no broker lets us in there: {error}") from error

    async def _start_broker(self, keep: Callable[[Child], Child]) -> int:
        command = [*jackpotd()[:-1], "controller.demo.broker"]
        child = keep(await Child.start("the broker", command, self._state.folder / "broker.log", {}, talks=True))
        process = child.process
        if process.stdin is None or process.stdout is None:
            raise ChildEndedError("the broker was started without a way to talk to it")
        process.stdin.write(json.encode(Told(self._passwords)))
        async with asyncio.timeout(BROKER_SECONDS):
            said = await process.stdout.readline()
            if not said:
                await child.ended()
        return int(said)

    async def _start_console(self, table: DemoTable) -> Child:
        command = jackpotd("console", "--config", str(table.config))
        credentials = {"CREDENTIALS_DIRECTORY": str(self._state.console)}
        return await Child.start("the console", command, self._state.folder / "console.log", credentials)

    def _as(self, broker: MqttSettings, user: str) -> MqttSettings:
        """The broker as one user sees it; on a given broker nobody is anybody."""
        return MqttSettings(
            host=broker.host,
            port=broker.port,
            user=user if self._passwords else "",
            allow_plain_text_over_the_network=broker.allow_plain_text_over_the_network,
        )

    def _staff(self, broker: MqttSettings) -> tuple[MqttSettings, str | None]:
        return self._as(broker, STAFF), self._passwords.get(STAFF)

    async def _show(self, tables: list[DemoTable], broker: MqttSettings) -> None:
        wanted = self._wanted
        host, port = broker.address()
        about = About(
            speed=f"speed {wanted.speed:g}" if wanted.speed else "full speed",
            address=f"http://{LOOPBACK}:{wanted.port}" if wanted.has_console else "",
            broker=f"{host}:{port}",
            state=str(self._state.folder),
            staff=introduced(),
            rounds_wanted=wanted.rounds * wanted.tables,
        )
        watched = [table.watched for table in tables]

        def rounds() -> int:
            return sum(table.rounds for table in tables)

        if self._voice.console.is_terminal:
            await on_a_terminal(self._voice.console, about, watched, rounds)
        else:
            names = ", ".join(table.name for table in tables)
            opened = f"open {about.address}; " if about.address else ""
            self._voice.say(f"DEMONSTRATION: {names}; {opened}broker {about.broker}, state in {about.state}")
            await in_lines(self._voice.say, watched, rounds)

    async def _sum_up(self, tables: list[DemoTable]) -> bool:
        """Say what it came to; whether every journal is whole."""
        found = [table for table in tables if table.journal.exists()]
        total = sum((counted(table.journal, table.began_after) for table in found), Counted())
        verdicts = [proven(table.journal) for table in found]
        if self._link is not None and found:
            verdicts.append(await self._link.audited(found[0].config, [table.journal for table in found]))
        for line in told(total, max(table.seconds for table in tables), [table.watched for table in found], verdicts):
            self._voice.say(line)
        return all(verdict.whole for verdict in verdicts)


async def _agree(tables: list[Watched]) -> None:
    """Let every table of a link look at it once more, and show what the last lock-out anywhere made of it."""

    def seen(table: Watched) -> dict[str, int]:
        return {id_: meter.link_seq for id_, meter in table.meters.items() if meter.link_seq is not UNSET}

    newest = max(tables, key=lambda table: sum(seen(table).values()))
    for table in tables:
        await table.until(lambda table=table: seen(table) == seen(newest), AGREE_SECONDS)  # type: ignore[misc]  # as it is now


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    await mqtt.end(*tasks)
    await asyncio.gather(*tasks, return_exceptions=True)
