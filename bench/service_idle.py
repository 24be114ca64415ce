"""What the controller costs while nothing happens: three boards polled, eighteen lamps that invite, a broker."""

import asyncio
import time
from pathlib import Path
from typing import Any

from bench.report import Figure, Note, progress
from bench.service_table import PLACES, POLL_MS, running
from drivers.simulated.line import TwinLine
from drivers.simulated.modbus import Board, Bus

BOARDS = 3
ON_A_BOARD = len(PLACES) // BOARDS
SETTLE_SECONDS = 3.0  # after the start, whose work is none of this
IDLE_SECONDS = 22.0  # two heartbeats, eleven signs of life
MOST_CORE = 0.05


def figures(folder: Path, port: int, seconds: float = IDLE_SECONDS) -> list[Figure | Note]:
    """The part of a core, and the memory."""
    progress("service: idle")
    used, megabytes = asyncio.run(_measured(folder, port, seconds))
    return [
        Note(
            f"An open table, nobody plays: {BOARDS} boards polled every {POLL_MS} ms, {len(PLACES)} lamps that blink:"
        ),
        Figure("idle controller: of one core", used * 100, "%", MOST_CORE * 100),
        Figure("idle controller: memory", megabytes, " MB"),
    ]


async def _measured(folder: Path, port: int, seconds: float) -> tuple[float, float]:
    boards = [Board(address) for address in range(1, BOARDS + 1)]
    line = TwinLine(folder / "rail", Bus(boards, time.monotonic))
    async with running(folder, port, line, [_wired(number) for number in range(BOARDS)]) as table:
        await asyncio.sleep(SETTLE_SECONDS)
        began, cpu = time.perf_counter(), table.cpu_seconds()
        await asyncio.sleep(seconds)
        used = (table.cpu_seconds() - cpu) / (time.perf_counter() - began)
        return used, table.memory_mb()


def _wired(number: int) -> dict[str, Any]:
    mine = PLACES[number * ON_A_BOARD : (number + 1) * ON_A_BOARD]
    places = [{"at": at, "position": position, "wager": wager} for at, (position, wager) in enumerate(mine)]
    button = [{"at": ON_A_BOARD, "button": True}] if number == 0 else []
    return {"id": f"board-{number}", "address": number + 1, "inputs": [*places, *button], "lamps": places}
