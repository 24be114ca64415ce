"""/audit as a person sees it: a real journal of three days, the real controller, broker, console and browser."""

import asyncio
import csv
import io
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from msgspec import json
from playwright.async_api import Download, Page, Route, expect

from controller.console.limits import DOWNLOADS_PER_MINUTE
from controller.console.texts import LANGUAGES, load
from controller.core.evolve import evolve
from controller.core.facts import TYPES, Recorded, decode
from controller.core.inputs import Command, Input
from controller.core.state import State
from controller.journal.audit.awards import find, hits
from controller.journal.audit.days import report
from controller.journal.audit.derivation import derive
from controller.journal.reading import JournalReader, open_readonly
from controller.wire.commands import REQUESTS
from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console, sign_in, visit
from tests.console.recorded import record
from tests.console.visitors import most_since
from tests.service.house import PINS, House

pytestmark = needs_a_browser

Known = dict[str, Any]
SECTIONS = ("overview", "meters", "readings", "hits", "rounds", "actions", "operators")
ASK = """async ([name, fields]) => {
    const {command} = await import("/static/api.js");
    return await command(document.documentElement.dataset.table, name, fields);
}"""


def dollars(cents: int) -> str:
    """As the page writes it."""
    return f"${cents // 100:,}.{cents % 100:02}"


def audited(folder: Path, scene: Callable[[House, Browser, Known], Awaitable[None]]) -> None:
    """A house that has three days behind it."""

    async def whole(house: House, _: Console, browser: Browser) -> None:
        known = record(house)
        await house.start()
        await scene(house, browser, known)

    visit(folder, whole, started=False)


async def opened(browser: Browser, section: str = "overview", by: str = "abe", **more: Any) -> Page:  # noqa: ANN401 -- of the browser
    """The page with someone signed in, showing a section."""
    page = await browser.page(path=f"/audit#{section}", **more)
    await sign_in(page, by)
    await shown(page)
    return page


async def shown(page: Page) -> None:
    """Wait until the section is there."""
    await page.wait_for_selector("#panel[aria-busy=false] h2")


async def go(page: Page, where: str) -> None:
    """Another section, by its address."""
    await page.evaluate("where => { location.hash = where; }", where)
    await page.wait_for_function(
        "where => document.querySelector('#panel[aria-busy=false] h2') && location.hash === where", arg=f"#{where}"
    )
    await shown(page)


async def ask(page: Page, name: str, **fields: object) -> dict[str, Any]:
    """A query of who is signed in at the page."""
    reply: dict[str, Any] = await page.evaluate(ASK, [name, fields])
    return reply


def test_an_auditor_signs_in_with_the_keypad_and_reads_the_overview(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, known: Known) -> None:
        page = await browser.page(path="/audit")
        await expect(page.locator("#panel")).to_contain_text("Sign in as auditor, floorperson or supervisor")
        await expect(page.locator("#audit-tabs")).to_be_hidden()
        await page.click(".gate button")
        await page.fill("#sign-in-form-operator", "abe")
        for digit in PINS["abe"]:
            await page.click(f".keypad button:text-is('{digit}')")
        await page.click("dialog button.primary")
        await expect(page.locator("#panel h2")).to_have_text("Overview")
        for meter, cents in known["meters"].items():
            row = page.locator("table.records tr", has_text=_LABELS[meter])
            await expect(row.locator("td").nth(1)).to_have_text(dollars(cents))
        await expect(page.locator(".verdict.good")).to_contain_text("explained")
        head = page.locator(".facts .large")
        told = await page.evaluate("document.querySelector('.digest').textContent")
        number = int((await head.inner_text()).replace(",", ""))
        with open_readonly(_.journal) as journal:
            (hash_,) = journal.db.execute("SELECT hash FROM facts WHERE seq = ?", [number]).fetchone()
        assert told == hash_.hex()
        await page.click("#sign-out")
        await expect(page.locator("#panel")).to_contain_text("Sign in as auditor")
        await expect(page.locator("#panel table")).to_have_count(0)

    audited(tmp_path, scene)


_LABELS = {
    "royal9-mega": "Royal 9 Mega",
    "royal9-major": "Royal 9 Major",
    "royal9-minor": "Royal 9 Minor",
    "royal9-mystery": "Royal 9 Mystery",
    "harmony": "Harmony",
}


def test_a_dealer_is_told_who_may(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, __: Known) -> None:
        page = await browser.page(path="/audit#hits")
        await sign_in(page, "dora")
        await expect(page.locator("#panel")).to_contain_text("You are signed in as dealer")
        await expect(page.locator("#panel table")).to_have_count(0)
        await page.click("#panel button")
        await expect(page.locator("#panel")).to_contain_text("Sign in as auditor")
        for other in ("flo", "sue"):
            await sign_in(page, other)
            await expect(page.locator("#panel h2")).to_have_text("Hits")

    audited(tmp_path, scene)


def test_readings_show_every_reason_and_add_up(tmp_path: Path) -> None:
    async def scene(house: House, browser: Browser, _: Known) -> None:
        page = await opened(browser, "readings")
        days = (await ask(page, "query-readings"))["days"]
        await page.select_option("select[name=day]", days[1])
        await page.wait_for_function("day => location.hash === `#readings?day=${day}`", arg=days[1])
        await shown(page)
        with open_readonly(house.journal) as journal:
            day = report(journal, days[1])
        for meter in day.meters:
            statement = page.locator(f"[data-meter={meter.meter}]")
            opening, closing = (dollars(units // 1_000_000) for units in (meter.display.opening, meter.display.closing))
            await expect(statement.locator("tr.sum").first).to_contain_text(opening)
            await expect(statement.locator("tr.sum").last).to_contain_text(closing)
            await expect(statement.locator("tr.checked")).to_contain_text("$0.00")
            reasons = [each for each in meter.display.changes.values() if each]
            moves = statement.locator("tr.into, tr.out")
            assert await moves.count() >= len(reasons)
        await expect(page.locator("[data-meter=royal9-mega]")).to_contain_text("adjustment by two people$10.00")
        await expect(page.locator("[data-meter=harmony]")).to_contain_text("reserve released to the meter")
        await expect(page.locator("[data-meter=royal9-mega] th", has_text="Reserve")).to_have_count(0)
        await page.click("button:text-is('Day after')")
        await expect(page.locator("select[name=day]")).to_have_value(days[2])

    audited(tmp_path, scene)


def test_a_hit_is_derived_line_by_line_and_its_promise_checked_in_the_browser(tmp_path: Path) -> None:
    async def scene(house: House, browser: Browser, known: Known) -> None:
        page = await opened(browser, "hits", timezone_id="America/New_York")
        with open_readonly(house.journal) as journal:
            every = list(reversed(hits(journal)))
            lines = derive(journal, find(journal, known["paid"].id)).lines
        rows = page.locator("table.records tbody tr")
        await expect(rows).to_have_count(len(every))
        for place, won in enumerate(every):
            await expect(rows.nth(place)).to_contain_text(dollars(won.hit.amount_cents))
        await expect(rows.first).to_contain_text("waits for validation")
        await expect(rows.locator(".fate.rejected")).to_have_count(1)
        await expect(rows.locator(".fate.unwound")).to_have_count(1)
        first = rows.first.locator("time")
        at = every[0].hit.at
        assert await first.get_attribute("title") == f"{at[:10]} {at[11:].removesuffix('Z')} UTC"
        assert at[11:19] not in await first.inner_text()  # five hours from UTC

        await page.select_option("select[name=meter]", "harmony")
        await expect(rows).to_have_count(1)
        await rows.first.locator("a.open").click()
        await expect(page.locator("#panel")).to_contain_text("Shared by 3 in whole cents; $0.01")

        await go(page, f"hits?award={known['paid'].id}")
        derived = page.locator("[aria-label='How it came about'] tbody tr")
        await expect(derived).to_have_count(len(lines))
        await expect(derived.first).to_contain_text("opening amount")
        await expect(derived.last).to_contain_text("4% of $5.00, Royal 9")
        await expect(derived.last).to_contain_text(dollars(known["paid"].amount_cents))
        await expect(page.locator(".verdict.good")).to_contain_text("The lines add up to")
        await expect(page.locator("#panel")).to_contain_text("by jackpot slip, slip")

        mystery = next(won for won in every if won.hit.reveal)
        await go(page, f"hits?award={mystery.hit.id}")
        await expect(page.locator("#panel")).to_contain_text("Kept: your browser finds the same commitment.")
        await expect(page.locator("#panel")).to_contain_text(
            mystery.hit.reveal.commitment if mystery.hit.reveal else ""
        )

    audited(tmp_path, scene)


def test_what_does_not_add_up_is_an_alarm(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, known: Known) -> None:
        page = await opened(browser, "operators")
        row = (await ask(page, "query-hits", meter="royal9-mystery", limit=1))["hits"][0]

        def spoil(change: Callable[[dict[str, Any]], None]) -> Callable[[Route], Awaitable[None]]:
            async def answer(route: Route) -> None:
                reply = await (await route.fetch()).json()
                change(reply)
                await route.fulfill(json=reply)

            return answer

        def lose_a_cent(reply: dict[str, Any]) -> None:
            reply["explained"] = reply["meters"][0]["explained"] = False
            reply["meters"][0]["display"]["unexplained"] = "-0.01000000"

        def another_nonce(reply: dict[str, Any]) -> None:
            reply["hit"]["reveal"]["nonce"] = "ff" * 32

        def too_little(reply: dict[str, Any]) -> None:
            reply["explained"] = False

        await page.route("**/api/command/query-readings", spoil(lose_a_cent))
        await go(page, "readings")
        await expect(page.locator(".verdict.alarm")).to_contain_text("ALARM")
        await expect(page.locator("[data-meter=royal9-mega] tr.checked.alarm")).to_contain_text("\u2212$0.01")
        await page.route("**/api/command/query-derive", spoil(another_nonce))
        await go(page, f"hits?award={row['hit']}")
        await expect(page.locator(".verdict.alarm")).to_contain_text("ALARM: your browser finds another commitment")
        await page.unroute("**/api/command/query-derive")
        await page.route("**/api/command/query-derive", spoil(too_little))
        await go(page, f"hits?award={known['paid'].id}")
        await expect(page.locator(".verdict.alarm")).to_contain_text("does not give the award")

    audited(tmp_path, scene)


def test_rounds_turn_page_by_page_and_open_to_all_that_belongs_to_them(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, known: Known) -> None:
        page = await opened(browser, "rounds")
        rounds = page.locator(".round-row")
        await expect(rounds).to_have_count(50)
        newest = int(await rounds.first.get_attribute("data-round") or 0)
        await page.click("button:text-is('Next page')")
        await expect(rounds.first).to_have_attribute("data-round", str(newest - 50))
        await expect(page.locator(".pager .next")).to_have_count(2)  # above the rounds and below them
        for button in await page.locator(".pager .next").all():
            await expect(button).to_be_disabled()
        await page.click("button:text-is('Previous page')")
        await expect(rounds.first).to_have_attribute("data-round", str(newest))

        await page.fill("input[name=round]", str(known["void_round"]))
        await page.click("button:text-is('Show')")
        await expect(rounds).to_have_count(1)
        await expect(rounds).to_contain_text("misdeal")
        await expect(rounds).to_contain_text("after lock-out")
        await expect(rounds).to_contain_text("round void")
        await go(page, f"rounds?round={known['corrected_round']}")
        await expect(rounds).to_contain_text("corrected")
        await expect(rounds).to_contain_text("taken out")
        await expect(rounds.locator("[aria-label=Hands] tbody tr")).to_have_count(2)
        wagers = (await ask(page, "query-rounds", round=known["corrected_round"]))["rounds"][0]["wagers"]
        placed = rounds.locator("[aria-label=Wagers] .placed")
        assert [await each.get_attribute("datetime") for each in await placed.locator("time").all()] == [
            wager["placed_at"] for wager in wagers
        ]
        await expect(placed.first).to_contain_text(f"(fact {wagers[0]['placed_seq']:,})")
        await go(page, f"rounds?round={newest + 1}")
        await expect(page.locator("#panel [role=alert]")).to_contain_text(f"there is no round {newest + 1}")

    audited(tmp_path, scene)


def test_actions_tell_who_did_what_and_what_was_refused(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, known: Known) -> None:
        page = await opened(browser, "actions")
        await page.fill("input[name=person]", "dora")
        await page.click("button:text-is('Show')")
        rows = page.locator("table.records tbody tr")
        await expect(rows.filter(has_text="wrong PIN")).to_have_count(1)
        await expect(rows.filter(has_text="dora is dealer")).to_contain_text("validate an award")
        await expect(rows.filter(has_text="dora is dealer")).to_have_class("was-refused")
        await page.click("button:text-is('Everybody')")
        await expect(rows.filter(has_text="as the commission wrote")).to_contain_text("s1 with s2")
        await expect(rows.filter(has_text=known["rejected"].id)).to_contain_text("no base wager on the film")
        days = (await ask(page, "query-readings"))["days"]
        await page.select_option("select[name=day]", days[0])
        await expect(rows.filter(has_text="misdeal")).to_have_count(1)
        await expect(rows.filter(has_text="as the commission wrote")).to_have_count(0)
        await go(page, "operators")
        await expect(rows).to_have_count(len(PINS))
        await rows.filter(has_text="Dora").locator("a").click()
        await expect(page.locator("input[name=person]")).to_have_value("dora")

    audited(tmp_path, scene)


def test_nobody_reads_a_refused_validation_as_done(tmp_path: Path) -> None:
    async def scene(house: House, browser: Browser, known: Known) -> None:
        award = known["waiting"].id
        for who in ("flo", "finn"):
            await house.sign_in(who)
        fields: dict[str, Any] = {"award": award, "method": "slip", "base_wager": True}
        await house.do("validate", "flo", **fields)
        refused = await house.ask("validate", token=house.tokens["finn"], **fields)
        assert refused["error"] == "validated"
        for language, did, tried, not_done in (
            ("en", "validated an award", "tried to validate an award, refused", "not done:"),
            ("zh-Hans", "确认奖金", "试图确认奖金，被拒绝", "未执行："),
            ("zh-Hant", "確認獎金", "試圖確認獎金，被拒絕", "未執行："),
        ):
            page = await browser.page(path=f"/audit?lang={language}#actions?person=flo")
            await sign_in(page, "abe")
            first = page.locator("table.records tbody tr", has_text=award)
            await expect(first.locator("strong")).to_have_text(did)
            await expect(first.locator(".done")).to_be_visible()
            await go(page, "actions?person=finn")
            second = page.locator("table.records tbody tr", has_text=award)
            await expect(second.locator("strong")).to_have_text(tried)
            await expect(second.locator(".fate.rejected")).to_contain_text(not_done)
            await expect(second.locator(".done")).to_have_count(0)
            await page.context.close()

    audited(tmp_path, scene)


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_may_be_refused_has_words_for_an_attempt(language: str) -> None:
    words = load().catalog(language)
    named = {each.kind for each in _inputs(Input) if "by" in each.__struct_fields__} - {Command.kind}
    for name in named | REQUESTS.keys():
        assert f"audit.tried_{name}" in words or f"audit.action_{name}" in words, name
    # A fact that is called as what was asked for has other words for that: those of a fact say that it was done.
    for name in named & TYPES.keys():
        assert f"audit.tried_{name}" in words, name


def _inputs(kind: type[Input]) -> set[type[Input]]:
    """Every kind of input."""
    return {each for own in kind.__subclasses__() for each in {own, *_inputs(own)}}


def test_a_round_that_is_shown_downloads_by_itself(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, known: Known) -> None:
        number = known["paid_round"]
        page = await opened(browser, f"rounds?round={number}")
        for place, format_ in enumerate(("csv", "json")):
            async with page.expect_download() as waiting:
                await page.locator("a.download").nth(place).click()
            file = await waiting.value
            assert file.suggested_filename.endswith(f"rounds-{number}.{format_}")
            whole = (await file.path()).read_bytes()
            rows = json.decode(whole)["rows"] if place else list(csv.DictReader(io.StringIO(whole.decode("utf-8-sig"))))
            assert [int(row["round"]) for row in rows] == [number]

    audited(tmp_path, scene)


def test_every_section_downloads_as_csv_and_json(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, known: Known) -> None:
        page = await opened(browser, "readings")
        wanted = ["readings", "hits", f"hits?award={known['paid'].id}", "rounds", "actions"]
        assert 2 * len(wanted) == DOWNLOADS_PER_MINUTE
        begun = monotonic()
        for where in wanted:
            await go(page, where)
            links = page.locator("a.download")
            await expect(links).to_have_count(2)
            sizes = []
            for place in range(2):
                async with page.expect_download() as waiting:
                    await links.nth(place).click()
                file = await (await waiting.value).path()
                whole = file.read_bytes()
                sizes.append(len(json.decode(whole)["rows"]) if place else len(whole.splitlines()) - 1)
            assert sizes[0] >= sizes[1] > 0, where  # a cell may hold more than one line
        await go(page, "operators")
        done = DOWNLOADS_PER_MINUTE
        while await _downloads(page):  # some came back on a busy machine; one is too many, and the browser shows why
            done += 1
            assert done <= most_since(begun, DOWNLOADS_PER_MINUTE)
        await expect(page.locator("body")).to_contain_text("wait a minute")
        await page.go_back()
        await expect(page.locator("#panel h2")).to_have_text("Operators")

    audited(tmp_path, scene)


async def _downloads(page: Page) -> bool:
    """Click on a download; whether there is one. It is over before the next, for few may run at once."""
    came: asyncio.Queue[Download] = asyncio.Queue()
    page.once("download", came.put_nowait)
    async with page.expect_response(lambda answer: "/audit/download" in answer.url) as waiting:
        await page.click("a.download >> nth=0")
    if (await waiting.value).status == 429:
        return False
    await (await came.get()).path()
    return True


RECKONED = """async ([name]) => {
    const {reckon} = await import("/static/audit-reckoning.js");
    const {all} = await import("/static/audit-pages.js");
    const {cents} = await import("/static/audit-money.js");
    const {command} = await import("/static/api.js");
    const ask = (query, fields) => command(document.documentElement.dataset.table, query, fields);
    const day = await ask("query-readings", {day: name});
    const rounds = (await all(ask, "query-rounds", "rounds", {day: name}, 9)).rows;
    const hits = (await all(ask, "query-hits", "hits", {}, 9)).rows;
    const actions = (await all(ask, "query-actions", "actions", {day: name}, 9)).rows;
    return day.meters.map(({meter}) => {
        const {points, missing} = reckon(day, meter, rounds, hits, actions);
        const told = points.map(point => (
            {cents: cents(point.units), hit: point.hit?.hit ?? "", falls: Boolean(point.falls)}
        ));
        return {meter, missing: String(missing), points: told};
    });
}"""


def _display(journal: JournalReader, meter: str, upto: int) -> int:
    """What a meter showed after a fact."""
    state = State()
    rows = journal.db.execute("SELECT at, round, type, version, payload FROM facts WHERE seq <= ? ORDER BY seq", [upto])
    for at, round_, *stored in rows.fetchall():
        state = evolve(state, Recorded(at, round_, decode(*stored)))
    return state.meters[meter].display_cents


def test_the_line_within_a_day_is_the_journal_s_to_the_cent(tmp_path: Path) -> None:
    async def scene(house: House, browser: Browser, known: Known) -> None:
        page = await opened(browser, "meters")
        days = (await ask(page, "query-readings"))["days"]
        with open_readonly(house.journal) as journal:
            every = hits(journal)
            # A mystery meter is hit by the last contribution; any other shows its amount until the hand is known.
            before = {
                won.hit.id: won.hit.amount_cents if won.hit.reveal else _display(journal, won.meter, won.hit.seq - 1)
                for won in every
            }
            reports = {name: report(journal, name) for name in days[:3]}
        seen: set[str] = set()
        for name, day in reports.items():
            for told in await page.evaluate(RECKONED, [name]):
                reading = next(each for each in day.meters if each.meter == told["meter"])
                assert told["missing"] == "0", (name, told["meter"])
                opening = reading.display.opening + reading.display.changes.get("opening amount", 0)
                assert told["points"][0]["cents"] == opening // 1_000_000
                assert told["points"][-1]["cents"] == reading.display.closing // 1_000_000
                for point in told["points"]:
                    if point["falls"]:
                        assert point["cents"] == before[point["hit"]], point
                    seen.add(point["hit"])
        assert seen == {"", *before}
        late = next(won for won in every if won.hit.id == known["late"].id)
        assert before[late.hit.id] > late.hit.amount_cents  # what came after its own lock-out is not in it

    audited(tmp_path, scene)


def test_charts_are_read_by_pointer_keyboard_and_as_a_table(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, known: Known) -> None:
        page = await opened(browser, "meters")
        card = page.locator("[data-meter=royal9-minor]")
        await expect(card.locator("svg.chart")).to_be_visible()
        await expect(page.locator("svg.chart")).to_have_count(len(known["meters"]))
        readout = card.locator(".chart-readout")
        await card.locator("svg.chart").focus()
        await page.keyboard.press("Home")
        await expect(readout).to_contain_text("opening: $450.00")
        await page.keyboard.press("ArrowRight")
        await expect(readout).to_contain_text(f"hit of {dollars(known['paid'].amount_cents)}, position 1, paid")
        await page.keyboard.press("End")
        await expect(readout).to_contain_text("so far")
        await card.locator("svg.chart").hover(position={"x": 90, "y": 100})
        await expect(readout).to_contain_text("opening")
        await card.locator("summary").click()
        await expect(card.locator("tbody tr").nth(1)).to_contain_text(dollars(known["paid"].amount_cents))
        await expect(card.locator(".chart-hit")).to_have_count(5)
        await expect(card.locator(".chart-hit.undone")).to_have_count(2)
        days = (await ask(page, "query-readings"))["days"]
        await page.select_option("select[name=day]", days[1])
        await expect(card.locator(".chart-hit.undone")).to_have_count(1)
        await expect(card.locator(".chart-hit.stands")).to_have_count(0)

    audited(tmp_path, scene)


def test_what_is_live_is_not_shown_as_live_when_the_broker_goes(tmp_path: Path) -> None:
    async def scene(house: House, browser: Browser, known: Known) -> None:
        page = await opened(browser)
        mega = page.locator("table.records tr", has_text="Royal 9 Mega").locator("td").nth(1)
        await expect(mega).to_have_text(dollars(known["meters"]["royal9-mega"]))
        house.broker.kill()
        await expect(mega).to_have_text("not known now")
        await expect(page.locator("#banner")).not_to_have_attribute("data-state", "live")
        await house.broker.start()
        await expect(mega).to_have_text(dollars(known["meters"]["royal9-mega"]))
        await house.bet(1)
        await house.lock()
        await expect(mega).to_have_text(dollars(known["meters"]["royal9-mega"] + 50))

    audited(tmp_path, scene)


def test_every_section_fits_a_phone_in_every_language_and_on_paper(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, known: Known) -> None:
        context = await browser.context(390, 844)
        for language in ("en", "zh-Hans", "zh-Hant"):
            page = await browser.page(path=f"/audit?lang={language}", context=context)
            await sign_in(page, "abe")
            await shown(page)
            for where in (*SECTIONS, f"hits?award={known['paid'].id}", f"rounds?round={known['paid_round']}"):
                await go(page, where)
                assert not await page.locator("#panel [role=alert]").count(), where
                assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (where, language)
                shown_text = await page.locator("main").inner_text()
                assert "audit." not in shown_text, (where, language)
                await page.emulate_media(media="print")
                await expect(page.locator("#printed")).to_be_visible()
                await expect(page.locator("#audit-tabs")).to_be_hidden()
                await page.emulate_media(media="screen")
            await page.close()

    audited(tmp_path, scene)


PAGED = """async ([pages, most]) => {
    const {all} = await import("/static/audit-pages.js");
    let asked = 0;
    const ask = async () => ({rows: [asked += 1], ...(asked < pages ? {next: String(asked)} : {})});
    const found = await all(ask, "query-rounds", "rows", {}, most);
    return [found.rows.length, found.more];
}"""
HEARD = """async ([number]) => {
    const {Heads} = await import("/static/audit-overview.js");
    const heads = new Heads();
    for (let seq = 1; seq <= number; seq += 1) heads.hear({seq, hash: "00"});
    heads.hear({seq: number, hash: "00"});
    return [heads.newest.seq, heads.before.length];
}"""


def test_limits_hold_on_both_sides(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, __: Known) -> None:
        page = await opened(browser)
        assert await page.evaluate(PAGED, [3, 3]) == [3, False]
        assert await page.evaluate(PAGED, [4, 3]) == [3, True]  # and the page says that there are more
        assert await page.evaluate(HEARD, [10]) == [10, 9]
        assert await page.evaluate(HEARD, [11]) == [11, 9]
        await _days(page, 14)
        await expect(page.locator("button:text-is('Show earlier days')")).to_have_count(0)
        await page.unroute_all()
        await _days(page, 15)
        await page.click("button:text-is('Show earlier days')")
        await expect(page.locator("button:text-is('Show earlier days')")).to_have_count(0)

    audited(tmp_path, scene)


# What the page waits between two tries after it was told that it asks too much, and does not wait in this test.
AT_ONCE = """(() => {
    const real = window.setTimeout;
    window.setTimeout = (what, ms, ...more) => real(what, ms === 5000 ? 0 : ms, ...more);
})()"""


def test_a_busy_address_asks_fourteen_times_and_then_says_why(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, __: Known) -> None:
        context = await browser.context()
        await context.add_init_script(AT_ONCE)
        page = await opened(browser, "operators", context=context)
        busy = {"ok": False, "error": "too-many", "message": "too much at once from this address: wait a minute"}
        told = 0

        async def refuse(route: Route) -> None:
            nonlocal told
            told += 1
            await route.fulfill(status=429, json=busy)

        await page.route("**/api/command/query-hits", refuse, times=13)
        await go(page, "hits")
        await expect(page.locator("table.records tbody tr").first).to_be_visible()
        assert told == 13
        await go(page, "operators")
        await page.route("**/api/command/query-hits", refuse, times=14)
        await go(page, "hits")
        await expect(page.locator("#panel [role=alert]")).to_contain_text("wait a minute")
        await expect(page.locator("table.records")).to_have_count(0)
        assert told == 13 + 14
        await page.click("#panel [role=alert] button")  # and whoever asks again is answered
        await expect(page.locator("table.records tbody tr").first).to_be_visible()

    audited(tmp_path, scene)


def test_a_chart_is_drawn_from_twenty_five_pages_and_says_if_there_are_more(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, __: Known) -> None:
        page = await opened(browser, "operators")
        day = (await ask(page, "query-readings"))["days"][0]
        # Hits that are told are newer than the day, so that no page of them is the last one needed.
        newest = (await ask(page, "query-hits", limit=1))["hits"][0]
        some = {"rounds": await ask(page, "query-rounds", day=day, limit=1), "hits": {"ok": True, "hits": [newest]}}
        note = page.locator("#panel p.warn", has_text="There are more")
        for name, where in (("rounds", f"meters?day={day}"), ("hits", f"meters?day={day}"), ("hits", "meters")):
            for pages in (25, 26):
                asked_for = await _pages(page, name, some[name], pages)
                await go(page, where)
                await expect(page.locator("svg.chart")).to_have_count(len(_LABELS))
                await expect(note).to_have_count(pages - 25)
                assert len(asked_for) == 25
                await page.unroute_all()
                await go(page, "operators")

    audited(tmp_path, scene)


async def _pages(page: Page, name: str, first: dict[str, Any], number: int) -> list[str]:
    """Have the journal answer a query with so many pages, all like the first; what was asked for."""
    asked_for: list[str] = []

    async def answer(route: Route) -> None:
        asked: Any = route.request.post_data_json
        asked_for.append(asked["fields"].get("after", ""))
        await route.fulfill(json={**first, "next": str(len(asked_for)) if len(asked_for) < number else None})

    await page.route(f"**/api/command/query-{name}", answer)
    return asked_for


async def _days(page: Page, number: int) -> None:
    """Have the journal tell of more days than it has, all like the running one, and show them."""
    whole = await ask(page, "query-readings")
    names = [f"2026-10-{day:02}" for day in range(1, number + 1)]

    async def answer(route: Route) -> None:
        asked: Any = route.request.post_data_json
        day = asked["fields"]["day"] or names[-1]
        await route.fulfill(json={**whole, "day": day, "days": names, "ended": day != names[-1]})

    await page.route("**/api/command/query-readings", answer)
    await go(page, "operators")
    await page.click("#refresh")  # days that are known are not asked for again by themselves
    await shown(page)
    await go(page, "meters")
    await expect(page.locator("svg.chart")).to_have_count(len(_LABELS))


# Everything that is said while the journal is asked: some of it stands for a second and would be missed by looking.
SAID = """() => {
    const words = document.querySelector("#running-text");
    window.said = [];
    new MutationObserver(() => said.push(words.textContent)).observe(words, {childList: true});
}"""


def test_a_busy_address_waits_and_a_lost_server_is_named(tmp_path: Path) -> None:
    async def scene(_: House, browser: Browser, __: Known) -> None:
        page = await opened(browser, "operators")
        busy = {"ok": False, "error": "too-many", "message": "too much at once from this address: wait a minute"}
        await page.route("**/api/command/query-hits", lambda route: route.fulfill(status=429, json=busy), times=1)
        await page.evaluate(SAID)
        await page.evaluate("location.hash = 'hits'")
        await expect(page.locator("table.records tbody tr").first).to_be_visible()
        await expect(page.locator("#running")).to_be_hidden()
        asking, long, nothing = await page.evaluate("said")
        assert asking.startswith("Asking the journal")
        assert long.startswith("Still asking")
        assert nothing == ""
        refused = {"ok": False, "error": "faulted", "message": "the journal cannot be read: it took longer than 20 s"}
        await page.route("**/api/command/query-actions", lambda route: route.fulfill(json=refused), times=1)
        await go(page, "actions")
        await expect(page.locator("#panel [role=alert]")).to_contain_text("it took longer than 20 s")
        await page.click("#panel [role=alert] button")
        await expect(page.locator("table.records tbody tr").first).to_be_visible()

    audited(tmp_path, scene)
