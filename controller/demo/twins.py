"""A table's devices: boards and a shoe on pseudo-terminals, and hands that wait for what the controller says."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from controller.demo.configuration import BOARD_SIZE, BOARDS, BUTTON_AT, BUTTON_BOARD, DECKS, RAIL, SHOE, place_at
from controller.demo.pace import Pace
from controller.demo.watching import Watched
from drivers import modbus_rtu as rtu
from drivers.driver import Place
from drivers.simulated.dealer import Dealer
from drivers.simulated.line import TwinLine
from drivers.simulated.modbus import Board, Bus
from drivers.simulated.shoe import TextShoeTwin, tell

# A controller answers in milliseconds. One that was stopped for a moment, or faulted, may have missed a press or the
# cards: a dealer who sees nothing happen for so long tries again, and gives up in the end.
ANSWER_SECONDS, MOST_PRESSES = 10.0, 6
# Readings of a board that show a change for as long as it must last: in the next one the driver has believed it, and it
# asks once more only when what it believes is durable.
READINGS = 3
IN_PLAY = ("open", "locked", "dealt", "settled")
CARD_SECONDS = 0.6  # between two cards out of the shoe


class StalledError(Exception):
    """The table does not answer; the message says what was done and what it shows."""


class ReadBoard(Board):
    """A board that knows what was read of it. The driver is asked nothing: its questions tell."""

    def __init__(self, address: int, debounce: float, clock: Callable[[], float]) -> None:
        super().__init__(address, inputs=BOARD_SIZE, coils=BOARD_SIZE)
        self._debounce = debounce
        self._clock = clock
        self._first: float | None = None  # when it was first read since something changed
        self._lasted = READINGS
        self._settled = asyncio.Event()
        self._settled.set()
        self.fresh: set[int] = set()  # inputs whose change the controller may not know yet

    def sense(self, at: int, on: bool) -> None:
        """An input changes, and all is to be read again."""
        super().sense(at, on)
        self._first, self._lasted = None, 0
        self._settled.clear()
        self.fresh.add(at)

    def answer(self, function: int, body: bytes) -> bytes:
        """Answer, and note that the inputs were read."""
        if function == rtu.READ_INPUTS and self._lasted < READINGS:
            now = self._clock()
            self._first = now if self._first is None else self._first
            self._lasted += now - self._first >= self._debounce
            if self._lasted >= READINGS:
                self.fresh.clear()
                self._settled.set()
        return super().answer(function, body)

    async def settled(self) -> None:
        """Wait until everything that changed is known to the controller, durably."""
        await self._settled.wait()


class TableTwin:
    """One table's devices, and hands on them: what `drivers.simulated.players.Hands` asks for."""

    def __init__(self, folder: Path, pace: Pace, watched: Watched, seed: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._pace = pace
        self._watched = watched
        debounce = pace.debounce_seconds
        self.boards = {
            name: ReadBoard(address, debounce, self._loop.time) for address, name in enumerate(BOARDS, start=1)
        }
        self._shoe = TextShoeTwin()
        self._rail_line = TwinLine(folder / RAIL, Bus(self.boards.values(), self._loop.time))
        self._shoe_line = TwinLine(folder / SHOE, self._shoe)
        self._dealer = Dealer(seed, DECKS)
        self._locks = True  # what the next press is to do
        self._pressable_at = 0.0  # a press before this would be taken for the last one once more

    @contextmanager
    def plugged(self) -> Iterator[None]:
        """Have the lines there."""
        try:
            self._rail_line.plug()
            self._shoe_line.plug()
            yield
        finally:
            self._rail_line.unplug()
            self._shoe_line.unplug()

    async def chip(self, place: Place, *, there: bool) -> None:
        """Put a chip on a sensor or take it off, but not before its last move is known."""
        name, at = place_at(place.position, place.wager)
        board = self.boards[name]
        if at in board.fresh:
            await self._known(board)
        board.sense(at, on=there)

    async def press(self) -> None:
        """Press the button when all chips are known, and hold it until the table has gone on.

        Of a round's two presses the first locks it and the second opens the next one. Where that is so already, because
        somebody at the console voided the round, nobody presses.
        """
        for board in self.boards.values():
            await self._known(board)
        locks, self._locks = self._locks, not self._locks
        board = self.boards[BUTTON_BOARD]
        presses = 0
        while presses < MOST_PRESSES:
            await self._in_play()
            if self._is_open() is (not locks):
                return
            if (wait := self._pressable_at - self._loop.time()) > 0:
                await asyncio.sleep(wait)
                continue
            presses += 1
            board.sense(BUTTON_AT, on=True)
            await self._watched.until(lambda: self._is_open() is (not locks), ANSWER_SECONDS)
            self._pressable_at = self._loop.time() + self._pace.button()["reopen_after_ms"] / 1000
            board.sense(BUTTON_AT, on=False)
            await self._known(board)
        raise StalledError(f"nobody answers the button of table {self._watched.table}: it stays {self._phase()}")

    def begin(self) -> None:
        """A round begins: the next press locks it."""
        self._locks = True

    def take_up(self) -> None:
        """Take up play where it was left: the next press opens a round that is not."""
        self._locks = False

    async def deal(self) -> None:
        """Deal a hand from the shoe. If it does not settle the round, the next press leaves it without one."""
        for message in tell(self._dealer.deal(), self._shoe):
            with suppress(OverflowError):  # a wire without a listener loses what is said on it
                self._shoe_line.send(message)
            await self.pause(CARD_SECONDS)
        await self._watched.until(lambda: self._phase() in ("settled", "open"), ANSWER_SECONDS)

    async def pause(self, seconds: float) -> None:
        """Take the time people take."""
        await asyncio.sleep(self._pace.of(seconds))

    async def _known(self, board: ReadBoard) -> None:
        try:
            async with asyncio.timeout(ANSWER_SECONDS * MOST_PRESSES):
                await board.settled()
        except TimeoutError:
            raise StalledError(f"nobody reads board {board.address} of the table any more") from None

    async def _in_play(self) -> None:
        """Wait while the table is closed, however long, and while it is faulted: a press then does nothing."""
        while self._phase() not in IN_PLAY:
            longest = None if self._phase() in ("closed", "simulated") else ANSWER_SECONDS * MOST_PRESSES
            before = self._phase()
            if not await self._watched.until(lambda: self._phase() != before, longest):  # noqa: B023 -- asked only within this turn
                why = self._watched.status.reason if self._watched.status else "it says nothing"
                raise StalledError(f"table {self._watched.table} stays {before or 'silent'}: {why}")

    def _phase(self) -> str:
        return self._watched.round.phase if self._watched.round else ""

    def _is_open(self) -> bool | None:
        """Whether bets are taken; None while there is no play."""
        return self._phase() == "open" if self._phase() in IN_PLAY else None
