"""One drop slot's acceptor as the host serves it: set up, polled, opened and shut, lost and found again."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from drivers.cctalk_bus import Bus, Identity, NoAnswerError, RefusedError, SilentError, identity
from drivers.cctalk_credits import Credits, Happening, Reading, Verdict
from drivers.cctalk_frames import (
    MODIFY_MASK,
    MODIFY_MASTER,
    READ_CREDITS,
    REQUEST_MASK,
    REQUEST_MASTER,
    SELF_CHECK,
    SIMPLE_POLL,
)
from drivers.cctalk_settings import AcceptorSettings
from drivers.driver import Bookmark, Counters, HandUp
from drivers.events import Cleared, Dropped, Event, Faulted, Known, Lost, Online, Rejected

COIN_ACCEPTOR = "Coin Acceptor"  # how the equipment category of one begins

# A lost acceptor is asked so often. The others wait for its silence each time.
LOST_RETRY = 1.0
# With 5% of bytes lost or changed a reading comes through one time in three, and set-up has some ten questions.
SET_UP_TRIES = 12
# A coin is read twice within a turn if it can be; if not, the turn of the others comes first.
CONFIRM_TRIES = 4
TELL_TRIES = 3  # of each half of "do this" and "what do you do?" in a turn
# Turns an acceptor may take to do as it is told. Noise of 5% fails one in five: ten in a row are no noise.
MOST_DISOBEYED = 10
FINAL_TRIES = 50  # turns a last call may take with an acceptor that answers, and never twice alike
VERIFY_SECONDS = 1.0  # between questions whether it still is as it was told to be
# "Wait at least 2 s after reset before self-check"; one that was just found may just have been switched on.
SELF_CHECK_AFTER = 2.0
SELF_CHECK_EVERY = 60.0  # and after the first one only while the slot is shut: it may disturb a coin on its way
FAULTY_CHECK_EVERY = 5.0  # so that a coin taken out of the way soon is a slot in service again

# What is wrong with it, each by itself: a fault is over when none is left.
_CATEGORY, _CREDITS, _OBEDIENCE, _SELF_CHECK = "category", "credits", "obedience", "self-check"


class DropSlot:
    """An acceptor and all that is known of it. What it counted is remembered while it is lost."""

    def __init__(
        self, settings: AcceptorSettings, hand_up: HandUp, bookmark: Bookmark | None, stale_seconds: float
    ) -> None:
        self.settings = settings
        self.counters = Counters()
        self.online = self.lost = False  # neither: not asked yet, or not for long enough
        self.next_at = 0.0  # a lost one is asked again
        self._hand_up = hand_up
        self._stale_seconds = stale_seconds
        self._credits = Credits(bookmark)
        self._identity: Identity | None = None
        self._unit = bookmark.unit if bookmark else ""  # the serial number it has had, where that is known
        self._faults: dict[str, str] = {}
        self._master: bool | None = None  # whether it takes coins, where that was read back
        # Whether its inhibit mask was set. It forgets it in a reset, also in one that was not seen. Where a coin was
        # taken before this program began, it was set then.
        self._mask_set = bookmark is not None
        self._unkept = False  # it is known further than any coin or `Known` has told
        self._disobeyed = 0
        self._failing_since: float | None = None
        self._verify_at = self._self_check_at = 0.0
        self._verify_mask = False
        self._checked = False  # since it was set up

    @property
    def slow(self) -> bool:
        """Whether it is asked only now and then, so that the others need not wait for it."""
        return self.lost or _CATEGORY in self._faults

    def look(self) -> dict[str, str]:
        """Whether it takes coins, what its counter shows, and what is wrong with it."""
        counter = self._credits.counter
        return {
            "slot": {None: "?", True: "open", False: "shut"}[self._master],
            "counter": "?" if counter is None else str(counter),
            "fault": "; ".join(self._faults.values()),
        }

    def rests(self, *, wanted: bool) -> bool:
        """Whether it is as it should be, and its next turn finds nothing new unless something falls into it."""
        as_told = self._master is wanted and self._mask_set and self._checked
        sound = not self._faults and self._failing_since is None  # one that does not answer is soon lost
        return self.online and as_told and sound and not self._unkept and not self._credits.doubtful

    async def turn(self, bus: Bus, *, wanted: bool) -> None:
        """Serve it once. `wanted` says whether it may take coins."""
        began = _now()
        try:
            if self.online:
                await self._serve(bus, wanted=wanted)
            else:
                await self._set_up(bus)
        except NoAnswerError as error:
            await self._failed(began, str(error))

    async def finish(self, bus: Bus) -> None:
        """Shut it, and hand up what fell in before. One that does not answer is lost, and has nothing more to say."""
        for _ in range(FINAL_TRIES):
            if not self.online:
                return
            began = _now()
            try:
                if await self._set_master(bus, wanted=False):
                    await self._take(await self._read(bus, CONFIRM_TRIES))
                    return
            except NoAnswerError as error:
                await self._failed(began, str(error))
        await self.lose("it could not be shut")

    def leave(self) -> None:
        """The conversation with it is over: the next one begins from its set-up."""
        self.online = False
        self._master = self._failing_since = None
        self._faults.clear()

    async def lose(self, reason: str) -> None:
        """It does not answer, or nothing can be asked. Told once."""
        self.leave()
        self.next_at = _now() + LOST_RETRY
        if not self.lost:
            self.lost = True
            await self._hand_up([Lost(device=self.settings.id, reason=reason)])

    async def _failed(self, began: float, why: str) -> None:
        now = _now()
        self.next_at = now + LOST_RETRY
        if self._failing_since is None:
            self._failing_since = began
        if now - self._failing_since >= self._stale_seconds:
            await self.lose(f"{why}, for {self._stale_seconds:g} s")

    async def _ask(self, bus: Bus, header: int, data: bytes = b"", tries: int = 1) -> bytes:
        return await bus.ask(self.settings.address, header, data, counters=self.counters, tries=tries)

    async def _says(self, bus: Bus, request: int, tries: int = 1) -> bytes:
        """What it says it was told. Of its master inhibit only the lowest bit means anything."""
        said = await self._ask(bus, request, tries=tries)
        return bytes((said[0] & 1,)) if request == REQUEST_MASTER else said

    async def _set_up(self, bus: Bus) -> None:
        """Find out what it is, shut it, and hold its counter against what is known. Its coins are set in its turns."""
        await self._ask(bus, SIMPLE_POLL)
        found = await identity(bus, self.settings.address, self.counters, SET_UP_TRIES)
        known, right = self._identity, found.category.startswith(COIN_ACCEPTOR)
        if not right or (self._unit and found.serial != self._unit):
            # A name that the noise changed does not come so twice.
            if found != await identity(bus, self.settings.address, self.counters, SET_UP_TRIES):
                raise SilentError("it does not say twice alike what it is")
            if not right:
                await self._refuse(found)
                return
            self._credits.broken(f"another acceptor is in its place: {found.told()}")
            self._mask_set = False  # nobody has told this one
        self._identity, self._unit = found, found.serial
        await self._hold_mask(bus, SET_UP_TRIES)
        if not await self._set_master(bus, wanted=False):
            raise SilentError("it could not be shut")
        verdict = await self._read(bus, SET_UP_TRIES, SET_UP_TRIES)
        # From here it is online.
        self.counters.reconnects += known is not None
        self.online, self.lost = True, False
        self._verify_at = _now() + VERIFY_SECONDS
        self._checked, self._self_check_at = False, _now() + SELF_CHECK_AFTER
        await self._take(verdict, first=[Online(device=self.settings.id, detail=found.told())])
        await self._clear(_CATEGORY)

    async def _refuse(self, found: Identity) -> None:
        """It answers, and is nothing that could take coins."""
        self.lost = False
        self.next_at = _now() + LOST_RETRY
        self._failing_since = None
        await self._fault(_CATEGORY, f"it is no {COIN_ACCEPTOR}: {found.told() or 'it does not say what it is'}")

    async def _serve(self, bus: Bus, *, wanted: bool) -> None:
        await self._take(await self._read(bus, CONFIRM_TRIES))
        if not self._mask_set:
            self._mask_set = await self._set_master(bus, wanted=False) and await self._set_mask(bus)
        if self._mask_set:
            await self._keep()
        await self._set_master(bus, wanted=wanted and self._mask_set and _SELF_CHECK not in self._faults)
        if self._mask_set:
            await self._clear(_CREDITS)
        now = _now()
        if now >= self._verify_at:
            self._verify_at = now + VERIFY_SECONDS
            await self._verify(bus)
        if now >= self._self_check_at and not (self._master and self._checked):
            await self._check(bus)

    async def _read(self, bus: Bus, readings: int, tries: int = 1) -> Verdict | None:
        """What its counter says, once that is certain; nothing where it says nothing new."""
        for _ in range(readings):
            verdict = self._credits.read(Reading.of(await self._ask(bus, READ_CREDITS, tries=tries)))
            if verdict is not None or not self._credits.doubtful:
                self._failing_since = None
                return verdict
        raise SilentError("no reading of it comes twice alike")

    async def _take(self, verdict: Verdict | None, first: Sequence[Event] = ()) -> None:
        """Hand up what a verdict says. Only then is it known: a hand-up that was cancelled happens again."""
        events = [*first, *map(self._event, verdict.events if verdict else ())]
        if events:
            await self._hand_up(events)
        if verdict is None:
            return
        if verdict.fault:
            await self._fault(_CREDITS, verdict.fault)
            # Whatever happened to it, it may have forgotten all it was told.
            self._mask_set, self._master = False, None
            self._checked, self._self_check_at = False, _now() + SELF_CHECK_AFTER
        # Also after a coin it refused: two hundred of those, kept nowhere, and its counter could come round unnoticed.
        self._unkept |= bool(verdict.fault) or not self._credits.begun or not verdict.ends_with_a_coin
        self._credits.take(verdict)

    async def _keep(self) -> None:
        """Tell how far it is known, where no coin has told it, before it takes the next one."""
        counter = self._credits.counter
        if self._unkept and counter is not None:
            known = Known(device=self.settings.id, ordinal=self._credits.ordinal, counter=counter, unit=self._unit)
            await self._hand_up([known])
            self._unkept = False

    def _event(self, happening: Happening) -> Event:
        ordinal, counter, coin, code = happening
        place = self.settings.place._asdict()
        told: dict[str, Any] = {"device": self.settings.id, "ordinal": ordinal, "counter": counter, "unit": self._unit}
        return Dropped(**told, **place, coin=coin) if coin else Rejected(**told, **place, code=code)

    async def _set_master(self, bus: Bus, *, wanted: bool) -> bool:
        """Let coins in, or keep them out. Whether it says that it does."""
        if self._master is not wanted:
            self._master = None
            if await self._tell(bus, MODIFY_MASTER, REQUEST_MASTER, bytes((wanted,))):
                self._master = wanted
        return self._master is wanted

    async def _set_mask(self, bus: Bus) -> bool:
        return await self._tell(bus, MODIFY_MASK, REQUEST_MASK, self.settings.mask)

    async def _tell(self, bus: Bus, modify: int, request: int, data: bytes) -> bool:
        """Tell it what to do, and ask whether it does. One that never does has a fault."""
        said, failure = b"", None
        try:
            await self._ask(bus, modify, data, TELL_TRIES)
            said = await self._says(bus, request, TELL_TRIES)
        except NoAnswerError as error:
            failure = error
        if said == data:
            self._disobeyed = 0
            await self._clear(_OBEDIENCE)
            return True
        self._disobeyed += 1
        if self._disobeyed >= MOST_DISOBEYED:
            what = f"request {modify} with {data.hex()} leaves it at {said.hex() or 'nothing'}"
            await self._fault(_OBEDIENCE, what)
        if failure is not None and not isinstance(failure, RefusedError):
            raise failure
        return False

    async def _verify(self, bus: Bus) -> None:
        """Ask whether it is as it was told to be: in turn its master inhibit and its mask."""
        self._verify_mask = not self._verify_mask
        if self._verify_mask:
            await self._hold_mask(bus, 1)
        elif self._master is not None and await self._says(bus, REQUEST_MASTER) != bytes((self._master,)):
            self._master = None  # it is told again in its next turn

    async def _hold_mask(self, bus: Bus, tries: int) -> None:
        """Hold its mask against what it was told. Another one means that it was reset, even if nobody saw it."""
        mask = await self._ask(bus, REQUEST_MASK, tries=tries)
        if mask == self.settings.mask:
            self._mask_set = True
        elif self._mask_set and mask == await self._ask(bus, REQUEST_MASK, tries=tries):
            self._credits.broken(
                f"its inhibit mask is {mask.hex()} and was {self.settings.mask.hex()}: it was reset unseen, "
                "and credits before that may be lost; or its coins were configured anew"
            )
            self._mask_set = False

    async def _check(self, bus: Bus) -> None:
        """Let it check itself. One that does not say is left as it was: not every acceptor knows how."""
        code = again = b""
        with suppress(NoAnswerError):
            code = await self._ask(bus, SELF_CHECK, tries=TELL_TRIES)
            again = await self._ask(bus, SELF_CHECK, tries=TELL_TRIES) if code[0] else code
        if code != again:
            return  # asked again in its next turn
        if code and code[0]:
            part = f" in part {code[1]}" if code[1:] else ""
            await self._fault(_SELF_CHECK, f"its self-check reports fault {code[0]}{part}")
        elif code:
            await self._clear(_SELF_CHECK)
        self._checked = True
        faulty = _SELF_CHECK in self._faults
        self._self_check_at = _now() + (FAULTY_CHECK_EVERY if faulty else SELF_CHECK_EVERY)

    async def _fault(self, kind: str, reason: str) -> None:
        if self._faults.get(kind) != reason:
            await self._hand_up([Faulted(device=self.settings.id, reason=reason)])
            self._faults[kind] = reason

    async def _clear(self, kind: str) -> None:
        if kind in self._faults and len(self._faults) == 1:
            await self._hand_up([Cleared(device=self.settings.id)])
        self._faults.pop(kind, None)


def _now() -> float:
    """As the line has it, on which it is asked."""
    return asyncio.get_running_loop().time()
