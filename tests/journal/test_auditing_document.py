"""`docs/auditing.md` says what is true: every query in it runs and finds something, every column is explained."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.journal.reading import open_readonly
from tests.journal.played import eventful, write

DOCUMENT = (Path(__file__).parents[2] / "docs/auditing.md").read_text()
QUERIES = re.findall(r"^([^\n]+)\n\n```sql\n(.*?)```", DOCUMENT, re.MULTILINE | re.DOTALL)
SECTIONS = dict(re.findall(r"^## `(\w+)`[^\n]*\n(.*?)(?=^## )", DOCUMENT, re.MULTILINE | re.DOTALL))
COMMANDS = re.findall(r"^    jackpotd (audit [^#\n]*[^#\n ])", DOCUMENT, re.MULTILINE)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    table, snapshots = eventful()
    return write(tmp_path_factory.mktemp("document") / "journal", table.facts, snapshots)


@pytest.fixture(scope="module")
def conn(path: Path) -> Iterator[sqlite3.Connection]:
    with open_readonly(path) as journal:
        yield journal.db.conn


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_answers(
    path: Path, conn: sqlite3.Connection, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ((hit,),) = conn.execute("SELECT hit FROM hits WHERE kind = 'mystery' ORDER BY seq LIMIT 1")
    ((seq, hash_),) = conn.execute("SELECT seq, lower(hex(hash)) FROM facts WHERE seq = 81")
    written = {"table.journal": str(path), "mb-07-14-3": hit, "81234:5c1f…": f"{seq}:{hash_}"}
    assert main([written.get(word, word) for word in command.split()]) == 0


def test_the_document_has_its_queries() -> None:
    assert len(QUERIES) >= 20
    assert len(COMMANDS) == 9


@pytest.mark.parametrize(("asked", "query"), QUERIES, ids=[asked[:60] for asked, _ in QUERIES])
def test_every_query_finds_something_and_no_real(conn: sqlite3.Connection, asked: str, query: str) -> None:
    rows = conn.execute(query).fetchall()
    assert rows, asked
    assert {type(value) for row in rows for value in row} <= {int, str, type(None)}
    for column in zip(*rows, strict=True):
        assert any(value is not None for value in column), "a column with nothing in it names a field there is not"


def test_what_queries_say_adds_up_does(conn: sqlite3.Connection) -> None:
    queries = dict(QUERIES)
    added = next(query for asked, query in queries.items() if asked.startswith("The same added up"))
    ((moved, held),) = conn.execute(added)
    assert moved == held
    mystery = next(query for asked, query in QUERIES if "left_units" in query)
    assert [left for _, _, left in conn.execute(mystery)] == [0, 0]
    slips = next(query for _, query in QUERIES if "AS step" in query)
    assert {row[-1] for row in conn.execute(slips)} == {1}


def test_every_view_and_every_column_is_explained(conn: sqlite3.Connection) -> None:
    views = [name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
    assert set(SECTIONS) == set(views)
    for view in views:
        explained = set()
        for row in re.findall(r"^\| ((?:`\w+` ?)+)\|", SECTIONS[view], re.MULTILINE):
            explained |= set(re.findall(r"`(\w+)`", row))
        with closing(conn.execute(f"SELECT * FROM {view}")) as found:  # noqa: S608 -- a view's name
            assert explained == {column[0] for column in found.description}, view
