"""When the controller or the broker goes away, every page says so within five seconds; measured from the fault itself.

The page writes down when the words changed, the test when it did the harm; both go by the clock of this machine.
"""

import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console, visit
from tests.service.house import House

pytestmark = needs_a_browser
PAGES = ("/signage", "/table", "/floor", "/audit", "/proof")
PROMISED_SECONDS = 5.0
# The page's own timers leave a quarter of a second of that; a machine on which other tests run may take it, and more.
NOISE_SECONDS = 1.0
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
        window.told.push({...now, at: (performance.timeOrigin + performance.now()) / 1000});
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
def test_every_page_says_within_five_seconds_that_something_is_gone_and_recovers(tmp_path: Path, fault: str) -> None:
    harm, mend = FAULTS[fault]

    async def scene(house: House, _console: Console, browser: Browser) -> None:
        pages = {path: await browser.page(path=path) for path in PAGES}
        for page in pages.values():
            await page.wait_for_function(LIVE)
            await page.evaluate(WATCH)
        await a_sign_of_life(house)
        since = time.time()
        await harm(house)
        took: dict[str, float] = {}
        for path, page in pages.items():
            told: dict[str, Any] = await (await page.wait_for_function(NOT_LIVE, arg=since)).json_value()
            took[path] = told["at"] - since
            assert not told["amounts"], told  # what cannot be known is not shown as live
        assert max(took.values()) <= PROMISED_SECONDS + NOISE_SECONDS, took
        await mend(house)
        for page in pages.values():
            await page.wait_for_function(LIVE)

    visit(tmp_path, scene)
