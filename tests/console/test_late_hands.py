"""A hand of a round long gone, entered from the page: it takes a surveillance reference and two supervisors."""

from pathlib import Path

from playwright.async_api import Page, expect

from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console, sign_in, visit
from tests.console.pit import awards, cards, key_in, looks
from tests.service.house import House

pytestmark = needs_a_browser
LATE_HANDS = 3  # as filed: so many rounds back a floorperson alone will do
MAJOR_AT_2 = ("2H", "7D", "KH", "9H")


async def missed(house: House, rounds: int) -> None:
    """Rounds with a wager at position 2, whose hands nobody entered; the next one is open."""
    await house.open()
    for _ in range(rounds):
        await house.bet(2)
        await house.lock()
        await house.reopen()


async def pad(browser: Browser, who: str, back: int) -> Page:
    """The pad of someone at the table, for so many rounds back, with the cards of a jackpot on it."""
    page = await looks(browser, "/table")
    await sign_in(page, who)
    await page.locator("#late-hand").click()
    for _ in range(back - 1):  # it begins with the round before
        await page.locator("#round-before").click()
    await cards(page, *MAJOR_AT_2)
    return page


def entered(house: House) -> list[dict[str, object]]:
    """Hands in the journal."""
    return [fact["payload"] for fact in house.sign.facts if fact["type"] == "hand-entered"]


def test_a_floorperson_alone_enters_the_last_round_within_reach_and_not_the_one_before_it(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await missed(house, LATE_HANDS + 1)
        page = await pad(browser, "flo", LATE_HANDS + 1)
        await expect(page.locator(".hand-head")).to_contain_text("round 1")
        await page.locator("#reference").fill("camera 4, 21:07")
        await page.locator("#send-hand").click()
        await expect(page.locator("dialog.hand .refusal")).to_contain_text("flo")
        assert entered(house) == []
        await page.locator("#round-after").click()
        await expect(page.locator(".hand-head")).to_contain_text("round 2")
        await page.locator("#reference").fill("")
        await page.locator("#send-hand").click()
        await page.locator("#pad-done").wait_for()
        (award,) = (await house.agree()).pending()
        assert (award.round, award.outcome) == (2, "major")

    visit(tmp_path, scene)


def test_an_older_round_takes_a_reference_and_two_supervisors(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await missed(house, LATE_HANDS + 1)
        page = await pad(browser, "sue", LATE_HANDS + 1)
        await expect(page.locator(".hand-head")).to_contain_text("round 1")
        refused = page.locator("dialog.hand .refusal")
        await page.locator("#send-hand").click()
        await expect(refused).to_contain_text("a surveillance reference")
        await page.locator("#reference").fill("camera 4, 21:07")
        # One alone is not enough: the page asks for the other.
        await page.locator("#send-hand").click()
        await key_in(page, "flo")
        await expect(refused).to_contain_text("flo")
        await page.locator("#send-hand").click()
        await key_in(page, "sue")
        await expect(refused).to_contain_text("second person")
        assert entered(house) == []
        assert awards(house) == []
        await page.locator("#send-hand").click()
        await key_in(page, "sid")
        await page.locator("#pad-done").wait_for()
        (award,) = (await house.agree()).pending()
        assert (award.round, award.position, award.outcome) == (1, 2, "major")
        (hand,) = entered(house)
        assert (hand["by"], hand["second"], hand["reference"]) == ("sue", "sid", "camera 4, 21:07")
        await page.locator("#pad-done").click()
        # Who audits it sees all of that with the round.
        audit = await browser.page(path="/audit#rounds?round=1")
        await sign_in(audit, "abe")
        row = audit.locator("[aria-label=Hands] tbody tr")
        for words in ("late", "camera 4, 21:07", "sue with sid"):
            await expect(row).to_contain_text(words)

    visit(tmp_path, scene)
