"""What a table says of itself: every retained message, as a function of its state."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from msgspec import UNSET

from controller.core.awards import needs_two
from controller.core.filed import MYSTERY
from controller.core.floor import IN_PLAY
from controller.core.lamps import lamps
from controller.core.state import Award as CoreAward
from controller.core.state import State
from controller.core.times import stamp
from controller.link.sessions import Shown
from controller.outlets.linked_meters import hit_of, linked_messages
from controller.outlets.meters import Stand, meter_message, proof_message, reveal_of
from controller.wire import topics
from controller.wire.messages import Award, Message, ReturnShown, Round

# Coins to give back that are told with every change of a lamp: more than positions have slots. A dealer gives back
# those, and hears of the rest as they go.
MOST_RETURNS = 50


def retained(state: State, epoch: int, linked: Mapping[str, Shown] = {}) -> dict[str, Message]:
    """Every meter, proof and pending award, and the round, by topic. `linked` is how linked meters were last seen."""
    stand = Stand(epoch, state.seq, state.at or stamp(0))  # before the first fact there is no time
    pending = state.pending()
    found: dict[str, Message] = {topics.ROUND: _round(state, stand)}
    for meter in state.meters.values():
        if state.filed is not None and meter.wager in state.filed.wagers:
            found[topics.meter(meter.id)] = meter_message(state, meter, pending, stand)
            if meter.kind == MYSTERY:
                found[topics.proof(meter.id)] = proof_message(meter, stand)
    found |= linked_messages(state, linked, pending, stand)
    for award in pending:
        found[topics.award(award.id)] = _award(state, award, linked.get(award.meter), stand)
    return found


def _award(state: State, award: CoreAward, shown: Shown | None, stand: Stand) -> Award:
    record = state.record(award.round)
    meter = state.meters.get(award.meter)
    hit = next((hit for hit in meter.last if hit.id == award.hit), None) if meter else hit_of(state, award, shown)
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
        reveal=reveal_of(hit) or UNSET,
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
