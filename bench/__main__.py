"""`make bench`: every figure is a ratio to something measured in the same run, because machines are noisy.

`python -m bench` measures everything but the soak, `python -m bench PART …` some of it.
"""

import sys
from collections.abc import Callable, Sequence

from bench import devices, exact_odds, journal, link, pixel, service, settling, start_up
from bench.report import Figure, Note, report

PARTS: dict[str, Callable[[], Sequence[Figure | Note]]] = {
    "settling": settling.figures,
    "odds": exact_odds.figures,
    "start-up": start_up.figures,
    "devices": devices.figures,
    "journal": journal.figures,
    "service": service.figures,
    "console": pixel.figures,
    "link": link.figures,
}
SOAK: dict[str, Callable[[], Sequence[Figure | Note]]] = {"soak-memory": service.soak, "soak-link": link.soak}


def main(wanted: Sequence[str]) -> int:
    """Measure what is asked for, and print it; 1 where a goal is missed, 2 where there is no such part."""
    unknown = [name for name in wanted if name not in PARTS | SOAK]
    if unknown:
        print(f"{', '.join(unknown)}: there are {', '.join(PARTS | SOAK)}", file=sys.stderr)
        return 2
    return report([line for name in wanted or PARTS for line in (PARTS | SOAK)[name]()])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
