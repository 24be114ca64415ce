"""Whole tables with seeds nobody has seen: for a fixed time of the processor, with what was covered."""

import os
import secrets
import time

import pytest

from controller.simulation.report import Tally, command_line, told
from controller.simulation.run import Result, play
from controller.simulation.schedule import schedule
from controller.simulation.shrink import Case, shrunk
from tests.simulation.variants import VARIANTS

# A setting for soaks: hours instead.
SECONDS = float(os.environ.get("JACKPOTD_SIMULATION_SECONDS", "90"))
ROUNDS = 700  # some days each, and nights between them
MOST_SHORTER = 60  # runs that look for a shorter history of what was found: a minute or two


def shown(result: Result, tally: Tally, rounds: int) -> str:
    """What was found, with the shortest history that shows it and how to see it again."""

    def fails(case: Case) -> bool:
        return bool(play(result.seed, case.rounds, keep=case.only).violations)

    every = tuple(each.number for each in schedule(result.seed, rounds))
    shortest = shrunk(Case(rounds, every), fails, MOST_SHORTER)
    return "\n".join(told(tally, result, shortest, command_line(result.seed, shortest, "")))


def test_fresh_seeds_show_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    tally, until = Tally(), time.process_time() + SECONDS
    while time.process_time() < until:
        result = play(secrets.randbits(40), ROUNDS)
        tally.add(result)
        assert not result.violations, shown(result, tally, ROUNDS)
    with capsys.disabled():
        print("\n  " + "\n  ".join(told(tally, None, None, "")))  # noqa: T201 -- what was covered


def test_what_a_fresh_seed_shows_is_told_with_its_shortest_history() -> None:
    tally = Tally()
    with VARIANTS["display_above_the_true_amount"]():
        result = play(3, 20)
        tally.add(result)
        found = shown(result, tally, 20)
    assert "VIOLATION with seed 3" in found
    assert "the shortest history that shows it: 1 hands and 0 faults" in found
    assert "again: jackpotd simulate --seed 3 --rounds 1 --faults none" in found
