"""The jackpot slip: numbered by the controller, made for paper, and marked when it is not the first."""

from pathlib import Path

from playwright.async_api import Page, expect

from controller.console import slips
from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, sign_in, visit
from tests.console.pit import MAJOR, MEGA, awards, hit, key_in, looks
from tests.service.house import House

pytestmark = needs_a_browser


async def validated(house: House, browser: Browser) -> Page:
    """The page that opens after a large award was validated by slip."""
    await hit(house, MEGA, 1)
    page = await looks(browser, "/floor")
    await sign_in(page, "flo")
    await page.locator("#base-wager").click()
    await page.locator("#method-slip").click()
    await page.locator("#validate").click()
    await key_in(page, "finn")
    await expect(page.locator("#slip .amount")).to_be_visible()
    return page


def facts(house: House, type_: str) -> list[dict[str, object]]:
    return [fact for fact in house.sign.facts if fact["type"] == type_]


def test_a_slip_opens_after_the_validation_and_says_everything(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await validated(house, browser)
        (fact,) = facts(house, "award-validated")
        slip = page.locator("#slip")
        shown = await slip.inner_text()
        award = page.url.partition("/slip/")[2].partition("?")[0]
        for words in ("Slip 1", "$55,00", NAME, "Royal 9 Mega", "flo", "finn", award, str(fact["seq"]), "UTC"):
            assert words in shown
        assert str(fact["at"])[:19].replace("T", " ") in shown
        for line in ("Player", "Validated by", "Second person", "Paid by"):
            await expect(slip.locator(".signatures")).to_contain_text(line)
        hash_ = await slip.locator(".hash").inner_text()
        assert len(hash_) == 64
        source = await slip.locator(".qr").get_attribute("src")
        assert source == slips.picture({"award": award, "seq": fact["seq"], "hash": hash_})
        await expect(slip.locator(".reprint")).to_have_count(0)
        await house.until(lambda: len(facts(house, "slip-printed")) == 1)

    visit(tmp_path, scene)


def test_a_second_printing_is_asked_for_recorded_and_marked(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await validated(house, browser)
        await page.evaluate("dispatchEvent(new Event('afterprint'))")  # as the browser does when the paper is out
        await expect(page.locator("#slip")).to_be_hidden()
        await page.locator("#make").click()
        await expect(page.locator("#slip .reprint")).to_contain_text("REPRINT")
        await expect(page.locator("#slip .number")).to_have_text("Slip 1")
        await page.reload()  # looking again prints nothing by itself
        await expect(page.locator("#make")).to_be_visible()
        await house.until(lambda: len(facts(house, "slip-printed")) == 2)

    visit(tmp_path, scene)


def test_on_paper_there_is_the_slip_alone_black_on_white_on_one_page(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await validated(house, browser)
        await page.emulate_media(media="print")
        await expect(page.locator("nav")).to_be_hidden()
        await expect(page.locator("#print")).to_be_hidden()
        await expect(page.locator("#slip .amount")).to_be_visible()
        colours = await page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
        paper = await page.pdf(prefer_css_page_size=True)
        assert paper.count(b"/Type /Page\n") == 1

    visit(tmp_path, scene)


def test_a_slip_is_for_who_may_print_it_and_for_awards_that_were_validated(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MAJOR, 2)
        (award,) = awards(house)
        page = await browser.page(1024, 768, f"/slip/{award}?table={NAME}")
        await expect(page.locator("#ask")).to_contain_text("A floorperson signs in")
        await sign_in(page, "dora")
        await expect(page.locator("#person")).to_contain_text("Dora")
        await expect(page.locator("#make")).to_have_count(0)
        await sign_in(page, "flo")
        await page.locator("#make").click()
        await expect(page.locator("#ask .refusal")).to_be_visible()
        await expect(page.locator("#slip")).to_be_hidden()
        assert facts(house, "slip-printed") == []

    visit(tmp_path, scene)
