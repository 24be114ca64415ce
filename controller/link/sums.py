"""What the lines of a link's ledger add up to: by table, and by account."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from controller.core.accounts import ADJUSTMENTS, LATE, SEED, WAGERS, Move, carry_account, meter_account, paid_account
from controller.core.accounts import reserve_account as reserved

PENDING = "pending:"


class Flows(Struct):
    """Money in and out of one meter, its reserve and its carry together, in units."""

    contributed: int = 0
    returned: int = 0  # contributions that went back to their wagers
    awarded: int = 0
    awards_returned: int = 0  # to the meter, or into carry
    paid: int = 0
    seeded: int = 0  # by the house, after the opening, less what went back to it
    adjusted: int = 0  # by two people, into it less out of it

    @property
    def held(self) -> int:
        """What all of it leaves in the meter, its reserve and its carry."""
        given = self.contributed - self.returned - self.awarded + self.awards_returned
        return given + self.seeded + self.adjusted

    @property
    def pending(self) -> int:
        """What is awarded and neither paid nor back."""
        return self.awarded - self.awards_returned - self.paid

    def add(self, other: "Flows") -> None:
        """Add others to these."""
        for name in Flows.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class TableSums(Flows):
    """One table's part in a meter."""

    table: str = ""
    lines: int = 0
    wagers: int = 0  # contributions, less those reversed
    stakes_cents: int = 0  # the same

    def take(self, kind: str, stakes: Sequence[tuple[int, int]], flowed: Flows) -> None:
        """Add a line."""
        self.add(flowed)
        self.lines += 1
        sign = {"contribute": 1, "reverse": -1}.get(kind, 0)
        self.wagers += sign * len(stakes)
        self.stakes_cents += sign * sum(cents for _, cents in stakes)


class UnknownMoveError(Exception):
    """Money that moves where no link moves any."""


# What a move between two kinds of accounts is, and whether it adds to that or takes from it.
_MEANING = {
    ("wagers", "inside"): ("contributed", 1),
    ("inside", "wagers"): ("returned", 1),
    ("inside", "pending"): ("awarded", 1),
    ("pending", "inside"): ("awards_returned", 1),
    ("pending", "paid"): ("paid", 1),
    ("house", "inside"): ("seeded", 1),
    ("inside", "house"): ("seeded", -1),
    (ADJUSTMENTS, "inside"): ("adjusted", 1),
    ("inside", ADJUSTMENTS): ("adjusted", -1),
}


def flows(meter: str, moves: Iterable[Move]) -> Flows:
    """What some moves do to a meter."""
    found = Flows()
    inside = dict.fromkeys((meter_account(meter), reserved(meter), carry_account(meter)), "inside")
    kinds = inside | {WAGERS: "wagers", SEED: "house", LATE: "house", paid_account(meter): "paid"}
    for move in moves:
        ends = (_kind(kinds, move.source), _kind(kinds, move.target))
        if move.units < 0:
            raise UnknownMoveError(f"it moves {move.units} units to {move.target}: less than nothing")
        if ends == ("inside", "inside"):
            continue
        if ends not in _MEANING:
            raise UnknownMoveError(f"it moves money from {move.source} to {move.target}, which no link does")
        name, sign = _MEANING[ends]
        setattr(found, name, getattr(found, name) + sign * move.units)
    return found


def _kind(kinds: Mapping[str, str], account: str) -> str:
    return "pending" if account.startswith(PENDING) else kinds.get(account, account)
