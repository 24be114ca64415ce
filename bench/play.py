"""A table that is played: the inputs of whole rounds, as sensors, shoe, button and console would send them."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from controller.core.effects import Effect
from controller.core.inputs import (
    AwardValidated,
    Button,
    FourCards,
    HandComplete,
    Input,
    Person,
    SubmissionChanged,
    TableOpened,
    WagerAbsent,
    WagerPresent,
)
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Answer, Engine
from controller.journal.journal import Journal
from controller.rules.cards import CARDS
from controller.rules.drawing import deal
from controller.vault import Vault

SUBMISSION = Path(__file__).parent.parent / "config/minibaccarat-royal9-5.toml"
POSITIONS = 9
WAGERS = {"royal9": 0.75, "harmony": 0.35}  # how often a seat makes each: about ten wagers a round
LIFTED = 0.05  # how often a chip is lifted and laid down again before the lock-out
NEVER = 10**12  # facts between snapshots where none is wanted

_SHOE = list(CARDS.values()) * 8
_BEGIN = int(datetime(2026, 11, 16, 11, 0, tzinfo=UTC).timestamp()) * 1_000_000  # a gaming day begins
_DAY = 24 * 3600 * 1_000_000
_BETTING, _DEALING = 20_000_000, 8_000_000  # microseconds: a hundred rounds an hour, a busy table
_DEALER = Person("d1", "dealer")
_FLOOR, _SECOND = Person("f1", "floorperson"), Person("f2", "floorperson")


class Play:
    """Makes the inputs of one round after another. It is the engine's clock too; the same seed plays the same."""

    def __init__(self, seed: int = 9) -> None:
        self.rounds = 0
        self._time = _BEGIN
        self._random = random.Random(seed)
        self._due: list[str] = []  # awards to be validated
        self._keys = 0

    def now(self) -> int:
        """Microseconds since 1970."""
        return self._time

    @property
    def days(self) -> float:
        """Gaming days played."""
        return (self._time - _BEGIN) / _DAY

    async def sleep(self, seconds: float) -> None:
        """Nothing here waits."""

    def opening(self) -> list[Input]:
        """A table is installed and opened."""
        return [
            SubmissionChanged(
                at=self._at(), key=self._key(), toml=SUBMISSION.read_text(), day="2026-11-16", reason="installed"
            ),
            *(
                WagerAbsent(at=self._at(), position=position, wager=wager)
                for position in range(1, POSITIONS + 1)
                for wager in WAGERS
            ),
            TableOpened(at=self._at(), key=self._key(), by=_DEALER),
        ]

    def round(self) -> list[Input]:
        """Chips laid down, lock-out, the cards, chips taken, the next round; and what was won before is validated."""
        self.rounds += 1
        made = [
            (position, wager)
            for position in range(1, POSITIONS + 1)
            for wager, often in WAGERS.items()
            if self._random.random() < often
        ]
        self._random.shuffle(made)
        inputs = [self._validated(award) for award in self._due]
        self._due.clear()
        for position, wager in made:
            inputs.append(self._present(position, wager))
            if self._random.random() < LIFTED:
                inputs += [self._absent(position, wager), self._present(position, wager)]
        self._time += _BETTING
        inputs.append(Button(at=self._at()))
        self._time += _DEALING
        inputs += self._cards()
        inputs += [self._absent(*each) for each in made]
        self._time += _DEALING
        inputs.append(Button(at=self._at()))
        return inputs

    def next_day(self) -> None:
        """The same time, a day later: the engine takes the readings first."""
        self._time += _DAY

    def heed(self, answers: Sequence[Answer]) -> None:
        """Take note of awards to be validated; complain of an input that was refused."""
        for answer in answers:
            if not answer.ok:
                raise RuntimeError(f"refused: {answer}")
            if answer.fact is not None:
                self._due += [award.id for award in answer.fact.awards if award.validate]

    def _cards(self) -> list[Input]:
        dealt = deal(tuple(self._random.sample(_SHOE, 6)))
        player, banker = tuple(map(str, dealt.player)), tuple(map(str, dealt.banker))
        four = FourCards(at=self._at(), player=player[:2], banker=banker[:2])
        if len(player) + len(banker) == len(four.player) + len(four.banker):
            return [four]
        return [four, HandComplete(at=self._at(), player=player, banker=banker)]

    def _validated(self, award: str) -> Input:
        return AwardValidated(
            at=self._at(),
            key=self._key(),
            by=_FLOOR,
            second=_SECOND,
            award=award,
            method="slip",
            base_wager=True,
        )

    def _present(self, position: int, wager: str) -> Input:
        return WagerPresent(at=self._at(), position=position, wager=wager)

    def _absent(self, position: int, wager: str) -> Input:
        return WagerAbsent(at=self._at(), position=position, wager=wager)

    def _at(self) -> str:
        self._time += 1000
        return stamp(self._time)

    def _key(self) -> str:
        self._keys += 1
        return f"console-{self._keys}"


class Frozen:
    """A clock that stands, for inputs that were made before: no gaming day ends while they are measured."""

    def __init__(self, now: int) -> None:
        self._now = now

    def now(self) -> int:
        """The time at which it stands."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Nothing here waits."""


class NoLines:
    """Effects go nowhere."""

    def release(self, effects: Sequence[Effect], state: State) -> None:
        """Nothing."""

    def faulted(self, why: str) -> None:
        """A fault is the end of a benchmark."""
        raise RuntimeError(why)


def vault(seed: int) -> Vault:
    """A real vault whose draws can be had a second time: what was played once can be played again, fact for fact."""
    source = random.Random(seed)
    return Vault({"bench": bytes(range(32))}, "bench", randbelow=source.randrange, token_bytes=source.randbytes)


def engine(
    state: State, journal: Journal, chance: Vault, clock: Play | Frozen, *, snapshot_every: int = NEVER
) -> Engine:
    """An engine with nothing behind it."""
    return Engine(state, journal, chance, clock, NoLines(), snapshot_every=snapshot_every)
