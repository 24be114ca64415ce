"""One number divides every time of the table, and 0 leaves none."""

import pytest

from controller.demo.pace import FASTEST, SLOWEST, Pace
from controller.rules.errors import BadInputError


def test_at_speed_one_every_time_is_that_of_a_table() -> None:
    pace = Pace(1)
    assert pace.line() == {"poll_ms": 25, "debounce_ms": 40, "silence_ms": 1.75}
    assert pace.button() == {"reopen_after_ms": 3000, "pulled_ms": 3000}
    assert pace.of(3.5) == 3.5
    assert pace.debounce_seconds == 0.04


def test_a_speed_divides_every_time() -> None:
    pace = Pace(10)
    assert pace.line() == {"poll_ms": 2.5, "debounce_ms": 4, "silence_ms": 0.175}
    assert pace.button() == {"reopen_after_ms": 300, "pulled_ms": 300}
    assert pace.of(3.5) == 0.35
    assert Pace(0.5).of(3.5) == 7


def test_speed_nought_leaves_no_time() -> None:
    pace = Pace(0)
    assert set(pace.line().values()) == {0}
    assert set(pace.button().values()) == {0}
    assert pace.of(3.5) == pace.debounce_seconds == 0


@pytest.mark.parametrize("speed", [0, SLOWEST, 1, FASTEST])
def test_speeds_that_can_be_played(speed: float) -> None:
    assert Pace(speed).speed == speed


@pytest.mark.parametrize("speed", [-1, SLOWEST / 2, FASTEST + 1, float("inf"), float("nan")])
def test_speeds_that_cannot(speed: float) -> None:
    with pytest.raises(BadInputError, match="--speed"):
        Pace(speed)
