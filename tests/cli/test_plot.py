"""`jackpotd odds WAGER --plot FILE.svg`: what the drawing shows, read back through its own axes."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.calls import Said, refusal
from tests.cli.test_odds import FLOORS, MYSTERIES, printed, told

SVG = "{http://www.w3.org/2000/svg}"
NEAR = 0.05  # pixels: positions are written with two decimals

Scale = Callable[[float], float]  # from a value to its pixel


def _drawn(capsys: Said, file: Path, *arguments: str) -> list[ET.Element]:
    """The panels of a drawing."""
    assert str(file) in printed(capsys, *arguments, "--plot", str(file))
    root = ET.fromstring(file.read_text(encoding="utf-8"))  # noqa: S314 -- our own drawing
    assert root.tag == f"{SVG}svg"
    return root.findall(f"{SVG}g")


def _scales(panel: ET.Element) -> tuple[Scale, Scale]:
    """Cents to the right and the edge upwards, as the labels at the ticks say."""
    ticks: dict[str, list[tuple[float, float]]] = {"x": [], "y": []}
    for text in panel.iter(f"{SVG}text"):
        label = text.text or ""
        if label.startswith("$") and text.get("text-anchor") == "middle":
            ticks["x"].append((float(label[1:].replace(",", "")) * 100, float(text.get("x", ""))))
        elif label.endswith("%"):
            ticks["y"].append((float(label[:-1]) / 100, float(text.get("y", ""))))
    return _scale(ticks["x"]), _scale(ticks["y"])


def _scale(ticks: list[tuple[float, float]]) -> Scale:
    (low, start), (high, end) = ticks[0], ticks[-1]
    assert len(ticks) > 2

    def pixel(value: float) -> float:
        return start + (value - low) * (end - start) / (high - low)

    assert all(abs(pixel(value) - where) < NEAR for value, where in ticks)
    return pixel


def _curve(panel: ET.Element) -> list[tuple[float, float]]:
    points = panel.findall(f"{SVG}polyline")[0].get("points", "").split()
    return [(float(x), float(y)) for x, y in (point.split(",") for point in points)]


def _check_mark(panel: ET.Element, cents: int) -> None:
    """The break-even amount is named, and marked on the zero line where the scale has it."""
    x, y = _scales(panel)
    mark = panel.findall(f"{SVG}circle")[0]
    assert abs(float(mark.get("cx", "")) - x(cents)) < NEAR
    assert abs(float(mark.get("cy", "")) - y(0)) < NEAR
    labels = [text.text or "" for text in panel.iter(f"{SVG}text")]
    amount = next(label for label in labels if label.startswith("break-even $")).removeprefix("break-even $")
    assert Fraction(amount.replace(",", "")) * 100 == cents


@pytest.mark.parametrize(
    "arguments",
    [
        *("heavenly9", "heavenly9 --amount 25", "harmony/A", "harmony/I --decks 6"),
        *("royal9/5", "royal9/1", "royal9/5 --layout KS9H,KH9H --seat 2"),
    ],
)
def test_the_curve_is_the_exact_edge_and_the_mark_its_break_even(arguments: str, tmp_path: Path, capsys: Said) -> None:
    words = arguments.split()
    answer = told(capsys, *words)
    floors, chances, even = {words[0].partition("/")[0]: 0}, answer["jackpot_probability"], answer["break_even_cents"]
    if words[0] in FLOORS:
        floors = FLOORS[words[0]]
    else:
        chances, even = dict.fromkeys(floors, chances), dict.fromkeys(floors, even)
    panels = _drawn(capsys, tmp_path / "edge.svg", *words)
    assert len(panels) == len(floors) == (3 if "royal9" in arguments else 1)
    for panel, meter in zip(panels, floors, strict=True):
        assert meter in next(text.text or "" for text in panel.iter(f"{SVG}text"))
        x, y = _scales(panel)
        slope = float(Fraction(chances[meter])) / answer["amount_cents"]
        others = sum(float(Fraction(chances[id_])) * at for id_, at in floors.items() if id_ != meter)
        at_zero = float(answer["house_edge"]) - others / answer["amount_cents"]
        points = _curve(panel)
        cents_per_pixel = 1 / (x(1) - x(0))
        for across, down in points:
            assert abs(y(at_zero - slope * (across - x(0)) * cents_per_pixel) - down) < NEAR
        assert all(one[0] <= two[0] for one, two in pairwise(points))
        assert points[0][0] < x(even[meter]) < points[-1][0]
        _check_mark(panel, even[meter])


@pytest.mark.parametrize("wager", ["must-hit-by/A-1", "must-hit-by/A-5", "royal9-mystery/3"])
def test_a_mystery_is_drawn_by_what_the_next_wager_gets(wager: str, tmp_path: Path, capsys: Said) -> None:
    least, most, rate, stake = (MYSTERIES[wager][0] * 100, MYSTERIES[wager][1] * 100, *MYSTERIES[wager][2:])
    assert stake * rate % 10 == 0  # whole cents a wager
    step = stake * rate // 10

    def edge(cents: int) -> float:
        reached = min(cents + step, most)
        return 1 - (reached - cents) / (most - cents) * reached / (stake * 100)

    (panel,) = _drawn(capsys, tmp_path / "edge.svg", wager)
    x, y = _scales(panel)
    for across, down in _curve(panel):
        cents = round((across - x(0)) / (x(1) - x(0)))
        assert least <= cents < most
        assert y(edge(cents)) == pytest.approx(down, abs=NEAR, rel=1e-3)
    _check_mark(panel, next(cents for cents in range(least, most) if edge(cents) <= 0))


@pytest.mark.parametrize("wager", ["player", "lucky-six", "sic-bo-even", "top-card-tie"])
def test_a_wager_without_a_meter_is_not_drawn(wager: str, tmp_path: Path, capsys: Said) -> None:
    file = tmp_path / "edge.svg"
    assert "no meter" in refusal(capsys, "odds", wager, "--plot", str(file))
    assert not file.exists()


@pytest.mark.parametrize("place", ["missing/edge.svg", "."])
def test_a_place_that_cannot_be_written_is_refused(place: str, tmp_path: Path, capsys: Said) -> None:
    assert str(tmp_path) in refusal(capsys, "odds", "heavenly9", "--plot", str(tmp_path / place))
