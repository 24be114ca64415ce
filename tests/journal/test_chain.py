"""The chain, against code that shares nothing with it, and against every way to tamper with a row."""

import struct
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.chain import link
from controller.journal.chain import RawRow, chained, proven, sound
from controller.journal.errors import JournalCorruptError
from controller.journal.limits import MOST_INTEGER
from controller.journal.rows import EMPTY, Entry, Head, Row
from tests.journal.entries import entries

ROWS = chained(EMPTY, entries(6))

texts = st.text(st.characters(codec="utf-8"))
integers = st.integers(-MOST_INTEGER - 1, MOST_INTEGER)


def by_definition(prev_hash: bytes, *columns: int | str | None) -> bytes:
    """The hash, from the written definition: slow, plain, and by another way."""
    hashed = sha256(prev_hash)
    for column in columns:
        if column is None:
            kind, value = b"n", b""
        elif isinstance(column, int):
            kind, value = b"i", str(column).encode("ascii")
        else:
            kind, value = b"t", column.encode("utf-8")
        hashed.update(struct.pack(">cQ", kind, len(value)) + value)
    return hashed.digest()


def test_a_hash_known_by_heart() -> None:
    """Put together from bytes written out here by hand."""
    content = (
        bytes(32)
        + b"i\0\0\0\0\0\0\0\x011"
        + b"t\0\0\0\0\0\0\0\x1b2026-11-16T11:15:00.123456Z"
        + b"i\0\0\0\0\0\0\0\x0242"
        + b"t\0\0\0\0\0\0\0\x0alocked-out"
        + b"i\0\0\0\0\0\0\0\x011"
        + b't\0\0\0\0\0\0\0\x0f{"name":"Zo\xc3\xab"}'
    )
    found = link(bytes(32), 1, "2026-11-16T11:15:00.123456Z", 42, "locked-out", 1, '{"name":"Zoë"}')
    assert found == sha256(content).digest()
    assert found.hex() == "7f485be67e253a466b587fc6588ddbe068325190112ec0f4600ab4a031db9791"


@given(st.binary(min_size=32, max_size=32), integers, texts, st.none() | integers, texts, integers, texts)
def test_the_hash_is_the_defined_one(  # noqa: PLR0913, PLR0917 -- the columns of a fact
    prev_hash: bytes, seq: int, at: str, round_: int | None, kind: str, version: int, payload: str
) -> None:
    expected = by_definition(prev_hash, seq, at, round_, kind, version, payload)
    assert link(prev_hash, seq, at, round_, kind, version, payload) == expected
    undecoded = (bytearray(at.encode()), round_, bytearray(kind.encode()), version, bytearray(payload.encode()))
    assert link(prev_hash, seq, *undecoded) == expected


def test_moving_a_character_from_one_column_to_the_next_changes_the_hash() -> None:
    assert link(bytes(32), 1, "ab", 1, "c", 1, "d") != link(bytes(32), 1, "a", 1, "bc", 1, "d")
    assert link(bytes(32), 1, "a", 11, "c", 1, "d") != link(bytes(32), 11, "a", 1, "c", 1, "d")
    assert link(bytes(32), 1, "a", None, "c", 1, "d") != link(bytes(32), 1, "a", 0, "c", 1, "d")


def test_a_sound_chain_passes_through_row_by_row() -> None:
    assert list(sound(ROWS, EMPTY)) == ROWS
    assert proven(ROWS, EMPTY) == Head(6, ROWS[-1].hash)
    assert proven([], EMPTY) == EMPTY


def test_a_chain_can_be_proven_from_any_place_in_it() -> None:
    assert proven(ROWS[4:], Head(4, ROWS[3].hash)) == Head(6, ROWS[-1].hash)
    with pytest.raises(JournalCorruptError, match="fact 5: its prev_hash"):
        proven(ROWS[4:], Head(4, bytes(32)))


def raw(row: Row, **changes: object) -> RawRow:
    """A row as a file gives it, with some of its values changed."""
    values = {**row._asdict(), **changes}
    return tuple(bytearray(each.encode()) if isinstance(each, str) else each for each in values.values())


def forged(row: Row, **changes: object) -> RawRow:
    """The same, with a hash that fits."""
    changed = Row(**{**row._asdict(), **changes})
    return raw(changed, hash=by_definition(changed.prev_hash, *changed[:6]))


def test_rows_of_a_file_pass_as_they_are() -> None:
    assert proven((raw(row) for row in ROWS), EMPTY) == Head(6, ROWS[-1].hash)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"at": "2026-11-16T11:00:03.000004Z"}, "its hash is"),
        ({"round": 1}, "its hash is"),
        ({"round": None}, "its hash is"),
        ({"type": "award-paid"}, "its hash is"),
        ({"version": 2}, "its hash is"),
        ({"payload": "{}"}, "its hash is"),
        ({"hash": bytes(32)}, "its hash is"),
        ({"prev_hash": bytes(32)}, "its prev_hash is"),
        ({"seq": 9}, "fact 9 stands in its place: facts are missing"),
        ({"seq": 2}, "fact 2 stands in its place: its number is wrong"),
        ({"seq": b"3"}, "its seq is stored as BLOB, not as INTEGER"),
        ({"at": b"2026"}, "its at is stored as BLOB, not as TEXT"),
        ({"round": "0"}, "its round is stored as TEXT, not as INTEGER"),
        ({"round": 0.0}, "its round is stored as REAL, not as INTEGER"),
        ({"version": "1"}, "its version is stored as TEXT, not as INTEGER"),
        ({"version": 1.0}, "its version is stored as REAL, not as INTEGER"),
        ({"version": None}, "its version is stored as NULL, not as INTEGER"),
        ({"payload": b"{}"}, "its payload is stored as BLOB, not as TEXT"),
        ({"payload": None}, "its payload is stored as NULL, not as TEXT"),
        ({"hash": "0"}, "its hash is stored as TEXT, not as BLOB"),
    ],
)
def test_a_changed_row_is_the_first_bad_one(changed: dict[str, object], why: str) -> None:
    rows = [raw(row) for row in ROWS]
    rows[2] = raw(ROWS[2], **changed)
    with pytest.raises(JournalCorruptError, match="fact 3: ") as error:
        proven(rows, EMPTY)
    assert why in str(error.value)
    assert error.value.seq == 3


def test_a_row_changed_together_with_its_hash_shows_at_the_next() -> None:
    rows = [raw(row) for row in ROWS]
    rows[2] = forged(ROWS[2], payload='{"cents":1}')
    with pytest.raises(JournalCorruptError, match="fact 4: its prev_hash"):
        proven(rows, EMPTY)


@pytest.mark.parametrize(("gone", "bad"), [(0, 1), (2, 3), (4, 5)])
def test_a_missing_row_is_noticed(gone: int, bad: int) -> None:
    rows = ROWS[:gone] + ROWS[gone + 1 :]
    with pytest.raises(JournalCorruptError, match=f"fact {bad}: fact {bad + 1} stands in its place: facts are missing"):
        proven(rows, EMPTY)


def test_swapped_rows_are_noticed() -> None:
    with pytest.raises(JournalCorruptError, match="fact 2: fact 3 stands in its place"):
        proven([ROWS[0], ROWS[2], ROWS[1], *ROWS[3:]], EMPTY)


def test_what_comes_before_the_bad_row_has_passed() -> None:
    rows = sound([*ROWS[:2], ROWS[2]._replace(payload="{}")], EMPTY)
    assert [next(rows).seq, next(rows).seq] == [1, 2]
    with pytest.raises(JournalCorruptError):
        next(rows)


def test_a_row_of_another_width_is_noticed() -> None:
    with pytest.raises(JournalCorruptError, match="fact 1: it has 7 columns, not 8"):
        proven([tuple(ROWS[0])[:7]], EMPTY)


def test_equal_entries_have_different_hashes() -> None:
    same = [Entry("2026-11-16T11:15:00.123456Z", 1, "t", 1, "{}")] * 3
    assert len({row.hash for row in chained(EMPTY, same)}) == 3
