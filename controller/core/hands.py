"""Cards of a round: from the shoe or keyed, at once or late, and corrected."""

from collections.abc import Sequence

from msgspec.structs import replace

from controller.core.awards import make
from controller.core.decision import NOTHING, Decision, known, people, refuse, text
from controller.core.draft import Draft
from controller.core.effects import Acceptors, Ask, Lamps, Meters
from controller.core.facts import HandEntered, SimulatedEnded
from controller.core.floor import IN_PLAY, opening
from controller.core.inputs import DEALER, FLOORPERSON, SUPERVISOR, FourCards, HandCorrected, LateHand, need, need_two
from controller.core.meters import PAID, PENDING, REJECTED, UNWOUND
from controller.core.phases import Phase
from controller.core.refusals import Refusal
from controller.core.settling import Cards, DueAward, due
from controller.core.state import CONSOLE, SHOE, Award, Round, State
from controller.core.taking_back import take_back
from controller.rules.cards import CARDS
from controller.rules.drawing import INITIAL, Verdict, is_complete, judge


def read(player: Sequence[str], banker: Sequence[str]) -> Cards:
    """Two hands of at least two cards each, refused where the third-card rule (§ 627a.10) does not allow them."""
    for name in (*player, *banker):
        if name not in CARDS:
            raise refuse(Refusal.BAD_HAND, f"{name!r} is not a card: write rank and suit, like TS or 9D")
    hands = tuple(CARDS[name] for name in player), tuple(CARDS[name] for name in banker)
    cards = Cards(*hands, is_complete(*hands), tuple(player), tuple(banker))
    if cards.complete or len(player) == INITIAL == len(banker):  # four cards are always possible
        return cards
    verdict, why = judge(*hands)
    if verdict is Verdict.IMPOSSIBLE:
        raise refuse(Refusal.BAD_HAND, why)
    if min(map(len, hands)) < INITIAL:
        raise refuse(Refusal.BAD_HAND, f"incomplete: {why}")
    return cards


def current(state: State, entered: FourCards) -> Decision:
    """The hand of the round in play: four cards settle Royal 9, whole hands the rest."""
    _refuse_unsound(state, entered)
    cards = read(entered.player, entered.banker)
    if entered.kind == "hand-complete" and not cards.complete:
        raise refuse(Refusal.BAD_HAND, f"incomplete: {judge(cards.player, cards.banker)[1]}")
    if state.play is Phase.SIMULATED:
        return _simulated(state, entered, complete=cards.complete)
    record = known(state.record(state.round), "no round is in play")
    if entered.source == SHOE and (
        _behind(record, cards) or (record.source == CONSOLE and not _continues(record, cards))
    ):
        return NOTHING  # cards known already are no news, and a keyed hand is continued, never replaced, by the shoe's
    before, over = _continues(record, cards), entered.source == CONSOLE and record.source == SHOE
    if record.complete and not cards.complete:
        raise refuse(Refusal.BAD_HAND, f"incomplete: {judge(cards.player, cards.banker)[1]}")
    if not before and not over:
        known_as = f"{' '.join(record.player)} and {' '.join(record.banker)}"
        raise refuse(Refusal.BAD_HAND, f"{known_as} were entered for this round: other cards are a correction")
    phase = Phase.SETTLED if cards.complete else Phase.DEALT
    return _enter(
        state,
        entered.at,
        record,
        cards,
        HandEntered(
            round=record.round,
            player=cards.player_names,
            banker=cards.banker_names,
            source=CONSOLE if CONSOLE in (record.source, entered.source) else SHOE,
            complete=cards.complete,
            corrected=not before,
            phase=phase.value,
            **people(entered.by),
        ),
    )


def _refuse_unsound(state: State, entered: FourCards) -> None:
    """Refuse a hand that is not of this round, or from nobody who may tell it."""
    if entered.round and entered.round != state.round:
        why = f"the table went on to round {state.round}: enter the hand of {entered.round} anew"
        raise refuse(Refusal.WRONG_PHASE, why)
    if state.play not in (*IN_PLAY, Phase.SIMULATED):
        raise refuse(Refusal.WRONG_PHASE, f"no hand is dealt while the table is {state.play.value}")
    if entered.source == CONSOLE and not entered.key:
        raise refuse(Refusal.BAD_REQUEST, "a keyed hand is a command: it takes a key")
    if entered.source not in (SHOE, CONSOLE):
        raise refuse(
            Refusal.BAD_REQUEST, f"a hand comes from the shoe, or keyed from the console, not {entered.source!r}"
        )
    if entered.source == CONSOLE:
        need(entered.by, DEALER)


def _simulated(state: State, entered: FourCards, *, complete: bool) -> Decision:
    """Cards of a simulated round: the last one ends it, and nothing moves (§ 627a.13(d))."""
    if not complete:
        return NOTHING
    return end_simulated(state, entered.by.id if entered.by else "")


def end_simulated(state: State, by: str) -> Decision:
    """Back to the phase the simulated round was begun in."""
    if state.simulated_from is Phase.OPEN:
        there = opening(state)
        closed = state.phase is Phase.FAULTED or there.phase != Phase.OPEN.value
        fact = SimulatedEnded(phase=there.phase, placed=there.placed, by=by)
        return Decision(fact, (Acceptors(inhibit=closed), Lamps()))
    return Decision(SimulatedEnded(phase=Phase.SETTLED.value, by=by), (Lamps(),))


def _continues(record: Round, cards: Cards) -> bool:
    """Whether these are the cards known so far, or those and more."""
    player, banker = cards.player_names, cards.banker_names
    return player[: len(record.player)] == record.player and banker[: len(record.banker)] == record.banker


def _behind(record: Round, cards: Cards) -> bool:
    """Whether these cards are known already."""
    player, banker = cards.player_names, cards.banker_names
    return record.player[: len(player)] == player and record.banker[: len(banker)] == banker


def late(state: State, entered: LateHand) -> Decision:
    """The hand of an earlier round, entered or completed now."""
    record, cards = _earlier(state, entered)
    if record.player and not _continues(record, cards):
        raise refuse(Refusal.BAD_HAND, f"other cards were entered for round {record.round}: this is a correction")
    return _enter(state, entered.at, record, cards, _fact(entered, cards, late=True))


def correct(state: State, entered: HandCorrected) -> Decision:
    """Other cards for a round: its unvalidated awards are undone where they are no longer due, and made anew."""
    in_play = entered.round == state.round and state.play in IN_PLAY
    if in_play:
        _short(entered.reference)
        need(entered.by, DEALER)
        record = known(state.record(state.round), "no round is in play")
        cards = read(entered.player, entered.banker)
    else:
        record, cards = _earlier(state, entered)
    if not record.player:
        raise refuse(Refusal.BAD_HAND, f"no hand was entered for round {record.round}: there is none to correct")
    if record.complete and not cards.complete:
        raise refuse(Refusal.BAD_HAND, f"incomplete: {judge(cards.player, cards.banker)[1]}")
    fact = replace(_fact(entered, cards, late=not in_play), corrected=True)
    if in_play and cards.complete:
        fact = replace(fact, phase=Phase.SETTLED.value)
    return _enter(state, entered.at, record, cards, fact)


def _fact(entered: LateHand, cards: Cards, *, late: bool) -> HandEntered:
    return HandEntered(
        round=entered.round,
        player=cards.player_names,
        banker=cards.banker_names,
        source=CONSOLE,
        complete=cards.complete,
        late=late,
        reference=entered.reference,
        **people(entered.by, entered.second),
    )


def _earlier(state: State, entered: LateHand) -> tuple[Round, Cards]:
    """An earlier round within reach of these people, and the cards for it."""
    record = state.record(entered.round)
    if entered.round == state.round and state.play in IN_PLAY:
        raise refuse(Refusal.WRONG_PHASE, f"round {entered.round} is in play: enter its hand as the current one")
    if record is not None and record.voided:
        raise refuse(Refusal.WRONG_PHASE, f"round {entered.round} was voided")
    filed = known(state.filed, "nothing is filed")
    recent = state.round - entered.round <= filed.late_hands
    if recent:
        _short(entered.reference)
        need(entered.by, FLOORPERSON)
    else:
        text("a surveillance reference", entered.reference)
        need_two(entered.by, entered.second, SUPERVISOR)
    if not 0 < entered.round <= state.last_locked:
        raise refuse(Refusal.UNKNOWN, f"no round {entered.round} has been locked out")
    cards = read(entered.player, entered.banker)
    if record is None or not (recent or record.day in (state.day, state.previous_day)):
        raise refuse(Refusal.TOO_LATE, f"round {entered.round} is of an earlier gaming day than the previous one")
    return record, cards


def _short(reference: str) -> None:
    """A reference that need not be given is a short text too."""
    if reference:
        text("a surveillance reference", reference)


def undecided(state: State, round_: int) -> None:
    """Refuse while a linked meter has not answered what this round asked of it."""
    for intent in state.intents.values():
        if intent.round == round_:
            raise refuse(
                Refusal.STALE, f"the linked meter {intent.meter} has not answered for round {round_}: try again"
            )


def _enter(state: State, at: str, record: Round, cards: Cards, fact: HandEntered) -> Decision:
    """Make what is due and undo what no longer is; awards that stay due stay as they are."""
    draft = Draft(state)
    filed = state.filings[record.filed]
    wanted = due(filed, record, cards)
    for each in wanted:
        if each.meter and each.meter not in state.meters and each.meter not in state.linked:
            raise refuse(Refusal.TOO_LATE, f"{each.meter} is no longer filed: its jackpot cannot be made")
    if not wanted and not record.awards and not fact.corrected:
        return Decision(fact, (Lamps(),))
    by_cards = [award for award in record.awards if award.kind != "mystery"]
    standing = [award for award in by_cards if award.fate in (PENDING, PAID)]
    dues = {each.what for each in wanted}
    leaving = [award for award in standing if _what(award) not in dues]
    if leaving or fact.corrected:
        undecided(state, record.round)
    for award in leaving:
        if award.fate == PAID and award.validate:
            raise refuse(Refusal.VALIDATED, f"award {award.id} is validated, and these cards do not make it due")
    # From here it succeeds.
    take_back(draft, record, leaving, UNWOUND)
    have = {_what(award) for award in standing} | {_what(award) for award in by_cards if award.fate == REJECTED}
    have |= {each.what for each in wanted if _asked(state, record, each) or each.meter in record.found_empty}
    make(draft, at, record, [each for each in wanted if each.what not in have])
    parts = draft.parts()
    changes = {name: parts[name] for name in ("moves", "meters", "awards", "fates", "intents")}
    entered = replace(fact, **changes)
    return Decision(entered, (Lamps(), Meters(tuple(draft.meters)), *(Ask(intent) for intent in draft.intents)))


def _asked(state: State, record: Round, due_: DueAward) -> bool:
    """Whether a linked jackpot was asked for already and is not answered yet."""
    return any(
        intent.kind == "hit" and (intent.round, intent.meter) == (record.round, due_.meter)
        for intent in state.intents.values()
    )


def _what(award: Award) -> tuple[int, str, str]:
    return award.position, award.wager, award.outcome
