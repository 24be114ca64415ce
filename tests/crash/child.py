"""The process that is killed or loses power: a real engine on a real journal, between two pipes.

It runs in a process of its own, forked or as `python -m tests.crash.child SETUP`, so that what a saboteur changes here
is changed nowhere else.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from random import Random

from msgspec import Struct, json

from controller.core.effects import Effect
from controller.core.facts import encode
from controller.core.inputs import AnyInput
from controller.core.state import State
from controller.engine import MOST_TOGETHER, Answer, Engine
from controller.journal import opening
from controller.journal.rows import Entry, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.vault import Vault

READ_BYTES = 65536  # what a pipe holds: a group written at once is read at once
NEVER = 10**9  # facts between snapshots, where none is to be taken

# What a saboteur does instead of one durable transaction before every answer.
SABOTEURS = ("normal", "off", "unsynced-file", "answer-first", "split-group", "split-cursor", "split-snapshot")


class Setup(Struct, frozen=True, kw_only=True):
    """How a child runs."""

    path: str
    seed: str
    snapshot_every: int
    checkpoint_pages: int = opening.CHECKPOINT_PAGES
    sabotage: str = ""


class Given(Struct, frozen=True):
    """An input as it is handed over."""

    n: int
    input: AnyInput


class Ready(Struct, frozen=True, tag=True):
    """The journal is open and proven."""

    seq: int


class Committed(Struct, frozen=True, tag=True):
    """A transaction is durable: where it led. `snapshot` is the one it kept, 0 for none."""

    seq: int
    cursor: int
    snapshot: int


class Acknowledged(Struct, frozen=True, tag=True):
    """An input is durable: its fact, 0 where nothing changed, and what whoever gives the next input needs to know."""

    n: int
    seq: int
    ok: bool
    repeated: bool
    digest: str  # of the fact's payload
    round: int
    phase: str
    awards: tuple[str, ...]  # made, and to be validated
    returns: tuple[str, ...]  # money to be given back


Line = Ready | Committed | Acknowledged


class Clock:
    """Stands at the time of the last input."""

    def __init__(self) -> None:
        self._now = 0

    def set(self, at: str) -> None:
        self._now = round(datetime.fromisoformat(at).timestamp() * 1_000_000)

    def now(self) -> int:
        return self._now

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError(f"nothing here waits {seconds} s")


class Silence:
    """Lines with nothing at their ends."""

    def release(self, effects: Sequence[Effect], state: State) -> None:
        """Nothing."""

    def faulted(self, why: str) -> None:
        sys.stderr.write(f"faulted: {why}\n")


class Writer:
    """The engine's way to the journal. It tells of every transaction once it is durable; a saboteur sits in here."""

    def __init__(self, journal: SqliteJournal, out: int, sabotage: str) -> None:
        self._journal = journal
        self._out = out
        self._sabotage = sabotage
        self._cursor = journal.cursor()
        self._put_off: list[tuple[Sequence[Entry], int | None, Snapshot | None]] = []

    def __call__(self, entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> None:
        if self._sabotage == "answer-first":
            self._put_off.append((entries, cursor, snapshot))
        else:
            self._write(entries, cursor, snapshot)

    def catch_up(self) -> None:
        """Write what a saboteur has put off until after the answers."""
        for transaction in self._put_off:
            self._write(*transaction)
        self._put_off.clear()

    def _write(self, entries: Sequence[Entry], cursor: int | None, snapshot: Snapshot | None) -> None:
        append = self._journal.append
        if self._sabotage == "split-group" and len(entries) > 1:
            append(entries[:1])
            append(entries[1:], cursor=cursor, snapshot=snapshot)
        elif self._sabotage == "split-cursor" and cursor is not None:
            append(entries)
            append([], cursor=cursor)
        elif self._sabotage == "split-snapshot" and snapshot is not None:
            append(entries)
            append([], snapshot=snapshot)
        else:
            append(entries, cursor=cursor, snapshot=snapshot)
        self._cursor = self._cursor if cursor is None else cursor
        say(self._out, Committed(self._journal.head().seq, self._cursor, snapshot.seq if snapshot else 0))


def chance(seed: str) -> Vault:
    """A vault with a key and a chance that tests know."""
    known = Random(seed)
    return Vault({"test": bytes(range(32))}, "test", randbelow=known.randrange, token_bytes=known.randbytes)


def say(out: int, line: Line) -> None:
    """One line, in one write."""
    os.write(out, json.encode(line) + b"\n")


def groups(source: int) -> Iterator[list[Given]]:
    """All inputs that wait, at most 64 at a time, until the other side closes."""
    waiting = b""
    while received := os.read(source, READ_BYTES):
        *lines, waiting = (waiting + received).split(b"\n")
        given = [json.decode(line, type=Given) for line in lines]
        for first in range(0, len(given), MOST_TOGETHER):
            yield given[first : first + MOST_TOGETHER]


def run(setup: Setup, source: int, out: int) -> None:
    """Play until the source ends; then close in good order."""
    _adjust(setup)
    with SqliteJournal(setup.path) as journal:
        state = load(journal)
        clock = Clock()
        writer = Writer(journal, out, setup.sabotage)
        # Snapshots stand on facts that are written, which those of this saboteur are not yet.
        every = NEVER if setup.sabotage == "answer-first" else setup.snapshot_every
        vault = chance(f"{setup.seed} from fact {state.seq}")
        engine = Engine(state, journal, vault, clock, Silence(), committer=writer, snapshot_every=every)
        say(out, Ready(state.seq))
        for group in groups(source):
            clock.set(group[0].input.at)
            answers = engine.step([each.input for each in group])
            for each, answer in zip(group, answers, strict=True):
                say(out, _acknowledged(each.n, answer, engine.state))
            writer.catch_up()
            engine.handed_on(engine.state.seq)
        engine.stop()
        writer.catch_up()


def _acknowledged(n: int, answer: Answer, state: State) -> Acknowledged:
    fact = answer.fact
    return Acknowledged(
        n=n,
        seq=answer.seq,
        ok=answer.ok,
        repeated=answer.repeated,
        digest=sha256(encode(fact)[-1].encode()).hexdigest() if fact else "",
        round=state.round,
        phase=state.phase.value,
        awards=tuple(award.id for award in fact.awards if award.validate) if fact else (),
        returns=tuple(each.id for each in fact.returns) if fact else (),
    )


def _adjust(setup: Setup) -> None:
    """Settings of the journal for this process: rare things made frequent, and promises broken by a saboteur."""
    assert setup.sabotage in {"", *SABOTEURS}, setup.sabotage
    changed: dict[str, tuple[str | int, str | int]] = {
        "wal_autocheckpoint": (setup.checkpoint_pages, setup.checkpoint_pages)
    }
    if setup.sabotage in {"normal", "off"}:
        changed["synchronous"] = (setup.sabotage, {"normal": 1, "off": 0}[setup.sabotage])
    if setup.sabotage == "unsynced-file":  # of the new journal, before it gets its name; SQLite syncs by itself
        os.fsync = lambda fd: None  # noqa: ARG005 -- the name it has
    opening.PRAGMAS = tuple(
        (name, *changed.get(name, (setting, expected))) for name, setting, expected in opening.PRAGMAS
    )


if __name__ == "__main__":
    run(json.decode(sys.argv[1], type=Setup), source=0, out=1)
