"""From a subscriber of the broker to a pixel of a sign, beside the broker's own hop.

A table that only speaks says how its meters stand; a bare socket in this process, the console and a browser hear it.
Times begin when the bare socket has a message, and end after the frame that shows it. Both ends read this machine's
clock. Two signs are looked at: on one amounts jump, so that the first new frame has all of it; on the other they roll,
and are waited for until they have come to rest.
"""

import asyncio
import shutil
import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import json
from playwright.async_api import Browser, Page, async_playwright

from bench.brokers import LOOPBACK, MOSQUITTO, mosquitto
from bench.consoles import console
from bench.places import folder
from bench.raw_mqtt import RawClient, connected
from bench.report import Figure, Note, progress
from bench.service_latency import p50, p99
from controller.wire import topics

CHROMIUM = shutil.which("chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
SITE, TABLE = "bench", "mb-01"
JUMPS, ROLLS = "harmony", "royal9-mega"  # the meter of each sign
SECONDS = 45.0
PACE_SECONDS = {JUMPS: 0.07, ROLLS: 1.1}  # between two amounts: no multiple of a frame; and longer than wheels roll
STATUS_SECONDS = 1.0
BEHIND_MS = 1000.0  # a sign is never more than a second behind
SETTLE_SECONDS = 2.0
STEP_CENTS = 95  # what one Harmony wager adds

# When each amount was told to the page's script, and when the frame had been made that shows it: a task that is begun
# in a frame's callback runs after that frame.
WATCH = """async ([table, meter]) => {
    const {connect} = await import("/static/live.js");
    const now = () => performance.timeOrigin + performance.now();
    const watched = window.watched = {told: {}, shown: {}};
    connect([table]).on((_, topic, message) => {
        if (topic === `meters/${meter}`) watched.told[message.display_cents] ??= now();
    });
    const amount = document.querySelector(`#sign [data-meter="${meter}"] .amount`);
    const after = (then) => requestAnimationFrame(() => {
        const {port1, port2} = new MessageChannel();
        port1.onmessage = then;
        port2.postMessage(null);
    });
    new MutationObserver(() => {
        const {cents} = amount.dataset;
        after(() => { watched.shown[cents] ??= now(); });
    }).observe(amount, {attributes: true, attributeFilter: ["data-cents"]});
}"""


class Speaker:
    """A table that only speaks, and when the bare socket heard it."""

    def __init__(self) -> None:
        self.said: dict[int, float] = {}  # by the amount, which is never said twice
        self.heard: dict[int, float] = {}
        self.of: dict[str, list[int]] = {JUMPS: [], ROLLS: []}
        self._cents = {JUMPS: 2_500_000, ROLLS: 5_500_000}
        self._seq = 0
        self._publisher: RawClient | None = None

    async def connect(self, port: int) -> None:
        """Its two sockets."""
        self._publisher = await connected(port, "speaker")
        hearer = await connected(port, "hearer", self._hear)
        await hearer.subscribe(f"{topics.base(SITE, TABLE)}/meters/+")

    def _hear(self, _: float, __: str, payload: bytes) -> None:
        now = time.time()
        self.heard.setdefault(json.decode(payload)["display_cents"], now)

    def say(self, topic: str, **message: Any) -> None:  # noqa: ANN401 -- as the topic has it
        """Publish a message, the next in order."""
        if self._publisher is None:
            raise RuntimeError("connect first")
        self._seq += 1
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        whole = json.encode({"v": 1, "epoch": 1, "seq": self._seq, "at": at, **message})
        self._publisher.publish(f"{topics.base(SITE, TABLE)}/{topic}", whole)

    def raise_(self, meter: str) -> None:
        """A wager more."""
        self._cents[meter] += STEP_CENTS
        cents = self._cents[meter]
        self.of[meter].append(cents)
        self.said[cents] = time.time()
        self.say(f"meters/{meter}", label=meter, display_cents=cents, state="live", hits=[])

    async def live(self) -> None:
        """Signs of life, for ever."""
        while True:
            self.say("status", state="online", reason="", mode="live")
            await asyncio.sleep(STATUS_SECONDS)

    async def play(self, meter: str, seconds: float) -> None:
        """Amounts at their pace."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            await asyncio.sleep(PACE_SECONDS[meter])
            self.raise_(meter)


def figures() -> list[Figure | Note]:
    """All of them."""
    if MOSQUITTO is None or CHROMIUM is None:
        return [Note(f"The console: skipped, there is no {'mosquitto' if MOSQUITTO is None else 'chromium'}")]
    progress("console: from a subscriber to a pixel")
    with folder(Path.cwd()) as made, mosquitto(made) as port:
        speaker, seen = asyncio.run(_measured(made, port))
    hops = [speaker.heard[cents] - said for cents, said in speaker.said.items() if cents in speaker.heard]
    jumped, rolled, told = (
        _delays(speaker, meter, seen[meter][kind])
        for meter, kind in ((JUMPS, "shown"), (ROLLS, "shown"), (JUMPS, "told"))
    )
    return [
        Note(
            f"From a subscriber to a pixel: {len(jumped)} amounts that jump, {len(rolled)} that roll; one browser, two "
            "signs of 1920 x 1080, drawn without a graphics processor:"
        ),
        Figure("a publisher to that subscriber (the hop), p50", p50(hops), " ms"),
        Figure("a publisher to that subscriber (the hop), p99", p99(hops), " ms"),
        Figure("subscriber to the page's script, p50", p50(told), " ms"),
        Figure("subscriber to the page's script, p99", p99(told), " ms"),
        Figure("subscriber to the pixel, p50", p50(jumped), " ms"),
        Figure("subscriber to the pixel, p99", p99(jumped), " ms"),
        Figure("subscriber to wheels at rest, p50", p50(rolled), " ms"),
        Figure("subscriber to wheels at rest, p99", p99(rolled), " ms", BEHIND_MS),
        Figure("amounts that were never seen", sum(map(len, speaker.of.values())) - len(jumped) - len(rolled), "", 0),
    ]


def _delays(speaker: Speaker, meter: str, came: dict[str, float]) -> list[float]:
    """Seconds from the subscriber to the page, of every amount that was seen there."""
    return [came[str(cents)] / 1000 - speaker.heard[cents] for cents in speaker.of[meter] if str(cents) in came]


async def _measured(made: Path, port: int) -> tuple[Speaker, dict[str, dict[str, dict[str, float]]]]:
    """Who spoke; and what each sign saw, and when."""
    speaker = Speaker()
    await speaker.connect(port)
    async with AsyncExitStack() as ending:
        own, _ = await ending.enter_async_context(console(made, port, f"{SITE}/{TABLE}"))
        url = f"http://{LOOPBACK}:{own}"
        living = asyncio.create_task(speaker.live())
        ending.callback(living.cancel)
        playwright = await ending.enter_async_context(async_playwright())
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        ending.push_async_callback(browser.close)
        for meter in PACE_SECONDS:
            speaker.raise_(meter)
        signs = {
            JUMPS: await _sign(browser, f"{url}/signage?meters={JUMPS}&motion=reduced", JUMPS),
            ROLLS: await _sign(browser, f"{url}/signage?meters={ROLLS}", ROLLS),
        }
        await asyncio.gather(*(speaker.play(meter, SETTLE_SECONDS) for meter in signs))  # for caches
        speaker.of = {JUMPS: [], ROLLS: []}
        speaker.said.clear()
        await asyncio.gather(*(speaker.play(meter, SECONDS) for meter in signs))
        await asyncio.sleep(SETTLE_SECONDS)
        seen = {meter: await sign.evaluate("watched") for meter, sign in signs.items()}
    return speaker, seen


async def _sign(browser: Browser, url: str, meter: str) -> Page:
    """A sign that is watched."""
    page = await browser.new_page(viewport={"width": 1920, "height": 1080})
    await page.goto(url)
    await page.locator(f"#sign [data-meter={meter}] .amount").wait_for()
    await page.evaluate(WATCH, [f"{SITE}/{TABLE}", meter])
    return page
