"""Modbus RTU as a master speaks it: requests as bytes, and the reply to a request out of whatever comes. No I/O here.

A frame is address, function, data and CRC-16 (polynomial 0xA001 reflected, initial 0xFFFF, low byte first). The length
of a reply follows from its request, so a reply is found among noise without any silence on the line.
"""

from collections.abc import Sequence

from msgspec import Struct

READ_COILS, READ_INPUTS, READ_REGISTERS, WRITE_COIL, WRITE_COILS = 1, 2, 4, 5, 15
EXCEPTION = 0x80  # added to the function by a device that refuses

MOST_BITS = 2000  # of one reading, and
MOST_REGISTERS = 125  # of one reading: what fits into a frame of 256 bytes
MOST_COILS = 1968  # of one writing
LAST_ADDRESS = 0xFFFF

_REFUSALS = {
    1: "it does not know that function",
    2: "it has no such address",
    3: "it does not take that value",
    4: "it failed",
    6: "it is busy",
}


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ 0xA001 if value & 1 else value >> 1
        table.append(value)
    return tuple(table)


_CRC = _crc_table()


def crc(data: bytes | bytearray) -> bytes:
    """The check of a frame, as it is sent."""
    value = 0xFFFF
    for byte in data:
        value = (value >> 8) ^ _CRC[(value ^ byte) & 0xFF]
    return value.to_bytes(2, "little")


class Request(Struct, frozen=True):
    """One question to one device, ready to be sent, and the sizes of the answers it can get."""

    address: int
    function: int
    frame: bytes
    size: int  # of a good reply
    count: int  # bits or registers asked for or written


def read_bits(address: int, function: int, start: int, count: int) -> Request:
    """Ask for coils (01) or inputs (02)."""
    _check(address, start, count, MOST_BITS)
    return _request(address, function, start, count.to_bytes(2, "big"), 5 + (count + 7) // 8, count)


def read_registers(address: int, start: int, count: int) -> Request:
    """Ask for input registers (04)."""
    _check(address, start, count, MOST_REGISTERS)
    return _request(address, READ_REGISTERS, start, count.to_bytes(2, "big"), 5 + 2 * count, count)


def write_coil(address: int, at: int, *, on: bool) -> Request:
    """Switch one coil (05)."""
    _check(address, at, 1, 1)
    return _request(address, WRITE_COIL, at, b"\xff\x00" if on else b"\x00\x00", 8, 1)


def write_coils(address: int, start: int, on: Sequence[bool]) -> Request:
    """Switch coils that follow each other (15)."""
    _check(address, start, len(on), MOST_COILS)
    packed = sum(1 << index for index, each in enumerate(on) if each).to_bytes((len(on) + 7) // 8, "little")
    data = len(on).to_bytes(2, "big") + bytes([len(packed)]) + packed
    return _request(address, WRITE_COILS, start, data, 8, len(on))


def _check(address: int, start: int, count: int, most: int) -> None:
    if not 1 <= address <= 255:  # noqa: PLR2004 -- 247 by the book; boards on the market go to 255
        raise ValueError(f"device address {address}: from 1 to 255")
    if not 1 <= count <= most:
        raise ValueError(f"{count} at once: from 1 to {most}")
    if not 0 <= start <= LAST_ADDRESS + 1 - count:
        raise ValueError(f"{count} from {start} on: addresses end at {LAST_ADDRESS}")


def _request(address: int, function: int, start: int, rest: bytes, size: int, count: int) -> Request:  # noqa: PLR0913, PLR0917 -- the parts of a frame
    body = bytes([address, function]) + start.to_bytes(2, "big") + rest
    return Request(address, function, body + crc(body), size, count)


class RefusedError(Exception):
    """The device answered that it will not; the message says why."""


class Reply:
    """The reply to one request, found byte by byte. `take` what comes until there is one."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._head = bytes([request.address, request.function])
        self._refusal = bytes([request.address, request.function | EXCEPTION])
        self._bytes = bytearray()
        self.skipped = 0  # bytes that were no part of the reply
        self.damaged = 0  # candidates whose check was wrong

    @property
    def unread(self) -> int:
        """Bytes that may yet be the beginning of the reply: never as many as one has."""
        return len(self._bytes)

    def take(self, data: bytes) -> bytes | None:
        """The data of the reply, once it is whole; an error if the device refuses."""
        self._bytes += data
        found = self._bytes
        while len(found) >= 2:  # noqa: PLR2004 -- address and function
            head = bytes(found[:2])
            size = self._request.size if head == self._head else 5 if head == self._refusal else 0
            if size and len(found) < size and self._fits():
                return None
            if size and len(found) >= size and self._fits():
                frame = bytes(found[:size])
                if crc(frame[:-2]) == frame[-2:]:
                    del found[:size]
                    return self._content(frame)
                self.damaged += 1
            del found[0]
            self.skipped += 1
        return None

    def _fits(self) -> bool:
        """Whether what is there so far can be the reply: the byte count, or the echo of what was written."""
        found, request = self._bytes, self._request
        if len(found) < 3 or found[1] & EXCEPTION:  # noqa: PLR2004 -- the byte after the head
            return True
        if request.function in (WRITE_COIL, WRITE_COILS):
            shown = min(len(found), 6)
            return found[2:shown] == request.frame[2:shown]
        return found[2] == request.size - 5

    def _content(self, frame: bytes) -> bytes:
        if frame[1] & EXCEPTION:
            raise RefusedError(_REFUSALS.get(frame[2], f"it refuses with code {frame[2]}"))
        return frame[2:-2] if self._request.function in (WRITE_COIL, WRITE_COILS) else frame[3:-2]


def bits(data: bytes, count: int) -> tuple[bool, ...]:
    """Coils or inputs of a reply, the first in the lowest bit of the first byte."""
    value = int.from_bytes(data, "little")
    return tuple(bool(value >> index & 1) for index in range(count))
