"""Starts of the program: counted, and never a demonstration on a journal that holds money."""

import pytest
from msgspec.structs import replace

from controller.core import inputs
from controller.core.facts import ControllerWasStarted
from controller.core.refusals import Refusal
from tests.core.play import DEALER, Table
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


def test_a_start_leaves_a_round_as_it_was() -> None:
    table = Table()
    table.do(inputs.WagerAbsent, position=1, wager="royal9")
    table.do(inputs.TableOpened, by=DEALER)
    table.do(inputs.WagerPresent, position=1, wager="royal9")
    for _ in range(2):  # the second coin is to be returned
        table.do(inputs.WagerDropped, position=2, wager="harmony", cents=500)
    before = table.state
    assert (set(before.standing), len(before.returns)) == ({"1/royal9", "2/harmony"}, 1)
    table.do(inputs.ControllerStarted, version="1.2")
    started = replace(before, seq=before.seq + 1, at=table.state.at, instant=table.state.instant, epoch=1, mode="live")
    assert table.state == started
