"""The awards a link has made and nobody has settled: paid, come back, or shared anew among those who are left."""

from typing import NamedTuple

from msgspec.structs import replace

from controller.core.accounts import Move, carry_account, paid_account, pending_account, units
from controller.core.chance import Ready
from controller.core.filed import MYSTERY
from controller.core.inputs import LinkHit
from controller.core.meters import PAID, REJECTED, UNWOUND, Hit, Meter, resplit, unwind
from controller.core.state import Intent
from controller.link.lines import Book, LedgerError, Line, Parts


class OpenShare(NamedTuple):
    """A share of a hit that is neither paid nor given back."""

    hit: str
    award: str
    cents: int


def open_shares(book: Book) -> dict[int, OpenShare]:
    """Shares of this table's round by position, as they stand."""
    found: dict[int, OpenShare] = {}
    for _, kind, line in book.past:
        if kind == "hit":
            found |= {each.position: OpenShare(line.hit, _award(line, each), each.amount_cents) for each in line.hits}
        elif kind == "contribute":
            for number, each in enumerate(line.hits, start=1):
                award = f"{line.intent}/{number}"
                found[each.position] = OpenShare(award, award, each.amount_cents)
        elif kind in ("paid", "unwind", "resplit"):
            for position in line.positions:
                found.pop(position, None)
            found |= {position: found[position]._replace(cents=cents) for position, cents in line.split}
    return found


def _award(line: Line, won: LinkHit) -> str:
    return f"{line.intent}/{won.position}"


def _share(book: Book, intent: Intent, position: int) -> OpenShare:
    found = open_shares(book).get(position)
    if found is None:
        where = f"position {position} in round {intent.round} of {intent.table}"
        raise LedgerError(f"{intent.id}: no award of {where} is open at the link")
    return found


def _record(meter: Meter, id_: str) -> Hit:
    return next(each for each in meter.last if each.id == id_)


def unwind_shares(book: Book, intent: Intent, _at: str, _ready: Ready | None) -> Parts:
    """Shares come back to the meter; when the last one has, so does what opened the cycle after the hit."""
    meter, moves, gone = book.meter, list[Move](), set[int]()
    for position in intent.positions:
        share = _share(book, intent, position)
        gone.add(position)
        if meter.kind == MYSTERY:
            money = units(share.cents)
            moves.append(Move(pending_account(share.award), carry_account(meter.id), money))
            meter = fated(
                replace(meter, carry=meter.carry + money, wins_cents=meter.wins_cents - share.cents),
                share.hit,
                REJECTED,
            )
            continue
        record = _record(meter, share.hit)
        whole = not _left(book, share.hit, gone) and not _paid(book, share.hit)
        changed = unwind(meter, record, [(share.award, share.cents)], UNWOUND, whole=whole)
        meter = changed.meter if whole or _left(book, share.hit, gone) else fated(changed.meter, share.hit, PAID)
        moves += changed.moves
    return Parts(meter, moves)


def share_anew(book: Book, intent: Intent, _at: str, _ready: Ready | None) -> Parts:
    """One share comes back before any was paid, and those who are left share the whole jackpot anew."""
    (position,) = intent.positions
    gone = _share(book, intent, position)
    left = {at: share for at, share in open_shares(book).items() if share.hit == gone.hit and at != position}
    record = replace(_record(book.meter, gone.hit), amount_cents=_jackpot(book, gone.hit))
    shared = resplit(
        book.meter, record, (gone.award, gone.cents), [(share.award, share.cents) for share in left.values()]
    )
    if _paid(book, gone.hit) or dict(intent.split) != dict.fromkeys(left, shared.each_cents):
        whose = f"round {intent.round} of {intent.table}"
        raise LedgerError(f"{intent.id}: the jackpot of {whose} is not shared anew as it was asked for")
    return Parts(shared.meter, shared.moves, hit=gone.hit)


def _jackpot(book: Book, hit_: str) -> int:
    """A jackpot as it was told: what was shared, and what that left over."""
    line = next(line for _, kind, line in book.past if kind == "hit" and line.hit == hit_)
    return sum(each.amount_cents for each in line.hits) + line.left_cents


def pay(book: Book, intent: Intent, _at: str, _ready: Ready | None) -> Parts:
    """Shares were validated at their table: off every display, and final."""
    meter, moves, gone = book.meter, list[Move](), set[int]()
    for position in intent.positions:
        share = _share(book, intent, position)
        gone.add(position)
        moves.append(Move(pending_account(share.award), paid_account(meter.id), units(share.cents)))
        meter = replace(meter, paid_cents=meter.paid_cents + share.cents)
        if not _left(book, share.hit, gone):
            meter = fated(meter, share.hit, PAID)
    return Parts(meter, moves)


def _left(book: Book, hit_: str, gone: set[int]) -> bool:
    """Whether other shares of a hit are still open."""
    return any(share.hit == hit_ and position not in gone for position, share in open_shares(book).items())


def _paid(book: Book, hit_: str) -> bool:
    """Whether a share of a hit was paid."""
    owned: dict[int, str] = {}
    for _, kind, line in book.past:
        if kind == "hit":
            owned |= {each.position: line.hit for each in line.hits}
        elif kind == "paid" and any(owned.get(position) == hit_ for position in line.positions):
            return True
    return False


def fated(meter: Meter, hit_: str, fate: str) -> Meter:
    """The meter with what became of a hit in its list."""
    return replace(meter, last=tuple(replace(each, fate=fate) if each.id == hit_ else each for each in meter.last))
