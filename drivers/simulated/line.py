"""A device twin's end of a serial line: a pseudo-terminal under a name that stays, and what can befall a wire."""

import asyncio
import os
import random
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from msgspec import Struct

# What a twin may have said that nobody has read: a pseudo-terminal holds 4 KiB, and a twin says some bytes at a time.
MOST_UNSENT = 64 * 1024


class Twin(Protocol):
    """A device as it is on the wire."""

    def received(self, data: bytes) -> bytes:
        """Bytes from the host came; those that go back at once."""


class Condition(Struct, frozen=True):
    """What a wire does to what goes over it."""

    one_by_one: bool = False  # every byte arrives by itself
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
        self._chance = chance or random.Random()  # noqa: S311 -- noise on a wire
        self._master = self._slave = -1
        self._unsent = bytearray()
        self._loop = asyncio.get_running_loop()
        self._writing = False
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
        tty.setraw(self._slave)  # held open, so that the host may come and go
        os.set_blocking(self._master, False)
        self._loop.add_reader(self._master, self._readable)
        new = self.path.with_name(f"{self.path.name}.new")
        new.unlink(missing_ok=True)
        new.symlink_to(os.ttyname(self._slave))
        new.replace(self.path)

    def unplug(self) -> None:
        """Pull it out: whoever has it open gets an error, and what was under way is gone."""
        if not self.plugged:
            return
        self.path.unlink(missing_ok=True)
        self._loop.remove_reader(self._master)
        self._loop.remove_writer(self._master)
        self._writing = False
        self._unsent.clear()
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def send(self, data: bytes) -> None:
        """Say something to the host. Said into an unplugged line it is gone, as on a wire."""
        if not self.plugged or not data:
            return
        self._unsent += self._worn(data)
        if len(self._unsent) > MOST_UNSENT:
            raise OverflowError(f"{len(self._unsent)} bytes that no host reads: at most {MOST_UNSENT}")
        self._flush()

    def _readable(self) -> None:
        try:
            data = os.read(self._master, 4096)
        except BlockingIOError:
            return
        except OSError:  # the host's end is being closed; ours is open, so it can come back
            return
        data = self._worn(data)
        if self._heard is not None:
            self._heard(data)
        for part in [data[index : index + 1] for index in range(len(data))] if self.condition.one_by_one else [data]:
            self.send(self.twin.received(part))

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
        if self._writing or not self._unsent:
            return
        with suppress(BlockingIOError):
            sent = os.write(self._master, self._unsent[:1] if self.condition.one_by_one else self._unsent)
            del self._unsent[:sent]
        if self._unsent:
            self._writing = True
            self._loop.add_writer(self._master, self._again)

    def _again(self) -> None:
        self._loop.remove_writer(self._master)
        self._writing = False
        self._flush()
