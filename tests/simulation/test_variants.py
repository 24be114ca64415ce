"""The simulator can fail: it finds each of the deliberately broken variants, and finds nothing without them."""

import pytest

from controller.simulation.layout import SUBMISSIONS
from controller.simulation.run import Result, play
from controller.simulation.schedule import KINDS
from tests.simulation.variants import VARIANTS
from tests.simulation.variants_seen import SEEN

ROUNDS = 90
MOST_SEEDS = 16  # four of each table: a few seconds in all
FEWEST = 12  # variants: what the list is to hold at least
SHORT_DAYS = 16  # a seed whose table is open for an hour each day
EVERY = VARIANTS | SEEN


def runs() -> list[tuple[int, str]]:
    """Seeds and tables, the same for every variant."""
    seeds = [SHORT_DAYS, *range(1, MOST_SEEDS)]
    return [(seed, SUBMISSIONS[-1 - seed % len(SUBMISSIONS)]) for seed in seeds]


def found_by(name: str) -> Result | None:
    for seed, table in runs():
        with EVERY[name]():
            result = play(seed, ROUNDS, table=table)
        if result.violations:
            return result
    return None


def test_the_list_is_long_enough() -> None:
    assert len(EVERY) == len(VARIANTS) + len(SEEN) >= FEWEST


@pytest.mark.parametrize("name", EVERY)
def test_a_broken_variant_is_found(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = found_by(name)
    assert result is not None, f"{MOST_SEEDS} runs of {ROUNDS} hands show nothing wrong with {name}"
    with capsys.disabled():
        print(f"\n  {name}: seed {result.seed}, {result.table}: {result.violations[0][:150]}")  # noqa: T201 -- how it was found


def test_what_is_whole_is_found_whole() -> None:
    results = [play(seed, ROUNDS, table=table) for seed, table in runs()]
    assert [result.violations for result in results] == [()] * MOST_SEEDS
    assert {kind for result in results for kind in result.faults} == KINDS.keys(), "each kind is in some run"
    assert results[0].seconds > 86_400, "a gaming day ends in the first"
