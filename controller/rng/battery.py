"""The battery: eight kinds of tests of a sample of whole numbers that ought to be uniform and independent.

Frequency, chi-square, runs, serial correlation, gap, poker, coupon collector, Kolmogorov-Smirnov. Each gives the
chance that a perfect generator looks at least as bad; a perfect one fails a test at 95% once in twenty. So a verdict on
the whole battery is corrected for how many tests there are.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import comb, sqrt
from typing import NamedTuple

from controller.rng.chances import chi_square_tail, kolmogorov_tail, normal_tails

CELLS = 100  # of the chi-square test: hundreds of draws in each, of a sample worth testing
FACES = 10  # values are sorted into as many for the gap, poker and coupon collector tests
HAND = 5  # of the poker test
LAGS = (1, 2, 3, 5, 8)
LEAST_EXPECTED = 10  # in a class of a chi-square test; classes with fewer are taken together
LEAST_DRAWS = 10_000  # below that the classes of the rarer sights are empty
LEVELS = (0.95, 0.99)


class Sample(NamedTuple):
    """Values drawn from [low, high), in the order they were drawn."""

    values: Sequence[int]
    low: int
    high: int

    @property
    def span(self) -> int:
        """How many values there are to draw."""
        return self.high - self.low


class Found(NamedTuple):
    """What a test found."""

    test: str
    statistic: float
    p: float


class Battery(NamedTuple):
    """What all tests found."""

    found: tuple[Found, ...]

    def passes(self, level: float) -> bool:
        """Whether no test is so unlikely that chance does not explain it, as many as there are (Holm's correction)."""
        worst = sorted(each.p for each in self.found)
        return worst[0] >= (1 - level) / len(worst)


def run(sample: Sample) -> Battery:
    """Every test."""
    return Battery(tuple(each for test in _TESTS for each in test(sample)))


def _frequency(sample: Sample) -> Iterator[Found]:
    """As many values in the lower half as there ought to be."""
    half = sample.span // 2
    low = sum(value - sample.low < half for value in sample.values)
    share, count = half / sample.span, len(sample.values)
    z = (low - count * share) / sqrt(count * share * (1 - share))
    yield Found("frequency", z, normal_tails(z))


def _cell(sample: Sample, value: int, cells: int) -> int:
    return (value - sample.low) * cells // sample.span


def _sizes(span: int, cells: int) -> list[int]:
    """How many values each cell has: spans are rarely a multiple of the cells."""
    edges = [-(-cell * span // cells) for cell in range(cells + 1)]
    return [after - before for before, after in pairwise(edges)]


def _chi_square(sample: Sample) -> Iterator[Found]:
    """As many values in each of a hundred cells as its size says."""
    seen = Counter(_cell(sample, value, CELLS) for value in sample.values)
    expected = [len(sample.values) * size / sample.span for size in _sizes(sample.span, CELLS)]
    yield _compared("chi-square", [seen[cell] for cell in range(CELLS)], expected)


def _compared(test: str, seen: Sequence[int], expected: Sequence[float]) -> Found:
    """A chi-square test; classes of which too few are expected are taken together with their neighbours."""
    classes: list[tuple[float, float]] = []
    number, mean = 0.0, 0.0
    for found, wanted in zip(seen, expected, strict=True):
        number, mean = number + found, mean + wanted
        if mean >= LEAST_EXPECTED:
            classes.append((number, mean))
            number, mean = 0.0, 0.0
    if mean or number:
        last = classes.pop() if classes else (0.0, 0.0)
        classes.append((last[0] + number, last[1] + mean))
    statistic = sum((found - wanted) ** 2 / wanted for found, wanted in classes)
    return Found(test, statistic, chi_square_tail(statistic, max(1, len(classes) - 1)))


def _runs(sample: Sample) -> Iterator[Found]:
    """As many runs above and below the middle as independent values make."""
    sides = [2 * (value - sample.low) >= sample.span for value in sample.values]
    above = sum(sides)
    below, count = len(sides) - above, len(sides)
    if not above or not below:
        yield Found("runs", float("inf"), 0.0)
        return
    runs = 1 + sum(one != other for one, other in pairwise(sides))
    mean = 1 + 2 * above * below / count
    spread = sqrt((mean - 1) * (mean - 2) / (count - 1))
    z = (runs - mean) / spread
    yield Found("runs", z, normal_tails(z))


def _serial(sample: Sample) -> Iterator[Found]:
    """No value tells anything about the one some draws later."""
    count = len(sample.values)
    mean = sum(sample.values) / count
    off = [value - mean for value in sample.values]
    power = sum(each * each for each in off)
    for lag in LAGS:
        together = sum(one * other for one, other in zip(off, off[lag:], strict=False))
        z = together / power * sqrt(count) if power else float("inf")
        yield Found(f"serial correlation, lag {lag}", z, normal_tails(z))


def _faces(sample: Sample) -> list[int]:
    return [_cell(sample, value, FACES) for value in sample.values]


def _shares(sample: Sample) -> list[float]:
    return [size / sample.span for size in _sizes(sample.span, FACES)]


def _gap(sample: Sample) -> Iterator[Found]:
    """Between two visits to the first tenth, as many draws as chance says."""
    share = _shares(sample)[0]
    longest = 50  # gaps beyond are one class: fewer than one in two hundred
    seen, gap, visited = [0] * (longest + 1), 0, False
    for face in _faces(sample):
        if face:
            gap += 1
            continue
        if visited:
            seen[min(gap, longest)] += 1
        gap, visited = 0, True
    total = sum(seen)
    expected = [total * share * (1 - share) ** length for length in range(longest)]
    yield _compared("gap", seen, [*expected, total * (1 - share) ** longest])


def _poker(sample: Sample) -> Iterator[Found]:
    """Hands of five values have as many different faces as chance says."""
    faces = _faces(sample)
    hands = [faces[at : at + HAND] for at in range(0, len(faces) - HAND + 1, HAND)]
    seen = Counter(len(set(hand)) for hand in hands)
    shares = _different(_shares(sample), HAND)
    yield _compared(
        "poker", [seen[number] for number in range(1, HAND + 1)], [len(hands) * shares[k] for k in range(1, HAND + 1)]
    )


def _different(shares: Sequence[float], drawn: int) -> list[float]:
    """The chance of each number of different faces among some draws. Faces are of nearly, not exactly, one size."""
    # By sets of faces seen, taken together by how many they are: the sizes differ by one value in thousands.
    faces = len(shares)
    chances = [1.0] + [0.0] * faces
    for _ in range(drawn):
        chances = [
            (chances[number] * number / faces if number <= faces else 0.0)
            + (chances[number - 1] * (faces - number + 1) / faces if number else 0.0)
            for number in range(faces + 1)
        ]
    return chances


def _coupons(sample: Sample) -> Iterator[Found]:
    """As many draws until every face was seen as chance says."""
    longest = 80  # more than one in five hundred needs, and those are one class
    seen, have, length = [0] * (longest + 1), set[int](), 0
    for face in _faces(sample):
        have.add(face)
        length += 1
        if len(have) == FACES:
            seen[min(length, longest)] += 1
            have, length = set(), 0
    total = sum(seen)
    done = [_all_seen(length) for length in range(longest)]
    expected = [total * (after - before) for before, after in pairwise([0.0, *done])]
    yield _compared("coupon collector", seen, [*expected, total * (1 - done[-1])])


def _all_seen(drawn: int) -> float:
    """The chance that some draws show every face, by inclusion and exclusion."""
    return sum(
        (-1.0 if out % 2 else 1.0) * comb(FACES, out) * ((FACES - out) / FACES) ** drawn for out in range(FACES + 1)
    )


def _kolmogorov(sample: Sample) -> Iterator[Found]:
    """The shares of the values up to each value lie close to what they ought to be, everywhere."""
    count = len(sample.values)
    distance = 0.0
    for number, value in enumerate(sorted(sample.values)):
        at = (value - sample.low + 0.5) / sample.span
        distance = max(distance, abs(at - number / count), abs((number + 1) / count - at))
    yield Found("Kolmogorov-Smirnov", distance, kolmogorov_tail(distance, count))


_TESTS: tuple[Callable[[Sample], Iterator[Found]], ...] = (
    _frequency,
    _chi_square,
    _runs,
    _serial,
    _gap,
    _poker,
    _coupons,
    _kolmogorov,
)
