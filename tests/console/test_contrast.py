"""Every text on every page, in every theme, stands out from its ground as WCAG AA asks: 4.5 to 1, large text 3 to 1."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.console import spoken
from tests.console.browsers import needs_a_browser
from tests.console.contrast import faint
from tests.console.house import Browser, Console, sign_in, visit
from tests.console.pit import MEGA, awards, cards, hit, key_in, looks
from tests.console.recorded import record
from tests.console.spoken import AMOUNTS, LABELS, Tables, listen, now, until
from tests.service.house import House

pytestmark = needs_a_browser
THEMES = ("night", "velvet", "jade")
TALL = {"width": 1280, "height": 3000}  # all of a page at once
SHOWN = "() => getComputedStyle(document.querySelector('#hit .prize')).opacity === '1'"


async def readable(page: Page, what: str) -> None:
    """See that nothing on a page is too faint."""
    assert await faint(page) == [], what


def test_the_measure_sees_what_is_too_faint_and_knows_large_from_small(tmp_path: Path) -> None:
    async def scene(_tables: Tables, _console: Console, browser: Browser) -> None:
        page = await (await browser.context()).new_page()  # none of the console's: its script would miss what is gone
        await page.set_content("<!doctype html><p>words</p>")
        style = "(style) => Object.assign(document.querySelector('p').style, style)"
        for colour, size, ground, found in (
            ("#767676", "16px", "#fff", []),  # 4.54
            ("#777777", "16px", "#fff", ["'words' (p): 4.48"]),
            ("#949494", "24px", "#fff", []),  # 3.03
            ("#969696", "24px", "#fff", ["'words' (p): 2.96"]),
            ("#949494", "23px", "#fff", ["'words' (p): 3.03"]),
            ("rgb(0 0 0 / 50%)", "16px", "#fff", ["'words' (p): 4.00"]),
            ("#000", "16px", "repeating-linear-gradient(90deg, #fff 0 5px, #333 5px 10px)", ["'words' (p): 1.66"]),
        ):
            await page.evaluate(style, {"color": colour, "fontSize": size, "background": ground})
            assert await faint(page) == found, (colour, size, ground)

    listen(tmp_path, scene)


@pytest.mark.parametrize("theme", THEMES)
def test_signs_in_every_theme_and_state(tmp_path: Path, theme: str) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        table = tables.first
        await table.meters(*tuple(LABELS)[:7])
        page = await browser.page(1920, 1080, f"/signage?theme={theme}&lang=zh-Hans&motion=reduced")
        await until(page, "() => document.querySelectorAll('#sign .amount:not([hidden])').length === 7")
        await readable(page, "live")
        await table.meter("harmony", hits=[spoken.hit(2, 45_000, at=now(600))])
        await table.meter("heavenly9", state="faulted")
        await page.locator("[data-meter=harmony] .hit").wait_for()
        await page.locator("[data-meter=heavenly9][data-state=faulted]").wait_for()
        await readable(page, "a hit beside its amount, and a meter out of play")
        await table.become(mode="demonstration")
        await table.meter("royal9-mega", 5_000_000, [spoken.hit(3, AMOUNTS["royal9-mega"])])
        await page.locator("#hit .demonstration").wait_for()
        await until(page, SHOWN)
        await readable(page, "a hit over all")
        for state in ("faulted", "offline"):
            await table.become(state=state, reason="the button is lost")
            await page.locator(f".panel[data-state={state}]").wait_for()
            await page.locator("#hit").wait_for(state="hidden")
            await readable(page, state)
        await page.mouse.move(400, 400)
        await page.mouse.move(410, 400)
        await page.locator(".languages").wait_for()
        assert await faint(page) == []

    listen(tmp_path, scene, settings="[signage]\nhit_seconds = 8")


def test_the_tables_page_in_every_phase(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await looks(browser, "/table", **TALL)
        await readable(page, "closed, nobody signed in")
        await page.locator("#person button").click()
        await readable(page, "signing in")
        await page.keyboard.press("Escape")
        await sign_in(page, "flo")
        await house.open()
        await house.bet(1, 4)
        await house.sign_in("flo")
        await house.do("position-service", "flo", position=9, on=False, reason="a stuck sensor")
        await expect(page.locator(".seat.out")).to_have_count(1)
        await readable(page, "open, one position out of service")
        await page.locator("[data-position='4']").click()
        await readable(page, "a position")
        await page.keyboard.press("Escape")
        await house.lock()
        house.chip(7)
        await page.locator("[data-position='7'] .lamp-refused").wait_for()
        await readable(page, "locked, a late bet")
        await page.get_by_role("button", name="Enter hand").click()
        await cards(page, "KS", "9S", "KS", "9S")
        await page.locator(".hand-settles [data-due]").first.wait_for()
        await readable(page, "a hand that pays")
        await page.keyboard.press("Escape")
        house.deal(MEGA)
        await page.locator(".phase[data-phase=settled]").wait_for()
        await readable(page, "settled")
        assert house.process is not None
        house.process.terminate()
        await page.locator("#banner[data-state=offline]").wait_for()
        await readable(page, "gone")

    visit(tmp_path, scene)


def test_the_floors_page_and_the_slip(tmp_path: Path) -> None:
    async def scene(house: House, console: Console, browser: Browser) -> None:
        page = await looks(browser, "/floor?lang=zh-Hant", **TALL)
        await readable(page, "nobody signed in")
        await page.locator("#floor-sign-in input[type=text]").fill("flo")
        await page.locator("#floor-sign-in input[type=password]").fill("000000")
        await page.locator("#floor-sign-in button[type=submit]").click()
        await page.locator(".refusal .own-words").wait_for()
        await readable(page, "a refusal in both languages")
        await page.reload()
        await sign_in(page, "flo")
        award = await hit(house, MEGA, 1, 4)
        mega = next(each for each in awards(house) if "mega" in house.sign.topics[f"awards/{each}"].get("meter", ""))
        assert award
        await page.locator(f"#award-{mega}").click()
        await page.locator("#derivation").click()
        await readable(page, "an award and its evidence")
        await page.locator("#base-wager").click()
        await page.locator("#method-slip").click()
        await page.locator("#validate").click()
        await page.locator("#second-operator").wait_for()
        await readable(page, "a second person is asked for")
        await key_in(page, "finn")
        await page.wait_for_url("**/slip/**")
        await page.get_by_role("img").wait_for()  # made without another touch
        await readable(page, "a slip")
        await page.goto(f"{console.url}/floor?lang=en")
        await page.locator("#reject").click()
        await readable(page, "a reason is asked for")
        await page.keyboard.press("Escape")
        await page.locator("#base-wager").click()
        await page.locator("#method-inventory").click()
        await page.locator("#validate").click()
        await page.locator("#done:not(:empty)").wait_for()
        await readable(page, "done")

    visit(tmp_path, scene)


def test_the_audit_and_the_proof(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        known = record(house)
        await house.start()
        proof = await browser.page(TALL["width"], TALL["height"], "/proof")
        await proof.locator(".fits, .verdict").first.wait_for()
        await proof.get_by_text("Fits").first.wait_for()
        await readable(proof, "the proof")
        page = await browser.page(TALL["width"], TALL["height"], "/audit")
        await page.locator(".gate, form.credentials").first.wait_for()
        await readable(page, "nobody signed in")
        await sign_in(page, "abe")
        sections = ("overview", "meters", "readings", "hits", "rounds", "actions", "operators")
        for where in (*sections, f"hits?award={known['paid'].id}", f"rounds?round={known['corrected_round']}"):
            await page.evaluate("(where) => { location.hash = where; }", where)
            shown = page.locator(f"#panel[aria-busy=false] .section.{where.partition('?')[0]}")
            await shown.locator("table, details, svg").first.wait_for()
            await expect(page.locator("#running")).to_be_hidden()
            await readable(page, where)

    visit(tmp_path, scene, started=False)
