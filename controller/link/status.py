"""`jackpotd link status`: how a link is now: its tables, meters, hits, server and standbys."""

import psycopg
from msgspec import Struct
from psycopg.rows import TupleRow

from controller.core.meters import PENDING
from controller.link import durability
from controller.link.lines import Listed
from controller.link.locks import lock_key
from controller.link.reading import Ledger, snapshot
from controller.wire.link import LinkSettings

Connection = psycopg.Connection[TupleRow]

# The newest line of each table and meter, and its newest contribution: each the end of an index.
_NEWEST = """
SELECT t.name, m.meter, l.seq, l.at, l.kind, l.round, c.at,
    (extract(epoch FROM clock_timestamp() - c.recorded_at))::bigint
FROM jackpotd.tables t JOIN jackpotd.meters m USING (link)
LEFT JOIN LATERAL (
    SELECT * FROM jackpotd.ledger WHERE (link, meter, name) = (t.link, m.meter, t.name) ORDER BY seq DESC LIMIT 1
) l ON true
LEFT JOIN LATERAL (
    SELECT * FROM jackpotd.ledger WHERE (link, meter, name) = (t.link, m.meter, t.name) AND kind = 'contribute'
    ORDER BY round DESC LIMIT 1
) c ON true
WHERE t.link = %s ORDER BY t.name, m.meter
"""
_ACTIVE = """
SELECT (l.classid::bigint << 32) | l.objid::bigint,
    to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_STANDBYS = """
SELECT coalesce(application_name, '?'), coalesce(state, '?'), coalesce(sync_state, '?'),
    pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint,
    (extract(epoch FROM replay_lag) * 1000)::bigint
FROM pg_stat_replication ORDER BY 1
"""


class Newest(Struct, frozen=True):
    """The last a table did with a meter."""

    meter: str
    seq: int | None  # of the line; None: nothing yet
    at: str | None  # by the table's clock
    kind: str | None
    round: int | None
    contributed_at: str | None
    contributed_age_s: int | None  # by the server's clock


class TableStatus(Struct, frozen=True):
    """One table of the link."""

    table: str
    active: bool  # it has a session now
    since: str | None  # when that began, where this user may know
    meters: tuple[Newest, ...]


class OpenHit(Struct, frozen=True):
    """A hit that is neither paid nor undone."""

    hit: str
    table: str
    round: int
    positions: tuple[int, ...]
    amount_cents: int
    at: str


class MeterStatus(Struct, frozen=True):
    """One meter of the link."""

    meter: str
    display_cents: int
    reserve_units: int
    carry_units: int
    cycle: int
    lines: int
    commitment: str
    hits: tuple[OpenHit, ...]


class Standby(Struct, frozen=True):
    """A server that follows this one; null is what this user may not know."""

    name: str
    state: str
    sync_state: str
    lag_bytes: int | None
    lag_ms: int | None


class Status(Struct, frozen=True):
    """All of it."""

    ok: bool  # the controllers take this server
    link: str
    flaws: tuple[str, ...]
    server: dict[str, str]
    standbys: tuple[Standby, ...]
    meters: tuple[MeterStatus, ...]
    tables: tuple[TableStatus, ...]


def status(connection: Connection, settings: LinkSettings) -> Status:
    """Look at a link as it is now."""
    connection.execute("SELECT set_config('synchronous_commit', %s, false)", (settings.synchronous_commit,))
    found: dict[str, str] = dict(connection.execute(durability.ASK, (list(durability.SETTINGS),)).fetchall())
    wrong = durability.flaws(found, settings)
    with snapshot(connection, settings.name) as ledger:
        meters = tuple(_meters(ledger))
        tables = _tables(connection, ledger)
    standbys = tuple(Standby(*row) for row in connection.execute(_STANDBYS).fetchall())
    server = {"version": str(connection.info.server_version // 10_000), **dict(sorted(found.items()))}
    return Status(not wrong, settings.name, tuple(wrong), server, standbys, meters, tables)


def _meters(ledger: Ledger) -> list[MeterStatus]:
    return [
        MeterStatus(
            meter=stored.meter,
            display_cents=stored.state.display_cents,
            reserve_units=stored.state.reserve,
            carry_units=stored.state.carry,
            cycle=stored.state.cycle,
            lines=stored.seq,
            commitment=stored.state.commitment,
            hits=tuple(_open(each) for each in stored.listed if each.hit.fate == PENDING),
        )
        for stored in ledger.meters.values()
    ]


def _open(each: Listed) -> OpenHit:
    hit = each.hit
    left = tuple(position for position in hit.positions if position not in each.settled)
    cents = hit.amount_cents // max(1, len(hit.positions)) * len(left)  # shares are equal
    return OpenHit(hit.id, each.table, each.round, left, cents if each.settled else hit.amount_cents, hit.at)


def _tables(connection: Connection, ledger: Ledger) -> tuple[TableStatus, ...]:
    active: dict[int, str | None] = dict(connection.execute(_ACTIVE).fetchall())
    newest: dict[str, list[Newest]] = {}
    for name, *rest in connection.execute(_NEWEST, (ledger.link,)):
        newest.setdefault(name, []).append(Newest(*rest))
    return tuple(
        TableStatus(name, key in active, active.get(key), tuple(newest.get(name, ())))
        for name in ledger.tables
        for key in [lock_key(ledger.link, name)]
    )
