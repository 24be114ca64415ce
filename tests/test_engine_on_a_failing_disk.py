"""The engine on a disk that fails: nothing is acknowledged that is not there, and then the exact state is back."""

import asyncio
import errno
from pathlib import Path

import pytest
from msgspec import json

from controller.core import inputs
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import wait_until_writable
from controller.journal.errors import JournalUnwritableError
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from tests import virtual_time
from tests.core.play import BEGIN
from tests.journal.children import in_child
from tests.journal.disk_faults import fail_from_now_on, on_a_disk_of_its_own, remount_disk
from tests.test_engine import Lines, chip, opened
from tests.virtual_time import VirtualClock


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS], ids=errno.errorcode.get)
def test_what_was_acknowledged_is_exactly_what_is_there(tmp_path: Path, number: int) -> None:
    path = tmp_path / "journal.db"

    def play_into_the_fault() -> tuple[bytes, list[str]]:
        lines = Lines()
        with SqliteJournal(path) as journal:
            engine = opened(journal, lines)
            for seat in (1, 2, 3):
                engine.step([chip(seat)])
            acknowledged, released = engine.state, len(lines.released)
            fail_from_now_on(number, "pwrite64")
            with pytest.raises(JournalUnwritableError, match="acknowledged is safe"):
                engine.step([chip(4), inputs.Button(at=stamp(BEGIN + 60_000_000))])
            assert engine.state is acknowledged
            assert len(lines.released) == released
        return json.encode(acknowledged), lines.faults

    acknowledged, faults = in_child(play_into_the_fault)
    assert len(faults) == 1
    with SqliteJournal(path) as journal:
        assert load(journal) == json.decode(acknowledged, type=State)
        engine = opened(journal)
        assert engine.step([chip(4)])[0].ok


def test_a_disk_that_is_read_only_at_start_is_waited_out(tmp_path: Path) -> None:
    def work() -> None:
        path = tmp_path / "journal.db"
        with SqliteJournal(path) as journal:
            before = opened(journal).state
        remount_disk(tmp_path, read_only=True)
        faults: list[str] = []

        async def start() -> State:
            loop = asyncio.get_running_loop()
            loop.call_later(9, lambda: remount_disk(tmp_path, read_only=False))
            journal = await wait_until_writable(lambda: SqliteJournal(path), VirtualClock(), faults.append)
            with journal:
                return load(journal)

        assert virtual_time.run(start()) == before
        assert len(faults) == 5
        assert str(path) in faults[0]

    on_a_disk_of_its_own(tmp_path, work)
