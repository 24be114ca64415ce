"""What no table can do without: the disk's sync and the broker's hop.

Measured in blocks between those of the table and at the same pace: a machine that was idle for some milliseconds takes
its time to wake up, whoever wakes it.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from bench.raw_mqtt import RawClient, connected
from controller.journal.opening import PRAGMAS
from controller.mqtt import Connection, Said, connection
from controller.wire.broker import MqttSettings

SAMPLES, PAUSE_SECONDS = 60, 0.01  # of each kind in a block, and between two
PAGE, LOG_PAGES, COMMIT_PAGES = 4096, 1000, 3  # a log of SQLite begins anew after a thousand; some pages a commit
HOP = "bench/hop"
SYNC, COMMIT = "write and fdatasync", "bare sqlite3 commit"
RAW_HOP, CLIENT_HOP = "hop from a bare socket", "hop with the service's library"  # both heard by a bare socket


class Floor:
    """What is taken as long as nobody has found a way around it: the disk and the broker."""

    def __init__(self, folder: Path, publisher: RawClient, client: Connection) -> None:
        self._log = os.open(folder / "log", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        self._at = 0
        self._database = sqlite3.connect(folder / "bare.db", isolation_level=None)
        for name, setting, _ in PRAGMAS:
            self._database.execute(f"PRAGMA {name} = {setting}").close()
        self._database.execute("CREATE TABLE bare (seq INTEGER PRIMARY KEY, payload TEXT)")
        self._publisher = publisher
        self._client = client
        self._came: asyncio.Future[float] | None = None
        self.payload_bytes = 0
        self.taken: dict[str, list[float]] = {SYNC: [], COMMIT: [], RAW_HOP: [], CLIENT_HOP: []}

    def hear(self, now: float, _: str, __: bytes) -> None:
        """A hop has come."""
        if self._came is not None and not self._came.done():
            self._came.set_result(now)

    async def block(self) -> None:
        """Some of each kind."""
        kinds: dict[str, Callable[[], Awaitable[float]]] = {
            SYNC: self._sync,
            COMMIT: self._commit,
            RAW_HOP: self._raw_hop,
            CLIENT_HOP: self._client_hop,
        }
        for kind, once in kinds.items():
            for _ in range(SAMPLES):
                await asyncio.sleep(PAUSE_SECONDS)
                self.taken[kind].append(await once())

    def close(self) -> None:
        """The end."""
        os.close(self._log)
        self._database.close()

    async def _sync(self) -> float:
        began = time.perf_counter()
        os.pwrite(self._log, bytes(PAGE * COMMIT_PAGES), self._at * PAGE)
        os.fdatasync(self._log)
        self._at = (self._at + COMMIT_PAGES) % LOG_PAGES
        return time.perf_counter() - began

    async def _commit(self) -> float:
        began = time.perf_counter()
        self._database.execute("INSERT INTO bare (payload) VALUES (?)", ["x" * 200])
        return time.perf_counter() - began

    async def _raw_hop(self) -> float:
        self._came = asyncio.get_running_loop().create_future()
        began = time.perf_counter()
        self._publisher.publish(HOP, bytes(self.payload_bytes))
        return await self._came - began

    async def _client_hop(self) -> float:
        self._came = asyncio.get_running_loop().create_future()
        began = time.perf_counter()
        await self._client.publish(Said(HOP, bytes(self.payload_bytes)))
        return await self._came - began


@asynccontextmanager
async def measuring(folder: Path, port: int) -> AsyncIterator[Floor]:
    """The floor, with its publishers connected and someone who hears them."""
    publisher = await connected(port, "hop-publisher")
    async with connection(MqttSettings(port=port), "hop-client") as client:
        floor = Floor(folder, publisher, client)
        hearer = await connected(port, "hop-hearer", floor.hear)
        await hearer.subscribe(HOP)
        yield floor
        floor.close()
        hearer.close()
        publisher.close()
