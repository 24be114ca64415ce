"""One conversation on a ccTalk wire: a request at a time, its reply or the reason there is none."""

import asyncio
from collections.abc import Iterator

from msgspec import Struct

from drivers.cctalk_frames import (
    ANY,
    BUSY,
    CATEGORY,
    LENGTHS,
    LONGEST_FRAME,
    MANUFACTURER,
    NAK,
    PRODUCT,
    SERIAL,
    SIMPLE_POLL,
    SOFTWARE,
    Checksum,
    Echo,
    Frame,
    Replies,
    encode,
)
from drivers.driver import Counters
from drivers.port import Wire

# "9600 baud, 8 data bits, no parity, 1 stop bit": ten bits a character.
CHARACTER_SECONDS = 10 / 9600
# "The receiver resets after 50 ms of silence": what is left of a lost request in a device is gone. And a little more.
RECEIVER_RESET = 0.055
# "A reply usually comes within 10 ms", a USB adapter adds up to 16, and one that reads memory takes longer.
REPLY_SECONDS = 0.05
# A busy device asks for time and does not say how much: as much as a reply may take.
BUSY_SECONDS = 0.05
PROBES = 2  # simple polls before an address counts as empty: one may fall into what another program left there
PROBE_TRIES = 3  # of each question to a device that answered one


class NoAnswerError(Exception):
    """A request was not answered as it should be."""


class SilentError(NoAnswerError):
    """No reply came, or none that was whole."""


class RefusedError(NoAnswerError):
    """The device answered that it will not (NAK)."""


class BusyError(NoAnswerError):
    """The device answered that it cannot now."""


class Identity(Struct, frozen=True):
    """What a device says it is. What it does not say is empty."""

    category: str
    manufacturer: str = ""
    product: str = ""
    serial: str = ""
    software: str = ""

    def told(self) -> str:
        """All of it in a line."""
        serial = f"serial {self.serial}" if self.serial else ""
        software = f"software {self.software}" if self.software else ""
        return ", ".join(filter(None, (self.category, self.manufacturer, self.product, serial, software)))


class Bus:
    """The wire. Whether the adapter gives back the host's own bytes is learned, and learned again if it changes."""

    def __init__(
        self,
        line: Wire,
        checksum: Checksum = "simple",
        reply_seconds: float = REPLY_SECONDS,
        character_seconds: float = CHARACTER_SECONDS,
    ) -> None:
        self._line = line
        self._checksum: Checksum = checksum
        self._reply_seconds = reply_seconds
        self._character_seconds = character_seconds
        self._loop = asyncio.get_running_loop()
        self._quiet_from = 0.0  # a request before it could be taken for the rest of a lost one
        self.echo: bool | None = None  # whether the adapter gives back what is sent
        self.heard = False  # whether the last request brought back any byte at all

    async def ask(self, address: int, header: int, data: bytes = b"", *, counters: Counters, tries: int = 1) -> bytes:
        """The data of the reply. Silence and a busy device are tried again; a refusal is not."""
        for left in reversed(range(tries)):
            try:
                return await self._exchange(address, header, data, counters)
            except BusyError:
                if not left:
                    raise
                await asyncio.sleep(BUSY_SECONDS)
            except SilentError:
                if not left:
                    raise
        raise ValueError(f"{tries} tries: at least one")

    async def _exchange(self, address: int, header: int, data: bytes, counters: Counters) -> bytes:
        if (silence := self._quiet_from - self._loop.time()) > 0:
            await asyncio.sleep(silence)
        counters.resyncs += self._line.discard() > 0
        request = encode(Frame(address, header, data), self._checksum)
        echo, replies = Echo(request), Replies(address, self._checksum, LENGTHS.get(header, ANY))
        await self._line.write(request)
        reply = await self._reply(echo, replies, len(request))
        counters.bad_checksums += replies.bad
        counters.resyncs += replies.skipped > 0
        if reply is None:
            self._quiet_from = self._loop.time() + RECEIVER_RESET - min(RECEIVER_RESET, self._reply_seconds)
            counters.timeouts += 1
            raise SilentError(self._silence())
        self.echo = echo.heard
        counters.seen()
        if reply.header == NAK:
            raise RefusedError(f"it refuses request {header}")
        if reply.header == BUSY:
            raise BusyError("it is busy")
        return reply.data

    async def _reply(self, echo: Echo, replies: Replies, length: int) -> Frame | None:
        """The reply, unless the wire falls silent first, or will not fall silent for longer than any reply takes."""
        self.heard = False
        for seconds in self._patience(length):
            came = await self._line.read(seconds)
            if not came:
                return None
            self.heard = True
            found = replies.feed(echo.strip(came))
            if found:
                return found[0]
        return None

    def _patience(self, length: int) -> Iterator[float]:
        """How long to wait for the next bytes, as long as there is any point in it."""
        sending = length * self._character_seconds
        yield sending + self._reply_seconds
        end = self._loop.time() + sending + self._reply_seconds + LONGEST_FRAME * self._character_seconds
        while (left := end - self._loop.time()) > 0:
            yield min(left, sending + self._reply_seconds)

    def _silence(self) -> str:
        if self.heard:
            return "no whole reply came"
        return "not even the echo came back: is the wire connected?" if self.echo else "it does not answer"


async def identity(bus: Bus, address: int, counters: Counters, tries: int) -> Identity:
    """What a device says it is."""
    told: dict[int, bytes] = {}
    for header in (CATEGORY, MANUFACTURER, PRODUCT, SERIAL, SOFTWARE):
        try:
            told[header] = await bus.ask(address, header, counters=counters, tries=tries)
        except RefusedError:  # not every device knows every question
            told[header] = b""
    serial = str(int.from_bytes(told[SERIAL], "little")) if told[SERIAL] else ""
    return Identity(
        _text(told[CATEGORY]), _text(told[MANUFACTURER]), _text(told[PRODUCT]), serial, _text(told[SOFTWARE])
    )


async def identify(line: Wire, address: int, checksum: Checksum = "simple") -> Identity | None:
    """What answers at an address of a line, if anything does. Nothing is changed by asking."""
    bus, counters = Bus(line, checksum), Counters()
    try:
        await bus.ask(address, SIMPLE_POLL, counters=counters, tries=PROBES)
        return await identity(bus, address, counters, PROBE_TRIES)
    except NoAnswerError:
        return None


def _text(data: bytes) -> str:
    """What a device calls itself, for people to read."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "?" for byte in data).strip()  # noqa: PLR2004 -- printable ASCII
