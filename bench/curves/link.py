"""Tables on one link: the figures that `bench.link_rates` measures, as curves."""

import re

from bench.curves.data import Series
from bench.link import written
from bench.link_place import server
from bench.link_rates import CLIENTS, PGBENCH, ROUNDS, figures
from bench.link_ways import BARE, OURS
from bench.report import Figure
from tests.link.server import folder

QUICK, QUICK_ROUNDS = (1, 4), 3
_TOLD = re.compile(rf"(\d+), ({OURS}|{BARE}|{PGBENCH}): (lock-outs a second|p50|p99)")
_SERIES = {OURS: "link", BARE: "psycopg", PGBENCH: "pgbench", "lock-outs a second": "rate", "p50": "p50", "p99": "p99"}


def measure(series: Series, quick: bool) -> None:
    """On a PostgreSQL of its own."""
    with server() as on, folder() as made:
        found = figures(on, made, written(on), QUICK if quick else CLIENTS, QUICK_ROUNDS if quick else ROUNDS)
    for figure in found:
        told = _TOLD.fullmatch(figure.name) if isinstance(figure, Figure) else None
        if told is not None and isinstance(figure, Figure):
            series.add(int(told[1]), **{f"{_SERIES[told[2]]}_{_SERIES[told[3]]}": figure.value})
