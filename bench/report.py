"""How figures are taken and told."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """One measured figure, beside the most it should be where there is such a goal."""

    name: str
    value: float
    unit: str
    goal: float | None = None


def medians(variants: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median seconds of each variant; they take turns, so that a slow moment of the machine hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in variants}
    for run in variants.values():  # once for caches and imports
        run()
    for _ in range(rounds):
        for name, run in variants.items():
            begun = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begun)
    return {name: statistics.median(taken) for name, taken in times.items()}


def report(figures: Sequence[Figure]) -> int:
    """Print every figure; 1 where a goal is missed."""
    width = max(len(figure.name) for figure in figures)
    missed = 0
    for name, value, unit, goal in figures:
        verdict = ""
        if goal is not None:
            met = value <= goal
            missed += not met
            verdict = f"   goal: at most {goal:g}{unit}, {'met' if met else 'MISSED'}"
        print(f"{name:<{width}}  {value:>12,.2f}{unit}{verdict}")
    return 1 if missed else 0
