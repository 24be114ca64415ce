"""The sign on the wall, in a whole house: what a person in front of it sees is what the journal has."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.async_api import Page

from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, visit
from tests.console.spoken import until
from tests.core.play import HEAVENLY
from tests.service.house import House
from tests.service.test_table import MINOR_AT_1, NOTHING, SIX_OF_A_KIND

pytestmark = needs_a_browser
WALL = 1920, 1080, "/signage"
SHORT = "[signage]\nhit_seconds = 8"  # and not less: the machine may be busy
SHOWN = """() => Object.fromEntries(Array.from(document.querySelectorAll("#sign .meter"), (meter) =>
    [meter.dataset.meter, meter.querySelector(".amount:not([hidden])")?.textContent ?? null]))"""
# What the wheels say after every frame: when that was, the lowest and the highest it can be read as, what is true at
# that moment, and when it was read, which on a busy machine may be long after the frame.
WATCH = """async ([table, meter]) => {
    const {connect} = await import("/static/live.js");
    const live = connect([table]);
    const wheels = () => document.querySelectorAll(`#sign [data-meter="${meter}"] .wheel`);
    const watched = window.watched = {samples: [], told: []};
    live.on((_, topic, message) => {
        if (topic === `meters/${meter}`) watched.told.push([performance.now(), message.display_cents]);
    });
    const look = (frame) => {
        const read = (face) => Number(Array.from(wheels(), (wheel) => face(...wheel.children) || "0").join(""));
        const low = read((now) => now.textContent);
        const high = read((now, next) => next.textContent || now.textContent);
        const {display_cents: due} = live.get(table, `meters/${meter}`);
        watched.samples.push([frame, low, high, due, performance.now()]);
        requestAnimationFrame(() => setTimeout(look, 0, performance.now()));
    };
    look(performance.now());
}"""
ROLL_MS = 700  # odometer.js: so long an amount is rolled to
STEP_MS = 10  # in which wheels with far to go are seen to turn


def dollars(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02}"


def told(house: House) -> Mapping[str, str]:
    """What every meter shows, as the journal has it."""
    return {id_: dollars(meter.display_cents) for id_, meter in house.state().meters.items()}


async def shows(page: Page, house: House) -> None:
    """Wait until the sign shows what the journal adds up to, to the cent."""
    await house.agree()
    script = f"(wanted) => JSON.stringify(({SHOWN})(), Object.keys(wanted).sort()) === JSON.stringify(wanted)"
    await until(page, script, dict(sorted(told(house).items())))


async def play(house: House, *positions: int, wager: str = "royal9") -> None:
    """A round on which nothing happens."""
    await house.bet(*positions, wager=wager)
    await house.lock()
    house.deal(NOTHING)
    await house.until(lambda: house.sign.phase == "settled")
    await house.reopen()


def test_the_sign_shows_every_meter_to_the_cent_while_the_table_plays(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await browser.page(*WALL)
        await house.open()
        await shows(page, house)
        labels = await page.locator("#sign .label").all_inner_texts()
        assert labels == ["Royal 9 Mega", "Harmony", "Royal 9 Major", "Royal 9 Minor", "Royal 9 Mystery"]
        await page.evaluate(WATCH, [NAME, "royal9-mega"])
        for _ in range(3):
            await play(house, 1, 2, 5, 9)
            await shows(page, house)
        await browser.screenshot(page, "signage")
        watched = await page.evaluate("watched")
        _check_wheels(watched["samples"], watched["told"])
        assert await page.title() == "Jackpots"
        assert await page.evaluate("getComputedStyle(document.body).cursor") == "none"

    visit(tmp_path, scene)


def _check_wheels(samples: list[list[float]], told: list[list[float]]) -> None:
    """Never above what is true, never a second behind it, and on the way in between."""
    assert [each for each in samples if each[2] > each[3]] == []
    assert len({each[3] for each in samples}) == 4  # three rounds
    for frame, low, *_ in samples:
        due = [cents for at, cents in told if frame - at >= 1000]
        assert not due or low >= due[-1]
    for (_, before), (at, _) in pairwise(told):
        # Rolled, not jumped: seen only where frames fell into the roll, and a busy machine may paint none there.
        rolling = [each for each in samples if at < each[4] < at + ROLL_MS]
        for (*_, one), (*_, other), (_, low, _, true, _) in zip(rolling, rolling[1:], rolling[2:], strict=False):
            assert other - one < STEP_MS or before < low < true


def test_who_wants_no_motion_gets_none(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await browser.page(*WALL, reduced_motion="reduce")
        await house.open()
        await shows(page, house)
        await page.evaluate(WATCH, [NAME, "royal9-mega"])
        await play(house, 1, 2, 5, 9)
        await shows(page, house)
        samples = (await page.evaluate("watched"))["samples"]
        assert {(low, high) for _, low, high, *_ in samples} == {(true, true) for *_, true, _ in samples}
        assert len({true for *_, true, _ in samples}) == 2

    visit(tmp_path, scene)


def test_a_hit_fills_the_screen_then_stands_beside_its_amount_until_it_is_validated(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await browser.page(*WALL)
        await house.open()
        await house.sign_in("flo")
        await house.bet(1, 2)
        await house.lock()
        await shows(page, house)
        due = house.sign.meter("royal9-minor")
        house.deal(MINOR_AT_1)
        hit = page.locator("#hit")
        await hit.wait_for(state="visible")
        words = await hit.inner_text()
        for each in ("Royal 9 Minor", dollars(due), "Position 1", "Table mb-07", "New amount"):
            assert each in words
        assert await hit.locator(".after").text_content() == "$450.00"  # what can be won now
        box = await hit.bounding_box()
        assert box == {"x": 0, "y": 0, "width": 1920, "height": 1080}
        await until(page, "() => getComputedStyle(document.querySelector('#hit .prize')).opacity === '1'")
        await browser.screenshot(page, "signage-hit")
        await hit.wait_for(state="hidden")  # after eight seconds here
        beside = page.locator("[data-meter=royal9-minor] .hit")
        assert await beside.all_inner_texts() == [f"WON\nPosition 1\n{dollars(due)}"]
        assert (await page.evaluate(SHOWN))["royal9-minor"] == "$450.00"  # never added up
        (award,) = [topic for topic in house.sign.topics if topic.startswith("awards/")]
        await house.do("validate", "flo", award=award.removeprefix("awards/"), method="inventory", base_wager=True)
        await beside.wait_for(state="detached")
        await shows(page, house)

    visit(tmp_path, scene, settings=SHORT)


def test_a_validation_takes_a_hit_off_the_screen_at_once(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await browser.page(*WALL)
        await house.open()
        await house.sign_in("flo", "finn")
        await house.bet(1, 2, 3, wager="harmony")
        await house.lock()
        house.deal(SIX_OF_A_KIND)
        hit = page.locator("#hit")
        await hit.wait_for(state="visible")
        assert "Positions 1, 2, 3" in await hit.inner_text()
        awards = [topic.removeprefix("awards/") for topic in house.sign.topics if topic.startswith("awards/")]
        assert len(awards) == 3
        for award in awards:
            second = {"second": "finn"} if house.sign.topics[f"awards/{award}"]["needs_second"] else {}
            await house.do("validate", "flo", award=award, method="slip", base_wager=True, **second)
        await hit.wait_for(state="hidden")
        await shows(page, house)

    visit(tmp_path, scene)  # thirty seconds: were it the time, the test would wait for it


def test_no_amount_is_shown_while_controller_broker_or_console_is_gone(tmp_path: Path) -> None:
    async def scene(house: House, console: Console, browser: Browser) -> None:
        page = await browser.page(*WALL)
        await house.open()
        await shows(page, house)
        await house.kill()
        await _says(page, {"offline", "stale"})
        await browser.screenshot(page, "signage-offline")
        await house.start()
        await shows(page, house)

        house.broker.kill()
        await _says(page, {"stale"})
        assert "CONNECTION LOST" in await page.locator(".trouble").inner_text()
        await browser.screenshot(page, "signage-stale")
        await house.broker.start()
        await shows(page, house)

        await console.kill()
        await _says(page, {"stale"})
        await console.start()
        await shows(page, house)

    visit(tmp_path, scene)


async def _says(page: Page, states: set[str]) -> None:
    """Wait until the sign says that it is not live, and see that no amount is on it."""
    script = "(states) => states.includes(document.querySelector('#sign .panel').dataset.state)"
    await until(page, script, sorted(states))
    assert await page.locator(".trouble").is_visible()
    shown: dict[str, Any] = await page.evaluate(SHOWN)
    assert set(shown.values()) == {None}
    words = await page.locator("#sign .meters").inner_text()
    assert [line for line in words.splitlines() if "$" in line] == ["Must hit by $1,000.00"]  # which is so all the same


def test_a_faulted_table_takes_no_wager_and_the_sign_says_so(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await browser.page(*WALL)
        await house.open()
        await shows(page, house)
        house.lines["rail"].unplug()
        await _says(page, {"faulted"})
        assert "OUT OF SERVICE" in await page.locator(".trouble").inner_text()
        await browser.screenshot(page, "signage-faulted")
        house.lines["rail"].plug()
        await shows(page, house)

    visit(tmp_path, scene)


def test_the_must_hit_by_bonus_is_named_with_its_maximum_whichever_meters_are_shown(tmp_path: Path) -> None:
    toml = HEAVENLY.replace('id = "bac-01"', 'id = "mb-07"').replace("positions = 14", "positions = 9")

    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await browser.page(*WALL)
        await house.open()
        await shows(page, house)
        bonus = house.state().meters["must-hit-by"].filing
        meter = page.locator("[data-meter=must-hit-by]")
        assert await meter.locator(".label").inner_text() == "Must-Hit-By Mystery bonus"
        assert await meter.locator(".by").inner_text() == f"Must hit by {dollars(bonus.maximum_cents)}"
        other = await browser.page(1920, 1080, "/signage?meters=heavenly9")
        offered = f"Must-Hit-By Mystery bonus offered here. Must hit by {dollars(bonus.maximum_cents)}"
        await other.locator(".note").get_by_text(offered, exact=True).wait_for()
        assert await other.locator("#sign .meter").count() == 1

    visit(tmp_path, scene, toml=toml, wagers=("heavenly9",))
