"""The felt kept a second time, from what the facts say and no code of the product: what a lit lamp must rest on.

Nothing happens twice here: a wager that stands is not made again, nobody is in twice, an award is made once, and a
command is one fact.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import json

from controller.journal.rows import Row

Place = tuple[int, str]
_ENDS_A_ROUND = {"reopened", "round-voided", "table-opened", "table-closed"}


class Felt(NamedTuple):
    """What lies on the table after a fact."""

    placed: frozenset[Place] = frozenset()
    accepted: frozenset[Place] = frozenset()
    won: frozenset[Place] = frozenset()

    def bears(self, place: Place, light: str) -> bool:
        """Whether a lamp may say this of a place."""
        found: frozenset[Place] = getattr(self, light)
        return place in found


class TwiceError(AssertionError):
    """Something is in the journal more than once."""


def felt_of(rows: Sequence[Row]) -> list[Felt]:
    """The felt after each fact; the first is before any."""
    found, keys, pending = [Felt()], dict[str, int](), dict[str, Place]()
    for row in rows:
        fact: dict[str, Any] = json.decode(row.payload)
        key = fact.get("key", "")
        if key and key in keys and row.type != "key-reused":
            raise TwiceError(f"the command {key} is fact {keys[key]} and fact {row.seq}")
        keys[key] = row.seq
        found.append(_after(found[-1], row, fact, pending))
    return found


def _after(felt: Felt, row: Row, fact: dict[str, Any], pending: dict[str, Place]) -> Felt:
    placed = _standing(felt, row, fact)
    accepted = frozenset[Place]() if row.type in _ENDS_A_ROUND else felt.accepted
    if row.type == "locked-out":
        wagers = [_place(each) for each in fact["wagers"]]
        accepted = frozenset(wagers)
        if len(accepted) < len(wagers) or accepted != placed:
            raise TwiceError(f"fact {row.seq} takes {wagers}, and {sorted(placed)} stood")
        placed = frozenset()
    elif row.type == "wager-taken-out":
        accepted -= {_place(fact)}
    for award in fact.get("awards", ()):
        if award["id"] in pending:
            raise TwiceError(f"fact {row.seq} makes the award {award['id']} again")
        if award.get("validate", True):
            pending[award["id"]] = (award["position"], award["wager"].partition("/")[0])
    for fate in fact.get("fates", ()):
        if fate["fate"] != "pending":
            pending.pop(fate["award"], None)
    return Felt(placed, accepted, frozenset(pending.values()))


def _standing(felt: Felt, row: Row, fact: dict[str, Any]) -> frozenset[Place]:
    placed = felt.placed - {_place(each) for each in fact.get("withdrawn", ())}
    for place in (_place(each) for each in fact.get("placed", ())):
        if place in placed:
            raise TwiceError(f"fact {row.seq} makes a wager at {place} that stands already")
        placed |= {place}
    return placed


def _place(said: dict[str, Any]) -> Place:
    return said["position"], said["wager"]
