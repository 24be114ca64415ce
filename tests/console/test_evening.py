"""A whole evening at a table, as the people in the house see it: on the wall, at the table, on the floor.

What is expected is what stands on a page, and most of what is touched is found by its name; where a page has several of
a kind, its own ids say which. Amounts on a sign are read as it tells them to who hears it: their digits move.
"""

from pathlib import Path

from playwright.async_api import Locator, Page, expect

from controller.core.state import Award
from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, visit
from tests.console.pit import (
    MAJOR,
    MEGA,
    NOTHING,
    awards,
    cards,
    dollars,
    hit,
    looks,
    spills,
    touch_in,
)
from tests.service.house import PINS, House
from tests.service.test_table import MINOR_AT_1, SIX_OF_A_KIND

pytestmark = needs_a_browser
SHORT = "[signage]\nhit_seconds = 8"  # and not less: the machine may be busy
PHONE = {"width": 390, "height": 844}
API = """async ([table, name, fields]) => {
    const {command} = await import("/static/api.js");
    try { return (await command(table, name, fields)).ok; } catch (error) { return error.error; }
}"""
PDF = b"%PDF-"


async def wall(browser: Browser) -> Page:
    """The sign on the wall, live."""
    page = await browser.page(1920, 1080, "/signage")
    await expect(page.get_by_text("Live", exact=True)).to_be_visible()
    return page


def amount(sign: Page, label: str) -> Locator:
    """The amount beside a name on the sign."""
    return sign.get_by_role("article").filter(has_text=label).locator(".amount")


async def floor(browser: Browser, operator: str = "", **size: int) -> Page:
    """The floor's page, with someone signed in by touch."""
    page = await looks(browser, "/floor", **size)
    if operator:
        await come(page, operator)
    return page


async def come(page: Page, operator: str, pin: str = "") -> None:
    """Sign in at the floor's page: the name is written, the PIN is touched."""
    form = page.locator("#floor-sign-in")
    await form.get_by_label("Operator").fill(operator)
    for digit in pin or PINS[operator]:
        await form.get_by_role("button", name=digit, exact=True).click()
    await form.get_by_role("button", name="Sign in").click()
    if not pin:
        await expect(page.locator("#person")).to_contain_text(operator.title())


async def leave(page: Page) -> None:
    """Sign out."""
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


async def validate(page: Page, cents: int, how: str = "Jackpot slip") -> None:
    """Three touches."""
    await page.get_by_role("checkbox", name="Base wager seen").click()
    await page.get_by_role("radio", name=how).click()
    await page.get_by_role("button", name=f"Validate {dollars(cents)}").click()


async def second(page: Page, operator: str, pin: str = "") -> None:
    """Another person signs."""
    asked = page.get_by_role("dialog", name="Second person")
    await asked.get_by_label("Operator").fill(operator)
    for digit in pin or PINS[operator]:
        await asked.get_by_role("button", name=digit, exact=True).click()
    await asked.get_by_role("button", name="Sign", exact=True).click()


async def due(house: House, award: str) -> int:
    """What an award is, as the journal has it."""
    (found,) = [each for each in (await house.agree()).pending() if each.id == award]
    return found.amount_cents


def test_the_table_opens_players_bet_and_the_dealer_keys_a_hand_that_pays_a_fixed_award(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        sign, table = await wall(browser), await looks(browser, "/table")
        waits = await floor(browser)
        await table.get_by_role("button", name="Sign in").click()
        await touch_in(table, "dora")
        await table.get_by_role("button", name="Open table").click()
        await expect(table.get_by_text("Round 1", exact=True)).to_be_visible()
        mega = house.sign.meter("royal9-mega")
        await expect(amount(sign, "Royal 9 Mega")).to_have_attribute("aria-label", dollars(mega))

        await house.bet(1, 3)
        await house.bet(3, wager="harmony")
        seat = table.get_by_role("button", name="Position 3. Royal 9: placed. Harmony: placed")
        await expect(seat).to_be_visible()
        await expect(amount(sign, "Royal 9 Mega")).to_have_attribute("aria-label", dollars(mega))  # nothing is in yet
        await house.lock()
        await expect(table.get_by_text("No more bets", exact=True)).to_be_visible()
        await expect(amount(sign, "Royal 9 Mega")).to_have_attribute("aria-label", dollars(mega + 100))
        house.chip(7)
        await expect(table.get_by_role("button", name="Position 7. Royal 9: refused. Harmony: off")).to_be_visible()

        await table.locator("#enter-hand").click()
        await cards(table, "8S", "8H", "8D", "8C")
        preview = table.locator(".hand-settles")
        await expect(preview).to_contain_text("What it will settle")
        await expect(preview).to_contain_text("Tie at 6")
        line = preview.locator("[data-due='3']")
        await expect(line).to_contain_text("Call a floorperson to validate it")
        told = (await line.inner_text()).split("\n")[0]
        assert _awards(house, 1) == ()  # told, and not yet sent
        await table.locator("#send-hand").click()
        await expect(table.get_by_text("Round 1 is settled")).to_be_visible()
        (paid,) = [each for each in _awards(house, 1) if each.kind == "fixed"]
        assert told == f"Position 3: {dollars(paid.amount_cents)}"
        await expect(table.get_by_text(f"Position 3: {dollars(paid.amount_cents)}")).to_be_visible()
        await expect(table.get_by_text("Call a floorperson to validate it")).to_be_visible()
        await expect(waits.get_by_role("heading", name="Harmony: Four 8s")).to_be_visible()
        await come(waits, "flo")
        await expect(waits.get_by_text("The row of the filed paytable; no meter moves.")).to_be_visible()
        await validate(waits, paid.amount_cents, "Table inventory")
        await expect(waits.get_by_text(f"Validated: {dollars(paid.amount_cents)}, slip 1")).to_be_visible()
        await expect(sign.locator("#hit")).to_be_hidden()  # no jackpot: the wall says nothing

    visit(tmp_path, scene)


def _awards(house: House, round_: int) -> tuple[Award, ...]:
    record = house.state().record(round_)
    assert record is not None
    return record.awards


def test_a_jackpot_fills_the_wall_is_validated_by_one_and_its_slip_is_printed_twice(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        sign, page = await wall(browser), await floor(browser)
        award = await hit(house, MINOR_AT_1, 1, 2)
        cents = await due(house, award)
        await expect(sign.get_by_role("status")).to_contain_text("Jackpot won")
        await expect(sign.get_by_role("status")).to_contain_text("Position 1")
        await expect(sign.get_by_role("status")).to_contain_text(dollars(cents))
        await expect(sign.locator("#hit")).to_be_hidden()  # and afterwards it stands beside the running amount
        minor = sign.get_by_role("article").filter(has_text="Royal 9 Minor")
        await expect(minor).to_contain_text("WON")
        await expect(minor).to_contain_text(dollars(cents))

        await expect(page.locator("#count")).to_have_text("1 waiting")
        await expect(page.get_by_text("Sign in to validate or reject.")).to_be_visible()
        await come(page, "flo", "999999")
        await expect(page.get_by_text("Wrong operator or PIN")).to_be_visible()
        await come(page, "flo")
        await page.get_by_text("How the amount came about").click()
        await expect(page.get_by_text("Every line adds up to the amount.")).to_be_visible()
        await validate(page, cents)
        slip = page.get_by_role("article", name="Jackpot slip")
        await expect(slip).to_contain_text(dollars(cents))
        await expect(slip).to_contain_text("Slip 1")
        await expect(slip).to_contain_text(award)
        await expect(slip.get_by_role("img", name="QR code")).to_be_visible()
        await expect(slip).not_to_contain_text("REPRINT")
        await expect(minor).not_to_contain_text("WON")
        assert (await page.pdf()).startswith(PDF)  # the first paper

        again = page.get_by_role("button", name="Make the slip")
        await expect(slip).to_be_hidden()  # what was printed is off the screen
        await again.click()
        await expect(slip).to_contain_text("REPRINT")
        await expect(slip).to_contain_text("Slip 1")
        assert (await page.pdf()).startswith(PDF)

    visit(tmp_path, scene, settings=SHORT)


def test_nobody_validates_who_may_not_and_the_office_sees_that_they_tried(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        award = await hit(house, MAJOR, 2)
        cents = await due(house, award)
        page = await floor(browser)
        fields = {"award": award, "method": "slip", "base_wager": True}
        assert await page.evaluate(API, [NAME, "validate", fields]) == "not-signed-in"
        for operator in ("dora", "abe"):
            await come(page, operator)
            await expect(page.get_by_text("Your role cannot validate.")).to_be_visible()
            await expect(page.get_by_role("button", name="Validate")).to_have_count(0)
            assert await page.evaluate(API, [NAME, "validate", fields]) == "not-allowed"  # a hidden button is no rule
            assert await page.evaluate(API, [NAME, "reject", {"award": award, "reason": "no"}]) == "not-allowed"
            await leave(page)
        await expect(page.locator("#count")).to_have_text("1 waiting")
        await come(page, "sue")  # a supervisor may
        await validate(page, cents, "Table inventory")
        await expect(page.get_by_text(f"Validated: {dollars(cents)}, slip 1")).to_be_visible()
        await expect(page.get_by_text("No award waits.")).to_be_visible()
        assert await page.evaluate(API, [NAME, "validate", fields]) == "validated"  # once is once

        await page.get_by_role("link", name="Audit").click()
        await page.get_by_role("link", name="Actions").click()
        for operator in ("dora", "abe"):
            tried = page.get_by_role("row").filter(has_text=operator).filter(has_text="validate an award")
            await expect(tried).to_contain_text("not allowed")
        done = page.get_by_role("row").filter(has_text="sue").filter(has_text="from table inventory")
        await expect(done).to_contain_text("validated an award")
        await expect(done).to_contain_text(dollars(cents))

    visit(tmp_path, scene)


def test_a_large_jackpot_takes_two_different_people(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        award = await hit(house, MEGA, 1, 3)
        cents = await due(house, award)
        page = await floor(browser, "flo")
        await page.get_by_role("button", name="Royal 9 Mega").click()
        for operator, pin, refusal in (
            ("flo", "", "A second person is needed"),  # the same one twice
            ("dora", "", "A second person is needed"),  # a dealer is none
            ("finn", "999999", "Wrong operator or PIN"),
        ):
            await _again(page, cents)
            await second(page, operator, pin)
            await expect(page.locator("#decision").get_by_role("alert")).to_contain_text(refusal)
        await _again(page, cents)
        await second(page, "finn")
        slip = page.get_by_role("article", name="Jackpot slip")
        await expect(slip).to_contain_text(dollars(cents))
        await expect(slip).to_contain_text("flo")
        await expect(slip).to_contain_text("finn")
        await house.until(lambda: house.sign.meter("royal9-mega") == 5_000_000)  # begins anew

    visit(tmp_path, scene)


async def _again(page: Page, cents: int) -> None:
    """Once more, after a refusal."""
    await _touch(page.get_by_role("checkbox", name="Base wager seen"))
    await _touch(page.get_by_role("radio", name="Jackpot slip"))
    await page.get_by_role("button", name=f"Validate {dollars(cents)} (two people)").click()


async def _touch(choice: Locator) -> None:
    """Choose what is not chosen yet."""
    if await choice.get_attribute("aria-checked") != "true":
        await choice.click()


def test_of_a_shared_jackpot_one_is_rejected_and_one_is_paid(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        sign = await wall(browser)
        await house.open()
        await house.bet(4, 7, wager="harmony")
        await house.lock()
        house.deal(SIX_OF_A_KIND)
        await house.until(lambda: len(awards(house)) == 2)
        cents = await due(house, awards(house)[0])
        await expect(sign.get_by_role("status")).to_contain_text("Positions 4, 7")
        await expect(sign.get_by_role("status")).to_contain_text("each of the winners")

        page = await floor(browser, "flo")
        await expect(page.locator("#count")).to_have_text("2 waiting")
        await page.get_by_role("button", name="Position 4").click()
        await page.get_by_role("button", name="Reject").click()
        asked = page.get_by_role("dialog", name=f"Reject {dollars(cents)}")
        await asked.get_by_role("button", name="No base wager").click()
        await asked.get_by_role("button", name="Continue to second person").click()
        await second(page, "finn")
        await expect(page.get_by_text(f"Rejected: {dollars(cents)}")).to_be_visible()
        await expect(page.locator("#count")).to_have_text("1 waiting")
        harmony = sign.get_by_role("article").filter(has_text="Harmony")
        await expect(harmony).to_contain_text("Position 7")
        await expect(harmony).not_to_contain_text("Position 4")

        whole = await due(house, awards(house)[0])
        assert whole == 2 * cents  # a share that is rejected is the other's
        await expect(harmony).to_contain_text(dollars(whole))
        await validate(page, whole, "Table inventory")
        await second(page, "finn")
        await expect(page.get_by_text(f"Validated: {dollars(whole)}, slip 1")).to_be_visible()
        await expect(harmony).not_to_contain_text("WON")
        await expect(amount(sign, "Harmony")).to_have_attribute("aria-label", dollars(house.sign.meter("harmony")))

        await page.get_by_role("link", name="Audit").click()
        await page.get_by_role("link", name="Hits", exact=True).click()
        found = page.get_by_role("row").filter(has_text="Harmony")
        await expect(found).to_contain_text("4, 7")
        await expect(found).to_contain_text("finn")

    visit(tmp_path, scene, settings=SHORT)


def test_a_mystery_is_hit_at_no_more_bets_paid_and_proven_to_the_public(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        house.file(0)
        await house.start()
        proof = await browser.page(path="/proof")
        await expect(proof.get_by_text("It has not been won yet.")).to_be_visible()
        await house.open()
        await house.bet(5)
        await house.lock()
        await house.until(lambda: awards(house))
        (award,) = awards(house)
        cents = await due(house, award)
        page = await floor(browser, "flo")
        await expect(page.get_by_role("heading", name="Royal 9 Mystery")).to_be_visible()
        await expect(page.get_by_text("Decided at no more bets, before any card.")).to_be_visible()
        await expect(page.get_by_text("The revealed value matches the commitment")).to_be_visible()
        await validate(page, cents, "Table inventory")
        await expect(page.get_by_text(f"Validated: {dollars(cents)}")).to_be_visible()
        await expect(proof.get_by_role("row").filter(has_text="Fits")).to_have_count(1)
        await expect(proof.get_by_text("Cycle 2 is running.")).to_be_visible()

    visit(tmp_path, scene, started=False)


def test_the_broker_and_the_controller_restart_while_a_jackpot_waits(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        award = await hit(house, MAJOR, 2, 6)
        cents = await due(house, award)
        sign, table, page = await wall(browser), await looks(browser, "/table"), await floor(browser, "flo")
        mega = dollars(house.sign.meter("royal9-mega"))

        async def said(words: str, shown: str) -> None:
            for each in (table, page):
                await expect(each.locator("#banner")).to_contain_text(words)
            await expect(sign.get_by_role("alert")).to_contain_text(shown)
            await expect(amount(sign, "Royal 9 Mega")).to_be_hidden()  # what may be old is not shown

        async def back() -> None:
            for each in (table, page):
                await expect(each.locator("#banner-words")).to_have_text("Live")
            await expect(sign.get_by_role("alert")).to_be_hidden()
            await expect(amount(sign, "Royal 9 Mega")).to_be_visible()
            await expect(amount(sign, "Royal 9 Mega")).to_have_attribute("aria-label", mega)
            await expect(page.locator("#count")).to_have_text("1 waiting")

        house.broker.kill()
        await said("The console has lost the message broker", "CONNECTION LOST")
        await house.broker.start()
        await back()
        assert await house.stop() == 0
        await said("The controller is not running", "TABLE OFFLINE")
        await house.start()
        await back()
        await validate(page, cents, "Table inventory")  # a restart signs everybody out
        await come(page, "flo")
        await _touch(page.get_by_role("checkbox", name="Base wager seen"))
        await _touch(page.get_by_role("radio", name="Table inventory"))
        await page.get_by_role("button", name=f"Validate {dollars(cents)}").click()
        await expect(page.get_by_text(f"Validated: {dollars(cents)}, slip 1")).to_be_visible()
        await expect(table.get_by_role("button", name="Position 2. Royal 9: accepted")).to_be_visible()

    visit(tmp_path, scene)


def test_a_floorperson_validates_with_a_telephone(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        page = await floor(browser, "flo", **PHONE)
        await expect(page.get_by_text("No award waits.")).to_be_visible()
        award = await hit(house, MAJOR, 2)
        cents = await due(house, award)
        await expect(page.get_by_role("heading", name="Royal 9 Major")).to_be_visible()
        assert await spills(page) == []
        await validate(page, cents)
        slip = page.get_by_role("article", name="Jackpot slip")
        await expect(slip).to_contain_text(dollars(cents))
        box = await slip.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE["width"]
        sign = await browser.page(PHONE["width"], PHONE["height"], "/signage")
        await expect(amount(sign, "Royal 9 Mega")).to_be_in_viewport()
        table = await looks(browser, "/table", **PHONE)
        assert await spills(table) == []
        await house.reopen()
        await house.bet(9)
        await house.lock()
        await expect(table.get_by_text("No more bets", exact=True)).to_be_visible()
        house.deal(NOTHING)
        await expect(table.get_by_text("Settled", exact=True)).to_be_visible()

    visit(tmp_path, scene)
