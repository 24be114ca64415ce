"""Processes of `jackpotd` that are forked from one that has imported it already.

A page's test needs a controller and a console, not their start: importing what they are made of is most of what they
cost. So one process for each process of tests imports it, and forks a child for every program that is wanted. What the
child runs from then on is the product, from its command line to its exit code. What tests starting itself starts a
Python of its own.

The test sends a request with two descriptors: the child's standard error, and a pipe on which the nursery writes its
pid and in the end its exit code. A child shares nothing else with the test.
"""

import asyncio
import gc
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Self

from msgspec import Struct, json

MOST_REQUEST_BYTES = 2**18  # words and an environment; Linux takes 128 KiB for one of its variables
_DESCRIPTORS = 2  # standard error, and where pid and exit code are written


class Request(Struct):
    """What is to be run."""

    words: list[str]
    env: dict[str, str]


class Child:
    """A forked program, as `asyncio.subprocess.Process` shows one."""

    def __init__(self, stderr: "Pipe", about: "Pipe", pid: int) -> None:
        self.stderr = stderr.reader
        self.pid = pid
        self.returncode: int | None = None
        self._ended = asyncio.create_task(self._end(stderr, about))

    async def _end(self, stderr: "Pipe", about: "Pipe") -> int:
        try:
            self.returncode = int(await about.reader.readline() or -signal.SIGKILL)
            await stderr.closed()
            return self.returncode
        finally:  # whoever does not wait for the end leaves no pipe open either
            stderr.close()
            about.close()

    def send_signal(self, which: signal.Signals) -> None:
        """Send a signal, if it still runs."""
        if self.returncode is None:
            os.kill(self.pid, which)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Wait for the end; its exit code."""
        return await asyncio.shield(self._ended)


class Nursery:
    """The process that forks, as the tests see it."""

    def __init__(self) -> None:
        self._line, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(other.fileno())], pass_fds=[other.fileno()]
            )

    async def fork(self, words: Sequence[str], env: Mapping[str, str]) -> Child:
        """Start a program."""
        stderr, its_stderr = os.pipe()
        about, its_about = os.pipe()
        try:
            request = json.encode(Request(list(words), dict(env)))
            socket.send_fds(self._line, [request], [its_stderr, its_about])
        finally:
            os.close(its_stderr)
            os.close(its_about)
        log, news = await Pipe.read(stderr), await Pipe.read(about)
        return Child(log, news, int(await news.reader.readline()))

    def close(self) -> None:
        """End it; programs that still run are killed by whoever started them."""
        self._line.close()
        self._process.wait()


@cache
def nursery() -> Nursery:
    """The one of this process of tests."""
    return Nursery()


def close() -> None:
    """End it, if it was wanted."""
    if nursery.cache_info().currsize:
        nursery().close()
        nursery.cache_clear()


class Pipe(asyncio.StreamReaderProtocol):
    """The reading end of a pipe, which can be closed before its writer is gone."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader(limit=2**22)
        super().__init__(self.reader)
        self._transport: asyncio.BaseTransport | None = None
        self._closed = asyncio.get_running_loop().create_future()

    @classmethod
    async def read(cls, descriptor: int) -> Self:
        """Read from a descriptor, which belongs to the pipe from now on."""
        _, pipe = await asyncio.get_running_loop().connect_read_pipe(cls, os.fdopen(descriptor, "rb", 0))
        return pipe

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is open."""
        self._transport = transport
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Its writers are gone, or it was closed."""
        super().connection_lost(exc)
        if not self._closed.done():
            self._closed.set_result(None)

    async def closed(self) -> None:
        """Wait until everything is read that was ever written."""
        await self._closed

    def close(self) -> None:
        """Read no more."""
        if self._transport is not None:
            self._transport.close()


# -- in the process that forks --


def serve(descriptor: int) -> int:
    """Fork until the tests have gone. Returns the exit code of this process, or of a child."""
    for name in ("controller.cli.run", "controller.cli.console"):
        import_module(name)  # here, and not by the tests
    gc.freeze()  # what is imported stays shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests
    with socket.socket(fileno=descriptor) as line, Births(line) as births:
        born = births.attend()
    return 0 if born is None else _run(*born)


class Births:
    """Requests that come in, and children that have ended."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._waking, self._woken = socket.socketpair()
        self._abouts: dict[int, int] = {}  # by pid: where its exit code is to be written
        for end in (self._waking, self._woken):
            end.setblocking(False)  # noqa: FBT003 -- the socket's own
        signal.set_wakeup_fd(self._woken.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def attend(self) -> tuple[Request, int] | None:
        """In a child: what it is to run, and where its log goes. In the nursery: nothing, once the tests have gone."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._line, selectors.EVENT_READ)
            selector.register(self._waking, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in selector.select()}
                if self._waking in ready:
                    self._waking.recv(4096)
                    self._reap()
                if self._line in ready:
                    payload, descriptors, _, _ = socket.recv_fds(self._line, MOST_REQUEST_BYTES, _DESCRIPTORS)
                    if not payload:
                        return None
                    stderr, about = descriptors
                    pid = os.fork()
                    if pid == 0:
                        os.close(about)
                        return json.decode(payload, type=Request), stderr
                    os.close(stderr)
                    os.write(about, b"%d\n" % pid)
                    self._abouts[pid] = about

    def _reap(self) -> None:
        """Tell of every child that has ended."""
        while self._abouts:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            about = self._abouts.pop(pid)
            with suppress(BrokenPipeError):
                os.write(about, b"%d\n" % os.waitstatus_to_exitcode(status))
            os.close(about)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)
        self._waking.close()
        self._woken.close()
        for about in self._abouts.values():
            os.close(about)


def _run(request: Request, stderr: int) -> int:
    """Be the program."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDWR)
    for target, source in ((0, nothing), (1, nothing), (2, stderr)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(stderr)
    os.environ.clear()
    os.environ.update(request.env)
    time.tzset()
    code: int = import_module("controller.cli.main").main(request.words)
    return code


if __name__ == "__main__":
    sys.exit(serve(int(sys.argv[1])))
