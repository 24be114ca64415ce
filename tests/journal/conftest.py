import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.journal.journal import Journal
from controller.journal.memory import MemoryJournal
from controller.journal.sqlite import SqliteJournal
from controller.simulation.disk import SimulatedDisk


def _memory(_folder: Path) -> Journal:
    return MemoryJournal()


def _sqlite(folder: Path) -> Journal:
    return SqliteJournal(folder / "table.journal")


def _simulated(folder: Path) -> Journal:
    return SqliteJournal(folder / "table.journal", SimulatedDisk("contract"))


@pytest.fixture(params=[_memory, _sqlite, _simulated], ids=["memory", "sqlite", "simulated disk"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    """A new, empty journal of each kind."""
    make: Callable[[Path], Journal] = request.param
    with make(tmp_path) as made:
        yield made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a journal on disk may be made."""
    return tmp_path / "table.journal"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the user nobody can reach and owns: pytest's own are closed to everyone else."""
    folder = Path(tempfile.mkdtemp())
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    yield folder
    shutil.rmtree(folder)
