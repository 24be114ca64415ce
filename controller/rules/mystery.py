"""What the rules of a mystery meter mean in numbers: wagers between hits, the award, the chance of the next wager.

The value is uniform over whole cents in [minimum, maximum); a contribution wins when the meter after it is strictly
above the value; the award is the whole cents on the meter, the maximum at most. A cycle here opens at the minimum.
"""

from fractions import Fraction
from typing import NamedTuple

from controller.rules import catalog
from controller.rules.money import UNITS_PER_CENT, dollars
from controller.rules.odds import DEFAULT_STAKE_CENTS, OddsError


class MysteryOdds(NamedTuple):
    """A mystery configuration in numbers, for one amount wagered each time."""

    mystery: catalog.Mystery
    stake_cents: int
    expected_wagers: Fraction  # from the opening of a cycle to its hit
    expected_award_cents: Fraction

    @property
    def long_run_return(self) -> Fraction:
        """What the mystery award alone gives back of each dollar wagered."""
        return Fraction(self.expected_award_cents, self.stake_cents * self.expected_wagers)


def feeding(mystery: catalog.Mystery) -> list[catalog.Wager]:
    """The wagers that feed a mystery meter."""
    return [wager for wager in catalog.wagers().values() if wager.name == mystery.wager]


def mystery_odds(mystery: catalog.Mystery, amount_cents: int | None = None) -> MysteryOdds:
    """Exact expectations over every value that can be drawn."""
    stake = amount_cents if amount_cents is not None else (mystery.stake_cents or DEFAULT_STAKE_CENTS)
    least = mystery.stake_cents or 1
    if stake < least:
        place = next(iter(mystery.games.values()))
        raise OddsError(f"{mystery.id} needs a wager of at least {dollars(least)}, not {dollars(stake)} ({place})")
    fixed = sorted({each.stake_cents for each in feeding(mystery) if each.stake_cents is not None})
    if fixed and stake not in fixed:
        known = " or ".join(map(dollars, fixed))
        raise OddsError(f"{mystery.id} is fed by wagers of {known}, not of {dollars(stake)}")
    contribution = stake * mystery.rate
    values = mystery.maximum_cents - mystery.minimum_cents
    wagers = award = 0
    for above in range(values):  # the value drawn, in cents above the minimum
        needed = above * UNITS_PER_CENT // contribution + 1
        wagers += needed
        reached = mystery.minimum_cents + needed * contribution // UNITS_PER_CENT
        award += min(reached, mystery.maximum_cents)
    return MysteryOdds(mystery, stake, Fraction(wagers, values), Fraction(award, values))


def next_wager_returns(of: MysteryOdds, meter_cents: int) -> Fraction:
    """What the next wager gets back of its stake from the mystery award alone, with the meter unhit at this amount."""
    mystery, contribution = of.mystery, of.stake_cents * of.mystery.rate
    after = meter_cents * UNITS_PER_CENT + contribution
    # Values not yet passed are those from the meter up; the wager wins on those strictly below where it carries it.
    winning = min(-(-after // UNITS_PER_CENT), mystery.maximum_cents) - meter_cents
    award = min(after // UNITS_PER_CENT, mystery.maximum_cents)
    return Fraction(winning * award, (mystery.maximum_cents - meter_cents) * of.stake_cents)
