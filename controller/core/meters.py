"""The rules of one meter: what a contribution, a hit, and the undoing of either do to it.

Functions of one meter, because a meter shared by several tables is kept elsewhere and calls the same ones. Each
returns the meter as it is then, the moves of money, and what was won.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from controller.core.accounts import (
    LATE,
    SEED,
    VOID,
    WAGERS,
    Move,
    UnbalancedError,
    carry_account,
    meter_account,
    pending_account,
    reserve_account,
    units,
)
from controller.core.chance import Draw, Ready
from controller.core.filed import MYSTERY, RESERVE, FiledMeter, Filing
from controller.rules.money import UNITS_PER_CENT

HITS_KEPT = 25  # on demand a controller shows the last 25 hits of a meter; those not yet settled are kept besides

PENDING, PAID, REJECTED, UNWOUND = "pending", "paid", "rejected", "unwound"  # fates of hits and awards


class Reveal(Struct, frozen=True, gc=False):
    """A mystery value after its hit, for anyone to hold against the commitment."""

    value_cents: int
    nonce: str
    cycle: int
    commitment: str


class Hit(Struct, frozen=True, gc=False, omit_defaults=True):
    """A meter hit: what it paid, to whom, and what opened the cycle after it."""

    id: str  # the id of its first award
    seq: int
    at: str
    round: int
    amount_cents: int
    awards: tuple[str, ...]
    positions: tuple[int, ...]
    from_meter: bool = True  # False: paid by the house because the meter had been hit since
    seed: int = 0  # units the house opened the next cycle with, top-up included
    released: int = 0  # units the reserve opened it with
    lack: int = 0  # units the house added because the meter had been adjusted below what was due
    former: Filing | None = None  # what the meter ran on before, where a changed filing took effect at this hit
    reveal: Reveal | None = None
    fate: str = PENDING

    @property
    def stands(self) -> bool:
        """Whether it took the meter's money and has not been undone."""
        return self.from_meter and self.fate in (PENDING, PAID)


class Meter(Struct, frozen=True, gc=False, omit_defaults=True):
    """One meter. Amounts are in units of 1e-8 dollars, counters in cents."""

    id: str
    kind: str
    wager: str
    filing: Filing
    cycle: int = 1
    units: int = 0
    reserve: int = 0
    carry: int = 0
    in_cents: int = 0  # qualifying wagers, less those refunded
    hits: int = 0  # a shared hit counts once
    wins_cents: int = 0  # awards made and not undone
    paid_cents: int = 0  # of those, paid by an attendant; none is ever paid automatically
    next_filing: Filing | None = None  # from the next reset on
    sealed: str = ""  # a mystery meter's value and nonce, sealed
    key_id: str = ""
    commitment: str = ""
    last: tuple[Hit, ...] = ()  # oldest first

    @property
    def display_cents(self) -> int:
        """What can be won now."""
        return self.units // UNITS_PER_CENT


class Share(Struct, frozen=True, array_like=True, gc=False):
    """What one wager gave to one meter, and in which of its cycles."""

    meter: str
    units: int
    reserve: int
    cycle: int


class Won(NamedTuple):
    """A contribution that passed the mystery value: which one, what it won, and the value revealed."""

    nth: int  # of the contributions, from 0
    award: str
    cents: int
    reveal: Reveal


class Contributed(Struct, frozen=True, gc=False):
    """After contributions: the share of each, and those that won."""

    meter: Meter
    moves: tuple[Move, ...]
    shares: list[Share]
    won: list[Won]


class DrawsNeededError(Exception):
    """A mystery value was passed and none is drawn for the next cycle: decide again, with draws."""


def open_meter(
    filed: FiledMeter, wager: str, draw: Draw | None, former: Meter | None = None
) -> tuple[Meter, tuple[Move, ...]]:
    """A meter's first cycle; or, where it was filed before and is again, the next, its counters going on."""
    amount = units(filed.filing.initial_cents)
    meter = Meter(filed.id, filed.kind, wager, filed.filing, units=amount)
    if former is not None:
        meter = replace(former, filing=filed.filing, next_filing=None, cycle=former.cycle + 1, units=amount)
    return _sealed(meter, draw), (Move(SEED, meter_account(filed.id), amount),)


def _sealed(meter: Meter, draw: Draw | None) -> Meter:
    if meter.kind != MYSTERY:
        return meter
    if draw is None:
        raise UnbalancedError(f"{meter.id} opens a cycle without a value drawn for it")
    return replace(meter, sealed=draw.sealed, key_id=draw.key_id, commitment=draw.commitment)


def contribute(meter: Meter, stakes: Sequence[int], name: Callable[[], str], ready: Ready | None) -> Contributed:
    """Add the shares of wagers, one by one in their order. `name` names an award where one passes the mystery value."""
    rate, reserve_rate, cycle = meter.filing.rate, meter.filing.reserve_rate, meter.cycle
    cents = sum(stakes)
    if meter.kind == MYSTERY:
        if ready is None or ready.cents is None:
            raise UnbalancedError(f"{meter.id} takes a contribution without its value at hand")
        if meter.units + cents * rate > units(ready.cents):
            return _contribute_past(meter, stakes, name, ready, ready.cents)
    # Exact, so that one sum is the same as one by one.
    moves = [Move(WAGERS, meter_account(meter.id), cents * rate)]
    if reserve_rate:
        moves.append(Move(WAGERS, reserve_account(meter.id), cents * reserve_rate))
    after = replace(
        meter,
        units=meter.units + cents * rate,
        reserve=meter.reserve + cents * reserve_rate,
        in_cents=meter.in_cents + cents,
    )
    alike = {stake: Share(meter.id, stake * rate, stake * reserve_rate, cycle) for stake in set(stakes)}
    return Contributed(after, tuple(moves), [alike[stake] for stake in stakes], [])


def _contribute_past(
    meter: Meter, stakes: Sequence[int], name: Callable[[], str], ready: Ready, value: int
) -> Contributed:
    """One by one, where together they pass the mystery value: who passes it wins, and a new cycle begins."""
    account, draws, nonce = meter_account(meter.id), iter(ready.draws), ready.nonce
    moves: list[Move] = []
    shares: list[Share] = []
    won: list[Won] = []
    for index, stake in enumerate(stakes):
        given = stake * meter.filing.rate
        moves.append(Move(WAGERS, account, given))
        shares.append(Share(meter.id, given, 0, meter.cycle))
        meter = replace(meter, units=meter.units + given, in_cents=meter.in_cents + stake)
        if meter.units <= units(value):
            continue
        draw = next(draws, None)
        if draw is None:
            raise DrawsNeededError(meter.id)
        cents = min(meter.display_cents, meter.filing.maximum_cents)
        won.append(Won(index, name(), cents, Reveal(value, nonce, meter.cycle, meter.commitment)))
        meter, opening = _next_mystery(meter, cents, draw)
        moves += (Move(account, pending_account(won[-1].award), units(cents)), *opening)
        value, nonce = draw.cents, draw.nonce
    return Contributed(meter, tuple(moves), shares, won)


def _next_mystery(meter: Meter, won_cents: int, draw: Draw) -> tuple[Meter, tuple[Move, ...]]:
    """The cycle after a mystery hit: the minimum, and what the winning contribution had above the award."""
    filing = meter.next_filing or meter.filing
    rest, seed = meter.units - units(won_cents), units(filing.reset_cents)
    # A wager so large that its spill alone fills the next cycle would pass the ceiling: that part is carried instead.
    excess = max(0, seed + rest - units(filing.maximum_cents))
    account = meter_account(meter.id)
    after = replace(
        meter,
        filing=filing,
        next_filing=None,
        cycle=meter.cycle + 1,
        units=seed + rest - excess,
        carry=meter.carry + excess,
        hits=meter.hits + 1,
        wins_cents=meter.wins_cents + won_cents,
    )
    return _sealed(after, draw), (Move(SEED, account, seed), Move(account, carry_account(meter.id), excess))


class Due(NamedTuple):
    """A jackpot the cards gave: who shares it, and what the meter and its reserve held at that round's lock-out."""

    seq: int
    at: str
    round: int
    awards: tuple[str, ...]
    positions: tuple[int, ...]
    units: int
    reserve: int
    later: int = 0  # units contributed since, which belong to the next cycle; and those of the reserve
    later_reserve: int = 0

    @property
    def cents(self) -> int:
        """The jackpot: whole cents; the fraction stays."""
        return self.units // UNITS_PER_CENT

    @property
    def each_cents(self) -> int:
        """An equal share in whole cents; what is left over stays."""
        return self.cents // len(self.awards)


class Changed(NamedTuple):
    """A meter after a hit or its undoing, with the moves that led there."""

    meter: Meter
    moves: tuple[Move, ...]


def hit(meter: Meter, due: Due) -> Changed:
    """Pay a jackpot and open the next cycle at once. Later contributions and later reserve belong to it."""
    filing, account = meter.next_filing or meter.filing, meter_account(meter.id)
    each = units(due.each_cents)
    paid = each * len(due.awards)
    lack = max(0, paid - max(0, meter.units - due.later))
    released = min(due.reserve, max(0, meter.reserve - due.later_reserve)) if meter.kind == RESERVE else 0
    seed = max(0, units(filing.reset_cents) - released)
    record = Hit(
        id=due.awards[0],
        seq=due.seq,
        at=due.at,
        round=due.round,
        amount_cents=due.cents,
        awards=due.awards,
        positions=due.positions,
        seed=seed,
        released=released,
        lack=lack,
        former=meter.filing if meter.next_filing else None,
    )
    after = replace(
        meter,
        filing=filing,
        next_filing=None,
        cycle=meter.cycle + 1,
        units=meter.units + lack - paid + seed + released,
        reserve=meter.reserve - released,
    )
    moves = (
        Move(LATE, account, lack),
        *(Move(account, pending_account(award), each) for award in due.awards),
        Move(SEED, account, seed),
        Move(reserve_account(meter.id), account, released),
    )
    return Changed(recorded(after, record, due.each_cents * len(due.awards)), moves)


def hit_late(meter: Meter, due: Due) -> Changed:
    """Pay a jackpot whose meter has been hit since: whole, by the house, the running cycle untouched."""
    record = Hit(due.awards[0], due.seq, due.at, due.round, due.cents, due.awards, due.positions, from_meter=False)
    each = due.each_cents
    moves = tuple(Move(LATE, pending_account(award), units(each)) for award in due.awards)
    return Changed(recorded(meter, record, each * len(due.awards)), moves)


def recorded(meter: Meter, record: Hit, won_cents: int) -> Meter:
    """The meter with one more hit in its counters and its list."""
    counted = replace(meter, hits=meter.hits + 1, wins_cents=meter.wins_cents + won_cents)
    return listed(counted, record)


def listed(meter: Meter, record: Hit) -> Meter:
    """The meter with a hit in its list: the last 25, and those still pending."""
    beyond = len(meter.last) + 1 - HITS_KEPT
    kept = tuple(each for index, each in enumerate(meter.last) if index >= beyond or each.fate == PENDING)
    return replace(meter, last=(*kept, record))


def hit_since(meter: Meter, seq: int) -> bool:
    """Whether a hit that stands has taken the meter's money after a fact."""
    return any(each.seq > seq and each.stands for each in meter.last)


def unwind(meter: Meter, record: Hit, back: Sequence[tuple[str, int]], fate: str, *, whole: bool) -> Changed:
    """Undo a hit, or the shares of it that come back, given as awards and cents.

    What came from the meter returns to it, and what the house paid or added to the house. If all of it is undone, what
    opened the running cycle goes back where it came from, unless the meter has been hit since.
    """
    account = meter_account(meter.id)
    cents = sum(amount for _, amount in back)
    target = account if record.from_meter else LATE
    moves = [Move(pending_account(award), target, units(amount)) for award, amount in back]
    held = meter.units + (units(cents) if record.from_meter else 0)
    after = meter
    origins = [(LATE, record.lack)] if whole else []
    if whole and record.stands and not hit_since(meter, record.seq):
        origins += [(SEED, record.seed), (reserve_account(meter.id), record.released)]
        if record.former is not None:
            after = replace(after, filing=record.former, next_filing=after.next_filing or after.filing)
    for origin, amount in origins:
        returned = min(amount, held)  # an adjustment may have taken out what opened the cycle
        held -= returned
        moves.append(Move(account, origin, returned))
        if origin == reserve_account(meter.id):
            after = replace(after, reserve=after.reserve + returned)
    undone = replace(record, fate=fate) if whole else record
    after = replace(
        after,
        units=held,
        hits=after.hits - whole,
        wins_cents=after.wins_cents - cents,
        last=tuple(undone if each.id == record.id else each for each in after.last),
    )
    return Changed(after, tuple(moves))


class Resplit(NamedTuple):
    """A jackpot shared anew among those who are left."""

    meter: Meter
    moves: tuple[Move, ...]
    each_cents: int


def resplit(meter: Meter, record: Hit, gone: tuple[str, int], left: Sequence[tuple[str, int]]) -> Resplit:
    """Share a jackpot anew after one share has gone and before any is validated."""
    award, amount = gone
    each = record.amount_cents // len(left)
    source = meter_account(meter.id) if record.from_meter else LATE
    moves = [Move(pending_account(award), source, units(amount))]
    moves += [Move(source, pending_account(other), units(each - had)) for other, had in left]
    drawn = units(sum(each - had for _, had in left) - amount)
    after, lack = meter, 0
    if record.from_meter:
        # The odd cents that equal shares had left in the meter may have gone with a later hit: then the house has them.
        lack = max(0, drawn) if hit_since(meter, record.seq) else max(0, drawn - meter.units)
        moves.append(Move(LATE, source, lack))
        after = replace(meter, units=meter.units - drawn + lack)
    ids = tuple(other for other, _ in left)
    positions = tuple(seat for id_, seat in zip(record.awards, record.positions, strict=True) if id_ in ids)
    shared = replace(record, awards=ids, positions=positions, lack=record.lack + lack)
    after = replace(
        after,
        wins_cents=after.wins_cents + drawn // UNITS_PER_CENT,
        last=tuple(shared if each.id == record.id else each for each in after.last),
    )
    return Resplit(after, tuple(moves), each)


def reverse(meter: Meter, share: Share, stake_cents: int, *, inside: bool) -> Changed:
    """Give a contribution back: out of the running cycle, or whole by the house where it is inside an award."""
    wanted = (0, 0) if inside else (share.units, share.reserve)
    main, reserve = min(wanted[0], meter.units), min(wanted[1], meter.reserve)
    after = replace(
        meter, units=meter.units - main, reserve=meter.reserve - reserve, in_cents=meter.in_cents - stake_cents
    )
    moves = (
        Move(meter_account(meter.id), WAGERS, main),
        Move(reserve_account(meter.id), WAGERS, reserve),
        Move(VOID, WAGERS, share.units + share.reserve - main - reserve),
    )
    return Changed(after, moves)


def is_inside(meter: Meter, share: Share, round_: int) -> bool:
    """Whether a contribution of a round is inside an award that stands."""
    if meter.kind == MYSTERY:
        return share.cycle != meter.cycle
    return any(each.round >= round_ and each.stands for each in meter.last)
