"""Starts of the program: counted, and never a demonstration on a journal that holds money."""

import pytest

from controller.core import inputs
from controller.core.facts import ControllerWasStarted
from controller.core.refusals import Refusal
from tests.core.play import Table
from tests.core.test_operators import refused


def test_every_start_counts_one() -> None:
    table = Table()
    for epoch in (1, 2, 3):
        fact = table.do(inputs.ControllerStarted, version="1.2", record="ab" * 32)
        assert fact == ControllerWasStarted(epoch=epoch, version="1.2", mode="live", record="ab" * 32)
        assert table.state.epoch == epoch


@pytest.mark.parametrize(("first", "then"), [("live", "demonstration"), ("demonstration", "live")])
def test_a_journal_stays_what_it_was_begun_as(first: str, then: str) -> None:
    table = Table()
    table.do(inputs.ControllerStarted, version="1", mode=first)
    assert then in refused(table.try_(inputs.ControllerStarted, version="1", mode=then), Refusal.BAD_REQUEST)
    assert (table.state.epoch, table.state.mode) == (1, first)


def test_a_mode_is_one_of_two() -> None:
    assert "'party' is no mode" in refused(
        Table().try_(inputs.ControllerStarted, version="1", mode="party"), Refusal.BAD_REQUEST
    )
