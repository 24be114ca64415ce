"""Closed days leave a journal in the background: by a process of its own, tried again, and never at a wager's cost."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from controller.core.facts import FactsWereArchived
from controller.engine import Engine
from controller.journal.archive.packing import Job, prepare
from controller.journal.audit.verifying import verify
from controller.journal.place import Place
from controller.journal.reading import open_readonly
from controller.journal.rows import EMPTY
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.service import retention
from controller.service.machine import Machine
from controller.service.retention import LOOK_SECONDS, PAUSE_SECONDS, RETRY_SECONDS, Packer, Retention, in_a_process
from controller.settings import JournalSettings, SettingsError, settings
from tests.core.play import vault
from tests.journal.closed_days import DAYS, KEPT, archived, week
from tests.people.tables import Lines

WAIT_SECONDS = 60  # for a loaded machine


class Hurried:
    """A clock whose waits take no time, and are noted."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def now(self) -> int:
        return 1_795_400_000_000_000

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0.001)


class Told:
    """A log that is read here."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []

    def warning(self, event: str, **fields: Any) -> None:  # noqa: ANN401 -- as a log has them
        self.lines.append((event, str(fields.get("why"))))

    def info(self, event: str, **fields: Any) -> None:  # noqa: ANN401 -- the same
        self.lines.append((event, str(fields)))


class Kept:
    """A table whose days are due, and the retention of it."""

    def __init__(
        self, journal: SqliteJournal, folder: Path | None = None, packer: Packer = in_a_process, *, archive: bool = True
    ) -> None:
        self.journal, self.clock, self.log = journal, Hurried(), Told()
        self.engine = Engine(load(journal), journal, vault(), self.clock, Lines())
        self.machine = Machine(self.clock, Path(journal.path), 1, lambda: self.engine.state)
        chosen = JournalSettings(path=journal.path, archive_path=str(folder or ""), keep_days=KEPT, archive=archive)
        log: Any = self.log
        self.retention = Retention(self.engine, journal, chosen, self.machine, self.clock, log, packer=packer)

    async def until(self, done: Callable[[], bool]) -> None:
        running = asyncio.ensure_future(self.retention.run())
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while not done() and not running.done():
                    await asyncio.sleep(0.01)
        finally:
            running.cancel()
            await asyncio.wait([running])
        if running.done() and not running.cancelled():
            running.result()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return week(tmp_path / "table.journal")


def whole(path: Path, *archives: Path) -> bool:
    with open_readonly(path, archives=archives) as journal:
        return verify(journal).bad is None


def test_every_day_that_is_due_leaves_by_a_process_of_its_own(path: Path) -> None:
    with SqliteJournal(path) as journal:
        kept = Kept(journal)
        asyncio.run(kept.until(lambda: LOOK_SECONDS in kept.clock.waits))
        assert journal.anchor() != EMPTY
        assert journal.forget(10) == 0
        assert kept.machine.warnings() == ()
        assert PAUSE_SECONDS in kept.clock.waits  # between small transactions wagers have their turn
        assert load(journal) == kept.engine.state
    assert len(list((path.parent / "archive").iterdir())) == DAYS - KEPT
    assert whole(path)


def test_a_folder_that_cannot_be_written_is_told_and_tried_again_until_it_can(path: Path) -> None:
    missing = path.parent / "not-mounted"
    with SqliteJournal(path) as journal:
        kept = Kept(journal, missing / "archive")
        asyncio.run(kept.until(lambda: kept.clock.waits.count(RETRY_SECONDS) > 1))
        (warning,) = kept.machine.warnings()
        assert warning.startswith("archive: ")
        assert "nothing has left the journal" in warning
        assert [event for event, _ in kept.log.lines] == ["archive-failed"]  # once
        assert journal.anchor() == EMPTY
        missing.mkdir()
        asyncio.run(kept.until(lambda: LOOK_SECONDS in kept.clock.waits))
        assert kept.machine.warnings() == ()
        assert kept.log.lines[1][0] == "archive-works"
    assert whole(path, missing / "archive")


@pytest.mark.parametrize("damage", ["'{\"day'", "CAST(x'ff' AS TEXT)"])
def test_old_facts_that_cannot_be_read_are_told_and_the_table_plays_on(path: Path, damage: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("DROP TRIGGER facts_never_change")
        oldest = "SELECT min(seq) FROM facts WHERE type = 'readings-taken'"
        conn.execute(f"UPDATE facts SET payload = {damage} WHERE seq = ({oldest})")  # noqa: S608 -- a test's own
    with SqliteJournal(path) as journal:
        kept = Kept(journal)
        asyncio.run(kept.until(lambda: kept.clock.waits.count(RETRY_SECONDS) > 1))
        (warning,) = kept.machine.warnings()
        assert warning.startswith("archive: ")
        assert "verify" in warning
        assert [event for event, _ in kept.log.lines] == ["archive-failed"]  # once
        assert journal.anchor() == EMPTY


def test_what_a_crash_left_is_let_go_first(path: Path) -> None:
    with SqliteJournal(path) as journal:
        kept = Kept(journal)

        async def dies(_: Job, __: Place) -> FactsWereArchived:
            raise RuntimeError("killed")

        first = Kept(journal, packer=dies)
        with pytest.raises(RuntimeError, match="killed"):
            asyncio.run(first.until(lambda: False))
        assert journal.anchor() == EMPTY

        async def here(job: Job, place: Place) -> FactsWereArchived:
            return prepare(job, place)

        kept = Kept(journal, packer=here)
        asyncio.run(kept.until(lambda: journal.anchor() != EMPTY))
    with SqliteJournal(path) as journal:  # in the midst of letting go
        kept = Kept(journal)
        asyncio.run(kept.until(lambda: LOOK_SECONDS in kept.clock.waits))
        assert journal.forget(10) == 0
    assert whole(path)


def test_what_a_crash_left_is_let_go_although_no_day_is_due(path: Path) -> None:
    archived(path, forget=False)
    with SqliteJournal(path) as journal:
        kept = Kept(journal)
        asyncio.run(kept.until(lambda: LOOK_SECONDS in kept.clock.waits))
        assert journal.forget(10) == 0
    assert whole(path)


def test_a_name_is_given_to_a_file_before_its_facts_may_leave(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing: list[str] = []
    real = Engine.archive

    def archive(self: Engine, fact: FactsWereArchived) -> None:
        missing.extend([] if (path.parent / "archive" / fact.file).exists() else [fact.file])
        real(self, fact)

    async def here(job: Job, place: Place) -> FactsWereArchived:
        return prepare(job, place)

    monkeypatch.setattr(Engine, "archive", archive)
    with SqliteJournal(path) as journal:
        kept = Kept(journal, packer=here)
        asyncio.run(kept.until(lambda: LOOK_SECONDS in kept.clock.waits))
        assert journal.anchor() != EMPTY
    assert missing == []


def test_a_stop_ends_the_process_that_packs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[asyncio.subprocess.Process] = []
    real = asyncio.create_subprocess_exec

    async def noted(*words: Any, **more: Any) -> asyncio.subprocess.Process:  # noqa: ANN401 -- asyncio's own
        made.append(await real("sleep", "600", **more))
        del words
        return made[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    with SqliteJournal(path) as journal:
        kept = Kept(journal)

        async def stopped() -> None:
            await kept.until(lambda: bool(made))
            await asyncio.wait_for(made[0].wait(), WAIT_SECONDS)

        asyncio.run(stopped())
        assert made[0].returncode == -9
        assert journal.anchor() == EMPTY


def test_a_disk_that_hangs_is_told_and_a_slow_one_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, hangs = asyncio.create_subprocess_exec, True

    async def slow(*words: Any, **more: Any) -> asyncio.subprocess.Process:  # noqa: ANN401 -- asyncio's own
        return await (real("sleep", "600", **more) if hangs else real(*words, **more))

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slow)
    monkeypatch.setattr(retention, "PACK_SECONDS", 0.2)
    with SqliteJournal(path) as journal:
        kept = Kept(journal)
        asyncio.run(kept.until(lambda: RETRY_SECONDS in kept.clock.waits))
        (warning,) = kept.machine.warnings()
        assert "not done in 0.2 s: see whether its disk hangs" in warning
        monkeypatch.setattr(retention, "PACK_SECONDS", WAIT_SECONDS)
        hangs = False
        asyncio.run(kept.until(lambda: LOOK_SECONDS in kept.clock.waits))
        assert kept.machine.warnings() == ()
        assert journal.anchor() != EMPTY


def test_nothing_leaves_where_it_is_turned_off(path: Path) -> None:
    with SqliteJournal(path) as journal:
        kept = Kept(journal, archive=False)
        asyncio.run(kept.until(lambda: LOOK_SECONDS in kept.clock.waits))
        assert journal.anchor() == EMPTY
    assert not (path.parent / "archive").exists()


@pytest.mark.parametrize(("days", "taken"), [(2, False), (3, True), (3660, True), (3661, False)])
def test_days_that_stay_are_at_least_those_that_can_be_corrected(days: int, taken: bool) -> None:
    tables = {"journal": {"keep_days": days}}
    if taken:
        assert settings(tables).journal.keep_days == days
    else:
        with pytest.raises(SettingsError, match=r"journal\.keep_days"):
            settings(tables)
    assert settings({}).journal.archives == "/var/lib/jackpotd/archive"
