"""The Modbus codec: vectors of manuals, any chunking, noise."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymodbus.framer.rtu import FramerRTU

from drivers import modbus_rtu as rtu
from drivers.simulated.modbus import Board, Bus

REQUESTS = [
    (rtu.read_bits(1, rtu.READ_INPUTS, 0, 8), "01 02 00 00 00 08 79 CC"),
    (rtu.read_bits(1, rtu.READ_INPUTS, 0, 10), "01 02 00 00 00 0A F8 0D"),
    (rtu.read_bits(1, rtu.READ_COILS, 0, 8), "01 01 00 00 00 08 3D CC"),
    (rtu.write_coil(1, 0, on=True), "01 05 00 00 FF 00 8C 3A"),
    (rtu.write_coil(1, 0, on=False), "01 05 00 00 00 00 CD CA"),
    (rtu.write_coils(1, 0, (True,) * 8), "01 0F 00 00 00 08 01 FF BE D5"),
    (rtu.read_bits(0x0B, rtu.READ_INPUTS, 0, 10), "0B 02 00 00 00 0A F8 A7"),
    (rtu.read_bits(0xFF, rtu.READ_INPUTS, 0, 8), "FF 02 00 00 00 08 6C 12"),
]
REPLIES = [
    (rtu.read_bits(0x0B, rtu.READ_INPUTS, 0, 10), "0B 02 02 01 00 20 29", (True, *(False,) * 9)),
    (rtu.read_bits(0xFF, rtu.READ_INPUTS, 0, 8), "FF 02 01 01 51 A0", (True, *(False,) * 7)),
]


@pytest.mark.parametrize(("request_", "sent"), REQUESTS, ids=[sent for _, sent in REQUESTS])
def test_questions_are_the_bytes_of_the_manuals(request_: rtu.Request, sent: str) -> None:
    assert request_.frame == bytes.fromhex(sent)


@pytest.mark.parametrize(("request_", "came", "expected"), REPLIES)
def test_replies_of_the_manuals_are_understood(request_: rtu.Request, came: str, expected: tuple[bool, ...]) -> None:
    content = rtu.Reply(request_).take(bytes.fromhex(came))
    assert content is not None
    assert rtu.bits(content, request_.count) == expected


@given(st.binary(max_size=260))
def test_the_check_is_the_one_another_library_computes(data: bytes) -> None:
    assert rtu.crc(data) == FramerRTU.compute_CRC(data).to_bytes(2, "big")


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(0, 100), st.integers(1, 255))
def test_what_is_written_is_what_is_read_back(levels: list[bool], start: int, address: int) -> None:
    bus = Bus([Board(address, coils=140)], lambda: 0.0)
    write, read = rtu.write_coils(address, start, levels), rtu.read_bits(address, rtu.READ_COILS, start, len(levels))
    assert rtu.Reply(write).take(bus.received(write.frame)) is not None
    content = rtu.Reply(read).take(bus.received(read.frame))
    assert content is not None
    assert rtu.bits(content, len(levels)) == tuple(levels)


def answered(request: rtu.Request, seed: int = 0) -> bytes:
    board = Board(request.address, inputs=40, coils=40)
    chance = Random(seed)
    board.inputs = [chance.random() < 0.5 for _ in board.inputs]
    board.counts = [chance.randrange(2**32) for _ in board.counts]
    return Bus([board], lambda: 0.0).received(request.frame)


QUESTIONS = [
    rtu.read_bits(7, rtu.READ_INPUTS, 2, 19),
    rtu.read_bits(7, rtu.READ_COILS, 0, 8),
    rtu.read_registers(7, 4, 2),
    rtu.write_coil(7, 5, on=True),
    rtu.write_coils(7, 3, (True, False, True)),
    rtu.read_bits(7, rtu.READ_INPUTS, 100, 8),  # refused
]


@given(st.sampled_from(QUESTIONS), st.data())
def test_any_chunking_gives_the_same_reply(request_: rtu.Request, data: st.DataObject) -> None:
    came = answered(request_)
    whole, reply = _taken(request_, [came]), []
    while came:
        size = data.draw(st.integers(1, len(came)))
        reply.append(came[:size])
        came = came[size:]
    assert _taken(request_, reply) == whole


def _taken(request: rtu.Request, parts: list[bytes]) -> list[bytes | str]:
    reply, found = rtu.Reply(request), list[bytes | str]()
    for part in parts:
        try:
            content = reply.take(part)
        except rtu.RefusedError as error:
            found.append(str(error))
            continue
        if content is not None:
            found.append(content)
    assert len(found) == 1
    return found


@given(st.sampled_from(QUESTIONS), st.lists(st.binary(max_size=300)))
def test_noise_raises_nothing_but_a_refusal(request_: rtu.Request, parts: list[bytes]) -> None:
    reply = rtu.Reply(request_)
    for part in parts:
        try:
            reply.take(part)
        except rtu.RefusedError:
            return


@pytest.mark.slow
def test_every_reply_in_ten_megabytes_of_noise_is_found_in_bounded_memory() -> None:
    chance = Random(5)
    request = rtu.read_bits(7, rtu.READ_INPUTS, 0, 19)
    frames = [answered(request, seed) for seed in range(50)]
    reply, found, most = rtu.Reply(request), list[bytes](), 0
    for index in range(2500):
        noise = chance.randbytes(4096)
        for part in (noise, frames[index % 50]):
            content = reply.take(part)
            while content is not None:
                found.append(content)
                content = reply.take(b"")
            most = max(most, reply.unread)
    assert len(found) == 2500
    assert found == [frames[index % 50][3:-2] for index in range(2500)]
    assert most < 256


def test_a_damaged_reply_is_none_and_is_counted() -> None:
    request = rtu.read_bits(7, rtu.READ_INPUTS, 0, 8)
    good = answered(request)
    for index in range(len(good)):
        bad = bytearray(good)
        bad[index] ^= 0x10
        reply = rtu.Reply(request)
        try:
            assert reply.take(bytes(bad)) is None
        except rtu.RefusedError:
            pytest.fail("a damaged reply is no refusal")


def test_the_echo_of_a_question_is_not_taken_for_its_reply() -> None:
    for request in QUESTIONS[:3]:
        reply = rtu.Reply(request)
        assert reply.take(request.frame) is None
        assert reply.take(answered(request)) is not None


@pytest.mark.parametrize(
    ("code", "why"), [(1, "function"), (2, "address"), (3, "value"), (4, "failed"), (6, "busy"), (9, "code 9")]
)
def test_a_refusal_says_why(code: int, why: str) -> None:
    body = bytes([7, 0x82, code])
    with pytest.raises(rtu.RefusedError, match=why):
        rtu.Reply(QUESTIONS[0]).take(body + rtu.crc(body))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: rtu.read_bits(0, 2, 0, 8), "device address 0"),
        (lambda: rtu.read_bits(256, 2, 0, 8), "device address 256"),
        (lambda: rtu.read_bits(1, 2, 0, 2001), "2001 at once"),
        (lambda: rtu.read_bits(1, 2, 0, 0), "0 at once"),
        (lambda: rtu.read_registers(1, 0, 126), "126 at once"),
        (lambda: rtu.write_coils(1, 0, (False,) * 1969), "1969 at once"),
        (lambda: rtu.read_bits(1, 2, 65535, 2), "addresses end at 65535"),
    ],
)
def test_what_no_frame_can_ask_is_refused(make: object, why: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=why):
        make()


def test_the_largest_of_each_question_is_taken() -> None:
    for request in (
        rtu.read_bits(255, 2, 65536 - 2000, 2000),
        rtu.read_registers(1, 0, 125),
        rtu.write_coils(1, 0, (True,) * 1968),
    ):
        assert len(request.frame) <= 256
        assert request.size <= 256


@given(st.binary(max_size=2000))
def test_a_twin_answers_noise_with_nothing_it_was_not_asked(data: bytes) -> None:
    bus = Bus([Board(7)], lambda: 0.0)
    bus.received(data)
    ask = rtu.read_bits(7, rtu.READ_INPUTS, 0, 8)
    replies = b"".join(bus.received(ask.frame) for _ in range(40))  # the first ones may end a frame the noise began
    assert rtu.Reply(ask).take(replies) == b"\x00"
