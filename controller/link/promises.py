"""What a mystery meter promised: a value nobody can change, won by the first who passes it, and a ceiling.

A commitment stands in the line, or the opening, that began its cycle; the value is told with the hit that ended it.
"""

from controller.core.accounts import units
from controller.core.filed import MYSTERY, FiledMeter
from controller.core.inputs import LinkHit
from controller.core.meters import Meter
from controller.link.lines import After, Line
from controller.vault import VaultError, commitment


class Promises:
    """The standing commitment of one meter, and how far its cycle has come without a hit."""

    def __init__(self, link: str, filed: FiledMeter, opened: Meter) -> None:
        self._link = link
        self._filed = filed
        self._commitment, self._cycle = opened.commitment, opened.cycle
        self._highest = 0  # units after a contribution of this cycle that won nothing

    def opening(self) -> str:
        """Whether there is a promise, or none, as there should be."""
        if bool(self._commitment) != (self._filed.kind == MYSTERY):
            return "its commitment is missing" if self._filed.kind == MYSTERY else "a commitment where nothing is drawn"
        return ""

    def flaw(self, kind: str, line: Line, before: After) -> str:
        """Why a line breaks a promise; the line is taken in where it does not."""
        if self._filed.kind != MYSTERY:
            told = any(each.commitment for each in line.hits)
            return "a mystery value is told where none was drawn" if told or line.after.commitment else ""
        hits = line.hits if kind == "contribute" else ()
        most = self._filed.filing.maximum_cents
        if line.after.units > units(most):
            return f"the meter is at {line.after.units} units, past its ceiling of {most} cents"
        if not hits:
            if line.after.commitment != before.commitment:
                return "the commitment changed without a hit"
            if kind not in ("contribute", "reverse") and line.after.units != before.units:
                return "it changes what can be won without a wager"
            if kind == "contribute":
                self._highest = max(self._highest, line.after.units)
            return ""
        for number, each in enumerate(hits):
            if why := self._unkept(each, number):
                return why
        if line.after.commitment in ("", *(each.commitment for each in hits)):
            return "no new value was promised after the hit"
        self._commitment, self._cycle, self._highest = line.after.commitment, line.after.cycle, 0
        return ""

    def _unkept(self, hit: LinkHit, number: int) -> str:
        """Why a hit is not what was promised. Only the first of a line ended a cycle whose promise stood before."""
        most = self._filed.filing.maximum_cents
        if hit.cycle != self._cycle + number or (number == 0 and hit.commitment != self._commitment):
            return f"it reveals a value of cycle {hit.cycle} under {hit.commitment!r}: not what was promised"
        try:
            promised = commitment(self._link, self._filed.id, hit.cycle, hit.value_cents, bytes.fromhex(hit.nonce))
        except (ValueError, VaultError) as error:
            return f"what it reveals is no value: {error}"
        if promised != hit.commitment:
            return f"the value {hit.value_cents} cents it reveals is not the one committed to"
        if number == 0 and self._highest > units(hit.value_cents):
            return f"the value {hit.value_cents} cents had been passed before, at {self._highest} units"
        if not hit.value_cents <= hit.amount_cents <= most:
            return f"it pays {hit.amount_cents} cents on a value of {hit.value_cents} and a ceiling of {most} cents"
        return ""
