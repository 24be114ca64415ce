"""A device's end of a line in the hands of a test, and what tests wait for."""

import asyncio
import fcntl
import os
import select
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from drivers.port import Line, LineSettings, Wire

TIOCSPTLCK, TIOCGPTN = 0x40045431, 0x80045430  # Linux's, which termios does not name
PATIENCE = 30.0  # seconds until a test gives up: far beyond what a noisy machine needs


class Terminal:
    """A pseudo-terminal: a test speaks at one end, the port opens the other by its path."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self.slave)
        self._unread = select.poll()
        self._unread.register(self.slave, select.POLLIN)

    def settings(self, **parts: object) -> LineSettings:
        return LineSettings(port=self.path, **parts)  # type: ignore[arg-type]  # any of them

    def open(self) -> Line:
        return Line(self.settings())

    def is_unread(self) -> bool:
        """Whether the kernel holds bytes that nobody took. Asking also brings them there."""
        return bool(self._unread.poll(0))

    async def say(self, data: bytes) -> None:
        """Say all of it, as fast as the other end takes it, and wait until it has taken it."""
        left = memoryview(data)
        async with asyncio.timeout(PATIENCE):
            while left:
                left = left[self.fill(bytes(left[:4096])) :]
                await asyncio.sleep(0)
            await eventually(lambda: not self.is_unread())

    def fill(self, data: bytes) -> int:
        """Say what the kernel takes of it now; how much that was."""
        with suppress(BlockingIOError):
            return os.write(self.master, data)
        return 0

    async def hear(self, size: int) -> bytes:
        """The next bytes from the other end, so many of them."""
        heard = bytearray()
        async with asyncio.timeout(PATIENCE):
            while len(heard) < size:
                with suppress(BlockingIOError):
                    heard += os.read(self.master, size - len(heard))
                await asyncio.sleep(0)
        return bytes(heard)

    def hang_up(self) -> None:
        for end in (self.master, self.slave):
            with suppress(OSError):
                os.close(end)
        self.master = self.slave = -1


@contextmanager
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    try:
        yield made
    finally:
        made.hang_up()


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)


async def read_all(line: Wire, size: int) -> bytes:
    """So many bytes of a line, however they come."""
    found = bytearray()
    async with asyncio.timeout(PATIENCE):
        while len(found) < size:
            found += await line.read(PATIENCE)
    return bytes(found)


def open_files() -> list[str]:
    """What this process has open, without what was opened for looking."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.append(f"{entry.name} {entry.readlink()}")
    return sorted(each for each in found if "/proc/" not in each)


def slave_of(master: int) -> int:
    """The other end of a master that was opened by its name."""
    fcntl.ioctl(master, TIOCSPTLCK, b"\0\0\0\0")
    number = int.from_bytes(fcntl.ioctl(master, TIOCGPTN, b"\0\0\0\0"), "little")
    return os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY)
