"""Sensors, button and lamps on Modbus RTU boards: several boards on one line, polled in turn.

One cycle reads every board, and only then hands up what changed: chips first, the button last, so that a chip whose
debounce ends in the same poll as the button's is in.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from drivers import modbus_rtu as rtu
from drivers.driver import Bookmark, Counters, Device, Driver, HandUp, Place
from drivers.events import Absent, Button, Cleared, Event, Faulted, Lost, Online, Present
from drivers.modbus_settings import BoardSettings, InputSettings, ModbusSettings
from drivers.patterns import FLASH_SECONDS, PATTERNS, is_lit, slot
from drivers.port import Line, LineSettings, Port

REST_SECONDS = 1.0  # for all lamps to go off when the program ends
ATTEMPTS = 2  # of every question: on a noisy line the second mostly is understood
# Between two questions to a board that is lost: its timeouts must not make the others stale.
LOST_RETRY_SECONDS = 0.5
CHECK_SECONDS = 1.0  # between two readings of coils that should not have changed: a board that restarted has them off
FOLLOW_SECONDS = 2.0  # coils that are not as they should be for so long, though written in every cycle, are faulted


SETTLE_SECONDS = 1.0  # beyond the longest debounce: one sensor that flickers must not keep its board off the table
PROBED_SPEEDS, PROBED_ADDRESSES = (9600, 19200, 115200), range(1, 9)  # boards leave the factory at address 1 and 9600
PROBE_SECONDS = 0.08  # a question and its answer take 20 ms at 9600 baud; boards and adapters take as long again


class _Sensed:
    """One input: what it reads, since when, and what was handed up of it."""

    def __init__(self, settings: InputSettings, debounce: float) -> None:
        self.settings = settings
        self.debounce = debounce
        self.level: bool | None = None  # what was handed up
        self._read: bool | None = None
        self._since = 0.0
        self._readings = 0
        self._counted: int | None = None  # pulses by the board's own count, when a level was last handed up
        self.latched = 0  # times its latch was found set

    def forget(self) -> None:
        """Know nothing of it: the next reading that lasts is news, whatever it is."""
        self.level = self._read = self._counted = None

    def believed(self) -> bool:
        """The level, with one that has not lasted yet taken for none: a chip that flickers is no wager."""
        self.level = bool(self.level)
        return self.level

    def take(self, bit: bool, now: float, counted: int | None) -> tuple[bool, ...]:
        """A reading. The levels to hand up: none, one, or two for a press that was over before it was read."""
        if bit is not self._read:
            self._read, self._since, self._readings = bit, now, 0
        self._readings += 1
        # One reading is enough where there is no debounce; otherwise two at least: a damaged reply can pass the CRC.
        settled = not self.debounce or (self._readings > 1 and now - self._since >= self.debounce)
        if settled and bit is not self.level:
            self.level, self._counted = bit, counted
            return (bit,)
        if bit or self.level is not False or counted == self._counted:
            return ()
        self._counted = counted
        return (True, False) if counted else ()  # a count of nothing is a board that has restarted


class _Board:
    """One board: what is known of it, and what its coils should be."""

    def __init__(self, settings: BoardSettings, debounce: float) -> None:
        self.settings = settings
        self.counters = Counters()
        self.inputs = [
            _Sensed(each, debounce if each.debounce_ms is None else each.debounce_ms / 1000) for each in settings.inputs
        ]
        self.online = False  # it answers
        self.told_online = False  # and all it senses has been handed up
        self.begun_at = 0.0
        self.faulted = False
        self.told_lost = False
        self.good_at = 0.0  # when its inputs were last read
        self.ask_at = 0.0  # a lost one
        self.coils: tuple[bool, ...] | None = None  # as last written, and read back
        self.checked_at = 0.0
        self.unfollowed_since: float | None = None
        first, last = settings.input_span()
        self.read_inputs = (
            rtu.read_bits(settings.address, rtu.READ_INPUTS, first, last - first + 1) if last >= 0 else None
        )
        self.first_input = first
        first, last = settings.lamp_span()
        self.first_coil, self.coil_count = first, last - first + 1
        self.read_coils = (
            rtu.read_bits(settings.address, rtu.READ_COILS, first, self.coil_count) if self.coil_count else None
        )

    def forget(self) -> None:
        """It is not there: nothing it said counts."""
        self.online = self.told_online = False
        self.coils = None
        self.unfollowed_since = None
        self.faulted = False
        for each in self.inputs:
            each.forget()


def _rank(event: Event) -> int:
    """The order within a cycle: how the boards are, then the chips, then the button."""
    return {Present: 1, Absent: 1, Button: 2}.get(type(event), 0)


def _event(board: str, input_: InputSettings, on: bool) -> Event:
    if input_.position is None:
        return Button(device=board, pressed=on)
    return (Present if on else Absent)(device=board, position=input_.position, wager=input_.wager)


async def _probed(line: Line, request: rtu.Request) -> str:
    """What a board says when it is asked once."""
    line.discard()
    reply = rtu.Reply(request)
    await line.write(request.frame)
    until = asyncio.get_running_loop().time() + PROBE_SECONDS
    try:
        while (left := until - asyncio.get_running_loop().time()) > 0:
            if reply.take(await line.read(left)) is not None:
                return "a board with inputs"
    except rtu.RefusedError as error:
        return f"a board: {error}"
    return ""


class Modbus(Driver):
    """The boards of one line."""

    name = "modbus"
    settings = ModbusSettings

    def __init__(self, line: str, settings: ModbusSettings, hand_up: HandUp, bookmarks: Mapping[str, Bookmark]) -> None:
        del line, bookmarks  # boards have names of their own, and nothing they say is counted
        self._settings = settings
        self.hand_up = hand_up
        self._boards = [_Board(each, settings.debounce_ms / 1000) for each in settings.boards]
        self._port = Port(settings)
        self._patterns: dict[Place, str] = {}
        self._flashing: dict[Place, float] = {}  # until when
        self._quiet_until = 0.0
        self._silence = settings.silence_seconds()
        self.devices = tuple(
            Device(each.id, self.name, settings.port, each.places(), each.has_button()) for each in settings.boards
        )
        self.counters = {board.settings.id: board.counters for board in self._boards}

    @classmethod
    async def probe(cls, port: str) -> list[str]:
        """Ask the first addresses for one input, at the usual speeds."""
        found: list[str] = []
        for baudrate in PROBED_SPEEDS:
            line = Line(LineSettings(port=port, baudrate=baudrate))
            try:
                for address in PROBED_ADDRESSES:
                    said = await _probed(line, rtu.read_bits(address, rtu.READ_INPUTS, 0, 1))
                    if said:
                        found.append(f"address {address} at {baudrate} baud: {said}")
            finally:
                line.close()
            if found:
                break
        return found

    async def run(self) -> None:
        """Poll the boards until cancelled."""
        await self._port.run(self._talk, self._line_lost)

    def show(self, lamps: Mapping[Place, str]) -> None:
        """Show these patterns from the next cycle on."""
        unknown = set(lamps.values()) - set(PATTERNS)
        if unknown:
            raise ValueError(f"{', '.join(sorted(unknown))}: no lamp shows that")
        self._patterns |= lamps

    async def rest(self) -> None:
        """Switch every lamp off, and wait until the boards that answer say so."""
        self._patterns.clear()
        self._flashing.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(REST_SECONDS):
                while any(board.online and board.coils and any(board.coils) for board in self._boards):  # noqa: ASYNC110 -- a cycle of `run` ends it
                    await asyncio.sleep(self._settings.poll_ms / 1000)

    def flash(self, place: Place) -> None:
        """Flash a lamp for two seconds."""
        self._flashing[place] = asyncio.get_running_loop().time() + FLASH_SECONDS

    def look(self, device: str) -> dict[str, str]:
        """Every place of a board: whether a chip lies there and what its lamp shows; and the button."""
        board = next(each for each in self._boards if each.settings.id == device)
        found: dict[str, str] = {}
        for each in board.inputs:
            chip, button = {None: ("?", "?"), True: ("chip", "down"), False: ("-", "up")}[each.level]
            found[each.settings.name()] = button if each.settings.button else chip
        for lamp in board.settings.lamps:
            name = f"{lamp.position} {lamp.wager}"
            found[name] = f"{found.get(name, '')} {self._patterns.get(Place(lamp.position, lamp.wager), 'off')}".strip()
        return found

    # -- the line --

    async def _line_lost(self, why: str) -> None:
        events = [event for board in self._boards for event in self._losing(board, why)]
        if events:
            await self.hand_up(events)

    async def _talk(self, line: Line) -> None:
        loop = asyncio.get_running_loop()
        for board in self._boards:
            board.counters.reconnects += self._port.opened > 1
            board.good_at, board.ask_at = loop.time(), 0.0
        due = loop.time()
        while True:
            asked = [board for board in self._boards if board.online or loop.time() >= board.ask_at]
            events: list[Event] = []
            cycle = loop.time()  # of all that is read in it: debounces that began together end together
            for board in asked:
                events += await self._serve(line, board, cycle)
            if events:
                await self.hand_up(sorted(events, key=_rank))
            due = max(due + self._settings.poll_ms / 1000, loop.time())
            if not asked:  # all are lost, and one of them is asked next
                due = max(due, min(board.ask_at for board in self._boards))
            await asyncio.sleep(due - loop.time())

    async def _serve(self, line: Line, board: _Board, cycle: float) -> list[Event]:
        """One turn of one board."""
        now = asyncio.get_running_loop().time
        try:
            if not board.online:
                await self._begin(line, board)
            read = await self._read(line, board, cycle)
        except (TimeoutError, rtu.RefusedError) as error:
            if now() - board.good_at < self._settings.stale_ms / 1000:
                return []
            board.ask_at = now() + LOST_RETRY_SECONDS
            return self._losing(board, str(error) or "it does not answer")
        if not board.online:
            board.online, board.begun_at = True, cycle
        board.good_at = now()
        return [*self._settled(board, read, cycle), *await self._light(line, board)]

    def _settled(self, board: _Board, read: list[Event], cycle: float) -> list[Event]:
        """What was read; of a board that came back nothing before all of it has settled, and then all at once."""
        if board.told_online:
            return read
        late = cycle - board.begun_at > SETTLE_SECONDS + max((each.debounce for each in board.inputs), default=0)
        for each in board.inputs:
            if each.level is None and not late:
                return []
        board.told_online, board.told_lost = True, False
        online = Online(device=board.settings.id, detail=f"address {board.settings.address}")
        return [online, *(_event(board.settings.id, each.settings, each.believed()) for each in board.inputs)]

    def _losing(self, board: _Board, why: str) -> list[Event]:
        board.forget()
        if board.told_lost:
            return []
        board.told_lost = True
        return [Lost(device=board.settings.id, reason=why)]

    async def _begin(self, line: Line, board: _Board) -> None:
        """All coils off before anything else, and the board's own watchdog on, so that they go off if we do."""
        if board.coil_count:
            dark = (False,) * board.coil_count
            await self._ask(line, board, rtu.write_coils(board.settings.address, board.first_coil, dark))
            board.coils = dark
        if board.settings.watchdog is not None:
            await self._ask(line, board, rtu.write_coil(board.settings.address, board.settings.watchdog, on=True))

    # -- inputs --

    async def _read(self, line: Line, board: _Board, cycle: float) -> list[Event]:
        if board.read_inputs is None:
            return []
        data = await self._ask(line, board, board.read_inputs)
        read = rtu.bits(data, board.read_inputs.count)
        # All questions first: a level that is taken from an input must be handed up.
        counted = [await self._counted(line, board, each, read) for each in board.inputs]
        events: list[Event] = []
        for each, count in zip(board.inputs, counted, strict=True):
            bit = read[each.settings.at - board.first_input] != each.settings.active_low
            events += [_event(board.settings.id, each.settings, level) for level in each.take(bit, cycle, count)]
        return events

    async def _counted(self, line: Line, board: _Board, each: _Sensed, read: tuple[bool, ...]) -> int | None:
        """How often the board saw this input change, where it counts or latches that. Only a change of it matters."""
        settings, address = each.settings, board.settings.address
        if settings.counter is not None:
            return int.from_bytes(await self._ask(line, board, rtu.read_registers(address, settings.counter, 2)), "big")
        if settings.latch is None:
            return None
        if read[settings.latch - board.first_input]:
            each.latched += 1
            if settings.latch_clear is not None:
                await self._ask(line, board, rtu.write_coil(address, settings.latch_clear, on=True))
        return each.latched

    # -- lamps --

    async def _light(self, line: Line, board: _Board) -> list[Event]:
        """Write coils that should change, and read them back. The board is faulted while they do not follow."""
        now = asyncio.get_running_loop().time()
        wanted = self._wanted(board, now)
        if board.read_coils is None or (wanted == board.coils and now - board.checked_at < CHECK_SECONDS):
            return []
        try:
            if wanted != board.coils:
                await self._ask(line, board, rtu.write_coils(board.settings.address, board.first_coil, wanted))
            board.coils = rtu.bits(await self._ask(line, board, board.read_coils), board.coil_count)
        except (TimeoutError, rtu.RefusedError) as error:
            board.coils = None
            why = f"its coils cannot be written: {str(error) or 'it does not answer'}"
        else:
            board.checked_at = now
            wrong = [str(board.first_coil + index) for index, on in enumerate(wanted) if board.coils[index] != on]
            why = f"coil {', '.join(wrong)} does not follow" if wrong else ""
        if not why:
            board.unfollowed_since = None
            cleared, board.faulted = board.faulted, False
            return [Cleared(device=board.settings.id)] if cleared else []
        board.unfollowed_since = now if board.unfollowed_since is None else board.unfollowed_since
        if board.faulted or now - board.unfollowed_since < FOLLOW_SECONDS:
            return []
        board.faulted = True
        return [Faulted(device=board.settings.id, reason=why)]

    def _wanted(self, board: _Board, now: float) -> tuple[bool, ...]:
        """The coils as they should be in this slot of time. Of two lamps on one coil either lights it."""
        self._flashing = {place: until for place, until in self._flashing.items() if until > now}
        place_in_period = slot(now)
        coils = [False] * board.coil_count
        for lamp in board.settings.lamps:
            place = Place(lamp.position, lamp.wager)
            light = lamp.light("refused" if place in self._flashing else self._patterns.get(place, "off"))
            coils[lamp.at - board.first_coil] |= is_lit(light, place_in_period)
        return tuple(coils)

    # -- one question --

    async def _ask(self, line: Line, board: _Board, request: rtu.Request) -> bytes:
        """The data of the reply; an error if there is none, or the board refuses."""
        for _ in range(ATTEMPTS):
            found = await self._once(line, board.counters, request)
            if found is not None:
                return found
            board.counters.timeouts += 1
        raise TimeoutError

    async def _once(self, line: Line, counters: Counters, request: rtu.Request) -> bytes | None:
        loop = asyncio.get_running_loop()
        if self._silence and self._quiet_until > loop.time():
            await asyncio.sleep(self._quiet_until - loop.time())
        line.discard()
        reply = rtu.Reply(request)
        await line.write(request.frame)
        wire = (len(request.frame) + request.size) * self._settings.character_seconds
        until = loop.time() + wire + self._settings.reply_ms / 1000
        try:
            while True:
                left = until - loop.time()
                came = await line.read(max(left, 0))  # also when this program was late itself: it may have come
                content = reply.take(came)
                if content is not None:
                    counters.seen()
                    return content
                if left <= 0 and not came:
                    return None
        finally:
            self._quiet_until = loop.time() + self._silence
            counters.resyncs += bool(reply.skipped)
            counters.bad_checksums += reply.damaged
