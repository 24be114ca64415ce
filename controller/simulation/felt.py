"""What lies on the table and hangs at its wires: chips, sensors, the button, boards, drop slots and the shoe."""

import asyncio
from random import Random

from controller.simulation import trace
from controller.simulation.layout import (
    ANGEL_EYE,
    FIRST_ADDRESS,
    RAIL,
    RIGHT_COIN,
    SHOE,
    SLOTS,
    WRONG_COIN,
    WRONG_WORTH,
    Layout,
)
from controller.simulation.lines import Cable
from controller.simulation.trace import Trace
from controller.simulation.virtual import VirtualLoop
from drivers import modbus_rtu as rtu
from drivers.cctalk_credits import KEPT
from drivers.simulated import cctalk, modbus
from drivers.simulated.shoe import AngelEyeTwin, TextShoeTwin

PRESS_SECONDS = 0.2  # a finger on a button


class Board(modbus.Board):
    """A board that notes what it tells of its inputs."""

    def __init__(self, address: int, id_: str, inputs: int, told: "Felt") -> None:
        super().__init__(address, inputs, inputs)
        self.id = id_
        self._felt = told
        self._told = self._lit = ""

    def answer(self, function: int, body: bytes) -> bytes:
        """What it says to a question."""
        if function == rtu.READ_INPUTS:
            levels = "".join("01"[on] for on in self.inputs)
            if levels != self._told:
                self._told = levels
                self._felt.note(trace.BoardAnswered(at=self._felt.now(), board=self.id, levels=levels))
        said = super().answer(function, body)
        self._light()
        return said

    def restart(self) -> None:
        """Its power fails for a moment."""
        super().restart()
        self._light()

    def _light(self) -> None:
        coils = "".join("01"[on] for on in self.coils)
        if coils != self._lit:
            self._lit = coils
            self._felt.note(trace.BoardLit(at=self._felt.now(), board=self.id, coils=coils))


class Acceptor(cctalk.Acceptor):
    """A drop slot's acceptor that has been in use, and notes what falls in."""

    def __init__(self, address: int, slot: trace.Slot, felt: "Felt", clock: cctalk.Clock, chance: Random) -> None:
        self.slot, self._felt = slot, felt
        self._new = True
        super().__init__(address, serial=1000 + address, clock=clock)
        self._new = False
        self.counter = chance.choice((0, chance.randrange(256), chance.randrange(220, 256)))
        for _ in range(min(self.counter, KEPT)):  # coins of long ago, which nobody may count again
            self.events.appendleft((RIGHT_COIN, 1))

    def reset(self) -> None:
        """Power went and came back."""
        super().reset()
        if not self._new:
            self._felt.note(trace.SlotReset(at=self._felt.now(), slot=self.slot.id))

    def rested(self) -> None:
        """It was polled all the time, up to now."""
        if self.polled is not None and self.answers:
            self.polled = self._clock()

    def _awake(self) -> bool:
        return (self._felt.cables[SLOTS].is_idle and self.answers) or super()._awake()


class Felt:
    """The table as one could see it."""

    def __init__(self, layout: Layout, loop: VirtualLoop, trace_: Trace, chance: Random) -> None:
        self.layout = layout
        self.chips: set[tuple[int, str]] = set()
        self.stuck: dict[tuple[int, str], bool] = {}  # sensors that say always the same
        self.button_lost = False
        self.now = loop.microseconds
        self.note = trace_.add
        inputs = 16
        self.boards = {id_: Board(n, id_, inputs, self) for n, id_ in enumerate(layout.boards, start=1)}
        self.bus = modbus.Bus(self.boards.values(), loop.time)
        self.shoe: AngelEyeTwin | TextShoeTwin = AngelEyeTwin() if layout.shoe == ANGEL_EYE else TextShoeTwin()
        self.cables = {RAIL: Cable(loop, self.bus, chance)}
        if layout.shoe:
            self.cables[SHOE] = Cable(loop, self.shoe, chance)
        self.slots = {
            slot.id: Acceptor(address, slot, self, loop.time, chance)
            for address, slot in enumerate(layout.slots, start=FIRST_ADDRESS)
        }
        if layout.slots:
            bus = cctalk.AcceptorBus(tuple(self.slots.values()), clock=loop.time)
            self.cables[SLOTS] = Cable(loop, bus, chance, rested=self._rested)
        self._wired = {(spot.position, spot.wager): (self.boards[spot.board], spot.input) for spot in layout.spots}

    def put(self, position: int, wager: str) -> None:
        """Lay a chip down."""
        if (position, wager) not in self.chips:
            self.chips.add((position, wager))
            self.note(trace.ChipPut(at=self.now(), position=position, wager=wager))
            self.look_at(position, wager)

    def lift(self, position: int, wager: str) -> None:
        """Take a chip off."""
        if (position, wager) in self.chips:
            self.chips.discard((position, wager))
            self.note(trace.ChipLifted(at=self.now(), position=position, wager=wager))
            self.look_at(position, wager)

    def drop(self, slot: str, *, right: bool = True) -> bool:
        """Drop a coin into a slot; whether it was taken."""
        acceptor = self.slots[slot]
        taken = acceptor.insert(RIGHT_COIN if right else WRONG_COIN)
        cents = acceptor.slot.cents * (1 if right else WRONG_WORTH)
        self.note(trace.CoinDropped(at=self.now(), slot=slot, cents=cents, taken=taken))
        self.cables[SLOTS].stir()
        return taken

    def _rested(self) -> None:
        for acceptor in self.slots.values():
            acceptor.rested()

    def look_at(self, position: int, wager: str) -> None:
        """A sensor says what lies there, or what it is stuck at."""
        place = (position, wager)
        self.turn(position, wager, on=self.stuck.get(place, place in self.chips))

    def turn(self, position: int, wager: str, *, on: bool) -> None:
        """The electrical level of a sensor."""
        board, at = self._wired[position, wager]
        if board.inputs[at] != on:
            board.sense(at, on)
            self.note(trace.SensorTurned(at=self.now(), position=position, wager=wager, on=on))
            self.cables[RAIL].stir()

    async def press(self, why: str) -> None:
        """The dealer presses the button and lets it go."""
        self.note(trace.ButtonPressed(at=self.now(), why=why))
        if self.button_lost:
            return
        for on in (True, False):
            id_, at = self.layout.button
            self.boards[id_].sense(at, on)
            self.note(trace.ButtonTurned(at=self.now(), on=on))
            self.cables[RAIL].stir()
            await asyncio.sleep(PRESS_SECONDS)
