"""A wire to PostgreSQL that can be cut before or after any message, in either direction; held up, or frozen.

It knows where messages end and nothing else. The connection must not be encrypted: sslmode=disable.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

TO_SERVER, TO_CLIENT = "to-server", "to-client"
BEFORE, AFTER = "before", "after"


class Cut(NamedTuple):
    """Where to cut: the n-th message from now on, from 1."""

    direction: str
    n: int
    when: str


class Proxy:
    """Between clients and one server."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self.port = 0
        self.seen: list[tuple[str, str]] = []  # direction and type of every message since `arm`
        self.cuts = 0  # made
        self._cut: Cut | None = None
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def dsn(self, database: str, user: str = "postgres") -> str:
        """How to reach a database through it."""
        return f"host=127.0.0.1 port={self.port} user={user} dbname={database} sslmode=disable gssencmode=disable"

    def arm(self, cut: Cut | None) -> None:
        """Count messages from here on, and cut there."""
        self.seen, self._cut = [], cut

    def freeze(self) -> None:
        """Pass nothing on, and close nothing."""
        self._flowing.clear()

    def thaw(self) -> None:
        self._flowing.set()

    def hang_up(self) -> None:
        """Cut every connection there is."""
        for writer in list(self._writers):
            writer.transport.abort()

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            server_reader, server_writer = await asyncio.open_connection(*self._to)
        except OSError:
            writer.transport.abort()
            self._tasks.discard(task)
            return
        both = {writer, server_writer}
        self._writers |= both
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass_on(TO_SERVER, reader, server_writer, started=False))
                group.create_task(self._pass_on(TO_CLIENT, server_reader, writer, started=True))
        except* (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._writers -= both
            self._tasks.discard(task)
            # What was passed on to the server is still read there, before the end; the client only sees the end.
            writer.transport.abort()
            server_writer.close()
            with suppress(OSError):
                await server_writer.wait_closed()

    async def _pass_on(
        self,
        direction: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        started: bool,
    ) -> None:
        while True:
            kind = await reader.readexactly(1) if started else b""  # the first of a client has no type
            length = await reader.readexactly(4)
            body = await reader.readexactly(int.from_bytes(length, "big") - 4)
            started = True
            await self._flowing.wait()
            self.seen.append((direction, kind.decode()))
            cut = self._cut
            due = (
                cut is not None
                and cut.direction == direction
                and sum(each == direction for each, _ in self.seen) == cut.n
            )
            if not (due and cut is not None and cut.when == BEFORE):
                writer.write(kind + length + body)
                await writer.drain()
            if due:
                self.cuts += 1
                self._cut = None
                raise ConnectionAbortedError("cut here")

    async def close(self) -> None:
        self.thaw()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)


@asynccontextmanager
async def proxied(port: int, host: str = "127.0.0.1") -> AsyncIterator[Proxy]:
    """A proxy before a server."""
    proxy = Proxy(host, port)
    server = await asyncio.start_server(proxy.meet, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        async with server:
            yield proxy
            await proxy.close()
    finally:
        await proxy.close()
