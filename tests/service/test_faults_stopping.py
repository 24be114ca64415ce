"""SIGTERM at any moment: the service ends by itself, says so where it can be heard, and goes on where it was."""

import asyncio
import fcntl
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.outlets.brokers import needs_mosquitto
from tests.service.faults import NOTHING, a_round, check_every_fact_was_told, stopped_by_itself, survived
from tests.service.house import House

pytestmark = needs_mosquitto
MOMENTS = 12  # of a start: the first before there is a line in the log
APART_SECONDS = 0.015
PIPE_BYTES = 4096  # the least a pipe can hold


def test_stopped_at_any_moment_of_a_start(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        assert await stopped_by_itself(house) == 0
        for moment in range(MOMENTS):
            begun, heard = len(house.log), len(house.sign.messages)
            await house.start(ready=False)
            if moment:
                await house.until(lambda: house.log[begun:])  # noqa: B023 -- called before the loop goes on
                await asyncio.sleep(moment * APART_SECONDS)
            code = await stopped_by_itself(house)
            # Before the program has begun to listen, the signal ends it as it ends any other.
            assert code == 0 or (code == -signal.SIGTERM and not house.log[begun:]), house.raw_log.decode()
            assert [line for line in house.log[begun:] if line["level"] == "error"] == []
            if house.logged("broker-there", begun):
                await house.until(lambda: house.sign.topics["status"]["reason"] == "stopped")
                assert house.sign.state == "offline"
            elif len(house.sign.messages) == heard:
                assert house.sign.state == "offline"
        await house.start()
        await house.until(lambda: (house.sign.state, house.sign.phase) == ("online", "open"))
        await a_round(house, 1)

    check_every_fact_was_told(survived(tmp_path, scene))


@pytest.mark.parametrize("phase", ["open", "locked", "settled"])
def test_stopped_in_mid_round_the_lamps_go_dark_and_the_round_goes_on_at_the_next_start(
    tmp_path: Path, phase: str
) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1, 2)
        if phase != "open":
            await house.lock()
            await house.until(lambda: house.sign.lamp(2) == "accepted")
        if phase == "settled":
            house.deal(NOTHING)
            await house.until(lambda: house.sign.phase == "settled")
        state = await house.agree()
        assert await stopped_by_itself(house) == 0
        await house.until(lambda: house.sign.state == "offline")
        assert house.sign.topics["status"]["reason"] == "stopped"
        assert not any(house.boards[0].coils + house.boards[1].coils)
        await house.start()
        await house.until(lambda: house.sign.phase == phase)
        after = await house.agree()
        assert (after.standing, after.meters, after.record(1)) == (state.standing, state.meters, state.record(1))
        if phase == "open":
            await house.lock()
            await house.until(lambda: house.sign.lamp(2) == "accepted")

    check_every_fact_was_told(survived(tmp_path, scene))


@pytest.mark.parametrize("how", ["frozen", "gone"])
def test_stopped_while_nobody_hears_it(tmp_path: Path, how: str) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        if how == "frozen":
            house.broker.signal(signal.SIGSTOP)
        else:
            house.broker.kill()
        house.chip(2)
        await house.until(lambda: "2/royal9" in house.state().standing)
        assert await stopped_by_itself(house) == 0
        assert not any(house.boards[0].coils)
        if how == "frozen":
            house.broker.signal(signal.SIGCONT)
            await house.until(lambda: house.sign.state == "offline")
        else:
            await house.broker.start()
        await house.start()
        state = await house.agree()
        assert {*state.standing} == {"1/royal9", "2/royal9"}
        await house.until(lambda: house.sign.facts[-1]["seq"] == house.head())

    check_every_fact_was_told(survived(tmp_path, scene))


@pytest.mark.parametrize("how", ["frozen", "gone"])
def test_stopped_at_a_start_that_finds_no_broker(tmp_path: Path, how: str) -> None:
    async def scene(house: House) -> None:
        if how == "frozen":
            house.broker.signal(signal.SIGSTOP)
        else:
            house.broker.kill()
        await house.start(ready=False)
        await house.until(lambda: house.logged("journal-proven"))
        assert await stopped_by_itself(house) == 0
        if how == "frozen":
            house.broker.signal(signal.SIGCONT)
        else:
            await house.broker.start()
        await house.start()

    survived(tmp_path, scene)


@pytest.mark.parametrize("how", ["unplugged", "silent"])
def test_stopped_while_no_device_answers(tmp_path: Path, how: str) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.bet(1)
        if how == "unplugged":
            house.lines["rail"].unplug()
        else:
            house.bus.silent |= {1, 2}
            await asyncio.sleep(0.1)  # asked, and waited for in vain: not lost yet
        assert await stopped_by_itself(house) == 0
        await house.until(lambda: house.sign.state == "offline")
        house.lines["rail"].plug()
        house.bus.silent.clear()
        await house.start()
        await house.until(lambda: {*house.state().standing} == {"1/royal9"})

    check_every_fact_was_told(survived(tmp_path, scene))


def test_stopped_while_nobody_reads_its_log(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        assert await house.stop() == 0
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        house.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "controller", "run", "--config", str(house.config)),
            stderr=writing,
            env={**house.environ, "JACKPOTD_LOG": "debug"},
        )
        os.close(writing)
        await house.until(lambda: house.sign.state == "online" and house.sign.topics["status"]["epoch"] > 1)
        for _ in range(3):
            await a_round(house, 1, 2, 3, 4)
        os.set_blocking(reading, False)
        assert await stopped_by_itself(house) == 0
        assert b'"stopped"' not in os.read(reading, 2 * PIPE_BYTES)  # it was full before that
        os.close(reading)

    check_every_fact_was_told(survived(tmp_path, scene))
