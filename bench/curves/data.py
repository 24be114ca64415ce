"""What was measured, as it is kept beside the document: one file for each part, written as soon as it is done."""

import os
import time
from pathlib import Path

from msgspec import Struct, json
from msgspec.json import format as laid_out

from bench.places import machine

SIGNIFICANT = 4  # digits kept: a machine's noise begins at the second

Points = list[tuple[float, float]]


class Measured(Struct, frozen=True):
    """A part: on what, when, how long it took, and its series by name, each a list of x and y."""

    part: str
    machine: str
    at: str
    seconds: int
    quick: bool
    series: dict[str, Points]


class Series:
    """Series on their way: `add` a figure as soon as it is known."""

    def __init__(self) -> None:
        self.found: dict[str, Points] = {}

    def add(self, x: float, **figures: float) -> None:
        """Figures at an x, by the names of their series."""
        for name, value in figures.items():
            self.found.setdefault(name, []).append((x, rounded(value)))


def rounded(value: float) -> float:
    """A figure to as many digits as mean anything."""
    return float(f"{value:.{SIGNIFICANT}g}")


def measured(part: str, began: float, series: Series, load: float, *, quick: bool) -> Measured:
    """A part that was begun at a time of `time.monotonic`, under a load."""
    on = machine().rpartition(", load ")[0] + f", load {load:.1f} at the beginning"
    return Measured(
        part=part,
        machine=on,
        at=time.strftime("%Y-%m-%d", time.gmtime()),
        seconds=round(time.monotonic() - began),
        quick=quick,
        series=series.found,
    )


def save(folder: Path, found: Measured) -> None:
    """Write a part's file, whole or not at all."""
    path = _path(folder, found.part)
    new = path.with_suffix(".new")
    new.write_bytes(laid_out(json.encode(found), indent=1) + b"\n")
    os.replace(new, path)  # noqa: PTH105 -- Path.replace returns a path nobody wants


def load(folder: Path, part: str) -> Measured | None:
    """A part as it was measured last."""
    try:
        return json.decode(_path(folder, part).read_bytes(), type=Measured)
    except FileNotFoundError:
        return None


def _path(folder: Path, part: str) -> Path:
    return folder / f"{part}.json"
