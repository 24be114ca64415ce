"""A link that is lost and found: a real table, its engine and its end of the link, and a server that goes and comes."""

import asyncio
import random
import statistics
from collections.abc import Callable
from pathlib import Path

from bench.link_place import now
from bench.report import Figure, Note, progress
from controller.core import inputs
from controller.outlets.link import LOOK_SECONDS
from tests.link.floor import Floor
from tests.link.player import Player
from tests.link.server import Server

FREEZES, KILLS = 5, 3
GONE_SECONDS = 3.0  # at least
MOST_SECONDS = 2.0  # after which no wager may be taken for a link that is not there
TABLE = "mb-07"


async def _lock_out(player: Player) -> None:
    """A round with a wager on the shared meter: from here on there is something to ask."""
    await player.do(inputs.WagerPresent, position=1, wager=player.wager)
    await player.do(inputs.Button, reopen_after_ms=0)


async def _open_again(player: Player) -> None:
    await player.do(inputs.WagerAbsent, position=1, wager=player.wager)
    if player.engine.state.phase.value != "open":
        await player.do(inputs.Button, reopen_after_ms=0)


async def _lost_and_found(player: Player, take: Callable[[], None], give: Callable[[], None]) -> tuple[float, float]:
    """Seconds until the table knows that its link is lost, and from its return until what was asked is answered."""
    await player.until(player.is_linked)
    await asyncio.sleep(random.uniform(0, LOOK_SECONDS))  # anywhere between two looks
    begun = now()
    await asyncio.to_thread(take)
    await asyncio.sleep(random.uniform(0, LOOK_SECONDS))
    await _lock_out(player)  # the table may not know yet
    await player.until(lambda state: not player.is_linked(state))
    lost = now() - begun
    await asyncio.sleep(max(0.0, GONE_SECONDS - lost))
    back = now()
    await asyncio.to_thread(give)
    await player.settled()
    found = now() - back
    await _open_again(player)
    return lost, found


async def _measured(floor: Floor, on: Server) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    async with Player(floor.setup(TABLE)).there() as player:
        frozen = [await _lost_and_found(player, on.freeze, on.thaw) for _ in range(FREEZES)]
        killed = [await _lost_and_found(player, on.crash, on.start) for _ in range(KILLS)]
    return frozen, killed


def figures(on: Server, folder: Path) -> list[Figure | Note]:
    """Of a server that is frozen, and of one that is killed."""
    progress("link: lost and found")
    floor = Floor(folder, on.database("lost"))
    floor.open(TABLE)
    frozen, killed = asyncio.run(_measured(floor, on))
    return [
        Note(f"A table and its link, the server frozen {FREEZES} times and killed {KILLS} times; medians:"),
        Figure("frozen: until the table knows", statistics.median(lost for lost, _ in frozen), " s"),
        Figure("frozen: the longest of these", max(lost for lost, _ in frozen), " s", MOST_SECONDS),
        Figure("frozen: from its return to the first answer", statistics.median(found for _, found in frozen), " s"),
        Figure(
            "killed: from its new start, recovery included, to the first answer",
            statistics.median(found for _, found in killed),
            " s",
        ),
    ]
