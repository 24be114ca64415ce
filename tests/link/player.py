"""A controller without devices: the real engine on a real journal, the real end of a link, and somebody who plays.

It runs in a test's own loop, or as a process to be killed.
"""

import asyncio
import os
import secrets
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct

from controller import vault
from controller.clock import WallClock
from controller.core import inputs
from controller.core.effects import Ask, Effect
from controller.core.state import Intent, State
from controller.core.times import stamp
from controller.engine import Answer, Engine
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.link import postgres
from controller.link.chances import Sealed
from controller.link.sessions import Identity, Session
from controller.outlets.link import LinkClient, Meeting, device
from controller.vault import Vault
from controller.wire.link import LinkSettings
from tests.core.play import DEALER, FLOOR, FLOOR2, SUPERVISOR, SUPERVISOR2
from tests.core.play import vault as table_vault

NAME = "bank"
# Mystery values are drawn so close above the minimum that one is passed every few rounds.
NEAR_CENTS = 150
JACKPOTS = {
    "harmony": {"player": ("KS", "KH", "KD"), "banker": ("KC", "KS", "KH")},
    "heavenly9": {"player": ("2S", "2S", "5S"), "banker": ("AS", "3S", "5S")},
}
PATIENCE_S = 120  # for a loaded machine


class Setup(Struct, frozen=True, kw_only=True):
    """A table, and what happens at it."""

    journal: str
    table: str
    toml: str
    dsn: str
    meters: tuple[str, ...]
    credentials: str
    seed: str = ""
    rounds: int = 10
    standby: bool = False
    near: int = NEAR_CENTS  # 1: every contribution passes a mystery value
    die_after: int = 0  # killed after so many answers of the link, before the last is in the journal


def near_chances(credentials: Path, near: int = NEAR_CENTS) -> Sealed:
    """The link's key, with values that are soon passed: always after as many wagers."""
    key = bytes.fromhex((credentials / vault.LINK_KEY_FILE).read_text().strip())
    id_ = vault.key_id(key)
    return Sealed(NAME, Vault({id_: key}, id_, randbelow=lambda below: min(below, near) // 2))


def meeting(setup: Setup) -> Meeting:
    """How a player meets the link."""
    settings = LinkSettings(name=NAME, meter=setup.meters, dsn=setup.dsn, standby=setup.standby)  # type: ignore[arg-type]  # names of meters
    chances = near_chances(Path(setup.credentials), setup.near)

    def meet(identity: Identity) -> AbstractAsyncContextManager[Session]:
        return postgres.session(settings, identity, chances)

    return _deadly(meet, setup.die_after) if setup.die_after else meet


def _deadly(meet: Meeting, after: int) -> Meeting:
    """The process ends the moment its link has committed for the n-th time: its own journal knows nothing of it."""
    answers = 0

    class Deadly:
        def __init__(self, session: Session) -> None:
            self._session = session

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- all else is the session's
            return getattr(self._session, name)

        async def apply(self, intent: Intent, at: str) -> inputs.LinkAnswered:
            nonlocal answers
            answer = await self._session.apply(intent, at)
            answers += 1
            if answers == after:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

    @asynccontextmanager
    async def meet_deadly(identity: Identity) -> AsyncIterator[Session]:
        async with meet(identity) as session:
            yield Deadly(session)

    return meet_deadly


class Player:
    """One table, played by chance."""

    def __init__(self, setup: Setup, meet: Meeting | None = None) -> None:
        self.setup = setup
        self._chance = Random(setup.seed or setup.table)
        self._journal = SqliteJournal(setup.journal)
        self._clock = WallClock()
        self._keys = 0
        self.engine = Engine(load(self._journal), self._journal, table_vault(), self._clock, self)
        instance = secrets.token_hex(8)
        self.link = LinkClient(NAME, meet or meeting(setup), self.engine, self._clock, instance)
        self.wager = "harmony" if "harmony" in setup.meters else "heavenly9"

    # -- what the engine asks for --

    def release(self, effects: Sequence[Effect], _state: State) -> None:
        if any(isinstance(effect, Ask) for effect in effects):
            self.link.wake()

    def faulted(self, why: str) -> None:
        print(f"{self.setup.table}: faulted: {why}", flush=True)  # noqa: T201 -- whoever started it reads it

    # -- a life --

    @asynccontextmanager
    async def there(self) -> AsyncIterator["Player"]:
        """The controller, running."""
        running = asyncio.create_task(self.engine.run())
        try:
            await self._prepared()
            await self.link.begin()
            linked = asyncio.create_task(self.link.run())
            try:
                yield self
            finally:
                await _ended(linked)
        finally:
            await _ended(running)
            self._journal.close()

    async def _prepared(self) -> None:
        state = self.engine.state
        if state.filed is None:
            links = dict.fromkeys(self.setup.meters, NAME)
            await self.do(
                inputs.SubmissionChanged, toml=self.setup.toml, day="2026-11-16", reason="installed", links=links
            )
        if self.engine.state.phase.value == "closed":
            await self.do(inputs.TableOpened, by=DEALER)

    async def give(self, kind: type[inputs.Input], **parts: object) -> Answer:
        """Give an input."""
        if "key" in kind.__struct_fields__ and parts.get("source", "console") == "console":
            self._keys += 1
            parts["key"] = f"{self.setup.table}-{self.engine.state.seq}-{self._keys}"
        return await self.engine.submit(kind(**({"at": stamp(self._clock.now())} | parts)))  # type: ignore[arg-type]  # its parts

    async def do(self, kind: type[inputs.Input], **parts: object) -> Answer:
        answer = await self.give(kind, **parts)
        assert answer.ok, (kind, answer)
        return answer

    async def until(self, happened: Callable[[State], bool], seconds: float = PATIENCE_S) -> None:
        """Wait for something in the state."""
        async with asyncio.timeout(seconds):
            while not happened(self.engine.state):
                await asyncio.sleep(0.002)

    def is_linked(self, state: State) -> bool:
        known = state.devices.get(device(NAME))
        return known is not None and not known.lost

    # -- play --

    async def play(self, rounds: int) -> None:
        """Play rounds, and see everything asked answered."""
        for _ in range(rounds):
            await self.round()
        await self.settled()

    async def settled(self) -> None:
        await self.until(lambda state: not state.intents)

    async def round(self) -> None:
        """One round: bets, a lock-out, perhaps cards, perhaps a void, awards settled, and the next round open."""
        await self.until(self.is_linked)
        await self.finish()
        if self._chance.random() < 0.15:
            await self._adjust()
        seats = self._chance.sample(range(1, 8), self._chance.randrange(1, 5))
        await asyncio.gather(*(self.give(inputs.WagerAbsent, position=seat, wager=self.wager) for seat in range(1, 8)))
        await asyncio.gather(*(self.give(inputs.WagerPresent, position=seat, wager=self.wager) for seat in seats))
        await self.give(inputs.Button, reopen_after_ms=0)
        luck = self._chance.random()
        if luck < 0.15:
            await self.give(inputs.HandComplete, **JACKPOTS[self.wager], source="shoe")
        elif luck < 0.25:
            await self.settled()
            await self.give(inputs.RoundVoided, by=FLOOR, round=self.engine.state.round, reason="misdeal")
        await self.finish()

    async def _adjust(self) -> None:
        """Two people put a dollar on the meter, some of what is carried; on a busy floor it is often stale."""
        state = self.engine.state
        source = (
            self._chance.choice(("adjustments", "carry:must-hit-by")) if self.wager == "heavenly9" else "adjustments"
        )
        wanted = {"meter": self.wager, "delta_cents": 100, "expected_cents": state.linked.get(self.wager, 0)}
        who = {"by": SUPERVISOR, "second": SUPERVISOR2, "key": f"{self.setup.table}-adjust-{state.seq}"}
        await self.give(inputs.MeterAdjusted, **who, **wanted, source=source, reason="reading of the day")

    async def finish(self) -> None:
        """Settle what awards there are, and open the next round."""
        state = self.engine.state
        if state.phase.value in ("locked", "dealt", "settled"):
            if self._chance.random() < 0.5 or state.awards:
                await self.settled()
            for award in self.engine.state.pending():
                if self._chance.random() < 0.7:
                    method = "slip" if self.wager == "heavenly9" else "inventory"
                    parts = {"award": award.id, "method": method, "base_wager": True}
                    await self.give(inputs.AwardValidated, by=FLOOR, second=FLOOR2, **parts)
                else:
                    await self.give(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award.id, reason="no wager")
            await self.give(inputs.Button, reopen_after_ms=0)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled() and task.exception():
        raise task.exception()  # type: ignore[misc]  # there is one


async def played(setup: Setup) -> None:
    """A whole evening."""
    async with Player(setup).there() as player:
        await player.play(setup.rounds)
