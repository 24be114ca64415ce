"""The browser that all tests of a process share. Each opens contexts of its own in it: cookies, storage, size."""

import asyncio
import shutil
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import pytest
from playwright.async_api import Browser as Chromium
from playwright.async_api import Error as BrowserError
from playwright.async_api import Playwright, async_playwright

from tests import loop
from tests.outlets.brokers import MOSQUITTO

T = TypeVar("T")

# Chromium without its own windows, menus and tabs: the same pages for a third of the processor time. What a person is
# to see as a person does is looked at in the whole browser.
HEADLESS, CHROMIUM = shutil.which("chromium-headless-shell"), shutil.which("chromium")
# As root, without a screen, and without a word to anybody.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CLOSE_SECONDS = 20.0  # for a browser that may be stuck; then it is killed with its driver

needs_a_browser = pytest.mark.skipif(
    not (HEADLESS and CHROMIUM and MOSQUITTO), reason="chromium, chromium-headless-shell or mosquitto is missing"
)


class Shared:
    """Started when a test first wants it, and anew when it has died or was thrown away."""

    def __init__(self, program: str | None) -> None:
        self._program = program
        self._driver: Playwright | None = None
        self._chromium: Chromium | None = None

    @property
    def chromium(self) -> Chromium:
        """The browser, in a test that `browse` runs."""
        assert self._chromium is not None, "run what needs a browser with `browse`"
        return self._chromium

    async def start(self) -> None:
        """See that it is there."""
        if self._chromium is not None and not self._chromium.is_connected():
            self._chromium = None
        if self._driver is None:
            self._driver = await async_playwright().start()
            loop.at_close(self.end)
        if self._chromium is None:
            self._chromium = await self._driver.chromium.launch(executable_path=self._program, args=ARGUMENTS)

    async def discard(self) -> None:
        """Throw it away: after a failure nobody knows what state it is in."""
        chromium, self._chromium = self._chromium, None
        if chromium is not None:
            with suppress(TimeoutError, BrowserError):
                await asyncio.wait_for(chromium.close(), CLOSE_SECONDS)

    async def end(self) -> None:
        """Leave nothing running."""
        await self.discard()
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.stop()


SHARED, WHOLE = Shared(HEADLESS), Shared(CHROMIUM)


def start(shared: Shared = SHARED) -> None:
    """See that there is a browser for what `loop.run` runs next."""
    loop.keep(shared.start())


def browse(main: Coroutine[Any, Any, T], shared: Shared = SHARED) -> T:
    """Run something that opens pages."""
    start(shared)
    return loop.run(main)
