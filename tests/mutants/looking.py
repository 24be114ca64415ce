"""`python -m tests.mutants.looking SECONDS`: the simulator looks for so much processor time, and says what it found.

Mystery values are drawn as in life. It prints one line: a `Look`.
"""

import resource
import sys
import time
from itertools import count

from msgspec import Struct, json

from controller.simulation.auditor.draws import Draws
from controller.simulation.layout import SUBMISSIONS
from controller.simulation.run import play
from controller.simulation.schedule import KINDS

SHORT, LONG = 90, 700  # hands: many tables for a while, then a few for days, whose meters grow past their values
SHORT_RUNS = 12  # three of each table
LONGER = ("baccarat-heavenly9", "minibaccarat-royal9-5")  # those with a mystery meter


def most_seconds(seconds: float) -> int:
    """A run that has not ended by then hangs; the longest takes some twenty."""
    return 3 * int(seconds) + 60


class Look(Struct, frozen=True):
    """What a look came to."""

    seconds: float  # of processor time
    runs: int
    found: str = ""  # the first thing that is wrong, with its seed


def look(seconds: float) -> Look:
    """Play, run after run, until something is wrong or the time is over."""
    draws, began = Draws(), time.process_time()
    for seed in count(1):
        short = seed <= SHORT_RUNS
        table = SUBMISSIONS[seed % len(SUBMISSIONS)] if short else LONGER[seed % len(LONGER)]
        try:
            result = play(
                seed, SHORT if short else LONG, table=table, fair=True, kinds=tuple(KINDS), takers=[draws.take]
            )
            wrong = next((f"seed {seed}, {result.table}: {each}" for each in result.violations), "") or draws.wrong()
        except Exception as error:  # noqa: BLE001 -- whatever the product throws at whoever plays with it
            wrong = f"seed {seed}: {error!r}"
        spent = time.process_time() - began
        if wrong or spent >= seconds:
            return Look(round(spent, 1), seed, wrong)
    raise AssertionError("unreachable: there is always another seed")


def main() -> None:
    """Look, within limits."""
    seconds = float(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (most_seconds(seconds),) * 2)
    sys.stdout.write(json.encode(look(seconds)).decode() + "\n")


if __name__ == "__main__":
    main()
