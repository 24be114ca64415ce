"""A device twin's end of a serial line: a pseudo-terminal under a name that stays, and what can befall a wire."""

import asyncio
import os
import random
import select
import tty
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol

from msgspec import Struct

# What a twin may have said that nobody has read: a pseudo-terminal holds 4 KiB, and a twin says some bytes at a time.
MOST_UNSENT = 64 * 1024
# How often to look whether a host took a byte: every turn of the loop at first, then as often as one comes at 9600.
QUICK_LOOKS, LOOK_SECONDS = 50, 0.001


class Twin(Protocol):
    """A device as it is on the wire."""

    def received(self, data: bytes) -> bytes:
        """Bytes from the host came; those that go back at once."""


class Condition(Struct, frozen=True):
    """What a wire does to what goes over it."""

    one_by_one: bool = False  # every byte arrives by itself: the next is sent when the host has read it
    corrupted: float = 0.0  # of all bytes, in both directions
    dropped: float = 0.0


CLEAN = Condition()
BYTE_BY_BYTE = Condition(one_by_one=True)
NOISY = Condition(corrupted=0.025, dropped=0.025)


class TwinLine:
    """A twin on a pseudo-terminal. `path` is a link that leads to it while it is plugged in, and nowhere otherwise."""

    def __init__(
        self,
        path: Path,
        twin: Twin,
        condition: Condition = CLEAN,
        chance: random.Random | None = None,
        heard: Callable[[bytes], None] | None = None,
    ) -> None:
        self.path = path
        self.twin = twin
        self.condition = condition
        self._chance = chance or random.Random()
        self._master = self._slave = -1
        self._unsent = bytearray()
        self._loop = asyncio.get_running_loop()
        self._host = select.poll()  # whether the host has left something unread; asking also brings it there
        self._sending = False
        self._timer: asyncio.Handle | None = None
        self._looked = 0  # times since the last byte went out by itself
        self._heard = heard  # told of what comes from the host, for a look at the wire

    @property
    def plugged(self) -> bool:
        """Whether the adapter is there."""
        return self._master >= 0

    def plug(self) -> None:
        """Plug the adapter in: the name leads to a new terminal."""
        if self.plugged:
            return
        self._master, self._slave = os.openpty()
        try:
            tty.setraw(self._slave)  # held open, so that the host may come and go
            os.set_blocking(self._master, False)
            self._lead_to(os.ttyname(self._slave))
        except BaseException:
            self._pull_out()
            raise
        self._host.register(self._slave, select.POLLIN)
        self._loop.add_reader(self._master, self._readable)

    def unplug(self) -> None:
        """Pull it out: whoever has it open gets an error, and what was under way is gone."""
        if not self.plugged:
            return
        self.path.unlink(missing_ok=True)
        self._loop.remove_reader(self._master)
        self._rest()
        self._unsent.clear()
        self._host.unregister(self._slave)
        self._pull_out()

    def send(self, data: bytes) -> None:
        """Say something to the host. Said into an unplugged line it is gone, as on a wire."""
        if not self.plugged or not data:
            return
        said = self._worn(data)
        if len(self._unsent) + len(said) > MOST_UNSENT:
            raise OverflowError(f"{len(self._unsent)} bytes that no host reads, and {len(said)}: at most {MOST_UNSENT}")
        self._unsent += said
        if not self._sending:
            self._flush()

    def _lead_to(self, terminal: str) -> None:
        new = self.path.with_name(f"{self.path.name}.new")
        new.unlink(missing_ok=True)
        new.symlink_to(terminal)
        new.replace(self.path)

    def _pull_out(self) -> None:
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def _readable(self) -> None:
        try:
            data = self._worn(os.read(self._master, 4096))
        except OSError:  # nothing there after all, or the host's end is being closed; ours is open, so it can come back
            return
        if self._heard is not None and data:
            self._heard(data)
        size = 1 if self.condition.one_by_one else max(1, len(data))
        for begin in range(0, len(data), size):
            self.send(self.twin.received(data[begin : begin + size]))

    def _worn(self, data: bytes) -> bytes:
        """What the wire leaves of it."""
        wire = self.condition
        if not wire.corrupted and not wire.dropped:
            return data
        kept = bytearray()
        for byte in data:
            fate = self._chance.random()
            if fate < wire.dropped:
                continue
            corrupted = fate < wire.dropped + wire.corrupted
            kept.append(byte ^ self._chance.randrange(1, 256) if corrupted else byte)
        return bytes(kept)

    def _flush(self) -> None:
        """Send what can be sent now, and see to the rest later."""
        self._rest()
        if not self._unsent:
            return
        if self.condition.one_by_one:
            self._drip()
            return
        with suppress(BlockingIOError):
            del self._unsent[: os.write(self._master, self._unsent)]
        if self._unsent:
            self._sending = True
            self._loop.add_writer(self._master, self._flush)

    def _drip(self) -> None:
        """Send one byte, once the host has taken the one before."""
        if not self._host.poll(0):
            with suppress(BlockingIOError):
                del self._unsent[: os.write(self._master, self._unsent[:1])]
            self._looked = 0
        self._sending = True
        self._looked += 1
        # A host in this loop reads at its next turns; another program, or one that does not read, is not worth a hurry.
        again = self._loop.call_soon if self._looked < QUICK_LOOKS else partial(self._loop.call_later, LOOK_SECONDS)
        self._timer = again(self._flush)

    def _rest(self) -> None:
        if not self._sending:
            return
        self._sending = False
        self._loop.remove_writer(self._master)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
