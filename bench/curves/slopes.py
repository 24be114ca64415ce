"""How fast something grows: the power of x it follows, by least squares on logarithms."""

import math
from collections.abc import Sequence

Point = tuple[float, float]


def exponent(points: Sequence[Point]) -> float:
    """The e of y ~ x^e: 0 is flat, 1 in proportion."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    middle_x, middle_y = (sum(each) / len(logs) for each in zip(*logs, strict=True))
    spread = sum((x - middle_x) ** 2 for x, _ in logs)
    return sum((x - middle_x) * (y - middle_y) for x, y in logs) / spread if spread else 0.0


def ratio(points: Sequence[Point], over: Sequence[Point]) -> list[Point]:
    """One series over another, where both have been measured."""
    below = dict(over)
    return [(x, y / below[x]) for x, y in points if below.get(x)]


def steps(points: Sequence[Point]) -> list[Point]:
    """What one more costs: the difference to the first point, over how many more there are."""
    (first_x, first_y), *rest = points
    return [(x, (y - first_y) / (x - first_x)) for x, y in rest]
