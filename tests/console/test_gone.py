"""When the controller or the broker goes away, every page says so, within five seconds of the last sign of life.

That it is said is seen with real faults; how soon, by a clock of the page's own that no busy machine can hurry or hold.
"""

import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, visit
from tests.service.house import House

pytestmark = needs_a_browser
PAGES = ("/signage", "/table", "/floor", "/audit", "/proof")
PROMISED_MS = 5000
WAY_MS = 200  # of that, for the sign of life on its way to the page
STEP_MS = 250
LOST_MS = 1000  # a page that lost its socket, as by a leap in time, tries again well before that
# Whatever the page says of the table, and since when: words that can be seen, not an attribute alone.
WATCH = """() => {
    const said = () => {
        const banner = document.querySelector("#banner");
        const state = (banner ?? document.querySelector(".panel"))?.dataset.state ?? "";
        const words = banner ? banner.querySelector("#banner-words") : document.querySelector(".panel .trouble .what");
        const seen = words && words.checkVisibility() ? words.textContent.trim() : "";
        const amounts = [...document.querySelectorAll("#sign .amount")].some((each) => each.checkVisibility());
        return {state, words: seen, amounts};
    };
    window.told = [];
    const write = () => {
        const now = said();
        const last = window.told.at(-1);
        if (last && last.state === now.state && last.words === now.words && last.amounts === now.amounts) return;
        window.told.push({...now, at: (performance.timeOrigin + performance.now()) / 1000, shown: performance.now()});
    };
    write();
    const all = {subtree: true, childList: true, attributes: true, characterData: true};
    new MutationObserver(write).observe(document.body, all);
}"""
LIVE = "() => (document.querySelector('#banner') ?? document.querySelector('.panel'))?.dataset.state === 'live'"
NOT_LIVE = "(since) => window.told.find((each) => each.at >= since && each.state !== 'live' && each.words)"


async def kill_controller(house: House) -> None:
    assert house.process is not None
    house.process.kill()


async def revive_controller(house: House) -> None:
    await house.ended()
    await house.start(heard=False)


async def kill_broker(house: House) -> None:
    house.broker.signal(signal.SIGKILL)


async def revive_broker(house: House) -> None:
    house.broker.kill()
    await house.broker.start()


def signals(*, controller: bool, broker: bool, which: signal.Signals) -> Callable[[House], Awaitable[None]]:
    async def send(house: House) -> None:
        assert house.process is not None
        if broker:
            house.broker.signal(which)
        if controller:
            house.process.send_signal(which)

    return send


def frozen(*, controller: bool = False, broker: bool = False) -> tuple[Callable[[House], Awaitable[None]], ...]:
    """Stopped in its tracks, its connections open: nobody is told of it. And let go on."""
    return tuple(
        signals(controller=controller, broker=broker, which=which) for which in (signal.SIGSTOP, signal.SIGCONT)
    )


FAULTS = {
    "the controller is killed": (kill_controller, revive_controller),
    "the broker is killed": (kill_broker, revive_broker),
    "the controller is frozen": frozen(controller=True),
    "the broker is frozen": frozen(broker=True),
    "both are frozen": frozen(controller=True, broker=True),
}


async def a_sign_of_life(house: House) -> None:
    """Wait for the next one: right after it a fault is found latest."""
    before = house.sign.topics["status"]["at"]
    await house.until(lambda: house.sign.topics["status"]["at"] != before, pause=0.002)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_page_says_that_something_is_gone_and_recovers(tmp_path: Path, fault: str) -> None:
    harm, mend = FAULTS[fault]

    async def scene(house: House, _console: Console, browser: Browser) -> None:
        pages = {path: await browser.page(path=path) for path in PAGES}
        for page in pages.values():
            await page.wait_for_function(LIVE)
            await page.evaluate(WATCH)
        await a_sign_of_life(house)
        since = time.time()
        await harm(house)
        for page in pages.values():
            told: dict[str, Any] = await (await page.wait_for_function(NOT_LIVE, arg=since)).json_value()
            assert not told["amounts"], told  # what cannot be known is not shown as live
        await mend(house)
        for page in pages.values():
            await page.wait_for_function(LIVE)

    visit(tmp_path, scene)


# The console is there all the while, and ticks by the page's clock; the table says nothing any more.
TICK = """async (table) => {
    const {connect} = await import("/static/live.js");
    const live = connect([table]);
    setInterval(() => { live.heardAt = performance.now(); }, 1000);
    // A sign of life may still be on its way: kept is the one before the page gave up.
    live.onState((_, state, reason) => {
        if (state !== "live") window.gaveUp ??= [reason, live.tables.get(table).aliveAt];
    });
}"""


def test_every_page_says_by_its_own_clock_within_five_seconds_that_nothing_is_heard(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        for path in PAGES:
            context = await browser.context()
            await context.clock.install()
            page = await browser.page(path=path, context=context)
            await page.wait_for_function(LIVE)
            await context.clock.pause_at(time.time() + 3600)  # it can only be stopped in its future
            await context.clock.run_for(LOST_MS)
            await page.wait_for_function(LIVE)
            await page.evaluate(TICK, NAME)
            await page.evaluate(WATCH)
            harm, mend = FAULTS["the controller is frozen"]
            await harm(house)
            while not (told := await page.evaluate(NOT_LIVE, 0)):
                await context.clock.run_for(STEP_MS)
            reason, heard = await page.evaluate("gaveUp")
            assert (told["state"], reason) == ("stale", "silence")
            assert told["shown"] - heard <= PROMISED_MS - WAY_MS
            await mend(house)

    visit(tmp_path, scene)
