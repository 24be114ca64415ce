"""Whole tables for some days each: the same ones every time, and in a soak ones that nobody has seen."""

import os
import secrets
import time
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from msgspec.structs import replace

from controller.outlets import messages
from controller.outlets.meters import meter_message
from controller.simulation.auditor.draws import Draws
from controller.simulation.choices import BY_THE_SEED, Choices
from controller.simulation.layout import SUBMISSIONS
from controller.simulation.report import Tally, command_line, told
from controller.simulation.run import Result, play
from controller.simulation.schedule import KINDS, schedule
from controller.simulation.shrink import Case, shrunk

# For soaks: of processor time. Without it the seeds are those of the day before, and of every day.
SECONDS = float(os.environ.get("JACKPOTD_SIMULATION_SECONDS", "0"))
ROUNDS = 700  # some days each, and nights between them
MOST_SHORTER = 60  # runs that look for a shorter history of what was found: a minute or two
SHORT_RUNS, SHORT = 16, 90  # four of each table
SHORT_DAYS = 16  # a seed whose table is open for an hour each day


def shown(result: Result, tally: Tally, rounds: int, choices: Choices) -> str:
    """What was found, with the shortest history that shows it and how to see it again."""

    def fails(case: Case) -> bool:
        return bool(play(result.seed, case.rounds, choices, keep=case.only).violations)

    every = tuple(each.number for each in schedule(result.seed, rounds))
    shortest = shrunk(Case(rounds, every), fails, MOST_SHORTER)
    return "\n".join(told(tally, result, shortest, command_line(result.seed, shortest, choices)))


def seeds() -> Iterator[int]:
    """Two that are known; or fresh ones, for as long as there is time."""
    if not SECONDS:
        yield from (1, 2)
        return
    until = time.process_time() + SECONDS
    while time.process_time() < until:
        yield secrets.randbits(40)


def test_days_at_a_table_show_nothing_wrong(record_property: Callable[[str, object], None]) -> None:
    tally, draws = Tally(), Draws()
    for number, seed in zip(count(), seeds(), strict=False):
        choices = Choices(fair=bool(number % 2))  # mystery values as in life, or low ones, which are hit often
        result = play(seed, ROUNDS, choices, takers=[draws.take] if choices.fair else [])
        tally.add(result)
        assert not result.violations, shown(result, tally, ROUNDS, choices)
        assert not draws.wrong()
    record_property("covered", "; ".join(told(tally, None, None, "")))


def test_each_kind_of_fault_comes_and_nothing_is_wrong() -> None:
    runs = [SHORT_DAYS, *range(1, SHORT_RUNS)]
    results = [play(seed, SHORT, Choices(SUBMISSIONS[-1 - seed % len(SUBMISSIONS)])) for seed in runs]
    assert [result.violations for result in results] == [()] * SHORT_RUNS
    assert {kind for result in results for kind in result.faults} == KINDS.keys(), "each kind is in some run"
    assert results[0].seconds > 86_400, "a gaming day ends in the first"


def test_what_a_seed_shows_is_told_with_its_shortest_history(monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally()
    with monkeypatch.context() as broken:
        more = lambda *given: replace(found := meter_message(*given), display_cents=found.display_cents + 1)  # noqa: E731 -- a cent
        broken.setattr(messages, "meter_message", more)
        result = play(3, 20)
        tally.add(result)
        found = shown(result, tally, 20, BY_THE_SEED)
    assert "VIOLATION with seed 3" in found
    assert "the shortest history that shows it: 1 hands and 0 faults" in found
    assert "again: jackpotd simulate --seed 3 --rounds 1 --faults none" in found
