"""A plain-text protocol for any reader of cards: bytes in, lines out. A reader for it can be built in an afternoon.

One message is one line of ASCII, ended by LF, CR or both:

    <seq> <word> [arguments] *<CRC>

    41 begin *07BC
    42 player 1 9H *3250        hand (player or banker), place in the hand from 1, card
    43 banker 1 KS *EDA1
    44 burn 7C *06A1
    45 end banker *7081         player, banker or tie
    46 cancel *823F             the game is broken off
    47 alive *021B              a sign of life, as often as the reader likes
    48 error jam *49CB          the reader knows that it misread: one word that says why

`seq` is decimal, without leading zeros, counts up by one for every message, and goes from 9999 to 0. A card is a rank,
A 2-9 T J Q K, and a suit, S H D C. A message may be sent several times, with the same seq: it counts once. `CRC` is
CRC-16/XMODEM (polynomial 0x1021, initially 0, nothing reflected) of everything before the blank and the asterisk, as
four hex digits. A reader that cannot compute it leaves out the blank, the asterisk and the CRC, and `checksum = "none"`
is set for it: a damaged line may then pass for another, unless each is sent more than once and `copies` says so.
"""

import binascii
import re
from typing import Literal, TypeAlias

from msgspec import Struct

from drivers.events import BURN
from drivers.shoe_game import (
    CARDS,
    NOT_UNDERSTOOD,
    UNNUMBERED,
    Begun,
    Cancelled,
    Dealt,
    Ended,
    Failed,
    Message,
    Noted,
)

SEQUENCE = 10_000  # seq is 0 to 9999
MOST_LINE = 64  # characters without the line end: a card takes 22 at most, and the rest is room for an error's word

Checksum: TypeAlias = Literal["crc16", "none"]

_END = re.compile(rb"[\r\n]")
_CHECKED = re.compile(rb"([\x20-\x7e]*) \*([0-9A-Fa-f]{4})")
_LINE = re.compile(rb"(0|[1-9][0-9]{0,3}) ([a-z]+(?: [!-)+-~]+)*)")  # no asterisk in the words


class TextLine(Struct, frozen=True):
    """One line whose check is right. Without a seq it is none of this protocol, though its check says it is whole."""

    seq: int | None
    words: str


def crc(content: bytes) -> int:
    """CRC-16/XMODEM, by the standard library's name for it."""
    return binascii.crc_hqx(content, 0)


def encode(line: TextLine, checksum: Checksum = "crc16", end: bytes = b"\r\n") -> bytes:
    """A line as a reader sends it."""
    content = f"{line.seq} {line.words}".encode("ascii")
    return content + (b" *%04X" % crc(content) if checksum == "crc16" else b"") + end


class TextReader:
    """Finds lines in what comes, however it is cut up."""

    def __init__(self, checksum: Checksum = "crc16") -> None:
        self.bad_checksums = 0
        self.resyncs = 0  # lines that were thrown away because they are no message, or too long
        self._checksum = checksum
        self._partial = b""
        self._overlong = False

    @property
    def kept(self) -> int:
        """How many bytes wait for the rest of their line."""
        return len(self._partial)

    def restart(self) -> None:
        """Forget the beginning of a line: its rest will not come."""
        self._partial = b""
        self._overlong = False

    def feed(self, data: bytes) -> list[TextLine]:
        """The lines that are complete with these bytes."""
        *whole, rest = _END.split(self._partial + data)
        lines: list[TextLine] = []
        for line in whole:
            overlong, self._overlong = self._overlong or len(line) > MOST_LINE, False
            if overlong:
                self.resyncs += 1
            elif line:
                lines += self._judged(line)
        self._overlong = self._overlong or len(rest) > MOST_LINE
        self._partial = b"" if self._overlong else rest
        return lines

    def _judged(self, line: bytes) -> list[TextLine]:
        content = self._checked(line) if self._checksum == "crc16" else line
        if content is None:
            self.bad_checksums += 1
            return []
        found = _LINE.fullmatch(content)
        if found is not None:
            return [TextLine(int(found[1]), found[2].decode("ascii"))]
        if self._checksum == "crc16":  # somebody meant it so
            return [TextLine(None, content.decode("ascii"))]
        self.resyncs += 1
        return []

    @staticmethod
    def _checked(line: bytes) -> bytes | None:
        found = _CHECKED.fullmatch(line)
        return found[1] if found and int(found[2], 16) == crc(found[1]) else None


def understood(words: str) -> Message:
    """What the words of a line say."""
    match words.split(" "):
        case ["begin"]:
            return Begun()
        case ["player" | "banker" as hand, ("1" | "2" | "3") as index, card] if card in CARDS:
            return Dealt(hand, int(index), card)
        case ["burn", card] if card in CARDS:
            return Dealt(BURN, UNNUMBERED, card)
        case ["end", "player" | "banker" | "tie" as result]:
            return Ended(result)
        case ["cancel"]:
            return Cancelled()
        case ["alive"]:
            return Noted()
        case ["error", why]:
            return Failed(f"the reader reports: {why}")
        case _:
            return Failed(NOT_UNDERSTOOD)
