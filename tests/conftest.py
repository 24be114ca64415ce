"""What tests of several parts share: a database server for links, and how a run is put together.

Tests come in three sizes. `make test` runs all but those marked `verify`; `make verify` runs those; `make soak` runs
some of either for a long time and with new seeds. `make test FAST=1` leaves out what is slow, too.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from tests import loop
from tests.link.server import Server, folder, running
from tests.order import SLOW_FOLDERS, place_of
from tests.service import nursery
from tests.soak import results

_NUMBERS = count(1)
SOAKS = bool(os.environ.get("JACKPOTD_SOAK"))

# A search with a seed of its own finds something new on some day, in somebody else's change. `make test` checks: the
# same examples each time. New ones are for soaks.
settings.register_profile("jackpotd", derandomize=not SOAKS, deadline=None)
settings.load_profile("jackpotd")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Name what is slow, and begin with the files that take longest: they run while others do."""
    for item in items:
        _, folder_name, *_ = item.nodeid.split("/")
        if folder_name in SLOW_FOLDERS and item.get_closest_marker("fast") is None:
            item.add_marker("slow")
    items.sort(key=lambda item: place_of(item.nodeid.partition("::")[0]))


class Covered:
    """What tests say that they covered (`record_property`), and what became of each file."""

    def __init__(self) -> None:
        self.said: dict[str, list[str]] = defaultdict(list)
        self.outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take one report of one test."""
        file, _, name = report.nodeid.partition("::")
        self.seconds[file] += round(report.duration)
        if report.when == "call" or report.failed:
            self.outcomes[file][report.outcome] += 1
            self.said[file] += [f"{name}: {key} {value}" for key, value in report.user_properties]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print it; and where this was a soak, write it down."""
        lines = [f"{file}::{words}" for file, said in sorted(self.said.items()) for words in said]
        if lines:
            terminalreporter.section("covered")
            for line in lines:
                terminalreporter.write_line(line)
        if SOAKS:
            for file, outcomes in self.outcomes.items():
                counted = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
                results.record(file, "; ".join([f"{counted} in {self.seconds[file]} s", *self.said[file]]))


def pytest_configure(config: pytest.Config) -> None:
    """Listen to reports, in the process that prints them."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Covered())


def pytest_sessionfinish() -> None:
    """End what tests shared: the loop and the browser on it, and the process that forks programs."""
    loop.close()
    nursery.close()


@pytest.fixture(scope="session")
def blank_cluster() -> Iterator[Path]:
    """A cluster that is never started, to make others of."""
    with folder() as place:
        blank = Server(place, "blank")
        blank.create()
        yield blank.data


@pytest.fixture(scope="session")
def server(blank_cluster: Path) -> Iterator[Server]:
    """A server that all tests share, each with a database of its own; nobody does anything to it."""
    with running(blank_cluster) as found:
        yield found


@pytest.fixture
def own_server(blank_cluster: Path) -> Iterator[Server]:
    """A server of the test's own, to freeze and to kill."""
    with running(blank_cluster) as found:
        yield found


@pytest.fixture
def database(server: Server) -> str:
    """The name of a new, empty database on the shared server."""
    name = f"link_{next(_NUMBERS)}"
    server.database(name)
    return name
