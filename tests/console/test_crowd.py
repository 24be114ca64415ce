"""A full house: twenty signs and five consoles open at once while a demonstration plays ten times as fast as people do.

`JACKPOTD_CROWD_SECONDS` says for how long; a soak plays longer.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic, time
from typing import NamedTuple

import pytest
from msgspec import json
from playwright.async_api import Page

from controller.demo.rights import SITE
from controller.mqtt import Connection, connection, end
from controller.wire.broker import MqttSettings
from tests.console.browsers import browse, needs_a_browser
from tests.console.house import Browser, browsing
from tests.demo.processes import children_of
from tests.outlets.brokers import Mosquitto
from tests.ports import free_port
from tests.service.house import WAIT_SECONDS

pytestmark = needs_a_browser
SECONDS = float(os.environ.get("JACKPOTD_CROWD_SECONDS", "60"))
SPEED = "10"
MOST_SECONDS = 3 * WAIT_SECONDS  # until all signs were seen to agree: at this speed the table seldom rests
TABLE = f"{SITE}/mb-01"
SIGNS = 20
CONSOLES = ("/table", "/floor", "/audit", "/table", "/floor")
# Twenty-five pages share two cores with all the rest: what they paint is kept small, what they hear and say is not.
SMALL = 320, 180
LOOK_SECONDS = 1.0
QUIET_SECONDS = 1.0  # the issue: a sign is never more than a second behind
# live.js: after so long without a status, or without any word of the console, a page says that it knows nothing.
SILENT_SECONDS = {"silence": 4.5, "socket": 3.0}
PULSE_MS = 100  # so often a page looks whether it runs
TICK_MS = 1000  # so often the console says at least something
LATE_MS = 200  # by more than that, and it is a stall
MOST_MB = 100.0  # the console's, with two hundred sockets
MOST_GROWTH, MOST_GROWTH_MB = 0.05, 3.0  # of the second half over the first: less than either is flat
_PAGE = os.sysconf("SC_PAGE_SIZE")

# When something that is due again and again came late: from when it was due until it came.
STALLS = """
    window.stalls = [];
    const watch = (every) => {
        let last = Date.now();
        return () => {
            const now = Date.now();
            if (now - last > every + late) stalls.push([(last + every) / 1000, now / 1000]);
            last = now;
        };
    };
"""
# Everything that is not live, as soon as it is so; and when the page was told of each meter that moved.
WATCH = f"""async ([table, late, pulse]) => {{
    {STALLS}"""
WATCH += """
    window.look = watch(pulse);
    setInterval(look, pulse);
    const {connect} = await import("/static/live.js");
    window.crowd = connect([table]);
    window.troubles = [];
    window.toldAt = performance.now();
    window.heardAt = [];
    crowd.onState((_, state, reason) => {
        if (state !== "live") troubles.push({at: Date.now() / 1000, state, reason});
    });
    const told = new Map();
    crowd.on((_, topic, message) => {
        if (!topic.startsWith("meters/") || told.get(topic) === message?.display_cents) return;
        told.set(topic, message?.display_cents);
        toldAt = performance.now();
        heardAt.push([topic, message?.display_cents, Date.now() / 1000]);
    });
}"""
# Beside the pages, in the same browser: what any of them could have heard of the console, without a script of ours.
LISTEN = f"""([table, late, tick]) => {{
    {STALLS}"""
LISTEN += """
    window.heardAt = [];
    window.look = watch(tick);
    window.socket = new WebSocket(`ws://${location.host}/live?tables=${encodeURIComponent(table)}`);
    socket.addEventListener("message", () => {
        heardAt.push(Date.now() / 1000);
        look();
    });
}"""
LIVE = "(table) => crowd.state(table).state === 'live'"
# What a sign was told, and what it shows a second later: in the frame after, because a busy machine paints few of them.
AMOUNTS = """async ([table, quiet]) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let at = null; at !== toldAt;) {
        at = toldAt;
        await new Promise((done) => setTimeout(done, at + quiet - performance.now()));
        await frame();
        await frame();
    }
    const meters = Array.from(document.querySelectorAll("#sign .meter"));
    return {
        live: crowd.state(table).state === "live",
        told: Object.fromEntries(meters.map(({dataset: {meter}}) =>
            [meter, crowd.get(table, `meters/${meter}`).display_cents])),
        shown: Object.fromEntries(meters.map((meter) =>
            [meter.dataset.meter, meter.querySelector(".amount:not([hidden])")?.textContent ?? null])),
    };
}"""


class Trouble(NamedTuple):
    """A page that said it is not live: when, and why."""

    at: float
    state: str
    reason: str


class Meters:
    """What the broker keeps of every meter, when one last moved, and when the controller said that it is there."""

    def __init__(self) -> None:
        self.cents: dict[str, int] = {}
        self.moved = monotonic()
        self.moves = 0
        self.alive: list[float] = []
        self.heard: dict[tuple[str, int], float] = {}

    async def follow(self, broker: Connection) -> None:
        """Listen for ever."""
        prefix = f"jackpot/{TABLE}/meters/"
        status = f"jackpot/{TABLE}/status"
        await broker.subscribe([f"{prefix}+", status])
        while True:
            heard = await broker.hear()
            if heard.topic == status:
                if not heard.retained:
                    self.alive.append(time())
                continue
            id_, cents = heard.topic.removeprefix(prefix), json.decode(heard.payload)["display_cents"]
            if self.cents.get(id_) != cents:
                self.cents[id_] = cents
                self.moved = monotonic()
                self.moves += 1
                self.heard[f"meters/{id_}", cents] = time()

    async def rest(self) -> None:
        """Wait until nothing has moved for a second."""
        async with asyncio.timeout(WAIT_SECONDS):
            while monotonic() - self.moved < QUIET_SECONDS:
                await asyncio.sleep(0.01)


def written(meters: dict[str, int]) -> dict[str, str]:
    """Amounts as signs write them."""
    return {id_: f"${cents // 100:,}.{cents % 100:02}" for id_, cents in meters.items()}


def awake(begun: float, ended: float, stalls: Iterable[Sequence[float]]) -> float:
    """How much of a time was no stall, in seconds; stalls may overlap."""
    ran = 0.0
    for stalled, went_on in sorted((first, last) for first, last in stalls):
        ran += max(0.0, min(stalled, ended) - begun)
        begun = max(begun, went_on)
    return ran + max(0.0, ended - begun)


def truthful(trouble: Trouble, said: Mapping[str, list[float]], stalls: Sequence[Sequence[float]] = ()) -> bool:
    """Whether a page that said it hears nothing was right.

    A controller or a console that gets no processor for seconds is silent, and the page has to say so. It is allowed a
    second to hear of what is said, in which neither it nor what brings it the word stalls; what was said well within
    the silence it tells of, it should have heard.
    """
    if trouble.state != "stale" or trouble.reason not in SILENT_SECONDS:
        return False
    begun = trouble.at - SILENT_SECONDS[trouble.reason]
    return not any(
        awake(begun, each, stalls) >= QUIET_SECONDS and awake(each, trouble.at, stalls) >= QUIET_SECONDS
        for each in said[trouble.reason]
    )


@asynccontextmanager
async def demonstration(folder: Path, broker: Mosquitto) -> AsyncIterator[tuple[str, int]]:
    """`jackpotd demo` as anybody starts it; where its console is, and which process that is."""
    port = free_port()
    told = ["--state", str(folder / "demo"), "--port", str(port), "--broker", f"127.0.0.1:{broker.port}"]
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "controller", "demo", "--speed", SPEED, "--seed", "5", *told],
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE,
    )
    try:
        yield f"http://127.0.0.1:{port}", await _console(process, port)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(WAIT_SECONDS):
            _, complaint = await process.communicate()
        assert process.returncode == 0, complaint.decode()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _console(process: Process, port: int) -> int:
    async with asyncio.timeout(WAIT_SECONDS):
        while True:
            assert process.returncode is None
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            writer.close()
            await writer.wait_closed()
            break
    (found,) = [pid for pid in children_of(process.pid) if _is_console(pid)]
    return found


def _is_console(pid: int) -> bool:
    return b"\0console\0" in Path(f"/proc/{pid}/cmdline").read_bytes()


def memory_mb(process: int) -> float:
    """What a process holds in memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE / 2**20


def flat(looks: list[float]) -> bool:
    """Whether the second half holds no more than the first."""
    half = len(looks) // 2
    before, after = max(looks[:half]), max(looks[half:])
    return after - before < max(MOST_GROWTH_MB, MOST_GROWTH * before)


def test_what_is_flat_and_what_is_not() -> None:
    assert flat([50.0, 51.0, 52.0, 53.0])
    assert not flat([50.0, 51.0, 53.0, 54.1])


def test_a_page_may_say_that_it_hears_nothing_only_while_nothing_is_said() -> None:
    silence = Trouble(100.0, "stale", "silence")
    assert truthful(silence, {"silence": [93.0, 95.2, 99.8]})
    assert not truthful(silence, {"silence": [94.0, 96.0, 98.0]})
    assert not truthful(silence, {"silence": [95.2, 97.2, 99.8]})
    socket = Trouble(100.0, "stale", "socket")
    assert truthful(socket, {"socket": [96.0, 97.0, 99.9]})
    assert not truthful(socket, {"socket": [97.0, 98.0, 99.0, 100.0]})
    assert not truthful(Trouble(100.0, "stale", "broker"), {})
    assert not truthful(Trouble(100.0, "faulted", "silence"), {})


def test_a_page_may_miss_what_is_said_only_as_long_as_something_stalled() -> None:
    socket, ticks = Trouble(100.0, "stale", "socket"), {"socket": [97.0, 98.0, 99.0, 100.0]}
    assert truthful(socket, ticks, [(97.2, 99.9)])
    assert truthful(socket, ticks, [(98.2, 99.9), (97.2, 98.5)])
    assert not truthful(socket, ticks, [(98.2, 98.9)])
    assert not truthful(socket, ticks, [(90.0, 96.9)])
    assert not truthful(Trouble(100.0, "stale", "broker"), {}, [(90.0, 100.0)])


def test_stalls_are_counted_once() -> None:
    assert awake(10.0, 20.0, []) == 10.0
    assert awake(10.0, 20.0, [(15.0, 17.0), (12.0, 13.0), (16.0, 18.0), (15.0, 16.0)]) == 6.0
    assert awake(10.0, 20.0, [(1.0, 9.0), (8.0, 12.0), (19.0, 30.0), (31.0, 32.0)]) == 7.0
    assert awake(20.0, 10.0, [(1.0, 30.0)]) == 0.0


@pytest.mark.verify
def test_twenty_signs_and_five_consoles_stay_live_and_agree(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async def main() -> None:
        broker = Mosquitto(tmp_path)
        await broker.start()
        meters = Meters()
        try:
            async with (
                demonstration(tmp_path, broker) as (url, console),
                connection(MqttSettings(port=broker.port), "crowd") as listening,
                browsing(url, tmp_path) as browser,
            ):
                following = asyncio.create_task(meters.follow(listening))
                try:
                    await _crowd(browser, console, meters, record_property)
                finally:
                    await end(following)
        finally:
            broker.close()

    browse(main())


async def _crowd(
    browser: Browser, console: int, meters: Meters, record_property: Callable[[str, object], None]
) -> None:
    beside = await browser.page(*SMALL, "/texts/en.json")
    await beside.evaluate(LISTEN, [TABLE, LATE_MS, TICK_MS])
    signs = [await _open(browser, "/signage") for _ in range(SIGNS)]
    pages = signs + [await _open(browser, path) for path in CONSOLES]
    begun, moves = monotonic(), meters.moves
    megabytes: list[float] = []
    while monotonic() - begun < SECONDS:
        await asyncio.sleep(LOOK_SECONDS)
        megabytes.append(memory_mb(console))
    assert meters.moves > moves  # it was played
    await _agree(signs, meters)
    for page in pages:
        await page.wait_for_function(LIVE, arg=TABLE)
    heard, stalls = await beside.evaluate("() => { look(); return [heardAt, stalls]; }")
    assert await beside.evaluate("socket.readyState === WebSocket.OPEN")  # or what it did not hear would excuse nobody
    said = {"silence": meters.alive, "socket": heard}
    for page in pages:
        troubles, own = await page.evaluate("() => { look(); return [troubles, stalls]; }")
        untrue = [each for each in troubles if not truthful(Trouble(**each), said, stalls + own)]
        assert untrue == [], (stalls, own)
    late = await _delays(signs, meters)
    middle, most = late[len(late) // 2], late[len(late) * 99 // 100]
    record_property("amounts at signs", f"{len(late)}: p50 {middle:.3f} s, p99 {most:.3f} s behind a listener")
    assert max(megabytes) < MOST_MB
    assert flat(megabytes), megabytes


async def _delays(signs: list[Page], meters: Meters) -> list[float]:
    """How long after this test's own subscriber each sign heard of each amount."""
    told = [each for sign in signs for each in await sign.evaluate("heardAt")]
    return sorted(at - meters.heard[topic, cents] for topic, cents, at in told if (topic, cents) in meters.heard)


async def _agree(signs: list[Page], meters: Meters) -> None:
    """Every sign shows what it was told, and that is what the broker keeps."""
    async with asyncio.timeout(MOST_SECONDS):
        while True:
            await meters.rest()
            due = dict(meters.cents)
            found = await asyncio.gather(*(sign.evaluate(AMOUNTS, [TABLE, QUIET_SECONDS * 1000]) for sign in signs))
            live = [each for each in found if each["live"]]  # whether another says so rightly is judged by its troubles
            assert [each["shown"] for each in live] == [written(each["told"]) for each in live]
            # Otherwise one moved while they were read, or had not come to all: signs may rightly differ.
            if [each["told"] for each in live] == [due] * SIGNS:
                break


async def _open(browser: Browser, path: str) -> Page:
    """A page in a browser of its own, live; from then on whatever is not is written down."""
    page = await browser.page(*SMALL, f"{path}?table={TABLE}")
    await page.evaluate(WATCH, [TABLE, LATE_MS, PULSE_MS])
    await page.wait_for_function(LIVE, arg=TABLE)
    await page.evaluate("() => { troubles.length = 0; }")
    return page
