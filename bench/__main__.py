"""`make bench`: every figure is a ratio to something measured in the same run, because machines are noisy.

`python -m bench` measures ratios, `python -m bench PART …` some of them, or the soak's, `python -m bench retention
FACTS` archives a longer journal; `python -m bench curves` shows how costs grow: that takes a quarter of an hour and
gigabytes, and writes `docs/performance.md`. `make bench` measures ratios and curves.
"""

import sys
from collections.abc import Callable, Sequence

from bench import devices, exact_odds, journal, link, pixel, retention, service, settling, start_up
from bench.curves import command
from bench.report import Figure, Note, report, words
from tests.soak import results

PARTS: dict[str, Callable[[], Sequence[Figure | Note]]] = {
    "settling": settling.figures,
    "odds": exact_odds.figures,
    "start-up": start_up.figures,
    "devices": devices.figures,
    "journal": journal.figures,
    "retention": retention.figures,
    "service": service.figures,
    "console": pixel.figures,
    "link": link.figures,
}
CURVES, RETENTION = "curves", "retention"
SOAK: dict[str, Callable[[], Sequence[Figure | Note]]] = {"soak-memory": service.soak, "soak-link": link.soak}


def main(wanted: Sequence[str]) -> int:
    """Measure what is asked for, and print it; 1 where a goal is missed, 2 where there is no such part."""
    if wanted[:1] == [CURVES]:
        return command.main(wanted[1:])
    if wanted[:1] == [RETENTION] and len(wanted) == 2 and wanted[1].isdecimal():  # noqa: PLR2004 -- it and a size
        return report(retention.figures(int(wanted[1])))
    unknown = [name for name in wanted if name not in PARTS | SOAK]
    if unknown:
        print(f"{', '.join(unknown)}: there are {', '.join([*PARTS, *SOAK, CURVES])}", file=sys.stderr)
        return 2
    lines: list[Figure | Note] = []
    for name in wanted or PARTS:
        measured = (PARTS | SOAK)[name]()
        if name in SOAK:
            results.record(f"bench {name}", words(measured))
        lines += measured
    return report(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
