"""Positions as they stand on the layout: an arc on every screen, none on another, with room for phase and cards."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console
from tests.console.pit import looks, spills
from tests.console.spoken import Tables, listen

pytestmark = needs_a_browser
SCREENS = ((1920, 1080), (1080, 1920), (1280, 800), (820, 1180), (390, 844), (360, 740))
SIX_CARDS = {"player": ["2H", "5D", "TC"], "banker": ["TC", "3C", "KS"]}
# The boxes of all seats by their number, of what stands in the middle, and of the felt.
BOXES = """() => {
    const box = (element) => {
        const {left, right, top, bottom} = element.getBoundingClientRect();
        return {left, right, top, bottom};
    };
    const visible = (element) => element.checkVisibility() && element.textContent.trim();
    const middle = document.querySelectorAll("#round-number, .phase-word, .phase-says, .dealt h3 > *, .dealt .card");
    const seats = [...document.querySelectorAll(".seat")];
    return {
        seats: Object.fromEntries(seats.map((seat) => [seat.dataset.position, box(seat)])),
        middle: Array.from(middle).filter(visible).map(box),
        felt: box(document.querySelector(".felt")),
        cut: seats
            .filter((seat) => seat.scrollWidth > seat.clientWidth + 1 || seat.scrollHeight > seat.clientHeight + 1)
            .map((seat) => seat.innerText),
    };
}"""
Box = dict[str, float]


def apart(one: Box, other: Box) -> bool:
    """Whether two boxes share nothing that an eye would see."""
    across = one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
    return across or one["bottom"] <= other["top"] + 1 or other["bottom"] <= one["top"] + 1


def stands(found: dict[str, Any], count: int) -> None:
    """See that so many seats stand along an arc, as players sit around a dealer."""
    seats: list[Box] = [found["seats"][str(number)] for number in range(1, count + 1)]
    assert len(found["seats"]) == count
    middles = [(box["left"] + box["right"], box["top"] + box["bottom"]) for box in seats]
    assert all(one[0] < other[0] + 0.5 for one, other in pairwise(middles))  # from left to right
    half = (count + 1) // 2
    assert all(one[1] > other[1] for one, other in pairwise(middles[:half]))  # up to the one that faces the dealer
    assert all(one[1] < other[1] for one, other in pairwise(middles[count - half :]))  # and down again
    for place, seat in enumerate(seats):
        assert all(apart(seat, other) for other in seats[place + 1 :]), (place + 1, seat, found["felt"])
        assert all(apart(seat, other) for other in found["middle"]), (place + 1, seat, found["felt"], found["middle"])
        inside = found["felt"]["left"] <= seat["left"] and seat["right"] <= found["felt"]["right"]
        assert inside, place + 1
    assert found["cut"] == [], found["felt"]


@pytest.mark.parametrize(("count", "wagers"), [(9, ("royal9", "harmony")), (14, ("heavenly9",)), (7, ("royal9",))])
@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_seats_stand_along_an_arc_on_every_screen(
    tmp_path: Path, count: int, wagers: tuple[str, ...], language: str
) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters("royal9-mega", "harmony")
        lamps = {str(number): dict.fromkeys(wagers, "accepted") for number in range(1, count + 1)}
        for phase, cards in (("locked", {}), ("settled", SIX_CARDS)):
            await tables.first.say("round", round=1067, phase=phase, positions=lamps, **cards)
            for width, height in SCREENS:
                page = await looks(browser, f"/table?lang={language}", width=width, height=height)
                await expect(page.locator(f".phase[data-phase={phase}]")).to_be_visible()
                await expect(page.locator(".dealt")).to_have_count(2 if cards else 0)
                stands(await page.evaluate(BOXES), count)
                assert await spills(page) == [], (width, phase)
                await page.context.close()

    listen(tmp_path, scene)
