"""What a release is of: the version, the time, and a tree that is what was committed."""

import os
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "jackpotd"
EPOCH = "SOURCE_DATE_EPOCH"


class ReleaseError(Exception):
    """Why there is no release; the message names what is wrong and the remedy."""


def version(root: Path = ROOT) -> str:
    """The version in pyproject.toml, which is the only place that has it."""
    found: str = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    return found


def epoch(root: Path = ROOT) -> int:
    """The time that every file of the release bears: $SOURCE_DATE_EPOCH, or that of the commit it is built from."""
    told = os.environ.get(EPOCH, "")
    if not told:
        told = _git(root, "log", "-1", "--format=%ct") or ""
    if not told.isdecimal():
        raise ReleaseError(f"${EPOCH} is {told or 'not set'}, and this is no checkout: give seconds since 1970")
    return int(told)


def refuse_changes(root: Path = ROOT) -> None:
    """Refuse a checkout with changes that are not committed: nobody could build the same again."""
    changed = _git(root, "status", "--porcelain", "--untracked-files=all")
    if changed is None:
        return  # an unpacked sdist is what it is
    if changed:
        named = ", ".join(line[3:] for line in changed.splitlines()[:5])
        raise ReleaseError(f"not committed: {named}: commit it or put it away, or say --unclean for a trial")


def _git(root: Path, *words: str) -> str | None:
    """What git says, or nothing where there is no checkout."""
    if not (root / ".git").exists():
        return None
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)  # noqa: S603, S607 -- whichever git the developer has
    if done.returncode:
        raise ReleaseError(f"git {' '.join(words)} failed: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")
