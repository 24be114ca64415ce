"""What a hand would settle, told before it is sent: the core decides it, and nothing is recorded.

The same decision is made as for the hand itself, so that what is shown beforehand is what will be due. Who may enter
the hand of which round, and with whom, is asked when it is entered.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from controller.commands.replies import due, fates
from controller.commands.requests import Asked, possible
from controller.core import facts
from controller.core.decide import decide
from controller.core.inputs import SUPERVISOR, Person
from controller.core.refusals import Refused
from controller.core.state import State
from controller.link.sessions import Shown
from controller.rules.cards import CARDS, point_count
from controller.wire import commands as wire
from controller.wire.command_rows import LinkedDue

# Two who may enter any hand, with a reference: what they may is no part of what the cards make due.
_ANYONE, _OTHER, _REFERENCE = Person("preview", SUPERVISOR), Person("preview-2", SUPERVISOR), "preview"


class BadPreviewError(Exception):
    """A hand that would be refused: the core's word for programs, and its sentence."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error


def preview(request: wire.PreviewHand, key: str, at: str, state: State, shown: Mapping[str, Shown]) -> dict[str, Any]:
    """The fields of the reply: what these hands would make due now, or refused as they themselves would be."""
    type_ = wire.CorrectHand if request.correction else wire.EnterHand
    entered = type_(
        id=request.id,
        at=request.at,
        round=request.round,
        player=request.player,
        banker=request.banker,
        reference=request.reference or _REFERENCE,
    )
    decision = decide(state, possible(entered, Asked(key, at, _ANYONE, _OTHER), state)[0])
    if isinstance(decision, Refused):
        raise BadPreviewError(decision.refusal.value, decision.why)
    fact = decision.fact
    hand = fact if isinstance(fact, facts.HandEntered) else None  # in a simulated round nothing is due
    return {
        "round": request.round,
        "player_total": point_count(tuple(CARDS[name] for name in request.player)),
        "banker_total": point_count(tuple(CARDS[name] for name in request.banker)),
        "complete": hand.complete if hand else isinstance(fact, facts.SimulatedEnded),
        "awards": tuple(map(due, hand.awards)) if hand else (),
        "fates": fates(hand) if hand else (),
        "linked": _linked(hand, state, shown) if hand else UNSET,
    }


def _linked(hand: facts.HandEntered, state: State, shown: Mapping[str, Shown]) -> tuple[LinkedDue, ...]:
    """Jackpots that a link would be asked for. What they pay is what it shows when it is asked."""
    return tuple(
        LinkedDue(
            meter=intent.meter,
            link=intent.link,
            positions=intent.positions,
            display_cents=shown[intent.meter].meter.display_cents
            if intent.meter in shown
            else state.linked[intent.meter],
        )
        for intent in hand.intents
        if intent.kind == "hit"
    )
