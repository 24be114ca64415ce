"""docs/compliance.md: every module, document and test it names is there, and what is not met is said twice."""

import ast
import re
from functools import cache

import pytest

from tests.documents.reading import ROOT, spans

PAGE = ROOT / "docs/compliance.md"
LINES = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES]
COLUMNS = ["demanded", "place", "met in", "shown by", "verdict"]
REQUIREMENTS = [row for row in ROWS if len(row) == len(COLUMNS) and row != COLUMNS]
VERDICTS = re.compile(r"(met|reading|in part|house)\b|\*\*not met\*\*")


@cache
def named_in(path: str) -> frozenset[str]:
    """The tests of a file, as pytest would collect them."""
    tree = ast.parse((ROOT / path).read_text())
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return frozenset(node.name for node in found if node.name.startswith("test_"))


def test_every_file_named_is_there() -> None:
    named = [span for span in spans(PAGE) if re.match(r"(controller|drivers|docs|tests)/\S+\.\w+$", span)]
    assert len(named) > 50
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_every_test_named_is_there() -> None:
    named = [span.split("::") for span in spans(PAGE) if span.startswith("tests/") and "::" in span]
    assert len(named) > 80
    assert ["::".join(each) for each in named if each[1] not in named_in(each[0])] == []


@pytest.mark.parametrize("row", REQUIREMENTS, ids=lambda row: row[0][:60])
def test_every_requirement_has_a_place_a_verdict_and_what_goes_with_it(row: list[str]) -> None:
    _, place, where, shown, verdict = row
    assert VERDICTS.match(verdict), verdict
    assert re.search(r"§|Chapter|practice|proxy", place), place
    if verdict.startswith(("met", "reading")):
        assert "::" in shown, "a test shows it"
    if verdict.startswith(("**not met**", "in part")):
        assert where, "what is missing is said"


def test_what_is_not_met_stands_in_the_list_at_the_end() -> None:
    listed = PAGE.read_text().partition("## Not met, in one place")[2]
    missing = [place for _, place, _, _, verdict in REQUIREMENTS if verdict.startswith("**not met**")]
    assert len(missing) >= 4
    for place in missing:
        assert re.split(r", (?:law|proxy)", place)[0].split("(")[0] in listed
