"""The clock set back and forward by hours, in mid round and across a restart: play goes on, no day comes twice."""

import asyncio
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.outlets.brokers import needs_mosquitto
from tests.service.faults import NOTHING, Meddler, check_every_fact_was_told, survived
from tests.service.house import House

pytestmark = needs_mosquitto
HOUR = 3600
NEXT_DAY = 25 * HOUR  # past the same time of the next day, also where the clocks go back in between
AGAIN_MS = 100


def with_a_real_button(house: House) -> None:
    """A second press is one and the same for a while: by a clock that may be set in between."""
    path = house.config.with_suffix(".service.toml")
    text = path.read_text()
    assert "reopen_after_ms = 0" in text
    path.write_text(text.replace("reopen_after_ms = 0", f"reopen_after_ms = {AGAIN_MS}"))


def times(house: House, *types: str) -> list[str]:
    """When facts of these types happened, in the order of the journal."""
    return [fact["at"] for fact in house.sign.facts if not types or fact["type"] in types]


def readings(house: House) -> list[tuple[str, str]]:
    """Which gaming day ended and which began, each time that meters were read."""
    return [
        (fact["payload"]["ended"], fact["payload"]["day"])
        for fact in house.sign.facts
        if fact["type"] == "readings-taken"
    ]


async def played(house: House, *positions: int) -> None:
    """A whole round by chips, button and shoe."""
    before, round_ = house.sign.meter("royal9-mega"), house.sign.topics["round"]["round"]
    await house.bet(*positions)
    await asyncio.sleep(2 * AGAIN_MS / 1000)
    await house.lock()
    await house.until(lambda: house.sign.meter("royal9-mega") == before + 50 * len(positions))
    house.deal(NOTHING)
    await house.until(lambda: house.sign.phase == "settled")
    await asyncio.sleep(2 * AGAIN_MS / 1000)
    await house.reopen()
    await house.agree()
    assert house.sign.topics["round"]["round"] == round_ + 1


def test_rounds_go_on_while_the_clock_is_set_back_and_forward(tmp_path: Path) -> None:
    meddler = Meddler(tmp_path)

    async def scene(house: House) -> None:
        with_a_real_button(house)
        await meddler.start(house)
        await house.open()
        await house.bet(1)
        meddler.set_clock(-HOUR)
        await house.bet(2)
        await house.lock()
        meddler.set_clock(-2 * HOUR)  # between two presses: an hour ago is not "within a tenth of a second"
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")
        await house.reopen()
        await house.agree()
        await played(house, 3, 4)
        meddler.set_clock(HOUR)
        await played(house, 5)
        assert await house.stop() == 0
        meddler.set_clock(-HOUR)  # while nobody looked
        await meddler.start(house)
        await house.until(lambda: (house.sign.state, house.sign.phase) == ("online", "open"))
        await played(house, 6)
        await house.kill()
        meddler.set_clock(0)
        await meddler.start(house)
        await house.until(lambda: (house.sign.state, house.sign.phase) == ("online", "open"))
        await played(house, 7)
        await house.until(lambda: house.sign.facts[-1]["seq"] == house.head())

    house = survived(tmp_path, scene)
    check_every_fact_was_told(house)
    told = times(house)
    steps = [
        round((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() / HOUR)
        for earlier, later in pairwise(told)
    ]
    assert [step for step in steps if step][-5:] == [-1, -1, 3, -2, 1]  # it did go by the clock it was given


def test_a_gaming_day_that_has_begun_begins_once_however_the_clock_is_set(tmp_path: Path) -> None:
    meddler = Meddler(tmp_path)
    zone = ZoneInfo("America/New_York")
    now = datetime.now(UTC)
    dawn = datetime.combine(now.astimezone(zone).date() + timedelta(days=1), time(6), tzinfo=zone)
    before, after = (int((dawn - now).total_seconds()) + minutes * 60 for minutes in (-30, 30))

    async def scene(house: House) -> None:
        meddler.set_clock(before)
        await meddler.start(house)
        house.ahead = before  # one clock for all: a command that is half a day old would be refused
        await house.open()
        await played(house, 1)
        first = len(readings(house))
        meddler.set_clock(after)
        await played(house, 2)
        assert len(readings(house)) == first + 1
        meddler.set_clock(before)
        await played(house, 3)
        assert await house.stop() == 0
        await meddler.start(house)
        await house.until(lambda: (house.sign.state, house.sign.phase) == ("online", "open"))
        await played(house, 4)
        meddler.set_clock(after)
        await played(house, 5)
        assert len(readings(house)) == first + 1
        assert house.state().day == dawn.date().isoformat()
        meddler.set_clock(after + NEXT_DAY)
        await played(house, 6)
        await house.until(lambda: house.sign.facts[-1]["seq"] == house.head())

    house = survived(tmp_path, scene)
    check_every_fact_was_told(house)
    days = readings(house)
    assert len({ended for ended, _ in days}) == len(days)
    assert [day for _, day in days[-2:]] == [(dawn.date() + timedelta(days=each)).isoformat() for each in (0, 1)]
