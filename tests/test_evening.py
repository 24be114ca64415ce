"""A whole evening at one table on virtual time, without threads: the same seed leaves the same trace."""

import asyncio
import random
from hashlib import sha256

import pytest

from controller.core import inputs
from controller.core.invariants import check
from controller.core.times import stamp
from controller.engine import Engine
from controller.journal.journal import Journal
from controller.journal.memory import MemoryJournal
from controller.journal.starting import load
from controller.rules.cards import CARDS
from controller.rules.drawing import deal
from controller.vault import Vault
from tests import virtual_time
from tests.core.play import BEGIN, DEALER, FLOOR, FLOOR2, MINI
from tests.test_engine import Lines
from tests.virtual_time import VirtualClock

MIDNIGHT = BEGIN + 14 * 3600 * 1_000_000  # in New York, six hours before the gaming day ends
SHOE = list(CARDS.values()) * 8
PLACES = [(seat, wager) for seat in range(1, 10) for wager in ("royal9", "harmony")]


class Evening:
    """Players, a dealer with a shoe, and floor staff, all from one seed."""

    def __init__(self, seed: int, journal: Journal) -> None:
        self.rng = random.Random(seed)
        self.lines, self.clock, self.journal = Lines(journal), VirtualClock(MIDNIGHT), journal
        source = Vault({"t": bytes(range(32))}, "t", randbelow=self.rng.randrange, token_bytes=self.rng.randbytes)
        self.engine = Engine(load(journal), journal, source, self.clock, self.lines, snapshot_every=500)

    def now(self) -> str:
        return stamp(self.clock.now())

    async def play(self, hours: int) -> str:
        """The hash of all that was recorded and released."""
        give = self.engine.submit
        running = asyncio.ensure_future(self.engine.run())
        await give(inputs.SubmissionChanged(at=self.now(), key="file", toml=MINI, day="2026-11-16", reason="installed"))
        await asyncio.gather(*(give(inputs.WagerAbsent(at=self.now(), position=p, wager=w)) for p, w in PLACES))
        await give(inputs.TableOpened(at=self.now(), key="open", by=DEALER))
        people = [asyncio.ensure_future(self.player(*place)) for place in PLACES]
        people += [asyncio.ensure_future(self.dealer()), asyncio.ensure_future(self.floor())]
        await asyncio.sleep(hours * 3600)
        for each in (*people, running):
            each.cancel()
        check(self.engine.state)
        assert load(self.journal) == self.engine.state
        trace = sha256(self.journal.head().hash)
        for effect in self.lines.released:
            trace.update(repr(effect).encode())
        return trace.hexdigest()

    async def player(self, position: int, wager: str) -> None:
        while True:
            await asyncio.sleep(self.rng.uniform(1, 40))
            await self.engine.submit(inputs.WagerPresent(at=self.now(), position=position, wager=wager))
            await asyncio.sleep(self.rng.uniform(5, 40))
            await self.engine.submit(inputs.WagerAbsent(at=self.now(), position=position, wager=wager))

    async def dealer(self) -> None:
        while True:
            await asyncio.sleep(self.rng.uniform(15, 25))
            await self.engine.submit(inputs.Button(at=self.now()))
            luck = self.rng.random()
            if luck < 0.9:
                dealt = deal(tuple(self.rng.sample(SHOE, 6)))
                player, banker = tuple(map(str, dealt.player)), tuple(map(str, dealt.banker))
                await self.engine.submit(inputs.HandComplete(at=self.now(), player=player, banker=banker))
            elif luck < 0.93:
                key, number = f"void-{self.engine.state.seq}", self.engine.state.round
                void = inputs.RoundVoided(at=self.now(), key=key, by=FLOOR, round=number, reason="misdeal")
                await self.engine.submit(void)
                continue
            await asyncio.sleep(self.rng.uniform(5, 10))
            await self.engine.submit(inputs.Button(at=self.now()))

    async def floor(self) -> None:
        while True:
            await asyncio.sleep(60)
            for award in list(self.engine.state.awards):
                validation = inputs.AwardValidated(
                    at=self.now(),
                    key=f"v-{award}",
                    by=FLOOR,
                    second=FLOOR2,
                    award=award,
                    method="slip",
                    base_wager=True,
                )
                await self.engine.submit(validation)


async def evening(seed: int, journal: Journal, hours: int) -> str:
    return await Evening(seed, journal).play(hours)


@pytest.mark.slow
def test_an_evening_twice_leaves_the_same_trace() -> None:
    journals = [MemoryJournal(), MemoryJournal()]
    traces = [virtual_time.run(evening(7, journal, hours=8)) for journal in journals]
    assert traces[0] == traces[1]
    state = load(journals[0])
    assert state.round > 500
    assert state.day == "2026-11-17"
    assert state.meters["royal9-mystery"].hits > 0
    assert virtual_time.run(evening(8, MemoryJournal(), hours=1)) != traces[0]
