"""Frames of the Angel Eye II-EX electronic shoe: bytes in, frames out. Not verified on hardware.

The shoe speaks unasked: `ENQ seq data ETX BCC`. `seq` is one ASCII character, `data` begins with a letter that says
what it is, and BCC is the XOR of everything from seq to ETX, as two ASCII hex digits. A new ENQ always begins a new
frame: card and result bytes have the high bit set, everything else is a letter or a digit. A host's command is
`STX "OP" type data ETX BCC`.

What the descriptions in public leave open is read so that a wrong reading shows as a fault, never as a wrong hand:

- `e` says that the error told by `E` is over, or is an error too. Either way it is a fault until the next game.
- `R` tells a card once more, with a number of its own. One that was told otherwise, or not at all, is a fault.
- A card drawn outside a game is a burn card, or the card that says how many to burn; one for a hand is a fault.
- `P` standby, `C` cutting card, `L` lock and `M` preset change no hand.
- What NAK's code would have to be is not known: none is sent. A shoe that misses an ACK repeats itself.
"""

import re
from functools import reduce
from operator import xor
from typing import Literal, TypeAlias

from msgspec import Struct

from drivers.events import BANKER, BURN, PLAYER
from drivers.shoe_game import (
    NOT_UNDERSTOOD,
    RANKS,
    Begun,
    Cancelled,
    Dealt,
    Ended,
    Failed,
    Message,
    Noted,
    Retold,
)

STX, ETX, ENQ, ACK, NAK = b"\x02", b"\x03", b"\x05", b"\x06", b"\x15"

MOST_DATA = 16  # bytes between seq and ETX: a card takes three, an error's code some characters
_PARTIAL = 1 + MOST_DATA  # seq and data; what is longer without an ETX is no frame

CommandChecksum: TypeAlias = Literal["with-stx", "without-stx"]

PLAYER_WON, TIED, BANKER_WON, FORCE_QUIT = 1, 2, 4, 7
RESULTS = {PLAYER_WON: "player", TIED: "tie", BANKER_WON: "banker"}
_HANDS = {0: PLAYER, 1: BANKER, 2: BURN}
_FIRST_CARD, _BURN_COUNT = 4, 5
_SUITS = {1: "D", 2: "C", 3: "S", 4: "H"}
_HIGH = 0x80  # set in every byte of cards and results

_SUIT_NUMBERS = {suit: number for number, suit in _SUITS.items()}
_HAND_NUMBERS = {hand: number for number, hand in _HANDS.items()}
_RESULT_NUMBERS = {result: number for number, result in RESULTS.items()}

_CHECK = re.compile(rb"[0-9A-Fa-f]{2}")


class Frame(Struct, frozen=True):
    """One frame of the shoe whose check is right."""

    seq: str
    data: bytes


def bcc(content: bytes) -> bytes:
    """The check of these bytes."""
    return b"%02X" % reduce(xor, content, 0)


def encode(frame: Frame) -> bytes:
    """A frame as the shoe sends it."""
    content = frame.seq.encode("ascii") + frame.data + ETX
    return ENQ + content + bcc(content)


def command(kind: str, data: str, checksum: CommandChecksum = "with-stx") -> bytes:
    """A host's command. The one example in public has its STX in the check; other readings leave it out."""
    content = b"OP" + kind.encode("ascii") + data.encode("ascii") + ETX
    return STX + content + bcc(STX + content if checksum == "with-stx" else content)


class FrameReader:
    """Finds frames in what comes, however it is cut up."""

    def __init__(self) -> None:
        self.bad_checksums = 0
        self.resyncs = 0  # runs of bytes that were thrown away
        self._partial: bytes | None = None  # what has come of a frame, after its ENQ
        self._throwing = False

    @property
    def kept(self) -> int:
        """How many bytes wait for the rest of their frame."""
        return len(self._partial or b"")

    def restart(self) -> None:
        """Forget the beginning of a frame: its rest will not come."""
        self._partial = None

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are complete with these bytes."""
        frames: list[Frame] = []
        begun = self._partial is not None
        pieces = ((self._partial or b"") + data).split(ENQ)
        self._partial = None
        for number, piece in enumerate(pieces):
            if number == 0 and not begun:
                self._throw(piece)
            elif number == len(pieces) - 1 and _may_go_on(piece):
                self._partial = piece
            else:
                frames += self._judged(piece)
        return frames

    def _judged(self, piece: bytes) -> list[Frame]:
        """What stood between an ENQ and the next."""
        end = piece.find(ETX)
        content, check, rest = piece[: end + 1], piece[end + 1 : end + 3], piece[end + 3 :]
        if not (2 < len(content) <= _PARTIAL + 1 and _CHECK.fullmatch(check)):  # noqa: PLR2004 -- seq, one byte, ETX
            self._throw(ENQ + piece)
            return []
        if not 0x20 < content[0] < 0x7F or int(check, 16) != reduce(xor, content):  # noqa: PLR2004 -- printable ASCII
            self.bad_checksums += 1
            self._throwing = True
            return []
        self._throwing = False
        self._throw(rest)
        return [Frame(chr(content[0]), content[1:-1])]

    def _throw(self, junk: bytes) -> None:
        if junk.strip(ACK) and not self._throwing:  # an ACK answers a command
            self.resyncs += 1
            self._throwing = True


def _may_go_on(piece: bytes) -> bool:
    """Whether what came after the last ENQ can become a frame yet."""
    end = piece.find(ETX)
    return len(piece) <= _PARTIAL if end < 0 else end <= _PARTIAL and len(piece) < end + 3


def understood(data: bytes) -> Message:
    """What the data of a frame says."""
    kind, rest = data[:1], data[1:]
    match kind:
        case b"S":
            return Begun()
        case b"D" | b"d" | b"R":
            return _card(kind, rest)
        case b"G":
            return _result(rest)
        case b"E":
            return Failed(f"the shoe reports error {_text(rest)}".rstrip())
        case b"e":
            return Failed(f"the shoe had error {_text(rest)}".rstrip())
        case b"P" | b"C" | b"L" | b"M":
            return Noted()
        case _:
            return Failed(NOT_UNDERSTOOD)


def _card(kind: bytes, rest: bytes) -> Message:
    if len(rest) != 2 or not all(byte & _HIGH for byte in rest):  # noqa: PLR2004 -- where it went, and what it is
        return Failed(NOT_UNDERSTOOD)
    target, index = rest[0] >> 4 & 7, rest[0] & 15
    if target in {_FIRST_CARD, _BURN_COUNT}:
        return Noted()
    hand, card = _HANDS.get(target), _name(rest[1])
    if hand is None or index == 0 or not card:
        return Failed(NOT_UNDERSTOOD)
    if kind == b"R":
        return Retold(hand, index, card)
    if kind == b"d" and hand != BURN:
        return Failed(f"a card for the {hand} left the shoe outside a game")
    return Dealt(hand, index, card)


def _name(byte: int) -> str:
    suit, rank = _SUITS.get(byte >> 4 & 7), byte & 15
    return RANKS[rank - 1] + suit if suit and 1 <= rank <= len(RANKS) else ""


def _result(rest: bytes) -> Message:
    """Which hand won. The pairs that the byte tells of as well follow from the cards."""
    if len(rest) != 1 or rest[0] & 0b1000_1100 != _HIGH:
        return Failed(NOT_UNDERSTOOD)
    result = rest[0] >> 4 & 7
    if result == FORCE_QUIT:
        return Cancelled()
    return Ended(RESULTS[result]) if result in RESULTS else Failed(NOT_UNDERSTOOD)


def _text(code: bytes) -> str:
    return code.decode("ascii") if code.isascii() and code.decode("ascii").isprintable() else code.hex(" ")


def card_data(kind: str, hand: str, index: int, card: str) -> bytes:
    """The data of a frame that tells a card: `kind` is D, d or R."""
    where = _HIGH | _HAND_NUMBERS[hand] << 4 | index
    what = _HIGH | _SUIT_NUMBERS[card[1]] << 4 | RANKS.index(card[0]) + 1
    return kind.encode("ascii") + bytes((where, what))


def result_data(result: str, pairs: int = 0) -> bytes:
    """The data of a frame that tells a result; an empty one was forced to end. `pairs`: 1 Player, 2 Banker, 3 both."""
    return b"G" + bytes((_HIGH | _RESULT_NUMBERS.get(result, FORCE_QUIT) << 4 | pairs,))
