"""The world of one run: a clock, a disk, a broker, wires, people, and a controller that lives again and again."""

import asyncio
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, Protocol

from controller.core.inputs import OperatorChanged, Person
from controller.core.times import stamp
from controller.journal.archive.whole import archived_rows
from controller.journal.errors import JournalError
from controller.journal.sqlite import SqliteJournal
from controller.mqtt import Said
from controller.people.stopped import Stopped
from controller.simulation import trace
from controller.simulation.broker import Broker, Message
from controller.simulation.choices import Choices
from controller.simulation.desk import EVERYBODY, SUPERVISORS, Desk
from controller.simulation.disk import PowerCutError, SimulatedDisk
from controller.simulation.felt import Felt
from controller.simulation.layout import JOURNAL, Layout
from controller.simulation.life import OTHER_FILE, Around, Life
from controller.simulation.play import Play
from controller.simulation.signs import Books, Sign
from controller.simulation.trace import Trace
from controller.simulation.virtual import Clock, VirtualLoop
from controller.wire import topics
from drivers.simulated.line import CLEAN

BEGIN = 1_794_841_200_000_000  # 16 November 2026, 15:00 UTC: a winter's morning at the table
STRETCH = 30.0  # the controller looks after its disk every five minutes instead of every ten seconds


class Listens(Protocol):
    """A subscriber of the simulation."""

    @property
    def name(self) -> str:
        """As the broker knows it."""

    @property
    def filters(self) -> tuple[str, ...]:
        """What it subscribes to."""

    def hear(self, message: Message) -> None:
        """Something was published."""


class House:
    """A run under way."""

    def __init__(  # noqa: PLR0913, PLR0917 -- what a run is made of
        self, seed: int, loop: VirtualLoop, trace_: Trace, folder: Path, plan: Layout, choices: Choices
    ) -> None:
        self.seed, self.loop, self.trace, self.layout = seed, loop, trace_, plan
        self.clock = Clock(loop, BEGIN, STRETCH)
        self.disk = SimulatedDisk(seed, milliseconds=lambda: self.clock.now() // 1000)
        self.broker = Broker(loop, Random(f"{seed} broker"), self._taken)
        self.felt = Felt(plan, loop, trace_, Random(f"{seed} wires"))
        self.around = Around(loop, trace_, self.clock, self.disk, self.broker, self.felt, seed, fair=choices.fair)
        base = topics.base(plan.site, plan.table)
        self.base = base
        self.eye = Sign("sign-1", base, loop, trace_)
        self.signs = [self.eye, Sign("sign-2", base, loop, trace_)]
        self.books = Books("books", base, loop, trace_)
        self.desk = Desk("console", base, self.broker, loop, BEGIN, trace_, Random(f"{seed} desk"))
        self.play = Play(self.felt, self.eye, self.desk, seed, choices.hours)
        self.life: Life | None = None
        self.lives = 0
        self.config = folder / "table.toml"
        self.filed = ""
        self.sent: list[str] = [plan.toml]  # every submission that may be in force
        self.file(plan.toml)
        (folder / "table.service.toml").write_text(plan.settings())
        self.stopping = False
        self.cuts_to_come: list[int] = []  # of the next lives, each after so many writes
        self.facts = 0
        self.errors: list[str] = []

    def _taken(self, life: int, said: Said) -> None:
        self.trace.add(trace.Said(at=self.loop.microseconds(), life=life, **said._asdict()))

    async def enrol(self) -> None:
        """Let everybody in, as `operators add --offline` does."""
        with SqliteJournal(JOURNAL, self.disk) as journal:
            table, pins = Stopped(journal, self.clock), self.around.pins(journal, self.around.pepper)
            sue, sid = (Person(each.id, each.role) for each in SUPERVISORS)
            for number, member in enumerate(EVERYBODY):
                added = OperatorChanged(
                    at=stamp(self.clock.now()),
                    key=f"enrol-{member.id}",
                    operator=member.id,
                    name=member.id.title(),
                    role=member.role,
                    by=sue if number else None,
                    second=sid if number > 1 else None,
                )
                answer = await table.submit(added)
                if not answer.ok:
                    raise RuntimeError(f"{member.id} cannot be let in: {answer.why}")
                await pins.keep(member.id, member.pin, stamp(self.clock.now()))

    def subscribe(self) -> None:
        """Everybody who listens connects to the broker, and hears what it retains."""
        every: tuple[Listens, ...] = (*self.signs, self.books, self.desk)
        for each in every:
            self.broker.subscribe(each.name, each.filters, each.hear)

    def note_error(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """An error that nobody took: of a life that still has its power it is one of the product."""
        error = context.get("exception")
        if not isinstance(error, PowerCutError | OSError | JournalError) and not self.disk.is_off:
            self.errors.append(f"{context.get('message')}: {error!r}")

    # -- the controller --

    def file(self, toml: str) -> None:
        """The technician puts a Rules Submission where the controller reads it."""
        self.filed = toml
        self.config.write_text(toml)

    async def keep(self) -> None:
        """What systemd and the technician do: start the controller again whenever it has ended."""
        chance, refused = Random(f"{self.seed} keeper"), 0
        while not self.stopping:
            self.lives += 1
            if self.cuts_to_come:
                self.disk.cut(self.cuts_to_come.pop())
            life = self.life = Life(self.lives, self.around, self.config)
            await life.over.wait()
            await asyncio.sleep(chance.uniform(0.5, 20))
            if self.disk.is_off:
                self.disk.restart()
            if not life.expected:
                self.errors.append(f"the controller ended by itself: {life.why}")
            if OTHER_FILE in life.why:  # a reply was lost: the technician tries another
                refused += 1
                self.file(self.sent[-1 - refused % len(self.sent)])

    def cut_power(self, writes: int) -> None:
        """Take the power away: at that write from now, or at once."""
        if writes:
            self.disk.cut(writes)
        elif self.life is not None:
            self.life.lose_power()

    def power_gone(self) -> None:
        """The disk has lost its power in the midst of a write."""
        if self.life is not None:
            self.life.lose_power()

    def set_clock(self, by: int) -> None:
        """The controller's clock is set."""
        if by:
            self.clock.set_by += by
            self.trace.add(trace.ClockStepped(at=self.loop.microseconds(), by=by))

    def heal(self) -> None:
        """Everything is as it should be again."""
        self.disk.failing.clear()
        self.disk.ballast = 0
        self.disk.spare()
        self.cuts_to_come.clear()
        self.set_clock(-self.clock.set_by)
        for cable in self.felt.cables.values():
            cable.condition, cable.plugged = CLEAN, True
            cable.stir()
        self.felt.bus.silent.clear()
        for acceptor in self.felt.slots.values():
            acceptor.answers = True
        self.felt.button_lost = False
        for place in list(self.felt.stuck):
            del self.felt.stuck[place]
            self.felt.look_at(*place)
        self.broker.up = self.broker.reachable = True
        self.broker.twice = self.broker.slow_seconds = 0.0
        self.subscribe()

    async def close(self) -> None:
        """Stop the controller in good order, and read its journal."""
        self.stopping = True
        if self.life is not None:
            self.life.stop()
            await self.life.over.wait()
        if self.disk.is_off:
            self.disk.restart()
        now = self.loop.microseconds()
        with SqliteJournal(JOURNAL, self.disk) as journal:
            for row in chain(archived_rows(JOURNAL, self.disk), journal.rows(journal.anchor().seq)):
                self.trace.add(
                    trace.Row(
                        at=now,
                        seq=row.seq,
                        told_at=row.at,
                        round=row.round,
                        type=row.type,
                        version=row.version,
                        payload=row.payload.encode(),
                        hash=row.hash.hex(),
                    )
                )
            self.facts = journal.head().seq
        self.trace.add(trace.Ended(at=now))
        self.disk.close()
