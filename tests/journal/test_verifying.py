import os
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.journal.audit.verifying import Verdict, verify
from controller.journal.reading import open_readonly
from controller.journal.rows import Head, Row, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import packed, unpacked
from tests.journal import played
from tests.journal.tampering import COLUMNS, Payload, first, forged, rewritten, run, update


@cache
def made() -> tuple[list[Row], list[Snapshot]]:
    table, snapshots = played.eventful()
    return played.rows(table.facts), snapshots


ROWS, SNAPSHOTS = made()
LAST = len(ROWS)
PLACES = {"first": 1, "middle": LAST // 2, "last": LAST}


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return rewritten(tmp_path / "whole.journal", ROWS, SNAPSHOTS)


def found(path: Path, head: Head | None = None) -> Verdict:
    with open_readonly(path) as journal:
        return verify(journal, head)


def bad_seq(path: Path, head: Head | None = None) -> int:
    verdict = found(path, head)
    assert verdict.bad is not None
    assert verdict.facts == verdict.head.seq
    return verdict.bad.seq


def test_a_journal_as_it_was_written_is_whole(whole: Path) -> None:
    verdict = found(whole)
    assert verdict == Verdict(LAST, Head(LAST, ROWS[-1].hash), None)


def test_an_empty_journal_is_whole(tmp_path: Path) -> None:
    SqliteJournal(tmp_path / "empty").close()
    assert found(tmp_path / "empty") == Verdict(0, Head(0, bytes(32)), None)


def test_progress_is_told_up_to_the_last_fact(whole: Path) -> None:
    told: list[tuple[int, int]] = []
    with open_readonly(whole) as journal:
        verify(journal, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (LAST, LAST)


def test_a_journal_in_use_is_verified_and_not_written_to(tmp_path: Path) -> None:
    with SqliteJournal(rewritten(tmp_path / "used", ROWS)) as journal:
        before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir() if "shm" not in path.name}
        assert found(tmp_path / "used").bad is None
        assert {path: path.stat().st_mtime_ns for path in before} == before
        assert journal.head().seq == LAST


# -- what the chain finds --


def _other(value: object) -> object:
    """A value of the same type that differs as little as possible."""
    if isinstance(value, int):
        return value + 1
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]
    assert isinstance(value, str)
    return chr(ord(value[0]) ^ 1) + value[1:]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_changed_value_in_any_column_is_found(whole: Path, column: str, place: str) -> None:
    seq = PLACES[place]
    value = ROWS[seq - 1][COLUMNS.index(column)]
    run(whole, update(column, "?", seq, 7 if value is None else _other(value)))
    assert bad_seq(whole) == seq


@pytest.mark.parametrize("at", ["0", "1", "middle", "-2", "-1"])
@pytest.mark.parametrize("column", ["at", "type", "payload", "prev_hash", "hash"])
def test_a_changed_byte_anywhere_in_a_value_is_found(whole: Path, column: str, at: str) -> None:
    seq = PLACES["middle"]
    value = ROWS[seq - 1][COLUMNS.index(column)]
    stored = bytearray(value if isinstance(value, bytes) else str(value).encode())
    stored[len(stored) // 2 if at == "middle" else int(at)] ^= 1
    kind = "BLOB" if isinstance(value, bytes) else "TEXT"
    run(whole, update(column, f"CAST(? AS {kind})", seq, bytes(stored)))
    assert bad_seq(whole) == seq


STORED = {int: "INTEGER", str: "TEXT", bytes: "BLOB"}
RETYPED = [
    (column, kind, place)
    for place, seq in PLACES.items()
    for column, value in zip(COLUMNS, ROWS[seq - 1], strict=True)
    for kind in ("TEXT", "BLOB", "REAL", "INTEGER")
    if value is not None and STORED[type(value)] != kind
]


@pytest.mark.parametrize(("column", "kind", "place"), RETYPED)
def test_the_same_value_stored_as_another_type_is_found(whole: Path, column: str, kind: str, place: str) -> None:
    seq = PLACES[place]
    run(whole, update(column, f"CAST({column} AS {kind})", seq))
    assert bad_seq(whole) == seq


@pytest.mark.parametrize("column", COLUMNS)
def test_a_value_taken_out_is_found(whole: Path, column: str) -> None:
    seq = next(row.seq for row in ROWS if row.round is not None)
    run(whole, update(column, "NULL", seq))
    assert bad_seq(whole) == seq


@pytest.mark.parametrize("seq", [1, LAST // 2, LAST - 1])
def test_a_removed_fact_is_found(whole: Path, seq: int) -> None:
    run(whole, ("DELETE FROM facts WHERE seq = ?", (seq,)))
    assert bad_seq(whole) == seq


@pytest.mark.parametrize("seq", [1, LAST // 2, LAST - 1])
def test_a_removed_fact_is_found_although_the_later_ones_moved_up(whole: Path, seq: int) -> None:
    run(
        whole,
        ("DELETE FROM facts WHERE seq = ?", (seq,)),
        ("UPDATE facts SET seq = seq - 1 WHERE seq > ?", (seq,)),
    )
    assert bad_seq(whole) == seq


@pytest.mark.parametrize("seq", [-1, 0, 1, LAST // 2, LAST, LAST + 1])
def test_an_inserted_fact_is_found(whole: Path, seq: int) -> None:
    copied = "SELECT ?, at, round, type, version, payload, prev_hash, hash FROM facts WHERE seq = ?"
    run(whole, (f"INSERT INTO facts {copied}", (seq, min(max(seq, 1), LAST))))
    assert 1 <= bad_seq(whole) <= LAST + 1


@pytest.mark.parametrize("seq", [1, LAST // 2, LAST - 1])
def test_two_facts_in_each_other_s_place_are_found(whole: Path, seq: int) -> None:
    run(
        whole,
        ("UPDATE facts SET seq = -1 WHERE seq = ?", (seq,)),
        ("UPDATE facts SET seq = ? WHERE seq = ?", (seq, seq + 1)),
        ("UPDATE facts SET seq = ? WHERE seq = -1", (seq + 1,)),
    )
    assert bad_seq(whole) == seq


def test_facts_said_to_be_archived_are_missed(whole: Path) -> None:
    anchor = ROWS[9]
    run(
        whole,
        ("DELETE FROM facts WHERE seq <= ?", (anchor.seq,)),
        ("UPDATE archived SET seq = ?, hash = ?", (anchor.seq, anchor.hash)),
    )
    assert bad_seq(whole) == 1


# -- what only a place noted elsewhere finds --


def _without_snapshots(path: Path) -> None:
    run(path, "DELETE FROM snapshots")


def test_a_cut_off_end_is_whole_by_itself_and_found_against_a_promised_head(whole: Path) -> None:
    head = Head(LAST, ROWS[-1].hash)
    assert found(whole, head).bad is None
    _without_snapshots(whole)
    run(whole, ("DELETE FROM facts WHERE seq > ?", (LAST - 3,)))
    assert found(whole).bad is None
    assert bad_seq(whole, head) == LAST - 2


@pytest.mark.parametrize("seq", [1, LAST // 2, LAST])
def test_a_journal_contains_the_heads_it_had_before(whole: Path, seq: int) -> None:
    assert found(whole, Head(seq, ROWS[seq - 1].hash)).bad is None
    assert bad_seq(whole, Head(seq, bytes(32))) == seq


def test_a_history_written_anew_is_found_only_against_a_promised_head(tmp_path: Path) -> None:
    early = ROWS[: SNAPSHOTS[0].seq]
    path = rewritten(tmp_path / "other", [early[0], early[1]._replace(at="2026-11-16T15:00:09.000000Z"), *early[2:]])
    assert found(path).bad is None
    assert bad_seq(path, Head(60, ROWS[59].hash)) == 60


# -- what the money and the replay find, in a journal whose every hash was computed anew --


def _deeper(payload: Payload, *path: str | int, by: int = 1) -> None:
    *way, name = path
    inner = payload
    for step in way:
        inner = inner[step]  # type: ignore[index]  # steps into lists are numbers
    inner[name] += by  # type: ignore[index]  # the same


LOCKED, HAND, PAID = "locked-out", "hand-entered", "award-validated"
FORGERIES: dict[str, tuple[str, str, Callable[[Payload], object]]] = {
    "a meter's amount": (LOCKED, "", lambda p: _deeper(p, "meters", 0, "units")),
    "a meter's amount left out": (LOCKED, "", lambda p: p["meters"][0].pop("units")),
    "a reserve": (LOCKED, '"reserve"', lambda p: [m.update(reserve=1) for m in p["meters"] if "reserve" in m]),
    "money that came in": (LOCKED, "", lambda p: _deeper(p, "meters", 0, "in_cents")),
    "a move": (LOCKED, "", lambda p: _deeper(p, "moves", 0, 2)),
    "a move of nothing": (LOCKED, "", lambda p: p["moves"].append(["wagers", "house:seed", 0])),
    "a move backwards": (LOCKED, "", lambda p: p["moves"].append(["wagers", "house:seed", -5])),
    "a share": (LOCKED, "", lambda p: _deeper(p, "wagers", 0, "shares", 0, 1)),
    "a stake": (LOCKED, "", lambda p: _deeper(p, "wagers", 0, "stake_cents")),
    "a position": (LOCKED, "", lambda p: p["wagers"][0].update(position=5)),
    "a wager that never stood": (LOCKED, "", lambda p: p["wagers"].append({**p["wagers"][0], "position": 5})),
    "a mystery value": (LOCKED, '"reveal"', lambda p: _reveal(p, value_cents=25_031)),
    "a nonce": (LOCKED, '"reveal"', lambda p: _reveal(p, nonce="00" * 32)),
    "a nonce that is none": (LOCKED, '"reveal"', lambda p: _reveal(p, nonce="xyz")),
    "a commitment": (LOCKED, '"reveal"', lambda p: _reveal(p, commitment="00" * 32)),
    "a cycle": (LOCKED, '"reveal"', lambda p: _reveal(p, cycle=2)),
    "a number of hits": (HAND, '"hits"', lambda p: _deeper(p, "meters", 0, "hits")),
    "money won": (HAND, '"wins_cents"', lambda p: _deeper(p, "meters", 0, "wins_cents")),
    "an award": (HAND, '"jackpot"', lambda p: _deeper(p, "awards", -1, "amount_cents")),
    "a hit": (HAND, '"listed"', lambda p: _deeper(p, "meters", 0, "listed", 0, "amount_cents")),
    "an award's account": (HAND, '"jackpot"', lambda p: p["moves"].append(["house:late", p["moves"][-2][1], 100])),
    "money paid": (PAID, "", lambda p: _deeper(p, "meters", 0, "paid_cents")),
    "the amount of a fate": (PAID, "", lambda p: _deeper(p, "fates", 0, "amount_cents")),
    "a fate": (PAID, "", lambda p: p["fates"][0].update(fate="pending")),
    "an opening amount": ("submission-filed", "", lambda p: _deeper(p, "opened", 0, "units")),
    "a phase": ("reopened", "", lambda p: p.update(phase="nowhere")),
    "a round": ("reopened", "", lambda p: _deeper(p, "round")),
    "an unknown key": ("sensor-read", "", lambda p: p.update(more=1)),
    "a missing key": ("sensor-read", "", lambda p: p.pop("wager")),
    "a value that is the default": ("sensor-read", "", lambda p: p.update(by="")),
    "a vouched digest": ("snapshot-taken", "", lambda p: p.update(sha256="00" * 32)),
    "a vouched place": ("snapshot-taken", "", lambda p: _deeper(p, "seq")),
    "a hit told otherwise later": (PAID, '"listed"', lambda p: _deeper(p, "meters", 0, "listed", 0, "round")),
}


def _reveal(payload: Payload, **values: object) -> None:
    payload["hits"][0]["reveal"].update(values)
    for meter in payload["meters"]:
        for hit in meter.get("listed", ()):
            hit["reveal"].update(values)


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forgery_with_every_hash_computed_anew_is_found(tmp_path: Path, what: str) -> None:
    type_, holding, change = FORGERIES[what]
    seq = first(ROWS, type_, holding)
    path = rewritten(tmp_path / "forged", forged(ROWS, seq, change), SNAPSHOTS)
    verdict = found(path)
    assert verdict.bad is not None
    assert verdict.bad.seq == seq, verdict.bad
    assert verdict.facts == seq - 1


def test_a_key_given_twice_is_found(tmp_path: Path) -> None:
    seq = first(ROWS, "wager-placed")
    text = ROWS[seq - 1].payload.replace('"position":1,"wager"', '"position":9,"position":1,"wager"')
    assert text != ROWS[seq - 1].payload
    path = rewritten(tmp_path / "twice", [row._replace(payload=text) if row.seq == seq else row for row in ROWS])
    assert bad_seq(path) == seq


@pytest.mark.parametrize("changes", [{"payload": "no JSON"}, {"type": "miracle"}, {"version": 99}, {"round": 77}])
def test_a_fact_that_cannot_be_is_found(tmp_path: Path, changes: dict[str, object]) -> None:
    seq = first(ROWS, "wager-placed")
    others = [row._replace(**changes) if row.seq == seq else row for row in ROWS]  # type: ignore[arg-type]  # of a row
    assert bad_seq(rewritten(tmp_path / "odd", others)) == seq


@pytest.mark.parametrize("type_", ["wager-placed", LOCKED, HAND, PAID, "reopened", "award-rejected", "round-voided"])
def test_a_fact_left_out_is_found_although_the_chain_is_whole(tmp_path: Path, type_: str) -> None:
    seq = first(ROWS, type_, '"listed"' if type_ in (HAND, PAID) else "")
    path = rewritten(tmp_path / "left-out", [row for row in ROWS if row.seq != seq])
    assert bad_seq(path) >= seq


# -- snapshots --


def test_a_changed_snapshot_is_found(whole: Path) -> None:
    run(whole, ("UPDATE snapshots SET payload = ? WHERE seq = ?", (b"{}", SNAPSHOTS[0].seq)))
    assert bad_seq(whole) == SNAPSHOTS[0].seq


def test_an_unreadable_snapshot_is_found(whole: Path) -> None:
    run(whole, ("UPDATE snapshots SET payload = ? WHERE seq = ?", (b"\xff", SNAPSHOTS[0].seq)))
    assert bad_seq(whole) == SNAPSHOTS[0].seq


def test_a_snapshot_of_another_version_is_still_held_against_its_digest(whole: Path) -> None:
    run(whole, "UPDATE snapshots SET version = 0")
    assert found(whole).bad is None
    run(whole, ("UPDATE snapshots SET payload = CAST(payload || ' ' AS BLOB) WHERE seq = ?", (SNAPSHOTS[0].seq,)))
    assert bad_seq(whole) == SNAPSHOTS[0].seq + 1


def test_a_snapshot_on_another_hash_is_found(whole: Path) -> None:
    run(whole, ("UPDATE snapshots SET hash = zeroblob(32) WHERE seq = ?", (SNAPSHOTS[1].seq,)))
    assert bad_seq(whole) == SNAPSHOTS[1].seq


def test_a_snapshot_that_nothing_leads_to_or_vouches_for_is_found(whole: Path) -> None:
    run(whole, ("UPDATE snapshots SET seq = ? WHERE seq = ?", (LAST + 5, SNAPSHOTS[1].seq)))
    assert bad_seq(whole) == LAST + 5
    state = played.state_after(played.eventful()[0].facts)
    values = (LAST, ROWS[-1].hash, packed(state), LAST + 5)
    run(whole, ("UPDATE snapshots SET seq = ?, hash = ?, payload = ? WHERE seq = ?", values))
    assert bad_seq(whole) == LAST


def test_a_forged_snapshot_with_its_fact_and_every_hash_forged_too_is_not_what_the_facts_add_up_to(
    tmp_path: Path,
) -> None:
    snapshot = SNAPSHOTS[0]
    state = unpacked(snapshot.payload)
    richer = {**state.meters, "royal9-mega": replace(state.meters["royal9-mega"], units=1)}
    payload = packed(replace(state, meters=richer))
    rows = forged(ROWS, snapshot.seq + 1, lambda p: p.update(sha256=sha256(payload).hexdigest()))
    path = rewritten(tmp_path / "forged", rows, [snapshot._replace(payload=payload)])
    verdict = found(path)
    assert verdict.bad is not None
    assert verdict.bad.seq == snapshot.seq
    assert "meters" in verdict.bad.why


def test_verifying_needs_no_permission_to_write(whole: Path) -> None:
    whole.chmod(0o440)
    if os.geteuid():
        whole.parent.chmod(0o550)
    assert found(whole).bad is None
    whole.parent.chmod(0o750)


# -- both passes at once, as for a long journal --


@pytest.mark.parametrize("what", ["whole", "chain", "money", "replay", "snapshot", "promised"])
def test_two_processes_find_what_one_does(whole: Path, tmp_path: Path, what: str) -> None:
    path, head = whole, None
    if what == "chain":
        run(path, update("payload", "payload || ' '", LAST // 2))
    elif what == "money":
        path = rewritten(tmp_path / "forged", forged(ROWS, first(ROWS, LOCKED), FORGERIES["a move"][2]), SNAPSHOTS)
    elif what == "replay":
        path = rewritten(tmp_path / "forged", forged(ROWS, first(ROWS, LOCKED), FORGERIES["a position"][2]), SNAPSHOTS)
    elif what == "snapshot":
        run(path, ("UPDATE snapshots SET payload = ? WHERE seq = ?", (b"{}", SNAPSHOTS[0].seq)))
    elif what == "promised":
        head = Head(LAST + 1, bytes(32))
    with open_readonly(path) as journal:
        assert verify(journal, head, side_by_side_from=1) == found(path, head)
