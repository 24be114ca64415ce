"""Locks are read whole: every package, every hash, who wants it."""

import re
from pathlib import Path

import pytest

from release.lock import read, running
from release.project import ROOT, ReleaseError

DIGEST = "0" * 63
LOCK = f"""first==1.0 \\
    --hash=sha256:{DIGEST}1 \\
    --hash=sha256:{DIGEST}2
    # via jackpotd (pyproject.toml)
second==2.0 ; python_version < "3.12" \\
    --hash=sha256:{DIGEST}3
    # via -c requirements.lock, first, third
third==3 \\
    --hash=sha256:{DIGEST}4
    # via jackpotd (pyproject.toml::build-system.requires)
fourth==4 \\
    --hash=sha256:{DIGEST}5
    # via third

# The following packages are considered to be unsafe in a requirements file:
"""


def test_a_lock_tells_versions_hashes_and_who_wants_each(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    path.write_text(LOCK)
    found = read(path)
    assert {name: each.version for name, each in found.items()} == {
        "first": "1.0",
        "second": "2.0",
        "third": "3",
        "fourth": "4",
    }
    assert found["first"].digests == (f"{DIGEST}1", f"{DIGEST}2")
    assert found["second"].wanted_by == ("first", "third")
    assert [each.name for each in found.values() if each.building] == ["third"]
    assert running(found) == {"first", "second"}


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-link.lock", "requirements-dev.lock"])
def test_our_locks_are_read_to_the_last_line(name: str) -> None:
    text = (ROOT / name).read_text()
    found = read(ROOT / name)
    assert [f"{each.name}=={each.version}" for each in found.values()] == re.findall(r"^\S+==\S+", text, re.MULTILINE)
    assert sum(len(each.digests) for each in found.values()) == text.count("--hash=sha256:")
    assert [each.name for each in found.values() if not each.wanted_by] == []


def test_what_only_builds_does_not_run() -> None:
    found = read(ROOT / "requirements.lock")
    assert set(found) - running(found) >= {"hatchling", "editables", "pathspec"}
    assert running(found) >= {"cryptography", "cffi", "pycparser", "starlette"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no hash for anything"),
        ("first==1.0 \\\n", "no hash for first"),
        ("first>=1.0\n", "is no line of a lock"),
        ("-e .\n", "is no line of a lock"),
        (LOCK + "    --hash=md5:1\n", "is no line of a lock"),
    ],
)
def test_what_is_no_lock_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "a.lock"
    path.write_text(text)
    with pytest.raises(ReleaseError, match=why):
        read(path)
