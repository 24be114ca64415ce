"""A whole house: a table on real parts, its controller, a real broker, `jackpotd console`, and a browser.

The test is the players, the staff, and whoever looks at a screen. `visit` begins it; the rest is for scenes.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from playwright.async_api import Browser as Chromium
from playwright.async_api import BrowserContext, Page, expect

from tests.console import browsers
from tests.console.browsers import SHARED, Shared
from tests.core.play import MINI
from tests.outlets.brokers import MOSQUITTO
from tests.ports import free_port
from tests.service.house import PINS, SITE, TABLE, WAIT_SECONDS, House, in_a_house
from tests.service.program import Program

NAME = f"{SITE}/{TABLE}"
SCREENSHOTS = "JACKPOTD_SCREENSHOTS"  # a folder to keep them in; otherwise they go with the test

expect.set_options(timeout=WAIT_SECONDS * 1000)  # for every test with a browser: all of them come by here

needs_a_house = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not on this machine")


class Console(Program):
    """`jackpotd console` as its own process."""

    def __init__(self, folder: Path, broker: int, *, settings: str = "", tables: tuple[str, ...] = (NAME,)) -> None:
        super().__init__()
        self.forked = True
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.config = folder / f"console-{self.port}.toml"
        names = json.encode(tables).decode()
        self.config.write_text(
            f"[mqtt]\nport = {broker}\n[console]\nport = {self.port}\ntables = {names}\n{settings}\n"
        )

    async def start(self, **environ: str) -> None:
        """Start it, and wait until it listens."""
        begun = len(self.log)
        await self.launch("console", "--config", str(self.config), env={**os.environ, **environ})
        async with asyncio.timeout(WAIT_SECONDS):
            while not self.logged("listening", begun):
                assert self.runs, self.raw_log.decode()
                await asyncio.sleep(0.02)


class Browser:
    """Debian's chromium. Whatever a page throws, and whatever its policy stops, fails the test at the end."""

    def __init__(self, chromium: Chromium, url: str, folder: Path) -> None:
        self._chromium = chromium
        self.url = url
        self._folder = Path(os.environ.get(SCREENSHOTS) or folder / "screenshots")
        self._contexts: list[BrowserContext] = []
        self.errors: list[str] = []

    async def context(self, width: int = 1280, height: int = 800, **more: Any) -> BrowserContext:  # noqa: ANN401 -- playwright's own
        """A browser nobody used before: its own cookies, and this size. English unless told."""
        settings: dict[str, Any] = {"viewport": {"width": width, "height": height}, "locale": "en-US", **more}
        context = await self._chromium.new_context(**settings)
        self._contexts.append(context)
        context.set_default_timeout(WAIT_SECONDS * 1000)
        return context

    async def page(
        self,
        width: int = 1280,
        height: int = 800,
        path: str = "/table",
        *,
        context: BrowserContext | None = None,
        **more: Any,  # noqa: ANN401 -- playwright's own
    ) -> Page:
        """A page that is open; in a context of its own unless one is given."""
        page = await (context or await self.context(width, height, **more)).new_page()
        page.on("pageerror", lambda error: self.errors.append(f"{path}: {error.stack or error}"))
        page.on("console", lambda said: self._hear(path, said.text))
        await page.goto(self.url + path)
        return page

    async def close(self) -> None:
        """Close every page, and forget what they stored."""
        for context in self._contexts:
            await context.close()

    def _hear(self, path: str, said: str) -> None:
        if "Content Security Policy" in said:
            self.errors.append(f"{path}: {said}")

    async def screenshot(self, page: Page, name: str) -> Path:
        """A picture of what is on the screen, to look at."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{name}.png"
        await page.screenshot(path=path)
        return path


@asynccontextmanager
async def browsing(url: str, folder: Path, shared: Shared = SHARED) -> AsyncIterator[Browser]:
    """A browser for a console. It is the one that all tests share, until a test fails in it."""
    browser = Browser(shared.chromium, url, folder)
    try:
        yield browser
        await browser.close()
    except BaseException:
        await shared.discard()
        raise
    assert not browser.errors, browser.errors


def serve(
    folder: Path,
    scene: Callable[[House, Console], Awaitable[None]],
    *,
    settings: str = "",
    started: bool = True,
    toml: str = MINI,
    **more: Any,  # noqa: ANN401 -- as `House` has them
) -> House:
    """Play a scene in a house with a console and without a browser. `settings` are lines of `[console]` and below."""

    async def whole(house: House) -> None:
        house.forked = True
        if started:
            await house.start()
        console = Console(folder, house.broker.port, settings=settings)
        await console.start()
        try:
            await scene(house, console)
            if console.runs:
                assert await console.stop() == 0, console.raw_log.decode()
        finally:
            if console.runs:
                await console.kill()

    return in_a_house(folder, whole, toml=toml, **more)


def visit(
    folder: Path,
    scene: Callable[[House, Console, Browser], Awaitable[None]],
    *,
    settings: str = "",
    started: bool = True,
    toml: str = MINI,
    **more: Any,  # noqa: ANN401 -- as `House` has them
) -> House:
    """Play a scene in a whole house: the table plugged in, controller, broker, console and browser there."""

    async def whole(house: House, console: Console) -> None:
        async with browsing(console.url, folder) as browser:
            await scene(house, console, browser)

    browsers.start()
    return serve(folder, whole, settings=settings, started=started, toml=toml, **more)


async def sign_in(page: Page, operator: str, table: str = NAME) -> dict[str, Any]:
    """Sign someone in from a page by its own script, without touching the keypad; for tests of what comes after."""
    script = """async ([operator, pin, table]) => {
        const {signIn} = await import("/static/api.js");
        return await signIn(operator, pin, table);
    }"""
    session: dict[str, Any] = await page.evaluate(script, [operator, PINS[operator], table])
    return session
