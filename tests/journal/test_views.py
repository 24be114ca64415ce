"""The views hold what the facts say, in columns people understand, and never a REAL."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from controller.core.accounts import units
from controller.core.inputs import Button, DeviceLost, DeviceRestored, RoundVoided, SubmissionChanged, TableClosed
from controller.journal.chain import chained
from controller.journal.rows import EMPTY, Entry
from controller.journal.views import SQL
from tests.core.play import DEALER, FLOOR, SUPERVISOR, SUPERVISOR2
from tests.journal.played import FRACTIONS, Played, entries, eventful, write

VIEWS = ("meters", "hits", "rounds", "wagers", "contributions", "awards", "readings", "actions")
Rows = list[dict[str, Any]]


@cache
def table() -> Played:
    return eventful()[0]


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """The journal of an eventful table, as any tool would open it."""
    path = write(tmp_path_factory.mktemp("views") / "journal", table().facts)
    with closing(sqlite3.connect(path)) as opened:
        yield opened


def ask(conn: sqlite3.Connection, query: str, *values: object) -> Rows:
    found = conn.execute(query, values)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found]


def of(played: Played, path: Path, query: str) -> Rows:
    with closing(sqlite3.connect(write(path / "journal", played.facts))) as opened:
        return ask(opened, query)


def test_every_view_is_in_the_file(conn: sqlite3.Connection) -> None:
    found = {row["name"] for row in ask(conn, "SELECT name FROM sqlite_master WHERE type = 'view'")}
    assert found == set(VIEWS)
    assert len(SQL) == len(VIEWS)


@pytest.mark.parametrize("view", VIEWS)
def test_no_value_of_a_view_is_a_real_or_a_blob(conn: sqlite3.Connection, view: str) -> None:
    columns = list(ask(conn, f"SELECT * FROM {view}")[0])  # noqa: S608 -- a view's name
    kinds = ", ".join(f"group_concat(DISTINCT typeof({column})) AS {column}" for column in columns)
    (found,) = ask(conn, f"SELECT {kinds} FROM {view}")  # noqa: S608 -- a view's names
    for column, kind in found.items():
        assert set(kind.split(",")) <= {"integer", "text", "null"}, column
        if column.endswith(("_cents", "units", "seq", "_millionths", "hits", "cycle", "round", "position")):
            assert "text" not in kind, column


def test_meters_are_as_the_replay_has_them(conn: sqlite3.Connection) -> None:
    meters = {row["meter"]: row for row in ask(conn, "SELECT * FROM meters")}
    assert set(meters) == set(table().state.meters)
    for id_, meter in table().state.meters.items():
        row = meters[id_]
        assert (row["units"], row["reserve_units"], row["carry_units"]) == (meter.units, meter.reserve, meter.carry)
        assert (row["display_cents"], row["cycle"], row["hits"]) == (meter.display_cents, meter.cycle, meter.hits)
        assert (row["in_cents"], row["wins_cents"]) == (meter.in_cents, meter.wins_cents)
        assert (row["paid_by_attendant_cents"], row["paid_automatically_cents"]) == (meter.paid_cents, 0)
        assert (row["kind"], row["wager"], row["rate_millionths"]) == (meter.kind, meter.wager, meter.filing.rate)
        assert (row["commitment"] or "") == meter.commitment
        assert (row["must_hit_by_cents"] or 0) == meter.filing.maximum_cents
        assert row["display"] == f"{meter.display_cents // 100}.{meter.display_cents % 100:02}"
        assert row["exact"] == f"{meter.units // 10**8}.{meter.units % 10**8:08}"
        assert row["changed_at"] == table().facts[row["changed_seq"] - 1].at


def test_a_meter_that_is_no_longer_filed_is_told_as_such(tmp_path: Path) -> None:
    played = Played()
    without = FRACTIONS.partition("[harmony]")[0]
    played.do(TableClosed, by=DEALER)
    refused = played.try_(
        SubmissionChanged, toml=without, day="2026-11-16", reason="no Harmony", by=SUPERVISOR, second=SUPERVISOR2
    )
    assert "harmony holds" in str(refused)  # a meter with money on it stays; so its end is told by hand
    rows = chained(EMPTY, entries(played.facts))
    last = rows[-1]
    text = '{"toml":"","day":"2026-11-16","filed":{},"reason":"","removed":["harmony"]}'
    gone = Entry(last.at, None, "submission-filed", 1, text)
    with closing(sqlite3.connect(write(tmp_path / "journal", played.facts))) as opened:
        assert {row["filed"] for row in ask(opened, "SELECT filed FROM meters")} == {1}
        opened.execute("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (last.seq + 1, *gone, bytes(32), bytes(32)))
        assert [row["meter"] for row in ask(opened, "SELECT meter FROM meters WHERE NOT filed")] == ["harmony"]


def test_contributions_and_what_was_given_back_are_what_the_meters_took_in(conn: sqlite3.Connection) -> None:
    for id_, meter in table().state.meters.items():
        (row,) = ask(
            conn,
            "SELECT sum(stake_cents) AS stakes, sum(units) AS given FROM contributions"
            " WHERE meter = ? AND NOT given_back",
            id_,
        )
        assert row["stakes"] == meter.in_cents
        assert row["given"] > 0


def test_every_contribution_is_the_stake_times_its_rate(conn: sqlite3.Connection) -> None:
    rows = ask(conn, "SELECT * FROM contributions")
    assert len(rows) > 80
    assert {row["units"] - row["stake_cents"] * row["rate_millionths"] for row in rows} == {0}
    assert {row["meter"]: row["reserve_units"] > 0 for row in rows}["harmony"]


def test_wagers_are_listed_with_the_fact_that_placed_them(conn: sqlite3.Connection) -> None:
    for row in ask(conn, "SELECT * FROM wagers"):
        placed = table().facts[row["placed_seq"] - 1].fact.placed
        assert (row["position"], row["wager"]) in {(each.position, each.wager) for each in placed}
        assert row["placed_at"] < row["at"]
    back = ask(conn, "SELECT round, position, given_back_how, given_back_seq FROM wagers WHERE given_back")
    assert [(row["round"], row["position"], row["given_back_how"]) for row in back] == [
        (8, 1, "voided"),
        (8, 2, "voided"),
        (9, 2, "taken out"),
    ]


def test_rounds_tell_their_cards_and_their_ends(conn: sqlite3.Connection) -> None:
    rounds = {row["number"]: row for row in ask(conn, "SELECT * FROM rounds")}
    assert list(rounds) == list(range(1, table().state.round + 1))
    assert (rounds[2]["player"], rounds[2]["banker"], rounds[2]["complete"]) == ("KS 9S", "2H 3D", 1)
    assert (rounds[2]["wagers"], rounds[2]["money_in_cents"], rounds[2]["cause"]) == (2, 1000, "button")
    assert (rounds[6]["late"], rounds[6]["hand_entered_by"]) == (1, "f1")
    assert (rounds[8]["voided"], rounds[8]["void_reason"], rounds[8]["player"]) == (1, "misdeal", None)
    assert (rounds[9]["corrected"], rounds[9]["player"]) == (1, "8H TC")
    assert (rounds[13]["locked_seq"], rounds[13]["wagers"]) == (None, 0)


def test_rounds_that_a_switch_locked_have_no_wagers(tmp_path: Path) -> None:
    played = Played()
    played.do(Button, level="locked")
    played.do(RoundVoided, round=1, reason="misdeal", by=FLOOR)  # the switch still stands at locked
    played.do(Button, level="unlocked")
    played.do(DeviceLost, device="button", device_kind="button")
    played.do(Button, level="locked")
    played.do(DeviceRestored, device="button", device_kind="button")
    rows = of(played, tmp_path, "SELECT number, cause, wagers, voided FROM rounds ORDER BY number")
    assert [tuple(row.values()) for row in rows] == [(1, "button", 0, 1), (2, "switch", 0, 0), (3, "switch", 0, 0)]


def test_awards_are_told_with_their_fates_and_who_decided_them(conn: sqlite3.Connection) -> None:
    awards = {row["award"]: row for row in ask(conn, "SELECT * FROM awards")}
    state = table().state
    kept = {award.id: award for record in state.records() for award in record.awards}
    assert set(awards) == set(kept)
    for id_, award in kept.items():
        row = awards[id_]
        assert (row["fate"], row["amount_cents"], row["kind"]) == (award.fate, award.amount_cents, award.kind)
        assert (row["meter"] or "", row["position"], row["round"]) == (award.meter, award.position, award.round)
        assert (row["validated_by"] is not None) == (award.fate == "paid" and award.validate)
    slips = [row["slip"] for row in ask(conn, "SELECT slip FROM awards WHERE slip IS NOT NULL ORDER BY slip")]
    assert slips == list(range(1, state.slip + 1))
    share = awards["mb-07-60-1"]
    assert (share["first_amount_cents"], share["amount_cents"], share["method"]) == (833_460, 1_250_190, "slip")
    assert (awards["mb-07-60-2"]["undone_by"], awards["mb-07-60-2"]["undone_with"]) == ("f1", "f2")


def test_hits_are_as_the_meters_list_them(conn: sqlite3.Connection) -> None:
    hits = {row["hit"]: row for row in ask(conn, "SELECT * FROM hits")}
    listed = {hit.id: (id_, hit) for id_, meter in table().state.meters.items() for hit in meter.last}
    assert set(hits) == set(listed)
    for id_, (meter, hit) in listed.items():
        row = hits[id_]
        assert (row["meter"], row["fate"], row["amount_cents"]) == (meter, hit.fate, hit.amount_cents)
        assert (row["seq"], row["at"], row["round"]) == (hit.seq, hit.at, hit.round)
        assert row["from_meter"] == hit.from_meter
        assert (row["seed_units"], row["released_units"]) == (hit.seed, hit.released)
        assert row["commitment"] == (hit.reveal.commitment if hit.reveal else None)
        if hit.fate in ("pending", "paid"):
            assert row["positions"] == " ".join(map(str, hit.positions))
            assert row["awards"] == " ".join(hit.awards)


def test_readings_are_one_for_each_day_and_meter(conn: sqlite3.Connection) -> None:
    rows = ask(conn, "SELECT * FROM readings")
    assert {(row["day"], row["meter"]) for row in rows} == {("2026-11-16", id_) for id_ in table().state.meters}
    mega = next(row for row in rows if row["meter"] == "royal9-mega")
    assert mega["units"] == units(mega["display_cents"])


def test_actions_tell_who_did_what_and_why(conn: sqlite3.Connection) -> None:
    rows = ask(conn, "SELECT * FROM actions")
    assert len(rows) == sum(bool(each.fact.by) for each in table().facts)
    adjusted = [row for row in rows if row["action"] == "meter-adjusted"]
    assert [(row["person"], row["second_person"], row["delta_cents"]) for row in adjusted] == [
        ("s1", "s2", 1000),
        ("s1", "s2", -250),
    ]
    assert {row["reason"] for row in adjusted} == {"as the commission wrote"}


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_looks_at_every_fact_for_every_fact(conn: sqlite3.Connection, view: str) -> None:
    """A scan inside a scan is quadratic; SQLite builds an index of its own for a join instead."""
    plan = ask(conn, f"EXPLAIN QUERY PLAN SELECT * FROM {view}")  # noqa: S608 -- a view's name
    joined = [row["detail"] for row in plan if row["detail"].endswith("LEFT-JOIN")]
    assert all(detail.startswith("SEARCH") for detail in joined)
