"""What the meters of a table say of themselves: their amounts, their hits, and what they have committed to."""

from typing import NamedTuple

from msgspec import UNSET

from controller.core.filed import MYSTERY
from controller.core.floor import out
from controller.core.meters import Hit
from controller.core.meters import Meter as CoreMeter
from controller.core.phases import Phase
from controller.core.state import Award as CoreAward
from controller.core.state import State
from controller.wire.messages import HitShown, Meter, Proof, Reveal

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


def meter_message(state: State, meter: CoreMeter, pending: list[CoreAward], stand: Stand) -> Meter:
    """A meter. It is faulted where its wager is taken at no position."""
    at = {hit.id: hit.at for hit in meter.last}
    hits = tuple(
        HitShown(
            award=award.id, position=award.position, amount_cents=award.amount_cents, at=at.get(award.hit, stand.at)
        )
        for award in pending
        if award.meter == meter.id
    )
    dark, mystery = is_dark(state, meter.wager), meter.kind == MYSTERY
    return Meter(
        **stand._asdict(),
        display_cents=meter.display_cents,
        label=LABELS.get(meter.id, meter.id),
        state="faulted" if dark else "hit" if hits else "live",
        hits=hits,
        must_hit_by_cents=meter.filing.maximum_cents if mystery else UNSET,
        minimum_cents=meter.filing.reset_cents if mystery else UNSET,
        commitment=meter.commitment if mystery else UNSET,
        cycle=meter.cycle,
    )


def is_dark(state: State, wager: str) -> bool:
    """Whether a wager is taken at no position."""
    positions = range(1, state.filed.positions + 1) if state.filed else range(0)
    return state.phase is Phase.FAULTED or all(out(state, position, wager) for position in positions)


def proof_message(meter: CoreMeter, stand: Stand) -> Proof:
    """What a mystery meter has committed to, and its last reveals."""
    reveals = tuple(revealed for hit in meter.last if (revealed := reveal_of(hit)) is not None)
    return Proof(**stand._asdict(), commitment=meter.commitment, cycle=meter.cycle, reveals=reveals)


def reveal_of(hit: Hit | None) -> Reveal | None:
    """What a hit revealed, if it was one of a mystery meter."""
    if hit is None or hit.reveal is None:
        return None
    told = hit.reveal
    return Reveal(value_cents=told.value_cents, nonce=told.nonce, cycle=told.cycle, commitment=told.commitment)
