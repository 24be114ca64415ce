"""Modbus boards as they are on the wire: they answer what is asked of them, and nothing else."""

from collections import deque
from collections.abc import Callable, Iterable

from drivers import modbus_rtu as rtu

_SIZES = {rtu.READ_COILS: 8, rtu.READ_INPUTS: 8, rtu.READ_REGISTERS: 8, rtu.WRITE_COIL: 8}
MOST_UNREAD = 256  # the longest frame there is
NO_ADDRESS = 2
WATCHDOG_SECONDS = 1.0  # without a question for so long, a board with its watchdog on switches its coils off


class Board:
    """One board: inputs, coils, and a counter of pulses for each input in two registers, high word first."""

    def __init__(
        self, address: int, inputs: int = 8, coils: int = 8, *, watchdog: int | None = None, latches: bool = False
    ) -> None:
        self.address = address
        self.inputs = [False] * inputs
        self.latches = [False] * (inputs if latches else 0)  # inputs from `inputs` on; coils from `coils` on clear them
        self.counts = [0] * inputs
        self.coils = [False] * coils
        self.watchdog = watchdog
        self.guarded = False
        self.asked_at = 0.0

    def sense(self, at: int, on: bool) -> None:
        """An input changes."""
        if on and not self.inputs[at]:
            self.counts[at] = (self.counts[at] + 1) % 2**32
            if self.latches:
                self.latches[at] = True
        self.inputs[at] = on

    def pulse(self, at: int) -> None:
        """An input goes on, and off again before anybody looks."""
        self.sense(at, on=True)
        self.sense(at, on=False)

    def restart(self) -> None:
        """The power fails for a moment: coils are off, counts begin anew."""
        self.coils = [False] * len(self.coils)
        self.counts = [0] * len(self.counts)
        self.latches = [False] * len(self.latches)
        self.guarded = False

    def answer(self, function: int, body: bytes) -> bytes:
        """What it says to a question: function and data."""
        start, count = int.from_bytes(body[:2], "big"), int.from_bytes(body[2:4], "big")
        if function == rtu.READ_COILS:
            return _packed(function, self.coils, start, count)
        if function == rtu.READ_INPUTS:
            return _packed(function, self.inputs + self.latches, start, count)
        if function == rtu.READ_REGISTERS:
            words = [word for each in self.counts for word in (each >> 16, each & 0xFFFF)]
            if start + count > len(words):
                return bytes([function | rtu.EXCEPTION, NO_ADDRESS])
            data = b"".join(word.to_bytes(2, "big") for word in words[start : start + count])
            return bytes([function, len(data)]) + data
        if function == rtu.WRITE_COIL:
            return self._write(function, body, start, [body[2] == 0xFF])  # noqa: PLR2004 -- FF 00 is on
        return self._write(function, body, start, rtu.bits(body[5:], count))

    def _write(self, function: int, body: bytes, start: int, on: Iterable[bool]) -> bytes:
        for at, each in enumerate(on, start):
            if at == self.watchdog:
                self.guarded = each
            elif at < len(self.coils):
                self.coils[at] = each
            elif at - len(self.coils) < len(self.latches):
                self.latches[at - len(self.coils)] &= not each
            else:
                return bytes([function | rtu.EXCEPTION, NO_ADDRESS])
        return bytes([function]) + body[:4]


def _packed(function: int, levels: list[bool], start: int, count: int) -> bytes:
    if start + count > len(levels):
        return bytes([function | rtu.EXCEPTION, NO_ADDRESS])
    chosen = levels[start : start + count]
    data = sum(1 << index for index, on in enumerate(chosen) if on).to_bytes((count + 7) // 8, "little")
    return bytes([function, len(data)]) + data


class Bus:
    """Boards on one line."""

    def __init__(self, boards: Iterable[Board], clock: Callable[[], float]) -> None:
        self.boards = {board.address: board for board in boards}
        self.silent: set[int] = set()  # boards that do not answer: their cable is off
        self.questions = 0
        self.asked: deque[int] = deque(maxlen=1000)  # the addresses of the last questions
        self._clock = clock
        self._unread = bytearray()

    def received(self, data: bytes) -> bytes:
        """Answer every whole question for a board that is here; what is none is skipped byte by byte."""
        unread = self._unread
        unread += data
        replies = bytearray()
        while len(unread) >= 8:  # noqa: PLR2004 -- the shortest question
            size = _SIZES.get(unread[1], 9 + unread[6] if unread[1] == rtu.WRITE_COILS else 0)
            if size > len(unread):
                break
            if not size or rtu.crc(unread[: size - 2]) != unread[size - 2 : size]:
                del unread[0]
                continue
            replies += self._reply(bytes(unread[: size - 2]))
            del unread[:size]
        del unread[:-MOST_UNREAD]
        return bytes(replies)

    def _reply(self, question: bytes) -> bytes:
        self.questions += 1
        self.asked.append(question[0])
        self.look()
        board = self.boards.get(question[0])
        if board is None or board.address in self.silent:
            return b""
        board.asked_at = self._clock()
        said = question[:1] + board.answer(question[1], question[2:])
        return said + rtu.crc(said)

    def look(self) -> None:
        """Let watchdogs bite."""
        for board in self.boards.values():
            if board.guarded and self._clock() - board.asked_at > WATCHDOG_SECONDS:
                board.coils = [False] * len(board.coils)
