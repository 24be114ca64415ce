"""The button: "no more bets", and the next round."""

from msgspec.structs import replace

from controller.core.accounts import WAGERS, Move, link_account
from controller.core.chance import Chance
from controller.core.decision import NOTHING, Decision, refuse
from controller.core.draft import Draft
from controller.core.effects import Acceptors, Ask, Effect, Lamps, Meters
from controller.core.facts import ButtonIgnored, LockedOut, Reopened
from controller.core.filed import FiledMeter
from controller.core.floor import IN_PLAY, is_held, opening
from controller.core.inputs import Button
from controller.core.meters import Hit, Share, Won, contribute, listed
from controller.core.phases import Phase
from controller.core.refusals import Refusal
from controller.core.state import Award, Standing, State, Wager
from controller.core.times import ms_between

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
    if press.cause not in ("button", "shoe") or press.level not in ("", LOCKED, UNLOCKED):
        raise refuse(Refusal.BAD_REQUEST, f"{press.cause[:40]!r}, {press.level[:40]!r}: no button does that")
    if locks(state, press):
        return lock_out(state, press, chance)
    if press.cause == "shoe":
        return NOTHING  # cards of a round that is locked already
    if state.phase in IN_PLAY and press.level != LOCKED:
        if not press.level and _again(state, press):
            return _ignored("again", press)
        if is_held(state):  # a level that is read again and again is recorded once
            return NOTHING if press.level and press.level == state.switch else _ignored("held", press)
        return _reopen(state, press)
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
    draft = Draft(state)
    standing = in_order(state)
    shares: dict[str, zip[tuple[Share, ...]]] = {}  # by wager, in the order they stand
    hits: list[Hit] = []
    for offered in draft.filed.wagers.values():
        wagers = [each for each in standing if each.wager == offered.name]
        if not wagers:
            continue
        stakes = [each.stake_cents for each in wagers]
        given: list[list[Share]] = []  # by meter
        for filed in offered.meters:
            if filed.link:
                given.append(_intend(draft, filed, wagers))
                continue
            contributed = contribute(draft.meter(filed.id), stakes, draft.name, chance.get(filed.id))
            draft.put(contributed.meter, contributed.moves)
            given.append(contributed.shares)
            hits += [_hit(draft, press.at, offered.id, filed.id, wagers[won.nth], won) for won in contributed.won]
        shares[offered.name] = zip(*given, strict=True)
    fact = LockedOut(
        round=state.round,
        cause=press.cause,
        wagers=tuple(
            Wager(each.position, each.wager, each.stake_cents, each.source, each.seq, next(shares[each.wager]))
            for each in standing
        ),
        hits=tuple(hits),
        switch=press.level,
        phase=Phase.LOCKED.value,
        **draft.parts(),
    )
    effects: list[Effect] = [Acceptors(inhibit=True), Lamps(), Meters(tuple(draft.meters))]
    return Decision(fact, (*effects, *(Ask(intent) for intent in draft.intents)))


def _intend(draft: Draft, filed: FiledMeter, wagers: list[Standing]) -> list[Share]:
    """Contributions to a linked meter: the money leaves for the link, which applies them."""
    rate, reserve_rate = filed.filing.rate, filed.filing.reserve_rate
    shares = [Share(filed.id, each.stake_cents * rate, each.stake_cents * reserve_rate, 0) for each in wagers]
    money = sum(share.units + share.reserve for share in shares)
    draft.moves.append(Move(WAGERS, link_account(filed.link), money))
    stakes = tuple((each.position, each.stake_cents) for each in wagers)
    draft.ask(filed.link, filed.id, "contribute", draft.state.round, stakes=stakes)
    return shares


def _hit(draft: Draft, at: str, wager: str, meter: str, standing: Standing, won: Won) -> Hit:  # noqa: PLR0913, PLR0917 -- all that a hit tells
    """The award of a contribution that passed the mystery value."""
    hit = Hit(
        id=won.award,
        seq=draft.seq,
        at=at,
        round=draft.state.round,
        amount_cents=won.cents,
        awards=(won.award,),
        positions=(standing.position,),
        reveal=won.reveal,
    )
    draft.put(listed(draft.meter(meter), hit))
    award = Award(
        id=won.award,
        kind="mystery",
        wager=wager,
        outcome="mystery",
        round=draft.state.round,
        position=standing.position,
        amount_cents=won.cents,
        meter=meter,
        hit=won.award,
        second=won.cents >= draft.filed.second_person_from_cents,
    )
    draft.awards.append(award)
    return hit
