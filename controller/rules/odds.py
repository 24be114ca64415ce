"""Exact odds of every wager: counts of each outcome, return, house edge, and what a progressive's meter adds."""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from controller.rules import catalog, dice, enumeration, royal9, top_card
from controller.rules.cards import Card
from controller.rules.errors import BadInputError
from controller.rules.money import RATE_UNITS
from controller.rules.outcomes import OPENING_KEYS
from controller.rules.settle_one import stake as lawful_stake
from controller.rules.settlement import BANKER, LOSE, OPENING, PLAYER, asked, classify, first_row

_DECKS = catalog.tables()["decks"]
DEFAULT_STAKE_CENTS = 500  # where the denomination is filed, not set by law
_PLACES = 12


class OddsError(BadInputError):
    """Odds that cannot be had; the message says what can."""


class Jackpot(NamedTuple):
    """One meter of a progressive wager, seen by a lone wager."""

    meter: catalog.Meter
    outcome: str
    probability: Fraction
    break_even_cents: int  # the least meter at which the wager is no longer against the player


class Odds(NamedTuple):
    """The odds of one wager."""

    wager: catalog.Wager
    decks: int | None
    total: int
    outcomes: Mapping[str, int]  # in list order, `lose` last
    stake_cents: int
    returns: Fraction  # of the stake, jackpots left out
    jackpots: tuple[Jackpot, ...]

    @property
    def house_edge(self) -> Fraction:
        """What the house keeps of each dollar, jackpots left out."""
        return 1 - self.returns

    @property
    def win_probability(self) -> Fraction:
        """How likely the wager is to bring back more than it cost: no push, no half back."""
        wins = [row.outcome for row in self.wager.rows if row.payout.brings_more(self.stake_cents)]
        return sum((self.probability(outcome) for outcome in wins), Fraction(0))

    def probability(self, outcome: str) -> Fraction:
        """How likely an outcome is."""
        return Fraction(self.outcomes[outcome], self.total)

    def edge_at(self, meters_cents: Mapping[str, int]) -> Fraction:
        """The house edge with jackpots paid at these meters; one not named pays nothing."""
        paid = sum(jackpot.probability * meters_cents.get(jackpot.meter.id, 0) for jackpot in self.jackpots)
        return self.house_edge - Fraction(paid, self.stake_cents)


class Filed(NamedTuple):
    """What a Rules Submission files of a meter: where it opens again after a hit, and its rate."""

    reset_cents: int
    rate: int


def odds(
    wager: catalog.Wager,
    decks: int | None = None,
    layout: royal9.Layout = royal9.DEFAULT_LAYOUT,
    seat: int = 1,
    amount_cents: int | None = None,
) -> Odds:
    """The exact odds of a wager. Layout and seat matter to Royal 9 only, the amount to a progressive only."""
    decks = _lawful_decks(wager, decks)
    shoe = enumeration.full_shoe(decks) if decks is not None else ()
    total, found = counts(wager, shoe, layout, seat)
    outcomes = {name: found.get(name, 0) for name in (*(row.outcome for row in wager.rows), LOSE)}
    if wager.stake_cents is None and amount_cents is None:
        amount_cents = max(DEFAULT_STAKE_CENTS, wager.least_stake.amount if wager.least_stake else 0)
    stake = lawful_stake(wager, amount_cents)
    returns = Fraction(0)
    for row in wager.rows:
        if row.payout.meter is None:
            pay = row.payout
            multiple = Fraction(pay.fixed_cents, stake) if pay.fixed_cents else Fraction(pay.numerator, pay.denominator)
            returns += Fraction(outcomes[row.outcome], total) * multiple
    return Odds(wager, decks, total, outcomes, stake, returns, _jackpots(wager, outcomes, total, stake, returns))


def _lawful_decks(wager: catalog.Wager, decks: int | None) -> int | None:
    if wager.decided_by == catalog.DICE:
        if decks is not None:
            raise OddsError(f"{wager.id} is played with dice: leave the decks out")
        return None
    allowed = [wager.decks.amount] if wager.decks else range(_DECKS["least"], _DECKS["most"] + 1)
    if decks is None:
        return allowed[-1]
    if decks not in allowed:
        place = wager.decks.place if wager.decks else catalog.cite(_DECKS["section"])
        raise OddsError(f"{decks} decks: {wager.id} is dealt from {' or '.join(map(str, allowed))} ({place})")
    return decks


def counts(
    wager: catalog.Wager, shoe: enumeration.Shoe, layout: royal9.Layout, seat: int
) -> tuple[int, Mapping[str, int]]:
    """How many deals (or throws) there are, and how many give each outcome, from any shoe."""
    if wager.decided_by == catalog.DICE:
        found = dice.counts(wager.id)
        return sum(found.values()), found
    if wager.decided_by == catalog.TOP_CARD:
        found = enumeration.two_cards(shoe, lambda home, away: top_card.outcome(wager.id, home, away))
        return enumeration.deals(shoe, 2), found
    total = enumeration.deals(shoe)
    if wager.decided_by == catalog.ROYAL9:
        return total, _royal9_counts(shoe, layout, seat)
    view, rows = asked(wager.id)
    if view in (PLAYER, BANKER):
        return total, enumeration.hands(shoe, partial(first_row, rows))
    if view == OPENING:
        return total, enumeration.openings(shoe, OPENING_KEYS[wager.name], partial(first_row, rows))
    whole: dict[str, int] = {}
    for shown, number in enumeration.results(shoe).items():
        name = classify(wager.id, shown)
        whole[name] = whole.get(name, 0) + number
    return total, whole


def _royal9_counts(shoe: enumeration.Shoe, layout: royal9.Layout, seat: int) -> Mapping[str, int]:
    layout.at(seat)

    def key(card: Card) -> str:
        # Kings, other face cards and nines, each by suit; the rest of the deck is one kind of card.
        if card.rank in "K9":
            return str(card)
        return f"face {card.suit}" if card.rank in royal9.FACES else ""

    def outcome(p1: Card, p2: Card, b1: Card, b2: Card) -> str:
        return royal9.outcome(royal9.royal(p1, p2), royal9.royal(b1, b2), layout, seat)

    return enumeration.openings(shoe, key, outcome)


def _jackpots(
    wager: catalog.Wager, outcomes: Mapping[str, int], total: int, stake: int, returns: Fraction
) -> tuple[Jackpot, ...]:
    meters = {meter.id: meter for meter in wager.meters}
    found = [
        (meters[row.payout.meter], row.outcome, Fraction(outcomes[row.outcome], total))
        for row in wager.rows
        if row.payout.meter
    ]
    at_floors = {meter.id: probability * (meter.floor_cents or 0) for meter, _, probability in found}
    jackpots = []
    for meter, outcome, probability in found:
        others = sum(at_floors.values()) - at_floors[meter.id]
        missing = stake * (1 - returns) - others
        # Rounded up: at a cent less the house still has an edge.
        cents = -(-(missing * probability.denominator) // probability.numerator)
        jackpots.append(Jackpot(meter, outcome, probability, max(0, cents)))
    return tuple(jackpots)


def long_run_return(of: Odds, filed: Mapping[str, Filed]) -> Fraction | None:
    """What comes back in the long run of each dollar, one wager a round: fixed pays, rates, and the house's seeds.

    Everything a rate takes from wagers is paid out some day; beside it the house opens each cycle at the reset amount
    (Harmony: from its reserve). A meter's rate that the law leaves open must be filed: without it there is no answer.
    """
    returned = of.returns
    for jackpot in of.jackpots:
        meter = jackpot.meter
        file = filed.get(meter.id)
        rate = file.rate if file else meter.rate
        if rate is None:
            return None
        reset = meter.seed_cents or (file.reset_cents if file and meter.reserve_rate is None else 0)
        returned += Fraction(rate + (meter.reserve_rate or 0), RATE_UNITS)
        returned += jackpot.probability * Fraction(reset, of.stake_cents)
    return returned


def decimal(value: Fraction, places: int = _PLACES) -> str:
    """A fraction as a decimal string with so many places, rounded to the nearest."""
    scaled = (2 * value.numerator * 10**places + value.denominator) // (2 * value.denominator)
    sign, digits = ("-" if scaled < 0 else ""), str(abs(scaled)).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"
