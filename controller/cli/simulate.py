"""`jackpotd simulate`: whole tables on virtual time, with everything that can befall them, judged by an auditor."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from msgspec import json

from controller.cli.output import say
from controller.rules.errors import BadInputError
from controller.simulation import trace
from controller.simulation.choices import MOST_HOURS, Choices
from controller.simulation.layout import SUBMISSIONS
from controller.simulation.report import Tally, command_line, told
from controller.simulation.run import Result, Taker, play
from controller.simulation.schedule import KINDS, schedule
from controller.simulation.shrink import Case, shrunk

MOST_ROUNDS = 1_000_000  # years of a table; the trace of a run is not kept, but its facts are
_SEED_BYTES = 6  # a number one can copy by hand


def run(options: argparse.Namespace) -> int:
    """Simulate, and tell. Exit 0 whole, 1 a violation was found."""
    kinds, only = _kinds(options.faults), _numbers(options.only)
    if not 1 <= options.rounds <= MOST_ROUNDS:
        raise BadInputError(f"--rounds {options.rounds}: from 1 to {MOST_ROUNDS}")
    if options.table and options.table not in SUBMISSIONS:
        raise BadInputError(f"--table {options.table}: there are {', '.join(SUBMISSIONS)}")
    if options.hours is not None and not 0 < options.hours <= MOST_HOURS:
        raise BadInputError(f"--hours {options.hours:g}: more than 0, and at most {MOST_HOURS:g}")
    tally, choices = Tally(), Choices(options.table, options.fair, options.hours or 0.0)
    for seed in _seeds(options, tally):
        result = _played(seed, options, choices, kinds, only)
        tally.add(result)
        if result.violations:
            shortest = (
                _shortest(seed, options.rounds, choices, kinds, only)
                if options.shrink
                else Case(options.rounds, only or ())
            )
            return _tell(options, tally, result, command_line(seed, shortest, choices), shortest)
        if not options.json and (options.runs > 1 or options.seconds):
            say(f"seed {seed}: {result.table}, {result.rounds} hands, {result.lives} starts: whole")
    return _tell(options, tally)


def _seeds(options: argparse.Namespace, tally: Tally) -> Iterator[int]:
    """The seeds that were asked for, or as many as there is time for."""
    first = options.seed if options.seed is not None else int.from_bytes(os.urandom(_SEED_BYTES), "big")
    number = 0
    while number < options.runs or (options.seconds and tally.seconds < options.seconds):
        yield first + number
        number += 1


def _played(
    seed: int, options: argparse.Namespace, choices: Choices, kinds: tuple[str, ...], only: tuple[int, ...] | None
) -> Result:
    with ExitStack() as stack:
        takers: list[Taker] = []
        if options.trace:
            takers.append(_Written(stack.enter_context(Path(options.trace).open("wb"))))
        return play(seed, options.rounds, choices, kinds=kinds, keep=only, takers=takers)


class _Written:
    """Writes a trace down."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __call__(self, event: trace.Any_) -> None:
        self._file.write(trace.line(event))


def _shortest(seed: int, rounds: int, choices: Choices, kinds: tuple[str, ...], only: tuple[int, ...] | None) -> Case:
    every = tuple(each.number for each in schedule(seed, rounds, kinds) if only is None or each.number in only)
    print(f"seed {seed} shows a violation; looking for the shortest history that does", file=sys.stderr)

    def fails(case: Case) -> bool:
        return bool(play(seed, case.rounds, choices, kinds=kinds, keep=case.only).violations)

    return shrunk(Case(rounds, every), fails)


def _tell(
    options: argparse.Namespace,
    tally: Tally,
    wrong: Result | None = None,
    again: str = "",
    shortest: Case | None = None,
) -> int:
    if options.json:
        say(json.encode(tally.as_dict(wrong, again)).decode())
    else:
        say("\n".join(told(tally, wrong, shortest, again)))
    return 1 if wrong else 0


def _kinds(given: str) -> tuple[str, ...]:
    if given in {"all", "none"}:
        return tuple(KINDS) if given == "all" else ()
    kinds = tuple(each for each in given.split(",") if each)
    unknown = [each for each in kinds if each not in KINDS]
    if unknown:
        raise BadInputError(f"--faults {unknown[0]}: there are all, none, {', '.join(KINDS)}")
    return kinds


def _numbers(given: str | None) -> tuple[int, ...] | None:
    if given is None:
        return None
    try:
        return tuple(int(each) for each in given.split(",") if each)
    except ValueError:
        raise BadInputError(f"--only {given}: the numbers of faults, like 3,17") from None
