"""The acceptors' side of ccTalk: coin acceptors on one wire, for a pseudo-terminal or by themselves."""

import time
from collections import deque
from collections.abc import Callable, Sequence

from drivers.cctalk_credits import EMPTY, KEPT, LAST
from drivers.cctalk_frames import (
    AROUND,
    BUSY,
    CATEGORY,
    HOST,
    MANUFACTURER,
    MODIFY_MASK,
    MODIFY_MASTER,
    NAK,
    PRODUCT,
    READ_CREDITS,
    REPLY,
    REQUEST_COIN_ID,
    REQUEST_MASK,
    REQUEST_MASTER,
    RESET,
    SELF_CHECK,
    SERIAL,
    SIMPLE_POLL,
    SOFTWARE,
    Checksum,
    Frame,
    FrameError,
    decode,
    encode,
)

Clock = Callable[[], float]

RECEIVER_RESET = 0.05  # "the receiver resets after 50 ms of silence"
UNPOLLED = 1.0  # "stops accepting after 1 s without" a reading of its credits
COINS = 16  # an inhibit mask has two bytes
SHUT = 2  # error code of a coin refused because of the master inhibit
INHIBITED = 0x80  # error code of coin 1 where that one is inhibited


class Acceptor:
    """A coin acceptor. After power-up every coin is inhibited until the host says which it may take."""

    def __init__(
        self,
        address: int = 2,
        *,
        category: str = "Coin Acceptor",
        serial: int = 12345678,
        needs_polling: bool = True,
        clock: Clock = time.monotonic,
    ) -> None:
        self.address = address
        self.category = category
        self.serial = serial
        self.needs_polling = needs_polling  # as some do: takes no coin before it is polled, nor a second after
        self.answers = True  # False: as if unplugged
        self.busy = 0  # so many requests are answered with BUSY
        self.refused: set[int] = set()  # headers it does not know
        self.self_check = b"\0"
        self.credited: list[int] = []  # every coin it took, oldest first
        self._clock = clock
        self.reset()

    def reset(self) -> None:
        """Power went and came back."""
        self.counter = 0
        self.events: deque[tuple[int, int]] = deque([EMPTY] * KEPT, maxlen=KEPT)  # newest first
        self.mask = 0
        self.master = True
        self.polled: float | None = None

    @property
    def accepting(self) -> bool:
        """Whether a coin that is enabled would be taken now."""
        return self.master and self.mask != 0 and self._awake()

    def insert(self, coin: int) -> bool:
        """A coin falls in. Whether it was taken."""
        if not 1 <= coin <= COINS:
            raise ValueError(f"coin {coin}: 1 to {COINS}")
        if not self._awake():
            return False  # it does not look at coins, and counts nothing
        if not self.master:
            self.happen(0, SHUT)
            return False
        if not self.mask >> (coin - 1) & 1:
            self.happen(0, INHIBITED + coin - 1)
            return False
        self.credited.append(coin)
        self.happen(coin, 1)
        return True

    def happen(self, coin: int, code: int) -> None:
        """Count an event."""
        self.counter = self.counter % LAST + 1
        self.events.appendleft((coin, code))

    def answer(self, header: int, data: bytes) -> Frame | None:
        """What it says to a request of the host."""
        if not self.answers:
            return None
        if self.busy:
            self.busy -= 1
            return self._say(BUSY)
        reply = None if header in self.refused else self._reply(header, data)
        return self._say(NAK) if reply is None else self._say(REPLY, reply)

    def _say(self, header: int, data: bytes = b"") -> Frame:
        return Frame(HOST, header, data, self.address)

    def _awake(self) -> bool:
        if not self.needs_polling:
            return True
        return self.polled is not None and self._clock() - self.polled <= UNPOLLED

    def _reply(self, header: int, data: bytes) -> bytes | None:
        if data:
            return self._told_to(header, data)
        if header == READ_CREDITS:
            self.polled = self._clock()
        if header == RESET:
            self.reset()
        return self._told(header)

    def _told_to(self, header: int, data: bytes) -> bytes | None:
        """It does as it is told, or does not know how."""
        if (header, len(data)) == (MODIFY_MASTER, 1):
            self.master = bool(data[0] & 1)
        elif (header, len(data)) == (MODIFY_MASK, 2):
            self.mask = int.from_bytes(data, "little")
        elif (header, len(data)) == (REQUEST_COIN_ID, 1):
            return b"EU%03dA" % data[0]
        else:
            return None
        return b""

    def _told(self, header: int) -> bytes | None:
        """What it says of itself."""
        return {
            SIMPLE_POLL: b"",
            RESET: b"",
            READ_CREDITS: bytes((self.counter, *(byte for pair in self.events for byte in pair))),
            REQUEST_MASTER: bytes((self.master,)),
            REQUEST_MASK: self.mask.to_bytes(2, "little"),
            SELF_CHECK: self.self_check,
            CATEGORY: self.category.encode(),
            MANUFACTURER: b"Simulated",
            PRODUCT: b"TWIN1",
            SERIAL: self.serial.to_bytes(3, "little"),
            SOFTWARE: b"1.0",
        }.get(header)


class AcceptorBus:
    """Acceptors on one wire, on which the host hears itself or not."""

    def __init__(
        self,
        acceptors: Sequence[Acceptor],
        *,
        checksum: Checksum = "simple",
        echo: bool = True,
        clock: Clock = time.monotonic,
    ) -> None:
        self.acceptors = {acceptor.address: acceptor for acceptor in acceptors}
        self.echo = echo
        self._checksum: Checksum = checksum
        self._clock = clock
        self._partial = bytearray()
        self._heard_at = 0.0

    def received(self, data: bytes) -> bytes:
        """Bytes from the host came; those that go back."""
        now = self._clock()
        if now - self._heard_at > RECEIVER_RESET:
            self._partial.clear()
        self._heard_at = now
        said = bytearray()
        for byte in data:
            self._partial.append(byte)
            if self.echo:
                said.append(byte)
            if len(self._partial) >= AROUND and len(self._partial) >= self._partial[1] + AROUND:
                said += self._answer(bytes(self._partial))
                self._partial.clear()
        return bytes(said)

    def _answer(self, whole: bytes) -> bytes:
        """A device that hears a frame for itself answers; one that hears anything else does not."""
        try:
            frame = decode(whole, self._checksum)
        except FrameError:
            return b""
        acceptor = self.acceptors.get(frame.destination)
        reply = acceptor.answer(frame.header, frame.data) if acceptor else None
        return encode(reply, self._checksum) if reply else b""
