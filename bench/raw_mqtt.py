"""As little MQTT as measuring takes: a client that costs next to nothing itself, and knows when a byte came.

MQTT 3.1.1, QoS 1, a clean session, no keepalive. It trusts its broker.
"""

import asyncio
import time
from collections.abc import Callable

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 0x10, 0x20, 0x30, 0x40, 0x82, 0x90
_QOS_1 = 0x02
_CLEAN_SESSION = b"\x02"

Hear = Callable[[float, str, bytes], None]  # when, by `time.perf_counter`; the topic; the payload


class RawClient(asyncio.Protocol):
    """`await connected(port, "name", hear)` makes one."""

    def __init__(self, name: str, hear: Hear) -> None:
        self._name = name
        self._hear = hear
        self._unread = bytearray()
        self._waiting: dict[int, asyncio.Future[None]] = {}  # by what is waited for
        self._transport: asyncio.Transport | None = None
        self._packet = 0

    async def answered(self, kind: int) -> None:
        """Wait for an answer of the broker."""
        self._waiting[kind] = asyncio.get_running_loop().create_future()
        await self._waiting[kind]

    async def subscribe(self, *filters: str) -> None:
        """Hear what is published under these."""
        wanted = b"".join(_text(each) + b"\x01" for each in filters)
        self._write(_frame(SUBSCRIBE, b"\x00\x01" + wanted))
        await self.answered(SUBACK)

    def publish(self, topic: str, payload: bytes) -> None:
        """Say something; whether the broker has it is not waited for."""
        self._packet = self._packet % 0xFFFF + 1
        self._write(_frame(PUBLISH | _QOS_1, _text(topic) + self._packet.to_bytes(2, "big") + payload))

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.close()

    # -- asyncio calls these --

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The line is there: say who we are."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport
        self._write(_frame(CONNECT, _text("MQTT") + b"\x04" + _CLEAN_SESSION + b"\x00\x00" + _text(self._name)))

    def data_received(self, data: bytes) -> None:
        """Bytes came."""
        now = time.perf_counter()
        self._unread += data
        while (found := _first(self._unread)) is not None:
            kind, begin, end = found
            body = bytes(self._unread[begin:end])
            del self._unread[:end]
            if kind & 0xF0 == PUBLISH:
                self._published(now, kind, body)
            elif (waiting := self._waiting.pop(kind & 0xF0, None)) is not None:
                waiting.set_result(None)

    def _published(self, now: float, kind: int, body: bytes) -> None:
        end = 2 + int.from_bytes(body[:2], "big")
        topic, rest = body[2:end].decode(), body[end:]
        if kind & _QOS_1:
            self._write(bytes([PUBACK, 2]) + rest[:2])
            rest = rest[2:]
        self._hear(now, topic, rest)

    def _write(self, data: bytes) -> None:
        if self._transport is None:
            raise RuntimeError("not connected")
        self._transport.write(data)


async def connected(port: int, name: str, hear: Hear = lambda _now, _topic, _payload: None) -> RawClient:
    """A client that the broker has let in."""
    client = RawClient(name, hear)
    await asyncio.get_running_loop().create_connection(lambda: client, "127.0.0.1", port)
    await client.answered(CONNACK)
    return client


def _text(text: str) -> bytes:
    return len(text.encode()).to_bytes(2, "big") + text.encode()


def _frame(kind: int, body: bytes) -> bytes:
    size, left = bytearray(), len(body)
    while True:
        left, low = divmod(left, 128)
        size.append(low | (128 if left else 0))
        if not left:
            return bytes([kind]) + size + body


def _first(unread: bytearray) -> tuple[int, int, int] | None:
    """The first frame of all: its kind, where its body begins and where it ends; nothing while it is not all there."""
    size = 0
    for at in range(1, min(5, len(unread))):
        size |= (unread[at] & 127) << 7 * (at - 1)
        if not unread[at] & 128:
            end = at + 1 + size
            return (unread[0], at + 1, end) if len(unread) >= end else None
    return None
