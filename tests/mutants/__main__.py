"""`python -m tests.mutants [NAME …]`: plant each bug, and see who finds it. Exit 1 where somebody did not who must.

The tests that are named must find all of theirs. The simulator, which plays at random, must find nine of ten.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from msgspec import MsgspecError, Struct, json

from tests.mutants import report
from tests.mutants.looking import Look, most_seconds
from tests.mutants.planted import Bug, NotPlantedError, every
from tests.mutants.report import Outcome
from tests.mutants.trees import Tree

LOOK_SECONDS = 60.0  # of processor time, for the simulator
TEST_SECONDS = 300.0  # what waits for a bug for ever is ended; the tests that are named take seconds
LOADED_FACTOR = 4  # times the processor time: other programs may want the cores as well
FAILED, PASSED = 1, 0  # of pytest's exit codes; any other says that it could not test


class CannotSayError(Exception):
    """A run that neither finds a bug nor passes."""


class Found(Struct, frozen=True):
    """What one finder came to: what it found, if anything, and how long it took."""

    seconds: float
    what: str = ""


def by_tests(tree: Tree, tests: Sequence[str]) -> Found:
    """Run tests until one fails; its name."""
    began = time.monotonic()
    words = ("pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", *tests)
    try:
        done = tree.run(*words, seconds=TEST_SECONDS)
    except subprocess.TimeoutExpired:
        raise CannotSayError(f"tests do not end: {' '.join(tests)}") from None
    spent = round(time.monotonic() - began, 1)
    if done.returncode == PASSED:
        return Found(spent)
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if done.returncode != FAILED or failed is None:
        raise CannotSayError(f"tests cannot be run: {' '.join(tests)}: {done.stdout[-1500:]}")
    return Found(spent, failed[1])


def by_simulator(tree: Tree, seconds: float) -> Found:
    """Let the simulator look; the first thing it finds wrong."""
    limit = most_seconds(seconds)
    try:
        done = tree.run("tests.mutants.looking", str(seconds), seconds=LOADED_FACTOR * limit)
    except subprocess.TimeoutExpired:
        raise CannotSayError(f"the simulator does not end within {LOADED_FACTOR * limit} s") from None
    if done.returncode < 0:  # ended by the limit on its processor time
        return Found(limit, "the product hangs where no signal reaches it")
    try:
        look = json.decode(done.stdout.rstrip().rpartition("\n")[2], type=Look)
    except MsgspecError:
        raise CannotSayError(f"the simulator cannot be run: {done.stdout[-1500:]}") from None
    return Found(look.seconds, look.found)


def outcome_of(tree: Tree, bug: Bug, seconds: float = LOOK_SECONDS) -> Outcome:
    """Plant a bug, and see who finds it."""
    tests = simulator = Found(0.0)
    try:
        with tree.planted(bug):
            if bug.tests:
                tests = by_tests(tree, bug.tests)
            if bug.simulator:
                simulator = by_simulator(tree, seconds)
    except (NotPlantedError, CannotSayError) as error:
        return Outcome(bug, trouble=str(error))
    return Outcome(bug, tests.what, tests.seconds, simulator.what, simulator.seconds)


def whole(tree: Tree, bugs: Sequence[Bug], *, simulate: bool) -> Outcome:
    """What is found though nothing is planted: all that is said later would prove nothing."""
    named = sorted({test for bug in bugs for test in bug.tests})
    try:
        found = [by_tests(tree, named)] if named else []
        found += [by_simulator(tree, LOOK_SECONDS)] if simulate else []
    except CannotSayError as error:
        return Outcome(NOTHING, trouble=str(error))
    return Outcome(NOTHING, trouble="; ".join(f"{each.what} though nothing is planted" for each in found if each.what))


def outcomes(bugs: Sequence[Bug], workers: int, *, simulate_whole: bool) -> Iterator[Outcome]:
    """Of each bug, on copies of the tree, in their order."""
    with TemporaryDirectory(prefix="jackpotd-mutants-") as folder:
        trees = SimpleQueue[Tree]()
        for number in range(workers):
            place = Path(folder) / str(number)
            place.mkdir()
            trees.put(Tree(place))

        def one(bug: Bug | None) -> Outcome:
            tree = trees.get()
            try:
                return outcome_of(tree, bug) if bug else whole(tree, bugs, simulate=simulate_whole)
            finally:
                trees.put(tree)

        with ThreadPoolExecutor(workers) as pool:
            yield from pool.map(one, [None, *bugs])


NOTHING = Bug(name="nothing-planted", says="The product as it is, in which nothing may be found.", edits=())


def main() -> int:
    """Plant what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="bugs of the lists, or themes; all of them unless told")
    parser.add_argument("--list", action="store_true", help="say what can be planted")
    options = parser.parse_args()
    bugs = every(*options.names)
    if options.list:
        print("\n".join(f"{bug.name}: {bug.says}" for bug in bugs))
        return 0
    done: list[Outcome] = []
    for outcome in outcomes(bugs, len(os.sched_getaffinity(0)), simulate_whole=not options.names):
        print(outcome.line(), flush=True)
        done.append(outcome)
    missed = report.missed(done)
    if not options.names:
        report.write(done)
    print("\n".join([report.summary(done), *missed]))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
