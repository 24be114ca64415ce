"""The recorder, compiled; and its log, read. `recorder.c` says what is recorded."""

import shutil
import struct
import subprocess
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from msgspec import json

from tests.crash.child import Line

SOURCE = Path(__file__).with_name("recorder.c")
PACKAGES = "gcc libc6-dev"
_HEAD = struct.Struct("=IIQQQ")  # `struct head` of recorder.c


class Kind(IntEnum):
    """`enum kind` of recorder.c."""

    FIND = 1
    CREATE = 2
    WRITE = 3
    TRUNCATE = 4
    SYNC = 5
    RENAME = 6
    UNLINK = 7
    LINK = 8
    SAY = 9
    SEND = 10


class Operation(NamedTuple):
    """One record of the log."""

    kind: Kind
    file: int
    offset: int
    name: str
    data: bytes

    def line(self) -> Line | None:
        """What was said to whoever listens, where that is what it did."""
        return json.decode(self.data, type=Line) if self.kind is Kind.SAY else None

    def shape(self) -> tuple[object, ...]:
        """What it did, without the bytes: the same in every run of a seed."""
        return self.kind, self.offset, self.name, len(self.data)


def compiled(folder: Path) -> Path:
    """The recorder as a library that can be preloaded."""
    compiler, library = shutil.which("cc"), folder / "recorder.so"
    if compiler is None:
        raise RuntimeError(f"no C compiler: install the Debian packages {PACKAGES} (.ci/debian {PACKAGES})")
    command = [compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"recorder.c: install the Debian packages {PACKAGES}, or mend it: {done.stderr}")
    return library


def operations(log: bytes) -> Iterator[Operation]:
    """The records of a log."""
    at = 0
    while at < len(log):
        kind, name_bytes, file, offset, data_bytes = _HEAD.unpack_from(log, at)
        name = at + _HEAD.size
        data = name + name_bytes
        at = data + data_bytes
        yield Operation(Kind(kind), file, offset, log[name:data].decode(), log[data:at])


def told(done: list[Operation]) -> Iterator[str]:
    """Operations in words, with the names that files had when they were opened."""
    names: dict[int, str] = {}
    for number, (kind, file, offset, name, data) in enumerate(done):
        if kind in {Kind.CREATE, Kind.FIND}:
            names[file] = name or "the folder"
        what = f"{number} {kind.name.lower()}"
        match kind:
            case Kind.SAY:
                yield f"{what} {data.decode().strip()}"
            case Kind.SEND:
                yield f"{what} {name}, {len(data)} bytes"
            case Kind.RENAME:
                yield f"{what} {name} to {data.decode()}"
            case Kind.WRITE | Kind.TRUNCATE:
                yield f"{what} {names[file]} at {offset}, {len(data)} bytes"
            case _:
                yield f"{what} {name or names.get(file, '')}"
