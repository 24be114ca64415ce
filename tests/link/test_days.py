"""`jackpotd link report`: what a gaming day brought to the meters that tables share, explained to the last unit."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from controller.engine import gaming_day
from controller.link import postgres
from controller.link.days import SETTLED, Bounds, bounds, report
from controller.link.reading import snapshot
from controller.link.sessions import LinkLostError
from controller.rules.errors import BadInputError
from controller.rules.money import UNITS_PER_CENT
from tests.link.books import Books, played_books
from tests.link.desk import Desk
from tests.link.floor import HARMONY, HEAVENLY9, Floor, Said
from tests.link.player import meeting
from tests.link.server import Server

# From 06:00 in New York, whose clocks go back in the night to November 1: that gaming day has 25 hours.
FRIDAY, SATURDAY, SUNDAY, MONDAY = DAYS = ("2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02")
PLAYED = {
    FRIDAY: datetime(2026, 10, 31, 9, 59, 59, tzinfo=UTC),
    SATURDAY: datetime(2026, 11, 1, 10, 30, tzinfo=UTC),
    MONDAY: datetime(2026, 11, 2, 11, tzinfo=UTC),
}
ACCOUNTS = ("display", "reserve", "carry")
SEED, LEAST = 2_500_000, 500_000  # cents of the Harmony meter, and the least it opens with


@pytest.fixture(params=[HARMONY, HEAVENLY9], ids=["harmony", "heavenly9"])
def books(request: pytest.FixtureRequest, tmp_path: Path, server: Server, database: str) -> Books:
    """A link whose evening is spread over a Friday, a Saturday and a Monday."""
    books = played_books(tmp_path, server, database, request.param)
    for meter, last in books.run("SELECT meter, seq FROM jackpotd.meters"):
        for part, at in enumerate(PLAYED.values()):
            recorded(books, meter, part * last // 3 + 1, (part + 1) * last // 3, at)
    return books


def recorded(books: Books, meter: str, first: int, last: int, at: datetime) -> None:
    where = "WHERE meter = %s AND seq BETWEEN %s AND %s"
    books.run(f"UPDATE jackpotd.ledger SET recorded_at = %s {where}", at, meter, first, last)  # noqa: S608 -- our own


def asked(floor: Floor, day: str, *more: str) -> Said:
    named = ["--date", day] if day else []
    return floor.call("link", "report", "--config", str(floor.config("t-1")), *named, *more)


def days(books: Books, *, ok: bool = True) -> list[dict[str, Any]]:
    said = [asked(books.floor, day, "--json") for day in DAYS]
    assert [each.code for each in said] == [0] * len(DAYS) or not ok, said
    return [each.json for each in said]


def test_days_follow_each_other_to_the_last_unit(books: Books) -> None:
    told = days(books)
    assert all(day["ok"] and day["ended"] for day in told)
    audited = books.floor.call("link", "audit", "--config", str(books.floor.config("t-1")), "--json").json["meters"]
    for number, audit in enumerate(audited):
        meters = [day["meters"][number] for day in told]
        assert {meter["meter"] for meter in meters} == {audit["meter"]}
        opening = dict.fromkeys(ACCOUNTS, 0)
        line = 0
        for meter in meters:
            assert meter["lines"]["first"] == line + 1
            line = meter["lines"]["last"]
            for account in ACCOUNTS:
                found = meter[account]
                assert found["opening_units"] == opening[account]
                opening[account] += sum(found["changes_units"].values())
                assert found["closing_units"] == opening[account]
        assert line == audit["lines"]
        assert meters[-1]["lines"]["hash"] == audit["head"]["hash"]
        assert opening == {account: audit[f"{account}_units"] for account in ACCOUNTS}
        assert meters[0]["display"]["changes_units"]["opening amount"] == audit["opened_units"]
        for sums in audit["tables"]:
            for name in ("wagers", "stakes_cents", "contributed_units", "awarded_units", "paid_units"):
                of_days = [each[name] for meter in meters for each in meter["tables"] if each["table"] == sums["table"]]
                assert sum(of_days) == sums[name], name


def test_a_day_of_twenty_five_hours_has_all_its_lines_and_a_quiet_one_stands_still(books: Books) -> None:
    _, saturday, sunday, monday = days(books)
    assert (saturday["from"], saturday["to"]) == ("2026-10-31T10:00:00.000000Z", "2026-11-01T11:00:00.000000Z")
    assert all(meter["lines"]["last"] > meter["lines"]["first"] for meter in saturday["meters"])
    for meter, before, following in zip(sunday["meters"], saturday["meters"], monday["meters"], strict=True):
        assert meter["lines"]["last"] == meter["lines"]["first"] - 1 == before["lines"]["last"]
        assert meter["lines"]["hash"] == before["lines"]["hash"]
        assert meter["tables"] == []
        assert following["lines"]["first"] == meter["lines"]["first"]
        for account in ACCOUNTS:
            assert meter[account]["opening_units"] == meter[account]["closing_units"]
            assert meter[account]["changes_units"] == {}
        assert meter["in_cents"] == {"opening": before["in_cents"]["closing"], "closing": before["in_cents"]["closing"]}


def test_it_is_told_in_words(books: Books) -> None:
    told = asked(books.floor, SATURDAY).out.splitlines()
    assert told[0] == "the link bank, gaming day 2026-10-31 from 06:00 America/New_York"
    assert told[1] == "2026-10-31 06:00 to 2026-11-01 06:00 there, by the clock of the server"
    assert any(line.split()[:1] == ["contribution"] for line in told)
    assert any(line.strip().startswith("valley-forge/t-2") for line in told)
    assert "  no line; by its end the ledger stands at" in asked(books.floor, SUNDAY).out


def test_a_clock_that_was_set_back_moves_no_line_to_an_earlier_day(books: Books) -> None:
    before = days(books)
    for meter in before[-1]["meters"]:
        last = meter["lines"]["last"]
        recorded(books, meter["meter"], last, last, PLAYED[FRIDAY] - timedelta(days=3))
    assert days(books) == before
    assert asked(books.floor, "2026-10-27").code == 2


@pytest.mark.parametrize(
    ("day", "why"),
    [
        ("2026-10-29", "the link bank had no line by the end of 2026-10-29: name a later gaming day"),
        ("2099-01-01", "2099-01-01 has not begun: name a gaming day that has"),
        ("10/31/2026", "--date '10/31/2026': write a gaming day as YYYY-MM-DD"),
        ("2026-02-30", "--date '2026-02-30': write a gaming day as YYYY-MM-DD"),
        ("9999-12-31", "9999-12-31 is at the end of the calendar: name a gaming day of the link"),
    ],
)
@pytest.mark.parametrize("books", [HARMONY], indirect=True, ids=["harmony"])
def test_a_day_that_it_has_not_is_refused(books: Books, day: str, why: str) -> None:
    done = asked(books.floor, day)
    assert done.code == 2
    assert why in done.err


@pytest.mark.parametrize("books", [HARMONY], indirect=True, ids=["harmony"])
def test_the_running_day_has_not_ended(books: Books) -> None:
    books.run("UPDATE jackpotd.ledger SET recorded_at = clock_timestamp()")
    today, _ = gaming_day(int(datetime.now(UTC).timestamp()) * 1_000_000, "America/New_York", "06:00")
    assert not asked(books.floor, today, "--json").json["ended"]
    told = asked(books.floor, "").out
    assert f"gaming day {today} from 06:00 America/New_York: the day so far, lines can still come into it" in told


@pytest.mark.parametrize("books", [HARMONY], indirect=True, ids=["harmony"])
@pytest.mark.parametrize(
    ("seq", "days_bad", "why"),
    [
        (1, [FRIDAY], "line 1 does not stand in the chain as it was written"),
        (-1, [MONDAY], "line {last} does not stand in the chain as it was written"),
    ],
    ids=["first", "last"],
)
def test_a_changed_line_is_named_on_its_day(books: Books, seq: int, days_bad: list[str], why: str) -> None:
    ((last,),) = books.run("SELECT seq FROM jackpotd.meters")
    books.change("harmony", seq if seq > 0 else last, lambda line: replace(line, round=line.round + 1), rechain=False)
    bad = [day for day in days(books, ok=False) if not day["ok"]]
    assert [day["date"] for day in bad] == days_bad
    assert bad[0]["meters"][0]["flaw"] == why.format(last=last)
    told = asked(books.floor, days_bad[0])
    assert told.code == 1
    assert f"  NOT WHOLE: {why.format(last=last)}: what follows it is not in this report" in told.out
    assert "run `jackpotd link audit`" in told.out


@pytest.mark.parametrize("books", [HARMONY], indirect=True, ids=["harmony"])
def test_money_that_no_line_moved_is_not_explained_where_the_chain_was_made_anew(books: Books) -> None:
    first = days(books)[1]["meters"][0]["lines"]["last"]
    books.change(
        "harmony",
        first,
        lambda line: replace(line, after=replace(line.after, units=line.after.units - 7)),
        rechain=True,
    )
    bad = [day for day in days(books, ok=False) if not day["ok"]]
    assert [day["meters"][0]["display"]["unexplained_units"] for day in bad] == [
        -7,
        7,
    ]  # gone on one day, there on the next
    assert "NOT EXPLAINED" in asked(books.floor, SATURDAY).out


@pytest.mark.parametrize("books", [HARMONY], indirect=True, ids=["harmony"])
@pytest.mark.parametrize("place", ["before", "inside", "last"])
def test_a_line_taken_out_is_named(books: Books, place: str) -> None:
    lines = days(books)[-1]["meters"][0]["lines"]
    gone = {"before": lines["first"] - 1, "inside": lines["first"] + 1, "last": lines["last"]}[place]
    books.run("DELETE FROM jackpotd.ledger WHERE seq = %s", gone)
    monday = asked(books.floor, MONDAY, "--json")
    assert monday.code == 1
    (meter,) = monday.json["meters"]
    assert meter["flaw"].startswith(f"line {gone} ")
    assert meter["lines"]["hash"] == ""  # where the ledger stood by its end is not known
    assert meter["display"]["unexplained_units"] == 0  # what is told of it is told rightly
    assert "by its end the ledger stands at" not in asked(books.floor, MONDAY).out


@pytest.mark.parametrize("books", [HARMONY], indirect=True, ids=["harmony"])
def test_a_meter_whose_row_was_moved_is_named(books: Books) -> None:
    books.run("""UPDATE jackpotd.meters SET state = replace(state, '"in_cents":', '"in_cents":1')""")
    assert asked(books.floor, SUNDAY).code == 0
    assert "NOT WHOLE: the meter's row is not as its last line left it" in asked(books.floor, MONDAY).out


def test_a_meter_without_a_line_stands_at_its_opening_amount_today(
    tmp_path: Path, server: Server, database: str
) -> None:
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open("t-1")
    today, _ = gaming_day(int(datetime.now(UTC).timestamp()) * 1_000_000, "America/New_York", "06:00")
    (meter,) = asked(floor, today, "--json").json["meters"]
    assert meter["display"]["changes_units"] == {"opening amount": meter["display"]["closing_units"]}
    assert meter["lines"] == {"first": 1, "last": 0, "hash": "00" * 32}
    yesterday = (datetime.fromisoformat(today) - timedelta(days=1)).date().isoformat()
    assert asked(floor, yesterday).code == 2


@pytest.mark.parametrize("books", [HARMONY], indirect=True, ids=["harmony"])
def test_a_day_ends_when_no_commit_of_it_can_be_under_way(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = bounds(SATURDAY, "America/New_York", "06:00")
    moment = timedelta(microseconds=1)
    with books.server.connect(books.database) as connection, snapshot(connection, "bank") as ledger:
        for now, ended in ((wanted.ends + SETTLED - moment, False), (wanted.ends + SETTLED, True)):
            monkeypatch.setattr(ledger, "now", lambda now=now: now)
            assert report(ledger, wanted).ended == ended
        monkeypatch.setattr(ledger, "now", lambda: wanted.begins - moment)
        with pytest.raises(BadInputError, match="has not begun"):
            report(ledger, wanted)


# -- every kind of line --


def settled(*desks: Desk) -> None:
    for desk in desks:
        asyncio.run(desk.ask_anew())


def changed(floor: Floor, meter: str, account: str) -> dict[str, int]:
    """Why an account changed on the running day, in cents; the report explains all of it."""
    done = asked(floor, "", "--json")
    assert done.code == 0, done
    (found,) = (each for each in done.json["meters"] if each["meter"] == meter)
    assert found[account]["unexplained_units"] == 0
    return {why: units // UNITS_PER_CENT for why, units in found[account]["changes_units"].items()}


def test_what_goes_back_to_wagers_is_named_for_what_the_link_knows_of_it(
    tmp_path: Path, server: Server, database: str
) -> None:
    """A round that is void and a wager taken out are the same to a link: neither is said of the other."""
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open("t-1")
    with Desk(floor.setup("t-1")) as desk:
        desk.lock_out(1, 2)
        settled(desk)
        desk.void()
        settled(desk)
    assert changed(floor, "harmony", "display") == {
        "opening amount": SEED,
        "contribution": 190,
        "contribution returned": -190,
    }
    assert changed(floor, "harmony", "reserve") == {"contribution": 50, "contribution returned": -50}


def test_jackpots_shared_anew_undone_and_adjusted_are_explained(tmp_path: Path, server: Server, database: str) -> None:
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open("t-1", "t-2")
    with Desk(floor.setup("t-1")) as one, Desk(floor.setup("t-2")) as two:
        for desk in (one, two):
            desk.lock_out(1, 2, 3)
            settled(desk)
        one.jackpot()
        settled(one)
        jackpot = SEED + 6 * 95
        half, third = jackpot // 2, jackpot // 3
        for _ in range(3):  # two shares go to who is left; with the last all of it is undone
            one.reject()
            settled(one)
        undone = {
            "opening amount": SEED,
            "contribution": 6 * 95,
            "award": -3 * third - 2 * (half - third) - (jackpot - half),
            "seed or top-up": LEAST - 150,
            "reserve released": 150,
            "award returned": third + half + jackpot,
            "seed returned": 150 - LEAST,
            "put back to the reserve": -150,
        }
        assert changed(floor, "harmony", "display") == undone
        reserve = {"contribution": 150, "released to the meter": -150, "put back from the meter": 150}
        assert changed(floor, "harmony", "reserve") == reserve
        two.jackpot()
        settled(two)
        two.validate()
        settled(two)
        two.adjust(500)
        two.adjust(-200, expected=two.state.linked["harmony"] + 500)
        two.adjust(100, expected=1)  # refused: it moves nothing
        settled(two)
        again = {"award": -3 * third, "seed or top-up": LEAST - 150, "reserve released": 150, "adjustment": 300}
        every = {why: undone.get(why, 0) + again.get(why, 0) for why in (*undone, "adjustment")}
        assert changed(floor, "harmony", "display") == every
        found = {kind for (kind,) in server.run("SELECT DISTINCT kind FROM jackpotd.ledger", database=database)}
        assert found == {"contribute", "hit", "resplit", "unwind", "paid", "adjust"}
    floor.audit("t-1", "t-2")


def test_what_a_mystery_carries_is_explained_and_so_is_what_comes_out_of_it(
    tmp_path: Path, server: Server, database: str
) -> None:
    floor = Floor(tmp_path, server.dsn(database), HEAVENLY9)
    floor.open("t-1", near=1)
    with Desk(floor.setup("t-1", near=1)) as desk:
        desk.lock_out(*range(1, 8))
        settled(desk)
        won = sum(award.amount_cents for award in desk.state.pending())
        assert won
        while desk.state.pending():
            desk.reject()
        desk.reopen()
        settled(desk)
        for expected in (None, 1):  # taken by the linked meter, and not
            desk.adjust(100, expected=expected, source="carry:must-hit-by")
            settled(desk)
    carry = {"award rejected": won, "adjusted into a meter": -200, "not taken by a link": 100}
    assert changed(floor, "must-hit-by", "carry") == carry
    display = changed(floor, "must-hit-by", "display")
    assert set(display) == {"opening amount", "contribution", "award", "seed or top-up"}
    assert display["award"] == -won
    assert changed(floor, "heavenly9", "display")["adjustment"] == 100


# -- when a day has ended, and what the server's clock does to it --


def test_a_day_has_not_ended_while_a_commit_of_it_waits_for_its_standby(tmp_path: Path, own_server: Server) -> None:
    own_server.database("waiting")
    floor = Floor(tmp_path, own_server.dsn("waiting"), HARMONY)
    floor.open("t-1")

    def told(wanted: Bounds) -> tuple[bool, int]:
        """What the day is, three hours after its end."""
        with own_server.connect("waiting") as connection, snapshot(connection, "bank") as ledger:
            ledger.now = lambda: wanted.ends + timedelta(hours=3)  # type: ignore[method-assign]
            found = report(ledger, wanted)
            return found.ended, found.meters[0].last

    async def cut_off(desk: Desk) -> None:
        async with meeting(desk.setup)(desk.identity()) as session:
            own_server.set("synchronous_standby_names", "nobody")
            asking = asyncio.create_task(desk.ask(session))
            await asyncio.to_thread(own_server.until_a_commit_waits)  # hung up no sooner: the line must be written
            assert isinstance(session, postgres.Session)
            session.hang_up()
            with pytest.raises(LinkLostError):
                await asking

    with Desk(floor.setup("t-1")) as desk:
        desk.lock_out(1)
        settled(desk)
        desk.reopen()
        desk.lock_out(1)
        asyncio.run(cut_off(desk))
        ((now,),) = own_server.run("SELECT clock_timestamp()")
        today = Bounds("today", now - timedelta(hours=24), now)
        tomorrow = Bounds("tomorrow", now, now + timedelta(hours=24))
        assert told(today) == (False, 1)
        own_server.set("synchronous_standby_names", "")
        own_server.wait_until(lambda: told(today) == (True, 2), "does not go on")
        assert told(tomorrow) == (True, 2)


@pytest.mark.parametrize("books", [HARMONY], indirect=True, ids=["harmony"])
@pytest.mark.parametrize("ahead", [1, "all"])
def test_a_line_of_a_time_that_has_not_come_is_named_today(books: Books, ahead: int | str) -> None:
    ((last,),) = books.run("SELECT seq FROM jackpotd.meters")
    first = 1 if ahead == "all" else last
    recorded(books, "harmony", first, last, datetime(2099, 1, 1, tzinfo=UTC))
    done = asked(books.floor, "", "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    (meter,) = done.json["meters"]
    assert meter["lines"]["last"] == first - 1
    assert meter["flaw"] == f"line {first} was recorded at a time that has not come: the server's clock was ahead"
