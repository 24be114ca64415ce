"""The simulated acceptors by themselves, against the vectors and with a clock of our own."""

import pytest

from drivers.cctalk_frames import SIMPLE_POLL, Frame, encode
from drivers.simulated.cctalk import RECEIVER_RESET, UNPOLLED, Acceptor, AcceptorBus

POLL = bytes.fromhex("020001E518")
ALL_ON = bytes.fromhex("020201E7FFFF16")
ACK = bytes.fromhex("01000200FD")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def made(*, echo: bool = False) -> tuple[Acceptor, AcceptorBus, Clock]:
    clock = Clock()
    acceptor = Acceptor(clock=clock)
    return acceptor, AcceptorBus([acceptor], echo=echo, clock=clock), clock


def enabled() -> tuple[Acceptor, AcceptorBus, Clock]:
    acceptor, bus, clock = made()
    assert bus.received(ALL_ON) == ACK
    bus.received(POLL)
    return acceptor, bus, clock


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        ("020001FEFF", "01000200FD"),
        ("020001F508", "010D0200436F696E204163636570746F7216"),
        ("020001F20B", "010302004E61BC8F"),
        ("020001E518", "010B02000000000000000000000000F2"),
        ("020001E31A", "0101020001FB"),
        ("020001E815", "0101020000FC"),
        ("020101E40018", "01000200FD"),
        ("020001FD00", "01000205F8"),  # it does not know how to be polled by address
    ],
)
def test_it_answers_as_in_the_manuals(request_: str, reply: str) -> None:
    assert made()[1].received(bytes.fromhex(request_)) == bytes.fromhex(reply)
    assert made(echo=True)[1].received(bytes.fromhex(request_)) == bytes.fromhex(request_ + reply)


def test_it_shows_its_events_as_in_the_manuals() -> None:
    acceptor, bus, _ = made()
    for coin, code, shown in [
        (1, 2, "010B02000101020000000000000000EE"),
        (2, 1, "010B02000202010102000000000000EA"),
        (0, 2, "010B02000300020201010200000000E7"),
        (0, 0x83, "010B0200040083000202010102000063"),
    ]:
        acceptor.happen(coin, code)
        assert bus.received(POLL) == bytes.fromhex(shown)


def test_it_counts_to_255_and_goes_on_with_1() -> None:
    acceptor, _, _ = made()
    for _ in range(255):
        acceptor.happen(1, 1)
    assert acceptor.counter == 255
    acceptor.happen(1, 1)
    assert acceptor.counter == 1


def test_it_takes_a_coin_only_where_it_and_the_slot_are_enabled() -> None:
    acceptor, bus, _ = enabled()
    assert acceptor.insert(16)
    bus.received(encode(Frame(2, 231, b"\1\0")))
    assert acceptor.insert(1)
    assert not acceptor.insert(2)
    bus.received(bytes.fromhex("020101E40018"))
    assert not acceptor.insert(1)
    assert acceptor.credited == [16, 1]
    assert list(acceptor.events)[:4] == [(0, 2), (0, 0x81), (1, 1), (16, 1)]


def test_it_takes_no_coin_before_it_is_polled_nor_a_second_after() -> None:
    acceptor, bus, clock = made()
    bus.received(ALL_ON)
    assert not acceptor.insert(1)
    bus.received(POLL)
    clock.now += UNPOLLED
    assert acceptor.insert(1)
    clock.now += 0.01
    assert not acceptor.insert(1)
    assert acceptor.counter == 1


def test_a_reset_forgets_all_but_the_coins_it_took() -> None:
    acceptor, bus, _ = enabled()
    acceptor.insert(1)
    assert bus.received(bytes.fromhex("02000101FC")) == ACK
    assert (acceptor.counter, acceptor.mask, acceptor.polled) == (0, 0, None)
    assert acceptor.credited == [1]


def test_what_is_left_of_a_request_is_forgotten_after_a_silence() -> None:
    _, bus, clock = made()
    assert bus.received(POLL[:2]) == b""
    clock.now += RECEIVER_RESET
    assert bus.received(POLL[2:]) != b""
    bus.received(POLL[:2])
    clock.now += RECEIVER_RESET + 0.001
    assert bus.received(POLL) != b""


def test_it_says_nothing_to_a_wrong_sum_nor_to_another_address() -> None:
    _, bus, _ = made()
    assert bus.received(POLL[:-1] + b"\x19") == b""
    assert bus.received(encode(Frame(3, SIMPLE_POLL))) == b""
    assert bus.received(POLL) != b""


@pytest.mark.parametrize("coin", [0, 17])
def test_there_are_sixteen_coins(coin: int) -> None:
    with pytest.raises(ValueError, match="1 to 16"):
        Acceptor().insert(coin)
