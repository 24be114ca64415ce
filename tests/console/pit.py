"""What the tests of the table's and the floor's pages share: rounds played to a hit, and fingers on a page."""

from typing import Any

from playwright.async_api import Page

from drivers.simulated.dealer import Round
from tests.console.house import Browser
from tests.service.house import PINS, House

MEGA = Round(("KS", "9S"), ("KS", "9S"), "tie")  # of position 1: two people from $10,000 up
MAJOR = Round(("2H", "7D"), ("KH", "9H"), "tie")  # of position 2: one person
NOTHING = Round(("2H", "5D"), ("TC", "6C"), "player")
SIZES = ((1024, 768), (1280, 800), (390, 844))


async def locked(house: House, *positions: int) -> None:
    """A round with Royal 9 wagers, at no more bets."""
    await house.open()
    await house.bet(*positions)
    await house.lock()


async def hit(house: House, played: Round, *positions: int) -> str:
    """Play a round that hits something; the id of the newest award that waits."""
    before = awards(house)
    await locked(house, *positions)
    house.deal(played)
    await house.until(lambda: house.sign.phase == "settled" and awards(house) != before)
    await house.agree()
    return awards(house)[-1]


def awards(house: House) -> list[str]:
    """Awards that wait, in the order they came."""
    found = [topic.removeprefix("awards/") for topic in house.sign.topics if topic.startswith("awards/")]
    return sorted(found, key=lambda award: [int(number) for number in award.rsplit("-", 2)[1:]])


async def looks(browser: Browser, path: str, width: int = 1024, height: int = 768, **more: Any) -> Page:  # noqa: ANN401 -- playwright's own
    """A page that knows the table and shows it as live."""
    page = await browser.page(width, height, path, **more)
    await page.locator("#banner[data-state=live]").wait_for()
    return page


async def touch_in(page: Page, operator: str) -> None:
    """Sign in with fingers: the name is written, the PIN is touched."""
    form = page.locator("form.credentials").last
    await form.locator("input[type=text]").fill(operator)
    for digit in PINS[operator]:
        await form.get_by_role("button", name=digit, exact=True).click()
    await form.locator("button[type=submit]").click()


async def key_in(page: Page, operator: str, pin: str = "") -> None:
    """A second person, with a keyboard."""
    await page.locator("#second-operator").fill(operator)
    await page.locator("#second-pin").fill(pin or PINS[operator])
    await page.locator("#second-pin").press("Enter")


async def cards(page: Page, *names: str) -> None:
    """Cards on the pad of a wide screen, one touch each."""
    for name in names:
        await page.locator(f"[data-card='{name}']").click()


def dollars(cents: int) -> str:
    """As every page writes it."""
    return f"${cents // 100:,}.{cents % 100:02}"


async def spills(page: Page) -> list[str]:
    """Whatever is wider than the screen, and buttons too small for a finger."""
    script = """() => {
        const found = [];
        const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
        if (wide > 0) found.push(`the page is ${wide} px too wide`);
        for (const each of document.querySelectorAll("main button, dialog[open] button, main a, main summary")) {
            const box = each.getBoundingClientRect();
            if (!box.width) continue;
            const name = each.id || each.className;
            if (box.height < 43.5 || box.width < 43.5) found.push(`${name}: ${box.width} x ${box.height}`);
            if (each.scrollWidth > each.clientWidth + 1) found.push(`${name} spills: ${each.textContent}`);
        }
        return found;
    }"""
    found: list[str] = await page.evaluate(script)
    return found
