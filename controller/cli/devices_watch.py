"""`jackpotd devices watch`: the inputs, lamps and counters of a table's devices, live, for whoever wires it.

No journal is opened and no meter moves. A lamp shines while a chip lies on its sensor, so that a lamp wired to the
wrong place is seen at once.
"""

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, json
from rich.columns import Columns
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from controller.cli.output import say
from controller.rules.errors import BadInputError
from controller.settings import read
from drivers.driver import Place
from drivers.events import Absent, Button, Card, Cleared, Dropped, Event, Faulted, Lost, Online, Present
from drivers.registry import SettingsError, make

REFRESH_SECONDS = 0.25
LAST_EVENTS = 12  # that fit under the devices on a small terminal


def run(options: argparse.Namespace) -> int:
    """Watch until interrupted, or for so many seconds."""
    watch = Watch(_lines(options.config), as_json=options.json)
    asyncio.run(watch.run(options.seconds, coins=options.coins))
    return 0


def _lines(path: str) -> dict[str, Struct]:
    lines = read(Path(path)).lines
    if not lines:
        raise BadInputError(f"{path}: devices: there are none; name each line in a table, like [devices.rail]")
    return lines


class Watch:
    """The devices of a configuration, and what they said last."""

    def __init__(self, lines: dict[str, Struct], *, as_json: bool) -> None:
        self._as_json = as_json
        self._events: list[str] = []
        self._states: dict[str, Text] = {}
        try:
            self._drivers = make(lines, self._take)
        except SettingsError as error:
            raise BadInputError(str(error)) from error

    async def run(self, seconds: float | None, *, coins: bool) -> None:
        """Serve every line, and show what comes. At the end every lamp is off and every slot shut."""
        loop, ending = asyncio.get_running_loop(), asyncio.Event()
        for which in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(which, ending.set)
        tasks = [asyncio.create_task(driver.run()) for driver in self._drivers.values()]
        for driver in self._drivers.values() if coins else ():
            driver.accept(frozenset(place for device in driver.devices for place in device.places))
        shown = asyncio.ensure_future(asyncio.gather(*tasks) if self._as_json else self._show(tasks))
        ended = asyncio.create_task(ending.wait())
        try:
            await asyncio.wait([shown, ended], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if shown.done():
                shown.result()  # a driver that failed
            last = self._view()  # before all is dark, and nothing is known any more
            await asyncio.gather(*(driver.rest() for driver in self._drivers.values()))
        finally:
            for task in (*tasks, shown, ended):
                task.cancel()
            await asyncio.gather(*tasks, shown, ended, return_exceptions=True)
        if not self._as_json:
            Console().print(last)

    async def _show(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        console = Console()
        if not console.is_terminal:
            await asyncio.gather(*tasks)
            return
        with Live(self._view(), console=console, auto_refresh=False, screen=False, transient=True) as live:
            while not any(task.done() for task in tasks):
                await asyncio.sleep(REFRESH_SECONDS)
                live.update(self._view(), refresh=True)
        await asyncio.gather(*tasks)

    async def _take(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Present | Absent):
                lamp = {Place(event.position, event.wager): "accepted" if isinstance(event, Present) else "off"}
                for driver in self._drivers.values():
                    driver.show(lamp)
            self._states[event.device] = _state(event) or self._states.get(event.device, Text("?"))
            if self._as_json:
                say(json.encode(event).decode())
            else:
                self._events = [*self._events[1 - LAST_EVENTS :], f"{time.strftime('%H:%M:%S')}  {_told(event)}"]
        sys.stdout.flush()

    def _view(self) -> Group:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for heading in ("device", "state", *_NUMBERS):
            table.add_column(heading, justify="right" if heading in _NUMBERS else "left", overflow="fold")
        parts: list[Table | Columns | Text] = [table]
        for driver in self._drivers.values():
            for device in driver.devices:
                numbers = driver.counters[device.id].told()
                state = self._states.get(device.id, Text("not heard of yet"))
                table.add_row(device.id, state, *(str(numbers[name]) for name in _NUMBERS.values()))
                parts.append(Text(f"\n{device.id}", "bold"))
                parts.append(Columns(_cells(driver.look(device.id)), equal=True, padding=(0, 3)))
        return Group(*parts, Text("\n" + "\n".join(self._events)))


_NUMBERS = {  # headings, and the counters they stand for
    "frames": "frames",
    "bad": "bad_checksums",
    "resyncs": "resyncs",
    "timeouts": "timeouts",
    "reconnects": "reconnects",
}


def _cells(look: Mapping[str, str]) -> list[Text]:
    return [Text.assemble((f"{name} ", "dim"), value) for name, value in look.items()] or [Text("-")]


def _state(event: Event) -> Text | None:
    """The state an event puts its device in, if it is about that."""
    if isinstance(event, Online | Cleared):
        return Text("online", "green")
    if isinstance(event, Lost | Faulted):
        return Text(f"{'lost' if isinstance(event, Lost) else 'faulted'}: {event.reason}", "bold red")
    return None


def _told(event: Event) -> str:
    """An event as people say it."""
    match event:
        case Present() | Absent():
            return (
                f"{event.device}: {event.position}/{event.wager} {'chip' if isinstance(event, Present) else 'no chip'}"
            )
        case Dropped():
            return f"{event.device}: coin {event.coin} at {event.position}/{event.wager}, number {event.ordinal}"
        case Button():
            return f"{event.device}: button {'down' if event.pressed else 'up'}"
        case Card():
            return f"{event.device}: {event.card} to {event.hand} {event.index}"
        case _:
            fields = [str(getattr(event, name)) for name in event.__struct_fields__ if name != "device"]
            return f"{event.device}: {type(event).__name__.lower()} {' '.join(fields)}".rstrip()
