"""What a floorperson asks for at the console, answered from journals of every length."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from bench.curves.data import Series
from bench.curves.writing import Stage
from bench.report import medians, progress
from controller.commands.queries import ask
from controller.journal.audit.days import days
from controller.journal.reading import JournalReader, open_readonly
from controller.wire import commands as wire

REPEATED = 3
SHORT_DAY = 2_500  # facts of the last days of every journal
_AT = "2026-11-16T11:00:00.000000Z"


def measure(series: Series, stages: Sequence[Stage]) -> None:
    """Each length by itself: the longest take long."""
    for stage in stages:
        progress(f"history: questions at {stage.facts:,} facts")
        with open_readonly(stage.path) as journal, closing(_bare(stage.path)) as bare:
            day = days(journal)[-2]
            questions: dict[str, Callable[[], object]] = {
                "hits_ms": partial(_asked, journal, stage, wire.QueryHits(id="q", at=_AT, token="", limit=50)),
                "day_ms": partial(_asked, journal, stage, wire.QueryReadings(id="q", at=_AT, token="", day=day)),
                "rounds_ms": partial(_asked, journal, stage, wire.QueryRounds(id="q", at=_AT, token="", limit=50)),
                "day_rows_ms": partial(_rows, bare, stage.facts),
            }
            taken = medians(questions, REPEATED)
        series.add(stage.facts, **{name: seconds * 1000 for name, seconds in taken.items()})


def _bare(path: Path) -> sqlite3.Connection:
    """Leaves nothing beside the file, by which the other reader would think that it is written to."""
    return sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)


def _asked(journal: JournalReader, stage: Stage, query: wire.Query) -> None:
    ask(journal, query, stage.state, _AT)


def _rows(bare: sqlite3.Connection, facts: int) -> None:
    bare.execute(
        "SELECT * FROM facts WHERE seq > ? ORDER BY seq LIMIT ?", (facts - 2 * SHORT_DAY, SHORT_DAY)
    ).fetchall()
