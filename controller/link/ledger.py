"""What a link does with an intent: a line of its ledger, and the meter after it. Pure, and the same for every store.

The meter rules are the core's own. A line holds what was asked, what moved and what was answered, so that the ledger
alone adds up to the meter, and an intent asked again is answered from its line.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from controller.core.accounts import Move, carry_account, paid_account, pending_account, total, units
from controller.core.chance import Ready
from controller.core.filed import MYSTERY, FiledMeter
from controller.core.inputs import LinkAnswered, LinkHit
from controller.core.meters import (
    PAID,
    REJECTED,
    UNWOUND,
    DrawsNeededError,
    Due,
    Hit,
    Meter,
    Share,
    Won,
    contribute,
    hit,
    is_inside,
    listed,
    reverse,
    unwind,
)
from controller.core.state import Intent
from controller.link.chances import Chances
from controller.rules.money import UNITS_PER_CENT

VERSION = 1  # of the shape of a line


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
    hit: str = ""  # the id of the hit that `positions` share
    moves: tuple[Move, ...] = ()
    returned_units: int = 0


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


class _Parts(NamedTuple):
    meter: Meter
    moves: Sequence[Move]
    shares: tuple[Share, ...] = ()
    hits: tuple[LinkHit, ...] = ()
    hit: str = ""
    returned_units: int = 0


def decide(book: Book, intent: Intent, at: str, filed: FiledMeter, chances: Chances) -> Applied:
    """Apply an intent; where it passes a mystery value, with values drawn for the cycles that follow."""
    if book.meter.kind != MYSTERY or intent.kind != "contribute":
        return apply(book, intent, at, None)
    try:
        return apply(book, intent, at, chances.ready(book.meter, filed, 0))
    except DrawsNeededError:
        return apply(book, intent, at, chances.ready(book.meter, filed, len(intent.stakes)))


def apply(book: Book, intent: Intent, at: str, ready: Ready | None) -> Applied:
    """Apply an intent. Raises `DrawsNeededError` where a mystery value is passed and none is drawn for what follows."""
    known = _KINDS.get(intent.kind)
    if known is None:
        raise LedgerError(f"{intent.id}: a link knows no {intent.kind!r}")
    parts = known(book, intent, at, ready)
    line = Line(
        intent=intent.id,
        table=intent.table,
        round=intent.round,
        after=after(parts.meter),
        stakes=intent.stakes,
        shares=parts.shares,
        positions=intent.positions,
        outcome=intent.outcome,
        hits=parts.hits,
        hit=parts.hit,
        moves=total(parts.moves),
        returned_units=parts.returned_units,
    )
    return Applied(line, parts.meter, _relisted(book, intent, parts.meter.last))


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
    )


def refuse_another(intent: Intent, meter: str, kind: str, line: Line) -> None:
    """Refuse an intent whose id the ledger has for something else: a journal that was set back gives ids anew."""
    asked = (intent.meter, intent.kind, intent.round, intent.stakes, intent.positions)
    if asked != (meter, kind, line.round, line.stakes, line.positions):
        raise LedgerError(
            f"{intent.id}: the ledger has another intent under this id, {kind} of {meter} in round {line.round}: the "
            "journal of the table was set back; restore the newest copy of it"
        )


def _relisted(book: Book, intent: Intent, hits: tuple[Hit, ...]) -> tuple[Listed, ...]:
    owners = {each.hit.id: each for each in book.listed}
    shares = _open_shares(book) if intent.kind in ("paid", "unwind") else {}
    done = {position: shares[position].hit for position in intent.positions if position in shares}
    found: list[Listed] = []
    for each in hits:
        known = owners.get(each.id) or Listed(intent.table, intent.round, each)
        settled = tuple(position for position, hit_ in done.items() if hit_ == each.id)
        found.append(Listed(known.table, known.round, each, known.settled + settled))
    return tuple(found)


def _contribute(book: Book, intent: Intent, at: str, ready: Ready | None) -> _Parts:
    if any(each.kind == "contribute" for each in book.past):
        raise LedgerError(f"{intent.id}: round {intent.round} of {intent.table} has contributed already")
    names = (f"{intent.id}/{number}" for number in range(1, len(intent.stakes) + 1))
    given = contribute(book.meter, [cents for _, cents in intent.stakes], names.__next__, ready)
    meter = given.meter
    for won in given.won:
        position = intent.stakes[won.nth][0]
        record = Hit(won.award, book.seq, at, book.seq, won.cents, (won.award,), (position,), reveal=won.reveal)
        meter = listed(meter, record)
    hits = tuple(_revealed(intent, won) for won in given.won)
    return _Parts(meter, given.moves, tuple(given.shares), hits)


def _revealed(intent: Intent, won: Won) -> LinkHit:
    reveal = won.reveal
    position = intent.stakes[won.nth][0]
    return LinkHit(position, won.cents, reveal.value_cents, reveal.nonce, reveal.cycle, reveal.commitment)


def _hit(book: Book, intent: Intent, at: str, _ready: Ready | None) -> _Parts:
    """A jackpot by the cards: the meter as it stands now. The link's own order stands for rounds."""
    awards = tuple(f"{intent.id}/{position}" for position in intent.positions)
    due = Due(book.seq, at, book.seq, awards, intent.positions, book.meter.units, book.meter.reserve)
    meter, moves = hit(book.meter, due)
    return _Parts(meter, moves, (), tuple(LinkHit(each, due.each_cents) for each in intent.positions), awards[0])


class _Share(NamedTuple):
    """A share of a hit that is neither paid nor given back."""

    hit: str
    award: str
    cents: int


def _open_shares(book: Book) -> dict[int, _Share]:
    """Shares of this table's round by position, as they stand."""
    found: dict[int, _Share] = {}
    for _, kind, line in book.past:
        if kind == "hit":
            found |= {each.position: _Share(line.hit, _award(line, each), each.amount_cents) for each in line.hits}
        elif kind == "contribute":
            for number, each in enumerate(line.hits, start=1):
                award = f"{line.intent}/{number}"
                found[each.position] = _Share(award, award, each.amount_cents)
        elif kind in ("paid", "unwind"):
            for position in line.positions:
                found.pop(position, None)
    return found


def _award(line: Line, won: LinkHit) -> str:
    return f"{line.intent}/{won.position}"


def _share(book: Book, intent: Intent, position: int) -> _Share:
    found = _open_shares(book).get(position)
    if found is None:
        where = f"position {position} in round {intent.round} of {intent.table}"
        raise LedgerError(f"{intent.id}: no award of {where} is open at the link")
    return found


def _record(meter: Meter, id_: str) -> Hit:
    return next(each for each in meter.last if each.id == id_)


def _unwind(book: Book, intent: Intent, _at: str, _ready: Ready | None) -> _Parts:
    """Shares come back to the meter; when the last one has, so does what opened the cycle after the hit."""
    meter, moves, gone = book.meter, list[Move](), set[int]()
    for position in intent.positions:
        share = _share(book, intent, position)
        gone.add(position)
        if meter.kind == MYSTERY:
            money = units(share.cents)
            moves.append(Move(pending_account(share.award), carry_account(meter.id), money))
            meter = _fated(
                replace(meter, carry=meter.carry + money, wins_cents=meter.wins_cents - share.cents),
                share.hit,
                REJECTED,
            )
            continue
        record = _record(meter, share.hit)
        whole = not _left(book, share.hit, gone) and not _paid(book, share.hit)
        changed = unwind(meter, record, [(share.award, share.cents)], UNWOUND, whole=whole)
        meter = changed.meter if whole or _left(book, share.hit, gone) else _fated(changed.meter, share.hit, PAID)
        moves += changed.moves
    return _Parts(meter, moves)


def _paid_out(book: Book, intent: Intent, _at: str, _ready: Ready | None) -> _Parts:
    """Shares were validated at their table: off every display, and final."""
    meter, moves, gone = book.meter, list[Move](), set[int]()
    for position in intent.positions:
        share = _share(book, intent, position)
        gone.add(position)
        moves.append(Move(pending_account(share.award), paid_account(meter.id), units(share.cents)))
        meter = replace(meter, paid_cents=meter.paid_cents + share.cents)
        if not _left(book, share.hit, gone):
            meter = _fated(meter, share.hit, PAID)
    return _Parts(meter, moves)


def _left(book: Book, hit_: str, gone: set[int]) -> bool:
    """Whether other shares of a hit are still open."""
    return any(share.hit == hit_ and position not in gone for position, share in _open_shares(book).items())


def _paid(book: Book, hit_: str) -> bool:
    """Whether a share of a hit was paid."""
    owned: dict[int, str] = {}
    for _, kind, line in book.past:
        if kind == "hit":
            owned |= {each.position: line.hit for each in line.hits}
        elif kind == "paid" and any(owned.get(position) == hit_ for position in line.positions):
            return True
    return False


def _fated(meter: Meter, hit_: str, fate: str) -> Meter:
    return replace(meter, last=tuple(replace(each, fate=fate) if each.id == hit_ else each for each in meter.last))


def _reverse(book: Book, intent: Intent, _at: str, _ready: Ready | None) -> _Parts:
    """Contributions come back out of the running cycle; what is inside an award stays there."""
    given: dict[int, tuple[int, int, Share]] = {}
    for seq, kind, line in book.past:
        if kind == "contribute":
            for (position, cents), share in zip(line.stakes, line.shares, strict=True):
                given[position] = (seq, cents, share)
        elif kind == "reverse":
            for position, _ in line.stakes:
                given.pop(position, None)
    meter, moves, returned = book.meter, list[Move](), 0
    for position, _ in intent.stakes:
        if position not in given:
            where = f"position {position} in round {intent.round} of {intent.table}"
            raise LedgerError(f"{intent.id}: {where} has given nothing that could come back")
        seq, cents, share = given[position]
        before = meter
        meter, moved = reverse(meter, share, cents, inside=is_inside(meter, share, seq))
        # What the house would add is the table's own to move: the link gives back what its meter gave.
        moves += [each for each in moved if each.source != "house:void"]
        returned += before.units + before.reserve - meter.units - meter.reserve
    return _Parts(meter, moves, returned_units=returned)


_Kind = Callable[[Book, Intent, str, Ready | None], _Parts]
_KINDS: dict[str, _Kind] = {
    "contribute": _contribute,
    "hit": _hit,
    "paid": _paid_out,
    "unwind": _unwind,
    "reverse": _reverse,
}
