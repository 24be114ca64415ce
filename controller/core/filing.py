"""The Rules Submission: the first of a journal, and what of a later one takes effect when."""

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from msgspec.structs import replace

from controller.core.accounts import ADJUSTMENTS, carry_account
from controller.core.chance import Chance
from controller.core.decision import Decision, people, refuse, text
from controller.core.draft import Draft
from controller.core.effects import Lamps, Meters
from controller.core.facts import SubmissionFiled
from controller.core.filed import LINKABLE, MYSTERY, RESERVE, Filed, FiledMeter, filed
from controller.core.inputs import SUPERVISOR, SubmissionChanged, need_two
from controller.core.meters import Meter, open_meter
from controller.core.phases import Phase
from controller.core.refusals import Refusal
from controller.core.state import Intent, State
from controller.rules import lawful
from controller.rules.errors import BadInputError
from controller.rules.money import dollars

# What decisions about people and paper ask for may change while the table plays; the rest only while it is closed.
_AT_ONCE = ("payout", "validate_from_cents", "second_person_from_cents", "hold_play_on_hit", "late_hands")
_WHILE_CLOSED = ("game", "positions", "decks", "variant", "timezone", "day_start", "award", "layout")


def read(change: SubmissionChanged) -> Filed:
    """What a submission files, refused with every violation where it is not lawful."""
    try:
        found = lawful.check(change.toml, _day(change.day))
    except BadInputError as error:
        raise refuse(Refusal.BAD_REQUEST, str(error)) from error
    if found.submission is None:
        told = "; ".join(f"{each.key}: {each.message}" for each in found.violations)
        raise refuse(Refusal.BAD_REQUEST, f"not lawful: {told}")
    meters = filed(found.submission, change.links)
    barred = sorted(set(change.links) - set(LINKABLE))
    if barred:
        raise refuse(Refusal.BAD_REQUEST, f"{', '.join(barred)} cannot be linked: only {', '.join(LINKABLE)} can")
    return meters


def _day(text_: str) -> date:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text_) is None:
        raise refuse(Refusal.BAD_REQUEST, f"{text_!r} is no gaming day: write it as YYYY-MM-DD")
    try:
        return date.fromisoformat(text_)
    except ValueError as error:
        raise refuse(Refusal.BAD_REQUEST, f"{text_!r} is no day of the calendar") from error


def new_meters(state: State, files: Filed) -> dict[str, tuple[str, FiledMeter]]:
    """Meters of this table's own that a submission adds, or files again, with the wagers that feed them."""
    filed_now = {id_ for id_, meter in state.filed.meters().items() if not meter.link} if state.filed else set()
    return {
        meter.id: (wager.name, meter)
        for wager in files.wagers.values()
        for meter in wager.meters
        if not meter.link and meter.id not in filed_now
    }


def change(state: State, given: SubmissionChanged, chance: Chance) -> Decision:
    """Put a submission in force: at once, or number by number at each meter's next reset."""
    text("a reason", given.reason)
    files = read(given)
    if state.filed is not None:
        need_two(given.by, given.second, SUPERVISOR)
    draft = Draft(replace(state, filed=files))
    removed: tuple[str, ...] = ()
    if state.filed is not None:
        removed = _check_change(state, state.filed, files)
        reopening = new_meters(state, files)
        for wager in files.wagers.values():
            before = state.filed.wagers.get(wager.name)
            for each in wager.meters:
                if each.id not in reopening and not each.link:
                    _refile(draft, each, other_paytable=before is not None and before.id != wager.id)
    # From here it succeeds.
    opened: list[Meter] = []
    for id_, (wager_name, new) in new_meters(state, files).items():
        ready = chance.get(id_)
        draw = ready.draws[0] if ready and ready.draws else None
        meter, put = open_meter(new, wager_name, draw, state.meters.get(id_))
        opened.append(meter)
        draft.moves += put
    fact = SubmissionFiled(
        toml=given.toml,
        day=state.day or given.day,
        filed=files,
        reason=given.reason,
        opened=tuple(opened),
        removed=removed,
        abandoned=tuple(intent.id for intent in _leaving(state, files)),
        linked={meter.id: state.linked.get(meter.id, 0) for meter in files.meters().values() if meter.link},
        **people(given.by, given.second),
        **draft.parts(),
    )
    return Decision(fact, (Lamps(), Meters(tuple(files.meters()))))


def _check_links(state: State, old: Filed, new: Filed) -> None:
    """Refuse to move a meter between this table and a link: its books would be in two places."""
    for id_, meter in new.meters().items():
        if (id_ in state.meters) if meter.link else (id_ in state.linked):
            raise refuse(Refusal.BAD_REQUEST, f"{id_}: a meter of this table's own is never linked, nor the reverse")
        before = old.meters().get(id_)
        if before is not None and before.link != meter.link:
            raise refuse(Refusal.BAD_REQUEST, f"{id_}: it is kept by {before.link}, and that cannot change")
        if before is not None and meter.link and before != meter:
            why = f"all tables of the link {meter.link} file the same numbers, and one cannot change them alone"
            raise refuse(Refusal.BAD_REQUEST, f"{id_}: {why}")
    for intent in (*_leaving(state, new), *_carrying(state, new)):
        part = state.devices.get(f"link:{intent.link}")
        if part is None or not part.lost:
            why = "its link has not answered everything yet: try again when it has"
            raise refuse(Refusal.STALE, f"{intent.meter}: {why}")
    for name, wager in new.wagers.items():
        linked = [meter.link for meter in wager.meters if meter.link]
        offered = old.wagers.get(name)
        if linked and offered is not None and (offered.id, offered.stake_cents) != (wager.id, wager.stake_cents):
            why = f"all tables of the link {linked[0]} file the same paytable and denomination"
            raise refuse(Refusal.BAD_REQUEST, f"{name}: {why}")


def _leaving(state: State, new: Filed) -> list[Intent]:
    """What a link was asked and has not answered, where the table leaves it."""
    meters = new.meters()
    return [each for each in state.intents.values() if each.meter not in meters or meters[each.meter].link != each.link]


def _carrying(state: State, new: Filed) -> list[Intent]:
    """Adjustments under way that would be put back into the carry of a meter that leaves."""
    donors = {carry_account(id_) for id_ in new.meters()}
    return [
        each
        for each in state.intents.values()
        if each.adjustment is not None and each.adjustment.source not in {ADJUSTMENTS, *donors}
    ]


class _Difference(NamedTuple):
    key: str
    why: str


def _check_change(state: State, old: Filed, new: Filed) -> tuple[str, ...]:
    """Refuse what cannot change now; answer which meters are removed."""
    if (old.site, old.table) != (new.site, new.table):
        raise refuse(Refusal.BAD_REQUEST, f"table.id: this is the journal of {old.name}, not of {new.name}")
    idle = state.play is Phase.CLOSED and not state.pending()
    _check_links(state, old, new)
    for key, why in _only_while_closed(old, new):
        if not idle:
            raise refuse(Refusal.WRONG_PHASE, f"{key}: {why} only with the table closed and no award pending")
    local = {id_ for id_, meter in new.meters().items() if not meter.link}
    removed = tuple(id_ for id_, meter in old.meters().items() if id_ not in local and not meter.link)
    for id_ in removed:
        meter = state.meters[id_]
        if meter.units or meter.reserve or meter.carry:
            raise refuse(Refusal.BAD_REQUEST, f"{id_} holds {dollars(meter.display_cents)}: it cannot be removed")
    for wager, offered in new.wagers.items():
        before = old.wagers.get(wager)
        if before is not None and (before.id, before.stake_cents) != (offered.id, offered.stake_cents):
            _check_floors(state, offered.meters)
    return removed


def _only_while_closed(old: Filed, new: Filed) -> Iterator[_Difference]:
    for name in _WHILE_CLOSED:
        if getattr(old, name) != getattr(new, name):
            yield _Difference(name, f"{name} changes")
    for wager in {**old.wagers, **new.wagers}:
        before, after = old.wagers.get(wager), new.wagers.get(wager)
        if before is None or after is None:
            yield _Difference(wager, "a wager is added or removed")
        elif (before.id, before.stake_cents) != (after.id, after.stake_cents):
            yield _Difference(wager, "paytable and denomination change")
        elif [(m.id, m.kind, m.link) for m in before.meters] != [(m.id, m.kind, m.link) for m in after.meters]:
            yield _Difference(wager, "a meter is added or removed")


def _check_floors(state: State, meters: tuple[FiledMeter, ...]) -> None:
    """Amounts carry over to another denomination or paytable, and must not be below the floors that come with it."""
    for filed_meter in meters:
        meter = state.meters.get(filed_meter.id)
        if meter is None or meter.kind == MYSTERY:
            continue
        if meter.display_cents < filed_meter.floor_cents:
            least, has = dollars(filed_meter.floor_cents), dollars(meter.display_cents)
            raise refuse(Refusal.BAD_REQUEST, f"{meter.id} holds {has}, below its new floor of {least}")


def _refile(draft: Draft, new: FiledMeter, *, other_paytable: bool) -> None:
    """Numbers of a meter take effect at its next reset; filing the running ones again calls a change off.

    But Harmony's rates follow from its paytable (§ 627b.6(j)): with another paytable they are other rates at once.
    """
    meter = draft.state.meters[new.id]
    running = meter.filing
    if other_paytable and new.kind == RESERVE:
        running = replace(running, rate=new.filing.rate, reserve_rate=new.filing.reserve_rate)
    waiting = None if new.filing == running else new.filing
    refiled = replace(meter, filing=running, next_filing=waiting)
    if refiled != meter:
        draft.put(refiled)
