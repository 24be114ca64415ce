"""Ways to have a lock-out applied by a link: the product's, and the same statements without it, in a loop or a thread.

A table's session is a connection of its own in production. Here a connection can serve several tables, as through a
pool: each of them is admitted by itself and holds its own lock, and they ask one after the other.
"""

import asyncio
import logging
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import psycopg
from psycopg import AsyncConnection

from bench.link_place import CHANCES, LINK, METER, Sample, filed_meters, files, full_name, settings
from controller.core.state import Intent, LinkHead
from controller.link import postgres
from controller.link.lines import VERSION
from controller.link.sessions import Identity, LinkLostError
from controller.outlets.link import RETRY_SECONDS

if TYPE_CHECKING:
    from psycopg.rows import TupleRow

SEATS = (1, 3, 5, 7)  # whoever wagers at a lock-out
OURS, BARE, BLOCKING = "jackpotd", "bare psycopg", "bare blocking psycopg"
PLACE = (LINK, METER)
logging.getLogger("psycopg").setLevel(logging.ERROR)  # a session that is lost is counted, not told
HASH = bytes(range(32))


class Way(Protocol):
    """A connection, and the tables it serves."""

    rounds: dict[str, int]  # played by each table
    lost: int

    async def open(self) -> None:
        """Connect, and be admitted."""

    async def lock_out(self, table: str, at: str) -> None:
        """The table's next round; returns when it is durable."""

    async def look(self) -> None:
        """See how the meters stand."""

    async def close(self) -> None:
        """The end."""


class Ours:
    """Sessions as the product has them."""

    def __init__(self, dsn: str, tables: Sequence[str]) -> None:
        self.rounds = dict.fromkeys(tables, 0)
        self.lost = 0
        self._settings = settings(dsn)
        self._instance = secrets.token_hex(8)
        stake = filed_meters()[METER].stake_cents
        self._stakes = tuple((seat, stake) for seat in SEATS)
        self._heads: dict[str, Mapping[str, LinkHead]] = {}
        self._asked: dict[str, str] = {}
        self._connection: AsyncConnection[TupleRow] | None = None
        self._sessions: dict[str, postgres.Session] = {}

    async def open(self) -> None:
        """Connect, and have every table admitted with what it was last told."""
        self._connection = await postgres.connect(self._settings, self._instance)
        for table in self.rounds:
            asked = frozenset((self._asked[table],)) if table in self._asked else frozenset[str]()
            heads = self._heads.get(table, {})
            who = Identity(files().site, full_name(table), self._instance, filed_meters(), heads, asked)
            self._sessions[table] = await postgres.admitted(self._connection, self._settings, who, CHANCES)

    async def lock_out(self, table: str, at: str) -> None:
        """The table's next round. A link that is lost is met again, and asked again."""
        number = self.rounds[table] + 1
        intent = Intent(f"{table}-{number}-i1", full_name(table), LINK, METER, "contribute", number, self._stakes)
        self._asked[table] = intent.id
        while self.rounds[table] < number:
            try:
                answer = await self._sessions[table].apply(intent, at)
            except LinkLostError:
                self.lost += 1
                await self._again()
            else:
                self._heads[table] = {METER: LinkHead(answer.ledger_seq, answer.ledger_hash)}
                self.rounds[table] = number

    async def _again(self) -> None:
        while True:
            await self.close()
            await asyncio.sleep(RETRY_SECONDS)
            try:
                await self.open()
            except (LinkLostError, psycopg.Error):
                continue
            return

    async def look(self) -> None:
        """See how the meters stand. Whose turn was long ago may have been hung up on; nothing was asked, so no loss."""
        try:
            await next(iter(self._sessions.values())).look()
        except LinkLostError:
            await self._again()

    async def close(self) -> None:
        """The end."""
        if self._connection is not None:
            await self._connection.close()


class Bare:
    """The same statements, round trips and pipelines; texts are those of a sample, and nothing is decided or hashed."""

    lost = 0

    def __init__(self, dsn: str, tables: Sequence[str], sample: Sample) -> None:
        self.rounds = dict.fromkeys(tables, 0)
        self._dsn = dsn
        self._sample = sample
        self._names = {table: full_name(table) for table in tables}
        self._connection: AsyncConnection[TupleRow]

    async def open(self) -> None:
        """Connect, with prepared statements as the product has them."""
        self._connection = await AsyncConnection.connect(self._dsn, autocommit=True, prepare_threshold=0)

    async def lock_out(self, table: str, at: str) -> None:
        """The table's next round."""
        connection, name = self._connection, self._names[table]
        number = self.rounds[table] + 1
        intent = f"{table}-{number}-i1"
        async with connection.pipeline():
            await connection.execute("BEGIN")
            locked = await connection.execute(postgres._LOCK, PLACE)  # noqa: SLF001 -- the very same statements
            seen = await connection.execute(postgres._SEEN, (LINK, name, intent))  # noqa: SLF001 -- the same
        row = await locked.fetchone()
        if row is None or await seen.fetchone() is not None:
            raise RuntimeError(f"{intent} has been there before")
        seq = row[0] + 1
        line = (seq, at, number, "contribute", VERSION, self._sample.payload, row[1], HASH, name, intent)
        async with connection.pipeline():
            await connection.execute(postgres._WRITE, (*PLACE, *line))  # noqa: SLF001 -- the same
            await connection.execute(postgres._UPDATE, (seq, HASH, self._sample.state, *PLACE))  # noqa: SLF001 -- the same
            await connection.execute("COMMIT")
        self.rounds[table] = number

    async def look(self) -> None:
        """See how the meters stand."""
        await (await self._connection.execute(postgres._LOOK, (LINK,))).fetchall()  # noqa: SLF001 -- the same

    async def close(self) -> None:
        """The end."""
        await self._connection.close()


class Blocking:
    """The same as bare, each client a thread that blocks: what a script would do. It is not for a loop."""

    def __init__(self, dsn: str, table: str, sample: Sample) -> None:
        self._sample = sample
        self._table, self._name = table, full_name(table)
        self._number = 0
        self._connection = psycopg.connect(dsn, autocommit=True, prepare_threshold=0)

    def lock_out(self, at: str) -> None:
        """The next round."""
        connection, name = self._connection, self._name
        self._number += 1
        intent = f"{self._table}-{self._number}-i1"
        with connection.pipeline():
            connection.execute("BEGIN")
            locked = connection.execute(postgres._LOCK, PLACE)  # noqa: SLF001 -- the very same statements
            seen = connection.execute(postgres._SEEN, (LINK, name, intent))  # noqa: SLF001 -- the same
        row = locked.fetchone()
        if row is None or seen.fetchone() is not None:
            raise RuntimeError(f"{intent} has been there before")
        seq = row[0] + 1
        line = (seq, at, self._number, "contribute", VERSION, self._sample.payload, row[1], HASH, name, intent)
        with connection.pipeline():
            connection.execute(postgres._WRITE, (*PLACE, *line))  # noqa: SLF001 -- the same
            connection.execute(postgres._UPDATE, (seq, HASH, self._sample.state, *PLACE))  # noqa: SLF001 -- the same
            connection.execute("COMMIT")

    def close(self) -> None:
        """The end."""
        self._connection.close()
