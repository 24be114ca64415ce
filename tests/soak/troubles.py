"""What befalls a table: its controller is killed, cut off and stopped; lines, boards and the broker come and go."""

import asyncio
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from random import Random

from drivers.simulated.line import CLEAN, NOISY
from tests.soak.house import SoakedHouse

LIFE_SECONDS = 4.0  # of a controller, at most, before the next trouble
QUIET_SECONDS = 2.0  # around it, the same
START_SECONDS = 0.8  # a start may be cut off within so long
AGAIN_WHILE_STARTING = 0.25
FREEZE_SECONDS, AWAY_SECONDS = 2.0, 3.0  # at most
LINES = ("rail", "shoe", "slots")

Trouble = Callable[[], Awaitable[None]]


class Troubles:
    """Makes them, and mends each."""

    def __init__(self, house: SoakedHouse, chance: Random) -> None:
        self._house = house
        self._chance = chance
        self.enough = False  # to be set: what is under way is ended in good order, and nothing more begun
        self.counted: Counter[str] = Counter()
        self.killed = asyncio.Event()  # the controller, at least once

    async def with_the_controller(self) -> None:
        """One after the other."""
        await self._make(LIFE_SECONDS, {self._kill: 4, self._cut: 4, self._stop: 1, self._freeze: 2})

    async def around_it(self) -> None:
        """One after the other."""
        lines: dict[Trouble, int] = {self._unplug: 4, self._noise: 2}
        boards: dict[Trouble, int] = {self._silent_board: 2, self._board_restarts: 1}
        broker: dict[Trouble, int] = {self._broker_killed: 1, self._broker_frozen: 1}
        await self._make(QUIET_SECONDS, lines | boards | broker)

    async def _make(self, most: float, kinds: dict[Trouble, int]) -> None:
        while not self.enough:
            await self._a_while(most)
            (trouble,) = self._chance.choices(list(kinds), list(kinds.values()))
            await trouble()

    async def _a_while(self, most: float) -> None:
        await asyncio.sleep(self._chance.random() * most)

    # -- the controller --

    async def _kill(self) -> None:
        await self._end()
        await self._started()

    async def _cut(self) -> None:
        await self._end(cut=True)
        await self._started()

    async def _stop(self) -> None:
        assert await self._house.stop() == 0, self._house.raw_log[-4000:].decode()
        self.counted["stops"] += 1
        self._house.remember_disk()
        await self._house.start(heard=False)

    async def _freeze(self) -> None:
        process = self._house.process
        assert process is not None
        process.send_signal(signal.SIGSTOP)
        await self._a_while(FREEZE_SECONDS)
        process.send_signal(signal.SIGCONT)
        self.counted["freezes of the controller"] += 1

    async def _end(self, *, cut: bool = False) -> None:
        assert self._house.runs, f"it ended by itself: {self._house.raw_log[-4000:].decode()}"
        if cut:
            await self._house.cut(self._chance)
            self.counted["power cuts"] += 1
        else:
            await self._house.die()
            self.counted["kills"] += 1
        self.killed.set()

    async def _started(self) -> None:
        """Start it; at times in several attempts."""
        while self._chance.random() < AGAIN_WHILE_STARTING:
            await self._house.start(ready=False)
            await self._a_while(START_SECONDS)
            await self._end(cut=self._chance.random() < 1 / 2)
            self.counted["of them while it started"] += 1
        await self._house.start(heard=False)

    # -- what is around it --

    async def _unplug(self) -> None:
        line = self._house.lines[self._chance.choice(LINES)]
        line.unplug()
        await self._a_while(AWAY_SECONDS)
        line.plug()
        self.counted["unplugged lines"] += 1

    async def _noise(self) -> None:
        """Not on the slot's line: of a damaged reply in 256 a simple checksum lets one through, and it is a coin."""
        line = self._house.lines[self._chance.choice(("rail", "shoe"))]
        line.condition = NOISY
        await self._a_while(AWAY_SECONDS)
        line.condition = CLEAN
        self.counted["noisy lines"] += 1

    async def _silent_board(self) -> None:
        board = self._chance.choice(self._house.boards)
        self._house.bus.silent.add(board.address)
        await self._a_while(AWAY_SECONDS)
        self._house.bus.silent.discard(board.address)
        self.counted["boards that fell silent"] += 1

    async def _board_restarts(self) -> None:
        self._chance.choice(self._house.boards).restart()
        self.counted["boards that restarted"] += 1

    async def _broker_killed(self) -> None:
        self._house.broker.kill()
        await self._a_while(AWAY_SECONDS)
        await self._house.broker.start()
        self.counted["kills of the broker"] += 1

    async def _broker_frozen(self) -> None:
        self._house.broker.signal(signal.SIGSTOP)
        await self._a_while(2 * AWAY_SECONDS)
        self._house.broker.signal(signal.SIGCONT)
        self.counted["freezes of the broker"] += 1
