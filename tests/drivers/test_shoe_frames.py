"""The frames of the Angel Eye shoe: known bytes, any cutting, noise."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.events import BANKER, BURN, PLAYER
from drivers.shoe_frames import (
    ENQ,
    ETX,
    MOST_DATA,
    Frame,
    FrameReader,
    bcc,
    card_data,
    command,
    encode,
    result_data,
    understood,
)
from drivers.shoe_game import CARDS, NOT_UNDERSTOOD, Begun, Cancelled, Dealt, Ended, Failed, Message, Noted, Retold

DATA = st.binary(min_size=1, max_size=MOST_DATA).filter(lambda data: ENQ not in data and ETX not in data)
SAID = st.one_of(
    st.sampled_from([b"S", b"P", b"C", b"E12", b"e12"]),
    st.builds(result_data, st.sampled_from(["player", "banker", "tie", ""]), st.integers(0, 3)),
    st.builds(
        card_data,
        st.sampled_from("DdR"),
        st.sampled_from([PLAYER, BANKER, BURN]),
        st.integers(1, 15),
        st.sampled_from(sorted(CARDS)),
    ),
)
FRAMES = st.builds(Frame, st.characters(min_codepoint=0x21, max_codepoint=0x7E), DATA)


def read(data: bytes, cuts: tuple[int, ...] = ()) -> tuple[list[Frame], int, int]:
    reader = FrameReader()
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    parts = (data[begin:end] for begin, end in pairwise(edges))
    frames = [frame for part in parts for frame in reader.feed(part)]
    return frames, reader.bad_checksums, reader.resyncs


@pytest.mark.parametrize(
    ("quoted", "message"),
    [
        ("05 31 53 03 36 31", Begun()),
        ("05 31 44 81 C9 03 33 45", Dealt(PLAYER, 1, "9H")),
        ("05 31 47 C1 03 42 34", Ended("banker")),
        ("05 31 47 A0 03 44 35", Ended("tie")),
    ],
)
def test_frames_of_the_description_are_read_and_built(quoted: str, message: Message) -> None:
    frames, bad, resyncs = read(bytes.fromhex(quoted))
    assert (bad, resyncs) == (0, 0)
    assert [frame.seq for frame in frames] == ["1"]
    assert understood(frames[0].data) == message
    assert encode(frames[0]) == bytes.fromhex(quoted)


def test_the_command_of_the_description_has_its_stx_in_the_check() -> None:
    assert command("LK", "02") == bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
    assert command("LK", "02", "with-stx") == bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")
    assert command("LK", "02", "without-stx") == bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 39")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"S", Begun()),
        (b"P", Noted()),
        (b"C", Noted()),
        (b"L1", Noted()),
        (b"M00", Noted()),
        (b"D\x93\x9d", Dealt(BANKER, 3, "KD")),
        (b"D\x82\xaa", Dealt(PLAYER, 2, "TC")),
        (b"d\xa1\xb1", Dealt(BURN, 1, "AS")),
        (b"d\xc1\xb1", Noted()),  # the card that says how many to burn
        (b"d\xd1\x87", Noted()),  # and how many those are
        (b"R\x81\xc9", Retold(PLAYER, 1, "9H")),
        (b"G\x90", Ended("player")),
        (b"G\x93", Ended("player")),  # and both pairs
        (b"G\xf0", Cancelled()),
        (b"E12", Failed("the shoe reports error 12")),
        (b"E", Failed("the shoe reports error")),
        (b"E\x81\x02", Failed("the shoe reports error 81 02")),
        (b"e12", Failed("the shoe had error 12")),
        (b"d\x81\xb1", Failed("a card for the player left the shoe outside a game")),
    ],
)
def test_every_kind_of_message_is_understood(data: bytes, message: Message) -> None:
    assert understood(data) == message


@pytest.mark.parametrize(
    "data",
    [
        b"X",
        b"D",
        b"D\x81",
        b"D\x81\xc9\xc9",
        b"D\x01\xc9",  # without its high bit
        b"D\x81\x49",
        b"D\xb1\xc9",  # a target that is none
        b"D\x80\xc9",  # no card has the place 0
        b"D\x81\x89",  # a suit that is none
        b"D\x81\xd9",
        b"D\x81\xc0",  # a rank that is none
        b"D\x81\xce",
        b"G",
        b"G\x80",
        b"G\xb0",
        b"G\x10",
        b"G\x98",  # bits that are always 0
        b"G\x90\x90",
    ],
)
def test_what_makes_no_sense_is_a_fault_and_not_a_guess(data: bytes) -> None:
    assert understood(data) == Failed(NOT_UNDERSTOOD)


@settings(deadline=None)
@given(st.sampled_from([PLAYER, BANKER, BURN]), st.integers(1, 15), st.sampled_from(sorted(CARDS)))
def test_every_card_is_read_as_it_was_written(hand: str, index: int, card: str) -> None:
    assert understood(card_data("D", hand, index, card)) == Dealt(hand, index, card)
    assert understood(card_data("R", hand, index, card)) == Retold(hand, index, card)


@settings(deadline=None)
@given(st.sampled_from(["player", "banker", "tie"]), st.integers(0, 3))
def test_every_result_is_read_as_it_was_written(result: str, pairs: int) -> None:
    assert understood(result_data(result, pairs)) == Ended(result)
    assert understood(result_data("")) == Cancelled()


@settings(deadline=None)
@given(st.lists(FRAMES, max_size=8), st.lists(st.integers(0, 10_000), max_size=12))
def test_frames_are_found_however_they_are_cut(frames: list[Frame], cuts: list[int]) -> None:
    assert read(b"".join(map(encode, frames)), tuple(cuts)) == (frames, 0, 0)


NOISE = st.lists(
    st.one_of(st.sampled_from([b"\x05", b"\x03", b"\x06", b"1D", b"00", b"6"]), FRAMES.map(encode), st.binary())
).map(b"".join)


@settings(deadline=None)
@given(NOISE, st.lists(st.integers(0, 10_000), max_size=12))
def test_any_cutting_of_any_bytes_gives_the_same_frames_and_counters(data: bytes, cuts: list[int]) -> None:
    assert read(data, tuple(cuts)) == read(data)
    assert read(data, tuple(range(len(data)))) == read(data)


@settings(deadline=None)
@given(st.binary())
def test_arbitrary_bytes_raise_nothing(data: bytes) -> None:
    read(data)
    understood(data)


@settings(deadline=None)
@given(st.builds(Frame, st.sampled_from("0123456789"), SAID), st.integers(0, 10_000), st.integers(1, 255))
def test_one_damaged_byte_never_makes_another_frame(frame: Frame, at: int, damage: int) -> None:
    damaged = bytearray(encode(frame))
    damaged[at % len(damaged)] ^= damage
    frames, _, _ = read(bytes(damaged))
    assert frames in ([], [frame])  # the case of a check's letter may change


def test_a_check_may_be_written_in_small_letters() -> None:
    frame = Frame("1", b"G\xa0")
    assert read(encode(frame)[:-2] + b"d5")[0] == [frame]


def test_a_new_enq_begins_a_new_frame_wherever_it_comes() -> None:
    whole = encode(Frame("4", card_data("D", PLAYER, 1, "TS")))
    for cut in range(len(whole)):
        assert read(whole[:cut] + whole)[0] == [Frame("4", card_data("D", PLAYER, 1, "TS"))]


def test_data_may_be_as_long_as_the_limit_and_no_longer() -> None:
    longest, too_long = (Frame("1", b"E" * size) for size in (MOST_DATA, MOST_DATA + 1))
    assert read(encode(longest)) == ([longest], 0, 0)
    assert read(encode(too_long)) == ([], 0, 1)
    assert read(encode(too_long), tuple(range(40))) == ([], 0, 1)


def test_a_frame_without_an_end_is_not_kept() -> None:
    reader = FrameReader()
    reader.feed(ENQ + b"1" + b"E" * MOST_DATA)
    assert reader.kept == 1 + MOST_DATA
    reader.feed(b"E")
    assert reader.kept == 0
    assert reader.resyncs == 1
    reader.feed(ENQ + b"1" + b"E" * 10_000 + ETX)
    assert reader.kept == 0


def test_thrown_bytes_count_once_for_each_run_and_an_ack_is_none() -> None:
    frame = encode(Frame("1", b"S"))
    wrong = frame[:-1] + b"0"
    assert read(b"xyz" + frame + b"abc\x05" + frame)[1:] == (0, 2)
    assert read(b"\x06" + frame + b"\x06" + frame)[1:] == (0, 0)
    assert read(frame + wrong + frame)[1:] == (1, 0)


def test_a_frame_that_was_begun_before_the_line_was_lost_is_not_completed_after_it() -> None:
    reader = FrameReader()
    whole = encode(Frame("1", b"S"))
    reader.feed(whole[:3])
    reader.restart()
    assert reader.feed(whole[3:]) == []
    assert reader.feed(whole) == [Frame("1", b"S")]


def test_every_frame_in_ten_megabytes_of_noise_is_found_and_little_is_kept() -> None:
    chance = Random(20)
    reader = FrameReader()
    sent: list[Frame] = []
    found: list[Frame] = []
    for _ in range(2560):
        frame = Frame(chance.choice("0123456789"), card_data("D", PLAYER, 1, chance.choice(sorted(CARDS))))
        sent.append(frame)
        found += reader.feed(chance.randbytes(chance.randrange(8192)) + encode(frame))
        assert reader.kept <= MOST_DATA + 3
    remaining = iter(found)
    assert all(frame in remaining for frame in sent)  # in their order
    assert len(found) - len(sent) < 20  # noise that happens to be a frame: 10 MB hold about one


def test_the_check_is_the_xor_as_two_digits() -> None:
    assert bcc(b"") == b"00"
    assert bcc(b"1S\x03") == b"61"
    assert bcc(b"\x05\x01") == b"04"
