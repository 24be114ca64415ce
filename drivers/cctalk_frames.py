"""ccTalk frames: bytes in, frames out. No clock, no line.

With the simple checksum a frame is `destination length source header data sum`, and all its bytes add up to 0 modulo
256. With CRC-16 it is `destination length low header data high`: the source is not carried, and replies go to the host.
"""

import re
from binascii import crc_hqx
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

Checksum: TypeAlias = Literal["simple", "crc16"]

HOST = 1
LONGEST_DATA = 252  # bytes: of the 255 the length could say, the protocol allows these
AROUND = 5  # bytes of a frame besides its data
LONGEST_FRAME = LONGEST_DATA + AROUND
HEAD = 4  # bytes up to the header, which tell how long a frame is and what it is
# What is searched at once. With the part of a frame that may be left from before, it bounds what a reader holds.
PIECE = 4096

# Ways a reply can begin that are remembered: sixteen acceptors on a wire, with some ten kinds of request each.
PATTERNS = 256

REPLY, NAK, BUSY = 0, 5, 6  # headers of what a device says

RESET = 1
REQUEST_COIN_ID = 184
REQUEST_MASTER, MODIFY_MASTER = 227, 228
READ_CREDITS = 229
REQUEST_MASK, MODIFY_MASK = 230, 231
SELF_CHECK = 232
SOFTWARE, SERIAL, PRODUCT, CATEGORY, MANUFACTURER = 241, 242, 244, 245, 246
SIMPLE_POLL = 254

ANY = frozenset(range(LONGEST_DATA + 1))
# How many bytes of data a good reply has, where that is known: a host that knows what it asked takes nothing else.
LENGTHS: dict[int, frozenset[int]] = {
    RESET: frozenset({0}),
    REQUEST_COIN_ID: frozenset({6}),
    REQUEST_MASTER: frozenset({1}),
    MODIFY_MASTER: frozenset({0}),
    READ_CREDITS: frozenset({11}),  # the counter, and five pairs
    REQUEST_MASK: frozenset({2}),
    MODIFY_MASK: frozenset({0}),
    SELF_CHECK: frozenset({1, 2}),  # a fault code, and with some of them which part has it
    SERIAL: frozenset({3, 4}),
    SIMPLE_POLL: frozenset({0}),
}


class FrameError(ValueError):
    """Bytes that are no frame."""


class Frame(NamedTuple):
    """What was said, and to whom. `source` is None where the frame does not carry it."""

    destination: int
    header: int
    data: bytes = b""
    source: int | None = HOST


def encode(frame: Frame, checksum: Checksum = "simple") -> bytes:
    """The bytes of a frame."""
    if len(frame.data) > LONGEST_DATA:
        raise FrameError(f"{len(frame.data)} bytes of data: at most {LONGEST_DATA}")
    if checksum == "crc16":
        start, rest = bytes((frame.destination, len(frame.data))), bytes((frame.header,)) + frame.data
        crc = crc_hqx(start + rest, 0)
        return start + bytes((crc & 0xFF,)) + rest + bytes((crc >> 8,))
    if frame.source is None:
        raise FrameError("a frame with the simple checksum says who sends it")
    body = bytes((frame.destination, len(frame.data), frame.source, frame.header)) + frame.data
    return body + bytes((-sum(body) & 0xFF,))


def decode(data: bytes, checksum: Checksum = "simple") -> Frame:
    """The frame that these bytes are, no more and no less of them."""
    if len(data) < AROUND or len(data) != data[1] + AROUND or data[1] > LONGEST_DATA:
        raise FrameError(f"{len(data)} bytes are no whole frame")
    if not is_sound(data, checksum):
        raise FrameError("its checksum is wrong")
    return Frame(data[0], data[3], data[HEAD:-1], None if checksum == "crc16" else data[2])


def is_sound(data: bytes, checksum: Checksum) -> bool:
    """Whether the checksum of a whole frame is right."""
    if checksum == "simple":
        return sum(data) & 0xFF == 0
    return crc_hqx(data[:2] + data[3:-1], 0) == data[2] | data[-1] << 8


class Replies:
    """Finds what one device says to the host among whatever else comes.

    A reply is taken at the byte that ends it, so how the bytes are cut into pieces makes no difference, and a false
    beginning in noise never hides a true frame after it. Of two that end at the same byte the longer one is taken.
    """

    def __init__(self, address: int, checksum: Checksum = "simple", lengths: frozenset[int] = ANY) -> None:
        self._checksum: Checksum = checksum
        self._head = _head(address, checksum, lengths)
        self._unread = bytearray()
        self._searched = 0  # of these bytes, every beginning is known
        self._begun: list[tuple[int, int]] = []  # the end and the beginning of what may become a frame
        self.bad = 0  # whole frames but for their checksum
        self.skipped = 0  # bytes that belong to no reply

    def __len__(self) -> int:
        """How many bytes are held."""
        return len(self._unread)

    def feed(self, data: bytes) -> list[Frame]:
        """The replies that end in these bytes."""
        found: list[Frame] = []
        for start in range(0, len(data), PIECE):
            self._unread += data[start : start + PIECE]
            found += self._search()
        return found

    def _search(self) -> list[Frame]:
        found: list[Frame] = []
        for match in self._head.finditer(self._unread, self._searched):
            start = match.start()
            self._begun.append((start + self._unread[start + 1] + AROUND, start))
        self._searched = max(self._searched, len(self._unread) - HEAD + 1)
        taken = 0
        waiting: list[tuple[int, int]] = []
        for end, start in sorted(self._begun):
            if start < taken:
                continue  # it began inside a frame that is whole
            if end > len(self._unread):
                waiting.append((end, start))
                continue
            whole = bytes(self._unread[start:end])
            if is_sound(whole, self._checksum):
                found.append(decode(whole, self._checksum))
                self.skipped += start - taken
                taken = end
            else:
                self.bad += 1
        self._begun = waiting
        self._forget(taken)
        return found

    def _forget(self, taken: int) -> None:
        """Let go of what was taken, and of all that can no longer be part of a reply."""
        keep = min([start for _, start in self._begun], default=max(taken, self._searched))
        self.skipped += keep - taken
        del self._unread[:keep]
        self._begun = [(end - keep, start - keep) for end, start in self._begun]
        self._searched = max(0, self._searched - keep)


@lru_cache(maxsize=PATTERNS)
def _head(address: int, checksum: Checksum, lengths: frozenset[int]) -> re.Pattern[bytes]:
    """How a reply of this device begins. Only its first byte is consumed: beginnings may overlap."""
    third = b"[\\x00-\\xff]" if checksum == "crc16" else _byte(address)
    length = b"[" + b"".join(_byte(each) for each in sorted(lengths)) + b"]"
    reply, refusal = length + third + _byte(REPLY), _byte(0) + third + b"[" + _byte(NAK) + _byte(BUSY) + b"]"
    return re.compile(_byte(HOST) + b"(?=" + reply + b"|" + refusal + b")")


def _byte(value: int) -> bytes:
    return b"\\x%02x" % value


class Echo:
    """Takes the host's own bytes from what it reads, where the adapter gives them back.

    A request begins with a device's address and a reply with the host's: one byte tells them apart.
    """

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._same = 0
        self.heard: bool | None = None  # not known before the first byte, nor while it is coming

    def strip(self, data: bytes) -> bytes:
        """What is left of these bytes."""
        if self.heard is not None:
            return data
        length = len(self._request)
        for index, byte in enumerate(data):
            if byte != self._request[self._same]:
                self.heard = False  # or it came back changed: the search of a reply passes over it
                return self._request[: self._same] + data[index:]
            self._same += 1
            if self._same == length:
                self.heard = True
                return data[index + 1 :]
        return b""
