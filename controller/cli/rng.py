"""`jackpotd rng`: the statistics of the draw, as it is made at a table."""

import argparse
import sys
from itertools import islice

from msgspec import json

from controller.cli.output import hush, say
from controller.rng.battery import LEVELS, Battery, Sample
from controller.rng.battery import run as tested
from controller.rng.drawing import sample, words

TOGETHER = 1024  # words written at once


def run(options: argparse.Namespace) -> int:
    """Test the draw, or pour it out for others to test."""
    if options.action == "stream":
        return _stream()
    drawn = sample(options.mystery, options.draws)
    found = tested(drawn)
    if options.json:
        say(json.encode(_as_dict(options.mystery, drawn, found)).decode())
    else:
        say("\n".join(_told(options.mystery, drawn, found)))
    return 0 if found.passes(LEVELS[-1]) else 1


def _stream() -> int:
    drawn = words()
    try:
        while True:
            sys.stdout.buffer.write(b"".join(islice(drawn, TOGETHER)))
    except BrokenPipeError:
        hush()
        return 0


def _as_dict(mystery: str, drawn: Sample, found: Battery) -> dict[str, object]:
    return {
        "mystery": mystery,
        "draws": len(drawn.values),
        "low_cents": drawn.low,
        "high_cents": drawn.high,
        "tests": [
            {
                "test": each.test,
                "statistic": each.statistic,
                "p": each.p,
                **{f"passes_{level * 100:.0f}": each.p >= 1 - level for level in LEVELS},
            }
            for each in found.found
        ],
        **{f"passes_{level * 100:.0f}": found.passes(level) for level in LEVELS},
    }


def _told(mystery: str, drawn: Sample, found: Battery) -> list[str]:
    lines = [
        f"{len(drawn.values):,} values of {mystery}, whole cents in [{drawn.low}, {drawn.high}), drawn by the vault",
        f"{'test':<28}{'statistic':>14}{'p':>10}   " + "   ".join(f"at {level:.0%}" for level in LEVELS),
    ]
    for each in found.found:
        marks = "   ".join(f"{'passes' if each.p >= 1 - level else 'FAILS':<6}" for level in LEVELS)
        lines.append(f"{each.test:<28}{each.statistic:>14.4f}{each.p:>10.4f}   {marks}")
    for level in LEVELS:
        verdict = "passes" if found.passes(level) else "FAILS"
        lines.append(f"all {len(found.found)} together {verdict} at {level:.0%}")
    return [
        *lines,
        "A perfect generator fails a single test at 95% once in twenty; the verdict on all together allows for that,",
        "and still fails at 99% once in a hundred runs. Run it again before you believe a failure.",
    ]
