"""Every query against a journal in which everything happened, whole and page by page, held against the audit's own."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from controller.commands import paging, rounds
from controller.core.inputs import PositionService, ReadingsDue, WagerAbsent, WagerPresent
from controller.journal.audit import days
from controller.journal.audit.awards import find, hits
from controller.journal.audit.derivation import derive
from controller.journal.reading import open_readonly
from controller.wire.commands import MOST_ROWS
from tests.commands.desks import PIN, Clock, Desk, run
from tests.commands.test_every_command import opened
from tests.core.play import FLOOR
from tests.journal.played import eventful, write

QUERIES = ("query-hits", "query-readings", "query-rounds", "query-actions", "query-operators")
LISTS = {
    "query-hits": "hits",
    "query-readings": "meters",
    "query-rounds": "rounds",
    "query-actions": "actions",
    "query-operators": "operators",
    "query-derive": "lines",
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two gaming days of play, with an auditor who may sign in."""
    path = tmp_path_factory.mktemp("played") / "journal.db"
    table, _ = eventful()
    write(path, table.facts)
    return path


async def asking(path: Path) -> Desk:
    clock = Clock()
    clock.passed = 2 * 24 * 3600
    desk = Desk(path, clock)
    for operator in ("ana", "bo"):
        await desk.pins.keep(operator, PIN, desk.now())
    return desk


async def whole(desk: Desk, name: str, **fields: Any) -> list[Any]:  # noqa: ANN401 -- each query's own
    """All rows of a query, from pages of every size."""
    pages: dict[int, list[Any]] = {}
    for limit in (1, 3, MOST_ROWS):
        rows: list[Any] = []
        after = ""
        while True:
            reply = await desk.ask(name, "ana", limit=limit, after=after, **fields)
            assert reply["ok"], reply
            found = reply[LISTS[name]]
            assert len(found) == limit or "next" not in reply
            assert len(found) <= limit
            rows += found
            if "next" not in reply:
                break
            after = reply["next"]
        pages[limit] = rows
    # Signing in and asking leaves no trace in what is asked for, but for the first sign-in among the actions.
    assert pages[1] == pages[3] == pages[MOST_ROWS]
    return pages[1]


def ask(path: Path, name: str, **fields: Any) -> list[Any]:  # noqa: ANN401 -- each query's own
    async def main() -> list[Any]:
        with await asking(path) as desk:
            await desk.token("ana")
            return await whole(desk, name, **fields)

    return run(main())


def refuse(path: Path, name: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 -- each query's own
    async def main() -> dict[str, Any]:
        with await asking(path) as desk:
            reply = await desk.ask(name, "ana", **fields)
            assert not reply["ok"], reply
            return reply

    return run(main())


def test_hits_are_the_audit_s_with_who_paid_and_who_refused(played: Path) -> None:
    found = ask(played, "query-hits")
    with open_readonly(played) as journal:
        expected = list(reversed(hits(journal)))
    assert [row["hit"] for row in found] == [won.hit.id for won in expected]
    assert [(row["amount_cents"], row["fate"], row["meter"], row["paid_from"]) for row in found] == [
        (won.hit.amount_cents, won.fate, won.meter, won.paid_from) for won in expected
    ]
    shares = [award for row in found for award in row["awards"]]
    assert {share["fate"] for share in shares} >= {"paid", "rejected", "unwound"}
    for share in shares:
        if share["fate"] == "paid":
            assert (share["by"], share["second"], share["slip"] > 0) == ("f1", "f2", True)
        if share["fate"] == "rejected":
            assert (share["by"], share["reason"]) == ("f1", "no base wager on the film")
    mystery = next(row for row in found if row["kind"] == "mystery")
    assert mystery["reveal"]["value_cents"] < mystery["amount_cents"]
    assert {row["meter"] for row in ask(played, "query-hits", meter="harmony")} == {"harmony"}
    assert ask(played, "query-hits", meter="none") == []


def test_every_hit_is_derived_line_by_line_as_the_audit_does(played: Path) -> None:
    with open_readonly(played) as journal:
        expected = {won.hit.id: derive(journal, find(journal, won.hit.id)) for won in hits(journal)}
    assert len(expected) > 3

    async def main() -> None:
        with await asking(played) as desk:
            for award, derivation in expected.items():
                reply = await desk.ask("query-derive", "ana", award=award)
                assert (reply["explained"], reply["hit"]["hit"]) == (True, award)
                assert reply["total"] == paging.exact(derivation.total)
                assert reply["remainder"] == paging.exact(derivation.remainder)
                lines = await whole(desk, "query-derive", award=award)
                assert [line["amount"] for line in lines] == [paging.exact(line.units) for line in derivation.lines]
                assert lines[-1]["total"] == reply["total"]

    run(main())


@pytest.mark.parametrize("award", ["mb-07-999999-1", "none", "", "mb-07-99999999999999999999-1"])
def test_an_award_there_is_not_is_unknown(played: Path, award: str) -> None:
    assert refuse(played, "query-derive", award=award)["error"] == "unknown"


def test_readings_are_a_day_s_report(played: Path) -> None:
    async def main() -> None:
        with await asking(played) as desk:
            await desk.token("ana")
            with open_readonly(played) as journal:
                known = days.days(journal)
                reports = {day: days.report(journal, day) for day in known}
            assert len(known) == 3  # the third began with the clock of this test
            for day, report in reports.items():
                reply = await desk.ask("query-readings", "ana", day=day)
                assert (reply["day"], reply["ended"], reply["explained"]) == (day, report.ended, True)
                assert (reply["days"], reply["first_seq"]) == (known, report.first)
                for row, meter in zip(reply["meters"], report.meters, strict=True):
                    assert row["display"]["opening"] == paging.exact(meter.display.opening)
                    assert row["display"]["closing"] == paging.exact(meter.display.closing)
                    assert row["display"]["unexplained"] == "0.00000000"
                    assert row["display"]["changes"].keys() == meter.display.changes.keys()
                    assert row["hits"] == dict(zip(("opening", "closing"), meter.counters["hits"], strict=True))
            assert (await desk.ask("query-readings", "ana"))["day"] == known[-1]
            assert len(await whole(desk, "query-readings", day=known[0])) == len(reports[known[0]].meters)

    run(main())


@pytest.mark.parametrize("name", ["query-readings", "query-rounds", "query-actions"])
@pytest.mark.parametrize("day", ["2026-11-01", "yesterday"])
def test_a_day_there_was_not_is_unknown(played: Path, name: str, day: str) -> None:
    reply = refuse(played, name, day=day)
    assert (reply["error"], "is no gaming day of this journal: it has 2026-11-16" in reply["message"]) == (
        "unknown",
        True,
    )


def test_rounds_are_the_views_with_all_that_belongs_to_them(played: Path) -> None:
    found = ask(played, "query-rounds")
    with open_readonly(played) as journal:
        view = list(journal.db.query("SELECT * FROM rounds ORDER BY number DESC"))
        wagers = list(journal.db.query("SELECT * FROM wagers ORDER BY seq, placed_seq"))
        given = list(journal.db.query("SELECT * FROM contributions"))
        awards = {each["award"]: each for each in journal.db.query("SELECT * FROM awards")}
        refused = journal.db.execute("SELECT count(*) FROM facts WHERE type = 'wager-refused'").fetchone()[0]
    assert [row["round"] for row in found] == [each["number"] for each in view]
    for row, each in zip(found, view, strict=True):
        assert row.get("locked_seq") == each["locked_seq"]
        assert (row.get("opened_seq"), row.get("cause")) == (each["opened_seq"], each["cause"])
        assert (row.get("voided_seq"), row.get("void_reason")) == (each["voided_seq"], each["void_reason"])
        assert len(row["wagers"]) == (each["wagers"] or 0)
        if each["hand_seq"]:
            assert row["hands"][-1]["seq"] == each["hand_seq"]
            assert " ".join(row["hands"][-1]["player"]) == each["player"]
        else:
            assert row["hands"] == []
    rows = [(row["round"], wager) for row in found for wager in row["wagers"]]
    assert {(number, wager["position"], wager["wager"], wager.get("given_back")) for number, wager in rows} == {
        (each["round"], each["position"], each["wager"], each["given_back_how"]) for each in wagers
    }
    # A wager's own time is that of the fact that placed it, of whatever type that was.
    assert {(number, wager["position"], wager["wager"], wager["placed_at"]) for number, wager in rows} == {
        (each["round"], each["position"], each["wager"], each["placed_at"]) for each in wagers
    }
    assert sorted(share["amount"] for _, wager in rows for share in wager["contributions"]) == sorted(
        each["dollars"] for each in given
    )
    told = {award["award"]: award for row in found for award in row["awards"]}
    assert told.keys() == awards.keys()
    for id_, award in told.items():
        assert (award["fate"], award["amount_cents"]) == (awards[id_]["fate"], awards[id_]["amount_cents"])
        assert award.get("slip") == awards[id_]["slip"]
        assert award.get("reason") == awards[id_]["undone_reason"]
        assert award.get("ended_seq") == awards[id_]["fate_seq"]
    assert sum(len(row["refused"]) for row in found) == refused


def test_one_round_or_those_of_a_day_are_asked_for(played: Path) -> None:
    async def main() -> None:
        with await asking(played) as desk:
            (one,) = (await desk.ask("query-rounds", "ana", round=3))["rounds"]
            assert one["round"] == 3
            last = (await desk.ask("query-rounds", "ana"))["rounds"][0]["round"]
            first_day = [row["round"] for row in await whole(desk, "query-rounds", day="2026-11-16")]
            second_day = [row["round"] for row in await whole(desk, "query-rounds", day="2026-11-17")]
            assert first_day[-1] == 1
            assert second_day[0] == last
            assert set(first_day) | set(second_day) == set(range(1, last + 1))
            missing = await desk.ask("query-rounds", "ana", round=last + 1)
            assert missing["error"] == "unknown"
            both = await desk.ask("query-rounds", "ana", round=1, day="2026-11-16")
            assert both["error"] == "bad-request"

    run(main())


def test_a_wager_has_its_own_time_whichever_fact_placed_it(tmp_path: Path) -> None:
    async def main() -> None:
        with Desk(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            opened(desk)
            desk.do(WagerPresent, position=1, wager="royal9")
            placed = desk.state.seq
            desk.do(WagerPresent, position=2, wager="royal9")
            # A position back in service takes the chip that lies there.
            for on in (False, True):
                desk.do(PositionService, position=2, on=on, reason="sensor cleaned", by=FLOOR)
            serviced = desk.state.seq
            desk.lock()
            (row, *_) = (await desk.ask("query-rounds", "aud"))["rounds"]
            with open_readonly(desk.path) as journal:
                facts = {
                    seq: (at, type_)
                    for seq, at, type_ in journal.db.execute("SELECT seq, at, type FROM facts").fetchall()
                }
            told = [(wager["placed_seq"], wager["placed_at"]) for wager in row["wagers"]]
            assert told == [(placed, facts[placed][0]), (serviced, facts[serviced][0])]
            assert [facts[seq][1] for seq, _ in told] == ["wager-placed", "position-serviced"]
            assert told[0][1] < told[1][1] < row["locked_at"]

    run(main())


def test_a_sensor_that_flickers_fills_no_page(tmp_path: Path) -> None:
    async def main() -> None:
        with Desk(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            opened(desk)
            desk.lock()
            for _ in range(rounds.MOST_REFUSED + 3):
                desk.do(WagerPresent, position=1, wager="royal9")
                desk.do(WagerAbsent, position=1, wager="royal9")
            (row, *_) = (await desk.ask("query-rounds", "aud"))["rounds"]
            assert (len(row["refused"]), row["more_refused"]) == (rounds.MOST_REFUSED, 3)

    run(main())


def test_actions_are_everything_people_did_and_were_refused(played: Path) -> None:
    found = ask(played, "query-actions")
    with open_readonly(played) as journal:
        view = [row["seq"] for row in journal.db.query("SELECT seq FROM actions")]
    assert [row["seq"] for row in found] == sorted((row["seq"] for row in found), reverse=True)
    assert set(view) <= {row["seq"] for row in found}
    by_action: dict[str, list[Any]] = {}
    for row in found:
        by_action.setdefault(row["action"], []).append(row)
    assert by_action["award-validated"][0]["amount_cents"] > 0
    refused = next(row for row in by_action["round-voided"] if "refusal" in row)
    assert (refused["person"], refused["refusal"]) == ("f1", "wrong-phase")
    assert refused["why"] == "round-voided does not go with a table that is open"
    adjusted = by_action["meter-adjusted"]
    assert {(row["meter"], row["delta_cents"], row["source"]) for row in adjusted} == {
        ("royal9-mega", 1000, "carry:royal9-mystery"),
        ("royal9-mega", -250, "adjustments"),
    }
    assert {(row["person"], row.get("refusal")) for row in by_action["login"]} == {
        ("bo", "wrong-pin"),
        ("bo", None),
        ("ana", None),
    }
    (not_allowed,) = by_action["validate"]
    assert (not_allowed["refusal"], not_allowed["why"], not_allowed["client"]) == (
        "not-allowed",
        "bo is dealer",
        "console",
    )
    assert [row["on"] for row in by_action["position-serviced"]] == [True, False]
    assert by_action["submission-filed"][-1]["person"] == ""
    assert {row["operator"] for row in by_action["operator-changed"]} == {"ana", "bo"}


def test_actions_of_one_person_or_one_day(played: Path) -> None:
    floor = ask(played, "query-actions", person="f2")
    assert floor
    assert all("f2" in (row["person"], row["second"]) for row in floor)
    everything = {row["seq"] for row in ask(played, "query-actions")}
    by_day = [{row["seq"] for row in ask(played, "query-actions", day=day)} for day in ("2026-11-16", "2026-11-17")]
    assert by_day[0]
    assert max(by_day[0]) < min(by_day[1])
    assert by_day[0] | by_day[1] <= everything


def test_operators_are_listed_without_anything_of_their_pins(tmp_path: Path) -> None:
    async def main() -> None:
        with Desk(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            for _ in range(5):
                await desk.send("login", operator="dan", pin="000000")
            await desk.ask("operator-disable", "sue", operator="abe")
            rows: list[Any] = []
            after = ""
            for size in (3, 3, 2):
                reply = await desk.ask("query-operators", "aud", limit=3, after=after)
                rows += reply["operators"]
                assert len(reply["operators"]) == size
                after = reply.get("next", "")
            assert after == ""
            found = {row["operator"]: row for row in rows}
            assert list(found) == sorted(desk.state.operators)
            assert found["dan"]["locked_out"]
            assert (found["abe"]["active"], "pin_since" in found["abe"]) == (False, False)
            assert found["flo"] | {"pin_since": ""} == {
                "operator": "flo",
                "name": "Flo",
                "role": "floorperson",
                "active": True,
                "locked_out": False,
                "pin_since": "",
            }

    run(main())


@pytest.mark.parametrize("name", sorted(LISTS))
@pytest.mark.parametrize("who", ["dee", "flo", "sue", "aud"])
def test_queries_are_for_the_floor_and_for_auditors(tmp_path: Path, name: str, who: str) -> None:
    async def main() -> None:
        with Desk(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            opened(desk)
            desk.play(1)
            fields = {"award": "none"} if name == "query-derive" else {}
            reply = await desk.ask(name, who, **fields)
            if who == "dee":
                assert reply["error"] == "not-allowed"
            else:
                assert reply["ok"] or (name, reply["error"]) == ("query-derive", "unknown")

    run(main())


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("after", ["x", "-1", "1.5", "9" * 30, "\u0661"])
def test_a_next_that_is_none_is_refused_or_leads_nowhere(played: Path, name: str, after: str) -> None:
    async def main() -> None:
        with await asking(played) as desk:
            reply = await desk.ask(name, "ana", after=after)
            if name == "query-operators":  # there it is a name, and whoever comes after it is listed
                assert reply["ok"]
            else:
                assert (reply["error"], reply["message"].startswith("after: ")) == ("bad-request", True)

    run(main())


@pytest.mark.parametrize("limit", [MOST_ROWS, MOST_ROWS - 1])
def test_a_page_has_at_most_so_many_rows(tmp_path: Path, limit: int) -> None:
    async def main() -> None:
        with Desk(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            opened(desk)
            for _ in range(MOST_ROWS - 1):
                desk.lock()
                desk.next()
            assert desk.state.round == MOST_ROWS
            reply = await desk.ask("query-rounds", "aud", limit=limit)
            assert len(reply["rounds"]) == limit
            assert ("next" in reply) == (limit < MOST_ROWS)
            if "next" in reply:
                rest = await desk.ask("query-rounds", "aud", after=reply["next"])
                assert [row["round"] for row in rest["rounds"]] == [1]

    run(main())


def test_a_page_of_long_rows_is_cut_and_says_where_it_goes_on(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_rows = ask(played, "query-rounds")
    size = [len(json.encode(row)) for row in all_rows]
    for most, expected in ((size[0] + size[1], 2), (size[0] + size[1] - 1, 1), (1, 1)):
        monkeypatch.setattr(paging, "MOST_PAGE_BYTES", most)

        async def main(expected: int = expected) -> None:
            with await asking(played) as desk:
                reply = await desk.ask("query-rounds", "ana")
                assert len(reply["rounds"]) == expected
                following = await desk.ask("query-rounds", "ana", after=reply["next"], limit=1)
                assert following["rounds"] == [all_rows[expected]]

        run(main())


def test_no_query_tells_what_is_sealed_or_hashed(played: Path) -> None:
    async def main() -> None:
        with await asking(played) as desk:
            sealed = {text for row in desk.rows() for text in re.findall(r'"sealed":"([^"]+)"', row.payload)}
            hashes = [pin.hash for operator in ("ana", "bo") if (pin := desk.journal.pin(operator))]
            assert sealed
            assert hashes
            standing = [meter.commitment for meter in desk.state.meters.values() if meter.commitment]
            for name in QUERIES:
                told = json.encode(await desk.ask(name, "ana")).decode()
                assert [each for each in (*sealed, *hashes) if each in told] == []
                assert not re.search(r'"(sealed|key_id|digest|key|hash|pin)":', told)
                assert [each for each in standing if each in told] == []  # of a value not revealed yet

    run(main())


def test_a_journal_without_anything_has_empty_pages(tmp_path: Path) -> None:
    async def main() -> None:
        with Desk(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            desk.do(ReadingsDue, day="2026-11-17")
            assert (await desk.ask("query-hits", "aud"))["hits"] == []
            assert (await desk.ask("query-rounds", "aud"))["rounds"] == []
            assert (await desk.ask("query-rounds", "aud", day="2026-11-17"))["rounds"] == []

    run(main())
