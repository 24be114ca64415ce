"""The parts of one table, made and tied together: journal, engine, people, broker, devices. Nothing runs yet."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import json

from controller.commands import Commands
from controller.core.inputs import ControllerStarted, Input, SubmissionChanged, Tick
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Clock, Engine, EngineStoppedError, sealed_values
from controller.intake.devices import Intake, bookmarks
from controller.journal.reading import open_readonly
from controller.journal.rows import Entry, Head, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.outlets.broker import Broker, Stand
from controller.outlets.heads import Identity
from controller.outlets.link import LinkClient
from controller.outlets.messages import retained
from controller.outlets.table import TableLines
from controller.people.pins import Pins
from controller.people.signing_in import SigningIn
from controller.service import told
from controller.service.linking import derivations, sessions
from controller.service.logs import Log
from controller.service.retention import Retention
from controller.service.software import Software
from controller.service.starting import Configuration, Credentials, gaming_day_of
from controller.service.world import REAL, World
from controller.wire.link import LinkSettings
from drivers import registry
from drivers.events import Event


class RefusedToStartError(Exception):
    """Why there is no service; what is on disk is as it was."""


class MadeOf(NamedTuple):
    """What a table is made of, besides its journal."""

    found: Configuration
    secrets: Credentials
    software: Software
    clock: Clock
    log: Log
    instance: str = ""  # of this process, to the broker
    world: World = REAL


class Table:
    """The parts of one table, made and tied together; nothing runs yet."""

    def __init__(self, made_of: MadeOf, journal: SqliteJournal, state: State) -> None:
        found, secrets, software, clock, log, instance, world = made_of
        settings = found.settings
        self.journal = journal
        self._clock = clock
        self._log = log
        self._world = world
        self.link: LinkClient | None = None
        self.lines = TableLines(lambda why: log.error("faulted", why=why), self._asked)
        warn, seconds = settings.journal.warn_free_mb, world.seconds
        self.machine = world.machine(clock, Path(journal.path), warn, lambda: self.engine.state, seconds)
        self.broker: Broker | Any = None
        every = world.snapshot_every
        commit = self._commit
        self.engine = Engine(
            *(state, journal, secrets.vault, clock, self.lines),
            committer=commit,
            archiver=commit,
            snapshot_every=every,
        )
        self.machine.waiting = lambda: self.engine.waiting
        if settings.link.name:
            self.link = self.machine.link = self._linked(settings.link, secrets, instance)
        self._first_facts(found, secrets, software)
        self.identity = Identity(
            site=found.site,
            table=found.table,
            epoch=self.engine.state.epoch,
            mode=settings.mode,
            instance=instance,
        )
        if not software.signed:
            self.machine.standing["software"] = "a checkout, which cannot be checked"
        pins = world.pins(journal, secrets.pepper, old=secrets.old_pepper)
        self._keys_told(secrets, pins)
        signing_in = SigningIn(self.engine, pins, world.tokens(), clock, seconds)
        self.machine.guessing = signing_in.guessing
        self.commands = Commands(
            self.engine,
            signing_in,
            lambda: open_readonly(journal.path, journal.place, [settings.journal.archives]),
            clock,
            self.identity.epoch,
            links=settings.link.links,
            linked=self.machine.linked,
            ask_link=derivations(settings.link, secrets.link_password) if settings.link.name else None,
            elsewhere=world.elsewhere,
            seconds=seconds,
        )
        self.broker = Broker(
            settings.mqtt,
            self.identity,
            self.engine,
            journal,
            clock,
            password=secrets.password,
            answer=self.commands.answer,
            around=self.machine,
            changed=self._broker_changed,
            failed=lambda name, error: log.error("command-failed", command=name, exc_info=error),
            connect=world.connect,
            alive_seconds=world.alive_seconds,
        )
        self.intake = Intake(
            self.engine,
            clock,
            settings.button,
            settings.coins,
            decided=lambda: self.lines.open_slots(self.engine.state),
        )
        self.retention = Retention(
            self.engine,
            journal,
            settings.journal,
            self.machine,
            clock,
            log,
            packer=world.packer,
            elsewhere=world.elsewhere,
        )
        made = registry.make(settings.lines, self._taken, bookmarks(self.engine.state), world.open_port)
        self.drivers = tuple(map(world.seen, made.values()))
        for each in (self.intake, self.lines, self.machine):
            each.serve(self.drivers)

    def _linked(self, settings: LinkSettings, secrets: Credentials, instance: str) -> LinkClient:
        return LinkClient(
            settings.name,
            sessions(settings, secrets.link_vault, secrets.link_password),
            self.engine,
            self._clock,
            instance,
            changed=self._stirred,
            told=self._link_changed,
        )

    def _keys_told(self, secrets: Credentials, pins: Pins) -> None:
        """Which keys are in use, so that a former one is taken away when nothing needs it and not before."""
        meters = self.engine.state.meters.values()
        needed = {meter.id: meter.key_id for meter in meters if meter.sealed}
        former, lost = pins.under_other_peppers()
        idle = sorted(secrets.vault.former - set(needed.values()))
        self._log.info("keys", seals=secrets.vault.current, needed=needed, idle=idle, pins_with_old_pepper=former)
        if lost:
            why = f"{lost} PINs were kept with another pepper and fit nothing: bring it back, or give new PINs"
            self._log.warning("pins-without-pepper", why=why)
            self.machine.standing["pins"] = why

    def _stirred(self) -> None:
        self.broker.look_again()

    def _asked(self) -> None:
        if self.link is not None:
            self.link.wake()

    async def _taken(self, events: Sequence[Event]) -> None:
        """What a line hands up. Once the engine has ended nothing is taken, and lines go on to darken their lamps."""
        with suppress(EngineStoppedError):
            await self.intake.take(events)

    def _first_facts(self, found: Configuration, secrets: Credentials, software: Software) -> None:
        """The start itself; the first Rules Submission of a journal; mystery values that cannot be opened."""
        now = self._clock.now()
        mode, version = found.settings.mode, software.version or "unknown"
        self._step(ControllerStarted(at=stamp(now), version=version, record=software.digest, mode=mode))
        if self.engine.state.filed is None:
            day = gaming_day_of(found.files, now)
            filing = SubmissionChanged(
                at=stamp(now),
                key=self._world.new_name(),
                toml=found.toml,
                day=day,
                reason="the first of this journal",
                links=found.settings.link.links,
            )
            self._step(filing)
        for each in sealed_values(self.engine.state, secrets.vault, stamp(now)):
            self._step(each)

    def _step(self, input_: Input) -> None:
        (answer,) = self.engine.step([input_])
        if not answer.ok:
            raise RefusedToStartError(answer.why)

    def _commit(
        self,
        entries: Sequence[Entry],
        *,
        cursor: int | None,
        snapshot: Snapshot | None = None,
        archived: Head | None = None,
    ) -> object:
        """Make facts durable; only then is anybody told."""
        began = self._world.seconds()
        first = self.journal.head().seq + 1
        head = self.journal.append(entries, cursor=cursor, snapshot=snapshot, archived=archived)
        if entries:
            self.machine.committed(entries[-1].at, self._world.seconds() - began)
            if self.broker is not None:
                self.broker.committed(head.seq)
            try:
                told.tell(self._log, entries, first)
            except Exception as error:  # noqa: BLE001 -- a line that cannot be written must not undo what is durable
                self._log.error("log-failed", seq=first, exc_info=error)
        return head

    def _broker_changed(self, why: str) -> None:
        if why:
            self._log.warning("broker-gone", why=why)
            self.machine.standing["broker"] = why
        else:
            self._log.info("broker-there")
            self.machine.standing.pop("broker", None)

    def _link_changed(self, why: str) -> None:
        if not why:
            self._log.info("link-there")
            self.machine.standing.pop("link", None)
        elif self.machine.standing.get("link") != why:
            self._log.warning("link-gone", why=why)
            self.machine.standing["link"] = why

    async def drained(self) -> None:
        """Wait until everything handed over before is decided."""
        await self.engine.submit(Tick(at=stamp(self._clock.now())))

    def told_at_once(self) -> bytes:
        """Everything there is to know, for someone on the box."""
        state = self.engine.state
        stand: Stand = {"epoch": self.identity.epoch, "seq": state.seq, "at": stamp(self._clock.now())}
        outbox = self.journal.head().seq - self.broker.said_up_to
        lost = {name: part.detail or "lost" for name, part in state.devices.items() if part.lost}
        return json.encode(
            {
                **stand,
                "site": self.identity.site,
                "table": self.identity.table,
                "mode": self.identity.mode,
                "state": "faulted" if state.prior is not None else "online",
                "lost": lost,
                "broker": "connected" if self.broker.connected.is_set() else self.broker.reason,
                "health": self.machine.health(outbox),
                "devices": self.machine.devices(stand),
                "retained": retained(state, self.identity.epoch, self.machine.linked()),
            }
        )
