"""Whether what a line of a ledger moves goes with what it says: rates, jackpots, refunds and adjustments."""

from controller.core.filed import MYSTERY, FiledMeter
from controller.link.lines import After, Line
from controller.link.sums import Flows
from controller.rules.money import UNITS_PER_CENT


def jackpot(line: Line) -> int:
    """The cents that the winners of a line share, with those that equal shares leave over."""
    return sum(each.amount_cents for each in line.hits) + line.left_cents


def misfit(  # noqa: PLR0913, PLR0917 -- all that a line is held against
    kind: str, line: Line, flowed: Flows, filed: FiledMeter, before: After, version: int
) -> str:
    """Why the money of a line is not what it should be."""
    stakes = sum(cents for _, cents in line.stakes)
    if kind == "contribute" and flowed.contributed != stakes * (filed.filing.rate + filed.filing.reserve_rate):
        return f"wagers of {stakes} cents do not give {flowed.contributed} units at the rates filed"
    if kind != "resplit" and flowed.awarded != sum(each.amount_cents for each in line.hits) * UNITS_PER_CENT:
        return f"it takes {flowed.awarded} units for awards that are others"
    held = before.units // UNITS_PER_CENT
    untold = len(line.hits) if version == 1 else 1  # version 1 does not tell the cents that are left over
    if kind == "hit" and not 0 <= held - jackpot(line) < untold:
        return f"its jackpot is {jackpot(line)} cents, and the meter held {held}"
    if flowed.returned != line.returned_units:
        return f"it says that {line.returned_units} units go back, and moves {flowed.returned}"
    return _misadjusted(kind, line, flowed, filed, held)


def _misadjusted(kind: str, line: Line, flowed: Flows, filed: FiledMeter, held: int) -> str:
    """Why an adjustment is none: not what was asked, on another amount than was expected, or too low."""
    wanted = line.cents if kind == "adjust" and not line.refusal else 0
    if flowed.adjusted != wanted * UNITS_PER_CENT or (line.refusal and line.moves):
        return f"an adjustment of {wanted} cents moves {flowed.adjusted} units"
    if not wanted or filed.kind == MYSTERY:
        return ""
    if held != line.expected_cents:
        return f"it adjusts a meter that showed {held} cents as if it had shown {line.expected_cents}"
    least = filed.filing.reset_cents
    if line.after.units < least * UNITS_PER_CENT:
        return f"it adjusts the meter below its reset amount of {least} cents"
    return ""
