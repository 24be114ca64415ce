"""docs/journal.md says what is true: its program verifies, its vector is right, its figures are the code's."""

import gzip
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from controller.chain import link
from controller.journal import limits, opening, schema
from controller.journal.archive.files import FILE_MODE as ARCHIVE_MODE
from controller.journal.chain import proven
from controller.journal.journal import KEPT_SNAPSHOTS
from controller.journal.lock import FILE_MODE
from controller.journal.reading import open_readonly
from controller.journal.rows import Head
from controller.journal.sqlite import SqliteJournal
from controller.service.retention import TOGETHER
from controller.settings import JournalSettings
from tests.journal.closed_days import archived, week
from tests.journal.entries import entries

DOCUMENT = (Path(__file__).parent.parent.parent / "docs/journal.md").read_text()
PROGRAM = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
VECTOR = re.findall(r"^\| `(seq|at|round|type|version|payload)` \| (.+) \| `([0-9a-f ]+)` \|$", DOCUMENT, re.MULTILINE)


def verify(*paths: Path) -> subprocess.CompletedProcess[str]:
    (program,) = PROGRAM
    command = [sys.executable, "-I", "-c", program, *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def head(path: Path) -> Head:
    """The head of a journal at `path` with facts with and without rounds."""
    with SqliteJournal(path) as journal:
        return journal.append(entries(20))


def test_the_program_is_short_and_imports_only_what_it_says() -> None:
    (program,) = PROGRAM
    assert len([line for line in program.splitlines() if line]) <= 25
    assert re.findall("import .*", program) == ["import gzip, hashlib, json, sqlite3, sys"]


def test_the_program_finds_the_head_of_a_sound_journal(path: Path, head: Head) -> None:
    assert verify(path).stdout == f"{head.seq} {head.hash.hex()}\n"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE facts SET payload = '{}' WHERE seq = 7",
        "UPDATE facts SET round = NULL WHERE seq = 7",
        "DELETE FROM facts WHERE seq = 7",
        "UPDATE facts SET seq = -1 WHERE seq = 20",
    ],
)
@pytest.mark.usefixtures("head")
def test_the_program_finds_what_was_changed(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("DROP TRIGGER facts_never_change")
        conn.execute("DROP TRIGGER facts_never_go")
        conn.execute(change)
    answer = verify(path)
    assert answer.returncode == 1
    assert re.search(r"fact (7|8|-1) is not what was written after fact (6|0)", answer.stderr)


def test_the_program_takes_archives_and_what_remains(tmp_path: Path) -> None:
    """Several files, one chain; and each of them is needed."""
    path = week(tmp_path / "table.journal")
    archived(path)
    archives = sorted((tmp_path / "archive").iterdir())
    with SqliteJournal(path) as journal:
        head = journal.head()
    assert verify(*archives, path).stdout == f"{head.seq} {head.hash.hex()}\n"
    assert verify(path).returncode == verify(*archives[1:], path).returncode == 1
    archives[1].chmod(0o640)
    archives[1].write_bytes(gzip.compress(gzip.decompress(archives[1].read_bytes()).replace(b"royal9", b"royal8", 1)))
    changed = verify(*archives, path)
    assert changed.returncode == 1
    assert "is not what was written after fact" in changed.stderr


def test_the_vector_is_right() -> None:
    assert [name for name, _, _ in VECTOR] == ["seq", "at", "round", "type", "version", "payload"]
    seq, at, round_, kind, version, payload = (value for _, value, _ in VECTOR)
    content = bytes(32) + b"".join(bytes.fromhex(field) for _, _, field in VECTOR)
    assert link(bytes(32), int(seq), at, int(round_), kind, int(version), payload) == sha256(content).digest()
    assert f"Its hash is `{sha256(content).hexdigest()}`" in DOCUMENT


def test_figures_are_those_of_the_code() -> None:
    assert f"application id {schema.APPLICATION_ID}*" in DOCUMENT
    assert f"schema, {schema.VERSION} today" in DOCUMENT
    assert f"mode {ARCHIVE_MODE:04o}. It is JSON" in DOCUMENT
    assert f"{JournalSettings().keep_days} unless set; at least 3" in DOCUMENT
    assert f"are deleted, {TOGETHER} in a transaction" in DOCUMENT
    assert f"mode {FILE_MODE:04o}" in DOCUMENT
    assert f"| `wal_autocheckpoint` {opening.CHECKPOINT_PAGES} |" in DOCUMENT
    assert f"| `journal_size_limit` {opening.WAL_KEPT_BYTES >> 20} MiB |" in DOCUMENT
    assert f"less than {opening.LEAST_FREE_BYTES >> 20} MiB free" in DOCUMENT
    sentence = (
        f"A payload has at most {limits.MOST_PAYLOAD_BYTES >> 20} MiB, "
        f"a type {limits.MOST_TYPE_CHARACTERS} characters, an append {limits.MOST_ENTRIES} facts, "
        f"a snapshot {limits.MOST_SNAPSHOT_BYTES >> 20} MiB."
    )
    assert sentence in " ".join(DOCUMENT.split())
    assert KEPT_SNAPSHOTS == 2
    assert "the newest two states" in DOCUMENT


@pytest.mark.usefixtures("head")
def test_every_table_and_column_is_described(path: Path) -> None:
    with open_readonly(path) as reader:
        assert all(f"| `{name}` |" in DOCUMENT for name in reader.db.table_names())
        for name, column in reader.db["facts"].columns_dict.items():
            assert re.search(rf"\| `{name}` \| {({int: 'INTEGER', str: 'TEXT', bytes: 'BLOB'})[column]}", DOCUMENT)


@pytest.mark.parametrize("command", re.findall(r"^    sqlite3 -readonly table\.journal (.*)$", DOCUMENT, re.MULTILINE))
def test_a_backup_made_as_described_is_a_journal_with_the_same_head(path: Path, head: Head, command: str) -> None:
    copy = path.with_name("copy.journal")
    with SqliteJournal(path) as journal, closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as conn:
        if "VACUUM" in command:
            conn.execute(f"VACUUM INTO '{copy}'")
        else:
            assert ".backup" in command
            with closing(sqlite3.connect(copy)) as target:
                conn.backup(target)  # what the shell's .backup does
        assert journal.head() == head
    with open_readonly(copy) as reader:
        assert proven(reader.raw(), reader.start()) == head
    with SqliteJournal(copy) as journal:
        assert journal.append(entries(1)).seq == head.seq + 1
