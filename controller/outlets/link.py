"""The way to a link: what the table intends is asked until it is answered, and how the shared meters stand is seen.

A lock-out stands on the table's own journal. What the link makes of it comes back as an input like any other. While
there is no link, its wagers are not taken, and everything else plays on.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from random import Random
from typing import Protocol

from controller.core.decision import MOST_TEXT
from controller.core.inputs import DeviceLost, DeviceRestored, Input
from controller.core.state import Intent, LinkHead, State, head_key
from controller.core.times import stamp
from controller.engine import Answer, Clock
from controller.link.filings import filings
from controller.link.sessions import Filing, Identity, LinkLostError, LinkRefusedError, Session, Shown

KIND = "link"
# Between two looks at the meters: what other tables add is shown within half a second. With the time a session has to
# answer it stays below two seconds, after which a link that is gone takes no more wagers.
LOOK_SECONDS = 0.4
# After a link was lost, and up to twice that: it is back within seconds of the database, and the tables that lost it
# together do not come back together.
RETRY_SECONDS = 0.5
# After it refused this table, which a person has to see to; and an identity that has just ended is free by then.
REFUSED_SECONDS = 3.0
# Between two commits of a table that asks nothing: a server may be read whose commits wait for a standby that is gone.
PROVE_SECONDS = 5.0

_APART = Random()  # noqa: S311 -- nobody gains by guessing it

Meeting = Callable[[Identity], AbstractAsyncContextManager[Session]]


class Source(Protocol):
    """The engine, as far as a link knows it."""

    state: State

    async def submit(self, input_: Input) -> Answer:
        """Take an input; return when it is durable and answered."""


def device(link: str) -> str:
    """The name of a link among the parts a table depends on."""
    return f"{KIND}:{link}"


def forgotten(state: State, link: str, at: str) -> list[Input]:
    """Links that are lost and no longer configured: they must not keep wagers out that are the table's own by now."""
    return [
        DeviceRestored(at=at, device=name, device_kind=KIND, detail="no longer there")
        for name, part in state.devices.items()
        if part.kind == KIND and part.lost and name != device(link)
    ]


class LinkClient:
    """One table's end of its link."""

    def __init__(  # noqa: PLR0913 -- all it stands between
        self,
        link: str,
        meet: Meeting,
        engine: Source,
        clock: Clock,
        instance: str,
        *,
        spread: Callable[[], float] = _APART.random,
        changed: Callable[[], None] = lambda: None,
        told: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.link = link
        self._meet = meet
        self._engine = engine
        self._clock = clock
        self._instance = instance
        self._spread = spread  # from 0 to 1
        self._changed = changed  # something to show has changed
        self._told = told  # why there is no link, or nothing when there is
        self._shown: dict[str, Shown] = {}
        self._coming: dict[str, Shown] = {}  # after an intent whose answer is not in the journal yet
        self._wake = asyncio.Event()
        self._heard = asyncio.Event()
        self._seen: dict[str, LinkHead] = {}  # the newest line of each meter that was seen: no way back from it
        self._away = True  # no linked wager was filed when it was last looked
        self.reason = "not reached yet"
        self.meetings, self.answered, self.losses = 0, 0, 0  # counted since the start
        self.last_seen = ""

    # -- what is shown --

    def shown(self, state: State) -> Mapping[str, Shown]:
        """The meters as they stand, not ahead of what the journal was answered: a hit and its fall come together."""
        heads = self._heads(state)
        return self._shown | {
            id_: each for id_, each in self._coming.items() if id_ in heads and heads[id_].seq >= each.seq
        }

    def wake(self) -> None:
        """There is something to ask."""
        self._wake.set()

    # -- its life --

    async def begin(self) -> None:
        """Before the table is played: rely on nothing that was true before."""
        self._away = not self._filings()
        await self._submit_lost("not reached yet")

    async def heard(self, seconds: float) -> None:
        """Wait until the link was first met, for so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._heard.wait()

    async def run(self) -> None:
        """Keep a session, for ever."""
        while True:
            pause = RETRY_SECONDS
            try:
                await self._converse()
            except LinkLostError as error:
                self.losses += 1
                await self._submit_lost(str(error))
                if isinstance(error, LinkRefusedError):
                    pause = REFUSED_SECONDS
            await self._clock.sleep(pause * (1 + self._spread()))

    async def _converse(self) -> None:
        """One session: ask what waits, see how the meters stand, and only then take wagers."""
        filed = self._filings()
        if not filed:  # the wager is not in the submission: not yet, or no longer
            self._away = True
            return
        if self._away:
            await self.begin()
        async with self._meet(self._identity(filed)) as session:
            self.meetings += 1
            proven = self._clock.now()
            while self._filings() == filed:
                self._wake.clear()
                if await self._ask(session):
                    proven = self._clock.now()
                if not 0 <= self._clock.now() - proven < PROVE_SECONDS * 1_000_000:
                    await session.prove()
                    proven = self._clock.now()
                await session.look()
                self._see(session)
                await self._submit_restored()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await self._wake.wait()

    async def _ask(self, session: Session) -> int:
        """Everything intended, in the order it was journaled. What became of it is never guessed, only asked again."""
        before = self.answered
        while intent := self._next():
            answer = await session.apply(intent, self._now())
            self._coming = dict(session.shown)
            taken = await self._engine.submit(answer)
            if not taken.ok:
                raise LinkRefusedError(f"its answer to {intent.id} was refused: {taken.why}")
            self.answered += 1
            self._see(session)
        return self.answered - before

    def _next(self) -> Intent | None:
        return next((each for each in self._engine.state.intents.values() if each.link == self.link), None)

    def _see(self, session: Session) -> None:
        for id_, each in session.shown.items():
            if id_ in self._seen and each.seq < self._seen[id_].seq:
                raise LinkRefusedError(
                    f"{id_}: the ledger ends at line {each.seq}, and line {self._seen[id_].seq} was seen: the database "
                    "was set back, or it is an old server; end that one, or restore the newest copy"
                )
            if each.hash and each.seq:
                self._seen[id_] = LinkHead(each.seq, each.hash)
        self.last_seen = self._now()
        self._coming = {}
        if self._shown != session.shown:
            self._shown = dict(session.shown)
            self._changed()

    # -- what the table is told of it --

    async def _submit_lost(self, why: str) -> None:
        self.reason = why
        wagers = tuple(sorted({filing.wager.partition("/")[0] for filing in self._filings().values()}))
        detail = why[:MOST_TEXT]
        lost = DeviceLost(at=self._now(), device=device(self.link), device_kind=KIND, wagers=wagers, detail=detail)
        if wagers:
            self._told(why)
            await self._engine.submit(lost)

    async def _submit_restored(self) -> None:
        known = self._engine.state.devices.get(device(self.link))
        if known is None or known.lost:
            self.reason = ""
            await self._engine.submit(DeviceRestored(at=self._now(), device=device(self.link), device_kind=KIND))
            self._told("")
        self._heard.set()

    # -- who asks --

    def _identity(self, filed: Mapping[str, Filing]) -> Identity:
        state = self._engine.state
        site, name = (state.filed.site, state.filed.name) if state.filed else ("", "")
        # Own lines are told from others' by the journal's own heads; what was seen only tells how far the ledger was.
        return Identity(site, name, self._instance, filed, self._heads(state), state.asked(), dict(self._seen))

    def _heads(self, state: State) -> dict[str, LinkHead]:
        """How far the journal knows the ledger of each meter of this link."""
        prefix = head_key(self.link, "")
        return {key.removeprefix(prefix): head for key, head in state.link_heads.items() if key.startswith(prefix)}

    def _filings(self) -> dict[str, Filing]:
        """The linked meters as this table files them."""
        filed = self._engine.state.filed
        return filings(filed, self.link) if filed else {}

    def _now(self) -> str:
        return stamp(self._clock.now())
