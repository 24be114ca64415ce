"""The document of cost curves says what its data say; slopes and drawings are right. No pace is tested here."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench.curves import command, data, document, drawing
from bench.curves.charts import CHARTS, PARTS, Chart, Growth, Line
from bench.curves.data import Measured, Points
from bench.curves.growing import Growing
from bench.curves.signs import delays
from bench.curves.slopes import exponent, ratio
from controller.cli import svg
from controller.journal.audit.verifying import verify
from controller.journal.reading import open_readonly
from tests.cli.test_plot import SVG

DOCS = document.ROOT / "docs"
FOUND = {part: found for part in PARTS if (found := data.load(DOCS / document.FOLDER, part)) is not None}
TEXT = (DOCS / document.DOCUMENT).read_text()


def test_the_document_has_every_part_and_every_chart_once() -> None:
    assert set(FOUND) == set(PARTS)
    assert sorted(re.findall(r"<!-- measured: (.*) -->", TEXT)) == sorted(PARTS)
    assert sorted(re.findall(r"<!-- curve: (.*) -->", TEXT)) == sorted(chart.id for chart in CHARTS)


def test_the_tables_and_slopes_are_those_of_the_data() -> None:
    assert document.filled(TEXT, FOUND) == TEXT


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.id)
def test_the_drawings_are_those_of_the_data(chart: Chart) -> None:
    drawn = (DOCS / document.FOLDER / f"{chart.id}.svg").read_text()
    assert drawn == drawing.draw(chart, FOUND[chart.part].series)


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.id)
def test_every_chart_has_all_its_lines_and_one_of_them_is_its_floor_or_peer(chart: Chart) -> None:
    series = FOUND[chart.part].series
    assert [line.series for line in chart.lines if not series.get(line.series)] == []
    assert any(line.peer for line in chart.lines)
    named = {line.series for line in chart.lines}
    assert all({growth.series, growth.over or growth.series} <= named for growth in chart.growths)


def test_nothing_lies_in_the_folder_that_is_of_no_chart() -> None:
    expected = {f"{part}.json" for part in PARTS} | {f"{chart.id}.svg" for chart in CHARTS}
    assert {path.name for path in (DOCS / document.FOLDER).iterdir()} == expected


@pytest.mark.parametrize("power", [-0.5, 0.0, 0.3, 1.0, 2.0])
def test_a_slope_is_the_power(power: float) -> None:
    points = [(10.0**n, 7 * 10.0 ** (n * power)) for n in range(4, 8)]
    assert exponent(points) == pytest.approx(power)
    assert exponent(ratio(points, [(x, y * 3) for x, y in points])) == pytest.approx(0)


def _measured(series: dict[str, Points]) -> Measured:
    return Measured("history", "a machine", "2026-11-18", 1, quick=False, series=series)


def _chart(least_x: float = 0.0, *, judged: bool = True) -> Chart:
    growth = Growth("ours", "theirs", (-0.1, 0.1), "flat", judged=judged, least_x=least_x)
    return Chart("a", "history", "A", "facts", "ms", (Line("ours", "ours"), Line("theirs", "it", peer=True)), (growth,))


def test_what_is_steeper_than_it_should_be_is_told() -> None:
    flat: Points = [(10.0, 5.0), (100.0, 5.0), (1000.0, 5.0)]
    steep: Points = [(10.0, 1.0), (100.0, 2.0), (1000.0, 4.0)]
    both = _measured({"ours": steep, "theirs": flat})
    (said,) = document.steep(_chart(), both)
    assert "x^+0.30" in said
    assert list(document.steep(_chart(), _measured({"ours": steep, "theirs": steep}))) == []
    assert list(document.steep(_chart(judged=False), both)) == []
    assert list(document.steep(_chart(least_x=1000), both)) == []  # one point has no slope
    assert list(document.steep(_chart(), None)) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.01234, "0.0123"), (1.0, "1.00"), (99.96, "100.0"), (1234.5, "1,234"), (1e7, "10,000,000")],
)
def test_a_figure_has_three_digits_that_count(value: float, text: str) -> None:
    assert document.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1, "1"), (50_000, "50,000"), (1e5, "10⁵"), (2e6, "2·10⁶"), (0.05, "0.05"), (0.0001, "10⁻⁴")]
)
def test_a_tick_is_written_shortly(value: float, text: str) -> None:
    assert drawing.written(value) == text


def test_a_drawing_is_logarithmic_both_ways_and_names_do_not_overlap() -> None:
    series: dict[str, Points] = {
        "ours": [(1.0, 1.0), (10.0, 10.0), (100.0, 100.0)],
        "theirs": [(1.0, 99.0), (100.0, 99.0)],
    }
    root = ET.fromstring(drawing.draw(_chart(), series))  # noqa: S314 -- our own drawing
    lines = [each.get("points", "") for each in root.iter(f"{SVG}polyline")]
    (x1, y1), (x2, y2), (x3, y3) = (map(float, point.split(",")) for point in lines[0].split())
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.02)
    assert y2 - y1 == pytest.approx(y3 - y2, abs=0.02)
    assert y3 < y1
    names = [float(each.get("y", "")) for each in root.iter(f"{SVG}text") if each.text in {"ours", "it"}]
    assert abs(names[0] - names[1]) >= drawing.APART


def test_a_drawing_has_both_its_grounds() -> None:
    drawn = svg.document(10, 10, svg.text(1, 2, "<&>"))
    assert "prefers-color-scheme:dark" in drawn
    assert "&lt;&amp;&gt;" in drawn


def test_a_hurried_journal_is_as_whole_as_any(tmp_path: Path) -> None:
    growing = Growing(tmp_path / "growing.db")
    facts = growing.grow(25_000)
    assert abs(facts - 25_000) < 5_000
    with open_readonly(growing.path) as journal:
        found = verify(journal)
    assert (found.facts, found.bad) == (facts, None)


def test_a_sign_knows_of_a_wager_by_its_message_or_by_a_newer_one() -> None:
    told = [(5, 1.0), (7, 2.0)]
    early, skipped = [(4, 0.5), (5, 1.5), (7, 2.5)], [(8, 3.0)]
    assert delays(told, [early, skipped]) == [0.5, 0.5, 2.0, 1.0]
    with pytest.raises(RuntimeError, match="never heard message 7"):
        delays(told, [[(5, 1.5)]])


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["nonsense"])
    assert "history" in capsys.readouterr().err


def test_drawing_alone_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = tmp_path / "docs"
    (docs / document.FOLDER).mkdir(parents=True)
    for part, found in FOUND.items():
        data.save(docs / document.FOLDER, found)
        assert data.load(docs / document.FOLDER, part) == found
    command.main(["--draw", "--into", str(docs)])
    assert str(docs) in capsys.readouterr().out
    assert (docs / document.DOCUMENT).read_text() == TEXT
