"""Accounts and the moves between them. A move takes from one account what it gives to another, so all sum to zero."""

from collections.abc import Iterable, Mapping
from functools import cache

from msgspec import Struct

from controller.rules.money import UNITS_PER_CENT

WAGERS = "wagers"  # where contributions come from, and where a refunded one goes back to
SEED, FIXED, VOID, LATE = "house:seed", "house:fixed", "house:void", "house:late"
ADJUSTMENTS = "adjustments"
PAID_FIXED = "paid:fixed"


def units(cents: int) -> int:
    """Whole cents in the unit of accounts, 1e-8 dollars."""
    return cents * UNITS_PER_CENT


@cache
def meter_account(meter: str) -> str:
    """What can be won now."""
    return f"meter:{meter}"


@cache
def reserve_account(meter: str) -> str:
    """What opens the meter's next cycle."""
    return f"reserve:{meter}"


@cache
def carry_account(meter: str) -> str:
    """Mystery awards rejected, and what did not fit under the ceiling of the next cycle."""
    return f"carry:{meter}"


def pending_account(award: str) -> str:
    """An award made and not yet validated or rejected."""
    return f"pending:{award}"


def paid_account(meter: str) -> str:
    """Awards of a meter that were paid."""
    return f"paid:{meter}"


def link_account(link: str) -> str:
    """What this table has given to a linked meter, less what it got from it."""
    return f"link:{link}"


class Move(Struct, frozen=True, array_like=True, gc=False):
    """So many units from one account to another."""

    source: str
    target: str
    units: int


class UnbalancedError(Exception):
    """Money that does not add up. Nothing of the decision may be committed."""


def total(moves: Iterable[Move]) -> tuple[Move, ...]:
    """The same moves with equal ends added together; those of nothing are left out."""
    sums: dict[tuple[str, str], int] = {}
    for move in moves:
        if move.units < 0:
            raise UnbalancedError(
                f"a move of {move.units} units from {move.source} to {move.target}: less than nothing"
            )
        ends = (move.source, move.target)
        sums[ends] = sums.get(ends, 0) + move.units
    return tuple(Move(source, target, amount) for (source, target), amount in sums.items() if amount)


def moved(accounts: Mapping[str, int], moves: Iterable[Move]) -> dict[str, int]:
    """The balances after some moves. Accounts at zero are not kept."""
    after = dict(accounts)
    for move in moves:
        for name, change in ((move.source, -move.units), (move.target, move.units)):
            balance = after.get(name, 0) + change
            if balance:
                after[name] = balance
            else:
                after.pop(name, None)
    return after
