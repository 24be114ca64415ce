"""`docs/performance.md`: tables, drawings and slopes are filled in between its comments, from the files beside it."""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.curves import data, drawing
from bench.curves.charts import CHARTS, PARTS, Chart, Growth
from bench.curves.data import Measured, Points
from bench.curves.slopes import exponent, ratio

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = "performance.md"
FOLDER = "performance"  # beside it: data and drawings
_PLACE = re.compile(r"(<!-- (measured|curve): ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_BY_ID = {chart.id: chart for chart in CHARTS}
_LEAST_POINTS = 2  # a slope takes two


def refresh(docs: Path) -> list[str]:
    """Draw and fill in everything from the data; what is steeper than it should be, in words."""
    found = _loaded(docs)
    for chart in CHARTS:
        part = found.get(chart.part)
        if part is not None:
            (docs / FOLDER / f"{chart.id}.svg").write_text(drawing.draw(chart, part.series))
    document = docs / DOCUMENT
    document.write_text(filled(document.read_text(), found))
    return [said for chart in CHARTS for said in steep(chart, found.get(chart.part))]


def _loaded(docs: Path) -> dict[str, Measured]:
    parts = (data.load(docs / FOLDER, part) for part in PARTS)
    return {part.part: part for part in parts if part is not None}


def filled(text: str, found: Mapping[str, Measured]) -> str:
    """A document with every place filled in."""

    def fill(match: re.Match[str]) -> str:
        begin, kind, name, end = match.groups()
        part = found.get(name if kind == "measured" else _BY_ID[name].part)
        told = ["Not measured yet."] if part is None else _measured(part) if kind == "measured" else _curve(name, part)
        return begin + "\n".join(told) + "\n" + end

    return _PLACE.sub(fill, text)


def _measured(part: Measured) -> list[str]:
    quick = " **Quick: small sizes, for trying out.**" if part.quick else ""
    return [f"Measured on {part.at} in {part.seconds} s: {part.machine}.{quick}"]


def _curve(name: str, part: Measured) -> list[str]:
    chart = _BY_ID[name]
    return [
        f"![{chart.title}]({FOLDER}/{chart.id}.svg)",
        "",
        *_table(chart, part.series),
        *([""] if chart.growths else []),
        *(_told(chart, growth, part.series) for growth in chart.growths if _has(growth, part.series)),
    ]


def _table(chart: Chart, series: Mapping[str, Points]) -> Iterator[str]:
    lines = [line for line in chart.lines if series.get(line.series)]
    yield f"| {chart.across} | " + " | ".join(line.label for line in lines) + " |"
    yield "|--:" * (len(lines) + 1) + "|"
    values = [dict(series[line.series]) for line in lines]
    for x in sorted({x for each in values for x in each}):
        yield f"| {x:,.0f} | " + " | ".join(number(each[x]) if x in each else "" for each in values) + " |"


def number(value: float) -> str:
    """A figure with three digits that count."""
    if not value:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value)) + 1e-9))
    return f"{value:,.{digits}f}"


def _has(growth: Growth, series: Mapping[str, Points]) -> bool:
    return len(_followed(growth, series)) >= _LEAST_POINTS


def _followed(growth: Growth, series: Mapping[str, Points]) -> list[tuple[float, float]]:
    points = [point for point in series.get(growth.series, []) if point[0] >= growth.least_x]
    return ratio(points, series.get(growth.over, [])) if growth.over else points


def _told(chart: Chart, growth: Growth, series: Mapping[str, Points]) -> str:
    """What grows, how fast, and whether it should."""
    points = _followed(growth, series)
    slope, (least, most) = exponent(points), growth.bounds
    labels = {line.series: line.label for line in chart.lines}
    what = labels[growth.series] + (f" ÷ {labels[growth.over]}" if growth.over else "")
    (begin, first), (_, last) = points[0], points[-1]
    since = f" from {begin:,.0f} on" if growth.least_x else ""
    said = f"- {what}{since}: {number(first)} → {number(last)}, as x^{slope:+.2f}. Expected: {growth.should}"
    if not growth.judged:
        return f"{said}."
    return f"{said}, x^{least:+g} to x^{most:+g}: {'yes' if least <= slope <= most else '**no**'}."


def steep(chart: Chart, part: Measured | None) -> Iterator[str]:
    """Growths that are judged and not as they should be."""
    for growth in chart.growths:
        if part is None or not growth.judged or not _has(growth, part.series):
            continue
        slope = exponent(_followed(growth, part.series))
        if not growth.bounds[0] <= slope <= growth.bounds[1]:
            yield f"{chart.id}: {growth.series} / {growth.over or 1} grows as x^{slope:+.2f}, expected {growth.should}"
