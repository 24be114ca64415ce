"""A release: the same bytes whoever builds it, with sums that a stranger can check with tools of their own."""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from release import building
from release.project import ReleaseError, epoch, refuse_changes, version
from tests.ports import free_port
from tests.release.places import PATIENCE_S, WHEN, tree


def run(*words: str | Path, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    told = [str(word) for word in words]
    given = {**os.environ, **environ}
    return subprocess.run(told, cwd=cwd, env=given, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


@pytest.mark.verify
def test_a_release_has_its_parts_and_their_sums(release: Path) -> None:
    names = {path.name for path in release.iterdir()}
    v = version()
    assert names == {
        f"jackpotd-{v}-py3-none-any.whl",
        f"jackpotd-{v}.tar.gz",
        f"jackpotd-{v}.cdx.json",
        f"jackpotd-{v}.files.sha256",
        "requirements.lock",
        "requirements-link.lock",
        "SHA256SUMS",
    }
    checked = run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=release)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.count(": OK") == len(names) - 1


@pytest.mark.verify
def test_a_file_changed_by_one_bit_no_longer_adds_up(release: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(release, tmp_path / "copied")
    (wheel,) = copied.glob("*.whl")
    content = bytearray(wheel.read_bytes())
    content[1000] ^= 1
    wheel.write_bytes(content)
    checked = run("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=copied)
    assert checked.returncode == 1
    assert f"{wheel.name}: FAILED" in checked.stdout


@pytest.mark.verify
def test_built_again_it_is_the_same_to_the_byte(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In another folder, by someone with another umask, with files of other times."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(WHEN))
    again = tree(tmp_path / "elsewhere/tree")
    for path in again.rglob("*"):
        if path.is_file():
            path.chmod(0o600 | path.stat().st_mode & 0o100)
            os.utime(path, (1, 1))
    before = os.umask(0o077)
    try:
        building.build(tmp_path / "dist", again)
    finally:
        os.umask(before)
    for path in release.iterdir():
        assert (tmp_path / "dist" / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.verify
def test_another_time_makes_another_release(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the test above could fail."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(WHEN + 86_400))
    building.build(tmp_path / "dist", tree(tmp_path / "tree"))
    (wheel,) = release.glob("*.whl")
    assert (tmp_path / "dist" / wheel.name).read_bytes() != wheel.read_bytes()


@pytest.mark.verify
def test_the_sdist_holds_what_the_guide_needs_and_makes_the_very_same_wheel(release: Path, tmp_path: Path) -> None:
    (sdist,) = release.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / f"jackpotd-{version()}"
    for name in (
        "requirements.lock",
        "requirements-link.lock",
        "systemd/install",
        "config/mosquitto/acl",
        "docs/installing.md",
    ):
        assert (unpacked / name).is_file(), name
    assert os.access(unpacked / "systemd/install", os.X_OK)
    assert not (unpacked / "tests").exists()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "again")]
    made = run(*command, cwd=unpacked, SOURCE_DATE_EPOCH=str(WHEN))
    assert made.returncode == 0, made.stderr
    (wheel,) = release.glob("*.whl")
    assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.parametrize("kind", ["whl", "tar.gz"])
@pytest.mark.verify
def test_it_goes_into_an_empty_environment_and_runs_the_demonstration(release: Path, tmp_path: Path, kind: str) -> None:
    """With the packages that the lock names, by their hashes, and no other."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env/bin/python"
    (package,) = release.glob(f"*.{kind}")
    install = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check")
    locked = run(*install, "--require-hashes", "-r", release / "requirements.lock", cwd=tmp_path)
    assert locked.returncode == 0, locked.stderr
    installed = run(*install, "--no-deps", package, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    with TemporaryDirectory(prefix="jd-") as short:  # sockets have short names
        words = ("demo", "--rounds", "3", "--speed", "0", "--port", str(free_port()), "--state", short)
        played = run(tmp_path / "env/bin/jackpotd", *words, cwd=tmp_path)
    assert played.returncode == 0, played.stdout + played.stderr
    assert "3 rounds" in played.stdout
    assert run(tmp_path / "env/bin/jackpotd", "--version", cwd=tmp_path).stdout == f"jackpotd {version()}\n"


@pytest.mark.verify
def test_the_list_of_files_is_that_of_the_wheel(release: Path) -> None:
    (wheel,) = release.glob("*.whl")
    (listed,) = release.glob("*.files.sha256")
    names = [line.partition("  ")[2] for line in listed.read_text().splitlines()]
    assert names == sorted(name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("RECORD"))
    assert len(names) > 150


def test_a_folder_that_holds_something_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(WHEN))
    (tmp_path / "old.whl").touch()
    with pytest.raises(ReleaseError, match="is not empty"):
        building.build(tmp_path)


# -- what it is of --


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        (tmp_path / "kept").write_text("kept")
        names = {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        assert run("git", *words, cwd=tmp_path, GIT_COMMITTER_DATE="@1790000000 +0000", **names).returncode == 0
    return tmp_path


def test_a_release_bears_the_time_of_its_commit_unless_told(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert epoch(checkout) == WHEN
    with pytest.raises(ReleaseError, match="not set, and this is no checkout"):
        epoch(tmp_path_factory.mktemp("bare"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert epoch(checkout) == 86_400
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(ReleaseError, match="is yesterday"):
        epoch(checkout)


def test_changes_that_are_not_committed_are_refused(checkout: Path) -> None:
    refuse_changes(checkout)
    (checkout / "new").touch()
    with pytest.raises(ReleaseError, match="not committed: new"):
        refuse_changes(checkout)
    (checkout / "new").unlink()
    (checkout / "kept").write_text("changed")
    with pytest.raises(ReleaseError, match="not committed: kept"):
        refuse_changes(checkout)
