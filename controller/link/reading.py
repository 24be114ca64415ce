"""Reading a whole link as it stood at one instant: its meters, its tables, and every line of its ledger."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from msgspec import MsgspecError, json
from psycopg.rows import TupleRow

from controller.core.filed import FiledMeter
from controller.core.meters import Meter
from controller.link import schema
from controller.link.ledger import Listed
from controller.link.proving import Row, Stored
from controller.link.sessions import LinkRefusedError

Connection = psycopg.Connection[TupleRow]
PAGE = 2_000  # lines fetched at a time: a megabyte or two

_COLUMNS = "seq, at, round, kind, version, payload, prev_hash, hash, name, intent"
_METERS = (
    "SELECT meter, filed, opened, seq, hash, state, hits, site, wager, stake_cents "
    "FROM jackpotd.meters WHERE link = %s ORDER BY meter"
)
_TABLES = "SELECT name FROM jackpotd.tables WHERE link = %s ORDER BY name"
_LINES = f"SELECT {_COLUMNS} FROM jackpotd.ledger WHERE link = %s AND meter = %s ORDER BY seq"  # noqa: S608 -- our own names
_OF_TABLE = f"SELECT meter, {_COLUMNS} FROM jackpotd.ledger WHERE link = %s AND name = %s ORDER BY meter, seq"  # noqa: S608 -- the same
REMEDY = "run `jackpotd link init` with this table's configuration"


class Ledger:
    """A link at one instant."""

    def __init__(self, connection: Connection, link: str) -> None:
        self._connection = connection
        self.link = link
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

    def lines(self, meter: str) -> Iterator[Row]:
        """Every line of a meter, in order."""
        with self._connection.cursor(name="lines") as cursor:
            cursor.itersize = PAGE
            for row in cursor.execute(_LINES, (self.link, meter)):
                yield Row(*row)

    def lines_of(self, table: str) -> Iterator[tuple[str, Row]]:
        """Every line of a table, with its meter, in order."""
        with self._connection.cursor(name="lines_of") as cursor:
            cursor.itersize = PAGE
            for row in cursor.execute(_OF_TABLE, (self.link, table)):
                yield row[0], Row(*row[1:])


@contextmanager
def snapshot(connection: Connection, link: str) -> Iterator[Ledger]:
    """The link as it stands now; what is written meanwhile is not seen, and nothing is written."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield Ledger(connection, link)


def refuse_other_version(connection: Connection) -> None:
    """Refuse a database that keeps no links, or links of another version."""
    there = connection.execute("SELECT to_regclass('jackpotd.version') IS NOT NULL").fetchone()
    found = connection.execute("SELECT version FROM jackpotd.version").fetchone() if there and there[0] else None
    if found is None:
        raise LinkRefusedError(f"the database keeps no links: {REMEDY}")
    if found[0] != schema.VERSION:
        raise LinkRefusedError(f"the database has links of version {found[0]}, not {schema.VERSION}: {REMEDY}")
