"""A damaged file: noticed, named, never written to, and with the good bytes back all facts are back."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.chain import proven
from controller.journal.errors import JournalCorruptError, JournalError
from controller.journal.reading import open_readonly
from controller.journal.rows import EMPTY, Head, Row
from controller.journal.sqlite import SqliteJournal
from tests.journal.entries import entries

PAGE = 4096


@pytest.fixture
def written(path: Path) -> Iterator[list[Row]]:
    """A closed journal of some hundred pages, and its facts."""
    with SqliteJournal(path) as journal:
        journal.append(entries(1000))
        journal.append(entries(1000, first=1000))
        rows = list(journal.rows())
    assert path.stat().st_size > 80 * PAGE
    yield rows
    assert not list(path.parent.glob("*-wal")), "a file left behind"


def read_everything(path: Path) -> list[Row]:
    with SqliteJournal(path) as journal:
        assert proven(journal.rows(), EMPTY) == journal.head()
        return list(journal.rows())


def garbage_in_the_header(content: bytearray) -> None:
    content[:100] = b"\xa5" * 100


def garbage_in_the_schema(content: bytearray) -> None:
    content[100:PAGE] = b"\xa5" * (PAGE - 100)


def a_name_that_is_no_text(content: bytearray) -> None:
    at = content.index(b"trigger", PAGE // 4)  # the kind and the name of something in the schema
    content[at + 7 : at + 12] = b"\xce\x28\xce\x28\xce"
    content[content.index(b"CREATE TRIGGER")] ^= 1  # SQLite names it in its complaint, which is then no text


def garbage_in_the_middle(content: bytearray) -> None:
    middle = len(content) // 2 // PAGE * PAGE
    content[middle : middle + PAGE] = b"\xa5" * PAGE


def zeros_in_the_middle(content: bytearray) -> None:
    middle = len(content) // 2 // PAGE * PAGE
    content[middle : middle + 3 * PAGE] = bytes(3 * PAGE)


def half_gone(content: bytearray) -> None:
    del content[len(content) // 2 :]


def all_but_one_page_gone(content: bytearray) -> None:
    del content[PAGE:]


def all_gone(content: bytearray) -> None:
    content.clear()


def one_bit_of_one_payload(content: bytearray) -> None:
    content[content.index(b'"number":1234')] ^= 1


@pytest.mark.parametrize(
    "damage",
    [
        garbage_in_the_header,
        garbage_in_the_schema,
        a_name_that_is_no_text,
        garbage_in_the_middle,
        zeros_in_the_middle,
        half_gone,
        all_but_one_page_gone,
        all_gone,
        one_bit_of_one_payload,
    ],
)
def test_damage_is_noticed_and_undone_by_the_good_bytes(
    path: Path, written: list[Row], damage: Callable[[bytearray], None]
) -> None:
    good = path.read_bytes()
    bad = bytearray(good)
    damage(bad)
    path.write_bytes(bad)
    with pytest.raises(JournalCorruptError) as error:
        read_everything(path)
    assert str(path) in str(error.value) or error.value.seq is not None
    with pytest.raises(JournalError), open_readonly(path) as reader:
        proven(reader.raw(), reader.start())
    path.write_bytes(good)
    assert read_everything(path) == written


def test_a_damaged_last_fact_is_noticed_at_once(path: Path, written: list[Row]) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(b'"number":1999')] ^= 1
    path.write_bytes(content)
    with pytest.raises(JournalCorruptError, match="fact 2000: its hash is") as error:
        SqliteJournal(path)
    assert error.value.seq == len(written)


def tamper(path: Path, *statements: str) -> None:
    """What someone with the file and the sqlite3 shell can do."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("DROP TRIGGER facts_never_change")
        conn.execute("DROP TRIGGER facts_never_go")
        for statement in statements:
            conn.execute(statement)


@pytest.mark.parametrize(
    ("statement", "bad", "why"),
    [
        ("UPDATE facts SET payload = replace(payload, 'Zo', 'Jo') WHERE seq = 700", 700, "its hash is"),
        ("UPDATE facts SET at = '2026-11-16T11:15:00.123457Z' WHERE seq = 700", 700, "its hash is"),
        ("UPDATE facts SET round = NULL WHERE seq = 702", 702, "its hash is"),
        ("UPDATE facts SET payload = CAST(x'ff' AS TEXT) WHERE seq = 700", 700, "its hash is"),
        ("DELETE FROM facts WHERE seq = 700", 700, "facts are missing"),
        ("DELETE FROM facts WHERE seq = 1", 1, "facts are missing"),
        ("DELETE FROM facts WHERE seq < 513", 1, "facts are missing"),
        ("UPDATE facts SET seq = -5 WHERE seq = 2000", 1, "fact -5 stands in its place: its number is wrong"),
        ("UPDATE facts SET seq = 0 WHERE seq = 2000", 1, "fact 0 stands in its place: its number is wrong"),
        ("UPDATE archived SET seq = 3", 4, "its prev_hash is"),
    ],
)
@pytest.mark.usefixtures("written")
def test_tampering_is_noticed_where_it_was_done(path: Path, statement: str, bad: int, why: str) -> None:
    tamper(path, statement)
    with open_readonly(path) as reader, pytest.raises(JournalCorruptError, match=why) as error:
        proven(reader.raw(), reader.start())
    assert error.value.seq == bad


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("version", "'1'", "its version is stored as TEXT, not as INTEGER"),
        ("version", "1.0", "its version is stored as REAL, not as INTEGER"),
        ("round", "CAST(round AS TEXT)", "its round is stored as TEXT, not as INTEGER"),
        ("payload", "CAST(payload AS BLOB)", "its payload is stored as BLOB, not as TEXT"),
        ("payload", "NULL", "its payload is stored as NULL, not as TEXT"),
        ("payload", "17", "its payload is stored as INTEGER, not as TEXT"),
        ("at", "CAST(at AS BLOB)", "its at is stored as BLOB, not as TEXT"),
        ("hash", "hex(hash)", "its hash is stored as TEXT, not as BLOB"),
    ],
)
@pytest.mark.usefixtures("written")
def test_a_value_of_another_type_is_noticed_even_with_the_table_made_lax(
    path: Path, column: str, value: str, why: str
) -> None:
    columns = "seq INTEGER PRIMARY KEY, at, round, type, version, payload, prev_hash, hash"
    tamper(
        path,
        "PRAGMA legacy_alter_table = ON",  # leaves the views alone
        f"CREATE TABLE lax ({columns})",
        "INSERT INTO lax SELECT * FROM facts",
        "DROP TABLE facts",
        "ALTER TABLE lax RENAME TO facts",
        f"UPDATE facts SET {column} = {value} WHERE seq = 701",  # noqa: S608 -- values of this test
    )
    with open_readonly(path) as reader, pytest.raises(JournalCorruptError, match=f"fact 701: {why}"):
        proven(reader.raw(), reader.start())


@pytest.mark.usefixtures("written")
def test_text_that_is_none_is_noticed_by_the_controller_too(path: Path) -> None:
    tamper(path, "UPDATE facts SET payload = CAST(x'ff' AS TEXT) WHERE seq = 700")
    with SqliteJournal(path) as journal, pytest.raises(JournalCorruptError, match="Could not decode to UTF-8"):
        list(journal.rows())


@pytest.mark.usefixtures("written")
def test_facts_that_all_stand_before_the_beginning_are_noticed_at_once(path: Path) -> None:
    tamper(path, "DELETE FROM facts WHERE seq > 1", "UPDATE facts SET seq = 0")
    with pytest.raises(JournalCorruptError, match="ends at fact 0, its chain begins after 0"):
        SqliteJournal(path)


@pytest.mark.parametrize("table", ["archived", "outbox"])
@pytest.mark.usefixtures("written")
def test_a_missing_row_is_named(path: Path, table: str) -> None:
    tamper(path, f"DELETE FROM {table}")  # noqa: S608 -- a name of this test
    with pytest.raises(JournalCorruptError, match=f"a row is missing .*{table}"), SqliteJournal(path) as journal:
        journal.cursor()


@pytest.mark.usefixtures("written")
def test_a_missing_table_is_named(path: Path) -> None:
    tamper(path, "DROP TABLE facts")
    with pytest.raises(JournalCorruptError, match="no such table: facts"):
        SqliteJournal(path)


@pytest.mark.usefixtures("written")
def test_facts_cut_off_at_the_end_show_only_against_a_head_kept_elsewhere(path: Path) -> None:
    with open_readonly(path) as reader:
        kept_elsewhere = reader.head()
    tamper(path, "DELETE FROM facts WHERE seq > 1990")
    with open_readonly(path) as reader:
        assert proven(reader.raw(), reader.start()) == reader.head() == Head(1990, reader.head().hash)
        assert reader.head() != kept_elsewhere
