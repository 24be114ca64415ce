"""Super Sic Bo (§ 625b.1): three dice.

A triple wins as a double too, and small and big lose on one: both are of Chapter 625a, which § 625b.1(a) builds on.
"""

from collections import Counter
from collections.abc import Mapping

from controller.rules import catalog
from controller.rules.errors import BadInputError
from controller.rules.payouts import Payout, multiplied

Dice = tuple[int, int, int]

_PREFIX = "sic-bo-"
_SMALL = range(4, 11)
_BIG = range(11, 18)
_COUNTS: Mapping[int, str] = {1: "one", 2: "two", 3: "three"}


class DiceError(BadInputError):
    """Dice or a multiplier that cannot be; the message says what can."""


def parse_dice(text: str) -> Dice:
    """Three dice written with spaces between them: "2 2 5"."""
    words = text.split()
    if len(words) != 3 or any(word not in {str(face) for face in catalog.FACES} for word in words):
        raise DiceError(f'{text!r} is not a throw: write three dice from 1 to 6, like "2 2 5"')
    one, two, three = (int(word) for word in words)
    return one, two, three


def outcome(wager_id: str, dice: Dice) -> str:
    """The outcome of a Super Sic Bo wager."""
    bet, _, choice = wager_id.removeprefix(_PREFIX).partition("-")
    if bet == "one":
        return _COUNTS.get(dice.count(int(choice)), "lose")
    return "win" if _wins(bet, choice, dice) else "lose"


def _wins(bet: str, choice: str, dice: Dice) -> bool:
    total, triple = sum(dice), len(set(dice)) == 1
    match bet:
        case "triple":
            return dice.count(int(choice)) == 3
        case "double":
            return dice.count(int(choice)) >= 2
        case "any":
            return triple
        case "total":
            return total == int(choice)
        case "pair":
            return {int(face) for face in choice.split("-")} <= set(dice)
        case "even":
            return total % 2 == 0
        case "odd":
            return total % 2 == 1
        case "small":
            return total in _SMALL and not triple
        case "big":
            return total in _BIG and not triple
    raise ValueError(f"sic-bo-{bet} is no wager")


def pays(wager: catalog.Wager, won: str, multiplier: int | None) -> Payout:
    """What a winning row pays: the base odds, or the odds to 1 a multiplier gives, refused outside its range."""
    row = wager.row(won)
    if multiplier is None:
        return row.payout
    check_multiplier(wager, multiplier, won)
    return multiplied(multiplier)


def check_multiplier(wager: catalog.Wager, multiplier: int, won: str | None = None) -> None:
    """Refuse odds to 1 that no row, or not the row that won, may be given by a multiplier (§ 625b.1(f)(3))."""
    rows = [row for row in wager.rows if won in (None, row.outcome)]
    ranges = [row.odds_range for row in rows if row.odds_range is not None]
    if not any(low <= multiplier <= high for low, high in ranges):
        allowed = ", ".join(f"{low} to {high}" if low < high else str(low) for low, high in ranges)
        where = f" ({won})" if won is not None and len(wager.rows) > 1 else ""
        raise DiceError(
            f"multiplier {multiplier}: {wager.id}{where} may pay {allowed} to 1 ({rows[0].odds_range_place})"
        )


def counts(wager_id: str) -> Mapping[str, int]:
    """How many of the 216 throws give each outcome."""
    found = Counter(outcome(wager_id, (a, b, c)) for a in catalog.FACES for b in catalog.FACES for c in catalog.FACES)
    return dict(found)
