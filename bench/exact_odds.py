"""CPU time of exact odds: any one wager from nothing, and the whole catalog."""

import resource
import subprocess
import sys
import time

from bench.report import Figure
from controller.rules import catalog, enumeration
from controller.rules.mystery import mystery_odds
from controller.rules.odds import odds

GOAL_SECONDS = 0.5


def figures() -> list[Figure]:
    """The slowest wager in this process and as a command of its own, and `odds --all`."""
    slowest, seconds = "", 0.0
    for id_, wager in catalog.wagers().items():
        enumeration.forget()
        begun = time.process_time()
        odds(wager)
        taken = time.process_time() - begun
        if taken > seconds:
            slowest, seconds = id_, taken
    for id_, mystery in catalog.mysteries().items():
        begun = time.process_time()
        mystery_odds(mystery)
        taken = time.process_time() - begun
        if taken > seconds:
            slowest, seconds = id_, taken
    return [
        Figure(f"exact odds of the slowest wager ({slowest}), CPU", seconds, " s", GOAL_SECONDS),
        Figure(f"jackpotd odds {slowest}, CPU with start-up", _cpu(slowest), " s", GOAL_SECONDS),
        Figure("jackpotd odds --all, CPU with start-up", _cpu("--all"), " s"),
    ]


def _cpu(*arguments: str) -> float:
    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    command = [sys.executable, "-m", "controller", "odds", *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return used() - before
