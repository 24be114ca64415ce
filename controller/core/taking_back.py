"""Awards taken back: rejected by two people, or undone with the cards or the wager they came from.

A share that goes before any is validated leaves its jackpot to the others; afterwards it returns to the meter.
"""

from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from controller.core.accounts import FIXED, PAID_FIXED, Move, carry_account, pending_account, units
from controller.core.awards import FIXED_AWARD, JACKPOT, MYSTERY_AWARD, is_linked, settled, undecided_award
from controller.core.decision import Decision, people, text
from controller.core.draft import Draft
from controller.core.effects import Ask, Effect, Lamps, Meters
from controller.core.facts import AwardWasRejected
from controller.core.inputs import FLOORPERSON, AwardRejected, need_two
from controller.core.meters import PAID, PENDING, REJECTED, Hit, Meter, resplit, unwind
from controller.core.state import Award, Round, State


def take_back(draft: Draft, record: Round, leaving: Sequence[Award], fate: str) -> None:
    """Undo awards that are not validated: each goes back where it came from."""
    for award in leaving:
        draft.fate(award, REJECTED if award.kind == MYSTERY_AWARD else fate)
        if award.kind == FIXED_AWARD:
            held = pending_account(award.id) if award.validate else PAID_FIXED
            draft.moves.append(Move(held, FIXED, units(award.amount_cents)))
        elif award.kind == MYSTERY_AWARD and not is_linked(award):
            _carry(draft, award)
    hits = [award for award in leaving if award.kind == JACKPOT or is_linked(award)]
    for id_, shares in groupby(sorted(hits, key=lambda award: award.hit), key=lambda award: award.hit):
        gone = list(shares)
        if is_linked(gone[0]):
            _ask_back(draft, record, gone, _left(record, id_, gone))
        else:
            _take_back_shares(draft, id_, gone, _left(record, id_, gone), fate)


def _left(record: Round, id_: str, leaving: Sequence[Award]) -> list[Award]:
    """The other shares of a hit that stand."""
    gone = {award.id for award in leaving}
    return [each for each in record.awards if each.hit == id_ and each.id not in gone and each.fate in (PENDING, PAID)]


def _is_split_anew(leaving: Sequence[Award], left: Sequence[Award]) -> bool:
    """Whether those who are left share the whole jackpot: until one of them is validated."""
    return bool(left) and all(award.fate == PENDING for award in left) and len(leaving) == 1


def _ask_back(draft: Draft, record: Round, leaving: Sequence[Award], left: Sequence[Award]) -> None:
    """Awards go back to the link that made them. The jackpot is known: a share of it needs no answer to be right."""
    first = leaving[0]
    link, positions = first.account.partition(":")[2], tuple(award.position for award in leaving)
    for award in leaving:
        draft.moves.append(Move(pending_account(award.id), first.account, units(award.amount_cents)))
    if not _is_split_anew(leaving, left):
        draft.ask(link, first.meter, "unwind", first.round, positions=positions)
        return
    shares = [award.amount_cents for award in record.awards if award.hit == first.hit]
    # One of the time when a link did not tell what equal shares leave over: what was shared. Shares only grow.
    each = (first.jackpot_cents or min(shares) * len(shares)) // len(left)
    for award in left:
        draft.moves.append(Move(first.account, pending_account(award.id), units(each - award.amount_cents)))
        draft.fate(award, PENDING, each)
    split = tuple((award.position, each) for award in left)
    draft.ask(link, first.meter, "resplit", first.round, positions=positions, split=split)


def _carry(draft: Draft, award: Award) -> None:
    """A mystery award that is not paid: the hit stands, and the money waits for two people to place it."""
    meter = draft.meter(award.meter)
    money = units(award.amount_cents)
    carried = replace(
        meter,
        carry=meter.carry + money,
        wins_cents=meter.wins_cents - award.amount_cents,
        last=tuple(replace(each, fate=REJECTED) if each.id == award.hit else each for each in meter.last),
    )
    draft.put(carried, (Move(pending_account(award.id), carry_account(award.meter), money),))


def _hit_of(meter: Meter, id_: str) -> Hit:
    """The hit of an award that is not settled; such hits stay on the list."""
    return next(each for each in meter.last if each.id == id_)


def _take_back_shares(draft: Draft, id_: str, leaving: Sequence[Award], left: Sequence[Award], fate: str) -> None:
    """Undo a jackpot, or some shares: those left share it anew, unless one of them is validated already."""
    meter = draft.meter(leaving[0].meter)
    record_of = _hit_of(meter, id_)
    back = [(award.id, award.amount_cents) for award in leaving]
    if _is_split_anew(leaving, left):
        shared = resplit(meter, record_of, back[0], [(award.id, award.amount_cents) for award in left])
        draft.put(shared.meter, shared.moves)
        for award in left:
            draft.fate(award, PENDING, shared.each_cents)
        return
    changed = unwind(meter, record_of, back, fate, whole=not left)
    draft.put(settled(changed.meter, id_, left) if left else changed.meter, changed.moves)


def reject(state: State, command: AwardRejected) -> Decision:
    """Two people say an award is not to be paid."""
    text("a reason", command.reason)
    need_two(command.by, command.second, FLOORPERSON)
    award, record = undecided_award(state, command.award)
    draft = Draft(state)
    take_back(draft, record, [award], REJECTED)
    fact = AwardWasRejected(
        award=award.id, reason=command.reason, **people(command.by, command.second), **draft.parts()
    )
    effects: tuple[Effect, ...] = (Lamps((award.position,)), Meters(tuple(draft.meters)))
    return Decision(fact, (*effects, *(Ask(intent) for intent in draft.intents)))
