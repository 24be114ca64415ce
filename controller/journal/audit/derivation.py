"""How a jackpot came about: every unit on its meter, from what opened the cycle to the last contribution.

A hand-based jackpot is what the meter held at its round's lock-out, a mystery award what it held after the contribution
that passed the value. Both are a running total of lines; the award is its whole cents, and the rest stays.
"""

from collections.abc import Iterator
from typing import NamedTuple

from controller.core.accounts import SEED, WAGERS, meter_account, pending_account, units
from controller.core.facts import LockedOut, WagerTakenOut
from controller.core.meters import Hit
from controller.journal.audit.awards import Won, new_hits
from controller.journal.audit.history import History, Opened
from controller.journal.audit.reasons import changes
from controller.journal.audit.stored import Stored, in_round, one, stored
from controller.journal.errors import JournalCorruptError
from controller.journal.reading import JournalReader
from controller.journal.view_parts import DECIDING
from controller.rules.errors import BadInputError
from controller.rules.money import UNITS_PER_CENT

CONTRIBUTION, SEEDED, TAKEN_OUT = "contribution", "seed", "wager taken out"
LEFT_OVER, SPILL, CARRIED = "left of the jackpot before", "left of the award before", "above the next ceiling"


class Line(NamedTuple):
    """One step of a running total. Position to rate are there for a contribution."""

    seq: int
    at: str
    what: str
    units: int
    round: int | None = None
    position: int | None = None
    wager: str | None = None
    stake_cents: int | None = None
    rate: int | None = None  # millionths


class Derivation(NamedTuple):
    """The lines of a jackpot, oldest first. `most_cents` is the ceiling of a mystery meter."""

    won: Won
    lines: tuple[Line, ...]
    most_cents: int | None

    @property
    def total(self) -> int:
        """What the lines add up to, in units."""
        return sum(line.units for line in self.lines)

    @property
    def remainder(self) -> int:
        """What stays on the meter, in units."""
        return self.total - units(self.won.hit.amount_cents)

    @property
    def ok(self) -> bool:
        """Whether the amount is the whole cents of the total, or the ceiling where that is less."""
        cents = self.total // UNITS_PER_CENT
        return self.won.hit.amount_cents == (cents if self.most_cents is None else min(cents, self.most_cents))


def derive(journal: JournalReader, won: Won) -> Derivation:
    """Every step to the amount of a hit."""
    history = History(journal, won.meter, won.hit.seq)
    if history.opened is None:
        raise BadInputError(f"{won.meter} is kept by a link: what it was fed is in the link's own journal")
    if won.hit.reveal:
        lines = tuple(_mystery(journal, won, history, history.opened))
        return Derivation(won, lines, history.filing(won.hit.seq - 1).maximum_cents)
    return Derivation(won, tuple(_jackpot(journal, won, history, history.opened)), None)


def _jackpot(journal: JournalReader, won: Won, history: History, opened: Opened) -> Iterator[Line]:
    """What the meter held when the round was locked, less its wagers taken out before the hand was known."""
    meter, hit = won.meter, won.hit
    locked = history.lock_out(hit.round)
    before = history.hit_before(locked.seq)
    start, counted = opened.seq - 1, _NOTHING
    if before is not None:
        left, counted = history.lock_out(before.round), _awarded(journal, meter, before)
        yield Line(left.seq, left.at, LEFT_OVER, history.held(left.seq) - counted.units, before.round)
        start = left.seq
    for each in stored(journal, DECIDING, start, locked.seq):
        yield from _lines(each, meter, counted)
    total = history.held(locked.seq)
    for each in in_round(journal, hit.round, "wager-taken-out"):
        fact = each.fact
        if isinstance(fact, WagerTakenOut) and locked.seq < each.seq < hit.seq and meter in fact.lowered:
            lowered = fact.lowered[meter][0]
            yield Line(each.seq, each.at, TAKEN_OUT, lowered - total, hit.round, fact.position, fact.wager)
            total = lowered


class _Awarded(NamedTuple):
    """The moves by which the jackpot before was paid: they are out of the first line and not told again."""

    seq: int
    accounts: frozenset[str]
    units: int


_NOTHING = _Awarded(0, frozenset(), 0)


def _awarded(journal: JournalReader, meter: str, before: Hit) -> _Awarded:
    made = one(journal, before.seq)
    if made is None:
        raise JournalCorruptError(f"hit {before.id} is of fact {before.seq}, which is missing: verify the journal")
    # As it was made: since then shares may have been taken out of it.
    awards = next(hit.awards for id_, hit in new_hits(made.seq, made.fact) if (id_, hit.id) == (meter, before.id))
    accounts = frozenset(map(pending_account, awards))
    paid = sum(move.units for move in made.fact.moves if move.target in accounts)
    return _Awarded(made.seq, accounts, paid)


def _lines(each: Stored, meter: str, counted: _Awarded = _NOTHING) -> Iterator[Line]:
    """What a fact did to a meter, a contribution a line."""
    if isinstance(each.fact, LockedOut):
        yield from (line for _, line in _contributions(each, each.fact, meter))
    for why, amount, other in changes(each.fact, meter_account(meter)):
        if isinstance(each.fact, LockedOut) and other == WAGERS:
            continue  # told wager by wager
        if each.seq == counted.seq and other in counted.accounts:
            continue
        yield Line(each.seq, each.at, why, amount, each.round)


def _contributions(each: Stored, fact: LockedOut, meter: str) -> Iterator[tuple[int, Line]]:
    """The contributions of a lock-out to a meter, in order, with their cycles."""
    for wager in fact.wagers:
        for share in wager.shares:
            if share.meter == meter:
                rate = share.units // wager.stake_cents
                place = (each.round, wager.position, wager.wager, wager.stake_cents, rate)
                yield share.cycle, Line(each.seq, each.at, CONTRIBUTION, share.units, *place)


def _mystery(journal: JournalReader, won: Won, history: History, opened: Opened) -> Iterator[Line]:
    """What the meter held after the contribution that passed the value."""
    meter, hit = won.meter, won.hit
    cycle = hit.reveal.cycle if hit.reveal else 0
    before = history.hit_of_cycle(cycle - 1)
    first = opened.seq if before is None else before.seq
    for each in stored(journal, DECIDING, first - 1, hit.seq):
        if each.seq in (first, hit.seq) and isinstance(each.fact, LockedOut):
            yield from (line for of, line in _walk(each, each.fact, meter, history) if of == cycle)
        else:
            yield from _lines(each, meter)


def _walk(each: Stored, fact: LockedOut, meter: str, history: History) -> Iterator[tuple[int, Line]]:
    """A lock-out in which a mystery meter was hit, perhaps more than once: its lines with the cycles they are of."""
    won = [hit for id_, hit in new_hits(each.seq, fact) if id_ == meter]
    ends = {hit.reveal.cycle: units(hit.amount_cents) for hit in won if hit.reveal}
    seeded = sum(move.units for move in fact.moves if (move.source, move.target) == (SEED, meter_account(meter)))
    seed, most = seeded // len(ends), units(history.filing(each.seq).maximum_cents)
    given = list(_contributions(each, fact, meter))
    total = history.held(each.seq - 1)
    for place, (cycle, line) in enumerate(given):
        yield cycle, line
        total += line.units
        if cycle in ends and (place + 1 == len(given) or given[place + 1][0] != cycle):
            rest = total - ends[cycle]
            excess = max(0, seed + rest - most)
            for what, amount in ((SEEDED, seed), (SPILL, rest), (CARRIED, -excess)):
                if amount:
                    yield cycle + 1, Line(each.seq, each.at, what, amount, each.round)
            total = seed + rest - excess
