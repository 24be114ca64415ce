"""What a row of a paytable pays, read from the regulation's own wording."""

import re
from typing import NamedTuple

from controller.rules.money import RATE_UNITS, dollars, parse_cents, parse_rate

_ODDS = re.compile(r"([0-9]+)(\.5)? (to|for) ([0-9]+)(?: less ([0-9.]+%))?")
_JACKPOT = re.compile(r"100% of ([a-z0-9-]+)")


class Payout(NamedTuple):
    """A winning row's pay. What comes back for a stake is stake x `numerator` / `denominator`, or a fixed amount."""

    text: str
    numerator: int = 0
    denominator: int = 1
    fixed_cents: int | None = None  # Royal 9's dollar rows: paid for the fixed wager, whatever the stake
    meter: str | None = None  # a jackpot: the meter decides

    def returns_cents(self, stake_cents: int) -> int:
        """What the player gets back in all, rounded down to the cent; a jackpot is not known here."""
        if self.meter is not None:
            raise ValueError(f"{self.text} is the meter's amount, not a multiple of the wager")
        if self.fixed_cents is not None:
            return self.fixed_cents
        return stake_cents * self.numerator // self.denominator

    def brings_more(self, stake_cents: int) -> bool:
        """Whether it brings back more than the stake: a jackpot always does."""
        return self.meter is not None or self.returns_cents(stake_cents) > stake_cents


LOSS = Payout("nothing")


def payout(text: str) -> Payout:
    """The payout written in the catalog: "30 to 1", "300 for 1", "$250", "push", "half back", "100% of harmony"."""
    if text == "push":
        return Payout(text, numerator=1)
    if text == "half back":
        return Payout(text, numerator=1, denominator=2)
    if text.startswith("$"):
        cents = parse_cents(text[1:])
        return Payout(dollars(cents), fixed_cents=cents)
    jackpot = _JACKPOT.fullmatch(text)
    if jackpot is not None:
        return Payout(text, meter=jackpot[1])
    odds = _ODDS.fullmatch(text)
    if odds is None:
        raise ValueError(f"{text!r} is no payout the catalog knows")
    win, unit = int(odds[1]), int(odds[4])
    if odds[2]:  # 2.5 to 1 is 5 to 2
        win, unit = 2 * win + 1, 2 * unit
    if odds[3] == "for":  # the stake is part of the pay
        return Payout(text, win, unit)
    vigorish = parse_rate(odds[5]) if odds[5] else 0
    return Payout(text, unit * RATE_UNITS + win * (RATE_UNITS - vigorish), unit * RATE_UNITS)


def multiplied(odds_to_one: int) -> Payout:
    """The payout of a Super Sic Bo wager whose multiplier gives these odds to 1 (§ 625b.1(f)(3))."""
    return payout(f"{odds_to_one} to 1")
