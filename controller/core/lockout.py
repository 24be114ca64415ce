"""The button: "no more bets", and the next round."""

from msgspec.structs import replace

from controller.core.accounts import WAGERS, Move, link_account
from controller.core.chance import Chance
from controller.core.decision import NOTHING, Decision
from controller.core.draft import Draft
from controller.core.effects import Acceptors, Ask, Effect, Lamps, Meters
from controller.core.facts import ButtonIgnored, LockedOut, Reopened
from controller.core.filed import FiledMeter
from controller.core.floor import is_held, opening
from controller.core.inputs import Button
from controller.core.meters import Contributed, Hit, Share, contribute, listed
from controller.core.phases import Phase
from controller.core.state import Award, Standing, State, Wager
from controller.core.times import ms_between

_AFTER_LOCK_OUT = (Phase.LOCKED, Phase.DEALT, Phase.SETTLED)
LOCKED, UNLOCKED = "locked", "unlocked"


def locks(state: State, press: Button) -> bool:
    """Whether this press, level or first card locks the round."""
    if state.phase is not Phase.OPEN:
        return False
    if press.cause == "shoe":
        return True
    return press.level == LOCKED if press.level else not _again(state, press)


def _again(state: State, press: Button) -> bool:
    """Whether it is the last press once more: a bouncing or nervous finger. A clock set back is none."""
    return bool(state.pressed_at) and 0 <= ms_between(state.pressed_at, press.at) < press.reopen_after_ms


def button(state: State, press: Button, chance: Chance) -> Decision:
    """Lock out, open the next round, or note that nothing followed."""
    if locks(state, press):
        return lock_out(state, press, chance)
    if press.cause == "shoe":
        return NOTHING  # cards of a round that is locked already
    if state.phase in _AFTER_LOCK_OUT and press.level != LOCKED:
        if not press.level and _again(state, press):
            return _ignored("again", press)
        return _ignored("held", press) if is_held(state) else _reopen(state, press)
    if press.level:
        return NOTHING if press.level == state.switch else _ignored(state.phase.value, press)
    return _ignored("again" if state.phase is Phase.OPEN else state.phase.value, press)


def _ignored(why: str, press: Button) -> Decision:
    return Decision(ButtonIgnored(why=why, switch=press.level))


def _reopen(state: State, press: Button) -> Decision:
    record = state.record(state.round)
    there = opening(replace(state, switch=press.level))
    fact = Reopened(
        round=state.round + 1,
        entered=record is not None and record.complete,
        phase=there.phase,
        placed=there.placed,
        switch=press.level,
    )
    return Decision(fact, (Acceptors(inhibit=False), Lamps()))


def in_order(state: State) -> list[Standing]:
    """Standing wagers in the order they were made, those of one instant by position."""
    return sorted(state.standing.values(), key=lambda each: (each.instant, each.position, each.wager))


def lock_out(state: State, press: Button, chance: Chance) -> Decision:
    """What stands is in: contributions one by one, mystery hits decided, all in one fact."""
    draft, ready = Draft(state), dict(chance)
    asked: dict[str, list[tuple[int, int]]] = {}
    hits: list[Hit] = []
    wagers: list[Wager] = []
    for standing in in_order(state):
        offered = draft.filed.wagers[standing.wager]
        shares: list[Share] = []
        for filed in offered.meters:
            if filed.link:
                shares.append(_intend(draft, filed, standing.stake_cents))
                asked.setdefault(filed.id, []).append((standing.position, standing.stake_cents))
                continue
            given = contribute(draft.meter(filed.id), standing.stake_cents, draft.next_name(), ready.get(filed.id))
            draft.put(given.meter, given.moves)
            shares.append(given.share)
            if given.ready is not None:
                ready[filed.id] = given.ready
            if given.reveal is not None:
                hits.append(_won(draft, press.at, standing, offered.id, given))
        wagers.append(
            Wager(standing.position, standing.wager, standing.stake_cents, standing.source, standing.seq, tuple(shares))
        )
    links = {meter.id: meter.link for meter in draft.filed.meters().values()}
    for meter, stakes in asked.items():
        draft.ask(links[meter], meter, "contribute", state.round, stakes=tuple(stakes))
    fact = LockedOut(
        round=state.round,
        cause=press.cause,
        wagers=tuple(wagers),
        hits=tuple(hits),
        switch=press.level,
        phase=Phase.LOCKED.value,
        **draft.parts(),
    )
    effects: list[Effect] = [Acceptors(inhibit=True), Lamps(), Meters(tuple(draft.meters))]
    return Decision(fact, (*effects, *(Ask(intent) for intent in draft.intents)))


def _intend(draft: Draft, filed: FiledMeter, stake_cents: int) -> Share:
    """A contribution to a linked meter: the money leaves for the link, which applies it."""
    share = Share(filed.id, stake_cents * filed.filing.rate, stake_cents * filed.filing.reserve_rate, 0)
    draft.moves.append(Move(WAGERS, link_account(filed.link), share.units + share.reserve))
    return share


def _won(draft: Draft, at: str, standing: Standing, wager: str, given: Contributed) -> Hit:
    """The award of a contribution that passed the mystery value."""
    id_ = draft.name()
    hit = Hit(
        id=id_,
        seq=draft.seq,
        at=at,
        round=draft.state.round,
        amount_cents=given.won_cents,
        awards=(id_,),
        positions=(standing.position,),
        reveal=given.reveal,
    )
    draft.put(listed(given.meter, hit))
    award = Award(
        id=id_,
        kind="mystery",
        wager=wager,
        outcome="mystery",
        round=draft.state.round,
        position=standing.position,
        amount_cents=given.won_cents,
        meter=given.meter.id,
        hit=id_,
        second=given.won_cents >= draft.filed.second_person_from_cents,
    )
    draft.awards.append(award)
    return hit
