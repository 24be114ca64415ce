"""Reading a whole link as it stood at one instant: its meters, its tables, and every line of its ledger."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import cast

import psycopg
from msgspec import MsgspecError, json
from psycopg.rows import TupleRow

from controller.core.filed import FiledMeter
from controller.core.meters import Meter
from controller.link import schema
from controller.link.lines import Listed
from controller.link.proving import Row, Stored
from controller.link.sessions import LinkRefusedError

Connection = psycopg.Connection[TupleRow]
MOST = 2**63 - 1  # a line's number, as the database has it
PAGE = 2_000  # lines fetched at a time: a megabyte or two

_COLUMNS = "seq, at, round, kind, version, payload, prev_hash, hash, name, intent"
_METERS = (
    "SELECT meter, filed, opened, seq, hash, state, hits, site, wager, stake_cents "
    "FROM jackpotd.meters WHERE link = %s ORDER BY meter"
)
_TABLES = "SELECT name FROM jackpotd.tables WHERE link = %s ORDER BY name"
_LINES = f"""
SELECT {_COLUMNS} FROM jackpotd.ledger WHERE link = %s AND meter = %s AND seq BETWEEN %s AND %s ORDER BY seq
"""  # noqa: S608 -- our own names
_SINCE = "SELECT min(seq) FROM jackpotd.ledger WHERE link = %s AND meter = %s AND recorded_at >= %s AND seq >= %s"
# Who may not know when another's transaction began takes it for an old one.
_WRITING = """
SELECT min(coalesce(a.xact_start, to_timestamp(0))) FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.relation = to_regclass('jackpotd.ledger') AND l.mode = 'RowExclusiveLock'
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_OF_TABLE = f"SELECT meter, {_COLUMNS} FROM jackpotd.ledger WHERE link = %s AND name = %s ORDER BY meter, seq"  # noqa: S608 -- the same
REMEDY = "run `jackpotd link init` with this table's configuration"


class Ledger:
    """A link at one instant."""

    def __init__(self, connection: Connection, link: str, writing: datetime | None = None) -> None:
        self._connection = connection
        self.link = link
        self.writing = writing  # when the oldest transaction began whose lines may not be in here yet
        refuse_other_version(connection)
        self.meters = {stored.meter: stored for stored in self._meters()}
        self.tables = [name for (name,) in connection.execute(_TABLES, (link,))]
        if not self.meters:
            raise LinkRefusedError(f"the database keeps no link {link}: {REMEDY}")

    def _meters(self) -> Iterator[Stored]:
        for meter, filed, opened, seq, hash_, state, hits, *_ in self._connection.execute(_METERS, (self.link,)):
            try:
                yield Stored(
                    meter,
                    json.decode(filed, type=FiledMeter),
                    json.decode(opened, type=Meter),
                    seq,
                    hash_,
                    json.decode(state, type=Meter),
                    json.decode(hits, type=tuple[Listed, ...]),
                )
            except MsgspecError as error:
                raise LinkRefusedError(
                    f"the row of the meter {meter} cannot be read ({error}): it was changed by hand, or is of other "
                    "software; restore the database from a whole copy"
                ) from error

    def lines(self, meter: str, first: int = 1, last: int = MOST) -> Iterator[Row]:
        """Every line of a meter, or some of them, in order."""
        with self._connection.cursor(name="lines") as cursor:
            cursor.itersize = PAGE
            for row in cursor.execute(_LINES, (self.link, meter, first, last)):
                yield Row(*row)

    def first_since(self, meter: str, moment: datetime, first: int = 1) -> int | None:
        """The first line of a meter, from a number on, that the server recorded at a moment or later."""
        row = self._connection.execute(_SINCE, (self.link, meter, moment, first)).fetchone()
        return row[0] if row else None

    def now(self) -> datetime:
        """The server's clock."""
        ((now,),) = self._connection.execute("SELECT clock_timestamp()").fetchall()
        return cast("datetime", now)

    def lines_of(self, table: str) -> Iterator[tuple[str, Row]]:
        """Every line of a table, with its meter, in order."""
        with self._connection.cursor(name="lines_of") as cursor:
            cursor.itersize = PAGE
            for row in cursor.execute(_OF_TABLE, (self.link, table)):
                yield row[0], Row(*row[1:])


@contextmanager
def snapshot(connection: Connection, link: str) -> Iterator[Ledger]:
    """The link as it stands now; what is written meanwhile is not seen, and nothing is written."""
    # Asked before: what is no longer under way then is seen. A commit waits for its standby with all its locks.
    row = connection.execute(_WRITING).fetchone()
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield Ledger(connection, link, row[0] if row else None)


def refuse_other_version(connection: Connection) -> None:
    """Refuse a database that keeps no links, or links of another version."""
    there = connection.execute("SELECT to_regclass('jackpotd.version') IS NOT NULL").fetchone()
    found = connection.execute("SELECT version FROM jackpotd.version").fetchone() if there and there[0] else None
    if found is None:
        raise LinkRefusedError(f"the database keeps no links: {REMEDY}")
    if found[0] != schema.VERSION:
        raise LinkRefusedError(f"the database has links of version {found[0]}, not {schema.VERSION}: {REMEDY}")
