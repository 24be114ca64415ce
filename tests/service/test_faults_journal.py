"""The journal's disk full, set back, damaged or taken: no service rather than one that says what is not durable."""

import asyncio
import shutil
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import json

from controller.journal.opening import LEAST_FREE_BYTES
from tests.outlets.brokers import needs_mosquitto
from tests.service.faults import (
    NOTHING,
    a_round,
    check_every_fact_was_told,
    failures,
    survived,
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


async def refused(house: House) -> str:
    """Start a controller that does not start; why."""
    begun = len(house.log)
    await house.start(ready=False)
    assert await house.ended() == 1, house.raw_log.decode()
    assert house.logged("ready", begun) == []
    (line,) = house.logged("refused-to-start", begun)
    return str(line["why"])


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
        old = copy(house, "old")
        for _ in range(2):  # the copy is two starts behind, so that its next is one that signs have heard of
            await house.start()
            await a_round(house, 2)
            assert await house.stop() == 0
        newest, head, asked = copy(house, "newest"), house.head(), house.bus.questions

        put_back(house, old)
        why = await refused(house)
        assert f"the broker knows fact {house.sign.topics['journal/head']['seq']}" in why
        assert "restore the newest copy" in why
        await house.until(lambda: house.sign.state == "faulted")
        assert house.sign.topics["status"]["reason"] == why
        assert taken_by_a_consumer(house.sign.messages, "status")[-1] == house.sign.topics["status"]
        assert house.bus.questions == asked
        with_old = {path.name: path.read_bytes() for path in old.iterdir() if path.name.endswith(".db")}
        assert {name: (tmp_path / name).read_bytes() for name in with_old} == with_old  # nothing was written

        put_back(house, newest)
        await house.start()
        await house.until(lambda: (house.sign.state, house.sign.phase) == ("online", "open"))
        assert house.state().seq > head
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
        house.broker.signal(signal.SIGCONT)
        assert await house.ended() == 1
        (why,) = failures(house)
        assert "the disk was set back" in why
        await house.until(lambda: house.sign.topics["status"]["reason"] == why)
        assert house.sign.state == "faulted"
        assert taken_by_a_consumer(house.sign.messages, "status")[-1]["reason"] == why
        assert {topic for topic, _ in house.sign.messages[told:]} == {"status"}  # nothing of a table that never was
        for path in tmp_path.glob("journal.db*"):
            path.unlink()
        newest.rename(house.journal)
        await house.start()
        await a_round(house, 2)

    survived(tmp_path, scene)


def test_a_second_controller_on_one_journal_is_refused_and_the_first_does_not_notice(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        await house.agree()
        told, socket = len(house.sign.messages), Path(f"{house.journal}.status.socket")
        made = socket.stat().st_ino
        command = [sys.executable, "-m", "controller", "run", "--config", str(house.config)]
        second = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, env=house.environ)
        _, log = await second.communicate()
        assert second.returncode == 1
        lines = [json.decode(line) for line in log.splitlines()]
        (why,) = [line["why"] for line in lines if line["event"] == "refused-to-start"]
        assert f"{house.journal} is held by another process: stop that one first" in why
        assert socket.stat().st_ino == made
        await house.bet(2)
        await house.lock()
        await house.agree()
        heard = [json.decode(payload) for topic, payload in house.sign.messages[told:] if topic == "status"]
        assert [each for each in heard if each["state"] != "online"] == []
        assert house.logged("broker-gone") == []
        assert len(house.logged("broker-there")) == 1
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")

    check_every_fact_was_told(survived(tmp_path, scene))


@pytest.mark.parametrize("setting", ["allow_unsigned = true", 'digest = "' + "0" * 64 + '"'])
def test_a_second_controller_that_would_not_start_anyway_does_not_speak_for_the_first(
    tmp_path: Path, setting: str
) -> None:
    """Whoever tries another version or file by hand must not tell the signs that the table is faulted."""

    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        path = house.config.with_suffix(".service.toml")
        text = path.read_text()
        other = house.folder / "other"
        other.mkdir()
        (other / house.config.name).write_text(house.config.read_text().replace('"450.00"', '"451.00"', 1))
        (other / path.name).write_text(text.replace("allow_unsigned = true", setting))
        told = len(house.sign.messages)
        command = [sys.executable, "-m", "controller", "run", "--config", str(other / house.config.name)]
        second = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, env=house.environ)
        _, log = await second.communicate()
        assert second.returncode == 1, log.decode()
        await a_round(house, 1)
        heard = [json.decode(payload) for topic, payload in house.sign.messages[told:] if topic == "status"]
        assert [each for each in heard if each["state"] != "online"] == []
        assert house.logged("broker-gone") == []

    check_every_fact_was_told(survived(tmp_path, scene))


def test_a_journal_that_someone_else_writes_to_ends_the_service(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        await house.agree()
        good = tmp_path / "good.db"
        subprocess.run([sys.executable, "-c", SAVED, str(house.journal), str(good)], check=True)  # noqa: ASYNC221 -- a moment
        subprocess.run([sys.executable, "-c", FORGED, str(house.journal)], check=True)  # noqa: ASYNC221 -- a moment
        house.chip(2)
        assert await house.ended() == 1
        (why,) = failures(house)
        assert "end the program that changed it and verify the journal" in why
        assert [line["why"] for line in house.logged("ended")] == [why]
        await house.until(lambda: house.sign.state == "faulted")
        assert house.sign.topics["status"]["reason"] == why
        assert not any(house.boards[0].coils)
        assert house.sign.lamp(2) == "invite"
        why = await refused(house)
        assert "does not prove itself" in why or "fact" in why
        await house.until(lambda: house.sign.topics["status"]["reason"] == why)
        for path in tmp_path.glob("journal.db*"):
            path.unlink()
        good.rename(house.journal)
        await house.start()
        await house.until(lambda: {*house.state().standing} == {"1/royal9", "2/royal9"})

    survived(tmp_path, scene)


SAVED = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as journal, sqlite3.connect(sys.argv[2]) as copy:
    journal.backup(copy)
"""
FORGED = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as journal:
    row = list(journal.execute("SELECT * FROM facts ORDER BY seq DESC LIMIT 1").fetchone())
    row[0] += 1
    journal.execute(f"INSERT INTO facts VALUES ({','.join('?' * len(row))})", row)
"""
