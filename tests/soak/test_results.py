from pathlib import Path

from tests.soak.results import FILE, HEAD, commit, record, rows


def test_each_part_has_one_row_with_its_commit_and_date(tmp_path: Path) -> None:
    file = tmp_path / "soak.md"
    record("tests/b.py", "3 passed", file)
    record("tests/a.py", "2 passed: 1,000 kills,\n{'a | b': 1}", file)
    record("tests/b.py", "4 passed", file)
    text = file.read_text()
    assert text.startswith(HEAD)
    assert list(rows(text)) == ["tests/a.py", "tests/b.py"]
    first, second = rows(text).values()
    assert first.startswith("| `tests/a.py` | 2 passed: 1,000 kills, {'a \\| b': 1} | ")
    assert f"| 4 passed | {commit()} | 20" in second


def test_what_soaks_came_to_is_told_part_by_part() -> None:
    text = FILE.read_text()
    assert text.startswith(HEAD)
    assert len(rows(text)) == text.count("\n") - HEAD.count("\n")
