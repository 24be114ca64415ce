"""Tables that only speak: what a test wants a page to hear, over a real broker, to a real console and browser."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import json
from playwright.async_api import Page

from controller.mqtt import BrokerError, Connection, Said, connection, end
from controller.wire.broker import MqttSettings
from tests.console.browsers import browse
from tests.console.house import Browser, Console, browsing
from tests.outlets.brokers import Mosquitto
from tests.service.house import patient

SPOKEN = tuple(f"valley-forge/mb-0{number}" for number in range(1, 7))
LIFE_SECONDS = 1.0  # twice as often as a controller: the machine may be busy
LABELS = {
    "royal9-mega": "Royal 9 Mega",
    "harmony": "Harmony",
    "royal9-major": "Royal 9 Major",
    "royal9-minor": "Royal 9 Minor",
    "royal9-mystery": "Royal 9 Mystery",
    "heavenly9": "Heavenly 9",
    "must-hit-by": "Must-Hit-By Mystery",
    "eighth": "The eighth",
}
AMOUNTS = dict(zip(LABELS, (5_501_147, 2_501_979, 45_459, 61_218, 63_274, 1_234_567, 38_150, 999_999), strict=True))
CEILINGS = {"royal9-mystery": (25_000, 100_000), "must-hit-by": (10_000, 50_000)}


def now(seconds_ago: float = 0) -> str:
    """A time as a controller writes it."""
    return (datetime.now(UTC) - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def hit(position: int, cents: int, number: int = 1, *, ago: float = 0, at: str = "") -> dict[str, Any]:
    """A hit that stands."""
    return {"award": f"mb-{number}-{position}", "position": position, "amount_cents": cents, "at": at or now(ago)}


class Spoken:
    """One table that speaks."""

    def __init__(self, broker: Connection, name: str) -> None:
        self._broker = broker
        self._base = f"jackpot/{name}"
        self._seq = 0
        self.name = name
        self.status: dict[str, Any] = {"state": "online", "reason": "", "mode": "live"}
        self.speaks = True

    async def say(self, topic: str, /, **message: object) -> None:
        """Publish a message that is kept, with the next place in order."""
        self._seq += 1
        whole = {"v": 1, "epoch": 1, "seq": self._seq, "at": now(), **message}
        await self._broker.publish(Said(f"{self._base}/{topic}", json.encode(whole), retain=True))

    async def empty(self, topic: str) -> None:
        """Say that a topic is gone."""
        await self._broker.publish(Said(f"{self._base}/{topic}", b"", retain=True))

    async def become(self, **status: str) -> None:
        """Another state, at once and from now on."""
        self.status |= status
        await self.say("status", **self.status)

    async def meter(self, id_: str, cents: int | None = None, hits: Iterable[Any] = (), **more: object) -> None:
        """A meter, as it is unless told."""
        shown = AMOUNTS[id_] if cents is None else cents
        standing = list(hits)
        about: dict[str, object] = {"label": LABELS[id_], "state": "hit" if standing else "live"}
        if id_ in CEILINGS:
            about["minimum_cents"], about["must_hit_by_cents"] = CEILINGS[id_]
            about["commitment"] = "ab" * 32
        await self.say(f"meters/{id_}", display_cents=shown, hits=standing, **(about | more))

    async def meters(self, *ids: str) -> None:
        """Several of them."""
        for id_ in ids:
            await self.meter(id_)


class Tables:
    """All that speak, by name, and the signs of life of those that do."""

    def __init__(self, broker: Connection) -> None:
        self.broker = broker
        self.all = [Spoken(broker, name) for name in SPOKEN]
        self.first = self.all[0]

    async def live(self) -> None:
        """Say again and again that they are there."""
        while True:
            with suppress(BrokerError):
                for table in self.all:
                    if table.speaks:
                        await table.say("status", **table.status)
            await asyncio.sleep(LIFE_SECONDS)


def listen(folder: Path, scene: Callable[[Tables, Console, Browser], Awaitable[None]], *, settings: str = "") -> None:
    """Play a scene with tables that only speak. `settings` are lines of `[console]` and below."""

    async def main() -> None:
        broker = Mosquitto(folder)
        await broker.start()
        try:
            async with connection(MqttSettings(port=broker.port), "spoken") as speaking:
                tables = Tables(speaking)
                console = Console(folder, broker.port, settings=settings, tables=SPOKEN)
                life = asyncio.create_task(tables.live())
                await console.start()
                try:
                    async with browsing(console.url, folder) as browser:
                        await scene(tables, console, browser)
                finally:
                    await end(life)
                    if console.runs:
                        await console.kill()
        finally:
            broker.close()

    with patient():
        browse(main())


async def until(page: Page, script: str, argument: object = None) -> Any:  # noqa: ANN401 -- what the page says
    """Wait until a script says yes; what it said."""
    return await (await page.wait_for_function(script, arg=argument)).json_value()
