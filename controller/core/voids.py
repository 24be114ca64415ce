"""A round called off, and one wager taken out of a round."""

from collections.abc import Sequence

from controller.core.decision import Decision, known, people, refuse, text
from controller.core.draft import Draft
from controller.core.effects import Acceptors, Ask, Lamps, Meters
from controller.core.facts import RoundWasVoided, WagerTakenOut
from controller.core.floor import opening, withdraw
from controller.core.hands import undecided
from controller.core.inputs import DEALER, FLOORPERSON, RoundVoided, WagerVoided, need, need_two
from controller.core.meters import PAID, PENDING, UNWOUND, is_inside, reverse
from controller.core.phases import Phase
from controller.core.refusals import Refusal
from controller.core.state import DROP, Award, Round, State, Wager, spot
from controller.core.taking_back import take_back


def void(state: State, command: RoundVoided) -> Decision:
    """Return every wager of the round in play, until its hand is complete (§ 627a.13(e))."""
    if state.play not in (Phase.LOCKED, Phase.DEALT):
        why = f"a round is voided between lock-out and its last card, not {state.play.value}"
        raise refuse(Refusal.WRONG_PHASE, why)
    text("a reason", command.reason)
    need(command.by, FLOORPERSON)
    if command.round != state.round:
        why = f"only the current round, {state.round}, can be voided, not {command.round}"
        raise refuse(Refusal.TOO_LATE if 0 < command.round < state.round else Refusal.UNKNOWN, why)
    record = known(state.record(state.round), "no round is in play")
    undecided(state, record.round)
    # From here it succeeds.
    draft = Draft(state)
    leaving = [award for award in record.awards if award.kind != "mystery" and not _final(award)]
    take_back(draft, record, leaving, UNWOUND)
    give_back(draft, record, [wager for wager in record.wagers if not wager.out], "round voided")
    there = opening(state)
    fact = RoundWasVoided(
        round=record.round,
        reason=command.reason,
        phase=there.phase,
        placed=there.placed,
        **people(command.by),
        **draft.parts(),
    )
    closed = state.phase is Phase.FAULTED or there.phase != Phase.OPEN.value
    effects = (Acceptors(inhibit=closed), Lamps(), Meters(tuple(draft.meters)))
    return Decision(fact, (*effects, *(Ask(intent) for intent in draft.intents)))


def _final(award: Award) -> bool:
    """Rejected and undone ones are done with; a validated one stands; one the dealer paid is only a record."""
    return award.fate not in (PENDING, PAID) or (award.fate == PAID and award.validate)


def give_back(draft: Draft, record: Round, wagers: Sequence[Wager], why: str) -> None:
    """Reverse what wagers gave to the meters, and list the coins to return."""
    asked: dict[str, list[tuple[int, int]]] = {}
    given: dict[str, int] = {}
    links = {meter.id: meter.link for meter in draft.state.filings[record.filed].meters().values() if meter.link}
    for wager in wagers:
        if wager.source == DROP:
            draft.give_back(wager.position, wager.wager, wager.stake_cents, why)
        for share in wager.shares:
            if share.meter in links:
                asked.setdefault(share.meter, []).append((wager.position, wager.stake_cents))
                given[share.meter] = given.get(share.meter, 0) + share.units + share.reserve
                continue
            meter = draft.meter(share.meter)
            inside = is_inside(meter, share, record.round)
            changed = reverse(meter, share, wager.stake_cents, inside=inside)
            draft.put(changed.meter, changed.moves)
    for id_, stakes in asked.items():
        draft.ask(links[id_], id_, "reverse", record.round, stakes=tuple(stakes), units=given[id_])


def take_out(state: State, command: WagerVoided) -> Decision:
    """Take one wager out: by the dealer while the round is open, afterwards by two people."""
    text("a reason", command.reason)
    if state.play is Phase.OPEN and command.round == state.round:
        return _take_out_standing(state, command)
    need_two(command.by, command.second, FLOORPERSON)
    record = known(state.record(command.round), f"there is no round {command.round}, or it was too long ago")
    what = f"no {command.wager} wager of position {command.position} is in round {command.round}"
    wager = known(
        next((each for each in record.wagers if _is(each, command) and not each.out), None),
        what,
    )
    awards = [award for award in record.awards if award.position == wager.position and _of(award, wager)]
    standing = [award for award in awards if award.fate in (PENDING, PAID)]
    filed = known(state.filed, "nothing is filed")
    waiting = any(award.validate and award.fate == PENDING for award in standing)
    if not waiting and state.round - record.round > filed.late_hands:
        raise refuse(Refusal.TOO_LATE, f"round {record.round} is not among the last {filed.late_hands}")
    for award in standing:
        if award.validate and award.fate == PAID:
            raise refuse(Refusal.VALIDATED, f"award {award.id} of this wager is validated, which is final")
    undecided(state, record.round)
    # From here it succeeds.
    draft = Draft(state)
    take_back(draft, record, standing, UNWOUND)
    lowered = _lowered(draft, record, wager)
    give_back(draft, record, [wager], "wager taken out")
    fact = WagerTakenOut(
        round=record.round,
        position=wager.position,
        wager=wager.wager,
        reason=command.reason,
        lowered=lowered,
        **people(command.by, command.second),
        **draft.parts(),
    )
    effects = (Lamps((wager.position,)), Meters(tuple(draft.meters)))
    return Decision(fact, (*effects, *(Ask(intent) for intent in draft.intents)))


def _take_out_standing(state: State, command: WagerVoided) -> Decision:
    need(command.by, DEALER)
    standing = known(
        state.standing.get(spot(command.position, command.wager)),
        f"no {command.wager} wager stands at position {command.position}",
    )
    draft = Draft(state)
    gone = withdraw(draft, [standing], "taken-out")
    fact = WagerTakenOut(
        round=command.round,
        position=standing.position,
        wager=standing.wager,
        reason=command.reason,
        withdrawn=gone,
        returns=tuple(draft.returns),
        **people(command.by, command.second),
    )
    free = Acceptors(inhibit=False, position=standing.position, wager=standing.wager)
    return Decision(
        fact, (free, Lamps((standing.position,))) if standing.source == DROP else (Lamps((standing.position,)),)
    )


def _is(wager: Wager, command: WagerVoided) -> bool:
    return wager.position == command.position and wager.wager == command.wager


def _of(award: Award, wager: Wager) -> bool:
    return award.wager.partition("/")[0] == wager.wager


def _lowered(draft: Draft, record: Round, wager: Wager) -> dict[str, tuple[int, int]]:
    """The round's amounts without this wager, for hands of it still to come."""
    lowered: dict[str, tuple[int, int]] = {}
    for share in wager.shares:
        amount = record.amounts.get(share.meter)
        if amount is not None and not is_inside(draft.meter(share.meter), share, record.round):
            lowered[share.meter] = (amount.units - share.units, amount.reserve - share.reserve)
    return lowered
