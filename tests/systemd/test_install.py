"""The installer: what it puts in place, what it leaves alone, and what it takes away."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
INSTALL = ROOT / "systemd/install"
UNIT = "etc/systemd/system/jackpotd.service"
MANIFEST = "usr/local/share/jackpotd/installed.sha256"
INSTALLED = {
    UNIT,
    "etc/systemd/system/jackpotd-console.service",
    "etc/systemd/system/jackpotd-public.service",
    "etc/sysusers.d/jackpotd.conf",
    "etc/tmpfiles.d/jackpotd.conf",
    "etc/modules-load.d/jackpotd.conf",
    "etc/udev/rules.d/70-jackpotd.rules",
    MANIFEST,
}
# Runs a script as nobody, who may not be able to read Python's own modules: they are loaded before.
AS_NOBODY = """
import argparse, gettext, hashlib, locale, os, pathlib, shutil, subprocess, sys, typing
os.setgid(65534)
os.setuid(65534)
del sys.argv[0]
source = pathlib.Path(sys.argv[0]).read_text()
exec(source, {"__name__": "__main__", "__file__": sys.argv[0]})
"""
PATIENCE_S = 60  # for a loaded machine; nothing here takes a second


def install(*arguments: str, script: Path = INSTALL, **environment: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(script), *arguments]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def files(root: Path) -> dict[str, tuple[bytes, int]]:
    found = [path for path in root.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A copy of the installer with another controller unit: the version before."""
    folder = tmp_path / "older"
    shutil.copytree(INSTALL.parent, folder)
    with (folder / "jackpotd.service").open("a") as unit:
        unit.write("# of the version before\n")
    return folder / "install"


def test_everything_is_put_below_the_folder_given(tmp_path: Path) -> None:
    done = install("--destdir", str(tmp_path))
    assert done.returncode == 0
    assert set(files(tmp_path)) == INSTALLED
    assert (tmp_path / UNIT).read_bytes() == (ROOT / "systemd/jackpotd.service").read_bytes()
    assert {(tmp_path / name).stat().st_mode & 0o777 for name in INSTALLED} == {0o644}
    assert "run " not in done.stdout, "nothing is run for another system"


def test_the_folder_can_come_from_the_environment(tmp_path: Path) -> None:
    assert install(DESTDIR=str(tmp_path)).returncode == 0
    assert set(files(tmp_path)) == INSTALLED


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    install("--destdir", str(tmp_path))
    before = files(tmp_path)
    again = install("--destdir", str(tmp_path))
    assert again.returncode == 0
    assert "write" not in again.stdout
    assert files(tmp_path) == before


def test_a_dry_run_shows_all_and_changes_nothing(tmp_path: Path) -> None:
    told = install("--dry-run", "--destdir", str(tmp_path))
    assert told.returncode == 0
    assert all(str(tmp_path / name) in told.stdout for name in INSTALLED)
    assert list(tmp_path.iterdir()) == []
    install("--destdir", str(tmp_path))
    before = files(tmp_path)
    assert install("--dry-run", "--uninstall", "--destdir", str(tmp_path)).returncode == 0
    assert files(tmp_path) == before


def test_a_dry_run_on_the_system_itself_shows_what_would_be_run() -> None:
    told = install("--dry-run", PATH=os.environ["PATH"])
    assert told.returncode == 0
    for command in ("systemd-sysusers", "systemd-tmpfiles --create", "systemctl daemon-reload", "udevadm control"):
        assert command in told.stdout


def test_a_file_nobody_changed_is_updated(tmp_path: Path, older: Path) -> None:
    root = tmp_path / "root"
    install("--destdir", str(root), script=older)
    done = install("--destdir", str(root))
    assert f"update      {root / UNIT}" in done.stdout
    assert (root / UNIT).read_bytes() == (ROOT / "systemd/jackpotd.service").read_bytes()
    assert set(files(root)) == INSTALLED


def test_a_changed_file_is_kept_and_the_new_one_written_beside_it(tmp_path: Path, older: Path) -> None:
    root = tmp_path / "root"
    install("--destdir", str(root), script=older)
    (root / UNIT).write_text("[Service]\nNice=5\n")
    for _ in range(2):
        done = install("--destdir", str(root))
        assert done.returncode == 0
        assert "kept" in done.stdout
        assert (root / UNIT).read_text() == "[Service]\nNice=5\n"
        assert (root / f"{UNIT}.new").read_bytes() == (ROOT / "systemd/jackpotd.service").read_bytes()
    shutil.move(root / f"{UNIT}.new", root / UNIT)  # the technician takes the new one after all
    install("--destdir", str(root))
    assert set(files(root)) == INSTALLED


@pytest.mark.parametrize("leads_to", ["/dev/null", "/nowhere"])
def test_a_link_in_the_place_of_a_file_is_somebodys_wish(tmp_path: Path, leads_to: str) -> None:
    (tmp_path / UNIT).parent.mkdir(parents=True)
    (tmp_path / UNIT).symlink_to(leads_to)
    assert install("--destdir", str(tmp_path)).returncode == 0
    assert (tmp_path / UNIT).is_symlink()
    assert (tmp_path / f"{UNIT}.new").is_file()


def test_the_list_of_what_was_installed_is_one_sha256sum_can_check(tmp_path: Path) -> None:
    install("--destdir", str(tmp_path))
    lines = [line.split("  ") for line in (tmp_path / MANIFEST).read_text().splitlines()]
    assert {name.lstrip("/") for _, name in lines} == INSTALLED - {MANIFEST}
    for digest, name in lines:
        assert hashlib.sha256((tmp_path / name.lstrip("/")).read_bytes()).hexdigest() == digest


def test_uninstalling_leaves_journal_configuration_and_keys_alone(tmp_path: Path) -> None:
    install("--destdir", str(tmp_path))
    state = ["var/lib/jackpotd/journal.db", "etc/jackpotd/table.toml", "etc/credstore/jackpotd.vault-key"]
    for name in state:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("precious")
    assert install("--uninstall", "--destdir", str(tmp_path)).returncode == 0
    assert set(files(tmp_path)) == set(state)
    assert install("--uninstall", "--destdir", str(tmp_path)).returncode == 0
    assert set(files(tmp_path)) == set(state)


def test_uninstalling_keeps_what_was_changed(tmp_path: Path) -> None:
    install("--destdir", str(tmp_path))
    (tmp_path / UNIT).write_text("[Service]\nNice=5\n")
    install("--destdir", str(tmp_path))
    done = install("--uninstall", "--destdir", str(tmp_path))
    assert f"kept        {tmp_path / UNIT}" in done.stdout
    assert set(files(tmp_path)) == {UNIT}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_system_itself_is_roots_to_change() -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are root's alone
        Path(folder).chmod(0o755)
        script = shutil.copy(INSTALL, folder)
        words = [sys.executable, "-c", AS_NOBODY, script]
        refused = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/", timeout=PATIENCE_S)
    assert refused.returncode == 2
    assert "only root" in refused.stderr


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "etc").write_text("a file where a folder should be")
    refused = install("--destdir", str(tmp_path))
    assert refused.returncode == 1
    assert str(tmp_path / "etc") in refused.stderr


def test_the_guide_names_everything_that_is_installed() -> None:
    guide = (ROOT / "docs/installing.md").read_text()
    assert [name for name in INSTALLED if f"/{name}" not in guide] == []
