"""Messages that no controller ever said, on every topic: pages stay alive, throw nothing, and go on with the truth."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import structlog
from msgspec import json
from playwright.async_api import Page
from structlog.testing import capture_logs

from controller.console.live import Live
from controller.mqtt import Said
from controller.wire.channels import STATES
from controller.wire.examples import EXAMPLES
from tests.console.browsers import needs_a_browser
from tests.console.house import Browser, Console
from tests.console.spoken import SPOKEN, Spoken, Tables, listen, until
from tests.service.house import WAIT_SECONDS

pytestmark = needs_a_browser
PAGES = ("/signage", "/table", "/floor", "/audit", "/proof")
AMOUNT = "#sign [data-meter=royal9-mystery] .amount"
IDS = {"meter": "royal9-mystery", "award": "mb-07-1843-1", "device": "rail"}
# In place of any value: of every kind, and such as programs trip over.
STRANGE: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, 2**53, 10**30, "", "x", "__proto__", "1e9", "9999-99-99T99:99:99.999999Z"),
    *([], [None], ["x"], {}, {"x": None}, {"1": {"x": "y"}}, {"0": {}, "17": {}, "99999999999999999999": {}}),
)
RAW = (b"{", b"[]", b"null", b"5", b'"x"', b"\xff\xfe", b"[" * 90_000, b'{"v":1,"v":2}', b'{"__proto__":{"x":1}}')
# Everything that can reach a page, one after the other. Over the broker it would get only the newest of each topic.
TAKE = """async ([table, every]) => {
    const {connect} = await import("/static/live.js");
    const live = connect(document.querySelector("#sign")?.dataset.tables.split(",") ?? [table]);
    for (const [topic, message] of every) {
        live.tables.get(table).places.clear(); // as if it were newer
        live.take({type: "said", table, topic, message, retained: false});
        await new Promise((done) => setTimeout(done));
    }
    live.tables.get(table).places.clear();
}"""
# A broker drops what a client that is slow to take it lets pile up, a thousand messages as a rule.
AT_ONCE = 400
CENTS = """async ([table, cents]) => {
    const {connect} = await import("/static/live.js");
    return connect([table]).get(table, "meters/harmony").display_cents === cents;
}"""
# Believed by the page's own script: what it holds of a topic now.
HELD = """async ([table, topic, seq]) => {
    const {connect} = await import("/static/live.js");
    return (connect([table]).get(table, topic)?.seq ?? 0) >= seq;
}"""


def changed(value: object) -> Iterator[Any]:
    """A value with something strange in each of its places in turn, and with each of them missing."""
    yield from STRANGE
    if isinstance(value, dict):
        for key, part in value.items():
            yield {name: each for name, each in value.items() if name != key}
            yield from ({**value, key: each} for each in changed(part))
    elif isinstance(value, list) and value:
        yield from ([each, *value[1:]] for each in changed(value[0]))


def forged() -> Iterator[tuple[str, bytes]]:
    """Every topic a page hears, and all that may stand there instead."""
    for channel in STATES:
        if not channel.retained:
            continue
        topic = channel.address.format(**IDS)
        yield from ((topic, raw) for raw in RAW)
        for example in EXAMPLES[channel.types[0]].values():
            told = json.decode(json.encode(example))
            yield from ((topic, json.encode(each)) for each in changed(told))


def let_through(name: str, every: Iterable[tuple[str, bytes]]) -> list[tuple[str, Any]]:
    """What of it a console takes for a message, and tells its pages."""

    async def heard() -> list[tuple[str, Any]]:
        live = Live([name], structlog.get_logger())
        page = live.follow([name])
        await page.next()
        found = []
        for topic, payload in every:
            live.hear(name, topic, payload, retained=False)
            if len(page):
                found.append((topic, json.decode(await page.next())["message"]))
        return found

    with capture_logs():
        return asyncio.run(heard())


async def watched(browser: Browser, path: str) -> Page:
    page = await browser.page(path=path)
    await page.locator("[data-state=live]").first.wait_for()
    return page


async def agrees(page: Page, table: Spoken, seq: int) -> None:
    """The page has heard the newest of everything, and shows it."""
    for topic in ("round", "meters/royal9-mystery", "status"):
        await until(page, HELD, [table.name, topic, seq])
    await page.locator("[data-state=live]").first.wait_for()


def test_every_page_outlives_what_no_controller_says(tmp_path: Path) -> None:
    every = list(forged())
    possible = let_through(SPOKEN[0], every)
    assert len(every) > 2000
    assert 100 < len(possible) < len(every) / 2

    async def scene(tables: Tables, console: Console, browser: Browser) -> None:
        table = tables.first
        base = f"jackpot/{table.name}"
        await table.meters("royal9-mystery", "harmony")
        await table.say("round", round=1, phase="open", positions={"1": {"royal9": "off"}})
        pages = [await watched(browser, path) for path in PAGES]
        for page in pages:
            await page.evaluate(TAKE, [table.name, possible])
        assert not browser.errors
        for begin in range(0, len(every), AT_ONCE):
            some = every[begin : begin + AT_ONCE]
            await tables.broker.publish_all(Said(f"{base}/{topic}", payload) for topic, payload in some)
            await table.meter("harmony", 2_600_000 + begin)  # in order: who has this has heard the others
            await until(pages[0], CENTS, [table.name, 2_600_000 + begin])
        # Back to what is true, and newer than all of it. A start of the controller begins a new epoch.
        end: dict[str, Any] = {"epoch": 2**53 - 1, "seq": 2**53 - 1}
        table.status |= end
        positions = {str(each): {"royal9": "placed"} for each in range(1, 10)}
        await table.say("status", **table.status)
        await table.say("round", round=2, phase="open", positions=positions, **end)
        await table.meter("royal9-mystery", 77_700, **end)
        for page in pages:
            await agrees(page, table, end["seq"])
        sign, felt, *_ = pages
        await until(sign, f"() => document.querySelector('{AMOUNT}')?.dataset.cents === '77700'")
        await felt.locator("[data-position='9'] .lamp-placed").wait_for()
        assert await felt.locator(".seat").count() == 9
        assert len(console.logged("message-left-out")) > 1000
        assert console.runs
        assert not browser.errors

    listen(tmp_path, scene)


def test_a_page_that_throws_is_seen(tmp_path: Path) -> None:
    async def scene(_tables: Tables, _console: Console, browser: Browser) -> None:
        page = await watched(browser, "/table")
        await page.evaluate(
            """async (table) => {
            const {connect} = await import("/static/live.js");
            connect([table]).on((_, topic) => { if (topic === "x") throw new Error("tripped"); });
            connect([table]).take({type: "said", table, topic: "x", message: {}});
        }""",
            SPOKEN[0],
        )
        async with asyncio.timeout(WAIT_SECONDS):
            while not browser.errors:
                await asyncio.sleep(0.02)
        assert "tripped" in browser.errors[0]
        browser.errors.clear()

    listen(tmp_path, scene)


def test_the_felt_takes_sixteen_positions_and_nothing_that_is_none(tmp_path: Path) -> None:
    async def scene(_tables: Tables, _console: Console, browser: Browser) -> None:
        page = await watched(browser, "/table")
        script = """async (positions) => {
            const {numbered} = await import("/static/felt.js");
            return numbered(Object.fromEntries(positions.map((each) => [each, {}])));
        }"""
        assert await page.evaluate(script, [str(each) for each in range(1, 17)]) == list(range(1, 17))
        wrong = ["0", "17", "x", "-1", "1.5", "01", "1e1", "__proto__", "99999999999999999999"]
        assert await page.evaluate(script, ["2", *wrong, "1"]) == [1, 2]

    listen(tmp_path, scene)
