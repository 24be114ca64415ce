"""The ledger of a link that was played, in the hands of whoever owns its database."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import json

from controller.chain import link as chained
from controller.link.lines import Line
from tests.link.floor import Floor
from tests.link.player import played
from tests.link.server import Server

TABLES = ("t-1", "t-2")


class Books:
    """A played link, and what a dishonest owner of its database can do."""

    def __init__(self, floor: Floor, server: Server) -> None:
        self.floor, self.server, self.database = floor, server, floor.database

    def run(self, statement: Any, *values: object) -> list[tuple[Any, ...]]:  # noqa: ANN401 -- a statement of a test
        with self.server.connect(self.database) as connection:
            connection.execute("SET session_replication_role = replica")  # no trigger stands in the owner's way
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def change(self, meter: str, seq: int, how: Callable[[Line], Line], *, rechain: bool) -> None:
        """Change what a line says, with or without making all hashes after it anew."""
        ((payload,),) = self.run("SELECT payload FROM jackpotd.ledger WHERE meter = %s AND seq = %s", meter, seq)
        line = how(json.decode(payload, type=Line))
        text = json.encode(line).decode()
        self.run("UPDATE jackpotd.ledger SET payload = %s WHERE meter = %s AND seq = %s", text, meter, seq)
        if rechain:
            self.rechain(meter)

    def rechain(self, meter: str) -> None:
        last = bytes(32)
        columns = "seq, at, round, kind, version, payload"
        for row in self.run(f"SELECT {columns} FROM jackpotd.ledger WHERE meter = %s ORDER BY seq", meter):  # noqa: S608 -- our own names
            hash_ = chained(last, *row)
            self.run(
                "UPDATE jackpotd.ledger SET prev_hash = %s, hash = %s WHERE meter = %s AND seq = %s",
                *(last, hash_, meter, row[0]),
            )
            last = hash_
        self.run("UPDATE jackpotd.meters SET hash = %s WHERE meter = %s", last, meter)

    def found(self, *tables: str) -> list[str]:
        """The differences an audit names; it says no where there are any."""
        words = ["--journal", *(str(self.floor.journal(table)) for table in tables)] if tables else []
        done = self.floor.call("link", "audit", "--config", str(self.floor.config("t-1")), *words, "--json")
        assert done.code == (1 if done.json["differences"] else 0), done
        assert done.json["ok"] == (not done.json["differences"])
        differences: list[str] = done.json["differences"]
        return differences


def played_books(folder: Path, server: Server, database: str, meters: tuple[str, ...]) -> Books:
    """A link of two tables that were played for an evening."""
    floor = Floor(folder, server.dsn(database), meters)
    floor.open(*TABLES)

    async def evening() -> None:
        await asyncio.gather(*(played(floor.setup(table, rounds=12)) for table in TABLES))

    asyncio.run(evening())
    return Books(floor, server)
