"""A serial line: the only module that touches one.

pyserial opens and configures it; asyncio reads and writes it, without threads. `Port.run` keeps a line open for a
conversation, and opens it again, for ever, when the adapter is gone.
"""

import asyncio
import errno
import fcntl
import os
import random
import stat
import termios
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, Protocol

import serial
from msgspec import Meta, Struct
from serial.rs485 import RS485Settings

# What may lie unread: seconds of a line at full speed. Beyond it the line is not read, and the kernel's buffer fills.
MOST_UNREAD = 64 * 1024
READ_AT_ONCE = 4096  # what a kernel's tty buffer holds
# A frame has at most some 260 bytes; what does not go out in this time at 9600 baud goes to nobody.
WRITE_SECONDS = 2.0
# A lost adapter mostly is back in a second, once the noise is over; one that is unplugged need not be looked for often.
FIRST_RETRY, LAST_RETRY = 0.1, 5.0
MOST_DOUBLINGS = 16  # long past the last retry, and short of what a number can hold after weeks of attempts
JITTER = 0.25  # of every wait, so that several lines of one hub do not come back at the same instant
STEADY = LAST_RETRY  # a line that lasted no longer comes and goes: it is not hurried after

NO_SERIAL_LINE = "it is no serial line: set port to a path under /dev/serial/by-id"

Baudrate = Annotated[int, Meta(ge=300, le=4_000_000)]  # no device is slower, and Linux knows no faster


class LineSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a line is set up: 8 data bits, and what the device's manual says."""

    port: str  # a path: /dev/serial/by-id/… stays the same whatever is plugged in first
    baudrate: Baudrate = 9600
    parity: Literal["none", "even", "odd"] = "none"
    stop_bits: Literal[1, 2] = 1
    rs485: bool = False  # the kernel's driver switches the transmitter; most USB adapters do so by themselves
    low_latency: bool = True  # where the adapter's driver knows it: 1 ms instead of 16 for every reading

    @property
    def character_seconds(self) -> float:
        """How long one byte takes on the wire."""
        return (10 + (self.parity != "none") + (self.stop_bits - 1)) / self.baudrate


class LineLostError(Exception):
    """The line is gone: the adapter was unplugged, reset itself, or cannot be opened."""


class Wire(Protocol):
    """An open line, as far as a conversation knows it."""

    overruns: int

    async def read(self, seconds: float) -> bytes:
        """What has come, as soon as there is any; nothing if the time passes first."""

    async def write(self, data: bytes) -> None:
        """Send all of it."""

    def discard(self) -> int:
        """Forget what has come unread; how much that was."""

    async def pause(self, seconds: float, *, idle: bool, woken: asyncio.Event | None = None) -> None:
        """Wait for the next poll, or until `woken`. An `idle` driver may wait for one that finds anything new."""

    def close(self) -> None:
        """Let go of the line."""


async def until_poll(seconds: float, woken: asyncio.Event | None) -> None:
    """Wait so long, or until woken."""
    if woken is None:
        await asyncio.sleep(seconds)
    elif seconds > 0:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await woken.wait()


class Line:
    """An open line. One task reads it and one writes it; they may be the same."""

    def __init__(self, settings: LineSettings) -> None:
        self._loop = asyncio.get_running_loop()
        self._fd = _opened(settings)
        self._unread = bytearray()
        self._arrival: asyncio.Future[None] | None = None  # what `read` waits for
        self._room: asyncio.Future[None] | None = None  # what `write` waits for
        self._lost = ""  # why, once it is
        self._closed = False
        self._reading = False
        self.overruns = 0  # times the reading was held up because nobody took what had come
        self._resume()

    async def read(self, seconds: float) -> bytes:
        """What has come, as soon as there is any; nothing if the time passes first."""
        if not self._unread and not self._lost:
            await self._arriving(seconds)
        if not self._unread and self._lost:
            raise LineLostError(self._lost)
        found = bytes(self._unread)
        self._unread.clear()
        self._resume()
        return found

    async def write(self, data: bytes) -> None:
        """Send all of it. A line that does not take it in two seconds is lost."""
        if self._room is not None:  # it would end up in the middle of what is being sent
            raise RuntimeError("two tasks write one line")
        sent = self._send(data)
        if sent == len(data):
            return
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                while sent < len(data):
                    await self._writable()
                    sent += self._send(data[sent:])
        except TimeoutError:
            why = f"it takes no bytes: {sent} of {len(data)} were sent in {WRITE_SECONDS:g} s"
            raise self._losing(why) from None

    def discard(self) -> int:
        """Forget what has come unread, here and in the kernel, up to a limit; how much that was."""
        found = 0
        while found < MOST_UNREAD and (self._unread or self._take()):  # a device that floods never comes to an end
            found += len(self._unread)
            self._unread.clear()
        self._resume()
        return found

    async def pause(self, seconds: float, *, idle: bool, woken: asyncio.Event | None = None) -> None:
        """Wait for the next poll: a wire does not tell beforehand whether it will find anything."""
        del idle
        await until_poll(seconds, woken)

    def close(self) -> None:
        """Let go of the line, so that another may have it. Whoever waits for it is told."""
        if self._closed:  # its number may be another file's by now
            return
        self._losing("it is closed")
        self._closed = True
        self._unread.clear()
        self._loop.remove_writer(self._fd)
        # What was not sent goes to nobody: closing would otherwise wait for a dead adapter to take it.
        with suppress(OSError, termios.error):
            termios.tcflush(self._fd, termios.TCIOFLUSH)
        with suppress(OSError):  # a pseudo-terminal would stay closed to others as long as its master is open
            fcntl.ioctl(self._fd, termios.TIOCNXCL)
        with suppress(OSError):
            os.close(self._fd)

    async def _arriving(self, seconds: float) -> None:
        """Wait for bytes. What the kernel has already is taken also when there is no time to wait."""
        if self._arrival is not None:
            raise RuntimeError("two tasks read one line")
        self._arrival = arrival = self._loop.create_future()
        timer = self._loop.call_later(seconds, _wake, arrival)
        try:
            await arrival
        finally:
            timer.cancel()
            self._arrival = None

    async def _writable(self) -> None:
        self._room = room = self._loop.create_future()
        self._loop.add_writer(self._fd, _wake, room)
        try:
            await room
        finally:
            self._room = None
            if not self._closed:
                self._loop.remove_writer(self._fd)

    def _send(self, data: bytes) -> int:
        if self._lost:
            raise LineLostError(self._lost)
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise self._losing(_why(error)) from error

    def _readable(self) -> None:
        if not self._take():
            return
        if len(self._unread) >= MOST_UNREAD:
            self.overruns += 1
            self._pause()
        _wake(self._arrival)

    def _take(self) -> bool:
        """Take what the kernel has. A line that hung up reads as empty; one with nothing to say does not read."""
        if self._lost:
            return False
        try:
            found = os.read(self._fd, min(READ_AT_ONCE, MOST_UNREAD - len(self._unread)))
        except BlockingIOError:
            return False
        except OSError as error:
            self._losing(_why(error))
            return False
        if not found:
            self._losing("it hung up: is the adapter plugged in?")
        self._unread += found
        return bool(found)

    def _losing(self, why: str) -> LineLostError:
        self._lost = self._lost or why
        self._pause()
        _wake(self._arrival)
        _wake(self._room)
        return LineLostError(self._lost)

    def _resume(self) -> None:
        if not self._reading and not self._lost:
            self._reading = True
            self._loop.add_reader(self._fd, self._readable)

    def _pause(self) -> None:
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._fd)


class Port:
    """A line that is kept open. `talk` holds a conversation on it; `lost` is told why there is none, each time."""

    def __init__(
        self,
        settings: LineSettings,
        chance: Callable[[], float] = random.random,
        open_line: Callable[[LineSettings], Wire] = Line,
    ) -> None:
        self.settings = settings
        self.opened = 0  # times
        self._chance = chance
        self._open_line = open_line

    async def run(self, talk: Callable[[Wire], Awaitable[None]], lost: Callable[[str], Awaitable[None]]) -> None:
        """Open, talk until the line is lost, tell, wait, and open again. The path is resolved anew each time."""
        time = asyncio.get_running_loop().time
        attempt = 0
        while True:
            began = time()
            why = await self._converse(talk)
            if time() - began > STEADY:
                attempt = 0
            if why:
                await lost(why)
            await asyncio.sleep(backoff(attempt, self._chance()))
            attempt += 1

    async def _converse(self, talk: Callable[[Wire], Awaitable[None]]) -> str:
        """Why there is no conversation any more; empty where it came to its own end. The line is closed by then."""
        try:
            line = self._open_line(self.settings)
        except LineLostError as error:
            return f"{self.settings.port} cannot be opened: {error}"
        self.opened += 1
        try:
            await talk(line)
        except LineLostError as error:
            return f"{self.settings.port} is lost: {error}"
        finally:
            line.close()
        return ""


OpenPort = Callable[[LineSettings], Port]  # how a driver comes to its line


def backoff(attempt: int, chance: float) -> float:
    """How long to wait after so many attempts that failed; a chance from 0 to 1 makes it shorter by up to a quarter."""
    longest = min(FIRST_RETRY * (1 << min(attempt, MOST_DOUBLINGS)), LAST_RETRY)
    return longest * (1 - JITTER * chance)


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)


def _opened(settings: LineSettings) -> int:
    """The line, open and ours alone."""
    try:
        if not stat.S_ISCHR(Path(settings.port).stat().st_mode):
            raise LineLostError(NO_SERIAL_LINE)
        with _configured(settings) as line:
            fcntl.ioctl(line.fileno(), termios.TIOCEXCL)  # seen by all, and last: it would outlive a refusal
            return os.dup(line.fileno())  # pyserial needs four pipes beside it, for waiting in threads
    except (OSError, ValueError, termios.error) as error:  # SerialException is an OSError
        raise LineLostError(_why(error)) from error


def _configured(settings: LineSettings) -> serial.Serial:
    line = serial.Serial(
        settings.port,
        baudrate=settings.baudrate,
        parity=settings.parity[0].upper(),
        stopbits=settings.stop_bits,
        # This sets VMIN to 1. With 0, reading a line that has nothing to say looks as if it had hung up.
        inter_byte_timeout=0,
        exclusive=True,  # an advisory lock, which only programs see that ask for it
    )
    try:
        if settings.rs485:
            _switch_transmitter(line)
        if settings.low_latency:
            with suppress(OSError, ValueError):  # not every driver knows it
                line.set_low_latency_mode(True)
        _pass_over_breaks(line.fileno())
    except BaseException:
        line.close()
        raise
    return line


def _switch_transmitter(line: serial.Serial) -> None:
    try:
        line.rs485_mode = RS485Settings()
    except ValueError as error:
        why = "its driver knows no RS-485 mode: set rs485 = false where the adapter switches by itself"
        raise LineLostError(why) from error


def _pass_over_breaks(fd: int) -> None:
    """A break is what a shorted wire looks like. `stty sane` makes it throw away all that came before, for good."""
    attributes = termios.tcgetattr(fd)
    attributes[0] &= ~termios.BRKINT
    termios.tcsetattr(fd, termios.TCSANOW, attributes)


def _why(error: BaseException) -> str:
    number = _number(error)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return "no such device: is the adapter plugged in?"
    if number in (errno.EAGAIN, errno.EBUSY):
        return "another program has it open"
    if number in (errno.EACCES, errno.EPERM):
        return "not allowed: this user must be in the group that owns it, mostly dialout"
    if number == errno.EIO:
        return "the adapter does not answer (input/output error)"
    if number == errno.ENOTTY:
        return NO_SERIAL_LINE
    return os.strerror(number) if number else str(error)


def _number(error: BaseException) -> int | None:
    """The kernel's number for it. termios has an error of its own, and pyserial hides either behind a sentence."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    if isinstance(error, termios.error) and isinstance(error.args[0], int):
        return error.args[0]
    return _number(error.__context__) if error.__context__ is not None else None
