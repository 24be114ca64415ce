"""What systemd is told, read from a real socket as systemd reads it."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from controller.notify import MOST_STATUS_BYTES, Notifier
from controller.rules.errors import BadInputError

MOST_MESSAGE_BYTES = 4096  # systemd's own limit


class Manager:
    """systemd's end of the socket."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(address.replace("@", "\0", 1) if address.startswith("@") else address)
        self._socket.settimeout(0)

    def heard(self) -> list[bytes]:
        found: list[bytes] = []
        try:
            while True:
                found.append(self._socket.recv(1 << 16))
        except BlockingIOError:
            return found

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(params=["in a folder", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    found = Manager(f"@jackpotd-{uuid4()}" if request.param == "abstract" else str(tmp_path / "notify"))
    yield found
    found.close()


def notifier(manager: Manager, **more: str) -> Notifier:
    return Notifier.from_environment({"NOTIFY_SOCKET": manager.address, **more})


def test_systemd_is_told_each_thing_in_its_words(manager: Manager) -> None:
    telling = notifier(manager)
    told = [telling.ready(), telling.watchdog(), telling.status("Proving the journal"), telling.extend(1.5)]
    assert [*told, telling.stopping()] == [True] * 5
    assert manager.heard() == [
        b"READY=1",
        b"WATCHDOG=1",
        b"STATUS=Proving the journal",
        b"EXTEND_TIMEOUT_USEC=1500000",
        b"STOPPING=1",
    ]


def test_a_status_is_one_line_and_no_other_message(manager: Manager) -> None:
    assert notifier(manager).status("faulted:\nREADY=1\r\n  broker gone\n")
    assert manager.heard() == [b"STATUS=faulted: READY=1 broker gone"]


@pytest.mark.parametrize("letter", ["x", "é", "€", "\U0001f0a1"])
def test_a_status_is_cut_at_a_whole_character_within_the_limit(manager: Manager, letter: str) -> None:
    assert notifier(manager).status(letter * (MOST_STATUS_BYTES + 1))
    (message,) = manager.heard()
    text = message.removeprefix(b"STATUS=")
    assert set(text.decode()) == {letter}
    assert MOST_STATUS_BYTES - len(letter.encode()) < len(text) <= MOST_STATUS_BYTES
    assert len(message) <= MOST_MESSAGE_BYTES


def test_a_status_of_just_the_limit_is_told_whole(manager: Manager) -> None:
    assert notifier(manager).status("x" * MOST_STATUS_BYTES)
    assert manager.heard() == [b"STATUS=" + b"x" * MOST_STATUS_BYTES]


def test_a_status_with_a_broken_character_is_still_told(manager: Manager) -> None:
    assert notifier(manager).status("port \udcff lost")  # as a file name that is no UTF-8 reads
    assert manager.heard() == [b"STATUS=port ? lost"]


@pytest.mark.parametrize("address", ["", "vsock:2:1234", "relative/notify", "/nowhere/notify", "/" + "x" * 200, "@"])
def test_where_nobody_can_be_told_nothing_happens(address: str) -> None:
    telling = Notifier.from_environment({"NOTIFY_SOCKET": address} if address else {})
    assert not any([telling.ready(), telling.watchdog(), telling.status("x"), telling.extend(1), telling.stopping()])


def test_a_manager_that_has_gone_or_does_not_read_holds_nothing_up(manager: Manager) -> None:
    telling = notifier(manager)
    told = 0
    while telling.watchdog():
        told += 1
        assert told < 100_000, "the socket never fills"
    assert manager.heard() == [b"WATCHDOG=1"] * told
    assert telling.ready(), "and goes on when it is read again"
    manager.close()
    assert not telling.ready()


def test_the_watchdogs_time_is_systemds(manager: Manager) -> None:
    assert notifier(manager, WATCHDOG_USEC="10000000").watchdog_seconds == 10
    assert notifier(manager, WATCHDOG_USEC="2500000", WATCHDOG_PID=str(os.getpid())).watchdog_seconds == 2.5


def test_no_watchdog_where_none_is_set_or_it_is_for_another_process_or_nobody_listens(manager: Manager) -> None:
    assert notifier(manager).watchdog_seconds is None
    assert notifier(manager, WATCHDOG_USEC="10000000", WATCHDOG_PID=str(os.getppid())).watchdog_seconds is None
    assert Notifier.from_environment({"WATCHDOG_USEC": "10000000"}).watchdog_seconds is None


@pytest.mark.parametrize("value", ["0", "-1", "ten", "", "1.5", "\u0661"])
def test_a_watchdog_time_that_is_none_is_refused_by_name(manager: Manager, value: str) -> None:
    with pytest.raises(BadInputError, match="WATCHDOG_USEC"):
        notifier(manager, WATCHDOG_USEC=value)
    if value:
        with pytest.raises(BadInputError, match="WATCHDOG_PID"):
            notifier(manager, WATCHDOG_USEC="10000000", WATCHDOG_PID=value)
