"""Answers of a link: what a meter shared with other tables did with an intent of this one."""

from controller.core.accounts import ADJUSTMENTS, VOID, WAGERS, Move, link_account, pending_account, units
from controller.core.adjusting import move_in, put_back
from controller.core.decision import MOST_TEXT, MOST_UNITS, Decision, known, refuse
from controller.core.draft import Draft
from controller.core.effects import Ask, Effect, Lamps, Meters
from controller.core.facts import LinkWasAnswered
from controller.core.inputs import LinkAnswered, LinkHit
from controller.core.meters import Hit, Reveal
from controller.core.refusals import Refusal
from controller.core.state import Adjustment, Award, Intent, State

_REFUSALS = frozenset(each.value for each in Refusal)


def answered(state: State, answer: LinkAnswered) -> Decision:
    """Make the awards a link gave, or settle what it gave back."""
    intent = known(state.intents.get(answer.intent), f"nothing asked as {answer.intent!r} is waiting for an answer")
    _refuse_unsound(intent, answer)
    draft, account = Draft(state), link_account(intent.link)
    hits: tuple[Hit, ...] = ()
    if intent.kind in ("contribute", "hit"):
        hits = _awards(draft, intent, answer)
    elif intent.kind == "reverse":
        returned = min(answer.returned_units, intent.units)
        # What is inside an award that stands is refunded by the house, as with a meter of this table's own.
        draft.moves += [Move(account, WAGERS, returned), Move(VOID, WAGERS, intent.units - returned)]
    elif intent.adjustment is not None:
        _adjusted(draft, intent, intent.adjustment, refused=bool(answer.refusal))
    fact = LinkWasAnswered(
        intent=intent.id,
        meter=intent.meter,
        display_cents=answer.display_cents,
        round=intent.round,
        hits=hits,
        ledger_seq=answer.ledger_seq,
        ledger_hash=answer.ledger_hash,
        delta_cents=intent.cents,
        refusal=answer.refusal,
        why=answer.why,
        by=intent.adjustment.by if intent.adjustment else "",
        second=intent.adjustment.second if intent.adjustment else "",
        **draft.parts(),
    )
    positions = tuple(hit.position for hit in answer.hits)
    effects: list[Effect] = [Meters((intent.meter, *draft.meters)), *([Lamps(positions)] if positions else [])]
    return Decision(fact, (*effects, *(Ask(each) for each in draft.intents)))


def _adjusted(draft: Draft, intent: Intent, wanted: Adjustment, *, refused: bool) -> None:
    """One step of an adjustment is done, or refused: the next one, or all of it put back."""
    is_last = intent.meter == wanted.meter
    if refused:
        if is_last:
            put_back(draft, wanted)
        return
    account, money = link_account(intent.link), units(abs(intent.cents))
    draft.moves.append(Move(ADJUSTMENTS, account, money) if intent.cents > 0 else Move(account, ADJUSTMENTS, money))
    if not is_last and intent.cents < 0:  # out of the carry, and now into the meter it is for
        move_in(draft, wanted)


def _refuse_unsound(intent: Intent, answer: LinkAnswered) -> None:
    """Refuse an answer that does not go with what was asked: a link that errs must not make awards at will."""
    won = [hit.position for hit in answer.hits]
    asked = [position for position, _ in intent.stakes] if intent.kind == "contribute" else list(intent.positions)
    fits = {
        "contribute": len(set(won)) == len(won) and set(won) <= set(asked),
        "hit": sorted(won) == sorted(asked),
    }.get(intent.kind, not won)
    amounts = [answer.display_cents, answer.returned_units, answer.ledger_seq]
    # A jackpot by the cards may find an empty meter, which pays nobody; a mystery value is passed by a wager.
    amounts += [hit.amount_cents - (intent.kind == "contribute") for hit in answer.hits]
    fits = fits and (not answer.refusal or (intent.kind == "adjust" and answer.refusal in _REFUSALS))
    fits = fits and 0 <= answer.left_cents <= (max(0, len(won) - 1) if intent.kind == "hit" else 0)
    fits = fits and len(answer.why) <= MOST_TEXT
    if not fits or not all(0 <= amount < MOST_UNITS for amount in amounts):
        raise refuse(Refusal.BAD_REQUEST, f"the answer to {intent.id} does not go with what was asked")


def _awards(draft: Draft, intent: Intent, answer: LinkAnswered) -> tuple[Hit, ...]:
    """One award for each position that won, paid out of what this table has with the link."""
    record = known(draft.state.record(intent.round), f"round {intent.round} is no longer kept")
    wagers = draft.state.filings[record.filed].wagers.values()
    offered = next(wager for wager in wagers if any(meter.id == intent.meter for meter in wager.meters))
    mystery = intent.kind == "contribute"
    winners = [each for each in answer.hits if each.amount_cents]
    names = [draft.name() for _ in winners]
    jackpot = sum(each.amount_cents for each in winners) + answer.left_cents
    groups: list[list[tuple[str, LinkHit]]] = [[pair] for pair in zip(names, winners, strict=True)]
    if not mystery and groups:  # one jackpot, shared
        groups = [[pair for group in groups for pair in group]]
    hits = tuple(_hit(draft, intent, answer.at, group) for group in groups)
    for group, hit in zip(groups, hits, strict=True):
        for name, won in group:
            draft.moves.append(Move(link_account(intent.link), pending_account(name), units(won.amount_cents)))
            award = Award(
                id=name,
                kind="mystery" if mystery else "jackpot",
                wager=offered.id,
                outcome="mystery" if mystery else intent.outcome,
                round=intent.round,
                position=won.position,
                amount_cents=won.amount_cents,
                meter=intent.meter,
                hit=hit.id,
                account=link_account(intent.link),
                second=won.amount_cents >= draft.filed.second_person_from_cents,
                jackpot_cents=0 if mystery else jackpot,
            )
            draft.awards.append(award)
    return hits


def _hit(draft: Draft, intent: Intent, at: str, won: list[tuple[str, LinkHit]]) -> Hit:
    name, first = won[0]
    reveal = None
    if first.commitment:
        reveal = Reveal(first.value_cents, first.nonce, first.cycle, first.commitment)
    return Hit(
        id=name,
        seq=draft.seq,
        at=at,
        round=intent.round,
        amount_cents=sum(each.amount_cents for _, each in won),
        awards=tuple(each for each, _ in won),
        positions=tuple(each.position for _, each in won),
        from_meter=False,
        reveal=reveal,
    )
