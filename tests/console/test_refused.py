"""What is refused is told in the language of the page: what it means first, then the controller's own sentence."""

import re
from pathlib import Path
from typing import get_args

import pytest
from playwright.async_api import expect

from controller.console.assets import FOLDER
from controller.console.texts import LANGUAGES, load
from controller.wire.commands import ErrorName
from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console, sign_in, visit
from tests.console.pit import NOTHING, looks
from tests.service.house import House

OF_THE_CONSOLE = set(re.findall(r'RefusedError\(\d{3}, "([a-z-]+)"', (FOLDER / "api.py").read_text()))
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("error", sorted({*get_args(ErrorName), *OF_THE_CONSOLE}))
def test_every_refusal_has_words_in_every_language(error: str) -> None:
    for language in LANGUAGES:
        known = load().catalog(language)
        told = [known[f"{key}_{error}"] for key in ("base.because", "table.refused", "table.remedy")]
        assert all(bool(CHINESE.search(each)) is (language != "en") for each in told), (language, told)


@needs_a_browser
@pytest.mark.parametrize("language", ["zh-Hans", "zh-Hant"])
def test_a_refusal_on_a_chinese_page_is_chinese_with_the_controllers_sentence_below(
    tmp_path: Path, language: str
) -> None:
    words = load().catalog(language)

    async def scene(house: House, _console: Console, browser: Browser) -> None:
        floor = await looks(browser, f"/floor?lang={language}")
        await floor.locator("#floor-sign-in input[type=text]").fill("flo")
        await floor.locator("#floor-sign-in input[type=password]").fill("000000")
        await floor.locator("#floor-sign-in button[type=submit]").click()
        refused = floor.locator(".refusal")
        await expect(refused.locator("strong")).to_have_text(words["table.refused_wrong-pin"])
        await expect(refused.locator("p").first).to_have_text(words["base.because_wrong-pin"])
        own = refused.locator(".own-words")
        await expect(own).to_have_attribute("lang", "en")
        assert not CHINESE.search(await own.inner_text())
        # The same where the controller refuses a hand: its sentence names the card.
        await house.open()
        await house.lock()
        table = await looks(browser, f"/table?lang={language}")
        await sign_in(table, "dora")
        house.deal(NOTHING)
        await table.locator("#correct-hand").wait_for()
        error = await table.evaluate(
            """async (table) => {
                const {command} = await import("/static/api.js");
                const {refusal} = await import("/static/parts.js");
                const fields = {round: 1, player: ["2H", "7D"], banker: ["TC", "6C", "5S"]};
                try { await command(table, "correct-hand", fields); } catch (why) {
                    document.getElementById("said").replaceChildren(refusal(why));
                    return why.error;
                }
            }""",
            "valley-forge/mb-07",
        )
        refused = table.locator("#said .refusal")
        assert error == "bad-hand"
        await expect(refused.locator("p").first).to_have_text(words["base.because_bad-hand"])
        await expect(refused.locator(".remedy")).to_have_text(words["table.remedy_bad-hand"])
        assert not CHINESE.search(await refused.locator(".own-words").inner_text())

    visit(tmp_path, scene)
