"""Drop slots: coin acceptors that speak ccTalk, one or more on a wire.

An acceptor takes coins only while it is told to, and counts what it takes. What it counted is handed up once, oldest
first, with numbers that go on where the bookmark of its last coin ended.
"""

import asyncio
from collections.abc import Mapping
from typing import ClassVar, Literal

from drivers.cctalk_acceptor import DropSlot
from drivers.cctalk_bus import Bus, Identity, identify
from drivers.cctalk_settings import AcceptorSettings, CcTalkSettings
from drivers.driver import Bookmark, Device, Driver, HandUp, Place
from drivers.port import Line, LineSettings, OpenPort, Port, Wire

__all__ = ["AcceptorSettings", "CcTalk", "CcTalkSettings", "Identity", "identify"]

PROBED_ADDRESS = 2  # "the default address of a coin acceptor is 2"


class CcTalk(Driver):
    """The acceptors of one wire, each served in its turn."""

    name = "cctalk"
    settings: ClassVar = CcTalkSettings

    def __init__(
        self,
        line: str,
        settings: CcTalkSettings,
        hand_up: HandUp,
        bookmarks: Mapping[str, Bookmark],
        open_port: OpenPort = Port,
    ) -> None:
        self.line = line
        self._port = open_port(settings)
        self._settings = settings
        self._slots = [
            DropSlot(acceptor, hand_up, bookmarks.get(acceptor.id), settings.stale_ms / 1000)
            for acceptor in settings.acceptors
        ]
        self.devices = tuple(
            Device(acceptor.id, self.name, settings.port, (acceptor.place,)) for acceptor in settings.acceptors
        )
        self.counters = {slot.settings.id: slot.counters for slot in self._slots}
        self._accepting: frozenset[Place] = frozenset()
        self._woken = asyncio.Event()  # there is something to do before the next poll
        self._talking = False
        self._calls: list[asyncio.Future[None]] = []  # last calls that are waited for

    @classmethod
    async def probe(cls, port: str) -> list[str]:
        """Ask the usual address who is there, with either checksum."""
        checksums: tuple[Literal["simple", "crc16"], ...] = ("simple", "crc16")
        line = Line(LineSettings(port=port))
        try:
            for checksum in checksums:
                found = await identify(line, PROBED_ADDRESS, checksum)
                if found is not None:
                    return [f"address {PROBED_ADDRESS}, {checksum} checksum: {found.told()}"]
        finally:
            line.close()
        return []

    async def rest(self) -> None:
        """Shut every slot."""
        await self.last_call()

    async def run(self) -> None:
        """Serve the acceptors until cancelled."""
        try:
            await self._port.run(self._talk, self._lost)
        finally:
            self._answer_calls(len(self._calls))

    def look(self, device: str) -> dict[str, str]:
        """Whether an acceptor takes coins, what its counter shows, and what is wrong with it."""
        return next(slot for slot in self._slots if slot.settings.id == device).look()

    def accept(self, places: frozenset[Place]) -> None:
        """Let coins into these drop slots, and into no other."""
        if places != self._accepting:
            self._accepting = places
            self._woken.set()

    async def last_call(self) -> None:
        """Shut every drop slot and hand up what fell in before. A slot that does not answer has nothing to say."""
        self._accepting = frozenset()
        if not self._talking:
            return
        call: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._calls.append(call)
        self._woken.set()
        await call

    async def _talk(self, line: Wire) -> None:
        settings = self._settings
        bus = Bus(line, settings.checksum, settings.reply_ms / 1000, settings.character_seconds)
        now, self._talking = asyncio.get_running_loop().time, True
        for slot in self._slots:
            slot.next_at = 0.0  # also those that were lost with the line
        try:
            while True:
                began = now()
                self._woken.clear()
                await self._round(bus)
                self.turns += 1
                idle = all(slot.rests(wanted=slot.settings.place in self._accepting) for slot in self._slots)
                await line.pause(began + settings.poll_ms / 1000 - now(), idle=idle, woken=self._woken)
        finally:
            self._talking = False
            for slot in self._slots:
                slot.leave()

    async def _lost(self, reason: str) -> None:
        for slot in self._slots:
            await slot.lose(reason)
        self._answer_calls(len(self._calls))

    async def _round(self, bus: Bus) -> None:
        """Serve each acceptor that answers, and one of those that are lost."""
        await self._last_calls(bus)
        for slot in self._slots:
            if not slot.slow:
                await slot.turn(bus, wanted=slot.settings.place in self._accepting)
        slow = min((slot for slot in self._slots if slot.slow), key=lambda slot: slot.next_at, default=None)
        if slow is not None and slow.next_at <= asyncio.get_running_loop().time():
            await slow.turn(bus, wanted=False)

    async def _last_calls(self, bus: Bus) -> None:
        calls = len(self._calls)
        if not calls:
            return
        for slot in self._slots:
            await slot.finish(bus)
        self._answer_calls(calls)

    def _answer_calls(self, count: int) -> None:
        for call in self._calls[:count]:
            if not call.done():  # whoever waited may have been cancelled
                call.set_result(None)
        del self._calls[:count]
