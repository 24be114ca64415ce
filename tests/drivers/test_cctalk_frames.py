import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.cctalk_credits import Reading
from drivers.cctalk_frames import (
    ANY,
    HOST,
    LENGTHS,
    LONGEST_DATA,
    LONGEST_FRAME,
    PIECE,
    READ_CREDITS,
    REPLY,
    Checksum,
    Echo,
    Frame,
    FrameError,
    Replies,
    decode,
    encode,
    is_sound,
)

# What the host says, to the device at 2.
REQUESTS = {
    "02 00 01 FE FF": Frame(2, 254),
    "02 00 01 F5 08": Frame(2, 245),
    "02 00 01 F2 0B": Frame(2, 242),
    "02 00 01 F6 07": Frame(2, 246),
    "02 00 01 F4 09": Frame(2, 244),
    "02 00 01 F1 0C": Frame(2, 241),
    "02 00 01 01 FC": Frame(2, 1),
    "02 02 01 E7 FF FF 16": Frame(2, 231, b"\xff\xff"),
    "02 02 01 E7 A7 0A 63": Frame(2, 231, b"\xa7\x0a"),
    "02 00 01 E6 17": Frame(2, 230),
    "02 01 01 E4 00 18": Frame(2, 228, b"\0"),
    "02 01 01 E4 01 17": Frame(2, 228, b"\1"),
    "02 00 01 E3 1A": Frame(2, 227),
    "02 01 01 B8 01 43": Frame(2, 184, b"\1"),
    "02 01 01 B8 0C 38": Frame(2, 184, b"\x0c"),
    "02 00 01 E8 15": Frame(2, 232),
    "02 00 01 E5 18": Frame(2, 229),
    "02 00 01 FD 00": Frame(2, 253),
}
# What the device at 2 answers, with the header it answers to.
REPLIES = {
    "01 00 02 00 FD": (254, Frame(1, 0, b"", 2)),
    "01 00 02 05 F8": (254, Frame(1, 5, b"", 2)),
    "01 00 02 06 F7": (254, Frame(1, 6, b"", 2)),
    "01 0D 02 00 43 6F 69 6E 20 41 63 63 65 70 74 6F 72 16": (245, Frame(1, 0, b"Coin Acceptor", 2)),
    "01 03 02 00 4E 61 BC 8F": (242, Frame(1, 0, (12345678).to_bytes(3, "little"), 2)),
    "01 02 02 00 3F 00 BC": (230, Frame(1, 0, b"\x3f\0", 2)),
    "01 01 02 00 01 FB": (227, Frame(1, 0, b"\1", 2)),
    "01 06 02 00 45 55 32 30 30 41 8A": (184, Frame(1, 0, b"EU200A", 2)),
    "01 06 02 00 2E 2E 2E 2E 2E 2E E3": (184, Frame(1, 0, b"......", 2)),
    "01 01 02 00 00 FC": (232, Frame(1, 0, b"\0", 2)),
    "01 02 02 00 02 02 F7": (232, Frame(1, 0, b"\2\2", 2)),
}
READINGS = {
    "01 0B 02 00 00 00 00 00 00 00 00 00 00 00 00 F2": (0, (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)),
    "01 0B 02 00 01 01 02 00 00 00 00 00 00 00 00 EE": (1, (1, 2), (0, 0), (0, 0), (0, 0), (0, 0)),
    "01 0B 02 00 02 02 01 01 02 00 00 00 00 00 00 EA": (2, (2, 1), (1, 2), (0, 0), (0, 0), (0, 0)),
    "01 0B 02 00 03 00 02 02 01 01 02 00 00 00 00 E7": (3, (0, 2), (2, 1), (1, 2), (0, 0), (0, 0)),
    "01 0B 02 00 04 00 83 00 02 02 01 01 02 00 00 63": (4, (0, 0x83), (0, 2), (2, 1), (1, 2), (0, 0)),
    "01 0B 02 00 06 06 04 00 14 00 17 06 04 0D 02 9E": (6, (6, 4), (0, 0x14), (0, 0x17), (6, 4), (13, 2)),
}
CRC_OF = {
    "28 00 01": 0x3F46,
    "01 00 00": 0x3730,
    "49 D5 F2": 0xA6B3,
    "2F BD 9D": 0x90B2,
    "D9 53 D1": 0x7BB5,
    "70 B8 D9 64 04 15": 0xFB00,
    "72 61 B9 4E D0 78": 0x93E3,
    "63 FA D1 9F E6 19": 0x5BB3,
}
CRC_FRAMES = {
    "28 00 46 01 3F": Frame(0x28, 1, b"", None),
    "28 00 B6 FE 21": Frame(0x28, 254, b"", None),
    "01 03 72 00 41 53 54 C0": Frame(1, 0, b"AST", None),
    "01 00 30 00 37": Frame(1, 0, b"", None),
}

checksums: st.SearchStrategy[Checksum] = st.sampled_from(["simple", "crc16"])
bytes_of_one = st.integers(0, 255)
# Bytes of which frames are made, so that there are many beginnings, and some of them come to a sound end.
likely = st.lists(st.sampled_from(b"\x00\x01\x02\x05\x06\x0b\xf7\xf8\xfd\xff"), max_size=40).map(bytes)


@pytest.mark.parametrize(("wire", "frame"), REQUESTS.items())
def test_what_the_host_says_is_on_the_wire_as_in_the_manuals(wire: str, frame: Frame) -> None:
    assert encode(frame) == bytes.fromhex(wire)
    assert decode(bytes.fromhex(wire)) == frame


@pytest.mark.parametrize(("wire", "expected"), REPLIES.items())
def test_a_reply_of_the_manuals_is_found_behind_noise_and_as_the_answer_to_its_request(
    wire: str, expected: tuple[int, Frame]
) -> None:
    header, frame = expected
    replies = Replies(2, "simple", LENGTHS.get(header, ANY))
    assert replies.feed(b"\x01\x7f\x00" + bytes.fromhex(wire)) == [frame]
    assert replies.skipped == 3
    assert encode(frame) == bytes.fromhex(wire)


@pytest.mark.parametrize(("wire", "reading"), READINGS.items())
def test_a_reading_of_the_manuals_is_read(wire: str, reading: tuple[int, tuple[int, int]]) -> None:
    (frame,) = Replies(2, "simple", LENGTHS[READ_CREDITS]).feed(bytes.fromhex(wire))
    assert Reading.of(frame.data) == Reading(reading[0], tuple(reading[1:]))


@pytest.mark.parametrize(("data", "crc"), CRC_OF.items())
def test_the_crc_of_bytes_is_that_of_the_manuals(data: str, crc: int) -> None:
    low, high = bytes((crc & 0xFF,)), bytes((crc >> 8,))
    plain = bytes.fromhex(data)
    assert is_sound(plain[:2] + low + plain[2:] + high, "crc16")
    assert crc_by_hand(plain) == crc


def crc_by_hand(data: bytes) -> int:
    """The CRC bit by bit, as its definition says."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc


@pytest.mark.parametrize(("wire", "frame"), CRC_FRAMES.items())
def test_a_frame_with_a_crc_is_on_the_wire_as_in_the_manuals(wire: str, frame: Frame) -> None:
    assert encode(frame, "crc16") == bytes.fromhex(wire)
    assert decode(bytes.fromhex(wire), "crc16") == frame


@given(bytes_of_one, bytes_of_one, st.binary(max_size=LONGEST_DATA))
def test_the_crc_of_a_frame_is_that_of_its_bytes_by_hand(destination: int, header: int, data: bytes) -> None:
    whole = encode(Frame(destination, header, data), "crc16")
    assert whole[2] | whole[-1] << 8 == crc_by_hand(whole[:2] + whole[3:-1])


@given(bytes_of_one, bytes_of_one, bytes_of_one, st.binary(max_size=LONGEST_DATA), checksums)
def test_a_frame_comes_back_as_it_was(
    destination: int, source: int, header: int, data: bytes, checksum: Checksum
) -> None:
    frame = Frame(destination, header, data, source if checksum == "simple" else None)
    assert decode(encode(frame, checksum), checksum) == frame


@given(st.binary(max_size=LONGEST_FRAME), checksums)
def test_bytes_are_a_frame_or_a_frame_error(data: bytes, checksum: Checksum) -> None:
    try:
        frame = decode(data, checksum)
    except FrameError:
        return
    assert encode(frame, checksum) == data


@pytest.mark.parametrize("checksum", ["simple", "crc16"])
def test_the_longest_frame_is_made_and_read_and_a_longer_one_is_not(checksum: Checksum) -> None:
    source = 2 if checksum == "simple" else None
    longest = encode(Frame(HOST, REPLY, bytes(LONGEST_DATA), source), checksum)
    assert len(longest) == LONGEST_FRAME
    assert len(Replies(2, checksum).feed(longest)) == 1
    with pytest.raises(FrameError, match="253 bytes of data: at most 252"):
        encode(Frame(HOST, REPLY, bytes(LONGEST_DATA + 1), source), checksum)
    with pytest.raises(FrameError):
        decode(bytes((1, 253, 2, 0, *bytes(253), 0)))


def test_a_frame_with_the_simple_checksum_needs_a_source() -> None:
    with pytest.raises(FrameError, match="who sends it"):
        encode(Frame(HOST, REPLY, b"", None))


@given(st.lists(st.binary(max_size=40) | likely, max_size=6), st.data(), checksums)
def test_any_chunking_gives_the_same_replies(parts: list[bytes], data: st.DataObject, checksum: Checksum) -> None:
    frames = [encode(Frame(HOST, REPLY, part[:11], 2), checksum) for part in parts]
    whole = b"".join(part + frame for part, frame in zip(parts, frames, strict=True))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=20)))
    at_once, cut, one_by_one = Replies(2, checksum), Replies(2, checksum), Replies(2, checksum)
    expected = at_once.feed(whole)
    pieces = (whole[start:end] for start, end in pairwise([0, *cuts, len(whole)]))
    assert [frame for piece in pieces for frame in cut.feed(piece)] == expected
    assert [frame for byte in whole for frame in one_by_one.feed(bytes((byte,)))] == expected
    assert (at_once.bad, at_once.skipped, len(at_once)) == (one_by_one.bad, one_by_one.skipped, len(one_by_one))
    assert (at_once.bad, at_once.skipped, len(at_once)) == (cut.bad, cut.skipped, len(cut))


@given(st.lists(st.binary(max_size=600) | likely, max_size=8), checksums)
def test_arbitrary_bytes_raise_nothing_and_are_not_kept(parts: list[bytes], checksum: Checksum) -> None:
    replies = Replies(2, checksum)
    taken = 0
    for part in parts:
        taken += sum(len(encode(frame, checksum)) for frame in replies.feed(part))
        assert len(replies) < LONGEST_FRAME
    assert taken + replies.skipped + len(replies) == sum(map(len, parts))


@pytest.mark.parametrize("checksum", ["simple", "crc16"])
def test_in_10_mb_of_noise_every_reply_is_found_and_little_is_held(checksum: Checksum) -> None:
    chance = random.Random(4)
    replies = Replies(2, checksum, LENGTHS[READ_CREDITS])
    said, found, held, bytes_fed = [], [], 0, 0
    while bytes_fed < 10_000_000:
        reading = chance.randbytes(11)
        said.append(reading)
        piece = chance.randbytes(chance.randrange(20_000)) + encode(Frame(HOST, REPLY, reading, 2), checksum)
        bytes_fed += len(piece)
        found += replies.feed(piece)
        held = max(held, len(replies))
    assert [frame.data for frame in found if frame.header == REPLY] == said
    assert held < LONGEST_FRAME


def test_a_piece_may_be_longer_than_what_is_searched_at_once() -> None:
    frame = encode(Frame(HOST, REPLY, b"\1", 2))
    for noise in (PIECE - 3, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE):
        assert len(Replies(2).feed(bytes(noise) + frame)) == 1


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("to another host", Frame(3, 0, bytes(11), 2)),
        ("from another device", Frame(1, 0, bytes(11), 3)),
        ("of another length", Frame(1, 0, bytes(10), 2)),
        ("a request", Frame(1, 229, bytes(11), 2)),
        ("a refusal with data", Frame(1, 5, bytes(11), 2)),
    ],
)
def test_what_does_not_fit_the_request_is_no_reply(why: str, said: Frame) -> None:
    assert Replies(2, "simple", LENGTHS[READ_CREDITS]).feed(encode(said)) == [], why


def test_a_false_beginning_hides_no_reply_and_a_wrong_sum_is_counted() -> None:
    reply = encode(Frame(HOST, REPLY, b"abc", 2))
    replies = Replies(2)
    assert replies.feed(bytes((1, 200, 2, 0)) + reply) == [Frame(HOST, REPLY, b"abc", 2)]
    assert replies.feed(reply[:-1] + bytes((reply[-1] ^ 1,)) + reply) == [Frame(HOST, REPLY, b"abc", 2)]
    assert replies.bad == 1


def test_an_echo_is_taken_away_however_it_is_cut_and_its_absence_is_noticed() -> None:
    request, reply = bytes.fromhex("0200 01FEFF"), bytes.fromhex("01000200FD")
    for cut in range(len(request + reply) + 1):
        echo = Echo(request)
        assert echo.strip((request + reply)[:cut]) + echo.strip((request + reply)[cut:]) == reply
        assert echo.heard is True
    silent = Echo(request)
    assert silent.heard is None
    assert silent.strip(reply) == reply
    assert silent.heard is False


def test_an_echo_that_comes_back_changed_is_passed_over_like_noise() -> None:
    request, reply = bytes.fromhex("020001FEFF"), bytes.fromhex("01000200FD")
    echo, replies = Echo(request), Replies(2, "simple", LENGTHS[254])
    worn = request[:3] + b"\x70" + request[4:]
    assert [frame for byte in worn + reply for frame in replies.feed(echo.strip(bytes((byte,))))] == [
        Frame(HOST, REPLY, b"", 2)
    ]
    assert echo.heard is False
