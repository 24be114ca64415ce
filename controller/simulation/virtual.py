"""Virtual time: an event loop whose clock jumps to the next timer instead of sleeping. It has no socket and no thread.

Tasks and futures have numbers for hashes. So a set of them has the same order in every run, and what is cancelled first
is cancelled first each time.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
Owner = dict["Task[Any]", None]
OWNER: ContextVar[Owner | None] = ContextVar("owner", default=None)  # who is to end the tasks that are made here


class HangsError(Exception):
    """Everything waits, and no timer is set."""


class Task(asyncio.Task[T]):
    """A task with a number, known to whoever must end it."""

    def __init__(
        self,
        coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
        *,
        number: int,
        **given: Any,  # noqa: ANN401
    ) -> None:
        self.number = number
        super().__init__(coro, **given)

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        return self is other


class Future(asyncio.Future[T]):
    """A future with a number."""

    def __init__(self, *, number: int, loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        return self is other


class _Jumping:
    """Never waits: what it would have waited is added to the loop's clock."""

    def __init__(self, loop: "VirtualLoop") -> None:
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[object]:
        if timeout is None:
            raise HangsError("everything waits and no timer is set: this would hang for ever")
        self._loop.virtual += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.BaseEventLoop):
    """An event loop on virtual time."""

    def __init__(self) -> None:
        super().__init__()
        self.virtual = 0.0
        self._number = 0
        self._selector = _Jumping(self)
        self.set_task_factory(_make_task)

    def time(self) -> float:
        """Seconds since the run began."""
        return self.virtual

    def microseconds(self) -> int:
        """The same, as a trace has it."""
        return round(self.virtual * 1_000_000)

    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return Future(number=self.next_number(), loop=self)

    def next_number(self) -> int:
        """Of a task or a future."""
        self._number += 1
        return self._number

    def _process_events(self, event_list: list[object]) -> None:
        """There are none: nothing outside of this process is waited for."""

    def _write_to_self(self) -> None:
        """No other thread wakes it."""


def _make_task(
    loop: asyncio.AbstractEventLoop,
    coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
    context: Context | None = None,
) -> Task[T]:
    if not isinstance(loop, VirtualLoop):
        raise TypeError("tasks of this kind are for virtual time")
    task = Task(coro, number=loop.next_number(), loop=loop, context=context)
    owner = OWNER.get()
    if owner is not None:
        owner[task] = None
        task.add_done_callback(owner.pop)
    return task


class Clock:
    """A controller's clock: it can be set. Its longer sleeps, between two looks at the disk, are stretched."""

    def __init__(self, loop: VirtualLoop, begin: int, stretch: float) -> None:
        self._loop = loop
        self._begin = begin
        self._stretch = stretch
        self.set_by = 0  # microseconds, in all

    def now(self) -> int:
        """Microseconds since 1970, as the controller has it."""
        return self._begin + self.set_by + self._loop.microseconds()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds * self._stretch if seconds >= LEAST_STRETCHED else seconds)


LEAST_STRETCHED = 5.0  # seconds: retries are shorter, and stay what they are


def run(main: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    """Run to the end on virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        if not isinstance(loop, VirtualLoop):
            raise TypeError("the runner was given virtual time")
        return runner.run(main(loop))


async def end(owner: Owner) -> None:
    """Cancel the tasks of an owner until all have ended, in no time."""
    while owner:
        for task in list(owner):
            task.cancel()
        await asyncio.sleep(0)
