"""Three gaming days in a house's journal before its controller starts: hits of every kind and fate, mistakes, refusals.

Every fact is decided by the real engine on the house's own journal, with the house's own key, so that the controller
goes on from it.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from controller.core.facts import Fact
from controller.core.inputs import (
    AccessNoted,
    HandCorrected,
    Input,
    LateHand,
    MeterAdjusted,
    RoundVoided,
    SimulatedRound,
    WagerPresent,
    WagerVoided,
)
from controller.core.times import stamp
from controller.engine import Answer, Engine
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.vault import Vault, key_id
from tests.core.play import BEGIN, DEALER, FLOOR, FLOOR2, MINI, SUPERVISOR, SUPERVISOR2
from tests.journal.played import MINOR_AT_1, OTHERS, SIX_KINGS, Played
from tests.people.tables import Lines
from tests.service.house import House

DAYS = 3
ROUNDS = 12  # of a quiet spell
MYSTERY_ABOVE_MINIMUM = 600  # cents, of every value drawn: a hit about every two spells
_SECOND, _DAY = 1_000_000, 24 * 3600 * 1_000_000
_HERE = ZoneInfo("America/New_York")  # as filed


class _Clock:
    """The clock of a table that is played: what it says itself."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.now = now

    async def sleep(self, seconds: float) -> None:
        raise AssertionError(f"nothing waits here, and not for {seconds} s")


class Recorded(Played):
    """A table played on a real engine, whose clock it is; its times are moved so that the last day is yesterday."""

    def __init__(self, journal: SqliteJournal, vault: Vault) -> None:
        self.engine = Engine(load(journal), journal, vault, _Clock(self.now_moved), Lines())
        first = datetime.now(UTC).replace(hour=15, minute=0, second=0, microsecond=0) - timedelta(days=DAYS)
        self.later = int(first.timestamp()) * _SECOND - BEGIN
        super().__init__(MINI, positions=9)

    def now_moved(self) -> int:
        """The time of day there."""
        return self.now + self.later

    def make(self, kind: type[Input], **parts: object) -> Input:
        """An input at the moved time, of the gaming day that is then."""
        if "day" in parts:
            parts["day"] = datetime.fromtimestamp(self.now_moved() // _SECOND, _HERE).date().isoformat()
        return super().make(kind, **{"at": stamp(self.now_moved()), **parts})

    def give(self, input_: Input) -> Answer:  # type: ignore[override]  # the engine's answer
        """Have the engine decide and keep it."""
        (answer,) = self.engine.step([input_])
        self.state = self.engine.state
        return answer

    def do(self, kind: type[Input], **parts: object) -> Fact | None:
        """What must not be refused."""
        answer: Any = self.try_(kind, **parts)
        assert answer.ok, answer
        fact: Fact | None = answer.fact
        return fact

    def spell(self, rounds: int = ROUNDS) -> None:
        """Rounds on which nothing happens but contributions, and the mystery hits they bring, paid at once."""
        for number in range(rounds):
            self.now += 900 * _SECOND  # a quiet table
            self.bets(*(position for position in range(1, 10) if (position + number) % 3 == 0))
            self.bets(2, 5, wager="harmony")
            self.lock()
            self.deal()
            self.next()
            for award in self.pending():
                self.validate(award.id)

    def day_ends(self) -> None:
        """Play goes on the next day, at 15:00 UTC as on the first; the engine takes the readings before that."""
        self.now += _DAY - (self.now - BEGIN) % _DAY


def record(house: House) -> dict[str, Any]:
    """Play it; what a test needs to know of it."""
    key = bytes.fromhex((house.keys / "vault-key").read_text())
    vault = Vault({key_id(key): key}, key_id(key), randbelow=lambda _below: MYSTERY_ABOVE_MINIMUM)
    with SqliteJournal(house.journal) as journal:
        table = Recorded(journal, vault)
        known = {**_first(table), **_second(table), **_third(table)}
        table.engine.stop()
    return {**known, "meters": {id_: meter.display_cents for id_, meter in table.state.meters.items()}}


def _first(table: Recorded) -> dict[str, Any]:
    """A jackpot paid, a late bet, a void, a simulated round."""
    table.spell()
    won = table.play(1, 3, hands=MINOR_AT_1)
    jackpot = table.pending()[0]
    table.validate(jackpot.id)
    table.bets(1, 2)
    void = table.lock()
    table.do(WagerPresent, position=3, wager="royal9")  # late
    table.do(RoundVoided, round=void, reason="misdeal", by=FLOOR)
    table.collect()
    table.do(SimulatedRound, by=DEALER)
    table.do(SimulatedRound, by=DEALER)
    table.spell()
    table.day_ends()
    return {"paid": jackpot, "paid_round": won, "void_round": void}


def _second(table: Recorded) -> dict[str, Any]:
    """A jackpot rejected, one shared, an adjustment, someone who may not."""
    table.spell()
    table.play(1, 2, hands=MINOR_AT_1)
    rejected = table.pending()[0]
    table.play(2)
    table.reject(rejected.id)
    table.bets(1, 2, 3, wager="harmony")
    table.lock()
    table.deal(SIX_KINGS)
    shares = table.pending()
    for share in shares:
        table.validate(share.id)
    table.next()
    table.do(
        MeterAdjusted,
        meter="royal9-mega",
        delta_cents=1000,
        expected_cents=table.state.meters["royal9-mega"].display_cents,
        source="adjustments",
        key="adjusted",
        reason="as the commission wrote",
        by=SUPERVISOR,
        second=SUPERVISOR2,
    )
    table.do(AccessNoted, what="wrong-pin", operator="dora", client="console")
    table.do(
        AccessNoted, what="not-allowed", operator="dora", client="console", command="validate", detail="dora is dealer"
    )
    table.try_(RoundVoided, round=1, reason="too late", by=FLOOR)
    table.spell(4)
    table.day_ends()
    return {"rejected": rejected, "shares": shares}


def _third(table: Recorded) -> dict[str, Any]:
    """A hand entered late, a wager taken out, a hand corrected, a jackpot that waits."""
    table.spell()
    table.bets(1, 2)
    missed = table.lock()
    table.next()
    table.play(2, 3)
    table.do(LateHand, round=missed, player=MINOR_AT_1[0], banker=MINOR_AT_1[1], by=FLOOR)
    late = table.pending()[0]
    table.validate(late.id)
    table.bets(1, 2)
    round_ = table.lock()
    table.do(WagerVoided, round=round_, position=2, wager="royal9", reason="false chip", by=FLOOR, second=FLOOR2)
    table.deal(MINOR_AT_1)
    table.do(HandCorrected, round=round_, player=OTHERS[0], banker=OTHERS[1], by=FLOOR)
    table.next()
    table.spell(6)
    table.play(1, 4, hands=MINOR_AT_1)
    waiting = table.pending()[0]
    return {"late": late, "corrected_round": round_, "waiting": waiting}
