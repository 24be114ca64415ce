"""Who is let in to a link: a table it knows, once, that files what all file; and a server that keeps what it says."""

import asyncio
from typing import Any

import psycopg
from msgspec import json
from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from controller.core.filed import FiledMeter
from controller.core.state import LinkHead
from controller.link import durability, schema
from controller.link.filings import told
from controller.link.locks import lock_key
from controller.link.sessions import Filing, Identity, LinkRefusedError
from controller.wire.link import LinkSettings

Connection = AsyncConnection[TupleRow]

# The server's own patience with a controller that hangs: others wait for the row it holds.
LOCK_MS = 1_200  # for the row; less than a session waits for its answer
IN_TRANSACTION_MS = 1_000
IDLE_MS = 5_000  # a session looks several times a second
LEAST_SERVER = 140_000  # PostgreSQL 14 is the first that ends idle sessions
_TAKE_OVER_TRIES, _TAKE_OVER_SECONDS = 10, 0.05  # for a session of our own that was cut off to end

_KNOWN = "SELECT meter, site, wager, stake_cents, filed, seq, hash FROM jackpotd.meters WHERE link = %s"
_HASH_AT = "SELECT hash FROM jackpotd.ledger WHERE link = %s AND meter = %s AND seq = %s"
_ASKED_SINCE = (
    "SELECT intent FROM jackpotd.ledger "
    "WHERE link = %s AND meter = %s AND seq > %s AND name = %s AND intent <> ALL(%s) LIMIT 1"
)
_HOLDERS = """
SELECT pg_terminate_backend(a.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND a.pid <> pg_backend_pid()
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((l.classid::bigint << 32) | l.objid::bigint) = %s AND a.application_name = %s
    -- One whose commit waits for the standby is left to wait: ended, it would show others what no standby has.
    AND a.wait_event IS DISTINCT FROM 'SyncRep'
"""


async def prepare(connection: Connection, settings: LinkSettings) -> None:
    """Set what a session relies on, read it back, and refuse a server that would acknowledge before it is durable."""
    set_ = "SELECT set_config(%s, %s, false)"
    wanted = {
        "synchronous_commit": settings.synchronous_commit,
        "lock_timeout": str(LOCK_MS),
        "idle_in_transaction_session_timeout": str(IN_TRANSACTION_MS),
        "idle_session_timeout": str(IDLE_MS),
    }
    if connection.info.server_version < LEAST_SERVER:
        raise LinkRefusedError(f"the server is PostgreSQL {connection.info.server_version // 10_000}: 14 or later")
    for name, value in wanted.items():
        await connection.execute(set_, (name, value))
    rows = await (await connection.execute(durability.ASK, (list(durability.SETTINGS),))).fetchall()
    if await _one(connection, "SELECT pg_is_in_recovery()"):
        raise LinkRefusedError("the server is a standby: name all hosts, and target_session_attrs=read-write")
    flaws = durability.flaws(dict(rows), settings)
    if flaws and not settings.allow_not_durable:
        raise LinkRefusedError(
            f"the server would acknowledge before it is durable: {', '.join(flaws)}: mend its configuration"
        )


async def refuse_strangers(connection: Connection, settings: LinkSettings, identity: Identity) -> None:
    """Refuse an unknown table, one that is active already, one that files other numbers, and a ledger set back."""
    name, table = settings.name, identity.table
    remedy = "run `jackpotd link init` with this table's configuration"
    try:
        version = await _one(connection, "SELECT version FROM jackpotd.version")
    except psycopg.errors.UndefinedTable as error:
        raise LinkRefusedError(f"the database keeps no links: {remedy}") from error
    if version != schema.VERSION:
        raise LinkRefusedError(f"the database has links of version {version}, not {schema.VERSION}: {remedy}")
    rows = await (await connection.execute(_KNOWN, (name,))).fetchall()
    known = {row[0]: row[1:] for row in rows}
    for id_, filing in identity.filings.items():
        if id_ not in known:
            raise LinkRefusedError(f"the link {name} keeps no {id_}: {remedy}")
        site, wager, stake_cents, filed, *_ = known[id_]
        if site != identity.site:
            raise LinkRefusedError(f"the link {name} is of {site}: tables of one facility share a meter, not others")
        theirs = Filing(wager, stake_cents, json.decode(filed, type=FiledMeter))
        if why := told(theirs, filing, name):
            raise LinkRefusedError(why)
    for id_, (*_, seq, hash_) in known.items():  # also those it fed once, and does not file now
        for head in (identity.heads.get(id_), identity.seen.get(id_)):
            await _refuse_set_back(connection, name, id_, head, (seq, hash_))
        await _refuse_other_journal(connection, name, id_, identity)
    if not await _one(connection, "SELECT count(*) FROM jackpotd.tables WHERE link = %s AND name = %s", (name, table)):
        raise LinkRefusedError(f"the link {name} does not know the table {table}: {remedy}")
    await _refuse_second(connection, name, identity)


async def _refuse_set_back(
    connection: Connection, link: str, meter: str, head: LinkHead | None, last: tuple[int, bytes]
) -> None:
    """Refuse a ledger that lacks a line this table was told of: the database was set back to an older copy."""
    if head is None:
        return
    there = await _one(connection, _HASH_AT, (link, meter, head.seq)) if head.seq <= last[0] else None
    if there is None or there.hex() != head.hash:
        raise LinkRefusedError(
            f"{meter}: line {head.seq} of the ledger is not the one this table was told of: the database was set back "
            "or changed; restore the newest copy, and have the difference looked into with `jackpotd link audit`"
        )


async def _refuse_other_journal(connection: Connection, link: str, meter: str, identity: Identity) -> None:
    """Refuse a table whose journal does not know what it asked: its next intents would be taken for old ones."""
    head = identity.heads.get(meter)
    after = (link, meter, head.seq if head else 0, identity.table, list(identity.asked))
    unknown = await _one(connection, _ASKED_SINCE, after)
    if unknown is not None:
        raise LinkRefusedError(
            f"{meter}: the journal of {identity.table} does not know its own intent {unknown}, which the link has: it "
            "was set back, or is a new one; restore the newest copy of it, or give a table that begins anew a table.id "
            "of its own and add it with `jackpotd link init`"
        )


async def _refuse_second(connection: Connection, link: str, identity: Identity) -> None:
    """One session for one table. A session of this very process that was cut off is ended; another's is not."""
    key = lock_key(link, identity.table)
    for _ in range(_TAKE_OVER_TRIES):
        if await _one(connection, "SELECT pg_try_advisory_lock(%s)", (key,)):
            return
        await connection.execute(_HOLDERS, (key, f"jackpotd {identity.instance}"))
        await asyncio.sleep(_TAKE_OVER_SECONDS)
    raise LinkRefusedError(
        f"the table {identity.table} is active at the link {link} already: another controller runs under its name, or "
        "one has ended a moment ago; stop the other"
    )


async def _one(connection: Connection, statement: str, values: tuple[Any, ...] = ()) -> Any:  # noqa: ANN401 -- a column
    row = await (await connection.execute(statement, values)).fetchone()
    return row[0] if row else None
