"""`jackpotd archive`, and `jackpotd audit` on a journal whose days are archived."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from controller.journal.sqlite import SqliteJournal
from tests.cli.calls import Said, call, refusal
from tests.journal.closed_days import DAYS, KEPT, archived, week

NONE = f"no day is due: the last {KEPT} stay, and any the broker was not told or a start needs\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration with a journal of a week beside it."""
    path = week(tmp_path / "table.journal")
    made = tmp_path / "table.toml"
    made.write_text(f'[journal]\npath = "{path}"\nkeep_days = {KEPT}\n')
    return made


def answer(capsys: Said, *words: str, code: int = 0) -> Any:  # noqa: ANN401 -- as the command has it
    assert call(*words, "--json") == code
    return json.loads(capsys.readouterr().out)


def test_a_stopped_table_is_archived_and_verified(config: Path, capsys: Said) -> None:
    path = config.with_name("table.journal")
    made = answer(capsys, "archive", "--config", str(config))
    assert made["ok"]
    assert made["folder"] == str(path.parent / "archive")
    assert len(made["archived"]) == DAYS - KEPT
    verdict = answer(capsys, "audit", "verify", str(path))
    assert verdict["ok"]
    assert verdict["archives"] == {"seen": [each["file"] for each in made["archived"]], "missing": []}
    assert call("archive", "--config", str(config)) == 0
    assert capsys.readouterr().out == NONE


def test_a_table_that_told_no_broker_is_told_why_its_days_stay(config: Path, capsys: Said) -> None:
    with SqliteJournal(config.with_name("table.journal")) as journal:
        journal.append([], cursor=0)
    assert call("archive", "--config", str(config)) == 0
    assert capsys.readouterr().out == NONE


def test_the_files_are_told_one_a_line(config: Path, capsys: Said) -> None:
    assert call("archive", "--config", str(config)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == DAYS - KEPT
    assert lines[0].startswith("table.journal.000000000001-")


def test_a_running_table_archives_by_itself(config: Path, capsys: Said) -> None:
    with SqliteJournal(config.with_name("table.journal")):
        assert "the controller is not stopped, and archives by itself" in refusal(
            capsys, "archive", "--config", str(config)
        )


def test_a_folder_that_cannot_be_written_is_named(config: Path, capsys: Said) -> None:
    config.write_text(f'{config.read_text()}archive_path = "{config.parent}/none/archive"\n')
    assert "none/archive: No such file or directory: see that" in refusal(capsys, "archive", "--config", str(config))
    config.write_text('[journal]\npath = "/nowhere/journal.db"\n')
    assert "is not there" in refusal(capsys, "archive", "--config", str(config))


def test_a_missing_archive_is_a_no_and_the_rest_is_proven(tmp_path: Path, capsys: Said) -> None:
    path = week(tmp_path / "table.journal")
    made = archived(path)
    away = (path.parent / "archive").rename(tmp_path / "away")
    verdict = answer(capsys, "audit", "verify", str(path), code=1)
    assert not verdict["ok"]
    assert verdict["archives"] == {"seen": [], "missing": [each.file for each in made]}
    assert verdict["first_bad"]["seq"] == 1
    assert (verdict["since"], verdict["facts"]) == (made[-1].last + 1, verdict["head"]["seq"] - made[-1].last)
    assert verdict["replayed_since"] > verdict["since"]
    assert answer(capsys, "audit", "verify", str(path), "--live")["ok"]
    assert answer(capsys, "audit", "verify", str(path), "--archives", str(away))["since"] == 1
    files = sorted(map(str, away.iterdir()), reverse=True)
    assert answer(capsys, "audit", "verify", str(path), "--archives", *files)["ok"]
    assert call("audit", "verify", str(path)) == 1
    told = capsys.readouterr().out
    assert "archives not seen: " in told
    assert f"facts {made[-1].last + 1} to" in told


def test_days_hits_derivations_and_reveals_are_told_from_archives(tmp_path: Path, capsys: Said) -> None:
    path = week(tmp_path / "table.journal")
    before = _asked(path, capsys)
    archived(path)
    assert _asked(path, capsys) == before
    (path.parent / "archive").rename(tmp_path / "away")
    assert "put it there, or name it with --archives" in refusal(
        capsys, "audit", "report", str(path), "--date", "2026-11-16"
    )


def _asked(path: Path, capsys: Said) -> list[Any]:
    hits = answer(capsys, "audit", "hits", str(path))
    mystery = next(hit["hit"] for hit in hits["hits"] if hit["kind"] == "mystery")
    return [
        hits,
        answer(capsys, "audit", "report", str(path), "--date", "2026-11-16"),
        answer(capsys, "audit", "derive", str(path), mystery),
        answer(capsys, "audit", "reveal", str(path), mystery),
    ]


def test_everything_is_put_back_into_one_file(tmp_path: Path, capsys: Said) -> None:
    path, into = week(tmp_path / "table.journal"), tmp_path / "whole.journal"
    archived(path)
    told = answer(capsys, "audit", "restore", str(path), "--into", str(into))
    assert told["into"] == str(into)
    with closing(sqlite3.connect(into)) as conn:
        assert conn.execute("SELECT count(*), max(seq) FROM facts").fetchone() == (told["facts"], told["head"]["seq"])
        assert conn.execute("SELECT count(*) FROM pins").fetchone() == (0,)
    assert answer(capsys, "audit", "verify", str(into))["head"] == told["head"]
    assert "is there already" in refusal(capsys, "audit", "restore", str(path), "--into", str(into))
