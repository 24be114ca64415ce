"""The serial port on real pseudo-terminals: how a line is opened, read, written, lost, and opened again."""

import array
import asyncio
import errno
import fcntl
import gc
import os
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import serial

from drivers import port
from drivers.port import (
    FIRST_RETRY,
    JITTER,
    LAST_RETRY,
    MOST_UNREAD,
    Line,
    LineLostError,
    LineSettings,
    Port,
    Wire,
    backoff,
)
from drivers.simulated.line import TwinLine
from tests import virtual_time
from tests.drivers.lines import PATIENCE, Terminal, eventually, open_files, read_all, slave_of, terminal

TCGETS2 = 0x802C542A  # Linux's, which termios does not name
NOBODY = 65534
MORE_THAN_A_KERNEL_HOLDS = bytes(range(256)) * 512  # a pseudo-terminal takes some 22 KB that nobody reads


def speed(fd: int) -> tuple[int, int]:
    """The speeds the kernel has, in baud."""
    found = array.array("I", [0] * 64)
    fcntl.ioctl(fd, TCGETS2, found)
    return found[9], found[10]


def opened_by_somebody(path: str) -> subprocess.CompletedProcess[str]:
    """Another program opens it, without asking for a lock and without being root."""
    Path(path).chmod(0o666)
    return subprocess.run(
        ["/bin/sh", "-c", 'exec 3<>"$1"', "sh", path],
        user=NOBODY if os.geteuid() == 0 else None,
        env={"LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


async def nothing(_: str) -> None:
    """A loss that nobody needs to know of."""


# -- how a line is set up --


@pytest.mark.parametrize(("stop_bits", "flag"), [(1, 0), (2, termios.CSTOPB)])
@pytest.mark.parametrize("baudrate", [4800, 9600, 115200, 256000])
def test_the_kernel_has_the_speed_and_the_stop_bits_of_the_settings(baudrate: int, stop_bits: int, flag: int) -> None:
    async def main() -> None:
        with terminal() as device:
            line = Line(device.settings(baudrate=baudrate, stop_bits=stop_bits))
            assert speed(device.slave) == (baudrate, baudrate)
            assert termios.tcgetattr(device.slave)[2] & termios.CSTOPB == flag
            assert termios.tcgetattr(device.slave)[2] & termios.CSIZE == termios.CS8
            line.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("parity", "flags"),
    [("none", 0), ("even", termios.PARENB), ("odd", termios.PARENB | termios.PARODD)],
)
def test_the_kernel_is_asked_for_the_parity_of_the_settings(
    parity: str, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    tcsetattr = termios.tcsetattr

    def asking(fd: int, when: int, attributes: list[Any]) -> None:
        asked.append(attributes[2])
        tcsetattr(fd, when, attributes)

    monkeypatch.setattr(termios, "tcsetattr", asking)  # a pseudo-terminal forgets that it has parity

    async def main() -> None:
        with terminal() as device:
            before = len(asked)
            Line(device.settings(parity=parity)).close()
            assert asked[before] & (termios.PARENB | termios.PARODD) == flags

    asyncio.run(main())


def test_a_break_throws_away_nothing_whatever_was_set_before() -> None:
    async def main() -> None:
        with terminal() as device:
            attributes = termios.tcgetattr(device.slave)
            attributes[0] |= termios.BRKINT
            termios.tcsetattr(device.slave, termios.TCSANOW, attributes)
            line = device.open()
            assert not termios.tcgetattr(device.slave)[0] & termios.BRKINT
            line.close()

    asyncio.run(main())


@pytest.mark.parametrize("baudrate", [300, 4_000_000])
def test_the_slowest_and_the_fastest_line_are_settings(baudrate: int) -> None:
    assert msgspec.convert({"port": "/dev/null", "baudrate": baudrate}, LineSettings).baudrate == baudrate


@pytest.mark.parametrize("baudrate", [0, 299, 4_000_001])
def test_no_line_is_slower_or_faster(baudrate: int) -> None:
    with pytest.raises(msgspec.ValidationError, match="baudrate"):
        msgspec.convert({"port": "/dev/null", "baudrate": baudrate}, LineSettings)


@pytest.mark.parametrize(
    ("settings", "bits"),
    [
        (LineSettings(port=""), 10),
        (LineSettings(port="", parity="even"), 11),
        (LineSettings(port="", stop_bits=2), 11),
        (LineSettings(port="", parity="odd", stop_bits=2), 12),
    ],
)
def test_a_character_takes_the_time_of_its_bits(settings: LineSettings, bits: int) -> None:
    assert settings.character_seconds == bits / 9600


def test_low_latency_is_not_missed_where_there_is_none() -> None:
    async def main() -> None:
        with terminal() as device:
            Line(device.settings(low_latency=True)).close()

    asyncio.run(main())


def test_rs485_is_refused_in_a_sentence_and_leaves_the_line_free() -> None:
    async def main() -> None:
        with terminal() as device:
            before = open_files()
            with pytest.raises(LineLostError, match=r"knows no RS-485 mode: set rs485 = false") as refused:
                Line(device.settings(rs485=True))
            assert open_files() == before, refused  # also while somebody still holds the error
            assert opened_by_somebody(device.path).returncode == 0
            device.open().close()

    asyncio.run(main())


def test_what_came_before_the_line_was_opened_is_not_read() -> None:
    async def main() -> None:
        with terminal() as device:
            device.fill(b"stale")
            assert device.is_unread()
            line = device.open()
            await device.say(b"fresh")
            assert await line.read(PATIENCE) == b"fresh"
            line.close()

    asyncio.run(main())


# -- one line, one owner --


def test_a_program_that_asks_for_no_lock_is_refused_while_the_line_is_open() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            refused = opened_by_somebody(device.path)
            assert refused.returncode != 0
            assert "busy" in refused.stderr
            line.close()
            assert opened_by_somebody(device.path).returncode == 0

    asyncio.run(main())


def test_a_program_that_asks_for_the_lock_is_refused_while_the_line_is_open() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            with pytest.raises(serial.SerialException) as refused:
                serial.Serial(device.path, exclusive=True)
            assert refused.value.errno in (errno.EAGAIN, errno.EBUSY)
            line.close()
            serial.Serial(device.path, exclusive=True).close()

    asyncio.run(main())


def test_a_second_line_on_the_same_port_is_refused_in_a_sentence() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            with pytest.raises(LineLostError, match="another program has it open"):
                device.open()
            await device.say(b"still there")
            assert await line.read(PATIENCE) == b"still there"
            line.close()

    asyncio.run(main())


# -- paths that are no line --


@pytest.mark.parametrize("kind", ["file", "folder", "pipe", "null", "block", "missing", "dangling", "beyond"])
def test_a_path_that_is_no_line_is_told_with_its_name_and_the_remedy_and_tried_again(tmp_path: Path, kind: str) -> None:
    path = Path("/dev/null") if kind == "null" else tmp_path / kind
    remedy = "set port to a path under /dev/serial/by-id"
    match kind:
        case "file":
            path.write_text("not a line")
        case "folder" | "block":  # a name in which "lock" occurs is not one that is locked
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "missing":
            remedy = "is the adapter plugged in?"
        case "dangling":
            remedy = "is the adapter plugged in?"
            path.symlink_to(tmp_path / "ttyUSB0")
        case "beyond":
            remedy = "Not a directory"
            (tmp_path / kind).write_text("")
            path /= "ttyUSB0"

    told = _losses(LineSettings(port=str(path)), 3)
    assert len(set(told)) == 1
    assert told[0].startswith(f"{path} cannot be opened: ")
    assert told[0].endswith(remedy)


def _losses(settings: LineSettings, count: int) -> list[str]:
    """What is told when so many attempts fail."""
    told: list[str] = []

    async def lost(why: str) -> None:
        told.append(why)
        if len(told) == count:
            raise asyncio.CancelledError

    async def main() -> None:
        await Port(settings).run(_never, lost)

    with pytest.raises(asyncio.CancelledError):
        virtual_time.run(main())
    return told


async def _never(_: Wire) -> None:
    pytest.fail("there is no line to talk on")


def test_a_regular_file_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("as it was")
    _losses(LineSettings(port=str(path)), 1)
    assert path.read_text() == "as it was"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open everything")
def test_a_line_of_another_group_is_told_with_the_remedy() -> None:
    with terminal() as device:
        Path(device.path).chmod(0)
        assert _losses(device.settings(), 1)[0].endswith("mostly dialout")


# -- reading --


def test_reading_gives_what_came_as_soon_as_it_is_there() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            reading = asyncio.create_task(line.read(PATIENCE))
            await asyncio.sleep(0)
            device.fill(b"\x00\x03\x11\x13\x7f\xff\r\n")  # nothing of it means anything to the terminal
            assert await reading == b"\x00\x03\x11\x13\x7f\xff\r\n"
            line.close()

    asyncio.run(main())


def test_reading_gives_nothing_when_the_time_passes() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            assert await line.read(5.0) == b""
            assert asyncio.get_running_loop().time() >= 5.0
            line.close()

    virtual_time.run(main())


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_reading_without_time_gives_what_is_there_already(seconds: float) -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            assert await line.read(seconds) == b""
            device.fill(b"there")
            assert device.is_unread()
            assert await line.read(seconds) == b"there"
            line.close()

    asyncio.run(main())


def test_a_line_with_nothing_to_say_has_not_hung_up() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            for _ in range(3):
                assert line.discard() == 0  # this asks the kernel, which has nothing
            await device.say(b"still there")
            assert await line.read(PATIENCE) == b"still there"
            line.close()

    asyncio.run(main())


def test_discarding_forgets_what_lies_here_and_what_lies_in_the_kernel() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            await device.say(b"here")
            device.fill(b"in the kernel")
            assert device.is_unread()
            assert line.discard() == len(b"here") + len(b"in the kernel")
            await device.say(b"after")
            assert await line.read(PATIENCE) == b"after"
            line.close()

    asyncio.run(main())


def test_discarding_comes_to_an_end_while_a_device_floods() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            await device.say(b"x" * MOST_UNREAD)
            device.fill(b"more")
            assert device.is_unread()
            assert line.discard() == MOST_UNREAD
            assert await line.read(PATIENCE) == b"more"
            line.close()

    asyncio.run(main())


def test_a_cancelled_reading_loses_no_byte() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            found = b""
            cancelled = 0
            for number in range(200):
                device.fill(bytes([number]))
                reading = asyncio.create_task(line.read(PATIENCE))
                for _ in range(number % 5):  # it is cancelled before, while and after the byte comes
                    await asyncio.sleep(0)
                reading.cancel()
                try:
                    found += await reading
                except asyncio.CancelledError:
                    cancelled += 1
            assert 0 < cancelled < 200
            found += await read_all(line, 200 - len(found))
            assert found == bytes(range(200))
            line.close()

    asyncio.run(main())


def test_two_tasks_cannot_read_one_line() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            first = asyncio.create_task(line.read(PATIENCE))
            await asyncio.sleep(0)
            with pytest.raises(RuntimeError, match="two tasks read"):
                await line.read(PATIENCE)
            await device.say(b"for the first")
            assert await first == b"for the first"
            line.close()

    asyncio.run(main())


# -- a device that floods --


@pytest.mark.parametrize(("size", "overruns"), [(MOST_UNREAD - 1, 0), (MOST_UNREAD, 1)])
def test_a_line_is_held_up_exactly_when_the_limit_lies_unread(size: int, overruns: int) -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            await device.say(b"x" * size)
            assert line.overruns == overruns
            assert len(await line.read(PATIENCE)) == size
            line.close()

    asyncio.run(main())


def test_a_flood_that_nobody_reads_stays_in_the_kernel_and_is_whole_when_it_is_read() -> None:
    said = b"".join(number.to_bytes(4, "big") for number in range(50_000))

    async def main() -> None:
        with terminal() as device:
            line = device.open()
            flood = asyncio.create_task(device.say(said))
            await eventually(lambda: line.overruns > 0)
            for _ in range(100):  # turns of the loop in which it would go on reading
                await asyncio.sleep(0)
            assert line.overruns == 1
            first = await line.read(PATIENCE)
            assert len(first) == MOST_UNREAD
            assert first + await read_all(line, len(said) - len(first)) == said
            await flood
            line.close()

    asyncio.run(main())


def test_a_flood_that_is_read_leaves_turns_for_others() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def main() -> None:
        with terminal() as device:
            line = device.open()
            tasks = [asyncio.create_task(other()), asyncio.create_task(device.say(bytes(1_000_000)))]
            left = 1_000_000
            readings = 0
            async with asyncio.timeout(PATIENCE):
                while left:
                    found = await line.read(PATIENCE)
                    assert 0 < len(found) <= MOST_UNREAD
                    left -= len(found)
                    readings += 1
            assert turns >= readings
            tasks[0].cancel()
            await tasks[1]
            line.close()

    asyncio.run(main())


# -- writing --


def test_a_write_larger_than_the_kernel_takes_arrives_whole() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            writing = asyncio.create_task(line.write(MORE_THAN_A_KERNEL_HOLDS))
            await asyncio.sleep(0)
            assert not writing.done()
            assert await device.hear(len(MORE_THAN_A_KERNEL_HOLDS)) == MORE_THAN_A_KERNEL_HOLDS
            await writing
            line.close()

    asyncio.run(main())


def test_a_line_that_takes_no_bytes_is_lost_after_two_seconds() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            with pytest.raises(LineLostError, match=r"it takes no bytes: \d+ of 131072 were sent in 2 s"):
                await line.write(MORE_THAN_A_KERNEL_HOLDS)
            assert asyncio.get_running_loop().time() >= port.WRITE_SECONDS
            with pytest.raises(LineLostError, match="it takes no bytes"):
                await line.read(PATIENCE)
            line.close()

    virtual_time.run(main())


def test_writing_nothing_to_a_line_is_not_an_error() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            await line.write(b"")
            line.close()

    asyncio.run(main())


def test_a_cancelled_write_leaves_the_line_usable() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            writing = asyncio.create_task(line.write(MORE_THAN_A_KERNEL_HOLDS))
            await asyncio.sleep(0)
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            again = asyncio.create_task(line.write(b"the end"))
            heard = b""
            async with asyncio.timeout(PATIENCE):
                while not heard.endswith(b"the end"):
                    heard += await device.hear(1)
            await again
            assert MORE_THAN_A_KERNEL_HOLDS.startswith(heard.removesuffix(b"the end"))
            line.close()

    asyncio.run(main())


def test_two_tasks_cannot_write_one_line() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            first = asyncio.create_task(line.write(MORE_THAN_A_KERNEL_HOLDS))
            await asyncio.sleep(0)
            with pytest.raises(RuntimeError, match="two tasks write"):
                await line.write(b"between")
            assert await device.hear(len(MORE_THAN_A_KERNEL_HOLDS)) == MORE_THAN_A_KERNEL_HOLDS
            await first
            line.close()

    asyncio.run(main())


# -- a line that is lost --


def test_a_line_that_hangs_up_wakes_its_reader() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            reading = asyncio.create_task(line.read(PATIENCE * 100))
            await asyncio.sleep(0)
            device.hang_up()
            async with asyncio.timeout(PATIENCE):
                with pytest.raises(LineLostError, match="it hung up"):
                    await reading
            line.close()

    asyncio.run(main())


def test_a_line_that_hangs_up_wakes_its_writer() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            writing = asyncio.create_task(line.write(MORE_THAN_A_KERNEL_HOLDS))
            await asyncio.sleep(0)
            device.hang_up()
            with pytest.raises(LineLostError, match=r"it hung up|does not answer"):
                await writing
            line.close()

    asyncio.run(main())


def test_what_came_before_a_line_hung_up_is_read_before_the_loss() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            await device.say(b"last words")
            device.hang_up()
            assert await line.read(PATIENCE) == b"last words"
            for _ in range(3):
                with pytest.raises(LineLostError, match="it hung up"):
                    await line.read(PATIENCE)
            line.close()

    asyncio.run(main())


def test_a_line_that_hung_up_while_it_was_held_up_is_lost_once_it_is_read() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            await device.say(b"x" * MOST_UNREAD)
            device.hang_up()
            assert len(await line.read(PATIENCE)) == MOST_UNREAD
            with pytest.raises(LineLostError, match="it hung up"):
                await line.read(PATIENCE)
            line.close()

    asyncio.run(main())


def test_writing_to_a_line_that_hung_up_is_an_input_output_error() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            device.hang_up()
            with pytest.raises(LineLostError, match=r"does not answer \(input/output error\)"):
                await line.write(b"anyone?")
            line.close()

    asyncio.run(main())


def test_reading_an_input_output_error_loses_the_line() -> None:
    async def main() -> None:
        before = set(open_files())
        line = Line(LineSettings(port="/dev/ptmx"))  # a master, which reads EIO when its other end was closed
        (entry,) = [each for each in set(open_files()) - before if each.endswith("ptmx")]
        reading = asyncio.create_task(line.read(PATIENCE * 100))
        await asyncio.sleep(0)
        os.close(slave_of(int(entry.split()[0])))
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(LineLostError, match=r"does not answer \(input/output error\)"):
                await reading
        line.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.ENODEV, "no such device: is the adapter plugged in?"),
        (errno.ENXIO, "no such device: is the adapter plugged in?"),
        (errno.ENOTTY, port.NO_SERIAL_LINE),
        (errno.EPROTO, "Protocol error"),
    ],
)
def test_every_error_of_the_kernel_loses_the_line_with_a_reason(
    number: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_fd: int, _size: int) -> bytes:
        raise OSError(number, os.strerror(number))

    async def main() -> None:
        with terminal() as device:
            line = device.open()
            device.fill(b"never read")
            with monkeypatch.context() as patch:
                patch.setattr(os, "read", failing)
                with pytest.raises(LineLostError) as lost:
                    await line.read(PATIENCE)
            assert str(lost.value) == why
            line.close()

    asyncio.run(main())


def test_an_adapter_that_fails_while_it_is_opened_is_a_loss_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise termios.error(errno.EIO, os.strerror(errno.EIO))  # which is no OSError

    async def main() -> None:
        with terminal() as device:
            before = open_files()
            monkeypatch.setattr(termios, "tcsetattr", failing)
            with pytest.raises(LineLostError, match="does not answer"):
                device.open()
            assert open_files() == before

    asyncio.run(main())


# -- closing --


@pytest.mark.parametrize("doing", ["read", "write"])
def test_closing_wakes_whoever_waits_for_the_line(doing: str) -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            work = line.read(PATIENCE * 100) if doing == "read" else line.write(MORE_THAN_A_KERNEL_HOLDS)
            waiting = asyncio.create_task(work)
            await asyncio.sleep(0)
            line.close()
            async with asyncio.timeout(PATIENCE):
                with pytest.raises(LineLostError, match="it is closed"):
                    await waiting

    asyncio.run(main())


def test_a_closed_line_neither_reads_nor_writes() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            await device.say(b"unread")
            line.close()
            assert line.discard() == 0
            with pytest.raises(LineLostError, match="it is closed"):
                await line.read(PATIENCE)
            with pytest.raises(LineLostError, match="it is closed"):
                await line.write(b"anyone?")

    asyncio.run(main())


def test_closing_twice_does_not_touch_the_line_opened_since() -> None:
    async def main() -> None:
        with terminal() as device:
            line = device.open()
            line.close()
            next_line = device.open()  # the kernel gives it the same number
            device.fill(b"for the next")
            line.close()
            assert await next_line.read(PATIENCE) == b"for the next"
            assert opened_by_somebody(device.path).returncode != 0
            next_line.close()

    asyncio.run(main())


def test_a_write_that_closing_ended_does_not_hold_up_the_line_opened_since() -> None:
    async def main() -> None:
        with terminal() as device, terminal() as other:
            line = device.open()
            ended = asyncio.create_task(line.write(MORE_THAN_A_KERNEL_HOLDS))
            await asyncio.sleep(0)
            line.close()
            next_line = other.open()  # the kernel gives it the same number
            hearing = asyncio.create_task(other.hear(len(MORE_THAN_A_KERNEL_HOLDS)))
            await next_line.write(MORE_THAN_A_KERNEL_HOLDS)  # waits before the ended one has its turn
            assert await hearing == MORE_THAN_A_KERNEL_HOLDS
            with pytest.raises(LineLostError, match="it is closed"):
                await ended
            next_line.close()

    asyncio.run(main())


@pytest.mark.parametrize("kind", ["opened", "hung up", "refused", "locked", "no line"])
def test_two_hundred_lines_leave_no_file_open(kind: str) -> None:
    def refused(device: Terminal) -> None:
        settings = {
            "refused": device.settings(rs485=True),
            "locked": device.settings(),
            "no line": LineSettings(port=os.devnull),
        }[kind]
        with pytest.raises(LineLostError):
            Line(settings)

    def opened(device: Terminal) -> None:
        line = device.open()
        if kind == "hung up":
            device.hang_up()
        line.close()

    async def main() -> None:
        before = open_files()
        for _ in range(200):
            with terminal() as device:
                if kind in ("opened", "hung up"):
                    opened(device)
                elif kind == "locked":
                    line = device.open()
                    refused(device)
                    line.close()
                else:
                    refused(device)
        gc.collect()
        assert open_files() == before

    asyncio.run(main())


# -- a line that is kept open --


def test_waits_double_up_to_the_last_and_stay_there() -> None:
    waits = [backoff(attempt, 0.0) for attempt in range(9)]
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]
    assert backoff(10**9, 0.0) == LAST_RETRY


@pytest.mark.parametrize("attempt", [0, 3, 6, 1000])
def test_chance_makes_a_wait_shorter_by_up_to_a_quarter_and_never_longer(attempt: int) -> None:
    longest = backoff(attempt, 0.0)
    assert FIRST_RETRY <= longest <= LAST_RETRY
    assert backoff(attempt, 1.0) == pytest.approx(longest * (1 - JITTER))
    assert backoff(attempt, 1.0) < backoff(attempt, 0.5) < longest


def _waits(settings: LineSettings, talk: Callable[[Wire], Any], count: int, chance: float = 0.0) -> list[float]:
    """The times between a loss and the attempt after it."""
    found: list[float] = []
    lost_at = 0.0

    async def talking(line: Wire) -> None:
        now = asyncio.get_running_loop().time()
        if lost_at:
            found.append(round(now - lost_at, 3))
        if len(found) == count:
            raise asyncio.CancelledError
        await talk(line)

    async def lost(_: str) -> None:
        nonlocal lost_at
        lost_at = asyncio.get_running_loop().time()

    async def main() -> None:
        await asyncio.sleep(1.0)
        await Port(settings, lambda: chance).run(talking, lost)

    with pytest.raises(asyncio.CancelledError):
        virtual_time.run(main())
    return found


def test_a_line_that_comes_and_goes_is_not_hurried_after() -> None:
    async def talk(_: Wire) -> None:
        await asyncio.sleep(port.STEADY - 0.1)
        raise LineLostError("gone")

    with terminal() as device:
        assert _waits(device.settings(), talk, 8) == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
        assert _waits(device.settings(), talk, 3, chance=1.0) == [0.075, 0.15, 0.3]


def test_a_line_that_lasted_is_soon_looked_for_again() -> None:
    lasting = iter([0.0, 0.0, 0.0, port.STEADY + 0.1, 0.0, 0.0])

    async def talk(_: Wire) -> None:
        await asyncio.sleep(next(lasting))
        raise LineLostError("gone")

    with terminal() as device:
        assert _waits(device.settings(), talk, 6) == [0.1, 0.2, 0.4, 0.1, 0.2, 0.4]


class Echo:
    """A device that says what it hears."""

    def received(self, data: bytes) -> bytes:
        return data


def test_a_lost_line_is_told_without_asking_and_opened_again_where_the_name_then_leads(tmp_path: Path) -> None:
    told: list[str] = []
    heard: list[bytes] = []

    async def talk(line: Wire) -> None:
        await line.write(b"hello")
        heard.append(await read_all(line, 5))
        await line.read(PATIENCE * 100)  # nobody asks anything; the loss comes by itself

    async def lost(why: str) -> None:
        told.append(why)

    async def main() -> None:
        device = TwinLine(tmp_path / "by-id", Echo())
        device.plug()
        first = (tmp_path / "by-id").readlink()
        holder, other = os.openpty()  # so that the next terminal has another number
        serving = Port(LineSettings(port=str(device.path)))
        running = asyncio.create_task(serving.run(talk, lost))
        await eventually(lambda: len(heard) == 1)
        spare = TwinLine(tmp_path / "spare", Echo())
        spare.plug()
        device.unplug()
        await eventually(lambda: len(told) == 1)
        (tmp_path / "by-id").symlink_to((tmp_path / "spare").readlink())
        assert (tmp_path / "by-id").readlink() != first
        await eventually(lambda: len(heard) == 2)
        assert serving.opened == 2
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        spare.unplug()
        os.close(holder)
        os.close(other)

    asyncio.run(main())
    assert heard == [b"hello"] * 2
    assert told[0] == f"{tmp_path / 'by-id'} is lost: it hung up: is the adapter plugged in?"


def test_the_line_is_free_for_others_by_the_time_its_loss_is_told() -> None:
    async def talk(_: Wire) -> None:
        raise LineLostError("gone")

    async def main() -> None:
        with terminal() as device:
            told = asyncio.Event()

            async def lost(_: str) -> None:
                device.open().close()
                told.set()

            running = asyncio.create_task(Port(device.settings()).run(talk, lost))
            async with asyncio.timeout(PATIENCE):
                await told.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

    asyncio.run(main())


def test_a_conversation_that_ends_by_itself_is_begun_anew_and_is_no_loss() -> None:
    begun = 0

    async def talk(_: Wire) -> None:
        nonlocal begun
        begun += 1
        if begun == 3:
            raise asyncio.CancelledError

    async def lost(why: str) -> None:
        pytest.fail(why)

    with terminal() as device, pytest.raises(asyncio.CancelledError):
        virtual_time.run(_run(Port(device.settings()), talk, lost))
    assert begun == 3


async def _run(serving: Port, talk: Callable[[Wire], Any], lost: Callable[[str], Any]) -> None:
    await serving.run(talk, lost)


def test_a_mistake_in_a_conversation_is_not_taken_for_a_loss() -> None:
    async def talk(_: Wire) -> None:
        raise ZeroDivisionError

    async def main() -> None:
        with terminal() as device:
            before = open_files()
            with pytest.raises(ZeroDivisionError):
                await Port(device.settings()).run(talk, nothing)
            assert open_files() == before

    asyncio.run(main())


def test_cancelling_closes_the_line() -> None:
    async def main() -> None:
        with terminal() as device:
            before = open_files()
            talking = asyncio.Event()

            async def talk(line: Wire) -> None:
                talking.set()
                await line.read(PATIENCE * 100)

            running = asyncio.create_task(Port(device.settings()).run(talk, nothing))
            async with asyncio.timeout(PATIENCE):
                await talking.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert open_files() == before
            assert opened_by_somebody(device.path).returncode == 0

    asyncio.run(main())
