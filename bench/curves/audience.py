"""Signs that listen, in a process of their own: `python -m bench.curves.audience KIND PORT WHAT`.

KIND is `mqtt` (WHAT is a topic), `ws` (a table, as a page's `live.js` asks for it) or `bare` (sockets on which lines of
bytes come). On its input it is told `have N`, to connect until there are so many, and `take FILE`, to write down for
each sign which message came when, and to forget it. It answers `ok`.
"""

import asyncio
import base64
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msgspec import Struct, json

from bench.brokers import LOOPBACK
from bench.raw_mqtt import connected

PER_ADDRESS = 25  # a console lets 32 in from one address: like signs, these come from several
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10  # kinds of frames of a WebSocket
_SHORT, _LONG, _LONGEST = 125, 126, 127
HEADER_BYTES = 12  # of a line on a bare socket: its length and its number

Came = list[tuple[int, float]]  # the number of a message, and when it came


class _Numbered(Struct):
    seq: int


class _Said(Struct):
    """What a console tells a page; see `live.js`."""

    type: str
    topic: str = ""
    message: Any = None


class Listener(asyncio.Protocol):
    """One socket. The newest of what came last is kept, as a page does."""

    def __init__(self, greeting: bytes) -> None:
        self.came: Came = []
        self.there: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._greeting = greeting
        self._unread = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say hello."""
        if isinstance(transport, asyncio.WriteTransport):
            self._transport = transport
        self.write(self._greeting)

    def connection_lost(self, exc: Exception | None) -> None:
        """A sign that was thrown out is no sign."""
        if not self.there.done():
            self.there.set_exception(exc or ConnectionError(bytes(self._unread[:200]).decode(errors="replace")))

    def data_received(self, data: bytes) -> None:
        """Bytes came."""
        now = time.perf_counter()
        self._unread += data
        while self.taken(now, self._unread):
            pass

    def taken(self, now: float, unread: bytearray) -> bool:
        """Take one message off, if there is a whole one."""
        raise NotImplementedError

    def write(self, data: bytes) -> None:
        """Answer."""
        if self._transport is not None and data:
            self._transport.write(data)


class Page(Listener):
    """A WebSocket as a page opens it."""

    def __init__(self, port: int, table: str) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        host = f"{LOOPBACK}:{port}"
        super().__init__(
            f"GET /live?tables={table.replace('/', '%2F')} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        self._open = False
        self.shown: dict[str, Any] = {}

    def taken(self, now: float, unread: bytearray) -> bool:
        """The answer to the greeting first, then frames."""
        if not self._open:
            return self._opened(unread)
        found = _frame(unread)
        if found is None:
            return False
        kind, body, size = found
        del unread[:size]
        if kind == TEXT:
            said = json.decode(body, type=_Said)
            if said.type == "said":
                self.shown[said.topic] = said.message
                if said.topic == "round" and said.message is not None:
                    self.came.append((said.message["seq"], now))
            elif said.type == "snapshot" and not self.there.done():
                self.there.set_result(None)
        elif kind == PING:
            self.write(bytes([0x80 | PONG, 0x80 | len(body)]) + bytes(4) + body)  # masked with zeros
        return True

    def _opened(self, unread: bytearray) -> bool:
        head, found, _ = bytes(unread).partition(b"\r\n\r\n")
        if not found:
            return False
        if b" 101 " not in head.partition(b"\r\n")[0]:
            raise ConnectionError(head.decode(errors="replace"))
        del unread[: len(head) + 4]
        self._open = True
        return True


class Bare(Listener):
    """A socket on which lines come: eight bytes of a number, four of a length, and so many bytes."""

    def __init__(self) -> None:
        super().__init__(b"")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """There at once."""
        super().connection_made(transport)
        self.there.set_result(None)

    def taken(self, now: float, unread: bytearray) -> bool:
        """A line."""
        if len(unread) < HEADER_BYTES:
            return False
        size = HEADER_BYTES + int.from_bytes(unread[8:HEADER_BYTES], "big")
        if len(unread) < size:
            return False
        self.came.append((int.from_bytes(unread[:8], "big"), now))
        del unread[:size]
        return True


def _frame(unread: bytearray) -> tuple[int, bytes, int] | None:
    """The kind of the first frame, its body, and how long it is in all; frames of a server are not masked."""
    if len(unread) < 2:  # noqa: PLR2004 -- the shortest head
        return None
    size, begin = unread[1] & 127, 2
    if size > _SHORT:
        begin = 4 if size == _LONG else 10
        if len(unread) < begin:
            return None
        size = int.from_bytes(unread[2:begin], "big")
    end = begin + size
    return (unread[0] & 15, bytes(unread[begin:end]), end) if len(unread) >= end else None


async def _by_mqtt(port: int, topic: str, number: int) -> Came:
    came: Came = []

    def hear(now: float, _: str, payload: bytes) -> None:
        came.append((json.decode(payload, type=_Numbered).seq, now))

    client = await connected(port, f"sign-{number}", hear)
    await client.subscribe(topic)
    return came


async def _listening(port: int, number: int, made: Callable[[], Listener]) -> Came:
    loop = asyncio.get_running_loop()
    address = f"127.0.1.{1 + number // PER_ADDRESS}"
    _, listener = await loop.create_connection(made, LOOPBACK, port, local_addr=(address, 0))
    await listener.there
    return listener.came


async def main(kind: str, port: int, what: str) -> None:
    """Until the input ends."""
    connect: dict[str, Callable[[int], Awaitable[Came]]] = {
        "mqtt": lambda number: _by_mqtt(port, what, number),
        "ws": lambda number: _listening(port, number, lambda: Page(port, what)),
        "bare": lambda number: _listening(port, number, Bare),
    }
    signs: list[Came] = []
    loop = asyncio.get_running_loop()
    told = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(told), sys.stdin)
    while line := (await told.readline()).decode().strip():
        verb, _, argument = line.partition(" ")
        if verb == "have":
            while len(signs) < int(argument):
                signs.append(await connect[kind](len(signs)))
        else:
            Path(argument).write_bytes(json.encode(signs))  # noqa: ASYNC240 -- nobody is told anything just now
        for each in signs:
            each.clear()
        print("ok", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
