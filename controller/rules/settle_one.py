"""Settle one wager: outcome, pay, and what goes back to the player or which meter it hits."""

from typing import NamedTuple

from controller.rules import catalog, dice, royal9, top_card
from controller.rules.cards import Card, Hand
from controller.rules.drawing import INITIAL
from controller.rules.errors import BadInputError
from controller.rules.money import dollars
from controller.rules.outcomes import result
from controller.rules.payouts import LOSS, Payout
from controller.rules.settlement import (
    BANKER,
    LOSE,
    PLAYER,
    asked,
    classify,
    first_row,
    refuse_unfinished,
    settles_on_four_cards,
)


class StakeError(BadInputError):
    """An amount this wager cannot be; the message says what it can."""


class Settled(NamedTuple):
    """One settled wager."""

    outcome: str
    payout: Payout

    def returns_cents(self, stake_cents: int) -> int:
        """What goes back to the player in all."""
        return self.payout.returns_cents(stake_cents)


def stake(wager: catalog.Wager, amount_cents: int | None) -> int:
    """The wager's stake: the fixed one, or the amount given, refused where the law does not allow it."""
    if wager.stake_cents is not None:
        if amount_cents not in (None, wager.stake_cents):
            raise StakeError(f"{wager.id} is a wager of {dollars(wager.stake_cents)}, not {dollars(amount_cents or 0)}")
        return wager.stake_cents
    if not amount_cents:
        raise StakeError(f"{wager.id} needs an amount above zero")
    least = wager.least_stake
    if least is not None and amount_cents < least.amount:
        given = dollars(amount_cents)
        raise StakeError(f"{wager.id} is a wager of at least {dollars(least.amount)}, not {given} ({least.place})")
    return amount_cents


def _settled(wager: catalog.Wager, outcome: str) -> Settled:
    return Settled(outcome, LOSS if outcome == LOSE else wager.row(outcome).payout)


def on_hands(
    wager: catalog.Wager, player: Hand, banker: Hand, layout: royal9.Layout | None = None, seat: int | None = None
) -> Settled:
    """Settle a wager on the two hands; one that is settled before third cards needs four cards only."""
    four_cards_do = settles_on_four_cards(wager)
    refuse_unfinished(player, banker, four_cards_do=four_cards_do)
    first, second = player[:INITIAL], banker[:INITIAL]
    if wager.decided_by == catalog.ROYAL9:
        if layout is None or seat is None:
            raise royal9.LayoutError(f"{wager.id} needs a layout and a seat: the personal combination decides")
        return _settled(wager, royal9.outcome(royal9.royal(*first), royal9.royal(*second), layout, seat))
    if not four_cards_do:
        return _settled(wager, classify(wager.id, result(player, banker)))
    view, rows = asked(wager.id)
    seen = {PLAYER: first, BANKER: second}.get(view, first + second)
    return _settled(wager, first_row(rows, *seen))


def on_dice(wager: catalog.Wager, thrown: dice.Dice, multiplier: int | None = None) -> Settled:
    """Settle a Super Sic Bo wager, at its base odds or at the odds its multiplier gives."""
    outcome = dice.outcome(wager.id, thrown)
    if outcome == LOSE:
        if multiplier is not None:
            dice.check_multiplier(wager, multiplier)
        return _settled(wager, outcome)
    return Settled(outcome, dice.pays(wager, outcome, multiplier))


def on_top_card(wager: catalog.Wager, home: Card, away: Card) -> Settled:
    """Settle a Top Card wager."""
    return _settled(wager, top_card.outcome(wager.id, home, away))
