"""The live state for someone on the box: a socket beside the journal that says everything once and hangs up.

It needs no broker and no password: who may read the journal's folder may ask.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

NAME = "status.socket"
MODE = 0o660  # the service's user and its group
MOST_BYTES = 4 * 1024 * 1024  # a table with every award pending says a tenth of that
ASK_SECONDS = 5.0


def place(environ: Mapping[str, str], journal: Path) -> Path:
    """Where the socket is: where systemd puts such things, otherwise beside the journal."""
    folder = environ.get("RUNTIME_DIRECTORY", "")
    return Path(folder) / NAME if folder else journal.with_name(f"{journal.name}.{NAME}")


@asynccontextmanager
async def served(path: Path, say: Callable[[], bytes]) -> AsyncIterator[None]:
    """Answer whoever connects."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            async with asyncio.timeout(ASK_SECONDS):
                writer.write(say())
                await writer.drain()
        writer.close()

    with _near(path) as near:
        _remove(path)  # of a start that was killed; the journal's lock says that nobody serves it
        server = await asyncio.start_unix_server(answer, near)
        os.chmod(path, MODE)  # noqa: PTH101 -- a moment's work
    try:
        yield
    finally:
        server.close()
        _remove(path)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


async def ask(path: Path) -> bytes:
    """What the controller says."""
    with _near(path) as near:
        async with asyncio.timeout(ASK_SECONDS):
            reader, writer = await asyncio.open_unix_connection(near)
            try:
                return await _whole(reader)
            finally:
                writer.close()


async def _whole(reader: asyncio.StreamReader) -> bytes:
    found = bytearray()
    while part := await reader.read(65536):
        found += part
        if len(found) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES} bytes: that is no controller")
    return bytes(found)


class _near:  # noqa: N801 -- used like a function
    """A short name for a path: the kernel takes 107 bytes, and folders can be deeper."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder = -1

    def __enter__(self) -> str:
        self._folder = os.open(self._path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        return f"/proc/self/fd/{self._folder}/{self._path.name}"

    def __exit__(self, *_: object) -> None:
        os.close(self._folder)
