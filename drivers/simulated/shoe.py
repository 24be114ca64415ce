"""Shoes as they are on the wire: what they say is returned as bytes, to be sent on a line."""

from collections.abc import Iterator
from typing import Protocol

from drivers import shoe_frames, shoe_text
from drivers.events import BURN
from drivers.shoe_frames import ACK, ENQ, ETX, NAK, STX, CommandChecksum, Frame
from drivers.shoe_text import Checksum, TextLine
from drivers.simulated.dealer import Round

COPIES = 3  # "Each message is sent up to three times."
MOST_COMMAND = 16  # bytes of a command that is still coming: a whole one has ten


class ShoeTwin(Protocol):
    """What every shoe can say. Each call is one message, in as many copies as the shoe sends."""

    def received(self, data: bytes) -> bytes:
        """Bytes from the host came; those that go back at once."""

    def begin(self) -> bytes:
        """A game begins."""

    def deal(self, hand: str, index: int, card: str) -> bytes:
        """A card leaves the shoe for a hand."""

    def burn(self, index: int, card: str) -> bytes:
        """A card leaves the shoe for the discard rack."""

    def end(self, result: str) -> bytes:
        """The game is over."""

    def cancel(self) -> bytes:
        """The game is broken off."""


def tell(played: Round, twin: ShoeTwin) -> Iterator[bytes]:
    """A round as the shoe tells it, one message after the other."""
    for index, card in enumerate(played.burned, start=1):
        yield twin.burn(index, card)
    yield twin.begin()
    for hand, index, card in played.cards():
        yield twin.deal(hand, index, card)
    yield twin.end(played.result)


class AngelEyeTwin:
    """An Angel Eye II-EX. With `until_acknowledged` a copy is sent by `again` while no ACK has come, up to `copies`."""

    def __init__(
        self,
        copies: int = COPIES,
        sequence: str = "0123456789",
        command_checksum: CommandChecksum = "with-stx",
        *,
        until_acknowledged: bool = False,
    ) -> None:
        self.commands: list[tuple[str, str]] = []  # taken, as type and data
        self._copies = copies
        self._sequence = sequence
        self._checksum: CommandChecksum = command_checksum
        self._until_acknowledged = until_acknowledged
        self._said = 0
        self._waiting = b""
        self._left = 0
        self._command = bytearray()

    @property
    def is_waiting(self) -> bool:
        """Whether the last message has not been acknowledged, and there are copies of it left to send."""
        return bool(self._waiting)

    def received(self, data: bytes) -> bytes:
        """An ACK ends the repeats of a message; a command is answered with ACK, or NAK if its check is wrong."""
        answers = b""
        for byte in data:
            each = bytes((byte,))
            if each == STX:
                self._command[:] = each
            elif self._command:
                self._command += each
                answers += self._obeyed()
            elif each == ACK:
                self._waiting = b""
        return answers

    def again(self) -> bytes:
        """One more copy of what is not acknowledged, while there are any left."""
        if self._left == 0:
            self._waiting = b""
        else:
            self._left -= 1
        return self._waiting

    def begin(self) -> bytes:
        """A game begins."""
        return self.say(b"S")

    def deal(self, hand: str, index: int, card: str) -> bytes:
        """A card leaves the shoe for a hand."""
        return self.say(shoe_frames.card_data("D", hand, index, card))

    def retell(self, hand: str, index: int, card: str) -> bytes:
        """A card is told once more."""
        return self.say(shoe_frames.card_data("R", hand, index, card))

    def burn(self, index: int, card: str) -> bytes:
        """A card leaves the shoe for the discard rack, outside a game."""
        return self.say(shoe_frames.card_data("d", BURN, index, card))

    def end(self, result: str, pairs: int = 0) -> bytes:
        """The game is over."""
        return self.say(shoe_frames.result_data(result, pairs))

    def cancel(self) -> bytes:
        """The game is forced to end."""
        return self.say(shoe_frames.result_data(""))

    def say(self, data: bytes) -> bytes:
        """Any message."""
        frame = shoe_frames.encode(Frame(self._sequence[self._said % len(self._sequence)], data))
        self._said += 1
        if not self._until_acknowledged:
            return frame * self._copies
        self._waiting, self._left = frame, self._copies - 1
        return frame

    def _obeyed(self) -> bytes:
        command = bytes(self._command)
        end = command.find(ETX)
        if end < 0 or len(command) < end + 3:
            if len(command) > MOST_COMMAND or command.endswith(ENQ):
                self._command.clear()
            return b""
        self._command.clear()
        kind, data = command[3:5].decode("ascii", "replace"), command[5:end].decode("ascii", "replace")
        if command != STX + b"OP" + command[3 : end + 1] + self._check(command[: end + 1]):
            return NAK + b"1"
        self.commands.append((kind, data))
        return ACK

    def _check(self, content: bytes) -> bytes:
        return shoe_frames.bcc(content if self._checksum == "with-stx" else content[1:])


class TextShoeTwin:
    """A reader that speaks the plain-text protocol."""

    def __init__(self, copies: int = 1, checksum: Checksum = "crc16", end: bytes = b"\r\n") -> None:
        self._copies = copies
        self._checksum: Checksum = checksum
        self._end = end
        self._said = 0

    def received(self, data: bytes) -> bytes:  # noqa: ARG002 -- as every twin
        """It listens to nobody."""
        return b""

    def begin(self) -> bytes:
        """A game begins."""
        return self.say("begin")

    def deal(self, hand: str, index: int, card: str) -> bytes:
        """A card leaves the shoe for a hand."""
        return self.say(f"{hand} {index} {card}")

    def burn(self, index: int, card: str) -> bytes:  # noqa: ARG002 -- this protocol does not number them
        """A card leaves the shoe for the discard rack."""
        return self.say(f"burn {card}")

    def end(self, result: str) -> bytes:
        """The game is over."""
        return self.say(f"end {result}")

    def cancel(self) -> bytes:
        """The game is broken off."""
        return self.say("cancel")

    def alive(self) -> bytes:
        """A sign of life."""
        return self.say("alive")

    def say(self, words: str) -> bytes:
        """Any message."""
        line = shoe_text.encode(TextLine(self._said % shoe_text.SEQUENCE, words), self._checksum, self._end)
        self._said += 1
        return line * self._copies
