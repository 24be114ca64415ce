"""Electronic shoes: settings and drivers. A shoe speaks unasked; the drivers listen, and send nothing unless told to.

A shoe is online while its line is open, and lost when the line is, or when it is silent for `silent_s`. Whatever may
have been missed during a game is a fault until the next one begins: see `shoe_game`.
"""

import asyncio
from abc import abstractmethod
from collections import deque
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from drivers import shoe_frames, shoe_text
from drivers.driver import Bookmark, Counters, Device, Driver, HandUp
from drivers.events import Event, Faulted, Lost, Online
from drivers.port import Baudrate, LineSettings, OpenPort, Port, Wire
from drivers.shoe_frames import ACK, CommandChecksum, FrameReader
from drivers.shoe_game import MISSING, Games, Heard, Reading, Sequence
from drivers.shoe_text import Checksum, TextReader

MOST_COPIES = 3  # "Each message is sent up to three times": no more can be asked for
SHORTEST_SEQUENCE, LONGEST_SEQUENCE = 10, 94  # a game has up to nine messages; there are 94 visible ASCII characters
LONGEST_SILENCE = 86_400  # seconds: a shoe that is not used for a day is not on a table in play
LONGEST_READ = 60.0  # seconds: a shoe may be silent for hours, and nothing hangs on looking up now and then
COMMAND_WAIT = 0.25  # seconds a command may wait for the line to be looked at: a person asked for it
MOST_COMMANDS = 8  # waiting to be sent: more is somebody asking again and again


class ShoeSettings(LineSettings, frozen=True, kw_only=True):
    """What every shoe's line has."""

    id: str = ""  # empty: the line's name
    silent_s: Annotated[float, Meta(ge=0, le=LONGEST_SILENCE)] = 0  # lost after so long without a message; 0: never
    # Equal copies that make a message. On a bad line 2 keep out what slips through an 8-bit check, one damage in 256.
    copies: Annotated[int, Meta(ge=1, le=MOST_COPIES)] = 1


class AngelEyeSettings(ShoeSettings, frozen=True, kw_only=True):
    """An Angel Eye II-EX."""

    baudrate: Baudrate = 4800
    sequence: Annotated[str, Meta(min_length=SHORTEST_SEQUENCE, max_length=LONGEST_SEQUENCE)] = "0123456789"
    # A game that goes on after a longer pause is a fault. Ten numbers come round with twenty messages, which can be
    # three games: missed as a whole, with a plug pulled at the shoe, they leave no gap. They take more than a minute.
    # Where players turn the cards slowly the limit may have to be longer; 0: there is none.
    pause_s: Annotated[float, Meta(ge=0, le=LONGEST_SILENCE)] = 60
    acknowledge: bool = False  # answer each message with ACK, and allow commands; otherwise nothing is ever sent
    command_checksum: CommandChecksum = "with-stx"

    def __post_init__(self) -> None:
        """Refuse a sequence that does not tell its places apart."""
        if len(set(self.sequence)) < len(self.sequence) or not all("!" <= each <= "~" for each in self.sequence):
            raise ValueError("sequence: write the characters a shoe counts with, each once, like 0123456789")


class TextShoeSettings(ShoeSettings, frozen=True, kw_only=True):
    """Any reader that speaks the plain-text protocol."""

    checksum: Checksum = "crc16"


class CommandError(Exception):
    """A command that is not sent; the message says why."""


class Shoe(Driver):
    """One shoe on its line, in whatever protocol."""

    polls = False

    def __init__(
        self,
        line: str,
        settings: Any,  # noqa: ANN401 -- of its own type
        hand_up: HandUp,
        bookmarks: Mapping[str, Bookmark],  # noqa: ARG002 -- as every driver is made
        open_port: OpenPort = Port,
    ) -> None:
        self._open_port = open_port
        self._settings: ShoeSettings = settings
        self._id = settings.id or line
        self._hand_up = hand_up
        self._counters = Counters()
        self._games = Games(self._id)
        self._sequence = self._numbering()
        self._online: bool | None = None  # online, or lost; None before the first of both
        self.devices = (Device(self._id, self.name, settings.port),)
        self.counters = {self._id: self._counters}

    async def run(self) -> None:
        """Listen until cancelled."""
        await self._open_port(self._settings).run(self._listen, self._lose)

    def look(self, device: str) -> dict[str, str]:
        """The cards of the present game, or of the last one."""
        del device  # there is one
        return self._games.look()

    @abstractmethod
    def _numbering(self) -> Sequence:
        """How its messages are numbered."""

    @abstractmethod
    def _restart(self) -> None:
        """Forget what has come of a message that will not be completed."""

    @abstractmethod
    def _read(self, data: bytes) -> list[Reading]:
        """The readings that are complete with these bytes, and the counters of those that were not."""

    async def _taken(self, line: Wire, messages: int) -> None:
        """So many messages and repeats were handed up and taken."""

    async def _turn(self, line: Wire) -> None:
        """The line was looked at."""

    def _longest_read(self) -> float:
        return LONGEST_READ

    def _longest_pause(self) -> float:
        """How long a game may pause; 0: as long as it likes."""
        return 0

    async def _listen(self, line: Wire) -> None:
        if self._online is not None:
            self._counters.reconnects += 1
        self._restart()
        await self._hand_up(self._found())
        clock = asyncio.get_running_loop().time
        since = clock()
        limit = self._settings.silent_s
        while True:
            left = since + limit - clock() if limit and self._online else LONGEST_READ
            readings = self._read(await line.read(min(left, self._longest_read())))
            await self._turn(line)
            if readings:
                await self._take(line, readings, clock() - since)
                since = clock()
            elif limit and clock() - since >= limit and self._online:
                self._counters.timeouts += 1
                await self._lose(f"it was silent for {limit:g} s")

    async def _take(self, line: Wire, readings: list[Reading], pause: float) -> None:
        events = [] if self._online else self._found()
        longest = self._longest_pause()
        if longest and pause > longest:
            events += self._games.pause(longest)
        taken = 0
        for reading in readings:
            self._counters.seen()
            heard = self._sequence.heard(reading)
            taken += heard not in {Heard.AWAITED, Heard.STRAY}
            if heard in {Heard.GAP, Heard.STRAY}:
                events += self._games.fail(MISSING)
            if heard in {Heard.GAP, Heard.NEXT}:
                events += self._games.take(reading.message)
        if events:
            await self._hand_up(events)
        await self._taken(line, taken)

    def _found(self) -> list[Event]:
        self._online = True
        fault = self._games.fault
        return [Online(device=self._id), *([Faulted(device=self._id, reason=fault)] if fault else [])]

    async def _lose(self, why: str) -> None:
        if self._online is False:
            return
        self._online = False
        self._games.interrupt()
        self._sequence.restart()
        await self._hand_up([Lost(device=self._id, reason=why)])


class AngelEye(Shoe):
    """An Angel Eye II-EX, or what speaks like one."""

    name: ClassVar[str] = "angel-eye"
    settings = AngelEyeSettings

    def __init__(
        self,
        line: str,
        settings: AngelEyeSettings,
        hand_up: HandUp,
        bookmarks: Mapping[str, Bookmark],
        open_port: OpenPort = Port,
    ) -> None:
        self._reader = FrameReader()
        self._angel = settings
        self._commands: deque[bytes] = deque()
        super().__init__(line, settings, hand_up, bookmarks, open_port)

    def command(self, kind: str, data: str) -> None:
        """Send a command when the line is looked at next, such as LK 02. What it answers is not awaited."""
        if not self._angel.acknowledge:
            raise CommandError("this shoe is only listened to: acknowledge = true lets commands out")
        if not self._online:
            raise CommandError("the shoe is lost: a command waits for no line")
        if len(self._commands) >= MOST_COMMANDS:
            raise CommandError(f"{MOST_COMMANDS} commands are waiting to be sent already")
        self._commands.append(shoe_frames.command(kind, data, self._angel.command_checksum))

    def _numbering(self) -> Sequence:
        return Sequence(len(self._angel.sequence), self._angel.copies)

    def _restart(self) -> None:
        self._reader.restart()
        self._commands.clear()  # who asked for them has been told that the shoe was lost

    def _read(self, data: bytes) -> list[Reading]:
        frames = self._reader.feed(data)
        self._counters.bad_checksums, self._counters.resyncs = self._reader.bad_checksums, self._reader.resyncs
        places = self._angel.sequence
        return [
            Reading(
                place=places.index(frame.seq) if frame.seq in places else None,
                content=frame.data,
                message=shoe_frames.understood(frame.data),
            )
            for frame in frames
        ]

    async def _taken(self, line: Wire, messages: int) -> None:
        # Only now: an ACK ends the repeats, and what was not taken must be repeated.
        if messages and self._angel.acknowledge:
            await line.write(ACK * messages)

    async def _turn(self, line: Wire) -> None:
        while self._commands:
            await line.write(self._commands.popleft())

    def _longest_read(self) -> float:
        return COMMAND_WAIT if self._angel.acknowledge else LONGEST_READ

    def _longest_pause(self) -> float:
        return self._angel.pause_s


class TextShoe(Shoe):
    """A reader that speaks the plain-text protocol."""

    name: ClassVar[str] = "text-shoe"
    settings = TextShoeSettings

    def __init__(
        self,
        line: str,
        settings: TextShoeSettings,
        hand_up: HandUp,
        bookmarks: Mapping[str, Bookmark],
        open_port: OpenPort = Port,
    ) -> None:
        self._reader = TextReader(settings.checksum)
        self._text = settings
        super().__init__(line, settings, hand_up, bookmarks, open_port)

    def _numbering(self) -> Sequence:
        return Sequence(shoe_text.SEQUENCE, self._text.copies, checked=self._text.checksum != "none")

    def _restart(self) -> None:
        self._reader.restart()

    def _read(self, data: bytes) -> list[Reading]:
        lines = self._reader.feed(data)
        self._counters.bad_checksums, self._counters.resyncs = self._reader.bad_checksums, self._reader.resyncs
        return [Reading(line.seq, line.words.encode(), shoe_text.understood(line.words)) for line in lines]
