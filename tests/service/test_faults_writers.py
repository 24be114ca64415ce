"""A second controller, or any other writer, on a journal that is being kept: the first one's word is the only one."""

import asyncio
import os
import sqlite3
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from msgspec import json

from controller.mqtt import Said, end
from controller.outlets.broker import STATUS_SECONDS
from controller.outlets.heads import LIVE_SECONDS
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
)
from tests.service.house import BASE, WAIT_SECONDS, House

pytestmark = needs_mosquitto
OFTEN_SECONDS = 0.2  # between two signs of life: a machine that is busy with something else leaves no gap that counts


async def second(house: House, config: Path) -> tuple[int | None, bytes]:
    """Start another controller, and wait until it has ended; its exit code and its log."""
    command = [sys.executable, "-m", "controller", "run", "--config", str(config)]
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, env=house.environ)
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            _, log = await process.communicate()
    finally:
        if process.returncode is None:  # it keeps a table, which nobody wants
            process.kill()
            await process.communicate()
    return process.returncode, log


@asynccontextmanager
async def signs_of_life(house: House) -> AsyncIterator[None]:
    """Say the status again and again, as the controller does; but so often that none comes too late to be heard."""
    assert STATUS_SECONDS < LIVE_SECONDS  # its own are heard where nothing is late

    async def live() -> None:
        async with house.as_client() as broker:
            while True:
                status = json.encode(house.sign.topics["status"])
                await broker.publish(Said(f"{BASE}/status", status))  # not kept: what is kept is nobody's life
                await asyncio.sleep(OFTEN_SECONDS)

    living = asyncio.create_task(live())
    try:
        yield
        assert not living.done(), living
    finally:
        await end(living)


def test_a_second_controller_on_one_journal_is_refused_and_the_first_does_not_notice(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        await house.agree()
        told, socket = len(house.sign.messages), f"{house.journal}.status.socket"
        made = os.stat(socket).st_ino  # noqa: PTH116 -- a moment's look
        code, log = await second(house, house.config)
        assert code == 1
        lines = [json.decode(line) for line in log.splitlines()]
        (why,) = [line["why"] for line in lines if line["event"] == "refused-to-start"]
        assert f"{house.journal} is held by another process: stop that one first" in why
        assert os.stat(socket).st_ino == made  # noqa: PTH116 -- a moment's look
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
        code, log = await second(house, other / house.config.name)
        assert code == 1, log.decode()
        await a_round(house, 1)
        heard = [json.decode(payload) for topic, payload in house.sign.messages[told:] if topic == "status"]
        assert [each for each in heard if each["state"] != "online"] == []
        assert house.logged("broker-gone") == []

    check_every_fact_was_told(survived(tmp_path, scene))


@pytest.mark.parametrize("begun", [False, True])
def test_another_box_that_is_started_for_the_same_table_is_refused_and_disturbs_nobody(
    tmp_path: Path, begun: bool
) -> None:
    """With a journal of its own, empty or a copy: only the broker tells that somebody keeps this table."""

    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        other = house.folder / "other"
        other.mkdir()
        text = house.config.with_suffix(".service.toml").read_text()
        (other / "table.toml").write_text(house.config.read_text())
        (other / "table.service.toml").write_text(text.replace(str(house.journal), str(other / "journal.db")))
        if begun:
            save(house.journal, other / "journal.db")
        told = len(house.sign.messages)
        async with signs_of_life(house):
            code, log = await second(house, other / "table.toml")
        assert code == 1, log.decode()
        assert b"another controller keeps this table" in log
        await a_round(house, 1)
        heard = [json.decode(payload) for topic, payload in house.sign.messages[told:] if topic == "status"]
        assert {each["state"] for each in heard} == {"online"}
        assert house.logged("broker-gone") == []

    check_every_fact_was_told(survived(tmp_path, scene))


def forge(path: Path) -> int:
    """Add a fact, as any program that may write the file can; its number."""
    with closing(sqlite3.connect(path)) as journal, journal:
        seq, *row = journal.execute("SELECT * FROM facts ORDER BY seq DESC LIMIT 1").fetchone()
        journal.execute(f"INSERT INTO facts VALUES (?{', ?' * len(row)})", [seq + 1, *row])  # noqa: S608 -- marks alone
    return int(seq) + 1


def test_a_journal_that_someone_else_writes_to_ends_the_service(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        await house.agree()
        good = tmp_path / "good.db"
        save(house.journal, good)
        forged = forge(house.journal)
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
        assert why.startswith(f"fact {forged}: its hash is ")
        await house.until(lambda: house.sign.topics["status"]["reason"] == why)
        take_back(house, good)
        await house.start()
        await house.until(lambda: {*house.state().standing} == {"1/royal9", "2/royal9"})

    survived(tmp_path, scene)
