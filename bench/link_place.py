"""Where links are measured: a real server with its syncs on, and databases that keep a link of many tables."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

from bench.play import SUBMISSION
from controller.core.filed import Filed, filed
from controller.link import reaching
from controller.link.audit import audit
from controller.link.chances import Sealed
from controller.link.filings import filings
from controller.link.opening import initialise
from controller.link.reading import snapshot
from controller.link.sessions import Filing
from controller.rules import lawful
from controller.wire.link import LinkSettings
from tests.link.server import Server, running

LINK, METER = "bank", "harmony"
CONNECTIONS = 600  # three ways and pgbench, 128 clients each
CHANCES = Sealed(LINK, None)  # this meter has no mystery value, so nothing is sealed
_NUMBERS = count(1)


class Sample(NamedTuple):
    """What bare statements write: a line and a row as the product writes them, worked out beforehand."""

    payload: str
    state: str


@contextmanager
def server() -> Iterator[Server]:
    """A server that lets all clients in at once."""
    with running() as found:
        found.run(f"ALTER SYSTEM SET max_connections = {CONNECTIONS}")
        found.restart()
        yield found


@cache
def files() -> Filed:
    """What every table of the link files."""
    submission = lawful.check(SUBMISSION.read_text(), datetime.now(UTC).date()).submission
    if submission is None:
        raise RuntimeError(f"{SUBMISSION} is not lawful: see `jackpotd check`")
    return filed(submission, {METER: LINK})


def filed_meters() -> Mapping[str, Filing]:
    """The shared meter, as every table files it."""
    return filings(files(), LINK)


def full_name(table: str) -> str:
    """A table with its site."""
    return f"{files().site}/{table}"


def settings(dsn: str) -> LinkSettings:
    """How a table reaches the link."""
    return LinkSettings(name=LINK, meter=METER, dsn=dsn)  # type: ignore[arg-type]  # one of its names


def opened(on: Server, tables: list[str]) -> str:
    """A new database whose link knows the tables; how to reach it."""
    dsn = on.database(f"bench_{next(_NUMBERS)}")
    with reaching.connected(settings(dsn), "bench") as connection:
        initialise(connection, LINK, (files().site, full_name(tables[0])), filed_meters(), CHANCES)
        with connection.transaction():
            add = "INSERT INTO jackpotd.tables (link, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            connection.cursor().executemany(add, [(LINK, full_name(table)) for table in tables])
    return dsn


def sample(dsn: str) -> Sample:
    """The newest line of a link, and the meter after it."""
    with reaching.connected(settings(dsn), "bench") as connection:
        row = connection.execute(
            "SELECT payload, state FROM jackpotd.ledger JOIN jackpotd.meters USING (link, meter, seq) WHERE link = %s",
            (LINK,),
        ).fetchone()
    if row is None:
        raise RuntimeError("there is no line to take as a sample")
    return Sample(*row)


def wrong(dsn: str, rounds: Mapping[str, int]) -> int:
    """How many tables have not given exactly once in each of their rounds, and how many sums an audit finds wrong."""
    with reaching.connected(settings(dsn), "bench") as connection:
        rows = connection.execute(
            "SELECT name, count(*), count(DISTINCT round), max(round) FROM jackpotd.ledger "
            "WHERE link = %s GROUP BY name",
            (LINK,),
        ).fetchall()
        there = {name: numbers for name, *numbers in rows}
        asked = {full_name(table): [played, played, played] for table, played in rounds.items() if played}
        wrong = sum(there.get(name) != asked.get(name) for name in there.keys() | asked.keys())
        with snapshot(connection, LINK) as ledger:
            return wrong + len(audit(ledger, {}).differences)


def server_cpu(on: Server) -> dict[str, float]:
    """Seconds of processor time that each of the server's processes has used."""
    parent = (on.data / "postmaster.pid").read_text().split()[0]
    found = {}
    for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        try:
            after = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        found[pid] = (int(after[11]) + int(after[12])) / 100  # ticks in user and in kernel mode; 100 a second on Linux
    return found


def now() -> float:
    """The clock that all processes share."""
    return time.clock_gettime(time.CLOCK_MONOTONIC)
