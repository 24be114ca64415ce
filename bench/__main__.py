"""`make bench`: every figure is a ratio to something measured in the same run, because machines are noisy."""

import sys

from bench import devices, exact_odds, journal, settling, start_up
from bench.report import report

if __name__ == "__main__":
    sys.exit(
        report(
            [*settling.figures(), *exact_odds.figures(), *start_up.figures(), *devices.figures(), *journal.figures()]
        )
    )
