"""The one owner of a table's state. It decides on a working copy, commits, makes the copy the state, releases effects.

Nothing is answered or released before it is durable. Clock, chance, journal and lines are given to it, so the same
code runs on a disk and the wall clock, and in a test on memory and virtual time.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from typing import Protocol
from zoneinfo import ZoneInfo

from msgspec import Struct

from controller.core.chance import Chance, Ready
from controller.core.decide import after, decide, placed, refusal
from controller.core.decision import MOST_TEXT, Decision
from controller.core.effects import Effect
from controller.core.evolve import evolve
from controller.core.facts import Fact, FactsWereArchived, Recorded, SnapshotTaken, encode
from controller.core.filed import MYSTERY, Filed
from controller.core.inputs import DeviceLost, DeviceRestored, Input, ReadingsDue
from controller.core.invariants import check
from controller.core.meters import DrawsNeededError, Meter
from controller.core.needs import CHANCY, Need, needs
from controller.core.refusals import Refused
from controller.core.state import VERSION, State
from controller.core.times import stamp
from controller.journal.errors import JournalUnwritableError
from controller.journal.journal import Journal
from controller.journal.limits import MOST_SNAPSHOT_BYTES
from controller.journal.rows import Entry, Head, Snapshot
from controller.journal.starting import packed
from controller.vault import Vault, VaultError, commitment

# Inputs of one commit: a table has at most some thirty sensors, so that even all of them at once wait for one sync.
MOST_TOGETHER = 64
# Inputs that may wait: several times all sensors, buttons and consoles of a table. Who comes later waits to hand over.
MOST_WAITING = 1024
# Facts between snapshots: replaying as many takes a fraction of a second. A snapshot holds two gaming days of rounds,
# some megabytes, so it must not be written often.
SNAPSHOT_EVERY = 10_000
RETRY_SECONDS = 2.0  # between attempts to open a journal whose disk cannot be written


class Clock(Protocol):
    """The time, and waiting for it to pass."""

    def now(self) -> int:
        """Microseconds since 1970, UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class ChanceSource(Protocol):
    """Where mystery values come from and are sealed: the vault."""

    def ready(  # noqa: PLR0913 -- the vault's own signature
        self,
        table: str,
        meter: str,
        cycle: int,
        minimum_cents: int,
        maximum_cents: int,
        *,
        sealed: str | None,
        key_id: str,
        draws: int,
    ) -> Ready:
        """The standing value and the next draws of one meter."""


class Committer(Protocol):
    """How facts become durable. The journal's own `append`, in the engine's own task, unless a test says otherwise."""

    def __call__(self, entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> object:
        """Return once everything is durable; raise where it is not."""


class Archiver(Protocol):
    """How facts come to leave: the fact that names their archive becomes durable with the anchor."""

    def __call__(self, entries: Sequence[Entry], *, cursor: int | None, archived: Head) -> object:
        """Return once everything is durable; raise where it is not."""


class Lines(Protocol):
    """Where effects go: lamps, acceptors, links."""

    def release(self, effects: Sequence[Effect], state: State) -> None:
        """Carry out what a durable decision asks for."""

    def faulted(self, why: str) -> None:
        """Show that the table cannot be played."""


class Answer(Struct, frozen=True, gc=False):
    """What became of an input."""

    seq: int  # the fact it led to; 0 where nothing changed
    refusal: str = ""
    why: str = ""
    repeated: bool = False
    fact: Fact | None = None

    @property
    def ok(self) -> bool:
        """Whether it was taken."""
        return not self.refusal


class EngineStoppedError(Exception):
    """The engine has failed or ended; nothing more is taken."""


class Engine:
    """Owns the state of one table. `step` is the whole of it; `submit` and `run` put a queue before it."""

    def __init__(  # noqa: PLR0913 -- all that is injected
        self,
        state: State,
        journal: Journal,
        chance: ChanceSource,
        clock: Clock,
        lines: Lines,
        *,
        committer: Committer | None = None,
        archiver: Archiver | None = None,
        snapshot_every: int = SNAPSHOT_EVERY,
    ) -> None:
        if state.seq != journal.head().seq:
            raise ValueError(f"a state after fact {state.seq} on a journal that ends at fact {journal.head().seq}")
        self.state = state
        self._journal = journal
        self._chance = chance
        self._clock = clock
        self._lines = lines
        self._commit: Committer = committer or journal.append
        self._leave: Archiver = archiver or journal.append
        self._snapshot_every = snapshot_every
        self._snapshot_seq = max((each.seq for each in journal.snapshots()), default=0)
        self._cursor: int | None = None
        self._failure: BaseException | None = None
        self._ended: BaseException | None = None  # why `run` takes nothing more
        self._next_day = 0  # when the gaming day changes, in microseconds
        self._day_of: Filed | None = None  # by which filing
        self._waiting: asyncio.Queue[tuple[Input, asyncio.Future[Answer]]] = asyncio.Queue(MOST_WAITING)

    # -- one commit --

    def step(self, inputs: Sequence[Input]) -> list[Answer]:
        """Decide inputs in order and commit their facts in one transaction; then answer, and release the effects."""
        if self._failure is not None:
            raise EngineStoppedError(f"stopped: {self._failure}") from self._failure
        try:
            answers, effects = self._step(inputs)
            if effects:
                self._lines.release(effects, self.state)
        except BaseException as error:
            self._failure = error
            self._lines.faulted(str(error))
            raise
        return answers

    def _step(self, inputs: Sequence[Input]) -> tuple[list[Answer], list[Effect]]:
        state, entries, effects = self.state, list[Entry](), list[Effect]()
        answers: list[Answer] = []
        for input_ in (*self._day_change(), *inputs):
            found = self._decide(state, input_)
            fact = refusal(state, input_, found) if isinstance(found, Refused) else found.fact
            if fact is not None:
                recorded = placed(state, input_.at, fact)
                entries.append(entry(recorded))
                state = after(state, input_, recorded)
            seq = 0 if fact is None else state.seq
            if isinstance(found, Refused):
                answers.append(Answer(seq, found.refusal.value, found.why, fact=fact))
            elif (seen := found.repeated) is not None:
                answers.append(Answer(seen.seq, seen.refusal, seen.why, repeated=True))
            else:
                effects += found.effects
                answers.append(Answer(seq, fact=fact))
        if entries:
            check(state, self.state)
            self._commit(entries, cursor=self._cursor, snapshot=None)
            self._cursor = None
        self.state = state
        if state.seq - self._snapshot_seq >= self._snapshot_every:
            self._take_snapshot()
        return answers[len(answers) - len(inputs) :], effects

    def _decide(self, state: State, input_: Input) -> Decision | Refused:
        """Decide; where a mystery value is passed, once more, with values drawn for the cycles that follow."""
        if type(input_) not in CHANCY:
            return decide(state, input_)
        try:
            return decide(state, input_, self._prepared(state, input_, draws=False))
        except DrawsNeededError:
            return decide(state, input_, self._prepared(state, input_, draws=True))

    def _prepared(self, state: State, input_: Input, *, draws: bool) -> Chance:
        return {need.meter: prepared(self._chance, need) for need in needs(state, input_, draws=draws)}

    def _day_change(self) -> tuple[Input, ...]:
        """The readings, where the clock has passed the start of a gaming day."""
        if self.state.filed is None:
            return ()
        now, filed = self._clock.now(), self.state.filed
        if now < self._next_day and self._day_of is filed:
            return ()
        self._day_of = filed
        day, self._next_day = gaming_day(now, filed.timezone, filed.day_start)
        return (ReadingsDue(at=stamp(now), day=day),) if day != self.state.day else ()

    def _take_snapshot(self) -> None:
        """Save the state with the fact that vouches for it."""
        payload = packed(self.state)
        self._snapshot_seq = self.state.seq
        if len(payload) > MOST_SNAPSHOT_BYTES:
            return  # start-up replays more facts instead
        head = self._journal.head()
        fact = SnapshotTaken(seq=head.seq, sha256=sha256(payload).hexdigest())
        recorded = placed(self.state, stamp(self._clock.now()), fact)
        snapshot = Snapshot(head.seq, head.hash, VERSION, payload)
        self._commit([entry(recorded)], cursor=None, snapshot=snapshot)
        self.state = evolve(self.state, recorded)

    def archive(self, fact: FactsWereArchived) -> None:
        """Record the archive that facts lie in, and let them leave from now on: one transaction."""
        self._refuse_stopped()
        try:
            recorded = placed(self.state, stamp(self._clock.now()), fact)
            anchor = Head(fact.last, bytes.fromhex(fact.hash))
            self._leave([entry(recorded)], cursor=self._cursor, archived=anchor)
            self._cursor = None
            self.state = evolve(self.state, recorded)
        except BaseException as error:
            self._failure = error
            self._lines.faulted(str(error))
            raise

    # -- the queue before it --

    async def submit(self, input_: Input) -> Answer:
        """Hand over an input and wait until it is durable and answered."""
        self._refuse_stopped()
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        await self._waiting.put((input_, answer))
        self._refuse_stopped()  # while this one waited for room: nobody takes it any more
        return await answer

    def _refuse_stopped(self) -> None:
        if self._failure is not None or self._ended is not None:
            raise EngineStoppedError(f"stopped: {self._failure or 'cancelled'}") from self._failure or self._ended

    @property
    def waiting(self) -> int:
        """Inputs that nobody has decided yet."""
        return self._waiting.qsize()

    def handed_on(self, seq: int) -> None:
        """Facts up to this one have left the outbox; saved with the next commit."""
        if not 0 <= seq <= self.state.seq:
            raise ValueError(f"fact {seq} has not happened: the last is {self.state.seq}")
        self._cursor = max(seq, self._cursor or 0)

    async def run(self) -> None:
        """Take what waits, at most 64 inputs at a time, until cancelled. A failure ends it and all that waits."""
        batch: list[tuple[Input, asyncio.Future[Answer]]] = []
        try:
            while True:
                batch = await self._next_batch()
                answers = self.step([input_ for input_, _ in batch])
                for (_, future), answer in zip(batch, answers, strict=True):
                    if not future.cancelled():
                        future.set_result(answer)
                await asyncio.sleep(0)  # let those who were answered run before the next commit
        except BaseException as error:
            self._ended = error
            if not isinstance(error, asyncio.CancelledError):  # which is no failure: `stop` has something to save
                self._failure = self._failure or error
            while not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            for _, future in batch:
                if not future.done():
                    future.set_exception(EngineStoppedError(f"stopped: {error}"))
            raise

    async def _next_batch(self) -> list[tuple[Input, asyncio.Future[Answer]]]:
        """At least one input; or none, when the gaming day changes while nothing happens."""
        batch: list[tuple[Input, asyncio.Future[Answer]]] = []
        try:
            async with asyncio.timeout(self._until_next_day()):
                batch.append(await self._waiting.get())
        except TimeoutError:
            return batch
        while len(batch) < MOST_TOGETHER and not self._waiting.empty():
            batch.append(self._waiting.get_nowait())
        return batch

    def _until_next_day(self) -> float | None:
        if self.state.filed is None:
            return None
        if self._day_of is not self.state.filed:
            return 0.0  # other hours are filed
        return max(0, self._next_day - self._clock.now()) / 1_000_000

    def stop(self) -> None:
        """Save what has been handed on, and take nothing more."""
        if self._failure is None:
            if self._cursor is not None:
                self._commit([], cursor=self._cursor, snapshot=None)
            self._failure = EngineStoppedError("ended")


def prepared(source: ChanceSource, need: Need) -> Ready:
    """Chance for one meter, from the vault."""
    return source.ready(
        need.table,
        need.meter,
        need.cycle,
        need.minimum_cents,
        need.maximum_cents,
        sealed=need.sealed,
        key_id=need.key_id,
        draws=need.draws,
    )


def entry(recorded: Recorded) -> Entry:
    """A fact as the journal takes it."""
    return Entry._make((recorded.at, recorded.round, *encode(recorded.fact)))


def gaming_day(now: int, timezone: str, day_start: str) -> tuple[str, int]:
    """The gaming day of a time, and when the next begins, in microseconds; also across a change of the clocks."""
    zone, start = ZoneInfo(timezone), time.fromisoformat(day_start)
    today = datetime.fromtimestamp(now // 1_000_000, UTC).astimezone(zone).date()
    # Instants are compared, not wall clocks: an hour that comes twice in autumn begins one day, not two.
    days = [today + timedelta(days=ahead) for ahead in (-1, 0, 1)]
    begins = [int(datetime.combine(day, start, tzinfo=zone).timestamp()) * 1_000_000 for day in days]
    last = max(index for index in (0, 1) if begins[index] <= now or index == 0)
    return days[last].isoformat(), begins[last + 1]


def sealed_values(state: State, vault: Vault, at: str) -> list[Input]:
    """What start-up finds of the mystery values: meters whose value cannot be opened are lost, never drawn again."""
    found: list[Input] = []
    for meter in state.meters.values():
        if meter.kind != MYSTERY or state.filed is None:
            continue
        device = f"vault:{meter.id}"
        why = _flaw(state.filed.name, meter, vault)
        if why:
            wagers = (meter.wager,)
            found.append(DeviceLost(at=at, device=device, device_kind="vault", wagers=wagers, detail=why[:MOST_TEXT]))
        elif device in state.devices and state.devices[device].lost:
            found.append(DeviceRestored(at=at, device=device, device_kind="vault"))
    return found


def _flaw(table: str, meter: Meter, vault: Vault) -> str:
    try:
        cents, nonce = vault.unseal(table, meter.id, meter.cycle, meter.key_id, meter.sealed)
    except VaultError as error:
        return str(error)
    if commitment(table, meter.id, meter.cycle, cents, bytes.fromhex(nonce)) != meter.commitment:
        return f"{meter.id}: the sealed value of cycle {meter.cycle} is not the one committed to"
    return ""


async def wait_until_writable(
    open_journal: Callable[[], Journal], clock: Clock, faulted: Callable[[str], None]
) -> Journal:
    """Open the journal; while its disk cannot be written, say so and try again every two seconds."""
    while True:
        try:
            return open_journal()
        except JournalUnwritableError as error:
            faulted(str(error))
            await clock.sleep(RETRY_SECONDS)
