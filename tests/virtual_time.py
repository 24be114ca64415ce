"""An event loop whose clock jumps to the next timer instead of sleeping: an evening takes a second."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.core.play import BEGIN

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    """Never waits: what it would have waited is added to the loop's clock."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("everything waits and no timer is set: this would hang for ever")
        self.loop.virtual += max(0.0, timeout)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on virtual time."""

    def __init__(self) -> None:
        self.virtual = 0.0
        selector = _Jumping()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.virtual


class VirtualClock:
    """The engine's clock on such a loop."""

    def __init__(self, begin: int = BEGIN) -> None:
        self.begin = begin

    def now(self) -> int:
        return self.begin + round(asyncio.get_running_loop().time() * 1_000_000)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end on virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
