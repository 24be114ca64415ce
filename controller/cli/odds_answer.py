"""What `jackpotd odds` answers, as the contract names it; and what a Rules Submission files of a wager."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from controller.rules import catalog, royal9
from controller.rules.errors import BadInputError
from controller.rules.money import percent
from controller.rules.mystery import MysteryOdds, mystery_odds
from controller.rules.odds import Filed, Jackpot, Odds, decimal, long_run_return
from controller.rules.submission import Submission

Found = Odds | MysteryOdds


class Offer(NamedTuple):
    """How a table offers a wager, as far as that is filed or asked for."""

    decks: int | None = None
    layout: royal9.Layout = royal9.DEFAULT_LAYOUT
    seat: int = 1
    amount_cents: int | None = None
    meters: Mapping[str, Filed] = {}
    mystery: catalog.Mystery | None = None  # that the same wager feeds


def offer(submission: Submission, wager_id: str) -> Offer:
    """What a submission files of a wager or a mystery configuration; refused where it does not offer it."""
    name = wager_id.partition("/")[0]
    filed = Offer(decks=submission.table.decks)
    offered: list[str] = []
    if (royal := submission.royal9) is not None:
        offered += [f"royal9/{royal.denomination}", *([royal.mystery.id] if royal.mystery else [])]
        if name in ("royal9", "royal9-mystery"):
            meters = {"royal9-mega": royal.mega, "royal9-major": royal.major, "royal9-minor": royal.minor}
            filed = filed._replace(
                layout=royal.layout,
                amount_cents=royal.denomination * 100,
                meters={id_: Filed(meter.reset_cents, meter.rate) for id_, meter in meters.items()},
                mystery=royal.mystery,
            )
    if (harmony := submission.harmony) is not None:
        offered.append(f"harmony/{harmony.paytable}")
        if name == "harmony":
            filed = filed._replace(amount_cents=harmony.denomination * 100)
    if (heavenly := submission.heavenly9) is not None:
        offered += ["heavenly9", *([heavenly.must_hit_by.id] if heavenly.must_hit_by else [])]
        if name in ("heavenly9", "must-hit-by"):
            filed = filed._replace(amount_cents=heavenly.denomination * 100, mystery=heavenly.must_hit_by)
    progressive = name in ("royal9", "royal9-mystery", "harmony", "heavenly9", "must-hit-by")
    if progressive and wager_id not in offered:
        raise BadInputError(f"{wager_id} is not filed there: {', '.join(offered) or 'no progressive wager'} is")
    return filed


def answer(found: Found, filed: Offer) -> dict[str, Any]:
    """The odds as JSON has them: counts and fractions as text, because they do not fit a float."""
    if isinstance(found, MysteryOdds):
        return {
            "wager": found.mystery.id,
            "amount_cents": found.stake_cents,
            "minimum_cents": found.mystery.minimum_cents,
            "maximum_cents": found.mystery.maximum_cents,
            "rate": percent(found.mystery.rate),
            "expected_wagers": decimal(found.expected_wagers),
            "expected_award_cents": decimal(found.expected_award_cents),
            "long_run_return": decimal(found.long_run_return),
        }
    told: dict[str, Any] = {
        "wager": found.wager.id,
        "decks": found.decks,
        "total": str(found.total),
        "outcomes": {outcome: str(count) for outcome, count in found.outcomes.items()},
        "return": decimal(found.returns),
        "house_edge": decimal(found.house_edge),
    }
    if found.jackpots:
        told["amount_cents"] = found.stake_cents
        if found.wager.decided_by == catalog.ROYAL9:
            told["layout"] = ",".join(filed.layout.combinations)
            told["seat"] = filed.seat
            told["jackpot_probability"] = {jackpot.meter.id: _ratio(jackpot) for jackpot in found.jackpots}
            told["break_even_cents"] = {jackpot.meter.id: jackpot.break_even_cents for jackpot in found.jackpots}
        else:
            told["jackpot_probability"] = _ratio(found.jackpots[0])
            told["break_even_cents"] = found.jackpots[0].break_even_cents
        long_run = long_run_return(found, filed.meters)
        told["long_run_return"] = None if long_run is None else decimal(long_run)
        if long_run is not None and filed.mystery is not None:
            mystery = mystery_odds(filed.mystery, found.stake_cents)
            told["long_run_return_with_mystery"] = decimal(long_run + mystery.long_run_return)
    return told


def _ratio(jackpot: Jackpot) -> str:
    return f"{jackpot.probability.numerator}/{jackpot.probability.denominator}"
