"""The button: which presses are presses."""

import pytest

from controller.core import inputs
from controller.core.phases import Phase
from tests.core.play import DEALER, Table

SECOND = 1_000_000


@pytest.mark.parametrize("seconds", [2.999, 3.0, 10, 59, 60, 61, 62.5, 600, 3600, 3601, 86_400, 86_401])
def test_only_a_press_sooner_than_reopen_after_ms_is_the_last_one_once_more(seconds: float) -> None:
    table = Table()
    table.do(inputs.TableOpened, by=DEALER)
    table.do(inputs.Button)
    table.now += round(seconds * SECOND) - 5 * SECOND  # five seconds pass with every input
    table.do(inputs.Button, reopen_after_ms=3000)
    assert table.state.phase is (Phase.LOCKED if seconds < 3 else Phase.OPEN)
