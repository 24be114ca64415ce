"""A line of a link's ledger, what it is decided on, and what a table is told of it."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from controller.core.accounts import Move
from controller.core.inputs import LinkAnswered, LinkHit
from controller.core.meters import Hit, Meter, Share
from controller.core.refusals import Refused
from controller.core.state import Intent
from controller.rules.money import UNITS_PER_CENT

VERSION = 2  # of the shape of a line
VERSIONS = (1, VERSION)  # that can be read. Before 2 no jackpot was shared anew, and no meter adjusted


class LedgerError(Exception):
    """An intent that the ledger cannot take: it was made by a table whose books are others than the link's."""


class After(Struct, frozen=True, gc=False, omit_defaults=True):
    """A meter's numbers after a line; of a mystery meter also what it has committed to."""

    units: int
    reserve: int
    carry: int
    cycle: int
    in_cents: int
    hits: int
    wins_cents: int
    paid_cents: int
    commitment: str = ""


class Line(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a line of the ledger says, besides its place."""

    intent: str
    table: str
    round: int
    after: After
    stakes: tuple[tuple[int, int], ...] = ()
    shares: tuple[Share, ...] = ()
    positions: tuple[int, ...] = ()
    outcome: str = ""
    hits: tuple[LinkHit, ...] = ()
    hit: str = ""  # the id of the hit that `positions` share, or give their shares of to `split`
    moves: tuple[Move, ...] = ()
    returned_units: int = 0
    left_cents: int = 0  # of a jackpot that is shared: what equal shares leave on the meter
    split: tuple[tuple[int, int], ...] = ()  # a jackpot shared anew: by whom, and the cents of each
    cents: int = 0  # an adjustment: what it adds, or takes, and
    expected_cents: int = 0  # what the meter should show, and
    refusal: str = ""  # that it was not done, and
    why: str = ""  # why


class Listed(Struct, frozen=True, gc=False, omit_defaults=True):
    """A hit of the link's meter, and whose it is."""

    table: str
    round: int
    hit: Hit
    settled: tuple[int, ...] = ()  # positions whose shares are paid, or came back


class Past(NamedTuple):
    """An earlier line of the same table, meter and round."""

    seq: int
    kind: str
    line: Line


class Book(NamedTuple):
    """What a decision is made on: the meter under lock, its hits, and what this table's round has done already."""

    seq: int  # of the line to be written
    meter: Meter  # with its hits in `last`
    listed: tuple[Listed, ...]
    past: Sequence[Past]


class Applied(NamedTuple):
    """A line, and the meter and its hits after it."""

    line: Line
    meter: Meter
    listed: tuple[Listed, ...]


class Parts(NamedTuple):
    """What one kind of intent comes to."""

    meter: Meter
    moves: Sequence[Move]
    shares: tuple[Share, ...] = ()
    hits: tuple[LinkHit, ...] = ()
    hit: str = ""
    returned_units: int = 0
    left_cents: int = 0
    refused: Refused | None = None


def after(meter: Meter) -> After:
    """The numbers of a meter that a line vouches for."""
    return After(
        units=meter.units,
        reserve=meter.reserve,
        carry=meter.carry,
        cycle=meter.cycle,
        in_cents=meter.in_cents,
        hits=meter.hits,
        wins_cents=meter.wins_cents,
        paid_cents=meter.paid_cents,
        commitment=meter.commitment,
    )


def answer(line: Line, at: str, seq: int, hash_: str) -> LinkAnswered:
    """What a table is told of a line: the same whenever it asks."""
    return LinkAnswered(
        at=at,
        intent=line.intent,
        display_cents=line.after.units // UNITS_PER_CENT,
        hits=line.hits,
        returned_units=line.returned_units,
        ledger_seq=seq,
        ledger_hash=hash_,
        left_cents=line.left_cents,
        refusal=line.refusal,
        why=line.why,
    )


def refuse_another(intent: Intent, meter: str, kind: str, line: Line) -> None:
    """Refuse an intent whose id the ledger has for something else: a journal that was set back gives ids anew."""
    asked = (intent.meter, intent.kind, intent.round, intent.stakes, intent.positions, intent.split, intent.cents)
    more = (intent.expected_cents, intent.outcome)
    found = (meter, kind, line.round, line.stakes, line.positions, line.split, line.cents)
    if (*asked, *more) != (*found, line.expected_cents, line.outcome):
        raise LedgerError(
            f"{intent.id}: the ledger has another intent under this id, {kind} of {meter} in round {line.round}: the "
            "journal of the table was set back; restore the newest copy of it"
        )
