"""A serial line: the only module that touches one.

pyserial opens and configures it; asyncio reads and writes it, without threads. `Port.run` keeps a line open for a
conversation, and opens it again, for ever, when the adapter is gone.
"""

import asyncio
import errno
import fcntl
import os
import random
import termios
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

import serial
from msgspec import Struct
from serial.rs485 import RS485Settings

# What may lie unread: seconds of a line at full speed. Beyond it the line is not read, and the kernel's buffer fills.
MOST_UNREAD = 64 * 1024
READ_AT_ONCE = 4096  # what a kernel's tty buffer holds
# A frame has at most some 260 bytes; what does not go out in this time at 9600 baud goes to nobody.
WRITE_SECONDS = 2.0
# A lost adapter mostly is back in a second, once the noise is over; one that is unplugged need not be looked for often.
FIRST_RETRY, LAST_RETRY = 0.1, 5.0
JITTER = 0.25  # of every wait, so that several lines of one hub do not come back at the same instant


class LineSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a line is set up: 8 data bits, and what the device's manual says."""

    port: str  # a path: /dev/serial/by-id/… stays the same whatever is plugged in first
    baudrate: int = 9600
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


class Line:
    """An open line. One task reads and writes it."""

    def __init__(self, settings: LineSettings) -> None:
        self._serial = _opened(settings)
        self._fd: int = self._serial.fileno()
        self._loop = asyncio.get_running_loop()
        self._unread = bytearray()
        self._waiter: asyncio.Future[None] | None = None
        self._lost: LineLostError | None = None
        self._reading = False
        self.overruns = 0  # times the reading was held up because nobody took what had come
        self._resume()

    async def read(self, seconds: float) -> bytes:
        """What has come, as soon as there is any; nothing if the time passes first."""
        if not self._unread:
            if self._lost is not None:
                raise self._lost
            if seconds <= 0:
                return b""
            await self._wait(seconds)
            if not self._unread:
                if self._lost is not None:
                    raise self._lost
                return b""
        found = bytes(self._unread)
        self._unread.clear()
        if not self._reading and self._lost is None:
            self._resume()
        return found

    async def _wait(self, seconds: float) -> None:
        self._waiter = self._loop.create_future()
        timer = self._loop.call_later(seconds, self._wake)
        try:
            await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    async def write(self, data: bytes) -> None:
        """Send all of it. A line that takes nothing for two seconds is lost."""
        sent = self._send(data)
        if sent == len(data):
            return
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                while sent < len(data):
                    await self._writable()
                    sent += self._send(data[sent:])
        except TimeoutError:
            raise self._losing(f"it takes no bytes: {sent} of {len(data)} were sent in {WRITE_SECONDS:g} s") from None

    def discard(self) -> int:
        """Forget what has come unread; how much that was."""
        found = len(self._unread)
        self._unread.clear()
        if not self._reading and self._lost is None:
            self._resume()
        return found

    def close(self) -> None:
        """Let go of the line, so that another may have it."""
        self._lost = self._lost or LineLostError("it is closed")
        self._pause()
        self._loop.remove_writer(self._fd)
        # What was not sent goes to nobody: closing would otherwise wait for a dead adapter to take it.
        with suppress(OSError, termios.error):
            termios.tcflush(self._fd, termios.TCIOFLUSH)
        with suppress(OSError):  # a pseudo-terminal would stay closed to others as long as its master is open
            fcntl.ioctl(self._fd, termios.TIOCNXCL)
        with suppress(OSError):
            self._serial.close()

    def _send(self, data: bytes) -> int:
        if self._lost is not None:
            raise self._lost
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise self._losing(_why(error)) from error

    async def _writable(self) -> None:
        ready = asyncio.Event()
        self._loop.add_writer(self._fd, ready.set)
        try:
            await ready.wait()
        finally:
            self._loop.remove_writer(self._fd)

    def _readable(self) -> None:
        try:
            found = os.read(self._fd, READ_AT_ONCE)
        except BlockingIOError:
            return
        except OSError as error:
            self._losing(_why(error))
            return
        if not found:
            self._losing("it hung up")
            return
        self._unread += found
        if len(self._unread) >= MOST_UNREAD:
            self.overruns += 1
            self._pause()
        self._wake()

    def _losing(self, why: str) -> LineLostError:
        if self._lost is None:
            self._lost = LineLostError(why)
        self._pause()
        self._wake()
        return self._lost

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _resume(self) -> None:
        self._reading = True
        self._loop.add_reader(self._fd, self._readable)

    def _pause(self) -> None:
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._fd)


class Port:
    """A line that is kept open. `talk` holds a conversation on it; `lost` is told why there is none."""

    def __init__(self, settings: LineSettings) -> None:
        self.settings = settings
        self.opened = 0  # times

    async def run(self, talk: Callable[[Line], Awaitable[None]], lost: Callable[[str], Awaitable[None]]) -> None:
        """Open, talk until the line is lost, tell, wait, and open again. The path is resolved anew each time."""
        wait = FIRST_RETRY
        while True:
            try:
                line = Line(self.settings)
            except LineLostError as error:
                await lost(f"{self.settings.port} cannot be opened: {error}")
            else:
                self.opened += 1
                began = asyncio.get_running_loop().time()
                try:
                    await talk(line)
                except LineLostError as error:
                    await lost(f"{self.settings.port} is lost: {error}")
                finally:
                    line.close()
                if asyncio.get_running_loop().time() - began > LAST_RETRY:  # not one that comes and goes
                    wait = FIRST_RETRY
            await asyncio.sleep(wait * random.uniform(1 - JITTER, 1 + JITTER))  # noqa: S311 -- only spreads attempts
            wait = min(wait * 2, LAST_RETRY)


def _opened(settings: LineSettings) -> serial.Serial:
    """The line, open and ours alone."""
    try:
        line = serial.Serial(
            settings.port,
            baudrate=settings.baudrate,
            parity=settings.parity[0].upper(),
            stopbits=settings.stop_bits,
            timeout=0,
            write_timeout=0,
            exclusive=True,  # an advisory lock, which only programs see that ask for it
        )
    except (OSError, ValueError) as error:  # SerialException is an OSError
        raise LineLostError(_why(error)) from error
    try:
        fcntl.ioctl(line.fileno(), termios.TIOCEXCL)  # and this is seen by all
        if settings.rs485:
            line.rs485_mode = RS485Settings()
        if settings.low_latency:
            with suppress(OSError, ValueError, NotImplementedError):  # not every driver knows it
                line.set_low_latency_mode(True)
        line.reset_input_buffer()
    except (OSError, ValueError, termios.error) as error:
        line.close()
        what = "RS-485 mode is not known to its driver: set rs485 = false" if settings.rs485 else _why(error)
        raise LineLostError(what) from error
    return line


def _why(error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return "no such device: is the adapter plugged in?"
    if number in (errno.EAGAIN, errno.EBUSY) or "lock" in str(error):
        return "another program has it open"
    if number == errno.EACCES:
        return "not allowed: this user must be in the group that owns it, mostly dialout"
    if number == errno.EIO:
        return "the adapter does not answer (input/output error)"
    return os.strerror(number) if number else str(error)
