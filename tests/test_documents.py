"""docs/commands.md says what is true: ids and outcomes, limits and keys. Its commands are run in tests/documents."""

import json
import re
from itertools import combinations
from pathlib import Path

import pytest

from controller.cli.check import MOST_BYTES
from controller.cli.main import command_names, main
from controller.cli.settle_stream import MOST_LINE_BYTES
from controller.rules import catalog, lawful
from controller.rules.lawful_table import LATE_HANDS_MOST
from controller.simulation.layout import SUBMISSIONS
from controller.simulation.schedule import KINDS

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


@pytest.mark.parametrize("command", command_names())
def test_every_command_has_its_section(command: str) -> None:
    assert re.search(rf"^## .*`jackpotd {command}\b", COMMANDS, re.MULTILINE)


def test_what_a_simulation_can_be_told_is_documented() -> None:
    section = COMMANDS.partition("## `jackpotd simulate")[2].partition("\n## ")[0]
    assert set(KINDS) <= set(re.findall(r"`([a-z-]+)`", section))
    assert all(f"`{each}`" in section for each in SUBMISSIONS)


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
