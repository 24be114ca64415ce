"""Why money went in or out of a meter, in a few words: for a day's report and for the history of one jackpot."""

from collections.abc import Iterator
from typing import NamedTuple

from controller.core.accounts import ADJUSTMENTS, LATE, SEED, WAGERS
from controller.core.facts import Fact, RoundWasVoided, SubmissionFiled

OPENED = "opening amount"
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


def changes(fact: Fact, account: str) -> Iterator[Change]:
    """What a fact did to an account, move by move."""
    for move in fact.moves:
        if move.target == account:
            yield Change(_into(fact, account, move.source), move.units, move.source)
        elif move.source == account:
            yield Change(_out_of(fact, account, move.target), -move.units, move.target)


def _into(fact: Fact, account: str, source: str) -> str:
    if account.startswith("carry:"):
        return "award rejected" if source.startswith("pending:") else "above the next ceiling"
    if source == SEED and isinstance(fact, SubmissionFiled):
        return OPENED
    return _INTO.get(source) or _INTO.get(source.partition(":")[0], source)


def _out_of(fact: Fact, account: str, target: str) -> str:
    if account.startswith("carry:"):
        return "adjusted into a meter"
    if target == WAGERS:
        return "voided round" if isinstance(fact, RoundWasVoided) else "wager taken out"
    return _OUT_OF.get(target) or _OUT_OF.get(target.partition(":")[0], target)
