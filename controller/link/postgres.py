"""A link on PostgreSQL: one session of one table.

An intent takes two round trips: the meter's row is locked and read; the line is written, the row updated, and all of it
committed. Between them the core decides, as for a meter of the table's own. Who holds the row is next in order, so the
order of lines is the order of hits. A session that does not answer in time is hung up, never waited for: what became
of an intent is found out by asking again.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import psycopg
from msgspec import json
from msgspec.structs import replace
from psycopg.rows import TupleRow

from controller.chain import link as chained
from controller.core.filed import FiledMeter
from controller.core.inputs import LinkAnswered
from controller.core.meters import Meter
from controller.core.state import Intent
from controller.link.admitting import Connection, prepare, refuse_strangers
from controller.link.chances import Chances, refuse_broken_seal
from controller.link.eager import Eager
from controller.link.ledger import decide
from controller.link.lines import VERSION, Applied, Book, LedgerError, Line, Listed, Past, answer, refuse_another
from controller.link.reaching import told as _told
from controller.link.reaching import words
from controller.link.sessions import Identity, LinkLostError, LinkRefusedError, Shown
from controller.vault import VaultError
from controller.wire.link import LinkSettings

Row = TupleRow
T = TypeVar("T")

# A session that has not answered in this time is lost: with the pause between two looks it makes less than two seconds,
# after which no table may take a wager for a link that is not there.
ANSWER_SECONDS = 1.4

_LOCK = "SELECT seq, hash, state FROM jackpotd.meters WHERE link = %s AND meter = %s FOR UPDATE"
_LOCK_WITH_HITS = "SELECT seq, hash, state, hits FROM jackpotd.meters WHERE link = %s AND meter = %s FOR UPDATE"
_HITS = "SELECT hits FROM jackpotd.meters WHERE link = %s AND meter = %s"
_SEEN = "SELECT seq, hash, payload, meter, kind FROM jackpotd.ledger WHERE link = %s AND name = %s AND intent = %s"
# A round begins with its contribution, which one index finds; what followed at the same table another.
_PAST = (
    "SELECT l.seq, l.kind, l.payload FROM jackpotd.ledger f JOIN jackpotd.ledger l USING (link, meter, name, round) "
    "WHERE f.link = %s AND f.meter = %s AND f.name = %s AND f.round = %s AND f.kind = 'contribute' AND l.seq >= f.seq "
    "ORDER BY l.seq"
)
_WRITE = (
    "INSERT INTO jackpotd.ledger "
    "(link, meter, seq, at, round, kind, version, payload, prev_hash, hash, name, intent) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)
_UPDATE = "UPDATE jackpotd.meters SET seq = %s, hash = %s, state = %s WHERE link = %s AND meter = %s"
_UPDATE_WITH_HITS = (
    "UPDATE jackpotd.meters SET seq = %s, hash = %s, state = %s, hits = %s WHERE link = %s AND meter = %s"
)
_LOOK = "SELECT meter, seq, state, hits, hash FROM jackpotd.meters WHERE link = %s ORDER BY meter"
_PROVE = "UPDATE jackpotd.tables SET seen_at = clock_timestamp() WHERE link = %s AND name = %s"
_LISTED = json.Decoder(tuple[Listed, ...])
_LINE = json.Decoder(Line)
_METER = json.Decoder(Meter)


@asynccontextmanager
async def session(
    settings: LinkSettings, identity: Identity, chances: Chances, *, password: str | None = None
) -> AsyncIterator["Session"]:
    """A session of a table with its link, once it is sure that both fit and that the server keeps what it says."""
    try:
        connection = await connect(settings, identity.instance, password=password)
    except (psycopg.Error, OSError) as error:
        raise LinkLostError(_told(error)) from error
    try:
        yield await admitted(connection, settings, identity, chances)
    finally:
        _hang_up(connection)
        with suppress(psycopg.Error):
            await connection.close()


async def connect(settings: LinkSettings, instance: str, *, password: str | None = None) -> Connection:
    """A connection as the settings say; statements stand alone unless a transaction is begun."""
    dsn = words(settings, f"jackpotd {instance}", password=password)
    return await Eager.connect(dsn, autocommit=True, prepare_threshold=0)


async def admitted(connection: Connection, settings: LinkSettings, identity: Identity, chances: Chances) -> "Session":
    """A session of a table on a connection, which holds the table's lock for as long as it lives."""
    found = Session(connection, settings.name, identity.table, chances)
    await found.within(prepare(connection, settings))
    await found.within(refuse_strangers(connection, settings, identity))
    found.filed = {id_: filing.meter for id_, filing in identity.filings.items()}
    await found.look()
    try:
        for id_, filed in found.filed.items():
            refuse_broken_seal(settings.name, filed, found.shown[id_].meter, chances)
    except VaultError as error:
        raise LinkRefusedError(str(error)) from error
    await found.prove()
    return found


class Session:
    """One table's session with its link."""

    def __init__(self, connection: Connection, link: str, table: str, chances: Chances) -> None:
        self._connection = connection
        self._link = link
        self._table = table
        self._chances = chances
        self._doubtful = ""  # what the server said of a commit it could not wait for
        self.filed = dict[str, FiledMeter]()
        self.shown: dict[str, Shown] = {}
        connection.add_notice_handler(self._noticed)

    def _noticed(self, said: psycopg.errors.Diagnostic) -> None:
        """A warning at a commit: it is on this server's disk, and perhaps not on the standby's."""
        if said.severity_nonlocalized == "WARNING":
            self._doubtful = said.message_primary or "a warning"

    def hang_up(self) -> None:
        """End the connection at once, whatever is under way: the other end may never answer."""
        _hang_up(self._connection)

    async def within(self, coming: Coroutine[Any, Any, T]) -> T:
        """What is asked of the server, if it answers in time; otherwise the session is over."""
        task = asyncio.create_task(coming)
        try:
            done, _ = await asyncio.wait([task], timeout=ANSWER_SECONDS)
        except asyncio.CancelledError:
            self.hang_up()
            await asyncio.wait([task])
            task.exception()
            raise
        if not done:
            self.hang_up()
        try:
            found = await task
        except LinkLostError:
            raise
        except (LedgerError, VaultError) as error:
            raise LinkRefusedError(str(error)) from error
        except (psycopg.Error, OSError) as error:
            why = _told(error) if done else f"the database does not answer within {ANSWER_SECONDS} s"
            raise LinkLostError(why) from error
        except Exception as error:  # whatever a row made by others does to this table, its own meters play on
            why = f"what the link {self._link} keeps cannot be read ({type(error).__name__}: {_told(error)})"
            raise LinkRefusedError(f"{why}: have it looked into with `jackpotd link audit`") from error
        if self._doubtful:
            raise LinkLostError(f"the database is not sure of a commit: {self._doubtful}")
        return found

    async def look(self) -> None:
        """See how the meters stand."""
        await self.within(self._look())

    async def _look(self) -> None:
        rows = await (await self._connection.execute(_LOOK, (self._link,))).fetchall()
        for meter, seq, state, hits, hash_ in rows:
            if meter in self.filed:
                self.shown[meter] = Shown(seq, _METER.decode(state), _LISTED.decode(hits), hash_.hex())

    async def prove(self) -> None:
        """Commit something: a server that can be read may be one whose commits wait for a standby that is gone."""
        await self.within(self._prove())

    async def _prove(self) -> None:
        await self._connection.execute(_PROVE, (self._link, self._table))

    async def apply(self, intent: Intent, at: str) -> LinkAnswered:
        """Have an intent applied once, however often it is asked, and durably."""
        return await self.within(self._apply(intent, at))

    async def _apply(self, intent: Intent, at: str) -> LinkAnswered:
        needs_past = intent.kind != "contribute"
        place = (self._link, intent.meter)
        connection = self._connection
        async with connection.pipeline():
            await connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            locked = await connection.execute(_LOCK_WITH_HITS if needs_past else _LOCK, place)
            seen = await connection.execute(_SEEN, (self._link, intent.table, intent.id))
            past = await connection.execute(_PAST, (*place, intent.table, intent.round)) if needs_past else None
        before = await seen.fetchone()
        if before is not None:
            # The lock is a write, so this commit waits as any other: what was found is then as durable as what it says.
            await connection.execute("COMMIT")
            line = _LINE.decode(before[2])
            refuse_another(intent, before[3], before[4], line)
            return answer(line, at, before[0], before[1].hex())
        row = await locked.fetchone()
        if row is None:
            raise LinkRefusedError(f"the link {self._link} keeps no {intent.meter} any more")
        pasts = [Past(seq, kind, _LINE.decode(line)) for seq, kind, line in await past.fetchall()] if past else []
        meter = _METER.decode(row[2])
        listed: tuple[Listed, ...] = _LISTED.decode(row[3]) if needs_past else ()
        book = _book(row[0] + 1, meter, listed, pasts)
        applied = decide(book, intent, at, self.filed[intent.meter], self._chances)
        if not needs_past and applied.listed:  # a mystery value was passed: now the hits before it are needed
            (hits,) = await _row(connection, _HITS, place)
            book = _book(row[0] + 1, meter, _LISTED.decode(hits), pasts)
            applied = decide(book, intent, at, self.filed[intent.meter], self._chances)
        return await self._written(intent, at, book.seq, row[1], applied, with_hits=needs_past or bool(applied.listed))

    async def _written(  # noqa: PLR0913 -- all that a line is made of
        self, intent: Intent, at: str, seq: int, prev_hash: bytes, applied: Applied, *, with_hits: bool
    ) -> LinkAnswered:
        """Write the line and the meter after it, and commit."""
        connection, place = self._connection, (self._link, intent.meter)
        payload = json.encode(applied.line).decode()
        hash_ = chained(prev_hash, seq, at, intent.round, intent.kind, VERSION, payload)
        bare = replace(applied.meter, last=())
        state = json.encode(bare).decode()
        line = (seq, at, intent.round, intent.kind, VERSION, payload, prev_hash, hash_, intent.table, intent.id)
        async with connection.pipeline():
            await connection.execute(_WRITE, (*place, *line))
            if with_hits:
                hits = json.encode(applied.listed).decode()
                await connection.execute(_UPDATE_WITH_HITS, (seq, hash_, state, hits, *place))
            else:
                await connection.execute(_UPDATE, (seq, hash_, state, *place))
            await connection.execute("COMMIT")
        known = self.shown.get(intent.meter)
        listed = applied.listed if with_hits else known.listed if known else ()
        self.shown[intent.meter] = Shown(seq, bare, listed, hash_.hex())
        return answer(applied.line, at, seq, hash_.hex())


def _hang_up(connection: Connection) -> None:
    with suppress(psycopg.Error, OSError):
        ours = socket.socket(fileno=os.dup(connection.fileno()))
        with ours:
            ours.shutdown(socket.SHUT_RDWR)


def _book(seq: int, meter: Meter, listed: tuple[Listed, ...], past: list[Past]) -> Book:
    return Book(seq, replace(meter, last=tuple(each.hit for each in listed)), listed, past)


async def _row(connection: Connection, statement: str, values: tuple[Any, ...] = ()) -> Row:
    row = await (await connection.execute(statement, values)).fetchone()
    if row is None:
        raise LinkRefusedError("the database lost a row that was there: look at it with `jackpotd link audit`")
    return row
