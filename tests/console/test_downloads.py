"""Downloads of what is recorded: every page of it, in two formats, safe to open in a spreadsheet."""

import asyncio
import csv
import io
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from msgspec import Struct, json

from controller.console import downloads
from controller.console.api import RefusedError
from controller.console.downloads import COLUMNS, WHAT, _cell, _csv, _json
from controller.console.limits import DOWNLOADS_PER_MINUTE
from controller.wire.command_rows import ActionRow, DerivedLine, HitRow, MeterDay, OperatorRow, RoundRow
from controller.wire.commands import MOST_ROWS
from tests.console.house import NAME, Console, needs_a_house, serve
from tests.console.visitors import Visitor, until_too_many
from tests.service.house import House, asked
from tests.service.test_table import MINOR_AT_1

ROWS: dict[str, type[Struct]] = {
    "hits": HitRow,
    "readings": MeterDay,
    "rounds": RoundRow,
    "actions": ActionRow,
    "operators": OperatorRow,
    "derive": DerivedLine,
}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1+1", "'+1+1"),
        ("-1+1", "'-1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("-5", "-5"),
        ("-450.80246000", "-450.80246000"),
        (-5, "-5"),
        ("Ana", "Ana"),
        (True, "true"),
        (["KS", "9S"], '["KS","9S"]'),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula_and_numbers_stay_numbers(value: object, shown: str) -> None:
    assert _cell(value) == shown


@pytest.mark.parametrize("what", WHAT)
def test_every_field_of_a_row_has_its_column(what: str) -> None:
    fields = set(ROWS[what].__struct_fields__)
    assert {column.partition(".")[0] for column in COLUMNS[what]} == fields


def of_pages(number: int, *, good: bool = True) -> AsyncIterator[dict[str, Any]]:
    async def pages() -> AsyncIterator[dict[str, Any]]:
        for page in range(1, number):
            ok = good or page < number - 1
            yield {"ok": ok, "message": "", "operators": [{"operator": f"o{page}"}], "complete": page < number - 1}

    return pages()


@pytest.mark.parametrize("make", [_csv, _json])
def test_what_is_too_much_says_that_it_is_not_all(make: Any) -> None:  # noqa: ANN401 -- one of two
    async def whole(number: int, *, good: bool = True) -> bytes:
        first = {"ok": True, "operators": [{"operator": "o0"}], "complete": True}
        return b"".join([part async for part in make("operators", first, of_pages(number, good=good))])

    for number, complete in ((1, True), (3, False)):
        text = asyncio.run(whole(number)).decode()
        assert all(f"o{page}" in text for page in range(number))
        assert ("NOT COMPLETE" in text or '"complete":false' in text) is not complete
    # One that fails half way has no end.
    with pytest.raises(RuntimeError, match="half way"):
        asyncio.run(whole(4, good=False))


@needs_a_house
def test_an_auditor_downloads_everything_there_is(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        await house.open()
        await house.bet(1)
        await house.lock()
        house.deal(MINOR_AT_1)
        await house.until(lambda: any(topic.startswith("awards/") for topic in house.sign.topics))
        (award, *_) = [topic.removeprefix("awards/") for topic in house.sign.topics if topic.startswith("awards/")]
        await house.sign_in("sue")
        await house.do("operator-add", "sue", operator="mal", name="=cmd|' /C calc'!A0", role="dealer", pin="987654")
        auditor = Visitor(console.port)
        await auditor.sign_in("abe")

        async def got(what: str, format_: str, more: str = "") -> Any:  # noqa: ANN401 -- an answer
            answer = await auditor.get(f"/audit/download?table={NAME}&what={what}&format={format_}{more}")
            assert answer.status == 200, answer
            assert answer.header("content-disposition").endswith(f'.{format_}"')
            assert answer.header("cache-control") == "no-store"
            return answer

        hits = (await got("hits", "json")).json
        assert hits["complete"] is True
        assert [row["fate"] for row in hits["rows"]] == ["pending"]
        derived = (await got("derive", "json", f"&award={award}")).json
        assert derived["explained"] is True
        assert len(derived["rows"]) >= 2
        rounds = list(csv.DictReader(io.StringIO((await got("rounds", "csv")).body.decode("utf-8-sig"))))
        assert [row["round"] for row in rounds] == ["1"]
        assert json.decode(rounds[0]["hands"])[-1]["player"] == ["KS", "9S"]
        assert json.decode(rounds[0]["wagers"])[0]["placed_at"] < rounds[0]["locked_at"]
        people = (await got("operators", "csv")).body.decode("utf-8-sig")
        assert "'=cmd" in people
        readings = list(csv.DictReader(io.StringIO((await got("readings", "csv")).body.decode("utf-8-sig"))))
        assert {row["explained"] for row in readings} == {"true"}
        actions = (await got("actions", "csv", "&person=sue")).body.decode("utf-8-sig")
        assert "operator" in actions
        token = house.tokens["sue"]
        assert token not in actions + people
        wrong = [
            ("what=secrets&format=csv", 400),
            ("what=hits&format=xls", 400),
            ("what=derive&format=csv", 400),
            ("what=derive&format=csv&award=mb-07-99-9", 409),
            ("what=rounds&format=csv&day=yesterday", 409),
        ]
        for query, status in wrong:
            assert (await auditor.get(f"/audit/download?table={NAME}&{query}")).status == status, query
        dealer = Visitor(console.port, "127.0.0.2")
        await dealer.sign_in("dora")
        refused = await dealer.get(f"/audit/download?table={NAME}&what=hits&format=csv")
        assert (refused.status, refused.error) == (409, "not-allowed")

    serve(tmp_path, scene)


@needs_a_house
def test_a_single_round_is_downloaded_by_its_number(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        await house.open()
        for _ in range(2):
            await house.bet(1)
            await house.lock()
            house.deal(MINOR_AT_1)
            await house.until(lambda: house.sign.phase == "settled")
            await house.reopen()
        auditor = Visitor(console.port)
        await auditor.sign_in("abe")
        path = f"/audit/download?table={NAME}&what=rounds"
        day = ""
        for number in (1, 2):
            told = await auditor.get(f"{path}&format=json&round={number}")
            assert told.header("content-disposition").endswith(f'rounds-{number}.json"')
            assert [row["round"] for row in told.json["rows"]] == [number]
            assert told.json["complete"] is True
            written = await auditor.get(f"{path}&format=csv&round={number}")
            assert written.header("content-disposition").endswith(f'rounds-{number}.csv"')
            (row,) = csv.DictReader(io.StringIO(written.body.decode("utf-8-sig")))
            assert row["round"] == str(number)
            assert json.decode(row["wagers"]) == told.json["rows"][0]["wagers"]
            day = told.json["rows"][0]["opened_at"][:10]
        # A word, a round that was not played, and a round beside a day, which is no single question.
        for asked_for, status in (("round=one", 400), ("round=4", 409), (f"round=1&day={day}", 409)):
            assert (await auditor.get(f"{path}&format=csv&{asked_for}")).status == status, asked_for

    serve(tmp_path, scene)


@needs_a_house
@pytest.mark.parametrize("format_", ["csv", "json"])
def test_what_fills_more_than_a_page_comes_whole_in_order_and_once(tmp_path: Path, format_: str) -> None:
    more = MOST_ROWS + 10

    async def scene(house: House, console: Console) -> None:
        await house.open()
        await house.sign_in("flo")
        async with house.as_client() as broker:
            for number in range(more):
                request = {
                    "id": str(uuid4()),
                    "at": datetime.now(UTC).isoformat(),
                    "token": house.tokens["flo"],
                    "position": 3,
                    "on": bool(number % 2),
                    "reason": f"number {number}",
                }
                assert (await asked(broker, "position-service", request))["ok"]
        auditor = Visitor(console.port)
        await auditor.sign_in("abe")
        answer = await auditor.get(f"/audit/download?table={NAME}&what=actions&format={format_}&person=flo")
        if format_ == "json":
            assert answer.json["complete"] is True
            rows = answer.json["rows"]
        else:
            rows = list(csv.DictReader(io.StringIO(answer.body.decode("utf-8-sig"))))
        reasons = [row["reason"] for row in rows if row.get("reason")]
        assert reasons == [f"number {number}" for number in reversed(range(more))]
        await house.until(lambda: len(console.logged("command")) > 1)  # it took more than one question

    serve(tmp_path, scene)


@needs_a_house
def test_one_address_downloads_so_often_and_no_more(tmp_path: Path) -> None:
    async def scene(_house: House, console: Console) -> None:
        auditor = Visitor(console.port)
        await auditor.sign_in("abe")
        path = f"/audit/download?table={NAME}&what=operators&format=json"
        answers = await until_too_many(lambda _: auditor.get(path), DOWNLOADS_PER_MINUTE)
        assert {answer.status for answer in answers[:-1]} == {200}

    serve(tmp_path, scene)


def test_pages_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "MOST_PAGES", 3)

    class Endless:
        async def ask(self, *_: object) -> dict[str, Any]:
            return {"ok": True, "operators": [{"operator": "x"}], "next": "more"}

    async def pages() -> list[dict[str, Any]]:
        made = downloads.Downloads(Endless(), None)  # type: ignore[arg-type]  # a controller without an end
        return [page async for page in made._pages(NAME, "query-operators", {"token": "t"}, "c")]  # noqa: SLF001 -- the loop itself

    found = asyncio.run(pages())
    assert [page["complete"] for page in found] == [True, True, False]


def test_a_question_that_does_not_fit_is_refused() -> None:
    with pytest.raises(RefusedError, match="query-derive"):
        downloads._command("query-derive", {"token": "t"})  # noqa: SLF001 -- before anything is asked
