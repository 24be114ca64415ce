"""A meter that tables share, on the sign, the table's page and the page of proofs."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect

from tests.console.house import Browser, Console
from tests.console.spoken import SPOKEN, Tables, hit, listen, now, until
from tests.console.test_signage_shown import PHONE, TABLET, TALL, WIDE, look, sign
from tests.outlets.brokers import needs_mosquitto

pytestmark = needs_mosquitto
LINK = "pit-3"
EVERY = f"tables={','.join(SPOKEN)}"
TABLE, OTHER = (name.partition("/")[2] for name in SPOKEN[:2])


def linked(line: int, **more: object) -> dict[str, Any]:
    """What makes a meter one of a link."""
    return {"link": LINK, "link_seq": line, "cycle": 1, **more}


def won(table: str, position: int, cents: int, at: str, award: str) -> dict[str, Any]:
    return {**hit(position, cents, at=at), "table": table, "award": award}


SHOWS = "(told) => document.querySelector('[data-meter=harmony] .amount').getAttribute('aria-label') === told"


async def shows(page: Page, dollars: str) -> None:
    """Wait until the sign shows an amount of the shared meter."""
    await until(page, SHOWS, f"${dollars}")


def test_a_shared_meter_is_shown_once_and_by_who_knows_most(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        first, second = tables.all[:2]
        for table in tables.all:
            await table.meters("royal9-mega", "royal9-minor")
        await first.meter("harmony", 2_500_000, **linked(7))
        await second.meter("harmony", 2_500_500, **linked(9))
        page = await sign(browser, query=EVERY)
        panel = page.locator(f".panel[data-table='link:{LINK}']")
        await expect(panel.locator(".name")).to_have_text(f"Linked jackpot {LINK}")
        await expect(page.locator("#sign [data-meter=harmony]")).to_have_count(1)
        await expect(page.locator(".panel")).to_have_count(1 + len(SPOKEN))
        await shows(page, "25,005.00")
        assert await page.evaluate("document.querySelector('.panel').dataset.table") == f"link:{LINK}"  # first of all
        # A table that lost the link does not speak for it; one that has it does.
        await second.meter("harmony", 2_500_500, **linked(9, state="faulted"))
        await shows(page, "25,000.00")
        await first.meter("harmony", 2_500_000, **linked(7, state="faulted"))
        await panel.locator("[data-meter=harmony][data-state=faulted]").wait_for()
        await first.meter("harmony", 2_501_000, **linked(12))
        await shows(page, "25,010.00")
        for size in (WIDE, TALL, TABLET, PHONE):
            await page.set_viewport_size({"width": size[0], "height": size[1]})
            await page.wait_for_timeout(600)  # two looks at the size of the screen
            await look(page)

    listen(tmp_path, scene)


def test_a_hit_of_a_shared_meter_fills_the_screen_once_with_its_table(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        first, second = tables.all[:2]
        await first.meters("royal9-mega")
        await second.meters("royal9-mega")
        await first.meter("harmony", 500_000, **linked(20))
        await second.meter("harmony", 500_000, **linked(20))
        page = await sign(browser, query=EVERY)
        at = now()
        # Its own table calls it by the award, the others as the link does.
        await second.meter("harmony", 500_000, [won(OTHER, 4, 3_100_250, at, f"{OTHER}-733-1")], **linked(21, cycle=2))
        await first.meter(
            "harmony", 500_000, [won(OTHER, 4, 3_100_250, at, f"{OTHER}-731-i1/4")], **linked(21, cycle=2)
        )
        screen = page.locator("#hit")
        await screen.wait_for()
        await expect(screen.locator(".who")).to_have_text("Position 4")
        await expect(screen.locator(".where")).to_have_text(f"Table {OTHER}")
        await expect(screen.locator(".prize")).to_have_text("$31,002.50")
        beside = page.locator("#sign [data-meter=harmony] .hit")
        await expect(beside).to_have_count(1)
        await expect(beside.locator(".who")).to_have_text(f"Table {OTHER}, Position 4")
        await second.meter("harmony", 500_000, **linked(22, cycle=2))
        await first.meter("harmony", 500_000, **linked(22, cycle=2))
        await screen.wait_for(state="hidden")
        await expect(beside).to_have_count(0)

    listen(tmp_path, scene)


def test_a_sign_of_one_table_names_the_table_of_a_hit_elsewhere(tmp_path: Path) -> None:
    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meters("royal9-mega")
        elsewhere = won(OTHER, 6, 2_700_000, now(), f"{OTHER}-88-i1/6")
        await tables.first.meter("harmony", 500_000, [elsewhere], **linked(5))
        page = await sign(browser)
        await expect(page.locator("#hit .where")).to_have_text(f"Table {OTHER}")
        await expect(page.locator("#sign [data-meter=harmony] .hit .who")).to_have_text(f"Table {OTHER}, Position 6")
        table = await browser.page(path="/table")
        meter = table.locator("[data-meter=harmony]")
        await expect(meter.locator(".meter-link")).to_contain_text(LINK)
        await expect(meter.locator(".meter-hit")).to_contain_text(f"Table {OTHER}")
        await expect(meter.locator("a.meter-hit")).to_have_count(0)  # it is validated where it was won

    listen(tmp_path, scene)


def test_a_shared_mystery_is_proven_in_the_name_of_the_link(tmp_path: Path) -> None:
    nonce = bytes(range(32))
    parts = [b"jackpotd/mystery/v1", LINK.encode(), b"must-hit-by"]
    promised = b"".join(len(part).to_bytes(2, "big") + part for part in parts)
    promised += (3).to_bytes(8, "big") + (41_234).to_bytes(8, "big") + nonce
    reveal = {
        "value_cents": 41_234,
        "nonce": nonce.hex(),
        "cycle": 3,
        "commitment": sha256(promised).hexdigest(),
    }

    async def scene(tables: Tables, _console: Console, browser: Browser) -> None:
        await tables.first.meter("must-hit-by", **linked(44))
        await tables.first.say("proofs/must-hit-by", commitment="cd" * 32, cycle=4, reveals=[reveal], link=LINK)
        page = await browser.page(path="/proof")
        card = page.locator(f"section.card[data-table='{LINK}']")
        await expect(card).to_have_count(1)
        await expect(card.locator("td.verdict")).to_have_attribute("data-verdict", "fits")

    listen(tmp_path, scene)
