"""What a table says of itself: every retained message, as a function of its state."""

from itertools import islice
from typing import Any, NamedTuple

from msgspec import UNSET

from controller.core.awards import needs_two
from controller.core.filed import MYSTERY
from controller.core.floor import IN_PLAY, out
from controller.core.lamps import lamps
from controller.core.meters import Hit
from controller.core.meters import Meter as CoreMeter
from controller.core.phases import Phase
from controller.core.state import Award as CoreAward
from controller.core.state import State
from controller.core.times import stamp
from controller.wire import topics
from controller.wire.messages import Award, HitShown, Message, Meter, Proof, ReturnShown, Reveal, Round

# Coins to give back that are told with every change of a lamp: more than positions have slots. A dealer gives back
# those, and hears of the rest as they go.
MOST_RETURNS = 50
LABELS = {
    "royal9-mega": "Royal 9 Mega",
    "royal9-major": "Royal 9 Major",
    "royal9-minor": "Royal 9 Minor",
    "royal9-mystery": "Royal 9 Mystery",
    "harmony": "Harmony",
    "heavenly9": "Heavenly 9",
    "must-hit-by": "Must-Hit-By Mystery",
}


class Stand(NamedTuple):
    """Where a message stands: the start of the controller, the journal position, the time."""

    epoch: int
    seq: int
    at: str


def retained(state: State, epoch: int) -> dict[str, Message]:
    """Every meter, proof and pending award, and the round, by topic."""
    stand = Stand(epoch, state.seq, state.at or stamp(0))  # before the first fact there is no time
    pending = state.pending()
    found: dict[str, Message] = {topics.ROUND: _round(state, stand)}
    for meter in state.meters.values():
        if state.filed is not None and meter.wager in state.filed.wagers:
            found[topics.meter(meter.id)] = _meter(state, meter, pending, stand)
            if meter.kind == MYSTERY:
                found[topics.proof(meter.id)] = _proof(meter, stand)
    for award in pending:
        found[topics.award(award.id)] = _award(state, award, stand)
    return found


def _meter(state: State, meter: CoreMeter, pending: list[CoreAward], stand: Stand) -> Meter:
    """A meter. It is faulted where its wager is taken at no position."""
    at = {hit.id: hit.at for hit in meter.last}
    hits = tuple(
        HitShown(
            award=award.id, position=award.position, amount_cents=award.amount_cents, at=at.get(award.hit, stand.at)
        )
        for award in pending
        if award.meter == meter.id
    )
    positions = range(1, state.filed.positions + 1) if state.filed else range(0)
    dark = state.phase is Phase.FAULTED or all(out(state, position, meter.wager) for position in positions)
    mystery = meter.kind == MYSTERY
    return Meter(
        **stand._asdict(),
        display_cents=meter.display_cents,
        label=LABELS.get(meter.id, meter.id),
        state="faulted" if dark else "hit" if hits else "live",
        hits=hits,
        must_hit_by_cents=meter.filing.maximum_cents if mystery else UNSET,
        minimum_cents=meter.filing.reset_cents if mystery else UNSET,
        commitment=meter.commitment if mystery else UNSET,
    )


def _proof(meter: CoreMeter, stand: Stand) -> Proof:
    reveals = tuple(revealed for hit in meter.last if (revealed := _reveal(hit)) is not None)
    return Proof(**stand._asdict(), commitment=meter.commitment, cycle=meter.cycle, reveals=reveals)


def _reveal(hit: Hit | None) -> Reveal | None:
    if hit is None or hit.reveal is None:
        return None
    told = hit.reveal
    return Reveal(value_cents=told.value_cents, nonce=told.nonce, cycle=told.cycle, commitment=told.commitment)


def _award(state: State, award: CoreAward, stand: Stand) -> Award:
    record = state.record(award.round)
    meter = state.meters.get(award.meter)
    hit = next((hit for hit in meter.last if hit.id == award.hit), None) if meter else None
    dealt = record is not None and bool(record.player)
    return Award(
        **stand._asdict(),
        award=award.id,
        kind=award.kind,  # type: ignore[arg-type]  # the core makes these three kinds and no other
        wager=award.wager,
        outcome=award.outcome,
        round=award.round,
        position=award.position,
        amount_cents=award.amount_cents,
        needs_second=needs_two(state, award),
        meter=award.meter or UNSET,
        player=record.player if record and dealt else UNSET,
        banker=record.banker if record and dealt else UNSET,
        reveal=_reveal(hit) or UNSET,
    )


def _round(state: State, stand: Stand) -> Round:
    shown: dict[str, dict[str, Any]] = {
        str(position): {wager: lamp.value for wager, lamp in each.items()} for position, each in lamps(state).items()
    }
    record = state.record(state.round)
    dealt = record is not None and bool(record.player) and state.play in IN_PLAY
    returns = tuple(
        ReturnShown(id=each.id, position=each.position, wager=each.wager, cents=each.cents, why=each.why)
        for each in islice(state.returns.values(), MOST_RETURNS)
    )
    return Round(
        **stand._asdict(),
        round=state.round,
        phase=state.phase.value,
        positions=shown,
        prior=UNSET if state.prior is None else state.prior.value,
        player=record.player if record and dealt else UNSET,
        banker=record.banker if record and dealt else UNSET,
        out_of_service={str(position): why for position, why in sorted(state.out_of_service.items())} or UNSET,
        returns=returns or UNSET,
        more_returns=max(0, len(state.returns) - MOST_RETURNS) or UNSET,
    )
