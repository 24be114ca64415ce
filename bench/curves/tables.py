"""One, two, four … tables on this machine, each a `jackpotd run` of its own, all played at once; one broker."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from bench.brokers import MOSQUITTO, broker
from bench.curves.data import Series
from bench.places import folder
from bench.raw_mqtt import connected
from bench.report import progress
from bench.service_floor import RAW_HOP, SYNC, Floor, measuring
from bench.service_latency import Players, Wager, one_board, p50, p99, wired
from bench.service_table import Running, base, cpu_seconds, running
from controller.wire import topics

SIZES, QUICK = (1, 2, 4, 8, 16), (1, 2)
BLOCKS, QUICK_BLOCKS = 3, 1
RATE, SECONDS = 4, 3.0  # wagers a second at each table, three times a busy one's; and of a block
SETTLE_SECONDS = 2.0  # after a start, whose work is none of this


def measure(series: Series, quick: bool) -> None:
    """All numbers of tables."""
    if MOSQUITTO is None:
        raise RuntimeError("there is no mosquitto: install it")
    sizes, blocks = (QUICK, QUICK_BLOCKS) if quick else (SIZES, BLOCKS)
    with folder(Path.cwd()) as made, broker(made) as (port, process):
        asyncio.run(_measured(series, made, port, process, sizes, blocks))


class House:
    """Tables that are kept, and who plays at them."""

    def __init__(self, made: Path, port: int, ending: AsyncExitStack) -> None:
        self._made, self._port, self._ending = made, port, ending
        self.players: list[Players] = []
        self.tables: list[Running] = []

    async def open(self, number: int) -> None:
        """Have so many tables."""
        while len(self.tables) < number:
            name = f"bench-{len(self.tables) + 1}"
            place = self._made / name
            place.mkdir()
            players = Players()
            sign = await connected(self._port, f"sign-{name}", players.hear)
            await sign.subscribe(f"{base(name)}/{topics.ROUND}")
            self._ending.callback(sign.close)
            line = wired(place, players)
            table = running(place, self._port, line, [one_board()], name=name, debounce_ms=0)
            self.tables.append(await self._ending.enter_async_context(table))
            self.players.append(players)
        await asyncio.sleep(SETTLE_SECONDS)

    async def play(self) -> list[Wager]:
        """All tables at once."""
        played = await asyncio.gather(*(each.bet(RATE, SECONDS) for each in self.players))
        return [wager for wagers, _ in played for wager in wagers]


async def _measured(  # noqa: PLR0913, PLR0917 -- where, whom, how many and how long
    series: Series, made: Path, port: int, process: int, sizes: Sequence[int], blocks: int
) -> None:
    async with AsyncExitStack() as ending:
        floor = await ending.enter_async_context(measuring(made, port))
        house = House(made, port, ending)
        for size in sizes:
            progress(f"tables: {size}")
            await house.open(size)
            floor.payload_bytes = house.players[0].round_bytes
            await _at(series, size, house, floor, partial(cpu_seconds, process), blocks)


async def _at(  # noqa: PLR0913, PLR0917 -- all that takes part
    series: Series, size: int, house: House, floor: Floor, broker_cpu: partial[float], blocks: int
) -> None:
    for taken in floor.taken.values():
        taken.clear()
    wagers: list[Wager] = []
    seconds = tables = of_broker = 0.0
    loop = asyncio.get_running_loop()
    for _ in range(blocks):
        began, cpu, its = loop.time(), [each.cpu_seconds() for each in house.tables], broker_cpu()
        wagers += await house.play()
        seconds += loop.time() - began
        tables += sum(each.cpu_seconds() - before for each, before in zip(house.tables, cpu, strict=True))
        of_broker += broker_cpu() - its
        await floor.block()
    delays = [wager.heard - wager.left for wager in wagers]
    sync, hop = floor.taken[SYNC], floor.taken[RAW_HOP]
    series.add(
        size,
        tables_p50=p50(delays),
        tables_p99=p99(delays),
        floor_p50=p50(sync) + p50(hop),
        floor_p99=p99(sync) + p99(hop),
        table_cpu=tables / seconds / size * 100,
        broker_cpu=max(of_broker, 0.01) / seconds / size * 100,
        table_mb=sum(each.memory_mb() for each in house.tables) / size,
    )
