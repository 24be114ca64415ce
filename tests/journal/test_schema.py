"""Migrations: whole or not at all, completed by the next opening, and never applied to a journal from the future."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from controller.journal import schema, views
from controller.journal.errors import JournalForeignError
from controller.journal.sqlite import SqliteJournal
from tests.journal.children import kill_self, killed
from tests.journal.entries import entries

VIEW = "CREATE VIEW rounds AS SELECT DISTINCT round FROM facts WHERE round IS NOT NULL"


def tables(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as conn:
        return dict(conn.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"))


def killed_at_statement(path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Open the journal in a child that dies by kill -9 just before its n-th SQL statement."""
    left = number

    class Mortal(sqlite3.Connection):
        def execute(self, *arguments: Any) -> sqlite3.Cursor:  # noqa: ANN401 -- passed on as they are
            nonlocal left
            left -= 1
            if not left:
                kill_self()
            return super().execute(*arguments)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **kwargs: connect(*args, **kwargs, factory=Mortal))
    try:
        return killed(lambda: SqliteJournal(path).close())
    finally:
        monkeypatch.setattr(sqlite3, "connect", connect)


@pytest.mark.slow
def test_killed_before_any_statement_of_its_first_opening_the_next_one_completes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "SQL", (VIEW,))
    SqliteJournal(tmp_path / "whole").close()
    whole = tables(tmp_path / "whole")
    deaths = 0
    stages = set()
    while killed_at_statement(path := tmp_path / str(deaths), deaths + 1, monkeypatch):
        if path.exists():
            with closing(sqlite3.connect(path)) as conn:
                stages.update(conn.execute("PRAGMA user_version").fetchone())
        with SqliteJournal(path) as journal:
            journal.append(entries(2))
        assert tables(path) == whole, f"after dying before statement {deaths + 1}"
        deaths += 1
    assert deaths > 30
    assert stages == set(range(schema.VERSION + 1)), "death has to come between all migrations"


def test_an_older_journal_is_brought_up_to_date_with_its_facts(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(3))
        rows = list(journal.rows())
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:  # as version 1 would have left it
        conn.execute("DROP INDEX facts_of_awards")
        conn.execute("DROP INDEX facts_of_days")
        conn.execute("DROP TABLE alive")
        conn.execute("DROP TABLE pins")
        conn.execute("DROP TABLE snapshots")
        conn.execute("DROP TABLE outbox")
        conn.execute("DELETE FROM _sqlite_migrations WHERE name <> 'facts'")
        conn.execute("PRAGMA user_version = 1")
    with SqliteJournal(path) as journal:
        assert list(journal.rows()) == rows
        assert journal.cursor() == 0
        assert journal.snapshots() == []


def test_a_newer_journal_is_refused_and_left_as_it_was(path: Path) -> None:
    SqliteJournal(path).close()
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(JournalForeignError, match=f"has schema {schema.VERSION + 1}, this version .* {schema.VERSION}"):
        SqliteJournal(path)
    assert path.read_bytes() == before


def test_each_migration_and_its_record_are_one_transaction(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[str] = []
    execute = Database.execute

    def failing(db: Database, sql: str, *rest: Any) -> sqlite3.Cursor:  # noqa: ANN401 -- passed on as they are
        if "CREATE TABLE snapshots" in sql:
            recorded.extend(name for (name,) in execute(db, "SELECT name FROM _sqlite_migrations"))
            execute(db, "CREATE TABLE half_done (x)")
            raise RuntimeError
        return execute(db, sql, *rest)

    monkeypatch.setattr(Database, "execute", failing)
    with pytest.raises(RuntimeError):
        SqliteJournal(path)
    assert recorded == ["facts", "outbox"]
    assert "half_done" not in tables(path)


def test_views_are_made_anew_only_when_they_differ(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def schema_version() -> int:
        with closing(sqlite3.connect(path)) as conn:
            version: int = conn.execute("PRAGMA schema_version").fetchone()[0]
            return version

    monkeypatch.setattr(views, "SQL", (f"\n{VIEW.replace(' FROM', chr(10) + ' FROM')};\n",))
    with SqliteJournal(path) as journal:
        journal.append(entries(9))
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT round FROM rounds").fetchall() == [(0,), (1,), (2,)]
    first = schema_version()
    SqliteJournal(path).close()
    assert schema_version() == first

    monkeypatch.setattr(views, "SQL", (VIEW.replace("IS NOT NULL", "> 0"),))
    SqliteJournal(path).close()
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT round FROM rounds").fetchall() == [(1,), (2,)]

    monkeypatch.setattr(views, "SQL", ())
    SqliteJournal(path).close()
    assert "rounds" not in tables(path)


def test_the_views_of_today_can_be_queried(path: Path) -> None:
    with SqliteJournal(path) as journal:
        journal.append(entries(4))
    with closing(sqlite3.connect(path)) as conn:
        for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            conn.execute(f"SELECT * FROM [{name}]").fetchall()  # noqa: S608 -- a name of our own schema
