"""Who looks for planted bugs can find one, and can fail; and some of the lists, which `make mutants` plants whole."""

from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import pytest
from msgspec.structs import replace

from tests.mutants import looking, report
from tests.mutants.__main__ import outcome_of
from tests.mutants.looking import Look
from tests.mutants.planted import Bug, Edit, every
from tests.mutants.report import Outcome
from tests.mutants.trees import Tree

MONEY = "controller/rules/money.py"
TOO_FEW = Edit(MONEY, "_RATE_DECIMALS = 4", "_RATE_DECIMALS = 3")
NO_CHANGE = Edit(MONEY, "_RATE_DECIMALS = 4", "_RATE_DECIMALS = 2 + 2")
TESTS = ("tests/rules/test_money.py",)
A_FIFTH, A_TENTH = 5, 10  # of the lists, for the tests and for the simulator: all of them take a quarter of an hour
PATIENT_SECONDS = 120.0  # of processor time: what comes is certain, and a slow processor only takes longer


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("tree"))


def bug(edit: Edit, tests: tuple[str, ...] = TESTS, *, simulator: bool = False) -> Bug:
    return Bug(name="planted", says="It is for this test.", edits=(edit,), tests=tests, simulator=simulator)


def test_tests_find_a_bug_and_the_tree_is_as_before(tree: Tree) -> None:
    found = outcome_of(tree, bug(TOO_FEW))
    assert found.tests.startswith("tests/rules/test_money.py::")
    assert report.missed([found]) == []
    assert "_RATE_DECIMALS = 4" in (tree.folder / MONEY).read_text()
    missed = outcome_of(tree, bug(NO_CHANGE))  # nor is there byte code of it
    assert (missed.tests, missed.trouble) == ("", "")
    assert report.missed([missed]) == [missed.line()]


def test_the_simulator_finds_a_bug_and_says_so_where_it_does_not(tree: Tree) -> None:
    found = outcome_of(
        tree, bug(Edit("controller/outlets/meters.py", "display_cents=", "display_cents=1 + "), (), simulator=True)
    )
    assert "display" in found.simulator
    missed = outcome_of(tree, bug(NO_CHANGE, (), simulator=True), seconds=0.1)
    assert (missed.simulator, missed.trouble) == ("", "")
    assert report.missed([missed]) == [missed.line()]


@pytest.mark.parametrize(
    ("edit", "tests", "why"),
    [
        (Edit(MONEY, "no such line", ""), TESTS, "does not apply any more"),
        (Edit(MONEY, "_RATE_DECIMALS = 4", "_RATE_DECIMALS = no_such_name"), TESTS, "cannot be run"),
        (TOO_FEW, ("tests/rules/no_such_file.py",), "cannot be run"),
    ],
    ids=["stale", "does-not-import", "no-such-test"],
)
def test_what_proves_nothing_fails_the_run(tree: Tree, edit: Edit, tests: tuple[str, ...], why: str) -> None:
    found = outcome_of(tree, bug(edit, tests))
    assert why in found.trouble
    assert report.missed([found]) == [found.line()]


@pytest.mark.parametrize(("missed", "fails"), [(1, False), (2, True)])
def test_the_simulator_may_miss_one_of_ten(missed: int, fails: bool) -> None:
    seen = bug(TOO_FEW, (), simulator=True)
    done = [Outcome(seen, simulator="" if number < missed else "seed 1: display") for number in range(10)]
    assert bool(report.missed(done)) is fails


@pytest.mark.verify
@pytest.mark.parametrize("planted", every()[::A_FIFTH], ids=lambda planted: planted.name)
def test_the_tests_that_are_named_find_a_planted_bug(tree: Tree, planted: Bug) -> None:
    assert report.missed([outcome_of(tree, replace(planted, simulator=False))]) == []


@pytest.mark.verify
def test_the_simulator_finds_nine_of_ten_planted_bugs(tree: Tree) -> None:
    seen = [replace(planted, tests=()) for planted in every() if planted.simulator][::A_TENTH]
    assert report.missed([outcome_of(tree, planted, PATIENT_SECONDS) for planted in seen]) == []


class OverError(Exception):
    pass


@pytest.mark.parametrize(("run_seconds", "found"), [(0.2, "seed 1, baccarat-heavenly9: the product hangs"), (5.0, "")])
def test_a_run_that_takes_much_longer_than_any_does_is_one_that_hangs(
    run_seconds: float, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(*_: object, **__: object) -> None:
        with suppress(OverError):
            while True:
                pass

    def over(came_to: Look) -> NoReturn:
        looks.append(came_to)
        raise OverError

    looks: list[Look] = []
    monkeypatch.setattr(looking, "RUN_SECONDS", run_seconds)
    monkeypatch.setattr(looking, "play", hang)
    with suppress(AttributeError):  # there is no result
        looking.look(0.4, over)
    assert looks[0].found == found


def test_what_was_found_is_written_down(tmp_path: Path) -> None:
    found = Outcome(bug(TOO_FEW, simulator=True), f"{TESTS[0]}::test_a|b", 1.5, "seed 3, mini: 6.0 s: books: why", 2.5)
    report.write([found], tmp_path / "mutants.md")
    text = (tmp_path / "mutants.md").read_text()
    assert "1 bugs planted: tests found 1 of 1, the simulator 1 of 1. Commit " in text
    assert "| planted: It is for this test. | `test_a\\|b` 1.5 s | books, 2.5 s |  |" in text
