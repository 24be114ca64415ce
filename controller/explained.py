"""Why money went in or out of a meter, in a few words, and a meter over a gaming day: of a table, and of a link."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from controller.core.accounts import ADJUSTMENTS, LATE, SEED, WAGERS, Move

COUNTERS = ("in_cents", "hits", "wins_cents", "paid_cents")
OPENED = "opening amount"
TAKEN_OUT, VOIDED = "wager taken out", "voided round"
GIVEN_BACK = "contribution returned"  # by either: a link is not told which
_INTO = {
    WAGERS: "contribution",
    SEED: "seed or top-up",
    LATE: "added by the house",
    "reserve": "reserve released",
    "meter": "put back from the meter",  # into the reserve, when a hit is undone
    "pending": "award returned",
    ADJUSTMENTS: "adjustment",
    "carry": "adjustment out of carry",
}
_OUT_OF = {
    SEED: "seed returned",
    LATE: "returned to the house",
    "reserve": "put back to the reserve",
    "meter": "released to the meter",  # out of the reserve, at a hit
    "pending": "award",
    ADJUSTMENTS: "adjustment",
    "carry": "above the next ceiling",
}


class Change(NamedTuple):
    """Units into an account (or, negative, out of it), and why."""

    why: str
    units: int
    other: str  # the account at the other end


class Account(NamedTuple):
    """One account over a day, in units."""

    opening: int
    closing: int
    changes: dict[str, int]  # why, and how much

    @property
    def unexplained(self) -> int:
        """What nothing accounts for. Anything but zero is an alarm."""
        return self.closing - self.opening - sum(self.changes.values())


class MeterDay(NamedTuple):
    """A meter over a day: its three accounts, and its counters at the beginning and at the end."""

    meter: str
    display: Account
    reserve: Account
    carry: Account
    counters: dict[str, tuple[int, int]]

    @property
    def ok(self) -> bool:
        """Whether every unit is explained."""
        return not any(each.unexplained for each in (self.display, self.reserve, self.carry))


def changes(moves: Iterable[Move], account: str, *, back: str, opens: bool = False) -> Iterator[Change]:
    """What moves did to an account, one by one; why wagers get something back, and whether a meter is opened."""
    for move in moves:
        if move.target == account:
            why = OPENED if opens and move.source == SEED else _into(account, move.source)
            yield Change(why, move.units, move.source)
        elif move.source == account:
            why = back if move.target == WAGERS else _out_of(account, move.target)
            yield Change(why, -move.units, move.target)


def _into(account: str, source: str) -> str:
    if account.startswith("carry:"):
        if source == ADJUSTMENTS:
            return "not taken by a link"  # what had been moved out for a linked meter
        return "award rejected" if source.startswith("pending:") else "above the next ceiling"
    return _INTO.get(source) or _INTO.get(source.partition(":")[0], source)


def _out_of(account: str, target: str) -> str:
    if account.startswith("carry:"):
        return "adjusted into a meter"
    return _OUT_OF.get(target) or _OUT_OF.get(target.partition(":")[0], target)
