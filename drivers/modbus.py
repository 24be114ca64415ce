"""Sensors, button and lamps on Modbus RTU boards: several boards on one line, polled in turn.

One cycle reads every board, and only then hands up what changed: chips first, the button last, so that a chip whose
debounce ends in the same poll as the button's is in. A board that is lost is told at once.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from drivers import modbus_bus
from drivers import modbus_rtu as rtu
from drivers.driver import Bookmark, Device, Driver, HandUp, Place
from drivers.events import Absent, Button, Cleared, Event, Faulted, Lost, Online, Present
from drivers.modbus_board import Board, Sensed
from drivers.modbus_bus import Bus
from drivers.modbus_settings import ModbusSettings
from drivers.patterns import FLASH_SECONDS, PATTERNS, is_lit, slot
from drivers.port import OpenPort, Port, Wire

REST_SECONDS = 1.0  # for all lamps to go off when the program ends
ATTEMPTS = 2  # of every question: on a noisy line the second mostly is understood
# Between two questions to a board that is lost, and one such board in a cycle: their timeouts must not cost the others
# the button.
LOST_RETRY_SECONDS = 1.0
LIGHT_RETRY_SECONDS = 0.1  # between two attempts at coils that were not answered for
CHECK_SECONDS = 1.0  # between two readings of coils that should not have changed: a board that restarted has them off
FOLLOW_SECONDS = 2.0  # coils that are not as they should be for so long, though written again and again, are faulted


class Modbus(Driver):
    """The boards of one line."""

    name = "modbus"
    settings = ModbusSettings

    def __init__(
        self,
        line: str,
        settings: ModbusSettings,
        hand_up: HandUp,
        bookmarks: Mapping[str, Bookmark],
        open_port: OpenPort = Port,
    ) -> None:
        del line, bookmarks  # boards have names of their own, and nothing they say is counted
        self._settings = settings
        self.hand_up = hand_up
        self._boards = [Board(each, settings.debounce_ms / 1000) for each in settings.boards]
        self._port = open_port(settings)
        self._patterns: dict[Place, str] = {}
        self._flashing: dict[Place, float] = {}  # until when
        self._changed: list[Event] = []  # read in this cycle, and not handed up yet
        self.devices = tuple(
            Device(each.id, self.name, settings.port, each.places(), each.has_button()) for each in settings.boards
        )
        self.counters = {board.settings.id: board.counters for board in self._boards}

    @classmethod
    async def probe(cls, port: str) -> list[str]:
        """Ask the first addresses for one input, at the usual speeds."""
        return await modbus_bus.probe(port)

    async def run(self) -> None:
        """Poll the boards until cancelled."""
        try:
            await self._port.run(self._talk, self._line_lost)
        finally:  # whoever runs it again is told everything anew
            self._changed.clear()
            for board in self._boards:
                board.forget()
                board.told_lost = False

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
        lit = [board for board in self._boards if board.online and board.coil_count]
        for board in lit:
            board.coils = None  # whatever is being written just now is not what is wanted
        with suppress(TimeoutError):
            async with asyncio.timeout(REST_SECONDS):
                while any(board.online and (board.coils is None or any(board.coils)) for board in lit):  # noqa: ASYNC110 -- a cycle of `run` ends it
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

    async def _talk(self, line: Wire) -> None:
        loop, settings = asyncio.get_running_loop(), self._settings
        bus = Bus(line, settings.character_seconds, settings.silence_seconds(), settings.reply_ms)
        for board in self._boards:
            board.counters.reconnects += self._port.opened > 1
            board.good_at, board.ask_at = loop.time(), 0.0
        due = loop.time()
        while True:
            asked = self._asked(loop.time())
            cycle = loop.time()  # of all that is read in it: debounces that began together end together
            for board in asked:
                await self._serve(bus, board, cycle)
            await self._hand_up()
            for board in asked:  # only now: what was read goes first, and its lamps follow in the same cycle
                if board.online:
                    await self._light(bus, board)
            await self._hand_up()  # a board whose coils do not follow
            self.turns += 1
            due = max(due + settings.poll_ms / 1000, loop.time())
            if not asked:  # all are lost, and one of them is asked next
                due = max(due, min(board.ask_at for board in self._boards))
            await line.pause(due - loop.time(), idle=self._is_idle(asked))

    def _is_idle(self, asked: list[Board]) -> bool:
        """Whether the next cycle finds nothing unless an input changes: only lamps blink meanwhile."""
        return asked == self._boards and not self._flashing and all(board.is_idle() for board in asked)

    def _asked(self, now: float) -> list[Board]:
        """The boards of this cycle: those that answer, those that have not had their time yet, and one that is lost."""
        lost = [board for board in self._boards if board.told_lost and not board.online]
        late = min((board for board in lost if now >= board.ask_at), key=lambda board: board.ask_at, default=None)
        return [board for board in self._boards if board not in lost or board is late]

    async def _hand_up(self) -> None:
        """What changed in this cycle: how the boards are, then the chips, then the button."""
        if self._changed:
            order: dict[type[Event], int] = {Present: 1, Absent: 1, Button: 2}
            await self.hand_up(sorted(self._changed, key=lambda event: order.get(type(event), 0)))
            self._changed.clear()

    async def _line_lost(self, why: str) -> None:
        await self._hand_up()  # what was read before it was lost
        for board in self._boards:
            await self._lose(board, why)

    async def _lose(self, board: Board, why: str) -> None:
        """A board does not answer. Told at once, and once."""
        board.forget()
        if not board.told_lost:
            await self.hand_up([Lost(device=board.settings.id, reason=why)])
            board.told_lost = True

    # -- one board --

    async def _serve(self, bus: Bus, board: Board, cycle: float) -> None:
        """One turn of one board."""
        now = asyncio.get_running_loop().time
        attempts = 1 if board.told_lost else ATTEMPTS
        try:
            if not board.online:
                await self._begin(bus, board, attempts)
            read = await self._read(bus, board, cycle, attempts)
        except (TimeoutError, rtu.RefusedError) as error:
            board.ask_at = now() + LOST_RETRY_SECONDS
            if board.told_lost or now() - board.good_at >= self._settings.stale_ms / 1000:
                await self._lose(board, str(error) or "it does not answer")
            return
        board.good_at = now()
        if not board.online:
            board.online, board.begun_at = True, cycle
        if board.told_online:
            self._changed += read
        elif board.settled(cycle):  # nothing is told before all of it is known, and then all at once
            board.told_online, board.told_lost = True, False
            self._changed.append(Online(device=board.settings.id, detail=f"address {board.settings.address}"))
            self._changed += board.levels()

    async def _begin(self, bus: Bus, board: Board, attempts: int) -> None:
        """All coils off before anything else, and the board's own watchdog on, so that they go off if we do."""
        if board.coil_count:
            dark = (False,) * board.coil_count
            request = rtu.write_coils(board.settings.address, board.first_coil, dark)
            await bus.ask(request, board.counters, attempts)
        await self._guard(bus, board, attempts)

    async def _guard(self, bus: Bus, board: Board, attempts: int) -> None:
        if board.settings.watchdog is not None:
            request = rtu.write_coil(board.settings.address, board.settings.watchdog, on=True)
            await bus.ask(request, board.counters, attempts)

    async def _read(self, bus: Bus, board: Board, cycle: float, attempts: int) -> list[Event]:
        """What its inputs say that is new. A board that has none is asked for its coils, to know that it is there."""
        if board.read_inputs is None:
            if board.read_coils is not None:
                board.coils = rtu.bits(await bus.ask(board.read_coils, board.counters, attempts), board.coil_count)
            return []
        read = rtu.bits(await bus.ask(board.read_inputs, board.counters, attempts), board.read_inputs.count)
        # All questions first: a level that is taken from an input must be handed up.
        counted = [await self._counted(bus, board, each, read) for each in board.inputs]
        events: list[Event] = []
        for each, count in zip(board.inputs, counted, strict=True):
            bit = read[each.settings.at - board.first_input] != each.settings.active_low
            events += [each.event(board.settings.id, level) for level in each.take(bit, cycle, count)]
        return events

    async def _counted(self, bus: Bus, board: Board, each: Sensed, read: tuple[bool, ...]) -> int | None:
        """How often the board saw this input change, where it counts or latches that. Only a change of it matters."""
        settings, address = each.settings, board.settings.address
        if settings.counter is not None:
            request = rtu.read_registers(address, settings.counter, 2)
            return int.from_bytes(await bus.ask(request, board.counters, ATTEMPTS), "big")
        if settings.latch is None or settings.latch_clear is None:
            return None
        latched = read[settings.latch - board.first_input]
        if latched:
            await bus.ask(rtu.write_coil(address, settings.latch_clear, on=True), board.counters, ATTEMPTS)
        return each.latch(latched)

    # -- lamps --

    async def _light(self, bus: Bus, board: Board) -> None:
        """Write coils that should change, and read them back. The board is faulted while they do not follow."""
        now = asyncio.get_running_loop().time()
        wanted = self._wanted(board, now)
        checking = now - board.checked_at >= CHECK_SECONDS
        if board.read_coils is None or now < board.light_at or (wanted == board.coils and not checking):
            return
        try:
            if checking:  # a board that restarted has forgotten its watchdog too
                await self._guard(bus, board, ATTEMPTS)
            if wanted != board.coils:
                request = rtu.write_coils(board.settings.address, board.first_coil, wanted)
                await bus.ask(request, board.counters, ATTEMPTS)
            board.coils = rtu.bits(await bus.ask(board.read_coils, board.counters, ATTEMPTS), board.coil_count)
        except (TimeoutError, rtu.RefusedError) as error:
            board.coils, board.light_at = None, now + LIGHT_RETRY_SECONDS
            self._follow(board, f"its coils cannot be written: {str(error) or 'it does not answer'}", now)
            return
        board.checked_at = now
        wrong = board.wrong_coils(wanted)
        self._follow(board, f"coil {', '.join(wrong)} does not follow" if wrong else "", now)

    def _follow(self, board: Board, why: str, now: float) -> None:
        """Note whether the coils are as they should be, and tell it when that lasts."""
        if not why:
            board.unfollowed_since = None
            if board.faulted:
                board.faulted = False
                self._changed.append(Cleared(device=board.settings.id))
            return
        board.unfollowed_since = now if board.unfollowed_since is None else board.unfollowed_since
        if not board.faulted and now - board.unfollowed_since >= FOLLOW_SECONDS:
            board.faulted = True
            self._changed.append(Faulted(device=board.settings.id, reason=why))

    def _wanted(self, board: Board, now: float) -> tuple[bool, ...]:
        """The coils as they should be in this slot of time. Of two lamps on one coil either lights it."""
        self._flashing = {place: until for place, until in self._flashing.items() if until > now}
        place_in_period = slot(now)
        coils = [False] * board.coil_count
        for lamp in board.settings.lamps:
            place = Place(lamp.position, lamp.wager)
            light = lamp.light("refused" if place in self._flashing else self._patterns.get(place, "off"))
            coils[lamp.at - board.first_coil] |= is_lit(light, place_in_period)
        return tuple(coils)
