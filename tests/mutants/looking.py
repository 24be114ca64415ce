"""`python -m tests.mutants.looking SECONDS`: the simulator looks for so much processor time, and says what it found.

Mystery values are drawn as in life. It prints one line: a `Look`.
"""

import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count, cycle

from msgspec import Struct, json

from controller.simulation.auditor.draws import Draws
from controller.simulation.choices import Choices
from controller.simulation.layout import SUBMISSIONS
from controller.simulation.run import play

SHORT, LONG = 90, 700  # hands: an evening, or a meter that grows past its value
SHORT_DAY = 0.25  # hours: some fourteen hands, so that an evening's hands are six days, of which archives are made
WITH_A_MYSTERY = ("minibaccarat-royal9-5", "baccarat-heavenly9")
RUN_SECONDS = 45.0  # of processor time: the longest run takes some twenty
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


class TimeIsUpError(SystemExit):
    """Raised in whatever runs when a run has had its time. Event loops let nothing else through."""


class Look(Struct, frozen=True):
    """What a look came to."""

    seconds: float  # of processor time
    runs: int
    found: str = ""  # the first thing that is wrong, with its seed


def look(seconds: float) -> Look:
    """Play, run after run, until something is wrong or the time is over."""
    draws, began = Draws(), time.process_time()
    for seed, run in zip(count(1), chain(FIRST, cycle(LATER)), strict=False):
        found = _wrong(seed, run, seconds - (time.process_time() - began), draws)
        spent = time.process_time() - began
        if found or spent >= seconds:
            return Look(round(spent, 1), seed, found)
    raise AssertionError("unreachable: there is always another seed")


def _wrong(seed: int, run: Run, seconds: float, draws: Draws) -> str:
    """The first thing that is wrong in a run, or in all the draws until its end."""
    try:
        with _limited(min(seconds, RUN_SECONDS)):
            result = play(seed, run.rounds, Choices(run.table, fair=True, hours=run.hours), takers=[draws.take])
    except TimeIsUpError:
        return f"seed {seed}, {run.table}: the product hangs" if seconds > RUN_SECONDS else ""
    except Exception as error:  # noqa: BLE001 -- whatever the product throws at whoever plays with it
        return f"seed {seed}, {run.table}: {error!r}"
    return next((f"seed {seed}, {run.table}: {each}" for each in result.violations), "") or draws.wrong()


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """End what takes more processor time. It is told so again and again: what hangs may catch it."""

    def end(*_: object) -> None:
        raise TimeIsUpError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def most_seconds(seconds: float) -> int:
    """A look that has not ended by then is stuck where no signal reaches it."""
    return int(seconds) + MOST_MORE_SECONDS


def main() -> None:
    """Look, within limits."""
    seconds = float(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (most_seconds(seconds),) * 2)
    sys.stdout.write(json.encode(look(seconds)).decode() + "\n")


if __name__ == "__main__":
    main()
