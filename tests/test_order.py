from pathlib import Path

from tests.order import LONGEST, SLOW_FOLDERS, place_of

ROOT = Path(__file__).parent.parent


def test_what_is_put_first_is_there() -> None:
    assert [file for file in LONGEST if not (ROOT / file).is_file()] == []
    assert len(set(LONGEST)) == len(LONGEST)
    assert {path.name for path in (ROOT / "tests").iterdir()} >= SLOW_FOLDERS


def test_the_longest_are_begun_first_and_the_rest_after_them() -> None:
    first, *_, last = LONGEST
    assert place_of(first) < place_of(last) < place_of("tests/test_order.py")
