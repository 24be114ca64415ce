"""Which fact made a meter fall without a hit: a sign that shows less than before says why."""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct, json

from controller.core.facts import MeterAfter
from controller.core.state import State
from controller.journal.journal import Journal
from controller.journal.starting import recorded
from controller.rules.money import UNITS_PER_CENT
from controller.wire import topics
from controller.wire.messages import Message, Meter


class Shown(NamedTuple):
    """What a sign was shown of a meter, and after which fact."""

    seq: int
    cents: int


class _Kept(Struct):
    seq: int
    display_cents: int


def shown_before(state: State | None, kept: Mapping[str, bytes]) -> dict[str, Shown]:
    """What every meter was said to show last: by this process, or, before it said anything, as the broker keeps it."""
    if state is not None:
        return {id_: Shown(state.seq, meter.display_cents) for id_, meter in state.meters.items()}
    found: dict[str, Shown] = {}
    for topic, payload in kept.items():
        id_ = topic.removeprefix(topics.meter(""))
        if id_ != topic:
            try:
                message = json.decode(payload, type=_Kept)
            except ValueError:
                continue  # not ours
            found[id_] = Shown(message.seq, message.display_cents)
    return found


def corrections(before: Mapping[str, Shown], after: State, journal: Journal) -> dict[str, int]:
    """For each meter that shows less than before, and not only because it was hit: the last fact that took from it."""
    less = {id_: shown for id_, shown in before.items() if id_ in after.meters and _is_less(shown, after, id_)}
    if not less:
        return {}
    found: dict[str, int] = {}
    cents = {id_: shown.cents for id_, shown in less.items()}
    for row in journal.rows(max(0, min(shown.seq for shown in less.values())), after.seq):
        for changed in recorded(row).fact.meters:
            if changed.id in less and row.seq > less[changed.id].seq and isinstance(changed.units, int):
                now = changed.units // UNITS_PER_CENT
                if _was_reset(changed):
                    found.pop(changed.id, None)  # a hit explains that it is low
                elif now < cents[changed.id]:
                    found[changed.id] = row.seq
                cents[changed.id] = now
    return found


def linked_correction(said: Message | None, kept: bytes | None, now: Meter) -> int | None:
    """For a linked meter that shows less than before without a hit between: the line of the link's ledger it is at."""
    before = said if isinstance(said, Meter) else _kept_meter(kept)
    if before is None or not now.link or not isinstance(now.link_seq, int) or before.link != now.link:
        return None
    fell = now.display_cents < before.display_cents and now.cycle == before.cycle
    return now.link_seq if fell and now.link_seq != before.link_seq else None


def _kept_meter(payload: bytes | None) -> Meter | None:
    try:
        return json.decode(payload or b"", type=Meter)
    except ValueError:
        return None  # nothing, or not ours


def _is_less(shown: Shown, after: State, id_: str) -> bool:
    return shown.seq < after.seq and after.meters[id_].display_cents < shown.cents


def _was_reset(changed: MeterAfter) -> bool:
    return isinstance(changed.cycle, int)
