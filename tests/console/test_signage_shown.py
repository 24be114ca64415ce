"""How a sign looks: on every kind of screen, with few and many meters and tables, in every language, in every state."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console
from tests.console.spoken import AMOUNTS, LABELS, SPOKEN, Tables, hit, listen, now, until

pytestmark = needs_a_browser
WIDE, TALL, LARGE, TABLET, PHONE = (1920, 1080), (1080, 1920), (3840, 2160), (1024, 768), (390, 844)
FIVE = tuple(LABELS)[:5]
LANGUAGES = ("en", "zh-Hans", "zh-Hant")
# Everything that is off the screen or on top of something else, and the least height of a digit on it.
LOOK = """() => {
    const seen = (element) => !element.closest("[hidden]") && element.getBoundingClientRect().width > 0;
    const find = (what) => Array.from(document.querySelectorAll(what)).filter(seen);
    const all = find("#sign *").filter((each) => !each.closest(".wheel"));
    const off = all.filter((each) => {
        const box = each.getBoundingClientRect();
        return box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
    }).map((each) => each.className);
    const boxes = find("#sign .meter, #sign .head, #sign .band, #sign .note")
        .map((each) => [`${each.className} ${each.dataset.meter ?? ""}`, each.getBoundingClientRect()]);
    const over = boxes.flatMap(([one, a], place) => boxes.slice(place + 1)
        .filter(([, b]) => a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 2 && b.top < a.bottom - 2)
        .map(([other]) => `${one} and ${other}`));
    const cut = all.filter((each) => each.matches(".label, .band, .what, .why, .note, .ends, .hit, .rest")
        && each.scrollWidth > each.clientWidth + 2).map((each) => each.textContent);
    const wide = find("#sign .amount")
        .filter((each) => each.scrollWidth > each.parentElement.clientWidth + 2).map((each) => each.textContent);
    const pen = document.createElement("canvas").getContext("2d");
    const digits = find("#sign .amount").map((each) => {
        const style = getComputedStyle(each);
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        return pen.measureText("5").actualBoundingBoxAscent;
    });
    const page = document.scrollingElement;
    const bars = page.scrollHeight > innerHeight || page.scrollWidth > innerWidth;
    return {off, over, cut, wide, bars, digit: digits.length ? Math.min(...digits) / innerHeight : null};
}"""


async def sign(browser: Browser, size: tuple[int, int] = WIDE, query: str = "", **more: Any) -> Page:  # noqa: ANN401 -- playwright's
    """A sign of a size, once it shows something live."""
    page = await browser.page(*size, path=f"/signage?{query}", **more)
    await page.locator(".panel[data-state=live] .meter").first.wait_for()
    return page


async def look(page: Page) -> float:
    """See that everything has its place; the least height of a digit, in heights of the screen."""
    found: dict[str, Any] = await page.evaluate(LOOK)
    digit: float = found.pop("digit") or 0.0
    assert found == {"off": [], "over": [], "cut": [], "wide": [], "bars": False}
    return digit


def test_five_meters_are_read_from_ten_metres(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters(*FIVE)
        for size, least in ((WIDE, 0.08), (LARGE, 0.08), (TALL, 0.06), (TABLET, 0.06), (PHONE, 0.04)):
            page = await sign(browser, size)
            await until(page, "() => document.querySelectorAll('#sign .meter').length === 5")
            assert await look(page) >= least, size
            await browser.screenshot(page, f"signage-{size[0]}x{size[1]}")
            await page.context.close()

    listen(tmp_path, scene)


def test_one_to_eight_meters_find_their_place_upright_and_across(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters(next(iter(LABELS)))
        pages = [await sign(browser, size) for size in (WIDE, TALL)]
        for count, id_ in enumerate(LABELS, start=1):
            await tables.first.meter(id_)
            for page in pages:
                await until(page, "(n) => document.querySelectorAll('#sign .meter').length === n", count)
                assert await look(page) >= 0.04, (count, page.viewport_size)
        # One more digit: everything makes room for it.
        await tables.first.meter("royal9-mega", 100_000_000)
        for page in pages:
            await until(
                page, "() => document.querySelector('[data-meter=royal9-mega] .amount').textContent === '$1,000,000.00'"
            )
            await look(page)

    listen(tmp_path, scene)


@pytest.mark.parametrize("count", [2, 3, 4, 6])
def test_several_tables_share_a_sign(tmp_path: Path, count: int) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        for table in tables.all[:count]:
            await table.meters(*FIVE)
        await tables.all[1].become(mode="demonstration")
        pages = [await sign(browser, size, f"tables={','.join(SPOKEN[:count])}") for size in (WIDE, TALL)]
        for page, (width, _) in zip(pages, (WIDE, TALL), strict=True):
            await until(page, "(n) => document.querySelectorAll('#sign .amount:not([hidden])').length === n", 5 * count)
            names = await page.locator(".name").all_inner_texts()
            assert names == [f"Table mb-0{number}" for number in range(1, count + 1)]
            assert await page.locator(".demonstration:visible").count() == 1
            assert await look(page) >= 0.015
            await browser.screenshot(page, f"signage-{count}-tables-{width}")

        # One of them is lost: it says so, and the others go on.
        tables.all[0].speaks = False
        for page in pages:
            await page.locator(f".panel[data-table='{SPOKEN[0]}'][data-state=stale]").wait_for()
            assert await page.locator(f".panel[data-table='{SPOKEN[0]}'] .amount:visible").count() == 0
            assert await page.locator(".panel[data-state=live]").count() == count - 1
            await look(page)

    listen(tmp_path, scene)


def test_a_demonstration_cannot_be_taken_for_anything_else(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters(*FIVE)
        await tables.first.become(mode="demonstration")
        page = await sign(browser)
        band = page.locator("#sign .demonstration")
        await band.wait_for()
        await look(page)
        word, digit = [
            await page.evaluate("(name) => parseFloat(getComputedStyle(document.querySelector(name)).fontSize)", name)
            for name in ("#sign .demonstration", "[data-meter=royal9-minor]")
        ]
        assert word > 0.7 * digit
        await tables.first.meter("royal9-mega", 5_000_000, [hit(3, AMOUNTS["royal9-mega"])])
        await page.locator("#hit").wait_for()
        assert await page.locator("#hit .demonstration").is_visible()
        await until(page, "() => getComputedStyle(document.querySelector('#hit .prize')).opacity === '1'")
        await browser.screenshot(page, "signage-demonstration-hit")

    listen(tmp_path, scene)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_has_words_in_every_language(tmp_path: Path, language: str) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        table = tables.first
        long_ago = now(60)
        await table.meters(*FIVE, "heavenly9", "must-hit-by")
        page = await sign(browser, query=f"lang={language}")
        seen = [await page.locator("body").inner_text()]
        await look(page)
        await table.meter("harmony", 2_500_000, [hit(each, 833_326, 2, at=long_ago) for each in (1, 5, 8)])
        await table.meter("heavenly9", state="faulted")
        await page.locator("[data-meter=harmony] .hit").wait_for()
        await page.locator("[data-meter=heavenly9][data-state=faulted]").wait_for()
        await look(page)
        await browser.screenshot(page, f"signage-{language}")
        seen.append(await page.locator("body").inner_text())
        await table.meter("royal9-mega", 5_000_000, [hit(3, AMOUNTS["royal9-mega"])])
        await page.locator("#hit").wait_for()
        await until(page, "() => getComputedStyle(document.querySelector('#hit .prize')).opacity === '1'")
        await browser.screenshot(page, f"signage-hit-{language}")
        seen.append(await page.locator("#hit").inner_text())
        for state in ("faulted", "offline"):
            await table.become(state=state, reason="button lost")
            await page.locator(f".panel[data-state={state}]").wait_for()
            await look(page)
            seen.append(await page.locator("body").inner_text())
        assert "signage." not in "\n".join(seen)
        assert "{" not in "\n".join(seen)
        assert await page.evaluate("document.documentElement.lang") == language
        chinese = any("\u4e00" <= each <= "\u9fff" for each in seen[1])
        assert chinese is (language != "en")
        assert ("Royal 9 Mega" in seen[0]) is True  # the name that was filed stands there in every language

    listen(tmp_path, scene)


def test_themes_and_meters_come_from_the_address(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters(*FIVE)
        grounds = set()
        for theme in ("night", "velvet", "jade"):
            page = await sign(browser, query=f"theme={theme}&meters=harmony,royal9-mega")
            shown = await page.locator("#sign .meter").evaluate_all("(all) => all.map((each) => each.dataset.meter)")
            assert shown == ["harmony", "royal9-mega"]  # in that order
            grounds.add(await page.evaluate("getComputedStyle(document.body).backgroundColor"))
            await browser.screenshot(page, f"signage-{theme}")
        assert len(grounds) == 3
        page = await browser.page(*WIDE, path="/signage?meters=heavenly9")
        await page.locator(".note").get_by_text("None of the meters").wait_for()

    listen(tmp_path, scene)


def test_a_must_hit_by_meter_says_truthfully_how_far_it_is(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        page = await browser.page(*WIDE, path="/signage?meters=royal9-mystery")
        full = "document.querySelector('.track').getBoundingClientRect()"
        for cents, way in ((25_000, 0.0), (62_500, 0.5), (99_999, 0.999), (100_000, 1.0), (25_001, 0.0)):
            await tables.first.meter("royal9-mystery", cents)
            await until(page, "(cents) => document.querySelector('.amount')?.dataset.cents === String(cents)", cents)
            part = await page.evaluate(f"document.querySelector('.fill').getBoundingClientRect().width / {full}.width")
            assert way - 0.001 <= part <= way + 1e-6  # rather less than more
            words = (await page.locator(".bar").inner_text()).split("\n")
            assert words == ["$250.00", "Must hit by $1,000.00"]
        told = await page.locator(".track").evaluate(
            "(bar) => ['min', 'max', 'now'].map((each) => bar.getAttribute(`aria-value${each}`))"
        )
        assert told == ["25000", "100000", "25001"]

    listen(tmp_path, scene)


def test_hits_stand_beside_the_amount_and_more_than_three_are_counted(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters(*FIVE)
        page = await sign(browser)
        lines = page.locator("[data-meter=royal9-mystery] .hit")
        hits = [hit(number, 90_000 + number, number, ago=600 - number) for number in range(1, 5)]
        await tables.first.meter("royal9-mystery", 25_000, hits[:3])
        await lines.nth(2).wait_for()
        assert "more" not in "".join(await lines.all_inner_texts())
        await tables.first.meter("royal9-mystery", 25_000, hits)
        await until(
            page, "() => document.querySelector('[data-meter=royal9-mystery]').textContent.includes('and 1 more')"
        )
        assert await lines.count() == 3
        assert "Position 4" in await lines.first.inner_text()  # the newest first
        assert not await page.locator("#hit").is_visible()  # they are old: nobody is to be startled by them
        await look(page)
        await browser.screenshot(page, "signage-many-hits")

    listen(tmp_path, scene)


def test_a_hit_leaves_the_screen_when_its_table_is_lost(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters(*FIVE)
        page = await sign(browser)
        await tables.first.meter("royal9-mega", 5_000_000, [hit(3, AMOUNTS["royal9-mega"])])
        await page.locator("#hit").wait_for()
        await tables.first.become(state="faulted", reason="button lost")  # the controller is there: it still stands
        await page.locator(".panel[data-state=faulted]").wait_for()
        assert await page.locator("#hit").is_visible()
        assert not await page.locator("#hit .now").is_visible()  # but nothing can be won now
        await tables.first.become(state="offline", reason="stopped")
        await page.locator("#hit").wait_for(state="hidden")
        assert await page.locator(".hit:visible").count() == 0

    listen(tmp_path, scene)


def test_a_meter_that_is_no_longer_offered_is_gone_with_its_hits(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters(*FIVE)
        page = await sign(browser)
        await tables.first.meter("harmony", hits=[hit(2, 5_000)])
        await page.locator("#hit").wait_for()
        await tables.first.empty("meters/harmony")
        await page.locator("#hit").wait_for(state="hidden")
        await page.locator("#sign [data-meter=harmony]").wait_for(state="detached")
        await look(page)

    listen(tmp_path, scene)


def test_what_a_table_says_is_text_and_nothing_else(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>"

    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meter("eighth", label=evil)
        await tables.first.meter("harmony", label=evil, hits=[hit(1, 500)])
        page = await browser.page(*WIDE, path="/signage")
        await page.locator("#hit").wait_for()
        assert evil in await page.locator("#hit").inner_text()
        await tables.first.become(state="faulted", reason=evil)
        await until(page, "(evil) => document.querySelector('.why').textContent.includes(evil)", evil)
        assert await page.locator("#sign img, #sign script, #hit img, #hit script").count() == 0

    listen(tmp_path, scene)


def test_the_language_can_be_changed_by_whoever_moves_a_pointer(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters(*FIVE)
        page = await sign(browser, query="meters=harmony&theme=jade")
        languages = page.locator(".languages")
        assert not await languages.is_visible()
        await page.mouse.move(400, 400)
        await page.mouse.move(410, 400)
        await languages.wait_for()
        await languages.get_by_text("简体中文").click()
        await page.locator("html[lang=zh-Hans]").wait_for(state="attached")
        assert "theme=jade" in page.url
        assert await page.locator("body[data-theme=jade]").count() == 1
        await page.locator("[data-meter=harmony]").wait_for()
        assert await page.locator("#sign .meter").count() == 1

    listen(tmp_path, scene)


def test_a_listener_of_its_own_has_signs_and_proofs_and_nothing_to_touch(tmp_path: Path) -> None:
    async def scene(tables: Tables, console: Console, browser: Browser) -> None:
        await tables.first.meters(*FIVE)
        await tables.first.say("proofs/royal9-mystery", commitment="ab" * 32, cycle=1, reveals=[])
        page = await sign(browser)
        await until(page, "() => document.querySelectorAll('#sign .amount:not([hidden])').length === 5")
        proof = await browser.page(path="/proof")
        await proof.locator(".card .promise").wait_for()
        for path in ("/table", "/floor", "/audit", "/api/session"):
            answer = await page.context.request.get(console.url + path)
            assert answer.status == 404, path

    listen(tmp_path, scene, settings="public = true")
