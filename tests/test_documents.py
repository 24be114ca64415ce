"""The documents say what is true: ids and outcomes, limits, keys and examples."""

import json
import os
import re
from itertools import combinations
from pathlib import Path

import pytest

from controller.cli.check import MOST_BYTES
from controller.cli.main import main
from controller.cli.settle_stream import MOST_LINE_BYTES
from controller.rules import catalog, lawful
from controller.rules.lawful_table import LATE_HANDS_MOST

ROOT = Path(__file__).parent.parent
COMMANDS = (ROOT / "docs/commands.md").read_text()
ROWS = re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|$", COMMANDS.partition("## `jackpotd settle WAGER`")[0], re.MULTILINE)


def each_id(pattern: str) -> list[str]:
    """The ids a documented pattern stands for."""
    if ".." in pattern:
        before, first, last, after = re.fullmatch(r"(.*?)(\w+)\.\.(\w+)(.*)", pattern).groups()  # type: ignore[union-attr]  # it has ".."
        if first.isdigit():
            span = [str(number) for number in range(int(first), int(last) + 1)]
        else:
            span = [chr(code) for code in range(ord(first), ord(last) + 1)]
        return [id_ for one in span for id_ in each_id(f"{before}{one}{after}")]
    if pattern.endswith("HAND"):
        return [pattern.replace("HAND", hand) for hand in ("player", "banker")]
    if pattern.endswith("A-B"):
        return [pattern.replace("A-B", f"{a}-{b}") for a, b in combinations(range(1, 7), 2)]
    if pattern.endswith("-N"):
        return [f"{pattern[:-1]}{face}" for face in range(1, 7)]
    return [pattern]


def test_the_table_of_ids_is_the_catalog() -> None:
    documented = {
        id_: outcomes.split()
        for patterns, outcomes in ROWS
        for pattern in re.findall(r"`([^`]+)`", patterns)
        for id_ in each_id(pattern)
    }
    assert documented == {id_: [row.outcome for row in wager.rows] for id_, wager in catalog.wagers().items()}


def test_limits_are_documented_as_they_are() -> None:
    assert f"A line has at most {MOST_LINE_BYTES} bytes" in COMMANDS
    assert f"at most {lawful.MOST_LINE_CHARACTERS} characters, the file at most 1 MiB" in COMMANDS
    assert MOST_BYTES == 1024 * 1024
    assert f"3, from 0 to {LATE_HANDS_MOST}" in COMMANDS
    assert all(f"`{name}`" in COMMANDS for name in lawful.SERVICE_TABLES)


@pytest.mark.parametrize("arguments", [["royal9/5"], ["harmony/B"], ["heavenly9"], ["player"], ["must-hit-by/D-5"]])
def test_every_key_of_an_answer_is_documented(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    config = {"royal9/5": "minibaccarat-royal9-5", "heavenly9": "baccarat-heavenly9"}.get(arguments[0])
    more = ["--config", str(ROOT / f"config/{config}.toml")] if config else []
    assert main(["odds", *arguments, *more, "--json"]) == 0
    keys = json.loads(capsys.readouterr().out)
    assert [key for key in keys if f"`{key}`" not in COMMANDS] == []


README = (ROOT / "README.md").read_text()
EXAMPLES = re.findall(r"^    (?:echo '(.*)' \| )?jackpotd (.*)$", README, re.MULTILINE)


@pytest.mark.parametrize(("given", "command"), EXAMPLES)
def test_the_commands_of_the_readme_run_as_written(
    given: str, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', command.replace("/tmp", str(tmp_path)))]  # noqa: S108 -- replaced
    monkeypatch.chdir(ROOT)
    if given:
        source = tmp_path / "round"
        source.write_text(f"{given}\n")
        with source.open() as file:
            assert _fed(words, file.fileno()) == 0
    else:
        assert main(words) == 0
    assert "error" not in capfd.readouterr().out


def _fed(words: list[str], source: int) -> int:
    """Run a command with its standard input from a file."""

    saved = os.dup(0)
    try:
        os.dup2(source, 0)
        return main(words)
    finally:
        os.dup2(saved, 0)
        os.close(saved)
