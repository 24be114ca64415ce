"""Copies of the working tree, in which bugs are planted one after another."""

import compileall
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.mutants.planted import Bug

ROOT = Path(__file__).parent.parent.parent
COPIED = ("controller", "drivers", "config", "docs", "tests", "systemd", "pyproject.toml", "README.md")
LATER_NS = 10 * 10**9  # than the file was: byte code is told from its source's time, in seconds


class Tree:
    """A copy of what the tests and the simulator need, as it is in the working tree, committed or not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, folder / name)
        compileall.compile_dir(folder, quiet=2)  # none is written later: what is planted must not stay in any

    @contextmanager
    def planted(self, bug: Bug | None) -> Iterator[None]:
        """With a bug in it, for a while; or as it is."""
        before = {
            path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (bug.files(self.folder) if bug else {})
        }
        try:
            for path, text in (bug.files(self.folder) if bug else {}).items():
                path.write_text(text, encoding="utf-8")
                os.utime(path, ns=(before[path][1] + LATER_NS,) * 2)
            yield
        finally:
            for path, (content, modified_ns) in before.items():
                path.write_bytes(content)
                os.utime(path, ns=(modified_ns,) * 2)

    def run(self, *words: str, seconds: float) -> subprocess.CompletedProcess[str]:
        """Run a module of the tree, and of no other."""
        environ = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        for name in [name for name in environ if name.startswith(("PYTEST_", "JACKPOTD_"))]:
            del environ[name]
        return subprocess.run(
            [sys.executable, "-m", *words],
            cwd=self.folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=seconds,
        )
