"""Ports for servers that tests start: never one that somebody else may be given meanwhile.

A port that the kernel hands out for the asking is free only until it hands it out again, to another test or to any
connection that goes out. These lie below the range it hands out. Each process holds a block of them for as long as it
lives, by holding the first port of the block, so that runs side by side do not meet.
"""

import socket
from functools import cache
from itertools import cycle

LOOPBACK = "127.0.0.1"
FIRST, LAST = 20_000, 32_767  # the kernel hands out from 32,768 up
BLOCK = 500  # a port rests for a minute when its server has ended; the busiest process takes some 100 in that time


class NoPortError(RuntimeError):
    """Every block is held, or every port of the block is taken."""


def _bind(port: int) -> socket.socket | None:
    """A socket on a port that nobody listens on, and nobody did a moment ago."""
    tried = socket.socket()
    try:
        tried.bind((LOOPBACK, port))
    except OSError:
        tried.close()
        return None
    return tried


class Block:
    """Ports that are this process's own."""

    def __init__(self, first: int, guard: socket.socket, size: int = BLOCK) -> None:
        self._guard = guard  # holds the block
        self._size = size
        self._ports = cycle(range(first + 1, first + size))

    @classmethod
    def claim(cls) -> "Block":
        """The first block that nobody holds."""
        for first in range(FIRST, LAST - BLOCK + 2, BLOCK):
            if (guard := _bind(first)) is not None:
                return cls(first, guard)
        raise NoPortError(f"all blocks of ports from {FIRST} to {LAST} are held: end other runs of the tests")

    def port(self) -> int:
        """A port nobody listens on, and none that was given lately."""
        for _ in range(self._size - 1):
            port = next(self._ports)
            if (tried := _bind(port)) is not None:
                tried.close()
                return port
        raise NoPortError(f"all {self._size - 1} ports of the block are taken: end the servers that tests left behind")

    def close(self) -> None:
        """Leave the block to others."""
        self._guard.close()


@cache
def _own() -> Block:
    return Block.claim()


def free_port() -> int:
    """A port nobody listens on."""
    return _own().port()
