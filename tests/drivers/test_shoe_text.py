"""The plain-text protocol: its own examples, any cutting, noise."""

import re
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers import shoe_text
from drivers.events import BANKER, BURN, PLAYER
from drivers.shoe_game import CARDS, NOT_UNDERSTOOD, UNNUMBERED, Begun, Cancelled, Dealt, Ended, Failed, Message, Noted
from drivers.shoe_text import MOST_LINE, SEQUENCE, Checksum, TextLine, TextReader, crc, encode, understood

WORDS = st.sampled_from(["begin", "player 1 9H", "banker 3 KS", "burn 7C", "end tie", "cancel", "alive", "error jam"])
LINES = st.builds(TextLine, st.integers(0, SEQUENCE - 1), WORDS)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


def read(data: bytes, cuts: tuple[int, ...] = (), checksum: Checksum = "crc16") -> tuple[list[TextLine], int, int]:
    reader = TextReader(checksum)
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    parts = (data[begin:end] for begin, end in pairwise(edges))
    lines = [line for part in parts for line in reader.feed(part)]
    return lines, reader.bad_checksums, reader.resyncs


def test_the_check_is_crc_16_xmodem() -> None:
    assert crc(b"123456789") == 0x31C3  # the check value by which this CRC is known


def test_the_examples_of_the_description_are_read_and_built() -> None:
    examples = re.findall(r"^    (\d+ .*? \*[0-9A-F]{4})", shoe_text.__doc__ or "", re.MULTILINE)
    assert len(examples) == 8
    for example in examples:
        (line,), bad, resyncs = read(f"{example}\n".encode())
        assert (bad, resyncs) == (0, 0)
        assert understood(line.words) != Failed(NOT_UNDERSTOOD)
        assert encode(line, end=b"") == example.encode()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("begin", Begun()),
        ("player 1 9H", Dealt(PLAYER, 1, "9H")),
        ("banker 3 KS", Dealt(BANKER, 3, "KS")),
        ("burn 7C", Dealt(BURN, UNNUMBERED, "7C")),
        ("end player", Ended("player")),
        ("end banker", Ended("banker")),
        ("end tie", Ended("tie")),
        ("cancel", Cancelled()),
        ("alive", Noted()),
        ("error two-cards", Failed("the reader reports: two-cards")),
    ],
)
def test_every_word_is_understood(words: str, message: Message) -> None:
    assert understood(words) == message


@pytest.mark.parametrize(
    "words",
    [
        "",
        "start",
        "begin now",
        "player 9H",
        "player 0 9H",
        "player 4 9H",
        "player 01 9H",
        "player 1 10H",
        "player 1 9h",
        "player 1 1H",
        "player 1 9H ",
        "burn 1 7C",
        "end",
        "end dragon",
        "alive 1",
        "error",
    ],
)
def test_what_makes_no_sense_is_a_fault_and_not_a_guess(words: str) -> None:
    assert understood(words) == Failed(NOT_UNDERSTOOD)


@settings(deadline=None)
@given(st.sampled_from([PLAYER, BANKER]), st.integers(1, 3), st.sampled_from(sorted(CARDS)))
def test_every_card_is_read_as_it_was_written(hand: str, index: int, card: str) -> None:
    assert understood(f"{hand} {index} {card}") == Dealt(hand, index, card)


@settings(deadline=None)
@given(st.lists(st.tuples(LINES, ENDS)), st.lists(st.integers(0, 10_000)), st.sampled_from(["crc16", "none"]))
def test_lines_are_found_however_they_are_cut_and_ended(
    lines: list[tuple[TextLine, bytes]], cuts: list[int], checksum: Checksum
) -> None:
    data = b"".join(encode(line, checksum, end) for line, end in lines)
    assert read(data, tuple(cuts), checksum) == ([line for line, _ in lines], 0, 0)


NOISE = st.lists(
    st.one_of(st.sampled_from([b"\n", b"\r", b" *", b"1 begin", b"x" * 40]), LINES.map(encode), st.binary())
)


@settings(deadline=None)
@given(NOISE.map(b"".join), st.lists(st.integers(0, 10_000)), st.sampled_from(["crc16", "none"]))
def test_any_cutting_of_any_bytes_gives_the_same_lines_and_counters(
    data: bytes, cuts: list[int], checksum: Checksum
) -> None:
    assert read(data, tuple(cuts), checksum) == read(data, (), checksum)
    assert read(data, tuple(range(len(data))), checksum) == read(data, (), checksum)


@settings(deadline=None)
@given(st.binary(), st.text())
def test_arbitrary_bytes_and_words_raise_nothing(data: bytes, words: str) -> None:
    read(data + b"\n")
    read(data + b"\n", checksum="none")
    understood(words)


@settings(deadline=None)
@given(LINES, st.integers(0, 10_000), st.integers(1, 255))
def test_one_damaged_byte_never_makes_another_line(line: TextLine, at: int, damage: int) -> None:
    damaged = bytearray(encode(line))
    damaged[at % len(damaged)] ^= damage
    assert read(bytes(damaged))[0] in ([], [line])


def test_a_line_may_be_as_long_as_the_limit_and_no_longer() -> None:
    room = MOST_LINE - len(encode(TextLine(7, "error "), end=b""))
    longest, too_long = (TextLine(7, "error " + "x" * size) for size in (room, room + 1))
    assert read(encode(longest)) == ([longest], 0, 0)
    assert read(encode(too_long)) == ([], 0, 1)
    assert read(encode(too_long), tuple(range(100))) == ([], 0, 1)


def test_a_line_without_an_end_is_not_kept() -> None:
    reader = TextReader()
    reader.feed(b"x" * MOST_LINE)
    assert reader.kept == MOST_LINE
    reader.feed(b"x")
    assert reader.kept == 0
    assert reader.feed(b"y\n" + encode(TextLine(1, "begin"))) == [TextLine(1, "begin")]


def test_a_line_that_was_begun_before_the_line_was_lost_is_not_completed_after_it() -> None:
    reader = TextReader()
    reader.feed(b"1 ")
    reader.restart()
    assert reader.feed(encode(TextLine(2, "begin"))) == [TextLine(2, "begin")]


def test_a_wrong_or_missing_check_is_counted() -> None:
    assert read(b"1 begin *0000\n1 begin\n") == ([], 2, 0)
    assert read(b"1 begin *0000\n", checksum="none") == ([], 0, 1)


@pytest.mark.parametrize("content", ["01 begin", "10000 begin", "1  begin", "begin", "1 BEGIN", "1 begin "])
def test_a_whole_line_that_is_none_of_the_protocol_is_told_and_not_overlooked(content: str) -> None:
    line = b"%s *%04X\n" % (content.encode(), crc(content.encode()))
    assert read(line) == ([TextLine(None, content)], 0, 0)


def test_every_line_in_ten_megabytes_of_noise_is_found_and_little_is_kept() -> None:
    chance = Random(21)
    reader = TextReader()
    sent: list[TextLine] = []
    found: list[TextLine] = []
    for number in range(2560):
        line = TextLine(number, f"player 1 {chance.choice(sorted(CARDS))}")
        sent.append(line)
        found += reader.feed(chance.randbytes(chance.randrange(8192)) + b"\n" + encode(line))
        assert reader.kept <= MOST_LINE
    assert found == sent
