"""Known vulnerabilities of what is pinned: pip-audit asked, and its answer believed only where it is whole.

An audit that left a package out, or could not ask, says nothing and must not look as if it did.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from release.lock import read

CLEAN, FOUND, NOT_DONE = 0, 1, 2
PATIENCE_SECONDS = 600  # some fifty questions to a service on the Internet, with its own retries


def audit(lock: Path) -> tuple[int, list[str]]:
    """The verdict on one lock, and why."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(lock), "--require-hashes", "--disable-pip"]
    command += ["--progress-spinner", "off", "--format", "json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)  # noqa: S603 -- written above
    except subprocess.TimeoutExpired:
        return NOT_DONE, [f"{lock.name}: NOT AUDITED: no answer within {PATIENCE_SECONDS} s: try again"]
    return judged(lock, done.stdout, done.stderr)


def judged(lock: Path, said: str, complained: str) -> tuple[int, list[str]]:
    """What pip-audit's answer is worth: every package of the lock, in the version pinned, or it was no audit."""
    try:
        answered = {each["name"]: each for each in json.loads(said)["dependencies"]}
    except (ValueError, KeyError, TypeError):
        last = complained.strip().splitlines()[-1:] or ["it said nothing"]
        return NOT_DONE, [
            f"{lock.name}: NOT AUDITED: pip-audit gave no answer ({last[0]}): the vulnerability service must be reached"
        ]
    missing = [
        f"{lock.name}: NOT AUDITED: {pinned.name} {pinned.version}: {_why(answered.get(pinned.name), pinned.version)}"
        for pinned in read(lock).values()
        if answered.get(pinned.name, {}).get("version") != pinned.version or "vulns" not in answered[pinned.name]
    ]
    vulnerable = list(_vulnerable(lock, answered.values()))
    if missing:
        return NOT_DONE, [*vulnerable, *missing]
    if vulnerable:
        return FOUND, vulnerable
    return CLEAN, [f"{lock.name}: {len(answered)} packages, none with a known vulnerability"]


def _why(answer: dict[str, Any] | None, version: str) -> str:
    if answer is None:
        return "left out of the answer"
    return str(answer.get("skip_reason") or f"answered for {answer.get('version')} instead of {version}")


def _vulnerable(lock: Path, answers: Iterable[dict[str, Any]]) -> Iterable[str]:
    for each in answers:
        for one in each.get("vulns", ()):
            mended = ", ".join(one.get("fix_versions") or ()) or "no version"
            yield f"{lock.name}: {each['name']} {each['version']}: {one['id']}, mended in {mended}"
