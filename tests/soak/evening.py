"""An evening of a soak: people and troubles at one table, on a broker and a disk of their own."""

import asyncio
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple

from controller.mqtt import end
from tests.service.house import in_house_of
from tests.soak.house import SoakedHouse
from tests.soak.people import Floor, Players
from tests.soak.troubles import Troubles

KILLED_SECONDS = 600.0  # at most, for a first kill: a machine that is busy with something else is slow to start it


class Evening(NamedTuple):
    """What was there, and what was done."""

    house: SoakedHouse
    floor: Floor
    done: Counter[str]


def an_evening(folder: Path, seed: str, seconds: float, *, sabotage: str = "") -> Evening:
    """Play with troubles for a while, and until there was a kill; after the last of them signs and journal agree."""
    chance, kept = Random(seed), list[tuple[Floor, Troubles]]()

    async def scene(house: SoakedHouse) -> None:
        if sabotage:
            house.sabotaged(sabotage)
        floor, troubles = Floor(house, chance), Troubles(house, chance)
        kept.append((floor, troubles))
        await house.start()
        await house.open()
        await _play(Players(house, chance), floor, troubles, seconds)
        await house.until(lambda: house.sign.state == "online")
        await house.until(lambda: len(house.coins()) == len(house.slot.credited), pause=0.1)  # the last is being read
        await house.agree()
        assert await house.stop() == 0, house.raw_log[-4000:].decode()

    house = in_house_of(SoakedHouse, folder, scene)
    ((floor, troubles),) = kept
    return Evening(house, floor, troubles.counted + floor.counted)


async def _play(players: Players, floor: Floor, troubles: Troubles, seconds: float) -> None:
    people = [asyncio.create_task(each) for each in (players.play(), players.drop_coins(), floor.work())]
    making = [asyncio.create_task(each) for each in (troubles.with_the_controller(), troubles.around_it())]
    late = asyncio.create_task(_late(troubles, seconds))
    try:
        ended, _ = await asyncio.wait([*people, *making, late], return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            task.result()  # raises why
        troubles.enough = True
        await asyncio.gather(*making)
    finally:
        await end(*people, *making, late)


async def _late(troubles: Troubles, seconds: float) -> None:
    """Wait until it is late enough to go home."""
    await asyncio.sleep(seconds)
    async with asyncio.timeout(KILLED_SECONDS):
        await troubles.killed.wait()
