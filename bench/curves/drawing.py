"""A chart as an SVG: both axes logarithmic, so that a power of x is a straight line and its steepness the power."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from bench.curves.charts import Chart
from bench.curves.data import Points
from controller.cli import svg

WIDTH, HEIGHT = 860, 420
LEFT, RIGHT, TOP, BOTTOM = 80, 540, 72, 355  # the sides of the frame; names of lines stand to its right
APART = 17  # pixels between two names
MARGIN = 0.06  # of the frame, beyond the outermost points
NARROW, DECADE = 0.1, 1.0  # the least an axis spans: upwards so much that noise does not look like growth
DASHES = "6 4"
FEW_DECADES = 2  # up to so many also 2 and 5 times a power of ten are drawn
_POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class Axis:
    """Logarithms of values between two, on the pixels between two."""

    def __init__(self, values: Sequence[float], first: int, last: int, least: float) -> None:
        low, high = math.log10(min(values)), math.log10(max(values))
        room = max((high - low) * MARGIN, (least - (high - low)) / 2)
        self.low, self.high = low - room, high + room
        self._first, self._last = first, last

    def at(self, value: float) -> Fraction:
        """Where a value stands; in hundredths of a pixel, which every machine rounds alike."""
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return Fraction(round((self._first + part * (self._last - self._first)) * 100), 100)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Round values within, and what is written beside them."""
        steps = (1,) if self.high - self.low > FEW_DECADES else (1, 2, 5)
        for power in range(math.floor(self.low), math.ceil(self.high) + 1):
            for step in steps:
                value = step * 10.0**power
                if self.low <= math.log10(value) <= self.high:
                    yield value, written(value)


def written(value: float) -> str:
    """A round value as a label has it."""
    if 0.001 <= value < 100_000:  # noqa: PLR2004 -- longer ones are powers
        return f"{value:,.0f}" if value >= 1 else f"{value:g}"
    power = math.floor(math.log10(value) + 1e-9)
    step = round(value / 10.0**power)
    return f"{'' if step == 1 else f'{step}·'}10{str(power).translate(_POWERS)}"


def draw(chart: Chart, series: Mapping[str, Points]) -> str:
    """The drawing of a chart."""
    lines = [line for line in chart.lines if series.get(line.series)]
    every = [point for line in lines for point in series[line.series]]
    across = Axis([x for x, _ in every], LEFT, RIGHT, NARROW)
    upwards = Axis([y for _, y in every], BOTTOM, TOP, DECADE)
    parts = [
        svg.text(LEFT, 28, chart.title, font_size=17, font_weight=600),
        svg.text(LEFT, 50, f"{chart.upwards}; both axes logarithmic", "soft"),
        *_grid(across, upwards),
        svg.text((LEFT + RIGHT) // 2, BOTTOM + 44, chart.across, "soft", text_anchor="middle"),
    ]
    names = _apart([upwards.at(series[line.series][-1][1]) for line in lines])
    colors = _colors([line.peer for line in lines])
    for line, color, name in zip(lines, colors, names, strict=True):
        places = [(across.at(x), upwards.at(y)) for x, y in series[line.series]]
        points = " ".join(f"{svg.pixels(x)},{svg.pixels(y)}" for x, y in places)
        parts.append(svg.curve(points, color, **({"stroke_dasharray": DASHES} if line.peer else {})))
        parts += [svg.dot(svg.pixels(x), svg.pixels(y), 3 if line.peer else 4, color) for x, y in places]
        end_x, end_y = places[-1]
        parts.append(svg.line(svg.pixels(end_x), svg.pixels(end_y), RIGHT + 12, svg.pixels(name), color, opacity=0.45))
        parts.append(svg.text(RIGHT + 16, svg.pixels(name), line.label, color, dy=4))
    return svg.document(WIDTH, HEIGHT, "".join(parts))


def _colors(peers: Sequence[bool]) -> list[str]:
    """A color for each line; those that follow one another as line and peer share it."""
    found, own = list[str](), -1
    for number, peer in enumerate(peers):
        if not (peer and number and not peers[number - 1]):
            own += 1
        found.append(svg.CURVES[own % len(svg.CURVES)])
    return found


def _grid(across: Axis, upwards: Axis) -> Iterator[str]:
    for value, label in across.ticks():
        x = svg.pixels(across.at(value))
        yield svg.line(x, TOP, x, BOTTOM, "grid")
        yield svg.text(x, BOTTOM + 20, label, text_anchor="middle")
    for value, label in upwards.ticks():
        y = svg.pixels(upwards.at(value))
        yield svg.line(LEFT, y, RIGHT, y, "grid")
        yield svg.text(LEFT - 8, y, label, dy=4, text_anchor="end")


def _apart(wanted: Sequence[Fraction]) -> list[Fraction]:
    """Heights for names, as near to those wanted as they fit: in order, none nearer than `APART`, all in the frame."""
    order = sorted(range(len(wanted)), key=lambda each: wanted[each])
    found = [wanted[each] for each in order]
    for number in range(1, len(found)):
        found[number] = max(found[number], found[number - 1] + APART)
    over = max(Fraction(0), found[-1] - BOTTOM) if found else Fraction(0)
    for number in reversed(range(len(found))):
        most = found[number + 1] - APART if number + 1 < len(found) else found[number] - over
        found[number] = min(found[number], most)
    placed = dict(zip(order, found, strict=True))
    return [placed[each] for each in range(len(wanted))]
