"""Hand entry: the rule as the page has it, one touch a card, what is shown before it is sent, and corrections."""

from itertools import product
from pathlib import Path

from playwright.async_api import Page

from controller.rules.cards import RANKS, Hand, card
from controller.rules.drawing import judge, next_draw
from tests.console.house import Browser, Console, needs_a_browser, sign_in, visit
from tests.console.pit import cards, locked, looks, spills
from tests.service.house import House

pytestmark = needs_a_browser
OF_VALUE = [card(f"{rank}S") for rank in ("T", *RANKS[:9])]


def every_combination() -> list[tuple[Hand, Hand]]:
    """Every pair of two-card counts with every third card or none: all that the rule can tell apart."""
    thirds: list[Hand] = [(), *((each,) for each in OF_VALUE)]
    zero = OF_VALUE[0]
    return [
        ((zero, one, *third), (zero, other, *fourth))
        for one, other, third, fourth in product(OF_VALUE, OF_VALUE, thirds, thirds)
    ]


def test_the_page_draws_third_cards_as_the_rules_do(tmp_path: Path) -> None:
    hands = every_combination()
    assert len(hands) == 10 * 10 * 11 * 11
    names = [[[str(each) for each in side] for side in pair] for pair in hands]
    script = """async (hands) => {
        const {judge, nextDraw, points} = await import("/static/drawing.js");
        return hands.map(([player, banker]) => {
            const whole = judge(player, banker);
            return [whole, whole === "impossible" ? null : nextDraw(player, banker).to, points(player), points(banker)];
        });
    }"""
    told: list[list[object]] = []

    async def scene(_house: House, _console: Console, browser: Browser) -> None:
        page = await browser.page(path="/table")
        told.extend(await page.evaluate(script, names))

    visit(tmp_path, scene, started=False)
    for (player, banker), (whole, to, players, bankers) in zip(hands, told, strict=True):
        verdict = judge(player, banker).verdict.value
        assert whole == verdict, (player, banker)
        if verdict != "impossible":
            draw = next_draw(player, banker).to
            assert to == (draw.value.lower() if draw else None), (player, banker)
        assert players == sum(each.value for each in player) % 10
        assert bankers == sum(each.value for each in banker) % 10


async def says(page: Page) -> str:
    return await page.locator(".hand-says").inner_text()


def test_a_hand_takes_one_touch_a_card_and_asks_for_a_third_only_when_the_rule_does(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1, 4)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#enter-hand").click()
        await cards(page, "2S", "3S", "KS")
        assert await page.locator("#send-hand").is_disabled()
        await cards(page, "4S")
        assert await says(page) == "The Player draws on 5: third card of the Player"
        assert await page.locator(".hand-side.player .slot").count() == 3
        assert await page.locator(".hand-side.banker .slot").count() == 2
        await cards(page, "7H")
        assert "the Banker draws on 4" in await says(page)
        await page.locator("#undo").click()
        await cards(page, "9H")  # on a nine the Banker stays on 4
        assert "the Banker stays on 4. The hand is complete." in await says(page)
        assert await page.locator("[data-card='AS']").is_hidden()
        await page.locator(".hand-settles strong").first.wait_for()
        assert "Tie at 4" in await page.locator(".hand-settles").inner_text()
        assert house.sign.phase == "locked"  # shown before it is sent
        assert await spills(page) == []
        await page.locator("#send-hand").click()
        await page.locator("#pad-done").wait_for()
        await house.until(lambda: house.sign.phase == "settled")
        record = house.state().record(1)
        assert record is not None
        assert (record.player, record.banker) == (("2S", "3S", "9H"), ("KS", "4S"))

    visit(tmp_path, scene)


def test_a_card_that_was_wrong_is_touched_and_replaced_and_takes_its_third_cards_with_it(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#enter-hand").click()
        await cards(page, "2S", "3S", "KS", "4S", "7H", "8D")
        assert await page.locator(".hand-slots .card").count() == 6
        await page.locator("#slot-player-1").click()
        assert "in place of card 2" in await says(page)
        await cards(page, "7S")  # nine points: a natural, and nobody draws
        assert await page.locator(".hand-slots .card").count() == 4
        assert "nobody draws" in await says(page)
        await page.locator("#undo").click()
        assert await page.locator(".hand-slots .card").count() == 6

    visit(tmp_path, scene)


def test_what_a_hand_settles_is_shown_with_the_meter_and_the_wagers_that_are_in(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1, 4)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#enter-hand").click()
        await cards(page, "KS", "9S", "KS", "9S")
        jackpot = page.locator(".hand-settles .jackpot")
        await jackpot.wait_for()
        shown = await jackpot.inner_text()
        cents = house.sign.meter("royal9-mega")
        for words in ("Royal 9: Mega", "K♠ 9♠", f"${cents // 100:,}.{cents % 100:02}", "In at positions 1, 4"):
            assert words in shown
        await page.locator("#send-hand").click()
        await page.locator("#pad-done").wait_for()
        told = await page.locator(".hand-settles").inner_text()
        assert f"Position 1: ${cents // 100:,}.{cents % 100:02}" in told
        assert "Position 4: $5,000.00" in told
        assert "Call a floorperson" in told

    visit(tmp_path, scene)


def test_four_cards_are_sent_first_and_the_rest_later_and_a_mistake_is_corrected(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 2)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#enter-hand").click()
        await cards(page, "2S", "3S", "KS", "4S")
        await page.locator("#send-four").click()
        await house.until(lambda: house.sign.phase == "dealt")
        await cards(page, "9H")
        await page.locator("#send-hand").click()
        await page.locator("#pad-done").click()
        await house.until(lambda: house.sign.phase == "settled")
        assert await page.locator(".cards-dealt .card").count() == 5

        await page.locator("#correct-hand").click()
        await page.locator("#clear").click()
        await cards(page, "2H", "7D", "KH", "9H")
        await page.locator("#send-hand").click()
        await page.locator("#pad-done").wait_for()
        (award,) = (await house.agree()).pending()
        assert (award.outcome, award.position) == ("major", 2)

    visit(tmp_path, scene)


def test_other_cards_than_those_known_are_refused_in_words_and_can_be_sent_as_a_correction(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 2)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#enter-hand").click()
        await cards(page, "2S", "3S", "KS", "4S")
        await house.do(
            "enter-hand", "dora", round=1, player=["2S", "2S"], banker=["KS", "4S"]
        )  # someone else was quicker
        await page.locator("#send-four").click()
        refused = page.locator(".hand-settles .refusal")
        await refused.wait_for()
        assert "other cards are a correction" in await refused.inner_text()
        await page.locator("#as-correction").click()
        await refused.wait_for(state="detached")
        await house.until(lambda: (record := house.state().record(1)) and record.player == ("2S", "3S"))

    visit(tmp_path, scene)


def test_on_a_phone_a_card_is_a_rank_and_a_suit(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1)
        page = await looks(browser, "/table", width=390, height=844)
        await sign_in(page, "dora")
        await page.locator("#enter-hand").click()
        assert await page.locator("[data-card='AS']").is_hidden()
        assert await spills(page) == []
        for rank, suit in ("KS", "9S", "2H", "7D"):
            await page.locator(f"[data-rank='{rank}']").click()
            await page.locator(f"[data-suit='{suit}']").click()
        assert await spills(page) == []
        await page.locator("#send-hand").click()
        await page.locator("#pad-done").wait_for()
        await house.until(lambda: house.sign.phase == "settled")

    visit(tmp_path, scene)


def test_a_floorperson_enters_the_hand_of_a_round_before_and_a_dealer_is_not_offered_it(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 2)
        await house.reopen()
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#simulated-round").wait_for()
        assert await page.locator("#late-hand").count() == 0
        await sign_in(page, "flo")
        await page.locator("#late-hand").click()
        assert "Hand of round 1" in await page.locator(".hand-head").inner_text()
        await cards(page, "2H", "7D", "KH", "9H")
        await page.locator("#send-hand").click()
        await page.locator("#pad-done").wait_for()
        (award,) = (await house.agree()).pending()
        assert (award.round, award.outcome) == (1, "major")

    visit(tmp_path, scene)
