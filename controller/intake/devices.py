"""Events of devices become inputs of the engine, in an order that gives nobody an advantage.

Every driver hands up here, and goes on when what it handed up is durable. So a line is read no further than the journal
has come, and what changed in one poll stays together.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from controller.core import inputs
from controller.core.inputs import Input
from controller.core.state import Counted, State
from controller.core.times import stamp
from controller.engine import Answer, Clock
from controller.intake.cards import Hands
from controller.settings import ButtonSettings
from drivers.driver import Bookmark, Device, Driver
from drivers.events import Absent, Button, Card, Dropped, Event, Faulted, Game, Known, Lost, Online, Present

# A slot that is shut and read once more answers in tenths of a second. "No more bets" waits no longer than this for it.
LAST_CALL_SECONDS = 1.0
START = "start"  # a part that is lost until every device has been heard
# An adapter that is being reset takes seconds to come back; a device that is heard later joins the table then.
START_SECONDS = 5.0
SHOE_DRIVERS = frozenset({"angel-eye", "text-shoe"})
_KINDS = {"modbus": "board", "cctalk": "acceptor", **dict.fromkeys(SHOE_DRIVERS, "shoe")}


class Taker(Protocol):
    """The engine, as far as the intake knows it."""

    async def submit(self, input_: Input) -> Answer:
        """Take an input; return when it is durable and answered."""


class Intake:
    """All lines of one table."""

    def __init__(
        self,
        engine: Taker,
        clock: Clock,
        button: ButtonSettings,
        coins: Mapping[int, int],
        decided: Callable[[], None] = lambda: None,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._button = button
        self._coins = coins  # what each is worth, in cents
        self._decided = decided  # told after each press: slots that were shut for it open again, if it changed nothing
        self._drivers: tuple[Driver, ...] = ()
        self._devices: dict[str, Device] = {}
        self._hands: dict[str, Hands] = {}
        self._unheard: set[str] = set()
        self._all_heard = asyncio.Event()
        self._doubted: set[str] = set()  # shoes whose last result was not that of their cards
        self._locking = asyncio.Lock()  # held from a press until it is decided: chips of other lines come after it

    def serve(self, drivers: Iterable[Driver]) -> None:
        """The lines there are."""
        self._drivers = tuple(drivers)
        self._devices = {device.id: device for driver in self._drivers for device in driver.devices}
        self._unheard = set(self._devices)

    async def begin(self, state: State) -> None:
        """Before any line is opened: rely on nothing a device said before, and forget what is no longer wired."""
        at = self._now()
        # The whole table first: a fault of all applies nothing, while a board or slot lost alone withdraws its wagers.
        found: list[Input] = [inputs.DeviceLost(at=at, device=START, device_kind="software", detail="starting")]
        for device in self._devices.values():
            found += self._lost(device, at, "not heard yet")
        known = {each.device for each in found if isinstance(each, inputs.DeviceLost)}
        kinds = {*_KINDS.values(), "button"}
        for name, part in state.devices.items():
            if name not in known and part.kind in kinds and part.lost:
                found.append(inputs.DeviceRestored(at=at, device=name, device_kind=part.kind, detail="no longer there"))
        wired = {f"{place.position}/{place.wager}" for device in self._devices.values() for place in device.places}
        for place, sensor in state.sensors.items():
            if place not in wired and sensor.present:
                position, _, wager = place.partition("/")
                found.append(inputs.WagerAbsent(at=at, position=int(position), wager=wager))
        await self._submit(found)

    async def started(self) -> None:
        """Wait until every device has been heard, or has had its time; from then on the table can be played."""
        with suppress(TimeoutError):
            async with asyncio.timeout(START_SECONDS):
                await self._all_heard.wait()
        await self._submit([inputs.DeviceRestored(at=self._now(), device=START, device_kind="software")])

    async def take(self, events: Sequence[Event]) -> None:
        """What one line handed up. Returns when all of it is durable."""
        at = self._now()
        chips = [self._chip(event, at) for event in events if isinstance(event, Present | Absent)]
        rest = [event for event in events if not isinstance(event, Present | Absent | Online | Button)]
        # How devices are lost comes first; what they sense before they are back; and the button last.
        await self._submit([each for event in rest for each in self._plain(event, at)])
        back = [each for event in events if isinstance(event, Online) for each in self._back(event, at)]
        if chips:
            async with self._locking:
                await self._submit(chips)
                await self._submit(back)
        else:  # an acceptor or a shoe: the press that waits for its last coins must not wait for this
            await self._submit(back)
        self._unheard -= {event.device for event in events if isinstance(event, Online)}
        if not self._unheard:
            self._all_heard.set()
        for event in events:
            if isinstance(event, Button):
                await self._pressed(event)
            elif isinstance(event, Card | Game):
                await self._dealt(event)

    # -- one kind of event --

    def _chip(self, event: Present | Absent, at: str) -> Input:
        if isinstance(event, Present):
            return inputs.WagerPresent(at=at, position=event.position, wager=event.wager)
        pulled = self._button.pulled_ms
        return inputs.WagerAbsent(at=at, position=event.position, wager=event.wager, pulled_ms=pulled)

    def _plain(self, event: Event, at: str) -> list[Input]:
        """Events that mean the same whatever else happens."""
        if isinstance(event, Dropped):
            cents = self._coins.get(event.coin, 0)  # one nobody gave a worth is refused, and recorded
            coin = inputs.WagerDropped(
                at=at,
                key=event.key,
                position=event.position,
                wager=event.wager,
                cents=cents,
                counted=_counted(event),
            )
            return [coin]
        if isinstance(event, Known):
            device = self._devices[event.device]
            return [self._restored(device, _KINDS[device.driver], at, counted=_counted(event))]
        if isinstance(event, Lost):
            self._hands.pop(event.device, None)
            return self._lost(self._devices[event.device], at, event.reason)
        if isinstance(event, Faulted):
            self._hands.pop(event.device, None)
        return []

    def _lost(self, device: Device, at: str, why: str) -> list[Input]:
        kind = _KINDS[device.driver]
        positions = tuple(sorted({place.position for place in device.places}))
        found: list[Input] = [
            inputs.DeviceLost(at=at, device=device.id, device_kind=kind, positions=positions, detail=why)
        ]
        if device.button:
            found.append(inputs.DeviceLost(at=at, device=f"{device.id}.button", device_kind="button", detail=why))
        return found

    def _back(self, event: Online, at: str) -> list[Input]:
        device = self._devices[event.device]
        found: list[Input] = [self._restored(device, _KINDS[device.driver], at)]
        if device.button:
            found.append(inputs.DeviceRestored(at=at, device=f"{device.id}.button", device_kind="button"))
        return found

    @staticmethod
    def _restored(device: Device, kind: str, at: str, counted: Counted | None = None) -> Input:
        positions = tuple(sorted({place.position for place in device.places}))
        return inputs.DeviceRestored(at=at, device=device.id, device_kind=kind, positions=positions, counted=counted)

    # -- the lock-out --

    async def _pressed(self, event: Button) -> None:
        """A press, or a level. Drop slots are shut and read once more before it counts, and chips wait."""
        if self._button.maintained:
            level = "locked" if event.pressed else "unlocked"
        elif event.pressed:
            level = ""
        else:
            return
        at, reopen = self._now(), self._button.reopen_after_ms
        await self._lock(inputs.Button(at=at, level=level, reopen_after_ms=reopen), may_lock=level != "unlocked")

    async def _dealt(self, event: Card | Game) -> None:
        hands = self._hands.setdefault(event.device, Hands())
        if isinstance(event, Game) and event.what == "ended" and hands.contradicts(event.result):
            why = f"its cards do not come to {event.result}: look at the hand"
            self._doubted.add(event.device)
            await self._submit(self._lost(self._devices[event.device], self._now(), why))
            return
        if isinstance(event, Game) and event.what == "begun" and event.device in self._doubted:
            self._doubted.discard(event.device)
            await self._submit(self._back(Online(device=event.device), self._now()))
        for each in hands.take(event, self._now()):
            if isinstance(each, inputs.Button):
                await self._lock(each, may_lock=True)
            else:
                await self._submit([each])

    async def _lock(self, press: inputs.Button, *, may_lock: bool) -> None:
        async with self._locking:
            if may_lock:
                await self._last_call()
            await self._submit([press])
            self._decided()

    async def _last_call(self) -> None:
        calls = [asyncio.ensure_future(driver.last_call()) for driver in self._drivers]
        _, late = await asyncio.wait(calls, timeout=LAST_CALL_SECONDS) if calls else ((), ())
        for each in late:
            each.cancel()

    async def _submit(self, found: Sequence[Input]) -> None:
        """Hand inputs over in this order, and wait until all are durable."""
        if len(found) == 1:
            await self._engine.submit(found[0])
        elif found:
            await asyncio.gather(*map(self._engine.submit, found))

    def _now(self) -> str:
        return stamp(self._clock.now())


def _counted(event: Dropped | Known) -> Counted:
    return Counted(event.device, event.ordinal, event.counter, event.unit, isinstance(event, Known))


def bookmarks(state: State) -> dict[str, Bookmark]:
    """Where drivers go on with what devices count: after the last event the journal took."""
    return {
        each.device: Bookmark(each.counter, each.ordinal, each.unit, coin=not each.bare)
        for each in state.counted.values()
    }
