"""The journal's disk full, or set back: no service rather than one that says what is not durable."""

import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.opening import LEAST_FREE_BYTES
from tests.outlets.brokers import needs_mosquitto
from tests.service.faults import (
    NOTHING,
    a_round,
    check_every_fact_was_told,
    failures,
    refused,
    save,
    survived,
    take_back,
    taken_by_a_consumer,
)
from tests.service.house import House

pytestmark = needs_mosquitto
DISK_BYTES = LEAST_FREE_BYTES + 16 * 1024 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that is soon full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)],  # noqa: S607 -- wherever it is
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"nothing can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)  # noqa: S607 -- as above


def fill(path: Path) -> None:
    """Leave no room on the disk of a file."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(65536))
        except OSError:
            pass


def test_a_full_disk_ends_the_service_and_is_waited_for_until_there_is_room(small_disk: Path) -> None:
    filler = small_disk / "filler"

    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await a_round(house, 1, 2)
        await house.bet(3, 4)
        fill(filler)
        house.chip(5)  # cannot become durable
        assert await house.ended() == 1
        (why,) = failures(house)
        assert "what was acknowledged is safe" in why
        await house.until(lambda: house.sign.state == "faulted")
        assert house.sign.topics["status"]["reason"] == why
        assert not any(house.boards[0].coils + house.boards[1].coils)
        assert house.sign.lamp(5) == "invite"  # it never said otherwise
        state = house.state()
        assert {*state.standing} == {"3/royal9", "4/royal9"}

        asked, begun = house.bus.questions, len(house.log)
        await house.start(ready=False)
        await house.until(lambda: house.logged("journal-unwritable", begun))
        await house.until(lambda: "make room" in house.sign.topics["status"]["reason"])
        assert taken_by_a_consumer(house.sign.messages, "status")[-1] == house.sign.topics["status"]
        assert house.sign.state == "faulted"
        assert house.bus.questions == asked  # no device is spoken to
        assert house.state().seq == state.seq
        filler.unlink()
        await house.until(lambda: house.logged("ready", begun))
        await house.until(lambda: (house.sign.state, house.sign.phase) == ("online", "open"))
        await house.until(lambda: {*house.state().standing} == {"3/royal9", "4/royal9", "5/royal9"})
        await house.lock()
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")
        await house.reopen()
        await house.agree()

    house = survived(small_disk, scene)
    check_every_fact_was_told(house)


def test_a_disk_that_fills_while_nobody_plays_is_found_out_by_the_heartbeat(small_disk: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        fill(small_disk / "filler")
        assert await house.ended() == 1
        (line,) = house.logged("failed")
        assert line["part"] == "heartbeat"
        await house.until(lambda: house.sign.state == "faulted")
        assert house.sign.topics["status"]["reason"] == line["why"]
        assert not any(house.boards[0].coils)
        (small_disk / "filler").unlink()
        await house.start()
        await house.until(lambda: {*house.state().standing} == {"1/royal9"} and house.sign.phase == "open")

    check_every_fact_was_told(survived(small_disk, scene))


def test_a_service_that_waits_for_room_can_be_stopped(small_disk: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        assert await house.stop() == 0
        fill(small_disk / "filler")
        begun = len(house.log)
        await house.start(ready=False)
        await house.until(lambda: house.logged("journal-unwritable", begun))
        assert await house.stop() == 0
        (small_disk / "filler").unlink()

    survived(small_disk, scene)


def test_a_journal_that_was_set_back_is_refused_and_the_newest_copy_starts(tmp_path: Path) -> None:
    def copy(house: House, name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for path in tmp_path.glob("journal.db*"):
            if path.suffix != ".socket":
                shutil.copy(path, folder)
        assert (folder / house.journal.name).exists()
        return folder

    def put_back(house: House, folder: Path) -> None:
        for path in tmp_path.glob("journal.db*"):
            path.unlink()
        for path in folder.iterdir():
            shutil.copy(path, tmp_path)
        assert house.journal.exists()

    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await a_round(house, 1)
        assert await house.stop() == 0
        old, old_head = copy(house, "old"), house.head()
        for _ in range(2):  # the copy is two starts behind, so that its next is one that signs have heard of
            await house.start()
            await a_round(house, 2)
            assert await house.stop() == 0
        newest, head, asked = copy(house, "newest"), house.head(), house.bus.questions

        put_back(house, old)
        why = await refused(house)
        assert f"the broker knows fact {house.sign.topics['journal/head']['seq']} of this table" in why
        assert "restore the newest copy" in why
        await house.until(lambda: house.sign.state == "faulted")
        assert house.sign.topics["status"]["reason"] == why
        assert taken_by_a_consumer(house.sign.messages, "status")[-1] == house.sign.topics["status"]
        assert house.bus.questions == asked
        assert house.head() == old_head  # and nothing is written

        put_back(house, newest)
        await house.start()
        await house.until(lambda: (house.sign.state, house.sign.phase) == ("online", "open"))
        assert house.state().seq > head
        await a_round(house, 3)

    check_every_fact_was_told(survived(tmp_path, scene))


def test_a_copy_made_before_the_last_round_of_a_clean_stop_is_known_to_be_old(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await a_round(house, 1)
        old, newest = tmp_path / "old.db", tmp_path / "newest.db"
        save(house.journal, old)
        await a_round(house, 2)
        assert await house.stop() == 0
        assert house.sign.topics["journal/head"]["seq"] == house.head()
        save(house.journal, newest)
        take_back(house, old)
        assert "restore the newest copy" in await refused(house)
        await house.until(lambda: house.sign.state == "faulted")
        take_back(house, newest)
        await house.start()
        await a_round(house, 3)

    check_every_fact_was_told(survived(tmp_path, scene))


def test_a_journal_set_back_while_the_broker_was_away_is_found_out_when_it_is_back(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        assert await house.stop() == 0
        old = tmp_path / "old.db"
        shutil.copy(house.journal, old)
        await house.start()
        await a_round(house, 1)
        assert await house.stop() == 0
        told = len(house.sign.messages)
        newest = tmp_path / "newest.db"
        house.journal.rename(newest)
        shutil.copy(old, house.journal)
        house.broker.signal(signal.SIGSTOP)
        await house.start(ready=False)
        await house.until(lambda: house.logged("broker-not-reached"))
        async with house.unheard():  # the sign may have been thrown out
            house.broker.signal(signal.SIGCONT)
        assert await house.ended() == 1
        (why,) = failures(house)
        assert "the broker knows" in why
        await house.until(lambda: house.sign.topics["status"]["reason"] == why)
        assert house.sign.state == "faulted"
        assert taken_by_a_consumer(house.sign.messages, "status")[-1]["reason"] == why
        heard = list(enumerate(house.sign.messages))[told:]
        said = [topic for index, (topic, payload) in heard if payload and index not in house.sign.kept]
        assert set(said) == {"status"}  # nothing of a table that never was
        take_back(house, newest)
        await house.start()
        await a_round(house, 2)

    survived(tmp_path, scene)
