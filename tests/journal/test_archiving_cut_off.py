"""The power goes, or the process, at every single write of archiving a day: no fact is ever in no file."""

from contextlib import suppress

import pytest

from controller.core.facts import FactsWereArchived
from controller.journal.archive.leaving import due
from controller.journal.archive.packing import UNFINISHED, job, prepare, publish
from controller.journal.archive.whole import whole
from controller.journal.chain import proven
from controller.journal.errors import JournalError
from controller.journal.reading import open_readonly
from controller.journal.rows import EMPTY, Head, Row
from controller.journal.sqlite import SqliteJournal
from controller.people.stopped import Stopped
from controller.simulation.disk import PowerCutError, SimulatedDisk
from tests.journal.closed_days import KEPT, long_play
from tests.journal.played import entries, rows

PATH, FOLDER = "/table.journal", "/archive"
FACTS, SNAPSHOTS = long_play()
ROWS = rows(FACTS)
TOGETHER = 200  # facts let go at once: several times for a day


def played(disk: SimulatedDisk) -> None:
    """The week, told, on a simulated disk."""
    with SqliteJournal(PATH, disk) as journal:
        journal.append(entries(FACTS), cursor=len(ROWS))
        for snapshot in SNAPSHOTS:
            journal.append([], snapshot=snapshot._replace(hash=ROWS[snapshot.seq - 1].hash))


def archive(disk: SimulatedDisk, most: int = 10**6) -> list[FactsWereArchived]:
    """What a start does: what a crash left is let go, then day after day."""
    made = []
    with SqliteJournal(PATH, disk) as journal:
        table = Stopped(journal)
        while journal.forget(TOGETHER):
            pass
        while leaving := due(journal, KEPT, most):
            wanted = job(journal, FOLDER, "valley-forge/mb-07", leaving)
            made.append(prepare(wanted, disk))
            publish(wanted, made[-1], disk)
            table.archive(made[-1])
            while journal.forget(TOGETHER):
                pass
    return made


def standing(disk: SimulatedDisk) -> Head:
    """The head, when every fact of the week is found across journal and archives, none of them twice or otherwise."""
    with open_readonly(PATH, disk) as journal:
        found = list(whole(journal))
        head = proven(found, EMPTY)
        assert [row[7] for row in found[: len(ROWS)]] == [row.hash for row in ROWS]
    with SqliteJournal(PATH, disk) as journal:
        assert isinstance(next(journal.rows(journal.anchor().seq)), Row)
        Stopped(journal)  # the state is proven from a snapshot, without any archive
    return head


def writes_of_archiving() -> int:
    disk = SimulatedDisk(0)
    played(disk)
    before = disk.writes
    assert len(archive(disk)) == 4
    standing(disk)
    disk.close()
    return disk.writes - before


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.slow
def test_a_power_cut_at_any_write_loses_nothing_and_the_next_start_goes_on(seed: int) -> None:
    last = writes_of_archiving()
    assert last > 50
    for at in range(1, last + 1):
        disk = SimulatedDisk(f"{seed} {at}")
        played(disk)
        disk.cut(at)
        with suppress(PowerCutError, JournalError, OSError):
            archive(disk)
        if disk.is_off:
            disk.restart()
        disk.spare()
        head = standing(disk)
        archive(disk)
        assert standing(disk).seq >= head.seq
        names = [name for name in disk.names(FOLDER) if not name.endswith(UNFINISHED)]
        with open_readonly(PATH, disk) as journal:
            assert sorted(names) == [file.file for file in journal.past.files]
            assert len(names) == 4
        disk.close()


@pytest.mark.slow
def test_it_would_be_found_if_a_file_were_not_safe_before_its_facts_leave() -> None:
    """The same with the two steps in each other's place: a cut between them leaves facts in no file."""
    lost = 0
    for at in range(1, writes_of_archiving()):
        disk = SimulatedDisk(f"careless {at}")
        played(disk)
        disk.cut(at)
        with suppress(PowerCutError, JournalError, OSError), SqliteJournal(PATH, disk) as journal:
            table, leaving = Stopped(journal), due(journal, KEPT)
            assert leaving is not None
            wanted = job(journal, FOLDER, "valley-forge/mb-07", leaving)
            made = prepare(wanted, disk)
            table.archive(made)
            while journal.forget(TOGETHER):
                pass
            publish(wanted, made, disk)
        if disk.is_off:
            disk.restart()
        disk.spare()
        with open_readonly(PATH, disk) as journal:
            try:
                proven(whole(journal), EMPTY)
            except JournalError:
                lost += 1
        disk.close()
    assert lost


@pytest.mark.parametrize("failing", ["write", "sync"])
def test_a_disk_that_fails_in_the_midst_keeps_every_fact(failing: str) -> None:
    disk = SimulatedDisk(1)
    played(disk)
    with SqliteJournal(PATH, disk) as journal:
        leaving = due(journal, KEPT)
        assert leaving is not None
        wanted = job(journal, FOLDER, "valley-forge/mb-07", leaving)
        disk.failing.add(failing)
        with pytest.raises(JournalError, match="see that the folder above it exists, has room"):
            prepare(wanted, disk)
        disk.failing.clear()
        assert journal.anchor() == EMPTY
    assert standing(disk).seq == len(ROWS)
    assert len(archive(disk)) == 4
    standing(disk)
    disk.close()
