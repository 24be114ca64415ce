"""The lists of planted bugs are long, apply to the product as it is, and say who must find what."""

import ast
import re
from pathlib import Path

import pytest

from tests.mutants.planted import THEMES, Bug, Edit, NotPlantedError, every, themes
from tests.mutants.trees import ROOT

pytestmark = pytest.mark.fast
FEWEST = 80
BUGS = every()


def test_there_are_many_of_every_theme() -> None:
    assert len(BUGS) >= FEWEST
    assert tuple(theme for theme, _ in themes()) == THEMES
    assert len({bug.name for bug in BUGS}) == len(BUGS)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_applies_and_somebody_must_find_it(bug: Bug) -> None:
    for path, text in bug.files(ROOT).items():
        assert path.relative_to(ROOT).parts[0] in {"controller", "drivers"}, "it is planted in the product"
        ast.parse(text)
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(path.read_text())), "it changes what the product does"
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", bug.name)
    assert bug.says.endswith(".")
    assert bug.tests or bug.simulator
    assert bool(bug.why_not) == (not bug.tests or not bug.simulator), "it is said why one cannot find it, and only then"


@pytest.mark.parametrize("test", sorted({test for bug in BUGS for test in bug.tests}))
def test_a_test_that_is_named_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    defined = {node.name for node in ast.walk(ast.parse((ROOT / file).read_text())) if isinstance(node, _NAMED)}
    assert set(filter(None, re.sub(r"\[.*", "", name).split("::"))) <= defined


_NAMED = (ast.FunctionDef, ast.ClassDef)


@pytest.mark.parametrize(
    ("text", "why"), [("a = 1\n", "0 places"), ("b = 1\nb = 1\n", "2 places"), (None, "No such file")]
)
def test_a_bug_that_does_not_apply_any_more_is_refused(tmp_path: Path, text: str | None, why: str) -> None:
    if text is not None:
        (tmp_path / "file.py").write_text(text)
    bug = Bug(name="stale", says="It was true once.", edits=(Edit("file.py", "b = 1\n", "b = 2\n"),), simulator=True)
    with pytest.raises(NotPlantedError, match=f"stale does not apply any more: .*{why}"):
        bug.files(tmp_path)


def test_edits_of_one_file_add_up(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text("a = 1\nb = 1\n")
    edits = Edit("file.py", "a = 1", "a = 2"), Edit("file.py", "b = 1", "b = 2")
    assert Bug(name="two", says="Both.", edits=edits).files(tmp_path) == {tmp_path / "file.py": "a = 2\nb = 2\n"}
