"""Players, a dealer and the floor in a hurry: they wait for nothing, and ask again under the same id for an answer."""

import asyncio
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import UUID

from controller.mqtt import BrokerError
from drivers.simulated.dealer import Dealer
from tests.crash.evening import HANDS, PLACES
from tests.service.house import BUTTON, PINS, asked
from tests.soak.house import COIN, SoakedHouse

MOSTLY, OFTEN, AT_TIMES = 0.8, 0.5, 0.2
COIN_SECONDS = 0.4  # at least, between two: an acceptor remembers five of them
REPLY_SECONDS = 2.0  # then it is asked again
TRIES = 4


class Players:
    """Chips, coins, a dealer's button and cards."""

    def __init__(self, house: SoakedHouse, chance: Random) -> None:
        self._house = house
        self._chance = chance
        self._dealer = Dealer(chance.getrandbits(32))

    async def play(self) -> None:
        """Rounds, for ever."""
        house, chance = self._house, self._chance
        while True:
            for place in chance.sample(PLACES, chance.randrange(1, 9)):
                house.chip(*place, there=chance.random() < MOSTLY)
                await asyncio.sleep(chance.random() * 0.01)
            await self._press()
            if chance.random() < MOSTLY:
                house.deal(chance.choice(HANDS) if chance.random() < AT_TIMES else self._dealer.deal())
                await asyncio.sleep(chance.random() * 0.04)
            for place in PLACES:
                house.chip(*place, there=False)
            await self._press()

    async def drop_coins(self) -> None:
        """Coins into the slot while it is open, for ever."""
        while True:
            await asyncio.sleep(COIN_SECONDS * (1 + self._chance.random()))
            if self._house.slot.master and self._house.lines["slots"].plugged:
                self._house.slot.insert(COIN)

    async def _press(self) -> None:
        self._house.boards[0].sense(BUTTON, on=True)
        await asyncio.sleep(0.02 + self._chance.random() * 0.02)  # longer than its debounce
        self._house.boards[0].sense(BUTTON, on=False)
        await asyncio.sleep(0.02)


class Floor:
    """Two floorpersons: they validate what is shown as due, reject some, and look at sensors in between."""

    def __init__(self, house: SoakedHouse, chance: Random) -> None:
        self._house = house
        self._chance = chance
        self._tokens: dict[str, str] = {}
        self.done: dict[str, int] = {}  # the facts of commands that were answered with yes, by their ids
        self.counted: Counter[str] = Counter()

    async def work(self) -> None:
        """For ever."""
        on = True
        while True:
            await asyncio.sleep(self._chance.random() * 0.3)
            due = [told for topic, told in self._house.sign.topics.items() if topic.startswith("awards/")]
            if due:
                await self._end(self._chance.choice(due)["award"])
            elif self._house.sign.phase == "closed":
                await self._ask("open-table", "dora")
            else:
                on = not on
                await self._ask("position-service", "flo", position=8, on=on, reason="a sensor is looked at")

    async def _end(self, award: str) -> None:
        if self._chance.random() < MOSTLY:
            await self._ask("validate", "flo", "finn", award=award, method="slip", base_wager=True)
        else:
            await self._ask("reject", "flo", "finn", award=award, reason="no base wager")

    async def _ask(self, name: str, *people: str, **fields: object) -> None:
        """One command, asked under one id until somebody answers."""
        id_ = str(UUID(int=self._chance.getrandbits(128), version=4))
        for _ in range(TRIES):
            with suppress(BrokerError, TimeoutError):
                tokens = [await self._token(each) for each in people]
                who = dict(zip(("token", "second"), tokens, strict=False))
                reply = await self._once(name, id_, **who, **fields)
                if reply["ok"]:
                    self.done[id_] = reply["seq"]
                    self.counted[name] += 1
                    return
                self.counted[f"{name}: {reply['error']}"] += 1
                if reply["error"] != "not-allowed":
                    return
                self._tokens.clear()  # a start has signed everybody out
                continue
            self.counted["unanswered"] += 1

    async def _token(self, operator: str) -> str:
        if operator not in self._tokens:
            id_ = str(UUID(int=self._chance.getrandbits(128), version=4))
            reply = await self._once("login", id_, operator=operator, pin=PINS[operator])
            if not reply["ok"]:
                raise BrokerError(reply["message"])  # as if there were nobody: it is tried again
            self._tokens[operator] = reply["token"]
        return self._tokens[operator]

    async def _once(self, name: str, id_: str, **fields: object) -> dict[str, Any]:
        request = {"id": id_, "at": datetime.now(UTC).isoformat(), **fields}
        async with asyncio.timeout(REPLY_SECONDS), self._house.as_client() as broker:
            return await asked(broker, name, request)
