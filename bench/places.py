"""Where the writing is measured: the disk here, and memory with a sync of fixed latency. And what machine this is."""

import os
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 -- the file system in memory itself, not a name in it
_LIBRARY = Path(__file__).parent / "slow_sync.c"
_TRACED = re.compile(r"\b(?:fsync|fdatasync)\(")


@contextmanager
def folder(where: Path) -> Iterator[Path]:
    """A folder of our own that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=where) as made:
        yield Path(made)


def file_system(path: Path) -> str:
    """The type of the file system a path is on."""
    best, found = "", "unknown"
    try:
        mounts = Path("/proc/mounts").read_text().splitlines()
    except OSError:
        return found
    for mount in mounts:
        _, at, kind = mount.split()[:3]
        inside = Path(at) in (path.resolve(), *path.resolve().parents)
        if inside and len(at) >= len(best):
            best, found = at, kind
    return found


def machine() -> str:
    """What the figures were measured on."""
    return (
        f"{os.cpu_count()} CPUs, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"{platform.system()} {platform.release()}, {file_system(Path.cwd())} here, "
        f"load {os.getloadavg()[0]:.1f} at the beginning"
    )


def compiled(into: Path) -> Path | str:
    """The library that gives a sync a fixed latency; or why there is none."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return "there is no C compiler"
    if file_system(MEMORY) != "tmpfs":
        return f"{MEMORY} is no file system in memory"
    made = into / "slow_sync.so"
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(made), str(_LIBRARY)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return made if done.returncode == 0 else f"{compiler} fails: {done.stderr.strip()[:200]}"


def python(*arguments: str, env: Mapping[str, str] | None = None) -> str:
    """What a process of our own prints."""
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def syncs(*arguments: str) -> int | str:
    """How often a process of our own asks the disk to sync; or why that cannot be known."""
    tracer = shutil.which("strace")
    if tracer is None:
        return "there is no strace"
    command = [tracer, "-f", "-qq", "-e", "trace=fsync,fdatasync", "-e", "signal=none", sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"strace fails: {done.stderr.strip().splitlines()[-1][:200]}"
    return len(_TRACED.findall(done.stderr))
