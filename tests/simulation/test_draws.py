"""Fair draws are even over their range, and what is not even is seen; a limit on both sides."""

from collections.abc import Iterable
from random import Random

import pytest

from controller.simulation import trace
from controller.simulation.auditor.draws import Draws
from controller.simulation.choices import Choices
from controller.simulation.run import play
from tests.core.play import HEAVENLY

LEAST, MOST = 25_000, 100_000  # cents: what is filed there


def wrong(values: Iterable[int]) -> str:
    draws = Draws()
    draws.take(
        trace.Began(at=0, seed=1, toml=HEAVENLY, wall=0, faults=(), operators=(), spots=(), button="", shoe=False)
    )
    for cycle, cents in enumerate(values, start=1):
        told = {"nonce": f"{cycle:064x}", "sealed": "", "commitment": ""}
        draws.take(trace.Drawn(at=cycle, life=1, meter="must-hit-by", cycle=cycle, cents=cents, **told))
    return draws.wrong()


def even(many: int, least: int = LEAST, most: int = MOST) -> list[int]:
    chance = Random(f"even {many}")
    return [chance.randrange(least, most) for _ in range(many)]


@pytest.mark.parametrize("many", [0, 1, 10, 100, 1000])
def test_even_draws_are_chance(many: int) -> None:
    assert not wrong(even(many))


@pytest.mark.parametrize(("many", "seen"), [(23, False), (24, True)])
def test_none_in_the_top_half_is_chance_for_a_while(many: int, seen: bool) -> None:
    assert bool(wrong(even(many, most=(LEAST + MOST) // 2))) is seen  # 2 ** -24 is seldom enough, 2 ** -23 is not


def test_a_gap_within_the_range_is_seen() -> None:
    gap = range(LEAST + (MOST - LEAST) // 8, LEAST + (MOST - LEAST) // 4)
    assert "of 8 of their range" in wrong(cents for cents in even(400) if cents not in gap)


def test_the_draws_of_a_fair_run_are_even_and_those_of_others_are_not() -> None:
    found = []
    for fair in (True, False):
        draws = Draws()
        for seed in range(1, 7):
            play(seed, 60, Choices("baccarat-heavenly9", fair), takers=[draws.take])
        found.append(bool(draws.wrong()))
    assert found == [False, True]
