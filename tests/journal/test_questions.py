"""Questions about days, hits and rounds cost what they ask for, not what the journal has become; and an index that lies
is found.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.commands.paging import span
from controller.commands.queries import ask
from controller.core.state import State
from controller.journal.audit.days import days, report
from controller.journal.audit.verifying import verify
from controller.journal.reading import JournalReader, open_readonly
from controller.journal.rows import Entry, Row
from controller.journal.sqlite import SqliteJournal
from controller.wire import commands as wire
from tests.journal import played
from tests.journal.tampering import rewritten

AT = "2026-11-16T11:00:00.000000Z"
CHIP = Entry("2027-01-01T00:00:00.000000Z", None, "chip-lifted", 1, '{"position":1,"wager":"royal9"}')
MORE = 20_000  # facts of no interest to anybody
STEPS = 10  # of SQLite's machine, to the tick


def rows() -> list[Row]:
    return played.rows(played.eventful()[0].facts)


def lengthened(path: Path) -> Path:
    with SqliteJournal(path) as journal:
        for _ in range(MORE // 1000):
            journal.append([CHIP] * 1000)
    return path


def asked(query: wire.Query) -> Callable[[JournalReader], object]:
    return lambda journal: ask(journal, query, State(), AT)


def first_day(journal: JournalReader) -> object:
    return ask(journal, wire.QueryReadings(id="q", at=AT, day=days(journal)[0]), State(), AT)


def steps(path: Path, question: Callable[[JournalReader], object]) -> tuple[object, int]:
    """The answer, and how far SQLite's machine had to go for it."""
    ticks = 0

    def tick() -> int:
        nonlocal ticks
        ticks += 1
        return 0

    with open_readonly(path) as journal:
        journal.db.conn.set_progress_handler(tick, STEPS)
        return question(journal), ticks * STEPS


@pytest.mark.parametrize(
    "question",
    [
        pytest.param(first_day, id="a day"),
        pytest.param(asked(wire.QueryHits(id="q", at=AT)), id="hits"),
        pytest.param(asked(wire.QueryRounds(id="q", at=AT)), id="rounds"),
        pytest.param(days, id="days"),
    ],
)
def test_a_question_costs_the_same_in_a_longer_journal(
    tmp_path: Path, question: Callable[[JournalReader], object]
) -> None:
    path = rewritten(tmp_path / "journal", rows())
    answer, few = steps(path, question)
    later, many = steps(lengthened(path), question)
    assert later == answer
    assert many <= few + MORE / 100  # one that reads them all takes several for each


def test_a_journal_of_an_older_version_answers_alike(tmp_path: Path) -> None:
    path = rewritten(tmp_path / "journal", rows())
    question = asked(wire.QueryHits(id="q", at=AT))
    answer, _ = steps(path, question)
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("DROP INDEX facts_of_days")
        conn.execute("DROP INDEX facts_of_awards")
    assert steps(path, question)[0] == answer


@pytest.mark.parametrize("index", ["facts_by_round", "facts_of_days", "facts_of_awards"])
def test_an_index_that_hides_a_fact_is_found(index: str, tmp_path: Path) -> None:
    path = rewritten(tmp_path / "journal", rows())
    with open_readonly(path) as journal:
        assert verify(journal).bad is None
    with closing(sqlite3.connect(path)) as conn:
        (sql,) = conn.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index,)).fetchone()
        condition = sql.partition(" WHERE ")[2]
        (hidden,) = conn.execute(f"SELECT max(seq) FROM facts WHERE {condition}").fetchone()  # noqa: S608 -- its own
        conn.execute(f"DROP INDEX {index}")
        conn.execute(f"{sql} AND seq <> {hidden}")
        conn.execute("PRAGMA writable_schema = ON")
        conn.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, index))
        conn.commit()
    with open_readonly(path) as journal:
        found = verify(journal)
    assert found.bad is not None
    assert index in found.bad.why
    assert found.facts == len(rows())


def test_a_day_that_a_clock_far_ahead_has_parted_is_told_whole(tmp_path: Path) -> None:
    table = played.Played(positions=2)
    ends = []
    for day in ("2036-01-01", "2026-11-16", "2026-11-17"):
        table.play(1, 2)
        table.next_day(day)
        ends.append(table.state.seq)
    table.play(1)
    with open_readonly(played.write(tmp_path / "table.journal", table.facts)) as journal:
        assert days(journal) == ["2036-01-01", "2026-11-16", "2026-11-17"]
        for day, first, last in (
            ("2036-01-01", ends[0], ends[1]),
            ("2026-11-16", 1, ends[2]),
            ("2026-11-17", ends[2], table.state.seq + 1),
        ):
            found = report(journal, day)
            assert (found.first, found.last) == (first + (first > 1), min(last, table.state.seq))
            assert all(meter.ok for meter in found.meters)
            assert span(journal, day) == (first, last - 1)
