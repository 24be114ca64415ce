"""What is printed on a sign is whole: no letter loses its tail, and nothing stands on anything else.

Boxes say little here: a font may set its letters high or low in a line. So the ink itself is measured: where each text
has its baseline, and how far its letters reach above and below that.
"""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console
from tests.console.spoken import AMOUNTS, LABELS, SPOKEN, Tables, hit, listen, now, until

pytestmark = needs_a_browser
SCREENS = ((1920, 1080), (1080, 1920), (820, 1180), (390, 844))
INK = """() => {
    const pen = document.createElement("canvas").getContext("2d");
    const seen = (element) => element.checkVisibility({visibilityProperty: true, opacityProperty: true});
    const over = document.querySelector("#hit");
    const root = over.hidden ? document.querySelector("#sign") : over;
    const ink = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const element = node.parentElement;
        if (!node.data.trim() || !seen(element)) continue;
        const style = getComputedStyle(element);
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        const reach = pen.measureText(node.data);
        const range = document.createRange();
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect();
        const baseline = box.top + reach.fontBoundingBoxAscent;
        ink.push({element, words: node.data.trim(), left: box.left, right: box.right,
            top: baseline - reach.actualBoundingBoxAscent, bottom: baseline + reach.actualBoundingBoxDescent});
    }
    const cut = [];
    for (const each of ink) {
        for (let at = each.element; at !== document.documentElement; at = at.parentElement) {
            if (getComputedStyle(at).overflowY === "visible") continue;
            const box = at.getBoundingClientRect();
            if (each.top < box.top - 1 || each.bottom > box.bottom + 1) {
                const reach = [each.top, each.bottom, box.top, box.bottom].map(Math.round);
                cut.push(`${each.words} in ${at.id || at.className}: ${reach}`);
            }
        }
    }
    const marks = [...ink];
    for (const element of root.querySelectorAll(".track, .hit, .band")) {
        const {left, right, top, bottom} = element.getBoundingClientRect();
        if (seen(element)) marks.push({element, words: element.className, left, right, top, bottom});
    }
    const apart = (one, other) => one.right < other.left + 1 || other.right < one.left + 1
        || one.bottom < other.top + 1 || other.bottom < one.top + 1;
    const part = (one, other) => one.element.contains(other.element) || other.element.contains(one.element);
    const on = marks.flatMap((one, place) => marks.slice(place + 1)
        .filter((other) => !apart(one, other) && !part(one, other))
        .map((other) => `${one.words} on ${other.words} (${[one.bottom, other.top].map(Math.round)})`));
    return {cut, on, texts: ink.length};
}"""
AT_REST = "() => Array.from(document.querySelectorAll('.next')).every((each) => !each.textContent)"
SHOWN = "() => getComputedStyle(document.querySelector('#hit .prize')).opacity === '1'"


async def whole(page: Page) -> None:
    """See that all that is printed is whole and free."""
    await until(page, AT_REST)
    found: dict[str, Any] = await page.evaluate(INK)
    assert found.pop("texts") > 5
    assert found == {"cut": [], "on": []}, page.viewport_size


@pytest.mark.parametrize("language", ["en", "zh-Hans", "zh-Hant"])
def test_every_letter_on_a_sign_is_whole_and_stands_alone(tmp_path: Path, language: str) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        table = tables.first
        await table.meters(*tuple(LABELS)[:7])
        pages = [await browser.page(*size, path=f"/signage?lang={language}") for size in SCREENS]
        for page in pages:
            await until(page, "() => document.querySelectorAll('#sign .amount:not([hidden])').length === 7")
            await whole(page)
        await table.meter("royal9-mystery", 25_000, [hit(each, 90_000 + each, each, at=now(600)) for each in (1, 2)])
        await table.meter("must-hit-by", state="faulted")
        for page in pages:
            await page.locator("[data-meter=royal9-mystery] .hit").nth(1).wait_for()
            await page.locator("[data-meter=must-hit-by][data-state=faulted]").wait_for()
            await whole(page)
        await table.become(mode="demonstration")
        await table.meter("royal9-mega", 5_000_000, [hit(3, AMOUNTS["royal9-mega"]), hit(5, AMOUNTS["royal9-mega"])])
        for page in pages:
            await page.locator("#hit .demonstration").wait_for()
            await until(page, SHOWN)
            await whole(page)
        await table.become(state="offline", reason="a journal that cannot be written, by any means")
        for page in pages:
            await page.locator(".panel[data-state=offline]").wait_for()
            await whole(page)

    listen(tmp_path, scene)


def test_every_letter_is_whole_where_tables_share_a_sign(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        for table in tables.all[:4]:
            await table.meters(*tuple(LABELS)[:5])
        for size in SCREENS[:2]:
            page = await browser.page(*size, path=f"/signage?tables={','.join(SPOKEN[:4])}")
            await until(page, "() => document.querySelectorAll('#sign .amount:not([hidden])').length === 20")
            await whole(page)

    listen(tmp_path, scene)
