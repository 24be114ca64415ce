"""What tests of several parts share: a database server for links."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests import loop
from tests.link.server import Server, folder, running

_NUMBERS = count(1)


def pytest_sessionfinish() -> None:
    """End the loop that tests shared, and the browser on it."""
    loop.close()


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
