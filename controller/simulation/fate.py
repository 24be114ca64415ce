"""Things go wrong as the schedule says."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from random import Random

from controller.simulation import schedule, trace
from controller.simulation.house import House
from controller.simulation.layout import RAIL, SLOTS
from controller.simulation.office import Office
from controller.simulation.schedule import Fault
from drivers.simulated.line import CLEAN, Condition

MOST_WRITES = 60  # of the disk, from now on until a cut: a commit has about four
SMALL_STEP, LARGE_STEP = 20.0, 7200.0  # seconds by which a clock is set; a large one is put right again
_MISTAKES = ("wrong-hand", "void", "void", "unentered", "late-hand")


class Fate:
    """Does what the schedule says, hand by hand."""

    def __init__(self, house: House, faults: Iterable[Fault]) -> None:
        self._house = house
        self._office = Office(house)
        self._waiting = sorted(faults, key=lambda each: (each.round, each.after), reverse=True)
        self._under_way: dict[asyncio.Task[None], None] = {}
        self._doing: dict[str, Callable[[Fault, Random], Awaitable[str]]] = {
            schedule.POWER: self._power,
            schedule.RESTARTS: self._restarts,
            schedule.KILL: self._kill,
            schedule.STOP: self._stop,
            schedule.DISK_FULL: self._disk_full,
            schedule.DISK_ERROR: self._disk_error,
            schedule.NOISE: self._noise,
            schedule.STUCK: self._stuck,
            schedule.CHATTER: self._chatter,
            schedule.UNPLUG: self._unplug,
            schedule.SILENT: self._silent,
            schedule.BUTTON: self._button,
            schedule.BROKER: self._broker,
            schedule.PARTITION: self._partition,
            schedule.DUPLICATES: self._duplicates,
            schedule.SLOW: self._slow,
            schedule.SIGN: self._sign,
            schedule.CLOCK: self._clock,
            schedule.MISTAKES: self._mistake,
            schedule.AGAIN: self._again,
            schedule.OFFICE: self._at_office,
            schedule.FILING: self._file,
        }

    def round_begins(self, number: int) -> None:
        """What belongs to this hand, or to one before it."""
        while self._waiting and self._waiting[-1].round <= number:
            task = asyncio.get_running_loop().create_task(self._befall(self._waiting.pop()))
            self._under_way[task] = None
            task.add_done_callback(self._under_way.pop)

    async def end(self) -> None:
        """Let everything come to its end: what is wrong is healed early."""
        for task in list(self._under_way):
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        self._house.heal()

    async def _befall(self, fault: Fault) -> None:
        await asyncio.sleep(fault.after)
        house = self._house
        id_ = fault.number + 1  # none has no number
        begun = trace.FaultBegan(at=house.loop.microseconds(), id=id_, kind=fault.kind)
        house.trace.add(begun)
        where = ""
        try:
            where = await self._doing[fault.kind](fault, fault.chance(house.seed))
        finally:
            ended = trace.FaultEnded(at=house.loop.microseconds(), id=id_, kind=fault.kind, where=where)
            house.trace.add(ended)

    # -- the machine --

    async def _power(self, _fault: Fault, chance: Random) -> str:
        self._house.cut_power(chance.randrange(MOST_WRITES))
        return ""

    async def _restarts(self, _fault: Fault, chance: Random) -> str:
        self._house.cuts_to_come = [1 + chance.randrange(MOST_WRITES) for _ in range(chance.randint(1, 3))]
        self._house.cut_power(chance.randrange(MOST_WRITES))
        return ""

    async def _kill(self, _fault: Fault, _chance: Random) -> str:
        if self._house.life is not None:
            await self._house.life.kill()
        return ""

    async def _stop(self, _fault: Fault, _chance: Random) -> str:
        if self._house.life is not None:
            self._house.life.stop()
        return ""

    async def _disk_full(self, fault: Fault, _chance: Random) -> str:
        disk = self._house.disk
        disk.ballast = 0
        disk.ballast = disk.free_bytes("")
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            disk.ballast = 0
        return ""

    async def _disk_error(self, fault: Fault, chance: Random) -> str:
        what = chance.choice(("write", "sync"))
        self._house.disk.failing.add(what)
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            self._house.disk.failing.discard(what)
        return what

    async def _clock(self, fault: Fault, chance: Random) -> str:
        large = chance.random() < 0.3  # noqa: PLR2004 -- most are small, and stay
        by = round(chance.uniform(-1, 1) * (LARGE_STEP if large else SMALL_STEP) * 1_000_000)
        self._house.set_clock(by)
        try:
            if large or abs(self._house.clock.set_by) > SMALL_STEP * 1_000_000:
                await asyncio.sleep(fault.seconds)
        finally:
            if large or abs(self._house.clock.set_by) > SMALL_STEP * 1_000_000:
                self._house.set_clock(-self._house.clock.set_by)
        return ""

    # -- the wires --

    async def _noise(self, fault: Fault, chance: Random) -> str:
        name = chance.choice(sorted(self._house.felt.cables))
        cable = self._house.felt.cables[name]
        cable.condition = Condition(corrupted=chance.uniform(0, 0.1), dropped=chance.uniform(0, 0.05))
        cable.stir()
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            cable.condition = CLEAN
        return name

    async def _stuck(self, fault: Fault, chance: Random) -> str:
        felt = self._house.felt
        spot = chance.choice(felt.layout.spots)
        place = (spot.position, spot.wager)
        felt.stuck[place] = chance.random() < 0.5  # noqa: PLR2004 -- on, or off
        felt.look_at(*place)
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            felt.stuck.pop(place, None)
            felt.look_at(*place)
        return f"{spot.position}/{spot.wager}"

    async def _chatter(self, fault: Fault, chance: Random) -> str:
        felt, clock = self._house.felt, self._house.loop.time
        spot, until = chance.choice(felt.layout.spots), clock() + fault.seconds
        try:
            while clock() < until:
                felt.turn(spot.position, spot.wager, on=chance.random() < 0.5)  # noqa: PLR2004 -- it cannot decide
                await asyncio.sleep(chance.expovariate(20))
        finally:
            felt.look_at(spot.position, spot.wager)
        return f"{spot.position}/{spot.wager}"

    async def _unplug(self, fault: Fault, chance: Random) -> str:
        name = chance.choice(sorted(self._house.felt.cables))
        cable = self._house.felt.cables[name]
        cable.unplug()
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            cable.plugged = True
        return name

    async def _silent(self, fault: Fault, chance: Random) -> str:
        felt = self._house.felt
        id_ = chance.choice(sorted(felt.boards) + sorted(felt.slots))
        if id_ in felt.slots:
            return await self._silent_slot(id_, fault.seconds, chance)
        felt.bus.silent.add(felt.boards[id_].address)
        felt.cables[RAIL].stir()
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            felt.bus.silent.discard(felt.boards[id_].address)
            if chance.random() < 0.5:  # noqa: PLR2004 -- it had no power
                felt.boards[id_].restart()
            felt.cables[RAIL].stir()
        return id_

    async def _silent_slot(self, id_: str, seconds: float, chance: Random) -> str:
        acceptor, cable = self._house.felt.slots[id_], self._house.felt.cables[SLOTS]
        acceptor.answers = False
        cable.stir()
        try:
            await asyncio.sleep(seconds)
        finally:
            acceptor.answers = True
            if chance.random() < 0.5:  # noqa: PLR2004 -- it had no power
                acceptor.reset()
            cable.stir()
        return id_

    async def _button(self, fault: Fault, _chance: Random) -> str:
        self._house.felt.button_lost = True
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            self._house.felt.button_lost = False
        return ""

    # -- the broker --

    async def _broker(self, fault: Fault, chance: Random) -> str:
        broker = self._house.broker
        broker.crash(forgets=chance.random() < 0.3)  # noqa: PLR2004 -- sometimes with its disk
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            broker.up = True
            self._house.subscribe()
        return ""

    async def _partition(self, fault: Fault, _chance: Random) -> str:
        self._house.broker.partition()
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            self._house.broker.reachable = True
        return ""

    async def _duplicates(self, fault: Fault, chance: Random) -> str:
        self._house.broker.twice = chance.uniform(0.05, 0.5)
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            self._house.broker.twice = 0.0
        return ""

    async def _slow(self, fault: Fault, chance: Random) -> str:
        self._house.broker.slow_seconds = chance.uniform(0.05, 3.5)
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            self._house.broker.slow_seconds = 0.0
        return ""

    async def _sign(self, _fault: Fault, _chance: Random) -> str:
        sign = self._house.signs[-1]
        sign.forget()
        self._house.broker.subscribe(sign.name, sign.filters, sign.hear)
        return sign.name

    # -- people --

    async def _mistake(self, fault: Fault, chance: Random) -> str:
        what = chance.choice(_MISTAKES)
        self._house.play.mistakes[max(fault.round, self._house.play.rounds)] = what
        return what

    async def _again(self, fault: Fault, chance: Random) -> str:
        self._house.desk.again = chance.uniform(0.1, 0.6)
        try:
            await asyncio.sleep(fault.seconds)
        finally:
            self._house.desk.again = 0.0
        return ""

    async def _file(self, _fault: Fault, chance: Random) -> str:
        return await self._office.file(chance)

    async def _at_office(self, _fault: Fault, chance: Random) -> str:
        return await self._office.do_something(chance)
