"""The replay: every fact applied as it was live, and held against the state it was decided in."""

from collections.abc import Sequence
from typing import NamedTuple

from controller.core.evolve import evolve
from controller.core.facts import Fact, HandEntered, LinkWasAnswered, LockedOut, MeterAfter, Recorded, round_of
from controller.core.invariants import check
from controller.core.meters import REJECTED, UNWOUND, Hit, Meter
from controller.core.state import State
from controller.journal.audit.reveals import recomputed
from controller.rules.money import UNITS_PER_CENT

# Facts between two looks at the whole state. Each fact that moves money is held against the books as it comes; this
# sees what no single fact says, and costs as much as ten facts.
CHECK_EVERY = 1000


class Won(NamedTuple):
    """A hit and the meter it is of."""

    meter: str
    hit: Hit


class Playback:
    """The state, fact by fact."""

    def __init__(self, state: State | None = None) -> None:
        self.state = state or State()

    def flaw(self, recorded: Recorded) -> str | None:
        """Apply the next fact; why it cannot have followed the ones before, None if it can."""
        before, fact = self.state, recorded.fact
        if recorded.round != (round_of(fact, before.round) or None):
            return f"it stands under round {recorded.round}, and round {before.round} is in play"
        self.state = after = evolve(before, recorded)
        if not after.seq % CHECK_EVERY:
            check(after)
        if not fact.meters and type(fact) not in _SPECIAL:
            return None
        if isinstance(fact, LockedOut) and (why := _not_standing(before, fact) or _wrong_rate(before, fact)):
            return why
        return _miscounted(before, after, fact) or _unproven(before, fact)


_SPECIAL = (LockedOut, LinkWasAnswered)
_UNDONE = (REJECTED, UNWOUND)
_LINKED = (-1, -1)  # no rate of this table's own


def _not_standing(before: State, fact: LockedOut) -> str | None:
    """Wagers in at lock-out that are not those that stood, in the order they were made."""
    stood = sorted(before.standing.values(), key=lambda each: (each.instant, each.position, each.wager))
    if [(each.position, each.wager, each.stake_cents, each.source, each.placed) for each in fact.wagers] != [
        (each.position, each.wager, each.stake_cents, each.source, each.seq) for each in stood
    ]:
        return "the wagers that are in are not those that stood"
    return None


def _wrong_rate(before: State, fact: LockedOut) -> str | None:
    """A contribution that is not the wager times a rate in force: the running one or, after a hit, the next."""
    rates = {id_: (meter.filing.rate, meter.filing.reserve_rate) for id_, meter in before.meters.items()}
    for wager in fact.wagers:
        stake = wager.stake_cents
        for share in wager.shares:
            rate, reserve_rate = rates.get(share.meter) or _LINKED
            if share.units == stake * rate and share.reserve == stake * reserve_rate:
                continue
            meter = before.meters.get(share.meter)
            later = meter.next_filing if meter else None
            if meter is None or (
                later and (share.units, share.reserve) == (stake * later.rate, stake * later.reserve_rate)
            ):
                continue  # kept by a link; or a changed filing took effect with a hit in this very lock-out
            return f"position {wager.position} gives {share.units} units to {share.meter}, which is not its rate"
    return None


def _miscounted(before: State, after: State, fact: Fact) -> str | None:
    """Counters of qualifying wagers, wins and hits that do not follow from what happened."""
    stakes = _stakes(before, after, fact)
    wins = _wins(before, fact) if fact.awards or fact.fates else {}
    for each in fact.meters:
        old, new = before.meters[each.id], after.meters[each.id]
        came = old.in_cents + stakes.get(each.id, 0)
        if new.in_cents != came:
            return f"{each.id} counts {new.in_cents} cents in, and {came} came in"
        won = old.wins_cents + wins.get(each.id, 0)
        if new.wins_cents != won:
            return f"{each.id} counts {new.wins_cents} cents won, and {won} were"
        hit = old.hits + _hits(old, each) if each.listed else old.hits
        if new.hits != hit:
            return f"{each.id} counts {new.hits} hits, and {hit} were made and not undone"
    return None


def _hits(old: Meter, after: MeterAfter) -> int:
    """Hits made less hits undone; a mystery hit stays one when its award is rejected."""
    known = {hit.id: hit.fate for hit in old.last}
    made = sum(hit.id not in known for hit in after.listed)
    undone = (hit for hit in after.listed if hit.reveal is None and hit.fate in _UNDONE)
    return made - sum(known.get(hit.id) not in _UNDONE for hit in undone)


def _wins(before: State, fact: Fact) -> dict[str, int]:
    """Cents by meter: awards made, less those undone, and what shares changed by."""
    found: dict[str, int] = {}
    for award in fact.awards:
        found[award.meter] = found.get(award.meter, 0) + award.amount_cents
    for fate in fact.fates:
        old = before.award(fate.award)
        if old is not None:
            now = 0 if fate.fate in _UNDONE else fate.amount_cents
            found[old.meter] = found.get(old.meter, 0) + now - old.amount_cents
    return found


def _stakes(before: State, after: State, fact: Fact) -> dict[str, int]:
    """Cents of qualifying wagers by meter: in at a lock-out, given back by a void or when one is taken out."""
    found: dict[str, int] = {}
    if isinstance(fact, LockedOut):
        for wager in fact.wagers:
            for share in wager.shares:
                found[share.meter] = found.get(share.meter, 0) + wager.stake_cents
        return found
    record = before.record(round_of(fact, 0))
    changed = after.record(record.round) if record else None
    if record and changed and record.wagers != changed.wagers:
        for was, now in zip(record.wagers, changed.wagers, strict=True):
            for share in was.shares if now.out and not was.out else ():
                found[share.meter] = found.get(share.meter, 0) - was.stake_cents
    return found


def _new_hits(before: State, fact: Fact) -> Sequence[Won]:
    if isinstance(fact, LinkWasAnswered):
        return [Won(fact.meter, hit) for hit in fact.hits]
    found: list[Won] = []
    for each in fact.meters:
        if each.listed:
            known = {hit.id for hit in before.meters[each.id].last}
            found += [Won(each.id, hit) for hit in each.listed if hit.id not in known]
    return found


def _unproven(before: State, fact: Fact) -> str | None:
    """A hit that is not what its meter held at lock-out, or whose reveal does not fit the commitment before it."""
    if not any(each.listed for each in fact.meters) and not isinstance(fact, LinkWasAnswered):
        return None
    why = _revised(before, fact)
    cycles = {id_: (meter.cycle, meter.commitment) for id_, meter in before.meters.items()}
    for id_, hit in _new_hits(before, fact):
        meter, record = before.meters.get(id_), before.record(hit.round)
        if hit.reveal is not None:
            why = why or _unrevealed(before, id_, hit, cycles)
        elif meter is not None and isinstance(fact, HandEntered) and record is not None:
            held = record.amounts[id_].units // UNITS_PER_CENT
            if hit.amount_cents != held:
                why = why or f"hit {hit.id} pays {hit.amount_cents} cents, and {id_} held {held} at that lock-out"
    return why


def _unrevealed(before: State, id_: str, hit: Hit, cycles: dict[str, tuple[int, str]]) -> str | None:
    reveal = hit.reveal
    if reveal is None or before.filed is None:
        return f"hit {hit.id} is of a table where nothing is filed"
    meter: Meter | None = before.meters.get(id_)
    table = before.filed.name if meter else before.filed.meters()[id_].link
    if recomputed(table, id_, reveal) != reveal.commitment:
        return f"the value revealed by hit {hit.id} does not fit its commitment"
    if meter is None:
        return None  # its draws are in the link's own books
    cycle, promised = cycles[id_]
    if reveal.cycle != cycle or (promised and reveal.commitment != promised):
        return f"hit {hit.id} reveals another commitment than {id_} stood under in cycle {cycle}"
    # A second hit in one lock-out reveals a value drawn in that very fact: no fact before it holds its commitment.
    cycles[id_] = (cycle + 1, "")
    if not reveal.value_cents <= hit.amount_cents <= meter.filing.maximum_cents:
        return f"hit {hit.id} pays {hit.amount_cents} cents and reveals {reveal.value_cents}: it had not passed it"
    return None


def _revised(before: State, fact: Fact) -> str | None:
    """A hit listed again tells the same amount, round and reveal as at first."""
    for each in fact.meters:
        for hit in each.listed:
            was = next((old for old in before.meters[each.id].last if old.id == hit.id), hit)
            if (was.seq, was.round, was.amount_cents, was.reveal) != (hit.seq, hit.round, hit.amount_cents, hit.reveal):
                return f"hit {hit.id} was {was.amount_cents} cents in round {was.round} and is told otherwise now"
    return None
