"""`python -m tests.mutants.looking SECONDS`: the simulator looks for so much processor time, and says what it found.

Mystery values are drawn as in life. It prints one line: a `Look`.
"""

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, count, cycle
from typing import NoReturn

from msgspec import Struct, json

from controller.simulation.auditor.draws import Draws
from controller.simulation.choices import Choices
from controller.simulation.layout import SUBMISSIONS
from controller.simulation.run import play

SHORT, LONG = 90, 700  # hands: an evening, or a meter that grows past its value
SHORT_DAY = 0.25  # hours: some fourteen hands, so that an evening's hands are six days, of which archives are made
WITH_A_MYSTERY = ("minibaccarat-royal9-5", "baccarat-heavenly9")
RUN_SECONDS = 45.0  # of processor time: the longest run takes some twenty
LEAST_SECONDS = 0.001  # a timer of no time is none
MOST_MORE_SECONDS = 10  # until a process is killed that does not end when its time is up


class Run(Struct, frozen=True):
    """What is played once."""

    rounds: int
    table: str
    hours: float = 0.0


EVENINGS = [Run(SHORT, table) for table in SUBMISSIONS]
# Three evenings at each table: most bugs are found in the first. Then what shows only after days or many hands.
FIRST = (
    *EVENINGS,
    Run(SHORT, WITH_A_MYSTERY[0], SHORT_DAY),
    *EVENINGS,
    Run(SHORT, WITH_A_MYSTERY[1], SHORT_DAY),
    *EVENINGS,
)
LATER = tuple(run for table in WITH_A_MYSTERY for run in (Run(LONG, table), Run(SHORT, table, SHORT_DAY)))


class Look(Struct, frozen=True):
    """What a look came to."""

    seconds: float  # of processor time
    runs: int
    found: str = ""  # the first thing that is wrong, with its seed


Over = Callable[[Look], NoReturn]


def look(seconds: float, over: Over) -> Look:
    """Play, run after run, until something is wrong. When the time is over, in whatever runs, tell `over`."""
    draws, began = Draws(), time.process_time()
    for seed, run in zip(count(1), chain(FIRST, cycle(LATER)), strict=False):
        left = seconds - (time.process_time() - began)
        hangs = f"seed {seed}, {run.table}: the product hangs" if left > RUN_SECONDS else ""
        with _limited(min(left, RUN_SECONDS), partial(_end, over, began, seed, hangs)):
            found = _wrong(seed, run, draws)
        if found:
            return _came_to(began, seed, found)
    raise AssertionError("unreachable: there is always another seed")


def _wrong(seed: int, run: Run, draws: Draws) -> str:
    """The first thing that is wrong in a run, or in all the draws until its end."""
    try:
        result = play(seed, run.rounds, Choices(run.table, fair=True, hours=run.hours), takers=[draws.take])
    except Exception as error:  # noqa: BLE001 -- whatever the product throws at whoever plays with it
        return f"seed {seed}, {run.table}: {error!r}"
    return next((f"seed {seed}, {run.table}: {each}" for each in result.violations), "") or draws.wrong()


def _came_to(began: float, runs: int, found: str) -> Look:
    return Look(round(time.process_time() - began, 1), runs, found)


def _end(over: Over, began: float, runs: int, found: str, *_: object) -> None:
    over(_came_to(began, runs, found))


@contextmanager
def _limited(seconds: float, end: Callable[..., None]) -> Iterator[None]:
    """Call `end` in what takes more processor time."""
    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, LEAST_SECONDS))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def most_seconds(seconds: float) -> int:
    """A look that has not ended by then is stuck where no signal reaches it."""
    return int(seconds) + MOST_MORE_SECONDS


def _say(found: Look) -> NoReturn:
    """Say it, and end at once: in the midst of a run SQLite would call back into what is gone."""
    sys.stdout.write(json.encode(found).decode() + "\n")
    sys.stdout.flush()
    os._exit(0)


def main() -> None:
    """Look, within limits."""
    seconds = float(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (most_seconds(seconds),) * 2)
    _say(look(seconds, _say))


if __name__ == "__main__":
    main()
