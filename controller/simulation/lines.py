"""Serial lines in memory: a device's twin at one end, the driver at the other, and what can befall the wire between."""

import asyncio
from collections.abc import Callable
from random import Random

from drivers.port import LineLostError, LineSettings, until_poll
from drivers.simulated.line import CLEAN, Condition, Twin

# The longest that an idle line is left alone. Its coils are read back once a minute then, instead of once a second.
LONGEST_IDLE = 60.0


class Cable:
    """One line. `stir` says that the next poll may find something new; until then an idle driver is not kept busy."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, twin: Twin, chance: Random, rested: Callable[[], None] = lambda: None
    ) -> None:
        self.loop = loop
        self.twin = twin
        self.condition = CLEAN
        self.plugged = True
        self.bent = 0  # bytes that were damaged or lost
        self._chance = chance
        self._host: Host | None = None
        self.rested = rested  # the device is told that it was asked in vain until now

    def open(self, settings: LineSettings) -> "Host":
        """The driver opens its end."""
        if not self.plugged:
            raise LineLostError("no such device: is the adapter plugged in?")
        if self._host is not None and not self._host.closed:
            raise LineLostError("another program has it open")
        self._host = Host(self, settings)
        return self._host

    def unplug(self) -> None:
        """Pull the adapter out: what was under way is gone."""
        self.plugged = False
        self.hang_up("it hung up: is the adapter plugged in?")

    def hang_up(self, why: str) -> None:
        """Whoever has it open is told that it is lost."""
        if self._host is not None:
            self._host.lose(why)

    def say(self, data: bytes) -> None:
        """The device speaks unasked."""
        if self._host is not None and self.plugged:
            self._host.arrive(self.worn(data))

    @property
    def is_idle(self) -> bool:
        """Whether its driver goes on asking in vain, which is not played through."""
        return self._host is not None and self._host.idle

    def stir(self) -> None:
        """Something changes at the device, or at what the driver is to show."""
        if self._host is not None:
            self._host.stir()

    def worn(self, data: bytes) -> bytes:
        """What the wire leaves of bytes."""
        wire: Condition = self.condition
        if not wire.corrupted and not wire.dropped:
            return data
        kept = bytearray()
        for byte in data:
            fate = self._chance.random()
            self.bent += fate < wire.dropped + wire.corrupted
            if fate < wire.dropped:
                continue
            kept.append(byte ^ 1 << self._chance.randrange(8) if fate < wire.dropped + wire.corrupted else byte)
        return bytes(kept)


class Host:
    """The driver's end of a cable; it is a `Wire`."""

    def __init__(self, cable: Cable, settings: LineSettings) -> None:
        del settings
        self.overruns = 0
        self.closed = self.idle = False
        self._cable = cable
        self._unread = bytearray()
        self._arrival: asyncio.Future[None] | None = None
        self._stirring: asyncio.Future[None] | None = None
        self._lost = ""

    async def read(self, seconds: float) -> bytes:
        """What has come, as soon as there is any; nothing if the time passes first."""
        if not self._unread and not self._lost:
            self._arrival = self._cable.loop.create_future()
            await self._waited(self._arrival, seconds)
        if not self._unread and self._lost:
            raise LineLostError(self._lost)
        found = bytes(self._unread)
        self._unread.clear()
        return found

    async def write(self, data: bytes) -> None:
        """Send all of it; the twin answers at once."""
        if self._lost:
            raise LineLostError(self._lost)
        self.arrive(self._cable.worn(self._cable.twin.received(self._cable.worn(data))))

    def discard(self) -> int:
        """Forget what has come unread."""
        found = len(self._unread)
        self._unread.clear()
        return found

    async def pause(self, seconds: float, *, idle: bool, woken: asyncio.Event | None = None) -> None:
        """Wait for the next poll; of those that an idle driver would make in vain, for the one that is not."""
        if idle and self._cable.condition is CLEAN and seconds > 0:
            seconds -= await self._idled() % seconds  # as if every poll had been made
        await until_poll(seconds, woken)

    async def _idled(self) -> float:
        """Wait until something may be new; how long that was."""
        clock = self._cable.loop.time
        began = clock()
        self._stirring = self._cable.loop.create_future()
        self.idle = True
        try:
            await self._waited(self._stirring, LONGEST_IDLE)
        finally:
            self.idle = False
            self._cable.rested()
        return clock() - began

    def close(self) -> None:
        """Let go of the line."""
        self.closed = True
        self.lose("it is closed")

    def arrive(self, data: bytes) -> None:
        """Bytes come."""
        if data and not self._lost:
            self._unread += data
            _wake(self._arrival)

    def lose(self, why: str) -> None:
        """It is gone."""
        self._lost = self._lost or why
        _wake(self._arrival)
        _wake(self._stirring)

    def stir(self) -> None:
        """Something may be new."""
        _wake(self._stirring)

    async def _waited(self, waiter: asyncio.Future[None], seconds: float) -> None:
        timer = self._cable.loop.call_later(seconds, _wake, waiter)
        try:
            await waiter
        finally:
            timer.cancel()


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)


OpenLine = Callable[[LineSettings], Host]
