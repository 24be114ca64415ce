"""What a link does with an intent: a line of its ledger, and the meter after it. Pure, and the same for every store.

The meter rules are the core's own. A line holds what was asked, what moved and what was answered, so that the ledger
alone adds up to the meter, and an intent asked again is answered from its line.
"""

from collections.abc import Callable

from msgspec.structs import replace

from controller.core.accounts import ADJUSTMENTS, Move, carry_account, meter_account, total, units
from controller.core.adjusting import refuse_unexpected, refuse_unfit, uncarried
from controller.core.chance import Ready
from controller.core.filed import MYSTERY, FiledMeter
from controller.core.inputs import LinkHit
from controller.core.meters import (
    PAID,
    DrawsNeededError,
    Due,
    Hit,
    Share,
    Won,
    contribute,
    hit,
    is_inside,
    listed,
    reverse,
)
from controller.core.refusals import RefusedError
from controller.core.state import Intent
from controller.link.chances import Chances
from controller.link.lines import Applied, Book, LedgerError, Line, Listed, Parts, after
from controller.link.shares import fated, open_shares, pay, share_anew, unwind_shares


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
        left_cents=parts.left_cents,
        split=intent.split,
        cents=intent.cents,
        expected_cents=intent.expected_cents,
        refusal=parts.refused.refusal.value if parts.refused else "",
        why=parts.refused.why if parts.refused else "",
    )
    return Applied(line, parts.meter, _relisted(book, intent, parts.meter.last))


def _relisted(book: Book, intent: Intent, hits: tuple[Hit, ...]) -> tuple[Listed, ...]:
    owners = {each.hit.id: each for each in book.listed}
    shares = open_shares(book) if intent.kind in ("paid", "unwind") else {}
    done = {position: shares[position].hit for position in intent.positions if position in shares}
    found: list[Listed] = []
    for each in hits:
        known = owners.get(each.id) or Listed(intent.table, intent.round, each)
        settled = tuple(position for position, hit_ in done.items() if hit_ == each.id)
        found.append(Listed(known.table, known.round, each, known.settled + settled))
    return tuple(found)


def _contribute(book: Book, intent: Intent, at: str, ready: Ready | None) -> Parts:
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
    return Parts(meter, given.moves, tuple(given.shares), hits)


def _revealed(intent: Intent, won: Won) -> LinkHit:
    reveal = won.reveal
    position = intent.stakes[won.nth][0]
    return LinkHit(position, won.cents, reveal.value_cents, reveal.nonce, reveal.cycle, reveal.commitment)


def _hit(book: Book, intent: Intent, at: str, _ready: Ready | None) -> Parts:
    """A jackpot by the cards: the meter as it stands now. The link's own order stands for rounds."""
    awards = tuple(f"{intent.id}/{position}" for position in intent.positions)
    due = Due(book.seq, at, book.seq, awards, intent.positions, book.meter.units, book.meter.reserve)
    meter, moves = hit(book.meter, due)
    if not due.each_cents:  # of a meter adjusted to nothing: nobody has anything to settle
        meter = fated(meter, awards[0], PAID)
    hits = tuple(LinkHit(each, due.each_cents) for each in intent.positions)
    return Parts(meter, moves, (), hits, awards[0], left_cents=due.cents - due.each_cents * len(hits))


def _reverse(book: Book, intent: Intent, _at: str, _ready: Ready | None) -> Parts:
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
    return Parts(meter, moves, returned_units=returned)


def _adjust(book: Book, intent: Intent, _at: str, _ready: Ready | None) -> Parts:
    """Two people change a meter that shows what they say; or, of a mystery meter, what it carries, and nothing else."""
    meter, money = book.meter, units(abs(intent.cents))
    try:
        if meter.kind != MYSTERY:
            refuse_unfit(meter, intent.cents)
            refuse_unexpected(meter, intent.expected_cents)
            account, after_ = meter_account(meter.id), replace(meter, units=meter.units + units(intent.cents))
        elif intent.cents < 0:
            account, after_ = carry_account(meter.id), uncarried(meter, -intent.cents)
        else:  # what came out of it, and was not taken elsewhere
            account, after_ = carry_account(meter.id), replace(meter, carry=meter.carry + money)
    except RefusedError as error:  # a line too: asked again, it must not be done after all
        return Parts(meter, (), refused=error.refused)
    move = Move(ADJUSTMENTS, account, money) if intent.cents > 0 else Move(account, ADJUSTMENTS, money)
    return Parts(after_, [move])


_Kind = Callable[[Book, Intent, str, Ready | None], Parts]
_KINDS: dict[str, _Kind] = {
    "contribute": _contribute,
    "hit": _hit,
    "paid": pay,
    "unwind": unwind_shares,
    "resplit": share_anew,
    "reverse": _reverse,
    "adjust": _adjust,
}
