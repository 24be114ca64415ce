"""The audit on tablets and phones: what a person came for is in sight without a search."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.console.browsers import needs_a_browser
from tests.console.house import Browser
from tests.console.test_audit import Known, audited, go, opened
from tests.service.house import House

pytestmark = needs_a_browser
SCREENS = ((1024, 768), (820, 1180), (390, 844))
# How far the parts of the last line of a derivation reach, the width there is, and what each part says.
LINE = """() => {
    const cells = [...document.querySelector("table.dense tbody tr:last-child").cells];
    const shown = cells.filter((cell) => cell.textContent.trim());
    return {
        right: Math.max(...shown.map((cell) => cell.getBoundingClientRect().right)),
        width: document.documentElement.clientWidth,
        words: Object.fromEntries(shown.map((cell) => [cell.dataset.head, cell.textContent.trim()])),
    };
}"""


async def line(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = await page.evaluate(LINE)
    return found


@pytest.mark.parametrize("size", SCREENS, ids=str)
def test_a_derivation_shows_its_amounts_on_every_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    async def scene(_house: House, browser: Browser, known: Known) -> None:
        page = await opened(browser, f"hits?award={known['paid'].id}", width=size[0], height=size[1])
        await page.locator("table.dense").wait_for()
        found = await line(page)
        assert found["right"] <= found["width"]
        whole = known["paid"].amount_cents
        assert found["words"]["Running total"].startswith(f"${whole // 100:,}.{whole % 100:02}")
        assert {"Fact", "Time", "Why", "Round", "Position", "Wager", "Amount"} < found["words"].keys()
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(wide) == 0

    audited(tmp_path, scene)


def test_the_chosen_section_is_in_sight_on_a_phone(tmp_path: Path) -> None:
    async def scene(_house: House, browser: Browser, _known: Known) -> None:
        page = await opened(browser, "operators", width=390, height=844)
        chosen = page.locator("#audit-tabs a[aria-current=page]")
        await expect(chosen).to_have_text("Operators")
        await expect(chosen).to_be_in_viewport(ratio=0.95)
        await go(page, "readings")
        await expect(chosen).to_have_text("Daily readings")
        await expect(chosen).to_be_in_viewport(ratio=0.95)

    audited(tmp_path, scene)
