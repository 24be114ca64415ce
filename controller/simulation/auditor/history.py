"""What the second set of books shows after each fact: amounts, hits, lamps, the phase. Displays are held against it."""

from bisect import bisect_right
from typing import Any, Generic, NamedTuple, TypeVar

from controller.simulation.auditor.entries import DEALT, LOCKED, OPEN, SETTLED, Award, Spot
from controller.simulation.auditor.law import whole_cents
from controller.simulation.auditor.table import TableBooks

T = TypeVar("T")


class Steps(Generic[T]):
    """Something that changes at facts, and stays between them."""

    def __init__(self) -> None:
        self._seqs: list[int] = []
        self._values: list[T] = []

    def note(self, seq: int, value: T) -> None:
        """It is so from this fact on."""
        if not self._values or self._values[-1] != value:
            self._seqs.append(seq)
            self._values.append(value)

    def at(self, seq: int) -> T | None:
        """How it is after a fact."""
        place = bisect_right(self._seqs, seq)
        return self._values[place - 1] if place else None

    def between(self, first: int, last: int) -> list[T]:
        """How it was at any time from one fact to another."""
        start = max(0, bisect_right(self._seqs, first) - 1)
        return self._values[start : bisect_right(self._seqs, last)]


class MeterShown(NamedTuple):
    """A meter on display; of one that is no mystery, no limits."""

    cents: int
    cycle: int
    must_hit_by: int
    minimum: int


class AwardShown(NamedTuple):
    """An award that waits."""

    cents: int
    position: int
    wager: str
    kind: str
    round: int
    needs_second: bool


class History:
    """Everything a display may show, by the number of the fact after which it is so."""

    def __init__(self) -> None:
        self.last = 0
        self.meters: dict[str, Steps[MeterShown]] = {}
        self.hits: dict[str, Steps[tuple[tuple[str, int, int], ...]]] = {}  # award, position, cents
        self.awards: Steps[dict[str, AwardShown]] = Steps()  # pending
        self.cards: Steps[tuple[tuple[str, ...], tuple[str, ...]]] = Steps()  # of the round in play
        self.owed: Steps[tuple[int, int]] = Steps()  # coins to give back, and their cents
        self.lamps: Steps[dict[Spot, str]] = Steps()
        self.play: Steps[tuple[str, int]] = Steps()  # the phase shown, and the round
        self.falls: dict[tuple[str, int], bool] = {}  # a meter that shows less after a fact; whether by a hit

    def note(self, seq: int, books: TableBooks) -> None:
        """The books stand so after a fact."""
        self.last = seq
        pending = books.pending()
        self.awards.note(seq, {award.theirs: _award(books, award) for award in pending})
        for id_, meter in books.meters.items():
            steps = self.meters.setdefault(id_, Steps())
            before, now = steps.at(seq), int(whole_cents(books.balance(f"meter:{id_}")) * 100)
            if before is not None and now < before.cents:
                self.falls[id_, seq] = meter.cycle != before.cycle
            limits = (meter.numbers.maximum, meter.numbers.reset) if meter.numbers.maximum else (0, 0)
            steps.note(seq, MeterShown(now, meter.cycle, *(int(each * 100) for each in limits)))
            mine = tuple((a.theirs, a.position, int(a.amount * 100)) for a in pending if a.meter == id_)
            self.hits.setdefault(id_, Steps()).note(seq, tuple(sorted(mine)))
        if books.law is not None:
            self.lamps.note(seq, lamps(books, pending))
        round_ = books.rounds.get(books.round) if books.phase in {LOCKED, DEALT, SETTLED} else None
        self.cards.note(seq, (round_.player, round_.banker) if round_ else ((), ()))
        owed = books.to_return
        self.owed.note(seq, (owed.total(), sum(each[2] * count for each, count in owed.items())))
        self.play.note(seq, ("faulted" if books.faulted else books.phase, books.round))


def _award(books: TableBooks, award: Award) -> AwardShown:
    cents_ = int(award.amount * 100)
    return AwardShown(cents_, award.position, award.id, award.kind, award.round, books.takes_two(award))


def lamps(books: TableBooks, pending: list[Award]) -> dict[Spot, str]:
    """Every lamp of the table."""
    winners: dict[Spot, int] = {}
    for award in pending:
        winners[award.spot] = max(award.round, winners.get(award.spot, 0))
    spots = [(seat, wager) for seat in range(1, books.filed.positions + 1) for wager in books.filed.offers]
    return {spot: _lamp(books, spot, winners) for spot in spots}


def _lamp(books: TableBooks, spot: Spot, winners: dict[Spot, int]) -> str:
    position, wager = spot
    lost = [part for part in books.parts.values() if part.lost]
    if books.faulted or any(position in part.positions or wager in part.wagers for part in lost):
        # Out of service is said first: nobody expects a wager there.
        return "fault" if books.faulted or position not in books.out_of_service else _idle(books, spot, winners)
    return _idle(books, spot, winners)


def _idle(books: TableBooks, spot: Spot, winners: dict[Spot, int]) -> str:
    sensor = books.sensors.get(spot)
    present = sensor is not None and sensor.present
    if books.phase == OPEN:
        if spot in books.standing:
            return "placed"
        rest = "off" if spot[0] in books.out_of_service else "invite"
        return "refused" if present else "won" if spot in winners else rest
    if books.phase in {LOCKED, DEALT, SETTLED} and _is_in(books, spot):
        return "won" if winners.get(spot) == books.round else "accepted"
    return "refused" if present else "won" if spot in winners else "off"


def _is_in(books: TableBooks, spot: Spot) -> bool:
    round_ = books.rounds.get(books.round)
    return round_ is not None and any((w.position, w.wager) == spot and not w.out for w in round_.wagers)


def cents(told: Any) -> int:  # noqa: ANN401 -- whatever stood in a message
    """A whole number of cents, or a value that no amount equals."""
    return told if isinstance(told, int) and not isinstance(told, bool) else -1
