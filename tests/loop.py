"""One event loop for the tests of a process that share a browser: a browser lives on the loop it was started on."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


_CLOSING: list[Callable[[], Coroutine[Any, Any, None]]] = []


@cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end as `asyncio.run` does, and end the tasks that it leaves behind; those of before stay."""
    loop = _runner().get_loop()
    before = asyncio.all_tasks(loop)
    try:
        return _runner().run(main)
    finally:
        _runner().run(_end(asyncio.all_tasks(loop) - before))


def keep(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end, and leave its tasks as they are: for what later tests go on using."""
    return _runner().run(main)


def at_close(end: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Do this before the loop is closed."""
    _CLOSING.append(end)


def close() -> None:
    """End what was kept on the loop, and the loop, if there is one."""
    while _CLOSING:
        keep(_CLOSING.pop()())
    if _runner.cache_info().currsize:
        _runner().close()
        _runner.cache_clear()


async def _end(tasks: set[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
