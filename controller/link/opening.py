"""`jackpotd link init`: the tables of a link in its database, its meters opened, and this table made known to it.

Everything may be done again: what is there already is looked at, and left alone.
"""

from collections.abc import Mapping
from typing import LiteralString

import psycopg
from msgspec import Struct, json
from msgspec.structs import replace
from psycopg import sql
from psycopg.rows import TupleRow

from controller.core.filed import MYSTERY, FiledMeter
from controller.core.meters import Meter, open_meter
from controller.link import schema
from controller.link.chances import Chances
from controller.link.filings import told
from controller.link.sessions import Filing, LinkRefusedError

Connection = psycopg.Connection[TupleRow]
GENESIS = bytes(32)  # the hash before the first line

_ALONE = "SELECT pg_advisory_xact_lock(hashtext('jackpotd link init'))"
# Asked of the catalog's own table: to_regclass may answer from what this session remembers of a moment ago.
_THERE = "SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = 'jackpotd' AND tablename = 'version'"
_KNOWN = "SELECT meter, site, wager, stake_cents, filed, state FROM jackpotd.meters WHERE link = %s"
_OPEN = (
    "INSERT INTO jackpotd.meters (link, meter, site, wager, stake_cents, filed, opened, seq, hash, state, hits) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, 0, %s, %s, '[]')"
)
_ADD = "INSERT INTO jackpotd.tables (link, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"


class Opened(Struct, frozen=True):
    """A meter of the link: opened just now, or there already."""

    meter: str
    new: bool
    display_cents: int
    commitment: str = ""


class Done(Struct, frozen=True):
    """What was done."""

    link: str
    table: str
    from_version: int  # of the database's tables; 0 where there were none
    version: int
    meters: tuple[Opened, ...]
    added: bool  # the table; False: it was known
    role: str = ""  # who was given the rights of a controller


def initialise(
    connection: Connection, link: str, table: tuple[str, str], filings: Mapping[str, Filing], chances: Chances
) -> Done:
    """Bring a link's database up to date, open what is not open, and add a table, given as site and name."""
    site, name = table
    connection.execute("SET synchronous_commit = on")
    before = _migrated(connection)
    with connection.transaction():
        connection.execute(_ALONE)
        meters = _opened(connection, link, site, filings, chances)
        added = connection.execute(_ADD, (link, name)).rowcount == 1
    return Done(link, name, before, schema.VERSION, meters, added)


def let_in(connection: Connection, role: str) -> None:
    """Give a role what a controller needs, and no more."""
    if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone():
        raise LinkRefusedError(f"there is no role {role}: make it with CREATE ROLE {role} LOGIN, or name another")
    with connection.transaction():
        connection.execute(_ALONE)  # two who give rights on one thing at once: the second would fail
        for statement in schema.RIGHTS:
            connection.execute(sql.SQL(statement).format(role=sql.Identifier(role)))


def _migrated(connection: Connection) -> int:
    """Lead the tables from whatever version they have to this one, step by step; the version they had."""
    with connection.transaction():
        connection.execute(_ALONE)
        before = _version(connection)
    if before > schema.VERSION:
        raise LinkRefusedError(
            f"the database has links of version {before}, this software knows {schema.VERSION}: install the newer one"
        )
    for number in range(before, schema.VERSION):
        with connection.transaction():
            connection.execute(_ALONE)
            if _version(connection) != number:  # somebody else was quicker
                continue
            connection.execute(schema.STEPS[number])
            connection.execute("UPDATE jackpotd.version SET version = %s", (number + 1,))
    return before


def _version(connection: Connection) -> int:
    return _number(connection, "SELECT version FROM jackpotd.version") if _number(connection, _THERE) else 0


def _number(connection: Connection, statement: LiteralString) -> int:
    row = connection.execute(statement).fetchone()
    if row is None:
        raise LinkRefusedError("the database keeps links of no version at all: restore it from a whole copy")
    return int(row[0])


def _opened(
    connection: Connection, link: str, site: str, filings: Mapping[str, Filing], chances: Chances
) -> tuple[Opened, ...]:
    rows = connection.execute(_KNOWN, (link,)).fetchall()
    known = {row[0]: row[1:] for row in rows}
    sites = {row[1] for row in rows} - {site}
    if sites:
        raise LinkRefusedError(
            f"table.site: the link {link} is of {sites.pop()}, this table of {site}: tables of one facility share a "
            "meter, not others; choose another link.name"
        )
    for id_, filing in filings.items():
        if id_ in known:
            _, wager, stake_cents, filed, _ = known[id_]
            theirs = Filing(wager, stake_cents, json.decode(filed, type=FiledMeter))
            if why := told(theirs, filing, link):
                raise LinkRefusedError(why)
    # From here it succeeds.
    found = []
    for id_, filing in filings.items():
        if id_ in known:
            meter = json.decode(known[id_][4], type=Meter)
        else:
            meter = _open(connection, link, site, filing, chances)
        found.append(Opened(id_, id_ not in known, meter.display_cents, meter.commitment))
    return tuple(found)


def _open(connection: Connection, link: str, site: str, filing: Filing, chances: Chances) -> Meter:
    """A meter's first cycle: the house's seed and, of a mystery meter, a value drawn in the name of the link."""
    filed = replace(filing.meter, link=link)
    draw = chances.ready(None, filed, 1).draws[0] if filed.kind == MYSTERY else None
    meter, _ = open_meter(filed, filing.wager.partition("/")[0], draw)
    text = json.encode(meter).decode()
    numbers = (filing.wager, filing.stake_cents, json.encode(filed).decode())
    connection.execute(_OPEN, (link, filed.id, site, *numbers, text, GENESIS, text))
    return meter
