"""What a controller said to its boards and to its broker, read off the bytes by someone who has not seen its code.

From the specifications alone: Modbus over serial line (frames of a master) and MQTT 3.1.1 (packets of a client).
"""

from collections.abc import Iterator
from typing import NamedTuple

_EIGHT_BYTES = range(1, 7)  # functions whose questions have eight bytes: readings, and writings of one coil or register
WRITE_COILS = 15
PUBLISH = 3
_MOST_LENGTH_BYTES = 4


class Coils(NamedTuple):
    """Coils of a board, as it was told to set them."""

    board: int
    first: int
    on: tuple[bool, ...]


class Published(NamedTuple):
    """A message to the broker."""

    topic: str
    payload: bytes
    retain: bool


class ModbusWire:
    """One line, as its boards hear it."""

    def __init__(self) -> None:
        self._unread = bytearray()

    def take(self, data: bytes) -> Iterator[Coils]:
        """Writings of several coils; what else is asked is passed over. A frame that cannot be read is an error."""
        self._unread += data
        while (size := self._size()) and size <= len(self._unread):
            frame = bytes(self._unread[:size])
            del self._unread[:size]
            if _crc(frame[:-2]) != int.from_bytes(frame[-2:], "little"):
                raise ValueError(f"a frame with a wrong checksum: {frame.hex()}")
            if frame[1] == WRITE_COILS:
                first, count = int.from_bytes(frame[2:4], "big"), int.from_bytes(frame[4:6], "big")
                bits = int.from_bytes(frame[7:-2], "little")
                yield Coils(frame[0], first, tuple(bool(bits >> at & 1) for at in range(count)))

    def _size(self) -> int:
        """How long the frame is that begins here; 0 while that is not known."""
        unread = self._unread
        if len(unread) < 2:  # address and function
            return 0
        if unread[1] in _EIGHT_BYTES:
            return 8
        if unread[1] != WRITE_COILS:
            raise ValueError(f"no question of a master that is known here: {bytes(unread).hex()}")
        return 9 + unread[6] if len(unread) > 6 else 0  # where the number of its bytes stands


def _crc(frame: bytes) -> int:
    found = 0xFFFF
    for byte in frame:
        found ^= byte
        for _ in range(8):
            found = found >> 1 ^ (0xA001 if found & 1 else 0)
    return found


class MqttWire:
    """One connection, as the broker hears it."""

    def __init__(self) -> None:
        self._unread = bytearray()

    def take(self, data: bytes) -> Iterator[Published]:
        """Messages that are whole; what else a client says is passed over."""
        self._unread += data
        while (found := self._packet()) is not None:
            kind, flags, body = found
            if kind != PUBLISH:
                continue
            length = int.from_bytes(body[:2], "big")
            rest = body[2 + length :]
            if flags & 0b0110:  # at least once: the packet has a number
                rest = rest[2:]
            yield Published(body[2 : 2 + length].decode(), rest, bool(flags & 1))

    def _packet(self) -> tuple[int, int, bytes] | None:
        length = 0
        for at, byte in enumerate(self._unread[1 : 1 + _MOST_LENGTH_BYTES]):
            length |= (byte & 0x7F) << 7 * at
            if not byte & 0x80:
                break
        else:
            return None
        begin = 2 + at
        if len(self._unread) < begin + length:
            return None
        kind, flags = divmod(self._unread[0], 16)
        body = bytes(self._unread[begin : begin + length])
        del self._unread[: begin + length]
        return kind, flags, body
