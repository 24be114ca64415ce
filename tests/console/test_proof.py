"""The proof page: promises and reveals, checked by the visitor's own browser, which believes nobody."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from controller.vault import commitment
from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, visit
from tests.console.recorded import record
from tests.console.spoken import SPOKEN, Tables, listen, until
from tests.console.test_signage import dollars
from tests.service.house import House

pytestmark = needs_a_browser
TABLE, METER = SPOKEN[0], "royal9-mystery"
VECTOR = "457f5d051bae924e1ac4f98ae63697f97222b89c662068f3db67b63f509907b4"
NO_CRYPTO = "Object.defineProperty(Crypto.prototype, 'subtle', {get: () => undefined});"
VERDICTS = ".reveals td.verdict:not([data-verdict=checking])"


def reveal(cycle: int, cents: int = 61_234, promised: int | None = None) -> dict[str, Any]:
    """A value that was revealed; `promised` is the one that had been promised, if it was another."""
    nonce = sha256(str(cycle).encode()).digest()
    promise = commitment(TABLE, METER, cycle, cents if promised is None else promised, nonce)
    return {"cycle": cycle, "value_cents": cents, "nonce": nonce.hex(), "commitment": promise}


async def fill(page: Page, **values: str) -> None:
    """Type values into the form, and have them checked."""
    for name, value in values.items():
        await page.fill(f"#own [name={name}]", value)
    await page.click("#own .primary")


def test_every_mystery_hit_of_a_real_table_is_checked_in_the_browser(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        record(house)
        await house.start()
        page = await browser.page(path="/proof")
        await page.locator(VERDICTS).first.wait_for()
        proof = house.sign.topics[f"proofs/{METER}"]
        assert await page.locator(".card .promise").inner_text() == proof["commitment"]
        assert await page.locator("#self-test").get_attribute("data-verdict") == "fits"
        rows = page.locator(".reveals tbody tr")
        assert await rows.count() == len(proof["reveals"]) > 2
        for row, told in zip(await rows.all(), reversed(proof["reveals"]), strict=True):
            words = await row.inner_text()
            for each in (dollars(told["value_cents"]), told["nonce"], told["commitment"], "Fits"):
                assert each in words
        await browser.screenshot(page, "proof")
        # By hand: the values of a row go into the form, and give the same.
        await rows.first.get_by_role("button").click()
        assert await page.input_value("#own [name=table]") == NAME
        await page.click("#own .primary")
        await page.locator("#answer [data-verdict=fits]").wait_for()

    visit(tmp_path, scene, started=False)


def test_a_value_that_was_changed_does_not_fit(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        reveals = [reveal(1), reveal(2, promised=61_235), reveal(3) | {"nonce": "00" * 32}]
        await tables.first.say(f"proofs/{METER}", commitment="ab" * 32, cycle=4, reveals=reveals)
        page = await browser.page(path="/proof")
        await until(page, f"() => document.querySelectorAll('{VERDICTS}').length === 3")
        found = await page.locator(VERDICTS).evaluate_all("(all) => all.map((each) => each.dataset.verdict)")
        assert found == ["differs", "differs", "fits"]  # the newest first
        assert "DOES NOT FIT" in await page.locator(VERDICTS).first.inner_text()
        await browser.screenshot(page, "proof-differs")

    listen(tmp_path, scene)


def test_the_browser_remembers_what_it_saw_before_the_hit(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        promised = reveal(1)
        await tables.first.say(f"proofs/{METER}", commitment=promised["commitment"], cycle=1, reveals=[])
        page = await browser.page(path="/proof")
        assert await page.locator(".card .none").inner_text() == (
            "It has not been won yet. When it is, the value will stand here."
        )
        await page.reload()  # another day
        await tables.first.say(f"proofs/{METER}", commitment="cd" * 32, cycle=2, reveals=[promised])
        await page.locator("td.verdict .seen").wait_for()
        assert "This browser first saw the fingerprint on" in await page.locator("td.verdict").inner_text()
        stranger = await browser.page(path="/proof")
        await stranger.locator(VERDICTS).wait_for()
        assert await stranger.locator("td.verdict .seen").count() == 0

    listen(tmp_path, scene)


@pytest.mark.parametrize(("count", "kept"), [(199, True), (200, False)])
def test_it_remembers_two_hundred_of_them(tmp_path: Path, count: int, kept: bool) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        page = await browser.page(path="/proof")
        await page.evaluate(
            """(count) => {
                const at = (number) => new Date(Date.UTC(2020, 0, 1) + number * 1000).toISOString();
                const known = Array.from({length: count}, (_, number) => [`p${number}`, at(number)]);
                localStorage.setItem("jackpotd.promises", JSON.stringify(Object.fromEntries(known)));
            }""",
            count,
        )
        await tables.first.say(f"proofs/{METER}", commitment="ab" * 32, cycle=1, reveals=[])
        await page.locator(".card .seen").wait_for()
        remembered = await page.evaluate("JSON.parse(localStorage.getItem('jackpotd.promises'))")
        assert len(remembered) == 200
        assert ("p0" in remembered) is kept  # the oldest goes first
        assert "ab" * 32 in remembered

    listen(tmp_path, scene)


def test_a_visitor_types_in_values_of_his_own(tmp_path: Path) -> None:
    async def scene(_tables: Tables, _console: Console, browser: Browser) -> None:
        page = await browser.page(path="/proof")
        await page.locator("#self-test[data-verdict=fits]").wait_for()
        await page.click("#example")
        await page.click("#own .primary")
        await page.locator("#answer [data-verdict=fits]").wait_for()
        assert await page.locator("#answer .promise").inner_text() == VECTOR
        await fill(page, value="432.11")  # one cent more
        await page.locator("#answer [data-verdict=differs]").wait_for()
        assert await page.locator("#answer .promise").inner_text() != VECTOR
        await fill(page, value="$432.1", promise="")
        await page.locator("#answer [data-verdict=computed]").wait_for()
        assert await page.locator("#answer .promise").inner_text() == VECTOR
        wrong = {
            "table": "",
            "meter": "",
            "cycle": "1.5",
            "value": "4,32.10",
            "nonce": "00" * 31,
            "promise": "zz" * 32,
        }
        for name, value in wrong.items():
            good = await page.input_value(f"#own [name={name}]")
            await fill(page, **{name: value})
            await page.locator(f"#own [name={name}][aria-invalid]").wait_for()
            assert await page.locator("#answer .problem").is_visible()
            assert await page.evaluate("document.activeElement.name") == name
            await fill(page, **{name: good})
            await page.locator("#answer .verdict").wait_for()
        # As printed: in groups, in capitals, with a comma.
        nonce = " ".join(f"{number:02X}" for number in range(32))
        await fill(page, value="$1,000,432.10", nonce=nonce, cycle="9223372036854775807")
        large = commitment("valley-forge/mb-07", "must-hit-by", 2**63 - 1, 100_043_210, bytes(range(32)))
        await until(page, "(promise) => document.querySelector('#answer .promise')?.textContent === promise", large)
        await fill(page, cycle="9223372036854775808")  # more than a cycle can be
        await page.locator("#own [name=cycle][aria-invalid]").wait_for()

    listen(tmp_path, scene)


def test_without_a_safe_connection_it_says_that_nothing_was_checked(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.say(f"proofs/{METER}", commitment="ab" * 32, cycle=2, reveals=[reveal(1)])
        context = await browser.context()
        await context.add_init_script(NO_CRYPTO)
        page = await browser.page(path="/proof", context=context)
        await page.locator(VERDICTS).wait_for()
        assert await page.locator("#self-test").get_attribute("data-verdict") == "unchecked"
        assert "https" in await page.locator("#self-test").inner_text()
        assert await page.locator(VERDICTS).get_attribute("data-verdict") == "unchecked"
        assert await page.locator("#own .primary").is_disabled()

    listen(tmp_path, scene)


def test_a_browser_that_computes_wrongly_is_not_believed(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.say(f"proofs/{METER}", commitment="ab" * 32, cycle=2, reveals=[reveal(1)])
        context = await browser.context()
        await context.add_init_script("SubtleCrypto.prototype.digest = async () => new ArrayBuffer(32);")
        page = await browser.page(path="/proof", context=context)
        await page.locator("#self-test[data-verdict=differs]").wait_for()
        assert await page.locator(VERDICTS).get_attribute("data-verdict") == "unchecked"

    listen(tmp_path, scene)


@pytest.mark.parametrize("language", ["en", "zh-Hans", "zh-Hant"])
@pytest.mark.parametrize("size", [(1280, 900), (390, 844)], ids=["desk", "phone"])
def test_the_explanation_is_there_in_every_language_and_on_a_phone(
    tmp_path: Path, language: str, size: tuple[int, int]
) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meter(METER)
        await tables.first.say(f"proofs/{METER}", commitment="ab" * 32, cycle=3, reveals=[reveal(1), reveal(2)])
        page = await browser.page(*size, path=f"/proof?lang={language}")
        await page.locator(VERDICTS).first.wait_for()
        await page.locator("#banner[data-state=live]").wait_for()
        words = await page.locator("body").inner_text()
        assert "proof." not in words
        assert await page.locator(".why li").count() == 4
        assert await page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")  # no scrolling sideways
        await browser.screenshot(page, f"proof-{language}-{size[0]}")
        unlabelled = "() => Array.from(document.querySelectorAll('input')).filter((each) => !each.labels.length).length"
        assert await page.evaluate(unlabelled) == 0
        # The shown recipe is the real one.
        recipe = await page.locator("pre").inner_text()
        printed: list[str] = []
        exec(recipe, {"print": printed.append})  # noqa: S102 -- our own four lines, as a visitor would run them
        assert printed == [VECTOR]

    listen(tmp_path, scene)


def test_what_a_table_says_is_text_on_the_proof_page_too(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"

    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meter(METER, label=evil)
        await tables.first.say(f"proofs/{METER}", commitment="ab" * 32, cycle=2, reveals=[reveal(1)])
        page = await browser.page(path="/proof")
        await page.locator(".reveals td.verdict[data-verdict=fits]").wait_for()
        assert evil in await page.locator(".card h3").inner_text()
        assert await page.locator("#proof img").count() == 0

    listen(tmp_path, scene)
