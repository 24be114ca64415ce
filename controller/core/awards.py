"""Awards: made from what is due, and validated. Nobody types an amount."""

from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from controller.core.accounts import (
    FIXED,
    LATE,
    PAID_FIXED,
    Move,
    link_account,
    paid_account,
    pending_account,
    units,
)
from controller.core.decision import Decision, known, people, refuse
from controller.core.draft import Draft
from controller.core.effects import Ask, Effect, Lamps, Meters
from controller.core.facts import AwardWasValidated, SlipWasPrinted
from controller.core.inputs import FLOORPERSON, AwardValidated, SlipPrinted, need, need_two
from controller.core.meters import (
    PAID,
    PENDING,
    Due,
    Meter,
    hit,
    hit_late,
    hit_since,
)
from controller.core.refusals import Refusal
from controller.core.settling import DueAward
from controller.core.state import Award, Round, State

JACKPOT, MYSTERY_AWARD, FIXED_AWARD = "jackpot", "mystery", "fixed"


def make(draft: Draft, at: str, record: Round, due: Sequence[DueAward]) -> None:
    """Make awards of what is due: fixed ones from the house, jackpots from their meters, shared equally."""
    for award in due:
        if not award.meter:
            _make_fixed(draft, record, award)
    jackpots = sorted((award for award in due if award.meter), key=lambda award: award.meter)
    for meter, winners in groupby(jackpots, key=lambda award: award.meter):
        _make_jackpot(draft, at, record, meter, list(winners))


def _make_fixed(draft: Draft, record: Round, due: DueAward) -> None:
    rules, amount = draft.filed, due.amount_cents
    award = Award(
        id=draft.name(),
        kind=FIXED_AWARD,
        wager=due.id,
        outcome=due.outcome,
        round=record.round,
        position=due.wager.position,
        amount_cents=amount,
        listed=due.listed,
        account=FIXED,
        validate=amount >= rules.validate_from_cents,
        second=amount >= rules.second_person_from_cents,
        fate=PENDING if amount >= rules.validate_from_cents else PAID,
    )
    draft.moves.append(Move(FIXED, pending_account(award.id) if award.validate else PAID_FIXED, units(amount)))
    draft.awards.append(award)


def _make_jackpot(draft: Draft, at: str, record: Round, id_: str, winners: list[DueAward]) -> None:
    link = draft.state.filings[record.filed].meters()[id_].link
    positions = tuple(winner.wager.position for winner in winners)
    if link:
        draft.ask(link, id_, "hit", record.round, positions=positions, outcome=winners[0].outcome)
        return
    names = tuple(draft.name() for _ in winners)
    meter, amount = draft.meter(id_), record.amounts[id_]
    later = [
        share
        for other in draft.state.records()
        if other.round > record.round
        for wager in other.wagers
        if not wager.out
        for share in wager.shares
        if share.meter == id_
    ]
    due = Due(
        seq=draft.seq,
        at=at,
        round=record.round,
        awards=names,
        positions=positions,
        units=amount.units,
        reserve=amount.reserve,
        later=sum(share.units for share in later),
        later_reserve=sum(share.reserve for share in later),
    )
    late = hit_since(meter, record.seq) or id_ not in draft.filed.meters()
    changed = hit_late(meter, due) if late else hit(meter, due)
    draft.put(changed.meter, changed.moves)
    for name, winner in zip(names, winners, strict=True):
        award = Award(
            id=name,
            kind=JACKPOT,
            wager=winner.id,
            outcome=winner.outcome,
            round=record.round,
            position=winner.wager.position,
            amount_cents=due.each_cents,
            meter=id_,
            listed=winner.listed,
            hit=names[0],
            account=LATE if late else "",
            second=late or due.each_cents >= draft.filed.second_person_from_cents,
        )
        draft.awards.append(award)


def is_linked(award: Award) -> bool:
    """Whether a linked meter made it."""
    return award.account.startswith(link_account(""))


def needs_two(state: State, award: Award) -> bool:
    """Whether its validation takes two people: what the house pays late, and from the filed amount up."""
    most = state.filed.second_person_from_cents if state.filed else 0
    return award.account == LATE or award.amount_cents >= most


def settled(meter: Meter, id_: str, left: Sequence[Award]) -> Meter:
    """The hit is paid once no share of it is pending."""
    if any(award.fate == PENDING for award in left):
        return meter
    return replace(meter, last=tuple(replace(each, fate=PAID) if each.id == id_ else each for each in meter.last))


def undecided_award(state: State, id_: str) -> tuple[Award, Round]:
    """An award that can still be validated or rejected, and its round."""
    award = known(state.award(id_), f"there is no award {id_!r} to validate or reject")
    if award.fate == PAID:
        raise refuse(Refusal.VALIDATED, f"award {id_} is validated, which is final")
    if award.fate != PENDING:
        raise refuse(Refusal.UNKNOWN, f"award {id_} was {award.fate}")
    return award, known(state.record(award.round), f"round {award.round} is no longer kept")


def validate(state: State, command: AwardValidated) -> Decision:
    """Confirm and pay an award: final, with the next slip number, and off the displays."""
    if not command.base_wager:
        raise refuse(Refusal.BAD_REQUEST, "without a base wager an award is rejected, not validated")
    filed = known(state.filed, "nothing is filed")
    allowed = ("inventory", "slip") if filed.payout == "either" else (filed.payout,)
    if command.method not in allowed:
        raise refuse(Refusal.BAD_REQUEST, f"method {command.method!r}: {' or '.join(allowed)} is filed")
    need(command.by, FLOORPERSON)
    wanted = state.award(command.award)
    if command.second is not None or (wanted is not None and needs_two(state, wanted)):
        need_two(command.by, command.second, FLOORPERSON)
    award, record = undecided_award(state, command.award)
    draft = Draft(state)
    draft.moves.append(
        Move(
            pending_account(award.id),
            _paid_into(award),
            units(award.amount_cents),
        )
    )
    draft.fate(award, PAID)
    if award.meter in state.meters:
        meter = state.meters[award.meter]
        left = [each for each in record.awards if each.hit == award.hit and each.id != award.id]
        paid = replace(meter, paid_cents=meter.paid_cents + award.amount_cents)
        draft.put(settled(paid, award.hit, left))
    elif is_linked(award):  # so that every table of the link takes it off its displays
        draft.ask(award.account.partition(":")[2], award.meter, "paid", award.round, positions=(award.position,))
    fact = AwardWasValidated(
        award=award.id,
        method=command.method,
        slip=state.slip + 1,
        **people(command.by, command.second),
        **draft.parts(),
    )
    effects: tuple[Effect, ...] = (Lamps((award.position,)), Meters((award.meter,) if award.meter else ()))
    return Decision(fact, (*effects, *(Ask(intent) for intent in draft.intents)))


def _paid_into(award: Award) -> str:
    """Where a validated award goes. Those of a link are its own: the table may keep a meter of that name one day."""
    if is_linked(award):
        return paid_account(f"{award.meter}@{award.account.partition(':')[2]}")
    return paid_account(award.meter) if award.meter else PAID_FIXED


def print_slip(state: State, command: SlipPrinted) -> Decision:
    """Record that a slip is printed: paper that someone could present twice. Nothing else changes."""
    need(command.by, FLOORPERSON)
    kept = "of this or the previous gaming day"
    award = known(state.award(command.award), f"there is no award {command.award!r} {kept} that takes a slip")
    if award.fate != PAID:
        raise refuse(Refusal.UNKNOWN, f"award {award.id} is {award.fate}: only a validated one has a slip")
    return Decision(SlipWasPrinted(award=award.id, **people(command.by, command.second)))
