"""One gaming day: what each meter held at its beginning and its end, and every reason for the difference."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import UNSET

from controller.core.accounts import carry_account, meter_account, reserve_account
from controller.core.facts import Fact, Reading, ReadingsTaken, SubmissionFiled
from controller.core.filed import Filed
from controller.explained import COUNTERS, Account, MeterDay
from controller.journal.audit.reasons import changes
from controller.journal.audit.stored import Stored, one, stored
from controller.journal.reading import JournalReader
from controller.journal.view_parts import DECIDING
from controller.rules.errors import BadInputError


class Day(NamedTuple):
    """A gaming day. `ended` is whether its readings were taken; without, it is the day so far."""

    day: str
    filed: Filed
    ended: bool
    first: int  # facts
    last: int
    begins: str  # times, UTC
    ends: str
    meters: tuple[MeterDay, ...]

    def local(self, at: str) -> datetime:
        """A stored time on the casino's own clock."""
        return datetime.fromisoformat(at).astimezone(ZoneInfo(self.filed.timezone))


class _Bounds(NamedTuple):
    """Where a day begins and ends in the journal, and what was read there."""

    first: Stored
    last: Stored
    opening: dict[str, Reading]
    closing: dict[str, Reading] | None  # None: not ended


def report(journal: JournalReader, day: str) -> Day:
    """What a gaming day brought."""
    bounds = _bounds(journal, day)
    after = bounds.first.seq - (not isinstance(bounds.first.fact, ReadingsTaken))
    told = list(stored(journal, DECIDING, after, bounds.last.seq))
    said = {id_: _Said(reading) for id_, reading in bounds.opening.items()}
    for each in told:
        _hear(said, each.fact)
    closing = bounds.closing if bounds.closing is not None else {id_: now.reading(id_) for id_, now in said.items()}
    meters = [*dict.fromkeys([*bounds.opening, *said, *closing])]
    return Day(
        day=day,
        filed=_filed(journal, bounds.last.seq),
        ended=bounds.closing is not None,
        first=after + 1,
        last=bounds.last.seq,
        begins=bounds.first.at,
        ends=bounds.last.at,
        meters=tuple(_meter(id_, bounds.opening.get(id_), closing.get(id_), told) for id_ in meters),
    )


def days(journal: JournalReader) -> list[str]:
    """Every gaming day the journal knows, the running one last."""
    return list(spans(journal))


def spans(journal: JournalReader) -> dict[str, tuple[Stored, Stored | None]]:
    """The gaming days, each with the fact it began with and the readings that ended it; none ended the running one.

    A clock that was far ahead and is set right begins its day a second time: the day is then from its first beginning
    to its last end, with all that came between.
    """
    found: dict[str, tuple[Stored, Stored | None]] = {}
    day = ""
    for each in stored(journal, ("submission-filed", "readings-taken")):
        if isinstance(each.fact, ReadingsTaken) or (isinstance(each.fact, SubmissionFiled) and not found):
            if found:
                found[day] = (found[day][0], each)
            day = each.fact.day
            first, _ = found.pop(day, (each, None))
            found[day] = (first, None)
    return found


def _bounds(journal: JournalReader, day: str) -> _Bounds:
    known = spans(journal)
    if day not in known:
        told = f"it has {', '.join(known)}" if known else "it has none"
        raise BadInputError(f"{day} is no gaming day of this journal: {told}")
    first, last = known[day]
    before = {each.meter: each for each in first.fact.readings} if isinstance(first.fact, ReadingsTaken) else {}
    if last is not None and isinstance(last.fact, ReadingsTaken):
        return _Bounds(first, last, before, {each.meter: each for each in last.fact.readings})
    newest = one(journal, journal.head().seq)
    return _Bounds(first, newest or first, before, None)


def _filed(journal: JournalReader, upto: int) -> Filed:
    found = [each.fact for each in stored(journal, ("submission-filed",), upto=upto)]
    return next(fact.filed for fact in reversed(found) if isinstance(fact, SubmissionFiled))


class _Said:
    """A meter as the facts last said it is."""

    def __init__(self, reading: Reading | None = None) -> None:
        names = ("units", "reserve", "carry", *COUNTERS, "cycle")
        self.values = {name: getattr(reading, name) if reading else 0 for name in names}

    def reading(self, meter: str) -> Reading:
        return Reading(meter, **self.values)


def _hear(said: dict[str, _Said], fact: Fact) -> None:
    if isinstance(fact, SubmissionFiled):
        for meter in fact.opened:
            said[meter.id] = _Said()
            said[meter.id].values.update({name: getattr(meter, name) for name in said[meter.id].values})
    for after in fact.meters:
        values = said[after.id].values
        values.update({name: value for name in values if (value := getattr(after, name)) is not UNSET})


def _meter(meter: str, opening: Reading | None, closing: Reading | None, told: Sequence[Stored]) -> MeterDay:
    def account(name: str, of: str) -> Account:
        sums: dict[str, int] = {}
        for each in told:
            for why, amount, _ in changes(each.fact, of):
                sums[why] = sums.get(why, 0) + amount
        return Account(_of(opening, name), _of(closing, name), sums)

    return MeterDay(
        meter,
        account("units", meter_account(meter)),
        account("reserve", reserve_account(meter)),
        account("carry", carry_account(meter)),
        {name: (_of(opening, name), _of(closing, name)) for name in COUNTERS},
    )


def _of(reading: Reading | None, name: str) -> int:
    value: int = getattr(reading, name) if reading else 0
    return value
