"""`jackpotd settle --stdin`: a line in, a line out, in constant memory.

Whatever the input has ready is answered before more is read: a program may send one line and wait for its answer.
"""

import json
import os
from collections.abc import Iterator

from controller.rules.cards import CARDS, Hand, card, point_count
from controller.rules.errors import BadInputError
from controller.rules.royal9 import Layout
from controller.rules.settlement import settle_all, settle_royal9

# A round is a line of under 100 bytes; this leaves room for generous spacing, and bounds what a missing newline costs.
MOST_LINE_BYTES = 4096
# Read at a time: some 150 rounds, whose answers take half a megabyte.
_CHUNK_BYTES = 8 * 1024


def stream(source: int, sink: int, layout: Layout | None) -> None:
    """Answer every line of a file descriptor on another."""
    try:
        for lines in _ready_lines(source):
            _write(sink, b"".join([answer(line, layout) for line in lines]))
    except BrokenPipeError:
        return  # the reader has all it wanted


def _write(sink: int, data: bytes) -> None:
    while data:
        data = data[os.write(sink, data) :]


def _ready_lines(source: int) -> Iterator[list[bytes]]:
    """Lines as they come; of one that is too long only the beginning is kept."""
    rest = b""
    while chunk := os.read(source, _CHUNK_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        yield lines
        rest = rest[: MOST_LINE_BYTES + 1]
    if rest:
        yield [rest]


def answer(line: bytes, layout: Layout | None) -> bytes:
    """The line that answers a line."""
    try:
        settled = _settled(line, layout)
    except BadInputError as error:
        settled = {"error": str(error)}
    return json.dumps(settled).encode() + b"\n"


def _settled(line: bytes, layout: Layout | None) -> dict[str, object]:
    player, banker = _hands(line)
    settled: dict[str, object] = {
        "player_total": point_count(player),
        "banker_total": point_count(banker),
        "outcomes": settle_all(player, banker),
    }
    if layout is not None:
        settled["royal9"] = settle_royal9(player, banker, layout)
    return settled


def _hands(line: bytes) -> tuple[Hand, Hand]:
    if len(line) > MOST_LINE_BYTES:
        raise BadInputError(f"the line is longer than {MOST_LINE_BYTES} bytes: it is no round")
    try:
        data = json.loads(line.decode("utf-8-sig"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadInputError):
            raise
        raise BadInputError(f'not JSON: {error}; write {{"player": ["KS", "9S"], "banker": ["KH", "9H"]}}') from error
    if not isinstance(data, dict):
        raise BadInputError('a round is an object: {"player": ["KS", "9S"], "banker": ["KH", "9H"]}')
    for name in data:
        if name not in ("player", "banker"):
            raise BadInputError(f"unknown key {name!r}: a round has player and banker")
    return _hand(data, "player"), _hand(data, "banker")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise BadInputError("a key is given twice: a round has player and banker, once each")
    return data


def _hand(data: dict[str, object], name: str) -> Hand:
    cards = data.get(name)
    if not isinstance(cards, list):
        raise BadInputError(f'{name} must be a list of cards, like ["KS", "9S"]')
    try:
        return tuple([CARDS[each] for each in cards])
    except (KeyError, TypeError):
        return tuple(card(each) if isinstance(each, str) else card(repr(each)) for each in cards)
