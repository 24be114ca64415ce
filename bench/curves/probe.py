"""One thing done to one journal in a process of its own, so that its memory is its own: `python -m … WHAT PATH`.

It prints its figures as JSON. `peak` starts one and watches what it and its children hold.
"""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from msgspec import json

from controller.journal.audit.verifying import verify
from controller.journal.reading import open_readonly
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load

LOOK_SECONDS = 0.05
_KILOBYTE, _MEGABYTE = 1024, 1024 * 1024
_ROWS = "SELECT seq, at, round, type, version, payload, prev_hash, hash FROM facts ORDER BY seq"

Told = dict[str, float]


def peak(what: str, path: Path) -> Told:
    """What a probe found, how long it took inside, and the most it and its children held."""
    command = [sys.executable, "-m", "bench.curves.probe", what, str(path)]
    most: dict[int, float] = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        while process.poll() is None:
            for each in _family(process.pid):
                most[each] = max(most.get(each, 0.0), _held_mb(each))
            time.sleep(LOOK_SECONDS)
        said = process.stdout.read() if process.stdout else b""
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return {**json.decode(said, type=Told), "mb": sum(most.values())}


def _family(process: int) -> list[int]:
    """A process and its children."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [process, *(found for child in children for found in _family(int(child)))]


def _held_mb(process: int) -> float:
    """The most a process has held so far; 0 where it has gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    lines = (line.split() for line in status.splitlines())
    return next((int(words[1]) * _KILOBYTE / _MEGABYTE for words in lines if words[0] == "VmHWM:"), 0.0)


def _imported(_path: Path) -> Told:
    import controller.service.service  # noqa: F401, PLC0415 -- all that a controller has before its journal

    return {}


def _started(path: Path) -> Told:
    import controller.service.service  # noqa: F401, PLC0415 -- the same

    with SqliteJournal(path) as journal:
        return {"facts": load(journal).seq}


def _verified(path: Path) -> Told:
    with open_readonly(path) as journal:
        found = verify(journal)
    if found.bad:
        raise RuntimeError(f"the journal does not verify: {found}")
    return {"facts": found.facts}


def _fetched(path: Path) -> Told:
    """Every row read and hashed, and nothing else."""
    content = rounds = facts = 0
    with closing(sqlite3.connect(path)) as conn:
        conn.text_factory = bytes
        for seq, at, round_, kind, _, payload, previous, hash_ in conn.execute(_ROWS):
            sha256(previous + at + kind + payload).digest()
            content += len(at) + len(kind) + len(payload) + len(previous) + len(hash_) + len(str(seq))
            facts, rounds = seq, round_ or rounds
    return {"facts": facts, "content": content, "rounds": rounds}


PROBES: dict[str, Callable[[Path], Told]] = {
    "import": _imported,
    "start": _started,
    "verify": _verified,
    "fetch": _fetched,
}


if __name__ == "__main__":
    began = time.perf_counter()
    told = PROBES[sys.argv[1]](Path(sys.argv[2]))
    print(json.encode({**told, "seconds": time.perf_counter() - began}).decode())
