"""Hand entry: the rule as the page has it, one touch a card, what is shown before it is sent, and corrections."""

from itertools import product
from pathlib import Path

from playwright.async_api import Page, Route, expect

from controller.core.state import Award
from controller.rules.cards import RANKS, Hand, card
from controller.rules.drawing import judge, next_draw
from drivers.simulated.dealer import Round
from drivers.simulated.shoe import tell
from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console, sign_in, visit
from tests.console.pit import MEGA, cards, dollars, hit, locked, looks, spills
from tests.service.house import House

pytestmark = needs_a_browser
# In the order in which the pad takes them: two of the Player, two of the Banker, third cards.
MEGA_AT_1 = ("KS", "9S", "KS", "9S")
MINOR_AT_1 = ("KS", "9S", "2H", "3D")
SIX_KINGS = ("KS", "KH", "KC", "KS", "KD", "KH")
NOTHING = ("2H", "5D", "TC", "6C")
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


async def due(page: Page) -> list[str]:
    """What the pad says is due, line by line, once the controller has told it."""
    await expect(page.locator(".hand-settles")).to_have_attribute("aria-busy", "false")
    return [await each.inner_text() for each in await page.locator(".hand-settles [data-due]").all()]


async def undone(page: Page) -> list[str]:
    return await page.locator(".hand-settles [data-undone]").all_inner_texts()


async def send(page: Page) -> list[str]:
    """Send the hand; what the pad says was made due."""
    await page.locator("#send-hand").click()
    await page.locator("#pad-done").wait_for()
    return await due(page)


def made(house: House, round_: int) -> list[str]:
    """Positions and exact amounts of the awards of a round, as the journal has them: the largest first."""
    record = house.state().record(round_)
    assert record is not None
    awards = sorted(record.awards, key=lambda award: -award.amount_cents)
    return [f"Position {each.position}: {dollars(each.amount_cents)}" for each in awards]


def test_the_amounts_told_beforehand_are_those_of_the_awards_then_made(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await house.open()
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        floor, two, dealer = (
            "Call a floorperson to validate it",
            "Call a floorperson: two people validate it",
            "The dealer pays it",
        )
        for round_, (wager, positions, names, rows) in enumerate(
            [
                # A jackpot in two equal parts.
                ("harmony", (2, 5), SIX_KINGS, [("Harmony: Six of a kind", two), ("Harmony: Six of a kind", two)]),
                # The floor validates every jackpot; a small fixed row is the dealer's.
                ("royal9", (1, 2), MINOR_AT_1, [("Royal 9: Minor", floor), ("Royal 9: Any suited Royal 9", dealer)]),
                # Two people for the jackpot, one for the others' Envy.
                ("royal9", (1, 4), MEGA_AT_1, [("Royal 9: Mega", two), ("Royal 9: Mega Envy", floor)]),
                ("royal9", (1,), NOTHING, []),
            ],
            start=1,
        ):
            await house.bet(*positions, wager=wager)
            await house.lock()
            await page.locator("#enter-hand").click()
            await cards(page, *names)
            told = await due(page)
            assert house.sign.phase == "locked"  # nothing was sent
            assert made(house, round_) == []
            assert await send(page) == told
            assert [line.split("\n")[0] for line in told] == made(house, round_)
            assert [tuple(line.split("\n")[1:]) for line in told] == rows
            await page.locator("#pad-done").click()
            await house.reopen()

    visit(tmp_path, scene)


def test_a_hand_on_which_nothing_is_due_says_so_before_and_after(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#enter-hand").click()
        await cards(page, "2S", "3S", "KS", "4S")
        await expect(page.locator(".hand-settles")).to_contain_text("Nothing is due on the first four cards.")
        await cards(page, "9H")
        await expect(page.locator(".hand-settles")).to_contain_text("Nothing is due.")
        await send(page)
        await expect(page.locator(".hand-settles")).to_contain_text("No award.")

    visit(tmp_path, scene)


def test_a_correction_tells_what_it_undoes_before_it_does(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1, 2)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#enter-hand").click()
        await cards(page, *MEGA_AT_1)
        await send(page)
        await page.locator("#pad-done").click()
        envy, mega = sorted((await house.agree()).pending(), key=lambda award: award.amount_cents)

        await page.locator("#correct-hand").click()
        assert await page.locator(".hand-slots .card").count() == 4  # as they were entered
        await expect(page.locator(".hand-settles")).to_contain_text("Nothing else becomes due.")
        await expect(page.locator(".hand-settles .stands")).to_have_count(2)
        await page.locator("#clear").click()
        await cards(page, "2H", "7D", "KH", "9H")  # the Major of position 2
        told = await due(page)
        # And a fixed row of position 1: King and nine of one suit.
        major = dollars(house.sign.meter("royal9-major"))
        assert [line.split("\n")[0] for line in told] == [f"Position 2: {major}", "Position 1: $50.00"]
        gone = await undone(page)
        assert sorted(gone) == [
            f"Position 1, Royal 9: Mega: undone, {dollars(mega.amount_cents)}",
            f"Position 2, Royal 9: Mega Envy: undone, {dollars(envy.amount_cents)}",
        ]
        assert len((await house.agree()).pending()) == 2  # nothing was done
        assert (await send(page), await undone(page)) == (told, gone)
        assert {each.fate for each in recorded(house, 1) if each.outcome.startswith("mega")} == {"unwound"}

    visit(tmp_path, scene)


def recorded(house: House, round_: int) -> tuple[Award, ...]:
    record = house.state().record(round_)
    assert record is not None
    return record.awards


def test_a_correction_that_would_undo_what_was_validated_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        award = await hit(house, MEGA, 1)
        await house.sign_in("flo", "finn")
        await house.do("validate", "flo", "finn", award=award, method="slip", base_wager=True)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        await page.locator("#correct-hand").click()
        await page.locator("#clear").click()
        await cards(page, *NOTHING)
        told = page.locator(".hand-settles")
        await expect(told).to_contain_text("The controller would refuse it")
        await expect(told).to_contain_text("is validated, and these cards do not make it due")
        await expect(page.locator("#as-correction")).to_have_count(0)  # it is one
        await page.locator("#send-hand").click()  # the word is the controller's
        await expect(told).not_to_contain_text("would refuse")
        await expect(told.locator(".refusal")).to_contain_text("is validated")

    visit(tmp_path, scene)


def test_what_is_told_of_an_earlier_round_is_what_was_due_then(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 2)
        then = house.sign.meter("royal9-major")
        await house.reopen()
        await house.bet(1, 2, 3)
        await house.lock()
        await house.until(lambda: house.sign.meter("royal9-major") > then)
        house.deal(Round(("2H", "5D"), ("TC", "6C"), "player"))
        await house.until(lambda: house.sign.phase == "settled")
        page = await looks(browser, "/table")
        await sign_in(page, "flo")
        await page.locator("#correct-hand").click()
        assert await page.locator(".hand-slots .card").count() == 4
        await page.locator("#round-before").click()
        assert "Hand of round 1" in await page.locator(".hand-head").inner_text()
        assert await page.locator(".hand-slots .card").count() == 0  # those were of round 2
        await page.locator("#round-after").click()
        assert await page.locator(".hand-slots .card").count() == 4
        await page.locator("#round-before").click()
        await cards(page, "2H", "7D", "KH", "9H")
        told = await due(page)
        assert [line.split("\n")[0] for line in told] == [f"Position 2: {dollars(then)}"]
        assert await send(page) == told
        assert made(house, 1) == [f"Position 2: {dollars(then)}"]

    visit(tmp_path, scene)


def test_an_answer_that_is_lost_or_late_holds_nothing_up_and_the_newest_counts(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        asked: list[Route] = []

        async def hold(route: Route) -> None:
            asked.append(route)

        await page.route("**/api/command/preview-hand", hold)
        await page.locator("#enter-hand").click()
        await cards(page, *MEGA_AT_1)
        await house.until(lambda: len(asked) == 1)
        await expect(page.locator(".hand-settles")).to_contain_text("Asking the controller")
        await page.locator("#undo").click()
        await cards(page, "2D")  # a nine and a two: no Royal 9 of the Banker
        await house.until(lambda: len(asked) == 2)
        await asked[1].continue_()
        await expect(page.locator(".hand-settles [data-due]")).to_contain_text("Royal 9: Minor")
        async with page.expect_response("**/api/command/preview-hand"):
            await asked[0].continue_()  # the Mega, too late
        await page.evaluate("() => new Promise(requestAnimationFrame)")
        await expect(page.locator(".hand-settles [data-due]")).to_contain_text("Royal 9: Minor")

        await page.locator("#undo").click()
        await cards(page, "9S")
        await house.until(lambda: len(asked) == 3)
        await expect(page.locator(".hand-settles")).to_contain_text("The hand can be sent all the same.")
        assert "Mega" in (await send(page))[0]
        async with page.expect_response("**/api/command/preview-hand"):
            await asked[2].continue_()
        await page.evaluate("() => new Promise(requestAnimationFrame)")
        await expect(page.locator(".hand-settles")).to_contain_text("Round 1 is settled")

    visit(tmp_path, scene)


def test_cards_touched_quickly_are_asked_about_once(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "preview-hand" in request.url else None)
        await page.locator("#enter-hand").click()
        await page.evaluate(
            "(names) => names.forEach((name) => document.querySelector(`[data-card='${name}']`).click())",
            ["2S", "3S", "KS", "4S", "9H"],
        )
        await expect(page.locator(".hand-settles")).to_contain_text("Nothing is due.")
        assert len(asked) == 1

    visit(tmp_path, scene)


def test_cards_of_the_shoe_are_on_the_pad_and_a_keyed_one_is_never_replaced(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await locked(house, 1)
        page = await looks(browser, "/table")
        await sign_in(page, "dora")
        told = list(tell(Round(("2S", "3S", "9H"), ("KS", "4S"), "tie"), house.shoe))
        for message in told[:-2]:  # all but the third card and the result
            house.lines["shoe"].send(message)
        await expect(page.locator(".cards-dealt .card")).to_have_count(4)
        await page.locator("#enter-hand").click()
        assert await page.locator(".hand-slots .card").count() == 4
        assert "third card of the Player" in await says(page)
        for message in told[-2:]:  # a pad that nobody touched follows the shoe
            house.lines["shoe"].send(message)
        await expect(page.locator(".hand-slots .card")).to_have_count(5)
        await page.keyboard.press("Escape")

        await house.reopen()
        await house.bet(1)
        await house.lock()
        await page.locator("#enter-hand").click()
        await cards(page, "AS")
        house.deal(Round(("2H", "5D"), ("TC", "6C"), "player"))
        await expect(page.locator(".cards-dealt .card")).to_have_count(4)
        assert await page.locator(".hand-slots .card").count() == 1

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
        await expect(page.locator(".cards-dealt .card")).to_have_count(5)

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
        told = page.locator(".hand-settles")
        await page.locator("#undo").click()
        await cards(page, "4S")
        await expect(told).to_contain_text("The controller would refuse it")
        await page.locator("#send-four").click()
        await expect(told).not_to_contain_text("would refuse")  # from here on it did
        await expect(told.locator(".refusal")).to_contain_text("other cards are a correction")
        await page.locator("#as-correction").click()
        await expect(told).to_contain_text("Nothing else becomes due.")
        await page.locator("#send-four").click()
        await expect(told).to_contain_text("Four cards of round 1 are in")
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
