"""How much one visitor may ask for: each number on both sides."""

from pathlib import Path

import pytest

from controller.console import limits
from controller.console.api import BODY_SECONDS, MOST_BODY_BYTES, MOST_SUBMISSION_BYTES
from controller.console.broker import COMMAND_SECONDS
from controller.console.downloads import MOST_PAGES
from controller.console.limits import MOST_ADDRESSES, Pace, Places, visitor
from controller.console.patience import CONNECTIONS_PER_ADDRESS, MOST_CONNECTIONS, REQUEST_SECONDS, Patience
from controller.console.security import MOST_HEADER_BYTES
from controller.console.settings import MOST_TABLES
from controller.wire.commands import MOST_ROWS


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_so_many_a_minute_and_little_by_little_again() -> None:
    clock = Clock()
    pace = Pace(10, clock)
    assert [pace.take("10.0.0.1") for _ in range(11)] == [True] * 10 + [False]
    assert pace.take("10.0.0.2")
    clock.now += 5.9
    assert not pace.take("10.0.0.1")
    clock.now += 0.2
    assert pace.take("10.0.0.1")
    assert not pace.take("10.0.0.1")
    clock.now += 3600
    assert [pace.take("10.0.0.1") for _ in range(11)] == [True] * 10 + [False]


def test_addresses_have_an_end_and_those_beyond_share_one_count() -> None:
    clock = Clock()
    pace = Pace(2, clock)
    for number in range(MOST_ADDRESSES):
        assert pace.take(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert [pace.take(f"11.0.0.{number}") for number in range(3)] == [True, True, False]
    clock.now += 3600  # all have theirs back and are forgotten
    assert [pace.take(f"11.0.0.{number}") for number in range(3)] == [True] * 3


def test_places_are_given_back() -> None:
    places = Places(2, 3)
    assert [places.take("a"), places.take("a"), places.take("a")] == [True, True, False]
    assert places.take("b")
    assert not places.take("c")  # full
    places.free("a")
    assert places.take("c")
    assert len(places) == 3
    for who in ("a", "b", "c"):
        places.free(who)
    assert len(places) == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),  # one house, one line
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("", "", True),
        ("testclient", "other", False),
    ],
)
def test_whom_to_count(one: str, other: str, same: bool) -> None:
    assert (visitor(one) == visitor(other)) is same


def test_connections_of_one_address_have_an_end_and_a_proxys_have_none() -> None:
    patience = Patience(trusted=frozenset({"10.0.0.9"}))
    assert all(patience.take("10.0.0.1") for _ in range(CONNECTIONS_PER_ADDRESS))
    assert not patience.take("10.0.0.1")
    for _ in range(2):
        patience.free("10.0.0.1")
    assert patience.take("10.0.0.1")
    assert all(patience.take("10.0.0.9") for _ in range(CONNECTIONS_PER_ADDRESS + 1))


def test_the_manual_tells_the_numbers() -> None:
    manual = (Path(__file__).parent.parent.parent / "docs/console.md").read_text()
    minute = "a minute from one address"
    rows, seconds = f"{MOST_PAGES * MOST_ROWS:,} rows", f"{REQUEST_SECONDS:.0f} s for the head of a request"
    connections = f"{CONNECTIONS_PER_ADDRESS} from one address, {MOST_CONNECTIONS} in all"
    kib, mib = MOST_BODY_BYTES // 1024, MOST_SUBMISSION_BYTES // 1024**2
    for told in (
        f"{limits.SIGN_INS_PER_MINUTE} {minute}, second",
        f"{limits.COMMANDS_PER_MINUTE} {minute}",
        f"{limits.DOWNLOADS_PER_MINUTE} {minute}, {limits.MOST_DOWNLOADS} at once, {rows}",
        f"{limits.SOCKETS_PER_ADDRESS} from one address, {limits.MOST_SOCKETS} in all",
        f"{connections}; {seconds}, {BODY_SECONDS:.0f} s for its body",
        f"{kib} KiB, `change-submission` {mib} MiB; its head {MOST_HEADER_BYTES // 1024} KiB",
        f"at most {MOST_TABLES}",
        f"by the console for {COMMAND_SECONDS:.0f} s",
    ):
        assert told in manual, told
