"""What linked meters say of themselves: as the link was last seen, and with the hits of all its tables."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET

from controller.core.filed import MYSTERY, FiledMeter
from controller.core.meters import PENDING
from controller.core.meters import Hit as CoreHit
from controller.core.state import Award, State
from controller.link.sessions import Shown
from controller.outlets.meters import LABELS, Stand, is_dark, reveal_of
from controller.wire import topics
from controller.wire.messages import HitShown, Message, Meter, Proof


def linked_messages(
    state: State, linked: Mapping[str, Shown], pending: Sequence[Award], stand: Stand
) -> dict[str, Message]:
    """Every linked meter and its proof, by topic."""
    found: dict[str, Message] = {}
    for wager in state.filed.wagers.values() if state.filed else ():
        for filed in wager.meters:
            shown = linked.get(filed.id)
            # One that was never seen has no amount that could be told.
            if filed.link and (shown is not None or state.linked.get(filed.id)):
                found[topics.meter(filed.id)] = _meter(
                    state, filed, shown, pending, stand, dark=is_dark(state, wager.name)
                )
            if filed.link and filed.kind == MYSTERY and shown is not None:
                found[topics.proof(filed.id)] = _proof(filed.link, shown, stand)
    return found


def _meter(  # noqa: PLR0913 -- all that it shows
    state: State, filed: FiledMeter, shown: Shown | None, pending: Sequence[Award], stand: Stand, *, dark: bool
) -> Meter:
    hits = (*_own(state, filed, shown, pending, stand), *_elsewhere(state, shown))
    mystery = filed.kind == MYSTERY
    return Meter(
        **stand._asdict(),
        display_cents=shown.meter.display_cents if shown else state.linked[filed.id],
        label=LABELS.get(filed.id, filed.id),
        state="faulted" if dark else "hit" if hits else "live",
        hits=tuple(sorted(hits, key=lambda each: each.at)),
        must_hit_by_cents=filed.filing.maximum_cents if mystery else UNSET,
        minimum_cents=filed.filing.reset_cents if mystery else UNSET,
        commitment=shown.meter.commitment if mystery and shown else UNSET,
        cycle=shown.meter.cycle if shown else UNSET,
        link=filed.link,
        link_seq=shown.seq if shown else UNSET,
    )


def _own(
    state: State, filed: FiledMeter, shown: Shown | None, pending: Sequence[Award], stand: Stand
) -> Iterator[HitShown]:
    """Hits at this table, from the moment its own journal has them."""
    for award in pending:
        if award.meter == filed.id:
            hit = hit_of(state, award, shown)
            yield HitShown(
                award=award.id,
                position=award.position,
                amount_cents=award.amount_cents,
                at=hit.at if hit else stand.at,
                table=state.filed.table if state.filed else UNSET,
            )


def hit_of(state: State, award: Award, shown: Shown | None) -> CoreHit | None:
    """The link's own record of an award of this table, if it still lists it."""
    name = state.filed.name if state.filed else ""
    for each in reversed(shown.listed if shown else ()):
        if (each.table, each.round) == (name, award.round) and award.position in each.hit.positions:
            return each.hit
    return None


def _elsewhere(state: State, shown: Shown | None) -> Iterator[HitShown]:
    """Hits at other tables that nobody has settled yet. The winners of one share it equally."""
    name = state.filed.name if state.filed else ""
    for each in shown.listed if shown else ():
        hit = each.hit
        if each.table == name or hit.fate != PENDING:
            continue
        each_cents = hit.amount_cents // len(hit.positions)
        for award, position in zip(hit.awards, hit.positions, strict=True):
            if position in each.settled or not each_cents:
                continue
            yield HitShown(
                award=award,
                position=position,
                amount_cents=each_cents,
                at=hit.at,
                table=each.table.partition("/")[2],
            )


def _proof(link: str, shown: Shown, stand: Stand) -> Proof:
    reveals = tuple(revealed for each in shown.listed if (revealed := reveal_of(each.hit)) is not None)
    meter = shown.meter
    return Proof(**stand._asdict(), commitment=meter.commitment, cycle=meter.cycle, link=link, reveals=reveals)
