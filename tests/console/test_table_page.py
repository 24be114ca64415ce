"""The table's page: what a dealer sees of positions, lamps, phase and devices, and what each role may touch."""

from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from controller.core.inputs import Person, SubmissionChanged, TableOpened, WagerDropped
from controller.core.times import stamp
from controller.outlets.messages import MOST_RETURNS
from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console, sign_in, visit
from tests.console.pit import MAJOR, NOTHING, SIZES, hit, key_in, locked, looks, spills, touch_in
from tests.people.tables import Clock
from tests.service.house import House

pytestmark = needs_a_browser


def lamp(page: Page, position: int, wager: str = "royal9") -> Any:  # noqa: ANN401 -- a locator
    return page.locator(f"[data-position='{position}'] [data-wager={wager}]")


def test_a_round_as_the_dealer_sees_it(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await looks(browser, "/table")
        phase = page.locator(".phase-word")
        await expect(phase).to_have_text("Closed")
        await page.locator("#sign-in").click()
        await touch_in(page, "dora")
        await page.locator("#open-table").click()
        await expect(phase).to_have_text("Open")
        await expect(page.locator("#round-number")).to_have_text("Round 1")
        await expect(lamp(page, 3)).to_contain_text("awaited")
        await house.bet(3)
        await house.bet(5, wager="harmony")
        await expect(lamp(page, 3)).to_contain_text("placed")
        await expect(lamp(page, 5, "harmony")).to_contain_text("placed")
        await expect(lamp(page, 5)).to_contain_text("awaited")
        await house.lock()
        await expect(phase).to_have_text("No more bets")
        await expect(lamp(page, 3)).to_contain_text("accepted")
        house.chip(7)
        await expect(lamp(page, 7)).to_contain_text("refused")
        await expect(page.locator("#late li")).to_contain_text("Position 7")
        await expect(page.locator("#announce")).to_contain_text("position 7")
        house.deal(MAJOR)
        await expect(phase).to_have_text("Settled")
        label = await page.locator("[data-position='3']").get_attribute("aria-label")
        assert label == "Position 3. Royal 9: accepted. Harmony: off"
        cents = house.sign.meter("royal9-mega")
        shown = page.locator("[data-meter=royal9-mega] .meter-amount")
        await expect(shown).to_have_text(f"${cents // 100:,}.{cents % 100:02}")

    visit(tmp_path, scene)


def test_positions_stand_on_an_arc_and_the_table_can_be_turned(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await house.open()
        page = await looks(browser, "/table")
        await expect(page.locator(".seat")).to_have_count(9)
        boxes = [await page.locator(f"[data-position='{each}']").bounding_box() for each in range(1, 10)]
        places = [(box["x"], box["y"]) for box in boxes if box is not None]
        assert [x for x, _ in places] == sorted(x for x, _ in places)
        assert [y for _, y in places[:5]] == sorted((y for _, y in places[:5]), reverse=True)
        assert [y for _, y in places[4:]] == sorted(y for _, y in places[4:])
        await page.locator("#turn").click()
        turned = await page.locator("[data-position='9']").bounding_box()
        assert turned is not None
        assert abs(turned["x"] - places[0][0]) < 2
        await page.reload()  # it stays as it was put
        await expect(page.locator("#turn")).to_have_attribute("aria-pressed", "true")

    visit(tmp_path, scene)


def test_no_two_of_five_to_fourteen_positions_stand_on_one_another(tmp_path: Path) -> None:
    script = """async (positions) => {
        const {Felt} = await import("/static/felt.js");
        const arc = document.getElementById("seats");
        new Felt(arc, () => {}).show(positions);
        await new Promise(requestAnimationFrame);
        return [...arc.children].map((each) => each.getBoundingClientRect().toJSON());
    }"""

    async def scene(_house: House, _console: Console, browser: Browser) -> None:
        for width, height in SIZES[:2]:
            page = await browser.page(width, height, "/table")
            for count in range(5, 15):  # more than nine have one wager: Heavenly 9 at a baccarat table
                lamps = {"heavenly9": "accepted"} if count > 9 else {"royal9": "accepted", "harmony": "refused"}
                boxes = await page.evaluate(script, {str(each): lamps for each in range(1, count + 1)})
                assert len(boxes) == count
                for one, other in combinations(boxes, 2):
                    across = min(one["right"], other["right"]) - max(one["left"], other["left"])
                    down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
                    assert min(across, down) <= 0, (count, one, other)

    visit(tmp_path, scene, started=False)


def test_nothing_is_wider_than_the_screen_or_too_small_for_a_finger(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MAJOR, 2, 4)
        for language, (width, height) in product(("en", "zh-Hans", "zh-Hant"), SIZES):
            page = await browser.page(width, height, f"/table?lang={language}")
            await page.locator(".seat.has-won").wait_for()
            assert await spills(page) == [], (language, width)
            if language == "en":
                await sign_in(page, "flo")
                await page.locator("#look").click()
                await page.locator("#recent li").first.wait_for()
                assert await spills(page) == [], width
                await page.locator("[data-position='4']").click()
                await page.locator("dialog[open]").wait_for()
                assert await spills(page) == [], width
            await page.context.close()

    visit(tmp_path, scene)


def test_who_may_touch_what(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1)
        page = await looks(browser, "/table")
        dealer, buttons = page.locator("#dealer"), page.locator("#dealer button")
        await expect(dealer).to_contain_text("Sign in to open the table")
        await expect(buttons).to_have_count(0)
        for operator, offered in (
            ("abe", []),
            ("dora", ["enter-hand"]),
            ("flo", ["enter-hand", "void-round"]),
            ("sue", ["enter-hand", "void-round"]),
        ):
            await sign_in(page, operator)
            await expect(page.locator("#person")).to_contain_text(operator.title())
            await expect(buttons).to_have_count(len(offered))
            assert [await each.get_attribute("id") for each in await buttons.all()] == offered

    visit(tmp_path, scene)


def test_a_round_is_voided_with_a_reason(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1)
        page = await looks(browser, "/table")
        await sign_in(page, "flo")
        await page.locator("#void-round").click()
        await page.get_by_role("button", name="Misdeal").click()
        await page.locator("#reason-go").click()
        await expect(page.locator("#said .did")).to_contain_text("round voided")
        await expect(page.locator(".phase-word")).to_have_text("Open")
        record = house.state().record(1)
        assert record is not None
        assert record.voided

    visit(tmp_path, scene)


def test_a_dealer_takes_a_wager_out_while_open_and_two_people_afterwards(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await house.open()
        await house.bet(1, 2)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("[data-position='1']").click()
        await page.get_by_role("button", name="Take this wager out").click()
        await page.get_by_role("button", name="The player asked for it").click()
        await page.locator("#reason-go").click()
        await expect(page.locator("#said .did")).to_contain_text("wager taken out")
        await house.until(lambda: "1/royal9" not in house.state().standing)
        await house.lock()
        await expect(page.locator(".phase-word")).to_have_text("No more bets")
        await page.locator("[data-position='2']").click()
        await expect(page.get_by_role("button", name="Take this wager out")).to_have_count(0)
        await page.keyboard.press("Escape")

        await sign_in(page, "flo")
        await page.locator("[data-position='2']").click()
        await page.get_by_role("button", name="Take this wager out").click()
        await page.locator("#reason").fill("wrong colour")
        await page.locator("#reason-go").click()
        await key_in(page, "flo")  # signing twice is no two people
        await expect(page.locator("#said .refusal")).to_be_visible()
        await page.locator("[data-position='2']").click()
        await page.get_by_role("button", name="Take this wager out").click()
        await page.locator("#reason").fill("wrong colour")
        await page.locator("#reason-go").click()
        await key_in(page, "finn")
        await expect(page.locator("#said .did")).to_contain_text("wager taken out")

    visit(tmp_path, scene)


def test_a_position_is_taken_out_of_service_and_put_back_and_everyone_sees_why(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await house.open()
        page, other = await looks(browser, "/table"), await looks(browser, "/table")
        await sign_in(page, "flo")
        seat = other.locator("[data-position='6']")
        await page.locator("[data-position='6']").click()
        await expect(page.locator("#service-on")).to_have_count(0)
        await page.locator("#service-off").click()
        await page.get_by_role("button", name="Sensor stuck").click()
        await page.locator("#reason-go").click()
        await expect(lamp(page, 6)).to_contain_text("off")
        for _ in range(2):  # and once more after a reload
            await expect(seat.locator(".seat-out")).to_have_text("Sensor stuck")
            await expect(other.locator(".seat-out")).to_have_count(1)
            label = await seat.get_attribute("aria-label")
            assert label == "Position 6. Out of service: Sensor stuck. Royal 9: off. Harmony: off"
            assert await spills(other) == []
            await other.reload()
        await house.bet(1)
        await house.lock()  # every lamp without a wager is off now: that takes no position out of service
        await other.locator("[data-position='5']").click()
        await expect(other.locator("dialog[open]")).not_to_contain_text("Out of service")
        await other.keyboard.press("Escape")

        await page.locator("[data-position='6']").click()
        await expect(page.locator("dialog[open]")).to_contain_text("Out of service: Sensor stuck")
        await expect(page.locator("#service-off")).to_have_count(0)
        await page.locator("#service-on").click()
        await page.get_by_role("button", name="Repaired").click()
        await page.locator("#reason-go").click()
        await expect(page.locator(".seat-out")).to_have_count(0)
        await expect(seat.locator(".seat-out")).to_have_count(0)
        await page.locator("[data-position='6']").click()
        await expect(page.locator("#service-off")).to_be_visible()

    visit(tmp_path, scene)


def wrong_coins(house: House, count: int) -> None:
    """Open the table before the controller starts, and drop coins that are no wager."""
    at, dora = stamp(Clock().now()), Person("dora", "dealer")
    with house.stopped() as (_journal, engine):
        toml = house.config.read_text()
        coins = [
            WagerDropped(at=at, key=f"coin-{each}", position=2, wager="royal9", cents=100) for each in range(count)
        ]
        filed = SubmissionChanged(at=at, key="first", toml=toml, day=at[:10], reason="first")
        for input_ in (filed, TableOpened(at=at, key="open", by=dora), *coins):
            (answer,) = engine.step([input_])
            assert answer.ok, answer


@pytest.mark.parametrize("more", [0, 1])
def test_coins_to_give_back_are_on_every_page_until_one_says_they_were(tmp_path: Path, more: int) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        wrong_coins(house, MOST_RETURNS + more)
        await house.start()
        page, other = await looks(browser, "/table"), await looks(browser, "/table", width=390, height=844)
        rows = page.locator("#returns [data-return]")
        await expect(rows).to_have_count(MOST_RETURNS)
        await expect(rows.first).to_contain_text("$1.00 to position 2")
        await expect(rows.first).to_contain_text("the wrong coin")
        await expect(rows.locator("button")).to_have_count(0)  # nobody is signed in
        await expect(page.locator("#returns .more")).to_have_count(more)
        if more:
            await expect(page.locator("#returns .more")).to_contain_text("And 1 more")
        await sign_in(page, "dora")
        await expect(rows.locator("button")).to_have_count(MOST_RETURNS)
        first = await rows.first.get_attribute("data-return")
        await rows.first.get_by_role("button", name="Given back").click()
        await expect(page.locator("#said .did")).to_contain_text("given back")
        for each in (page, other):
            await expect(each.locator(f"[data-return='{first}']")).to_have_count(0)
            await expect(each.locator("#returns [data-return]")).to_have_count(MOST_RETURNS - 1 + more)
            await expect(each.locator("#returns .more")).to_have_count(0)
        await page.reload()
        await expect(rows).to_have_count(MOST_RETURNS - 1 + more)
        assert await spills(other) == []
        assert len(house.state().returns) == MOST_RETURNS - 1 + more
        assert first not in house.state().returns

    visit(tmp_path, scene, started=False)


def test_a_refusal_says_what_why_and_what_to_do(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await house.open()
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#close-table").wait_for()
        script = """async () => {
            const {Refused} = await import("/static/api.js");
            const {refusal} = await import("/static/parts.js");
            return refusal(new Refused("wrong-phase", "not while <b>open</b>")).innerHTML;
        }"""
        assert "<b>" not in await page.evaluate(script)  # what a controller says is text
        await house.do("close-table", "dora")
        await house.do("open-table", "dora")
        await page.locator("#simulated-round").click()
        await expect(page.locator(".phase-word")).to_have_text("Simulated round")
        await expect(page.locator("#close-table")).to_have_count(0)
        reply = await page.evaluate(
            """async (table) => {
                const {command} = await import("/static/api.js");
                try { await command(table, "close-table", {}); } catch (error) { return error.error; }
            }""",
            "valley-forge/mb-07",
        )
        assert reply == "wrong-phase"
        await page.locator("#simulated-round").click()
        await expect(page.locator(".phase-word")).to_have_text("Open")

    visit(tmp_path, scene)


def test_cards_of_the_shoe_appear_by_themselves_and_nobody_asks_for_them(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page, wall = await looks(browser, "/table"), await looks(browser, "/table")
        await sign_in(page, "dora")
        await expect(page.locator("#person")).to_contain_text("Dora")
        asked: list[str] = []
        for each in (page, wall):
            each.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
        await locked(house, 1)
        house.deal(NOTHING)
        for each in (page, wall):  # who looks need not sign in
            await expect(each.locator(".cards-dealt .card")).to_have_count(4)
            await expect(each.locator(".cards-dealt .player .points")).to_have_text("7")
        assert asked == []
        await page.locator("#correct-hand").click()
        assert await page.locator(".hand-slots .card").count() == 4
        await page.keyboard.press("Escape")
        await house.reopen()
        await expect(page.locator(".cards-dealt .card")).to_have_count(0)

    visit(tmp_path, scene)


def test_who_signs_in_with_the_right_to_sees_why_wagers_were_refused_and_who_did_what(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1)
        house.chip(7)
        await house.until(lambda: house.sign.lamp(7) == "refused")
        page = await looks(browser, "/table")
        # What stands refused is there, whenever the page was opened; the time it came is not known to it.
        await expect(page.locator("#late li")).to_have_text("earlierPosition 7Royal 9Round 1")
        await sign_in(page, "abe")
        await page.locator("#look").click()
        await expect(page.locator("#late li")).to_contain_text("after no more bets")
        await expect(page.locator("#recent")).to_contain_text("opened the table")
        await expect(page.locator("#recent")).to_contain_text("dora")

    visit(tmp_path, scene)


def test_a_device_that_is_lost_and_a_table_that_is_faulted_are_unmistakable(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await house.open()
        page = await looks(browser, "/table")
        await expect(page.locator("[data-device=royal9] .device-state")).to_have_text("online")
        await expect(page.locator("#health")).to_contain_text("Running for")
        house.lines["rail"].unplug()
        await expect(page.locator(".phase-word")).to_have_text("Faulted")
        await expect(page.locator("#phase")).to_contain_text("Goes back to: Open")
        await expect(page.locator("[data-device=royal9] .device-state")).to_have_text("lost")
        await expect(lamp(page, 1)).to_contain_text("fault")
        await expect(page.locator("[data-meter=harmony] .meter-amount")).to_have_text("—")
        house.lines["rail"].plug()
        await expect(page.locator(".phase-word")).to_have_text("Open")
        await page.locator("#device-royal9").click()
        await expect(page.locator("[data-device=royal9]")).to_contain_text("Reconnected")

    visit(tmp_path, scene)


def test_without_the_broker_no_amount_is_shown_and_all_comes_back_by_itself(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await house.open()
        page = await looks(browser, "/table")
        amount = page.locator("[data-meter=harmony] .meter-amount")
        await expect(amount).to_contain_text("$")
        house.broker.kill()
        await expect(page.locator("#banner[data-state=stale]")).to_be_visible()
        await expect(amount).to_have_text("—")
        await expect(page.locator("#table-page")).to_have_class("table-page not-live")
        await house.broker.start()
        await expect(page.locator("#banner[data-state=live]")).to_be_visible()
        await expect(amount).to_contain_text("$")

    visit(tmp_path, scene)


def test_a_dealer_uses_the_table_with_a_keyboard_alone(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await looks(browser, "/table")
        await page.locator("#sign-in").focus()
        await page.keyboard.press("Enter")
        await page.keyboard.type("dora")
        await page.locator("#sign-in-form-pin").focus()
        await page.keyboard.type("111222")
        await page.keyboard.press("Enter")
        await page.locator("#open-table").wait_for()
        await page.locator("#open-table").focus()
        await page.keyboard.press("Space")
        await house.until(lambda: house.sign.phase == "open")

    visit(tmp_path, scene)
