"""How figures are taken and told."""

import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """One measured figure, beside the most or the least it should be where there is such a goal."""

    name: str
    value: float
    unit: str
    goal: float | None = None  # at most
    least: float | None = None  # at least


class Note(NamedTuple):
    """A line between figures: what the following were measured on, or why one is missing."""

    text: str


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


def progress(text: str) -> None:
    """Say what is being measured, apart from the table."""
    print(f"… {text}", file=sys.stderr, flush=True)


def report(lines: Sequence[Figure | Note]) -> int:
    """Print every figure; 1 where a goal is missed."""
    width = max(len(line.name) for line in lines if isinstance(line, Figure))
    missed = 0
    for line in lines:
        if isinstance(line, Note):
            print(f"\n{line.text}")
            continue
        by, verdict = _verdict(line)
        missed += by > 0
        print(f"{line.name:<{width}}  {line.value:>14,.2f}{line.unit}{verdict}")
    return 1 if missed else 0


def words(lines: Sequence[Figure | Note]) -> str:
    """All of it on one line."""
    return "; ".join(
        line.text if isinstance(line, Note) else f"{line.name} {line.value:,.2f}{line.unit}{_verdict(line)[1]}"
        for line in lines
    )


def _verdict(figure: Figure) -> tuple[float, str]:
    """By how much a goal is missed, and how that is told."""
    by, bounds = 0.0, list[str]()
    if figure.goal is not None:
        bounds.append(f"at most {figure.goal:,g}{figure.unit}")
        by = max(by, figure.value - figure.goal)
    if figure.least is not None:
        bounds.append(f"at least {figure.least:,g}{figure.unit}")
        by = max(by, figure.least - figure.value)
    if not bounds:
        return 0.0, ""
    bound = figure.goal if figure.least is None else figure.least
    share = f", {by / bound:.0%}" if bound else ""
    told = f"MISSED by {by:,.2f}{figure.unit}{share}" if by > 0 else "met"
    return by, f"   goal: {' and '.join(bounds)}, {told}"
