"""What stands in the documents beside commands: settings are taken, answers parse, queries run, links lead."""

import ast
import json
import re
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.console import settings as console
from controller.journal.reading import open_readonly
from controller.rules.lawful import SERVICE_TABLES
from controller.settings import settings
from tests.documents.reading import (
    PAGES,
    ROOT,
    Block,
    Command,
    anchors,
    blocks,
    blocks_in,
    commands,
    headings,
    links,
)
from tests.journal.played import eventful, write

BLOCKS = [block for page in PAGES for block in blocks(page)]
KINDS = {"sh", "json", "toml", "sql", "python", "javascript", "ini", "text", "drawing", "mermaid"}
# Programs that need more than a journal beside them, and the test that gives it to them.
PROGRAMS = {
    "docs/drivers.md": "tests/drivers/test_documents.py::test_the_document_s_example_drives_a_foot_switch",
    "docs/journal.md": "tests/journal/test_document.py::test_the_program_finds_the_head_of_a_sound_journal",
    "docs/mqtt-commands.md": "tests/documents/test_wiring.py::test_a_table_wired_as_described_takes_its_first_wager",
    "docs/mqtt.md": "tests/wire/test_traffic.py::test_the_guides_commands_work_and_its_proof_proves",
    "docs/mystery.md": "tests/test_vault.py::test_the_document_s_snippets_compute_the_commitment",
}
COMMAND = re.compile(r"^\$? ?(sudo |jackpotd [a-z]|systemctl |make [a-z]|pip )", re.MULTILINE)


def of(*kinds: str) -> pytest.MarkDecorator:
    """A test of each block of some kinds, under its place."""
    found = [pytest.param(block, id=block.place) for block in BLOCKS if block.kind in kinds]
    return pytest.mark.parametrize("block", found)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a table to which everything happened."""
    table, snapshots = eventful()
    return write(tmp_path_factory.mktemp("blocks") / "table.journal", table.facts, snapshots)


@pytest.fixture(scope="module")
def conn(journal: Path) -> Iterator[sqlite3.Connection]:
    with open_readonly(journal) as found:
        yield found.db.conn


def test_every_block_is_of_a_known_kind() -> None:
    assert {block.kind for block in BLOCKS} <= KINDS
    assert [block.place for block in BLOCKS if block.kind in {"text", "drawing"} and COMMAND.search(block.text)] == []


@of("json")
def test_answers_parse(block: Block) -> None:
    left = re.sub(r",\s*…|…\s*,", "", re.sub(r"{…}", "{}", block.text)).strip()
    while left:
        _, end = json.JSONDecoder().raw_decode(left)
        left = left[end:].strip()


@of("toml")
def test_settings_are_taken(block: Block, tmp_path: Path) -> None:
    """A Rules Submission is lawful, settings of the service and of the console are those there are."""
    text = block.text.replace('digest = "…"', 'digest = ""')
    tables = tomllib.loads(text)
    if "foot-switch" in text:  # the example of tests/drivers/test_documents.py
        return
    if "console" in tables or "signage" in tables:
        file = tmp_path / "console.toml"
        for name in re.findall(r'"(/etc/jackpotd/\S+)"', text):
            (tmp_path / Path(name).name).touch()
        file.write_text(text.replace("/etc/jackpotd", str(tmp_path)))
        console.read(file)
    elif "table" in tables:
        file = tmp_path / "table.toml"
        file.write_text(text)
        assert main(["check", str(file), "--on", "2025-01-01"]) == 0
    else:
        assert set(tables) <= set(SERVICE_TABLES)
        settings(tables)


@of("sql")
def test_queries_run(block: Block, conn: sqlite3.Connection) -> None:
    assert conn.execute(block.text).fetchall(), "it finds nothing in a journal to which everything happened"


@of("python", "javascript")
def test_programs_run(block: Block, journal: Path) -> None:
    if block.page in PROGRAMS:
        path, _, name = PROGRAMS[block.page].partition("::")
        tests = {
            node.name for node in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(node, ast.FunctionDef)
        }
        assert name in tests
    else:
        words = [sys.executable, "-c"] if block.kind == "python" else ["node", "-e"]
        done = subprocess.run([*words, block.text, journal.name], cwd=journal.parent, check=False, timeout=60)
        assert done.returncode == 0


@of("ini")
def test_other_settings_are_keys_and_values(block: Block) -> None:
    lines = [line for line in block.text.splitlines() if line]
    assert [line for line in lines if not re.fullmatch(r"\[[A-Z]\w+\]|\w+ ?= ?\S.*", line)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """To a file, and there to a heading; to no address outside, which could be gone tomorrow."""
    wrong = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


def test_the_reader_finds_what_stands_in_a_document() -> None:
    text = (
        '# A `b`: c, d\n\n    jackpotd x \\\n        --y   # why\n\n    {"a": 1}\n\n'
        "```toml\n[t]\n```\n\n- one\n\n    a ─▶ b\n\n    strange\n"
    )
    found = blocks_in("page", text)
    assert [(block.kind, block.line) for block in found] == [
        ("sh", 3),
        ("json", 6),
        ("toml", 9),
        ("drawing", 14),
        ("sh", 16),
    ]
    assert commands(found[0]) == [Command("page", 3, "jackpotd x --y")]
    assert headings(text) == {"a-b-c-d"}
