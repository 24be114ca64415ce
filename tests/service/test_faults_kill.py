"""SIGKILL at random moments of running rounds: what anybody was told is on disk, and the table goes on from there."""

import asyncio
import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.core.state import State
from controller.mqtt import end
from tests.outlets.brokers import needs_mosquitto
from tests.service.faults import NOTHING, check_every_fact_was_told, survived
from tests.service.house import BUTTON, WAGERS, House, HurriedHouse

pytestmark = needs_mosquitto
CHECK_KILLS = 50  # at the same moments each time, as far as the machine allows; more is a search
KILLS = int(os.environ.get("JACKPOTD_KILLS", CHECK_KILLS))
LONGEST_LIFE_SECONDS = 0.35  # some three rounds of these hasty players
LONGEST_START_SECONDS = 0.8
AGAIN_WHILE_STARTING = 0.2  # of all kills
MOSTLY = 0.75


class Players:
    """Players and a dealer who never wait for anything to be acknowledged, and stop with nothing in their hands."""

    def __init__(self, house: House, chance: random.Random) -> None:
        self._house = house
        self._chance = chance
        self.acknowledged: set[int] = set()  # the facts of commands that were answered

    @asynccontextmanager
    async def playing(self, *, commanding: bool) -> AsyncIterator[None]:
        """Have them play for a while; with a floorperson at the console, if so asked."""
        tasks = [asyncio.create_task(self._play())]
        if commanding:
            tasks.append(asyncio.create_task(self._command()))
        try:
            yield
        finally:
            await end(*tasks)
            self._house.boards[0].sense(BUTTON, on=False)
        assert all(task.cancelled() for task in tasks), tasks

    async def _play(self) -> None:
        house, chance = self._house, self._chance
        while True:
            for _ in range(chance.randrange(1, 6)):
                house.chip(chance.randrange(1, 10), chance.choice(WAGERS), there=chance.random() < MOSTLY)
                await asyncio.sleep(chance.random() * 0.01)
            await self._press()
            if chance.random() < MOSTLY:
                house.deal(NOTHING)
                await asyncio.sleep(chance.random() * 0.04)
            for position in range(1, 10):
                for wager in WAGERS:
                    house.chip(position, wager, there=False)
            await self._press()

    async def _press(self) -> None:
        self._house.boards[0].sense(BUTTON, on=True)
        await asyncio.sleep(0.02 + self._chance.random() * 0.02)  # longer than its debounce
        self._house.boards[0].sense(BUTTON, on=False)
        await asyncio.sleep(0.02)

    async def _command(self) -> None:
        """Take a position out of service and put it back, again and again."""
        house, on = self._house, False
        while True:
            reply = await house.ask(
                "position-service", token=house.tokens["flo"], position=9, on=on, reason="a sensor is looked at"
            )
            if reply["ok"]:
                self.acknowledged.add(reply["seq"])
                on = not on


def highest(house: House) -> int:
    """The highest fact that anybody was told of."""
    return max(int(message["seq"]) for _, message in house.sign.told)


def money(state: State) -> dict[str, tuple[int, int, int]]:
    """What each meter is, exactly."""
    return {id_: (meter.units, meter.reserve, meter.cycle) for id_, meter in state.meters.items()}


def where(state: State) -> str:
    """The phase, whatever fault lies over it."""
    return (state.prior or state.phase).value


async def check_truth_after_the_end(house: House) -> State:
    """Nobody was told of more than is on disk, and what was told last stands there."""
    await house.until(lambda: house.sign.state == "offline")  # the last will: nothing of the dead comes after it
    state = house.state()
    assert highest(house) <= state.seq
    if "round" in house.sign.topics and house.sign.topics["round"]["seq"] == state.seq:
        for position, lamps in house.sign.topics["round"]["positions"].items():
            for wager, lamp in lamps.items():
                assert (lamp == "placed") == (state.phase.value == "open" and f"{position}/{wager}" in state.standing)
    return state


@pytest.mark.verify
def test_after_fifty_kills_in_mid_round_nothing_that_was_said_is_lost(tmp_path: Path) -> None:
    seed = random.randrange(2**32) if KILLS > CHECK_KILLS else 1
    print(f"seed {seed}")  # noqa: T201 -- to play it again
    chance = random.Random(seed)
    phases: set[str] = set()

    async def scene(house: House) -> None:
        players, kills = Players(house, chance), 0
        await house.start()
        await house.open()
        while kills < KILLS:
            commanding = kills % 6 == 0
            if commanding:
                await house.sign_in("flo")  # a start has signed everybody out
            async with players.playing(commanding=commanding):
                if commanding and not players.acknowledged:  # on a busy machine no later life may last for an answer
                    await house.until(lambda: players.acknowledged)
                await asyncio.sleep(chance.random() * LONGEST_LIFE_SECONDS)
                await house.kill()
            state = await check_truth_after_the_end(house)
            phases.add(where(state))
            kills += 1
            while chance.random() < AGAIN_WHILE_STARTING:
                await house.start(ready=False)
                await asyncio.sleep(chance.random() * LONGEST_START_SECONDS)
                await house.kill()
                kills += 1
            await house.start()
            after = await house.agree()
            assert (where(after), after.round, money(after)) == (where(state), state.round, money(state))
            assert after.record(state.round) == state.record(state.round)
        await house.until(lambda: house.sign.facts[-1]["seq"] == house.head())
        serviced = {fact["seq"] for fact in house.sign.facts if fact["type"] == "position-serviced"}
        assert players.acknowledged
        assert players.acknowledged <= serviced

    house = survived(tmp_path, scene, HurriedHouse)
    check_every_fact_was_told(house)
    print(f"{house.head()} facts, killed in {sorted(phases)}")  # noqa: T201 -- what it was worth
    assert {"open", "locked"} <= phases
