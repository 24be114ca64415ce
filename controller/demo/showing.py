"""How a demonstration is shown while it runs: a live screen on a terminal, lines where nobody watches."""

import asyncio
from collections.abc import Callable, Sequence

from rich.console import Console, Group
from rich.live import Live

from controller.demo.view import About, Screen, dollars
from controller.demo.watching import Watched
from controller.wire.messages import Meter

FRAME_SECONDS = 0.125  # eight pictures a second: amounts roll, and nothing flickers
LINE_SECONDS = 10.0  # between two lines about how it goes
RATE_SECONDS = 5.0  # over which rounds a second are counted


class Rate:
    """Rounds a second, over the last seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: list[tuple[float, int]] = []

    def of(self, rounds: int) -> float:
        """With so many rounds by now."""
        now = self._clock()
        self._seen.append((now, rounds))
        while len(self._seen) > 2 and now - self._seen[1][0] >= RATE_SECONDS:  # noqa: PLR2004 -- one at each end
            del self._seen[0]
        (first_at, first), (last_at, last) = self._seen[0], self._seen[-1]
        return (last - first) / (last_at - first_at) if last_at > first_at else 0.0


async def on_a_terminal(console: Console, about: About, tables: Sequence[Watched], rounds: Callable[[], int]) -> None:
    """Draw until cancelled; the terminal is then as it was before."""
    screen = Screen(about, unicode=console.encoding.lower().startswith("utf"))
    rate = Rate(asyncio.get_running_loop().time)
    with Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live:
        while True:
            played = rounds()
            lines = screen.lines(tables, played, rate.of(played), console.width, console.height)
            live.update(Group(*lines), refresh=True)
            await asyncio.sleep(FRAME_SECONDS)


async def in_lines(say: Callable[[str], None], tables: Sequence[Watched], rounds: Callable[[], int]) -> None:
    """One line for each hit, and now and then one about how it goes; until cancelled."""
    await asyncio.gather(_goes(say, tables, rounds), *(_hits(say, table) for table in tables))


async def _goes(say: Callable[[str], None], tables: Sequence[Watched], rounds: Callable[[], int]) -> None:
    rate = Rate(asyncio.get_running_loop().time)
    rate.of(rounds())
    while True:
        await asyncio.sleep(LINE_SECONDS)
        played = rounds()
        best = max((meter for table in tables for meter in table.meters.values()), key=_amount, default=None)
        shown = f"; {best.label} {dollars(best.display_cents)}" if best else ""
        say(f"{played:,} rounds, {rate.of(played):.1f} a second{shown}")


async def _hits(say: Callable[[str], None], table: Watched) -> None:
    told = table.hits_seen
    while True:
        await table.change()
        new = min(table.hits_seen - told, len(table.hits))
        told = table.hits_seen
        for hit in list(table.hits)[len(table.hits) - new :]:
            award = hit.award
            what = award.meter if isinstance(award.meter, str) else award.outcome
            where = f"{table.table} position {award.position}, round {award.round}"
            say(f"hit: {dollars(award.amount_cents)} {what}, {where}, award {award.award}")


def _amount(meter: Meter) -> int:
    return meter.display_cents
