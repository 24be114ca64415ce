"""The controller's clock as it was truly set, held against the times of facts, gaming days and their readings."""

from bisect import bisect_right
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from controller.simulation.auditor.facts import Fact
from controller.simulation.auditor.law import Law
from controller.simulation.auditor.table import TableBooks

Finding = tuple[str, str]
SECOND = 1_000_000
AHEAD, BEHIND = SECOND, 600 * SECOND  # of the commit: what nobody saw become durable is known from the next one only
SOON = timedelta(minutes=1)  # after its end a day has been read
UNITS = 10**8
_AT_PLAY = {"table-opened", "locked-out", "reopened"}


class Clock:
    """When it was what by the controller's clock."""

    def __init__(self) -> None:
        self._steps: list[tuple[int, int]] = []  # true time, and wall time less that from there on

    def begin(self, wall: int) -> None:
        """How it was set at first."""
        self._steps = [(0, wall)]

    def step(self, at: int, by: int) -> None:
        """It was set."""
        self._steps.append((at, self._steps[-1][1] + by))

    def wrong(self, fact: Fact, at: int | None) -> list[Finding]:
        """Whether a fact that became durable then has another time than the clock."""
        if at is None or not self._steps:
            return []
        place = bisect_right(self._steps, (at, 2**62))
        since, off = self._steps[place - 1]
        if place > 1 and at - since <= BEHIND:
            return []
        told = (datetime.fromisoformat(fact.at) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
        if -AHEAD <= at + off - told <= BEHIND:
            return []
        return [("time", f"{fact.type} has the time {fact.at}, {(at + off - told) / SECOND:.0f} s before the clock")]


def day_of(at: datetime, law: Law) -> str:
    """The gaming day of a time."""
    local = at.astimezone(ZoneInfo(law.timezone))
    early = local.time() < time.fromisoformat(law.day_start)
    return (local.date() - timedelta(days=early)).isoformat()


def day_wrong(fact: Fact, books: TableBooks) -> list[Finding]:
    """The day a fact begins, ends or is of; `books` are those before it."""
    at = datetime.fromisoformat(fact.at)
    if fact.type == "readings-taken":
        wrong = _readings(fact.payload["readings"], books)
        if fact.payload["ended"] != books.day:
            wrong.append(f"{fact.payload['ended']} ends, it was {books.day}")
        if fact.payload["day"] != day_of(at, books.filed):
            wrong.append(f"{fact.payload['day']} begins at {fact.at}, which is of {day_of(at, books.filed)}")
        return [("reading", why) for why in wrong]
    if fact.type in _AT_PLAY and books.day and min(day_of(at - SOON, books.filed), day_of(at, books.filed)) > books.day:
        return [("reading", f"{fact.type} at {fact.at}: the day {books.day} is over, and was not read")]
    return []


def _readings(readings: list[dict[str, Any]], books: TableBooks) -> list[str]:
    told = {each["meter"]: each for each in readings}
    wrong = [f"{id_} is not read" for id_ in books.meters if id_ not in told]
    for id_, meter in books.meters.items():
        money = {name: books.balance(f"{kind}:{id_}") for name, kind in _KEPT.items()}
        cents = {"in_cents": meter.taken_in, "wins_cents": meter.wins, "paid_cents": meter.paid}
        ours = {name: int(amount * UNITS) for name, amount in money.items()}
        ours |= {name: int(amount * 100) for name, amount in cents.items()}
        ours |= {"hits": meter.hits} | ({"cycle": meter.cycle} if meter.kind == "mystery" else {})
        theirs = told.get(id_, {})
        wrong += [
            f"{id_} {name} is read as {theirs[name]}, it is {each}"
            for name, each in ours.items()
            if name in theirs and theirs[name] != each
        ]
    return wrong


_KEPT = {"units": "meter", "reserve": "reserve", "carry": "carry"}
