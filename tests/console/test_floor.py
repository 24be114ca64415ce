"""Floor validation: three touches from hit to validated, two people where that is demanded, evidence, rejections."""

from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, sign_in, visit
from tests.console.pit import MAJOR, MEGA, SIZES, awards, hit, key_in, locked, looks, spills, touch_in
from tests.service.house import PINS, House

pytestmark = needs_a_browser
COUNT_TOUCHES = "window.touches = 0; addEventListener('pointerdown', () => { window.touches += 1; }, true)"


async def signed_in(browser: Browser, operator: str, width: int = 1024, height: int = 768, **more: Any) -> Page:  # noqa: ANN401 -- playwright's own
    page = await looks(browser, "/floor", width, height, **more)
    await sign_in(page, operator)
    await expect(page.locator("#person")).to_contain_text(operator.title())
    return page


def test_three_touches_from_hit_to_validated(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await looks(browser, "/floor")
        await touch_in(page, "flo")
        await expect(page.locator("#none")).to_be_visible()
        await page.evaluate(COUNT_TOUCHES)
        award = await hit(house, MAJOR, 2)
        await expect(page.locator("#announce")).to_contain_text("Royal 9 Major, position 2")
        await page.locator("#base-wager").click()
        await page.locator("#method-inventory").click()
        await page.locator("#validate").click()
        await expect(page.locator("#done")).to_contain_text("slip 1")
        assert await page.evaluate("window.touches") == 3
        await house.until(lambda: awards(house) == [])
        await expect(page.locator("#none")).to_be_visible()
        (validated,) = [fact for fact in house.sign.facts if fact["type"] == "award-validated"]
        assert (validated["payload"]["award"], validated["payload"]["method"]) == (award, "inventory")

    visit(tmp_path, scene)


def test_the_base_wager_and_the_method_are_said_by_a_person_each_time(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MEGA, 1, 4)
        page = await signed_in(browser, "flo")
        validate = page.locator("#validate")
        await expect(validate).to_be_disabled()
        await page.locator("#base-wager").click()
        await expect(validate).to_be_disabled()
        await page.locator("#method-slip").click()
        await expect(validate).to_be_enabled()
        await page.locator("#base-wager").click()
        await expect(validate).to_be_disabled()
        await page.locator("#base-wager").click()
        await page.locator(".award").nth(1).click()
        await expect(page.locator("#base-wager")).to_have_attribute("aria-checked", "false")
        await expect(validate).to_be_disabled()

    visit(tmp_path, scene)


def test_awards_stand_in_the_order_they_came_with_their_evidence(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MEGA, 1, 4)
        page = await looks(browser, "/floor")
        listed = page.locator(".award")
        await expect(listed).to_have_count(len(awards(house)))
        envy, mega = awards(house)  # of one hand: they came at once, and the jackpot stands first
        assert [await each.get_attribute("id") for each in await listed.all()] == [f"award-{mega}", f"award-{envy}"]
        await expect(page.locator("#evidence .card")).to_have_count(4)  # the cards are no secret
        await expect(page.locator("#decision")).to_contain_text("Sign in to validate")
        await sign_in(page, "flo")
        await listed.filter(has_text="Royal 9 Mega").filter(has_text="55,00").click()
        evidence = page.locator("#evidence")
        total = house.sign.topics[f"awards/{mega}"]["amount_cents"]
        for words in ("chip on the sensor", "In at lock-out", "from the shoe", "won", "On the meter now", "$50,000.00"):
            await expect(evidence).to_contain_text(words)
        await page.locator("#derivation").click()
        await expect(evidence).to_contain_text("Every line adds up to the amount.")
        await expect(evidence.locator("tbody tr")).to_have_count(3)  # what opened it, and two wagers
        last = evidence.locator("tbody tr").last
        await expect(last).to_contain_text(f"${total // 100:,}.{total % 100:02}")
        await expect(last).to_contain_text("Round 1, position 4")

    visit(tmp_path, scene)


def test_the_evidence_has_the_wager_s_own_time(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MAJOR, 2)
        page = await looks(browser, "/floor")
        await expect(page.locator("#evidence")).to_contain_text("Whoever signs in also sees the wager's time")
        await sign_in(page, "flo")
        (wager,) = [fact for fact in house.sign.facts if fact["type"] == "wager-placed" and fact["payload"]["placed"]]
        placed = page.locator("#evidence dt", has_text="Placed").locator("+ dd")
        await expect(placed).to_contain_text(f"(fact {wager['seq']})")
        at = placed.locator("time")
        assert await at.get_attribute("datetime") == wager["at"]
        here = "at => new Date(at).toLocaleTimeString('en', {hour12: false})"
        await expect(at).to_have_text(await page.evaluate(here, wager["at"]))

    visit(tmp_path, scene)


def test_a_link_to_an_award_leads_to_that_one_and_then_the_person_chooses(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MEGA, 1, 4, 7)
        first, *_, last = awards(house)
        page = await looks(browser, f"/floor#{last}")
        current = page.locator('.award[aria-current="true"]')
        await expect(current).to_have_attribute("id", f"award-{last}")
        await page.locator(f"#award-{first}").click()
        await expect(current).to_have_attribute("id", f"award-{first}")

    visit(tmp_path, scene)


def test_a_mystery_shows_its_commitment_and_reveal_checked(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        house.file(0)
        await house.start()
        page = await signed_in(browser, "flo")
        await locked(house, 3)
        await house.until(lambda: awards(house))
        reveal = house.sign.topics[f"awards/{awards(house)[0]}"]["reveal"]
        await expect(page.locator(".reveal .check.holds")).to_be_visible()
        for words in (reveal["commitment"], reveal["nonce"], "$250.00"):
            await expect(page.locator(".reveal")).to_contain_text(words)
        forged = await page.evaluate(
            """async ([table, award]) => {
                const {Evidence} = await import("/static/evidence.js");
                const nobody = {session: null, awake: () => false};
                return await new Promise((resolve) => {
                    const told = () => resolve(evidence.of(award).check);
                    const evidence = new Evidence(table, {get: () => null}, nobody, told);
                    evidence.of(award);
                });
            }""",
            [NAME, {"award": "x-1-1", "meter": "royal9-mystery", "reveal": {**reveal, "value_cents": 25_001}}],
        )
        assert forged == "broken"

    visit(tmp_path, scene, started=False)


def test_a_large_award_takes_a_second_person_who_may(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MEGA, 1)
        page = await signed_in(browser, "flo")
        refused = page.locator("#decision .refusal")

        async def validate(second: str, pin: str = "") -> None:
            await page.locator("#validate").click()
            await expect(page.locator("#second")).to_be_visible()
            await key_in(page, second, pin)

        await page.locator("#base-wager").click()
        await page.locator("#method-inventory").click()
        await validate("finn", "999999")
        await expect(refused).to_contain_text("Wrong operator or PIN")
        await validate("flo")
        await expect(refused).to_contain_text("A second person is needed")
        await validate("dora")
        await expect(refused).to_be_visible()
        assert awards(house)
        await page.locator("#validate").click()
        await page.keyboard.press("Escape")  # nobody came
        await expect(page.locator("#validate")).to_be_enabled()
        await validate("finn")
        await expect(page.locator("#done")).to_contain_text("Validated")
        (validated,) = [fact for fact in house.sign.facts if fact["type"] == "award-validated"]
        assert (validated["payload"]["by"], validated["payload"]["second"]) == ("flo", "finn")

    visit(tmp_path, scene)


def test_a_rejection_takes_a_reason_and_two_people(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        before = await hit(house, MAJOR, 2)
        page = await signed_in(browser, "flo")
        await page.locator("#reject").click()
        await page.locator("#reject-go").click()
        await expect(page.locator("dialog.ask")).to_be_visible()  # no reason, no rejection
        await page.get_by_role("button", name="No base wager").click()
        await page.locator("#reject-go").click()
        await key_in(page, "sue")
        await expect(page.locator("#done")).to_contain_text("Rejected")
        await house.until(lambda: awards(house) == [])
        (rejected,) = [fact for fact in house.sign.facts if fact["type"] == "award-rejected"]
        assert rejected["payload"]["award"] == before
        assert rejected["payload"]["reason"] == "No base wager"

    visit(tmp_path, scene)


def test_a_rejection_whose_second_person_is_refused_changes_nothing(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        award = await hit(house, MAJOR, 2)
        page = await signed_in(browser, "flo")
        refused = page.locator("#decision .refusal")
        for second, pin, why in (
            ("finn", "999999", "Wrong operator or PIN"),
            ("flo", "", "A second person is needed"),
            ("dora", "", "dora"),
        ):
            await page.locator("#reject").click()
            await page.get_by_role("button", name="No base wager").click()
            await page.locator("#reject-go").click()
            await key_in(page, second, pin)
            await expect(refused).to_contain_text(why)
            await expect(page.locator("#done")).to_be_empty()
            await expect(page.locator(f"#award-{award}")).to_be_visible()
        assert awards(house) == [award]
        assert not [fact for fact in house.sign.facts if fact["type"] == "award-rejected"]
        # It can be validated still, and nothing of the attempts is left on the page.
        await page.locator("#base-wager").click()
        await page.locator("#method-inventory").click()
        await page.locator("#validate").click()
        await expect(page.locator("#done")).to_contain_text("Validated")
        await expect(refused).to_have_count(0)

    visit(tmp_path, scene)


def test_who_may_not_validate_is_told_so_and_what_a_page_hides_the_controller_refuses(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        award = await hit(house, MAJOR, 2)
        for operator in ("dora", "abe"):
            page = await signed_in(browser, operator)
            await expect(page.locator("#decision")).to_contain_text("Your role cannot validate")
            await expect(page.locator("#decision button")).to_have_count(0)
            script = """async ([table, award]) => {
                const {command} = await import("/static/api.js");
                const fields = {award, method: "slip", base_wager: true};
                return await command(table, "validate", fields).catch((error) => error.error);
            }"""
            assert await page.evaluate(script, [NAME, award]) == "not-allowed"
        assert awards(house) == [award]

    visit(tmp_path, scene)


def test_a_wrong_pin_is_refused_in_words_and_never_kept(tmp_path: Path) -> None:
    async def scene(_house: House, console: Console, browser: Browser) -> None:
        page = await looks(browser, "/floor")
        await page.locator("#floor-sign-in-go").click()
        await expect(page.locator(".refusal")).to_contain_text("Give the operator's id")
        await page.locator("#floor-sign-in-operator").fill("flo")
        await page.locator("#floor-sign-in-pin").fill("12345")
        await page.locator("#floor-sign-in-go").click()
        await expect(page.locator(".refusal")).to_contain_text("6 to 12 digits")
        await page.locator("#floor-sign-in-pin").fill("918273")
        await page.locator("#floor-sign-in-go").click()
        await expect(page.locator(".refusal")).to_contain_text("Wrong operator or PIN")
        assert await page.locator("#floor-sign-in-pin").input_value() == ""
        await touch_in(page, "flo")
        await expect(page.locator("#person")).to_contain_text("Signed out in")
        kept = await page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
        for pin in ("918273", PINS["flo"]):
            assert pin not in kept
            assert pin.encode() not in console.raw_log
        await page.locator("#sign-out").click()
        await expect(page.locator("#floor-sign-in")).to_be_visible()
        await expect(page.locator("#floor-sign-in .chip")).to_have_text("flo")  # one touch less the next time

    visit(tmp_path, scene)


def test_a_page_that_is_left_alone_signs_its_person_out_and_warns_before(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MAJOR, 2)
        context = await browser.context(1024, 768)
        page = await browser.page(path="/floor", context=context)
        await page.locator("#banner[data-state=live]").wait_for()
        await sign_in(page, "flo")
        await expect(page.locator("#stay")).to_be_hidden()
        forward = "(ms) => { const real = Date.now; const now = real(); Date.now = () => real() + ms; return now; }"
        await page.evaluate(forward, 4.5 * 60_000)
        await expect(page.locator("#person .left.soon")).to_be_visible()
        await page.locator("#stay").click()
        await expect(page.locator("#stay")).to_be_hidden()
        await page.evaluate(forward, 6 * 60_000)
        await expect(page.locator("#floor-sign-in")).to_be_visible()
        session = await page.evaluate("fetch('/api/session').then((answer) => answer.json())")
        assert "operator" not in session

    visit(tmp_path, scene)


def test_after_a_restart_of_the_controller_a_person_signs_in_again_and_nothing_was_done(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        award = await hit(house, MAJOR, 2)
        page = await signed_in(browser, "flo")
        assert await house.stop() == 0
        await expect(page.locator("#banner[data-state=offline]")).to_be_visible()
        await house.start()
        await expect(page.locator("#banner[data-state=live]")).to_be_visible()
        await page.locator("#base-wager").click()
        await page.locator("#method-inventory").click()
        await page.locator("#validate").click()
        await expect(page.locator("#floor-sign-in")).to_be_visible()
        assert awards(house) == [award]
        await touch_in(page, "flo")
        await page.locator("#validate").click()
        await expect(page.locator("#done")).to_contain_text("Validated")

    visit(tmp_path, scene)


def test_five_awards_at_once_stay_in_sight_on_a_phone(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await signed_in(browser, "flo", 390, 844)
        summary = page.locator("#summary")
        await hit(house, MAJOR, 2)
        await expect(page.locator(".award")).to_have_count(1)
        await expect(summary).to_be_hidden()  # the list has it
        await house.reopen()
        await house.bet(1, 4, 5, 7)
        await house.lock()
        house.deal(MEGA)
        await house.until(lambda: len(awards(house)) == 5)
        first, *at_once = [house.sign.topics[f"awards/{award}"] for award in awards(house)]
        # In the order they came; of those that came at once, the jackpot is not last.
        known = [first, *sorted(at_once, key=lambda award: -award["amount_cents"])]
        largest = known[1]
        assert largest["meter"] == "royal9-mega"
        assert at_once[0] is not largest
        await expect(summary).to_contain_text("5 waiting")
        cents = largest["amount_cents"]
        await expect(page.locator(".summary-largest")).to_have_text(f"largest ${cents // 100:,}.{cents % 100:02}")
        # One link each, in that order.
        links = page.locator(".summary-one")
        assert [await each.get_attribute("id") for each in await links.all()] == [
            f"summary-one-{award['award']}" for award in known
        ]
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        for each in [page.locator(".summary-largest"), *await links.all()]:
            await expect(each).to_be_in_viewport(ratio=1)
        # Each leads to its award, which then is on the screen below the summary.
        for award in (first, largest, known[3]):
            await page.locator(f"#summary-one-{award['award']}").click()
            await expect(page.locator("#award-head .where")).to_contain_text(
                f"Position {award['position']}, round {award['round']}"
            )
            await expect(page.locator("#award-head .amount")).to_be_in_viewport(ratio=1)
            await expect(page.locator("#base-wager")).to_be_in_viewport(ratio=1)
            covered = "document.getElementById('summary').getBoundingClientRect().bottom"
            top = "document.getElementById('award').getBoundingClientRect().top"
            assert await page.evaluate(f"{top} >= {covered} - 1")
        await browser.screenshot(page, "floor-phone")
        await page.locator(".summary-largest").click()
        await expect(page.locator("#award-head h2")).to_have_text("Royal 9 Mega")
        assert await spills(page) == []
        await page.set_viewport_size({"width": 1024, "height": 768})
        await expect(summary).to_be_visible()  # five are too many for the list beside the award
        await browser.screenshot(page, "floor-five")
        await house.sign_in("finn")
        await house.do("validate", "finn", award=known[0]["award"], method="slip", base_wager=True)
        await expect(page.locator(".award")).to_have_count(4)
        await expect(summary).to_be_hidden()
        await expect(page.locator(".award").last).to_be_in_viewport(ratio=1)
        await page.set_viewport_size({"width": 390, "height": 844})
        await expect(summary).to_contain_text("4 waiting")

    visit(tmp_path, scene)


def test_of_awards_at_once_the_largest_is_chosen_until_a_person_chooses(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        pages = [await signed_in(browser, "flo", 1280, 800)]  # it hears them one by one
        await hit(house, MEGA, 1, 4, 5)
        pages.append(await signed_in(browser, "finn", 1280, 800))  # it hears them all at the beginning
        for page in pages:
            await expect(page.locator(".award")).to_have_count(3)
            await expect(page.locator("#award-head h2")).to_have_text("Royal 9 Mega")
            await expect(page.locator(".award").first).to_contain_text("Royal 9 Mega")
        page = pages[0]
        await page.locator(".award").last.click()
        await expect(page.locator("#award-head h2")).to_have_text("Royal 9: Mega Envy")
        await house.reopen()
        await house.bet(2)
        await house.lock()
        house.deal(MAJOR)  # what comes later changes nothing of that
        await expect(page.locator(".award")).to_have_count(4)
        await expect(page.locator("#award-head h2")).to_have_text("Royal 9: Mega Envy")

    visit(tmp_path, scene)


def test_nothing_is_wider_than_the_screen_or_too_small_for_a_finger(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MEGA, 1, 4)
        for width, height in SIZES:
            for language in ("en", "zh-Hans", "zh-Hant"):
                page = await browser.page(width, height, f"/floor?lang={language}")
                await page.locator(".award").first.wait_for()
                assert await spills(page) == [], (width, language)
                await page.context.close()
            page = await signed_in(browser, "flo", width, height)
            await page.locator(".award").last.click()
            assert await spills(page) == [], width
            await page.locator(".award").first.click()  # the jackpot: an envy is derived from nothing
            await page.locator("#derivation").click()
            assert await spills(page) == [], width
            await page.locator("#reject").click()
            assert await spills(page) == [], width
            await page.context.close()

    visit(tmp_path, scene)


# What is under a press, what was clicked, and how often the table made the page show the award anew meanwhile. A press
# lasts until the test ends it, however busy the machine is. Returns where to press.
WATCH_PRESS = """() => {
    const head = document.getElementById("award-head");
    new MutationObserver(() => { window.shown += 1; }).observe(head, {childList: true});
    for (const name of ["pointerdown", "keydown"]) addEventListener(name, ({target}) => {
        window.shown = 0;
        window.button = target.closest("button");
    }, {capture: true});
    addEventListener("click", ({target}) => { window.clicked = target; }, {capture: true});
    const later = window.setTimeout;
    window.setTimeout = (work, ...more) => {
        if (work.name !== "endPress") return later(work, ...more);
        window.endPress = work;
        return 0;
    };
    const button = document.getElementById("base-wager");
    button.scrollIntoView({block: "center"});
    const {x, y, width, height} = button.getBoundingClientRect();
    return {x: x + width / 2, y: y + height / 2};
}"""
SHOWN = "() => window.shown > 0"
STANDS = "window.button.isConnected"
IS_CLICKED = "window.button.contains(window.clicked)"
REPLACED = "() => !window.button.isConnected"


def test_a_touch_counts_though_the_table_speaks_between_press_and_release(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MAJOR, 2)
        page = await signed_in(browser, "flo")
        button = page.locator("#base-wager")
        point = await page.evaluate(WATCH_PRESS)
        await page.mouse.move(point["x"], point["y"])
        await page.mouse.down()
        await house.reopen()
        await page.wait_for_function(SHOWN)
        assert await page.evaluate(STANDS), "what is pressed stays"
        await page.mouse.up()
        await expect(button).to_have_attribute("aria-checked", "true")
        assert await page.evaluate(IS_CLICKED)
        # The space bar is pressed and released in the same way.
        await button.focus()
        await page.keyboard.down("Space")
        await house.lock()
        await page.wait_for_function(SHOWN)
        assert await page.evaluate(STANDS)
        await page.keyboard.up("Space")
        await expect(button).to_have_attribute("aria-checked", "false")

    visit(tmp_path, scene)


async def touch_while_the_table_speaks(page: Page, house: House) -> None:
    """A finger is laid on the button, the table says something, and the finger is lifted."""
    point = await page.evaluate(WATCH_PRESS)
    fingers = await page.context.new_cdp_session(page)
    await fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    await house.reopen()
    await page.wait_for_function(SHOWN)
    await fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_touches_what_it_was_laid_on_and_not_what_came_meanwhile(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MAJOR, 2)
        page = await signed_in(browser, "flo", has_touch=True)
        await touch_while_the_table_speaks(page, house)
        await expect(page.locator("#base-wager")).to_have_attribute("aria-checked", "true")
        assert await page.evaluate(IS_CLICKED)
        await page.wait_for_function(REPLACED)  # what came meanwhile is shown at once

    visit(tmp_path, scene)


# The browser's click comes as late as the test wants it: after a finger it looks for what was touched once more.
LATE_CLICK = """() => {
    addEventListener("touchend", (event) => {
        event.preventDefault();
        setTimeout(() => setTimeout(() => { window.released = true; }));
    }, {capture: true, passive: false});
}"""


def test_what_a_finger_touched_stays_until_its_click(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MAJOR, 2)
        page = await signed_in(browser, "flo", has_touch=True)
        await page.evaluate(LATE_CLICK)
        await touch_while_the_table_speaks(page, house)
        await page.wait_for_function("() => window.released")
        assert await page.evaluate(STANDS)
        await page.evaluate("window.button.click()")
        await expect(page.locator("#base-wager")).to_have_attribute("aria-checked", "true")
        await page.wait_for_function(REPLACED)

    visit(tmp_path, scene)


def test_a_finger_that_rests_on_a_button_does_not_keep_the_page_from_showing_what_is_true(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MAJOR, 2)
        page = await signed_in(browser, "flo")
        point = await page.evaluate(WATCH_PRESS)
        await page.mouse.move(point["x"], point["y"])
        await page.mouse.down()
        await house.reopen()
        await page.wait_for_function(SHOWN)
        assert await page.evaluate(STANDS)
        await page.evaluate("window.endPress()")  # the two seconds are over
        await page.wait_for_function(REPLACED)
        await page.mouse.up()

    visit(tmp_path, scene)


def test_a_press_that_is_no_touch_ends_by_itself(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await hit(house, MAJOR, 2)
        page = await signed_in(browser, "flo")
        await page.evaluate("() => { window.button = document.getElementById('base-wager'); }")
        await page.locator("#base-wager").hover()
        await page.mouse.down()
        await page.mouse.move(1, 1)
        await page.mouse.up()  # no click: it was pulled off the button
        await house.reopen()
        await page.wait_for_function(REPLACED)
        await expect(page.locator("#base-wager")).to_have_attribute("aria-checked", "false")

    visit(tmp_path, scene)
