"""Whether mystery values are drawn evenly over their range, as far as many runs can tell.

Ten draws below the middle are chance; thirty are not. For each part of the range the number of draws in it is held
against what an even draw would give: where that many or that few would come up less often than once in ten million, it
is no chance. The values of a run say that only if they are drawn as in life (`play(…, fair=True)`).
"""

from fractions import Fraction
from math import comb

from controller.simulation import trace
from controller.simulation.auditor.law import Numbers, read_law

SELDOM = Fraction(1, 10_000_000)
HALVES, EIGHTHS = 2, 8


class Draws:
    """The draws of run after run."""

    def __init__(self) -> None:
        self._filed: dict[str, Numbers] = {}
        self._places: list[Fraction] = []  # of each draw, from 0 up to 1

    def take(self, event: trace.Event) -> None:
        """Something happened."""
        if isinstance(event, trace.Began):
            self._filed = read_law(event.toml).numbers()
        elif isinstance(event, trace.Drawn):
            numbers = self._filed[event.meter]
            least, most = numbers.reset * 100, numbers.maximum * 100
            self._places.append((event.cents - least) / (most - least))

    def wrong(self) -> str:
        """What chance does not explain; nothing, if it explains all."""
        many = len(self._places)
        for parts in (HALVES, EIGHTHS):
            for part in range(parts):
                there = sum(part <= place * parts < part + 1 for place in self._places)
                few, much = _chance(range(there + 1), many, parts), _chance(range(there, many + 1), many, parts)
                if min(few, much) < SELDOM:
                    return f"drawn unevenly: {there} of {many} values lie in part {part + 1} of {parts} of their range"
        return ""


def _chance(counts: range, many: int, parts: int) -> Fraction:
    """The chance that one of so many counts comes up in one of so many equal parts."""
    ways = sum(comb(many, count) * (parts - 1) ** (many - count) for count in counts)
    return Fraction(ways, parts**many)
