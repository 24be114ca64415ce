"""The engine: nothing is answered or released before it is durable, and a failure ends it with nothing lost."""

import asyncio
import zlib
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from controller.core import inputs
from controller.core.accounts import UnbalancedError
from controller.core.effects import Effect
from controller.core.facts import ReadingsTaken, Recorded, SnapshotTaken
from controller.core.invariants import check
from controller.core.state import VERSION, Counted, State
from controller.core.times import stamp
from controller.engine import (
    MOST_TOGETHER,
    MOST_WAITING,
    Answer,
    Engine,
    EngineStoppedError,
    entry,
    gaming_day,
    sealed_values,
    wait_until_writable,
)
from controller.journal.errors import JournalBusyError, JournalCorruptError, JournalUnwritableError
from controller.journal.journal import Journal
from controller.journal.memory import MemoryJournal
from controller.journal.rows import EMPTY, Entry, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import MOST_STATE_BYTES, load, packed, recorded, replay, unpacked
from controller.vault import Vault
from tests import virtual_time
from tests.core.play import BEGIN, DEALER, FLOOR, FLOOR2, MINI, vault
from tests.virtual_time import VirtualClock


class Clock:
    """A clock that tests turn."""

    def __init__(self, now: int = BEGIN) -> None:
        self.time = now

    def now(self) -> int:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += round(seconds * 1_000_000)


class Lines:
    """Keeps what was released, and what the journal held then."""

    def __init__(self, journal: Journal | None = None) -> None:
        self.journal = journal
        self.released: list[Effect] = []
        self.durable: list[int] = []
        self.faults: list[str] = []

    def release(self, effects: Sequence[Effect], state: State) -> None:
        self.released += effects
        if self.journal is not None:
            self.durable.append(self.journal.head().seq)
            assert self.journal.head().seq >= state.seq

    def faulted(self, why: str) -> None:
        self.faults.append(why)


def opened(journal: Journal, lines: Lines | None = None, **parts: Any) -> Engine:  # noqa: ANN401 -- what a test injects
    """An engine with a table opened and sensors read."""
    clock = Clock()
    engine = Engine(load(journal), journal, vault(), clock, lines or Lines(), **parts)
    if engine.state.filed is None:
        engine.step(
            [inputs.SubmissionChanged(at=at(clock), key="file", toml=MINI, day="2026-11-16", reason="installed")]
        )
        engine.step([inputs.WagerAbsent(at=at(clock), position=seat, wager="royal9") for seat in range(1, 10)])
        engine.step([inputs.TableOpened(at=at(clock), key="open", by=DEALER)])
    return engine


def at(clock: Clock) -> str:
    clock.time += 1000
    return stamp(clock.time)


def chip(position: int, wager: str = "royal9") -> inputs.WagerPresent:
    return inputs.WagerPresent(at=stamp(BEGIN + 10_000_000), position=position, wager=wager)


def test_effects_are_released_only_once_their_fact_is_durable() -> None:
    journal = MemoryJournal()
    lines = Lines(journal)
    engine = opened(journal, lines)
    answers = engine.step([chip(1), chip(2)])
    assert [answer.ok for answer in answers] == [True, True]
    assert answers[-1].seq == journal.head().seq == lines.durable[-1]


def test_inputs_that_wait_share_one_commit() -> None:
    journal, commits = MemoryJournal(), list[int]()

    def committer(entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> None:
        commits.append(len(entries))
        journal.append(entries, cursor=cursor, snapshot=snapshot)

    async def play() -> None:
        engine = opened(journal, committer=committer)
        commits.clear()
        inputs_: list[inputs.Input] = [chip(seat) for seat in range(1, 10)]
        inputs_ += [inputs.WagerAbsent(at=stamp(BEGIN), position=n % 9 + 1, wager="harmony") for n in range(9)]
        waiting = [asyncio.ensure_future(engine.submit(each)) for each in inputs_]
        running = asyncio.ensure_future(engine.run())
        await asyncio.gather(*waiting)
        running.cancel()

    virtual_time.run(play())
    assert commits == [18]


@pytest.mark.parametrize(("number", "expected"), [(MOST_TOGETHER, [64]), (MOST_TOGETHER + 1, [64, 1])])
def test_at_most_64_inputs_share_a_commit(number: int, expected: list[int]) -> None:
    journal, commits = MemoryJournal(), list[int]()

    def committer(entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> None:
        commits.append(len(entries))
        journal.append(entries, cursor=cursor, snapshot=snapshot)

    async def play() -> None:
        engine = opened(journal, committer=committer)
        commits.clear()
        coins = [
            inputs.WagerDropped(at=stamp(BEGIN), key=f"coin-{n}", position=1, wager="harmony", cents=500)
            for n in range(number)
        ]
        waiting = [asyncio.ensure_future(engine.submit(each)) for each in coins]
        await asyncio.sleep(0)
        running = asyncio.ensure_future(engine.run())
        await asyncio.gather(*waiting)
        running.cancel()

    virtual_time.run(play())
    assert commits == expected


def test_who_comes_after_the_queue_is_full_waits_and_is_still_answered() -> None:
    async def play() -> tuple[int, list[Answer]]:
        engine = opened(MemoryJournal())
        tick = inputs.Tick(at=stamp(BEGIN))
        waiting = [asyncio.ensure_future(engine.submit(tick)) for _ in range(MOST_WAITING + 1)]
        await asyncio.sleep(0)
        full = engine._waiting.qsize()  # noqa: SLF001 -- the limit is inside
        running = asyncio.ensure_future(engine.run())
        answers = await asyncio.gather(*waiting)
        running.cancel()
        return full, answers

    full, answers = virtual_time.run(play())
    assert full == MOST_WAITING
    assert len(answers) == MOST_WAITING + 1


def test_a_commit_that_fails_ends_the_engine_and_nothing_is_answered_or_released() -> None:
    journal, lines = MemoryJournal(), Lines()
    broken = False

    def committer(entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> None:
        if broken:
            raise JournalUnwritableError("disk full: make room")
        journal.append(entries, cursor=cursor, snapshot=snapshot)

    async def play() -> None:
        nonlocal broken
        engine = opened(journal, lines, committer=committer)
        before, released = engine.state, len(lines.released)
        broken = True
        first, second = (asyncio.ensure_future(engine.submit(chip(seat))) for seat in (1, 2))
        with pytest.raises(JournalUnwritableError):
            await engine.run()
        for waiting in (first, second):
            with pytest.raises(EngineStoppedError, match="disk full"):
                await waiting
        assert engine.state is before
        assert len(lines.released) == released
        assert lines.faults == ["disk full: make room"]
        with pytest.raises(EngineStoppedError):
            await engine.submit(chip(3))
        with pytest.raises(EngineStoppedError):
            engine.step([chip(3)])

    virtual_time.run(play())
    assert load(journal).standing == {}


def test_who_waits_for_room_is_told_when_the_engine_fails() -> None:
    def committer(entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> None:
        raise JournalUnwritableError(f"disk full: {len(entries)}, {cursor}, {snapshot}")

    async def play() -> list[object]:
        journal = MemoryJournal()
        opened(journal)
        engine = opened(journal, committer=committer)
        waiting = [asyncio.ensure_future(engine.submit(chip(1))) for _ in range(MOST_WAITING + 200)]
        await asyncio.sleep(0)
        with pytest.raises(JournalUnwritableError):
            await engine.run()
        return list(await asyncio.gather(*waiting, return_exceptions=True))

    answers = virtual_time.run(play())
    assert {type(answer) for answer in answers} == {EngineStoppedError}


def test_who_comes_after_the_end_is_told() -> None:
    async def play() -> None:
        engine = opened(MemoryJournal())
        waiting = [asyncio.ensure_future(engine.submit(chip(1))) for _ in range(MOST_WAITING + 200)]
        running = asyncio.ensure_future(engine.run())
        await asyncio.sleep(0)
        running.cancel()
        answers = await asyncio.gather(*waiting, running, return_exceptions=True)
        assert {type(answer) for answer in answers} <= {EngineStoppedError, Answer, asyncio.CancelledError}
        with pytest.raises(EngineStoppedError):
            await engine.submit(chip(1))

    virtual_time.run(play())


def test_lines_that_fail_end_the_engine() -> None:
    class Broken(Lines):
        def release(self, effects: Sequence[Effect], state: State) -> None:
            raise OSError(f"{len(effects)} effects after fact {state.seq}: the port is gone")

    lines = Broken()
    engine = Engine(State(), MemoryJournal(), vault(), Clock(), lines)
    with pytest.raises(OSError, match="port"):
        engine.step([inputs.SubmissionChanged(at=stamp(BEGIN), key="f", toml=MINI, day="2026-11-16", reason="r")])
    assert len(lines.faults) == 1
    with pytest.raises(EngineStoppedError):
        engine.step([chip(1)])


def test_a_state_must_be_that_of_its_journal() -> None:
    with pytest.raises(ValueError, match="ends at fact 0"):
        Engine(State(seq=3), MemoryJournal(), vault(), Clock(), Lines())


def test_a_violated_invariant_commits_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    journal = MemoryJournal()
    engine = opened(journal)
    before = journal.head()

    def broken(state: State, _before: State) -> None:
        check(replace(state, accounts={**state.accounts, "wagers": 1}))

    monkeypatch.setattr("controller.engine.check", broken)
    with pytest.raises(UnbalancedError):
        engine.step([chip(1)])
    assert journal.head() == before


@pytest.mark.parametrize(
    "forge",
    [
        lambda state: replace(state, accounts={**state.accounts, "wagers": 1}),
        lambda state: _with_meter(state, units=state.meters["harmony"].units + 1),
        lambda state: _with_meter(state, reserve=1),
        lambda state: _with_meter(state, carry=1),
        lambda state: _with_meter(state, wins_cents=1),
        lambda state: _with_meter(state, paid_cents=1, wins_cents=1),
        lambda state: replace(state, accounts=state.accounts | {"pending:x": 5, "adjustments": -5}),
    ],
)
def test_the_invariants_have_teeth(forge: object) -> None:
    state = opened(MemoryJournal()).state
    check(state)
    assert callable(forge)
    with pytest.raises(UnbalancedError):
        check(forge(state))


@pytest.mark.parametrize("name", ["accounts", "meters", "awards", "rounds"])
def test_what_a_decision_has_touched_is_checked_again(name: str) -> None:
    state = opened(MemoryJournal()).state
    richer = _with_meter(state, units=state.meters["harmony"].units + 1)
    check(richer, richer)  # which was checked before, or it would not have become a state
    touched: dict[str, object] = {name: dict(getattr(richer, name))}
    with pytest.raises(UnbalancedError, match="its meter says"):
        check(replace(richer, **touched), richer)


def _with_meter(state: State, **parts: int) -> State:
    return replace(state, meters=state.meters | {"harmony": replace(state.meters["harmony"], **parts)})


def test_a_refused_command_is_remembered_and_answered_the_same() -> None:
    engine = opened(MemoryJournal())
    command = inputs.AwardRejected(at=stamp(BEGIN), key="k", by=FLOOR, second=FLOOR2, award="none", reason="r")
    first = engine.step([command])[0]
    again = engine.step([replace(command, at=stamp(BEGIN + 5), by=replace(FLOOR, id="other"))])[0]
    assert (
        (again.refusal, again.why, again.seq)
        == (first.refusal, first.why, first.seq)
        == (
            "unknown",
            first.why,
            engine.state.seq,
        )
    )
    assert again.repeated
    assert not first.repeated


def test_a_repeated_key_changes_nothing_and_a_reused_one_is_a_recorded_fault() -> None:
    journal = MemoryJournal()
    engine = opened(journal)
    coin = inputs.WagerDropped(at=stamp(BEGIN), key="coin-1", position=2, wager="harmony", cents=500)
    first = engine.step([coin])[0]
    before = engine.state
    again = engine.step([replace(coin, at=stamp(BEGIN + 1))])[0]
    assert (again.seq, again.ok, again.repeated) == (first.seq, True, True)
    assert engine.state is before
    other = engine.step([replace(coin, cents=100)])[0]
    assert other.refusal == "bad-request"
    assert list(journal.rows())[-1].type == "key-reused"
    assert engine.state.standing == before.standing
    # And in one and the same commit.
    twice = engine.step([replace(coin, key="coin-2", position=3), replace(coin, key="coin-2", position=3)])
    assert [answer.repeated for answer in twice] == [False, True]


@pytest.mark.parametrize(("length", "ok"), [(100, True), (101, False)])
def test_a_key_has_at_most_100_characters(length: int, *, ok: bool) -> None:
    engine = opened(MemoryJournal())
    coin = inputs.WagerDropped(at=stamp(BEGIN), key="k" * length, position=2, wager="harmony", cents=500)
    assert engine.step([coin])[0].ok is ok


def test_a_state_from_a_snapshot_is_the_state_of_a_replay(tmp_path: Path) -> None:
    with SqliteJournal(tmp_path / "journal.db") as journal:
        engine = opened(journal, snapshot_every=7)
        for seat in range(1, 8):
            engine.step([chip(seat)])
        engine.step([inputs.Button(at=stamp(BEGIN + 20_000_000))])
        assert len(journal.snapshots()) == 2
        assert load(journal) == replay(journal, EMPTY, State()) == engine.state


def test_a_snapshot_holds_what_lies_on_the_table_and_how_far_coins_are_counted() -> None:
    journal = MemoryJournal()
    engine = opened(journal, snapshot_every=1)
    coin = inputs.WagerDropped(at=stamp(BEGIN), key="coin-1", position=2, wager="harmony", cents=500)
    engine.step([chip(1)])
    for ordinal in (1, 2):  # the second is to be returned
        counted = Counted("slot-1", ordinal, ordinal, "123")
        engine.step([replace(coin, key=f"coin-{ordinal}", counted=counted)])
        found = unpacked(journal.snapshots()[0].payload)
        assert (set(found.standing), len(found.returns)) == ({"1/royal9", "2/harmony"}, ordinal - 1)
        assert found.counted == {"slot-1": counted}
        assert load(journal) == engine.state


def snapshot(journal: Journal, payload: bytes, version: int = VERSION) -> None:
    """Save some bytes as a snapshot, with the fact that vouches for them."""
    head = journal.head()
    fact = SnapshotTaken(seq=head.seq, sha256=sha256(payload).hexdigest())
    journal.append([entry(Recorded(stamp(BEGIN), None, fact))], snapshot=Snapshot(*head, version, payload))


def test_a_start_refuses_a_state_whose_money_does_not_add_up() -> None:
    journal = MemoryJournal()
    state = opened(journal).state
    snapshot(journal, packed(replace(state, accounts={**state.accounts, "wagers": 1})))
    with pytest.raises(UnbalancedError, match="not to zero"):
        load(journal)


def test_a_state_of_another_shape_is_not_read_and_the_facts_are_added_up_instead() -> None:
    journal = MemoryJournal()
    state = opened(journal).state
    snapshot(journal, b"of another shape", VERSION + 1)
    found = load(journal)
    assert (found.seq, found.meters, found.seen) == (state.seq + 1, state.meters, state.seen)


class Tampered(MemoryJournal):
    """A journal whose snapshots were changed by someone."""

    def __init__(self, change: str) -> None:
        super().__init__()
        self.change = change

    def snapshots(self) -> list[Snapshot]:
        found = super().snapshots()
        if self.change == "payload":
            return [each._replace(payload=packed(replace(unpacked(each.payload), slip=7))) for each in found]
        if self.change == "version":
            return [each._replace(version=0) for each in found]
        return [each._replace(hash=bytes(32)) for each in found]


def test_a_changed_snapshot_is_noticed_and_one_of_another_version_is_not_read() -> None:
    for change in ("payload", "version", "hash"):
        journal = Tampered(change)
        engine = Engine(State(), journal, vault(), Clock(), Lines(), snapshot_every=1)
        engine.step([inputs.SubmissionChanged(at=stamp(BEGIN), key="f", toml=MINI, day="2026-11-16", reason="r")])
        if change == "payload":
            with pytest.raises(JournalCorruptError, match="snapshot"):
                load(journal)
        else:
            assert load(journal) == engine.state


def test_a_snapshot_that_is_cut_off_or_inflates_without_end_is_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = packed(State(slip=3))
    assert unpacked(whole) == State(slip=3)
    for broken in (whole[:-1], b"", b"no snapshot", packed(State())[:4] + whole[4:], zlib.compress(b"[]")):
        with pytest.raises(ValueError, match=r"\w"):
            unpacked(broken)
    assert MOST_STATE_BYTES > 10 * 20_000_000
    size = len(zlib.decompress(whole))
    monkeypatch.setattr("controller.journal.starting.MOST_STATE_BYTES", size)
    assert unpacked(whole) == State(slip=3)
    monkeypatch.setattr("controller.journal.starting.MOST_STATE_BYTES", size - 1)
    with pytest.raises(ValueError, match="longer"):
        unpacked(whole)


def test_the_gaming_day_changes_at_its_hour_also_when_the_clocks_change() -> None:
    zone = "America/New_York"

    def day(text: str) -> tuple[str, int]:
        return gaming_day(_micro(text), zone, "06:00")

    assert day("2026-11-16T10:59:59Z")[0] == "2026-11-15"
    assert day("2026-11-16T11:00:00Z")[0] == "2026-11-16"
    # Daylight saving ends on 2026-11-01 in the small hours: that gaming day has 25 hours.
    name, following = day("2026-10-31T12:00:00Z")
    assert (name, following) == ("2026-10-31", _micro("2026-11-01T11:00:00Z"))
    # A day that begins in the hour that comes twice begins at its first coming, and once.
    for text in ("2026-11-01T05:30:00Z", "2026-11-01T06:10:00Z", "2026-11-01T06:40:00Z"):
        assert gaming_day(_micro(text), zone, "01:30") == ("2026-11-01", _micro("2026-11-02T06:30:00Z"))


def _micro(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1_000_000


def test_readings_are_taken_when_the_day_ends_before_anything_else_and_also_in_silence() -> None:
    journal = MemoryJournal()

    async def play() -> None:
        engine = Engine(State(), journal, vault(), VirtualClock(), Lines())
        running = asyncio.ensure_future(engine.run())
        await engine.submit(inputs.SubmissionChanged(at=stamp(BEGIN), key="f", toml=MINI, day="2026-11-16", reason="r"))
        await engine.submit(inputs.Tick(at=stamp(BEGIN)))
        await asyncio.sleep(3 * 24 * 3600)
        running.cancel()

    virtual_time.run(play())
    days = [fact.fact.day for fact in map(recorded, journal.rows()) if isinstance(fact.fact, ReadingsTaken)]
    assert days == ["2026-11-17", "2026-11-18", "2026-11-19"]


def test_the_outbox_position_is_saved_with_the_next_commit_and_on_stop() -> None:
    journal = MemoryJournal()
    engine = opened(journal)
    engine.handed_on(5)
    assert journal.cursor() == 0
    engine.step([chip(1)])
    assert journal.cursor() == 5
    engine.handed_on(7)
    engine.handed_on(6)  # never back

    async def cancelled() -> None:
        running = asyncio.ensure_future(engine.run())
        await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    virtual_time.run(cancelled())
    engine.stop()
    assert journal.cursor() == 7
    with pytest.raises(ValueError, match="has not happened"):
        engine.handed_on(99)


def test_an_unwritable_journal_is_waited_out_and_a_busy_one_is_not() -> None:
    faults: list[str] = []
    answers: list[Exception | None] = [JournalUnwritableError("disk full"), JournalUnwritableError("read-only"), None]

    def open_journal() -> Journal:
        error = answers.pop(0)
        if error is not None:
            raise error
        return MemoryJournal()

    async def wait() -> float:
        await wait_until_writable(open_journal, VirtualClock(), faults.append)
        return asyncio.get_running_loop().time()

    assert virtual_time.run(wait()) == 4.0
    assert faults == ["disk full", "read-only"]
    answers.append(JournalBusyError("held"))
    with pytest.raises(JournalBusyError):
        virtual_time.run(wait())


def test_a_mystery_value_that_cannot_be_opened_faults_its_wager_and_is_never_drawn_again() -> None:
    journal = MemoryJournal()
    engine = opened(journal)
    sealed = engine.state.meters["royal9-mystery"].sealed
    assert sealed_values(engine.state, vault(), stamp(BEGIN)) == []
    other = Vault({"other": bytes(range(1, 33))}, "other")
    engine.step([chip(3)])
    engine.step(sealed_values(engine.state, other, stamp(BEGIN)))
    assert engine.state.standing == {}
    assert engine.step([chip(4)])[0].ok
    assert "4/royal9" not in engine.state.standing
    assert engine.state.meters["royal9-mystery"].sealed == sealed
    engine.step(sealed_values(engine.state, vault(), stamp(BEGIN)))
    assert set(engine.state.standing) == {"3/royal9", "4/royal9"}


def test_a_value_that_is_not_the_one_committed_to_is_found_at_start() -> None:
    engine = opened(MemoryJournal())
    other = vault().draw("valley-forge/mb-07", "royal9-mystery", 1, 25000, 100000)
    meter = replace(engine.state.meters["royal9-mystery"], sealed=other.sealed, key_id=other.key_id)
    forged = replace(engine.state, meters=engine.state.meters | {meter.id: meter})
    (lost,) = sealed_values(forged, vault(), stamp(BEGIN))
    assert isinstance(lost, inputs.DeviceLost)
    assert "committed" in lost.detail
