"""The Debian package: built, looked into, installed by dpkg below a folder, run from there, and taken away again.

dpkg runs the real scripts, told to work below the folder ($DPKG_ROOT). No systemd runs these tests: that a table is
playing shows here by the socket its controller leaves in /run, as it does on a box.
"""

import os
import re
import shutil
import socket
import subprocess
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import pytest

from release import debian
from release.project import ROOT, version
from tests.ports import free_port
from tests.release.places import PATIENCE_S, WHEN

pytestmark = [
    pytest.mark.verify,
    pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="this is no Debian"),
    pytest.mark.skipif(not debian.PYTHON.exists(), reason="Debian's own Python is not installed (Debian: python3)"),
    pytest.mark.skipif(os.geteuid() != 0, reason="dpkg gives files to root"),
]


def run(*words: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
    told = [str(word) for word in words]
    given = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environ}
    return subprocess.run(told, env=given, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def built(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every package of the lock is fetched, or comes from pip's own cache, and its hash is checked."""
    folder = shutil.copytree(release, tmp_path_factory.mktemp("deb") / "dist")
    with pytest.MonkeyPatch.context() as environ:
        environ.setenv("SOURCE_DATE_EPOCH", str(WHEN))
        debian.build(folder, compression="none")
    return folder


@pytest.fixture(scope="module")
def package(built: Path) -> Path:
    (found,) = built.glob("*.deb")
    return found


class Box:
    """A folder that dpkg takes for a whole system."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("var/lib/dpkg/updates", "var/lib/dpkg/info", "run/jackpotd", "etc"):
            (root / name).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()

    def dpkg(self, *words: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
        forced = ("--force-script-chrootless", "--force-depends")
        return run("dpkg", f"--root={self.root}", *forced, *words, **environ)

    def status(self) -> str:
        return self.dpkg("--status", "jackpotd").stdout

    def play(self) -> socket.socket:
        """What a controller leaves in /run while it runs."""
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(self.root / "run/jackpotd/status.socket"))
        return listening

    @property
    def python(self) -> Path:
        return self.root / "opt/jackpotd/bin/python"


@pytest.fixture(scope="module")
def box(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Box:
    found = Box(tmp_path_factory.mktemp("box"))
    done = found.dpkg("--install", package)
    assert done.returncode == 0, done.stderr
    return found


def test_it_says_what_it_is_and_what_it_needs(package: Path) -> None:
    told = run("dpkg-deb", "--field", package).stdout
    assert f"Version: {version()}\n" in told
    assert re.search(r"Depends: python3 \(>= 3\.\d+\), python3 \(<< 3\.\d+\), systemd, udev\n", told)
    assert "@" not in told.replace("root@localhost", "")


def test_everything_in_it_is_roots_and_of_one_time(package: Path) -> None:
    lines = run("dpkg-deb", "--contents", package, TZ="UTC").stdout.splitlines()
    assert len(lines) > 1000
    assert {line.split()[1] for line in lines} == {"root/root"}
    assert {(line.split()[3], line.split()[4]) for line in lines} == {("2026-09-21", "14:13")}
    modes = {line.split()[0] for line in lines}
    assert modes == {"drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"}


def test_nothing_in_it_tells_where_it_was_built(built: Path, box: Box) -> None:
    here = str(built).encode()
    files = [path for path in box.root.rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(files) > 1000
    assert [str(path) for path in files if here in path.read_bytes()] == []
    scripts = [path for path in (box.root / "opt/jackpotd/bin").iterdir() if not path.is_symlink()]
    assert {path.read_bytes().splitlines()[0] for path in scripts} == {b"#!/opt/jackpotd/bin/python"}


@pytest.mark.skipif(not os.environ.get("JACKPOTD_SOAK"), reason="it is built a second time in make soak")
def test_built_again_it_is_the_same_to_the_byte(built: Path, package: Path, release: Path, tmp_path: Path) -> None:
    again = shutil.copytree(release, tmp_path / "dist")
    with pytest.MonkeyPatch.context() as environ:
        environ.setenv("SOURCE_DATE_EPOCH", str(WHEN))
        debian.build(again, compression="none")
    assert (again / package.name).read_bytes() == package.read_bytes()
    assert (again / "SHA256SUMS").read_bytes() == (built / "SHA256SUMS").read_bytes()


def test_units_are_those_of_the_source(box: Box) -> None:
    for source, target in debian.PLACES.items():
        if (ROOT / source).is_file():
            assert (box.root / target).read_bytes() == (ROOT / source).read_bytes()
    verdict = box.dpkg("--verify", "jackpotd")
    assert (verdict.returncode, verdict.stdout) == (0, "")


def test_users_and_folders_are_made_and_nothing_is_enabled(box: Box) -> None:
    users = (box.root / "etc/passwd").read_text()
    assert {"jackpotd", "jackpotd-console", "jackpotd-public"} <= {line.split(":")[0] for line in users.splitlines()}
    assert (box.root / "etc/credstore").stat().st_mode & 0o777 == 0o700
    assert (box.root / "etc/credstore/jackpotd.vault-keys-old").is_dir()
    assert not (box.root / "etc/systemd/system").exists()


def test_the_software_finds_itself_whole_with_the_digest_of_the_release(built: Path, box: Box) -> None:
    (told,) = built.glob("*.digest")
    checked = run(box.python, "-I", "-m", "controller.service.software")
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.split("#")[0].strip() == told.read_text().split("#")[0].strip()
    (record,) = box.root.glob("opt/jackpotd/lib/python3*/site-packages/jackpotd-*.dist-info/RECORD")
    assert sha256(record.read_bytes()).hexdigest() in told.read_text()


def test_a_controller_starts_with_that_digest_pinned_and_not_with_another(
    built: Path, box: Box, tmp_path: Path
) -> None:
    (told,) = built.glob("*.digest")
    config, keys = tmp_path / "table.toml", tmp_path / "keys"
    shutil.copy(ROOT / "config/minibaccarat-royal9-5.toml", config)
    keys.mkdir(mode=0o700)
    for name in ("vault-key", "pin-pepper"):
        (keys / name).touch(0o600)
        (keys / name).write_text(token_hex(32))
    around = f'[journal]\npath = "{tmp_path}/journal.db"\n[mqtt]\nport = {free_port()}\n[software]\n'

    def started(digest: str) -> tuple[str, int | None]:
        """What it says first, and how it ended if it did."""
        config.with_suffix(".service.toml").write_text(around + digest)
        words = [str(box.python), "-I", "-m", "controller", "run", "--config", str(config)]
        environ = {"PATH": "/usr/bin:/bin", "CREDENTIALS_DIRECTORY": str(keys)}
        with subprocess.Popen(words, env=environ, stderr=subprocess.PIPE, text=True) as running:
            assert running.stderr is not None
            first = running.stderr.readline()
            if '"starting"' in first:
                running.terminate()
            return first, running.wait(PATIENCE_S)

    said, _ = started(told.read_text())
    assert ('"signed":true' in said, '"starting"' in said) == (True, True), said
    said, code = started(f'digest = "{"0" * 64}"\n')
    assert "software.digest: 000" in said
    assert code != 0


def test_an_inspector_compares_the_files_without_our_software(built: Path, box: Box, tmp_path: Path) -> None:
    (listed,) = built.glob("jackpotd-*.files.sha256")
    (site,) = box.root.glob("opt/jackpotd/lib/python3*/site-packages")
    compare = f"cd {site} && sha256sum --check --strict --quiet {listed}"
    assert run("sh", "-c", compare).returncode == 0
    more = f"cd {site} && find controller drivers -type f ! -path '*/__pycache__/*' | sort > {tmp_path}/found"
    more += f" && sed 's/^[0-9a-f]*  //' {listed} | grep -v dist-info | sort | diff - {tmp_path}/found"
    assert run("sh", "-c", more, LC_ALL="C").stdout == ""
    copied = shutil.copytree(site / "controller", tmp_path / "controller")
    (copied / "vault.py").write_text("# another\n")
    assert "vault.py: FAILED" in run("sh", "-c", f"cd {tmp_path} && sha256sum --check --quiet {listed}").stdout
    (copied / "extra.py").touch()
    assert "extra.py" in run("sh", "-c", more.replace(str(site), str(tmp_path)), LC_ALL="C").stdout


def test_an_inspector_compares_every_file_and_finds_one_too_many(built: Path, box: Box) -> None:
    """As the guide has it: every package, not only ours."""
    (listed,) = built.glob("*_*.files.sha256")
    compare = ("sh", "-c", f"cd {box.root} && sha256sum --check --strict --quiet {listed}")
    names = f"cd {box.root} && find opt/jackpotd -type f | LC_ALL=C sort | diff - {listed.with_suffix('')}"
    assert (run(*compare).returncode, run("sh", "-c", names).stdout) == (0, "")
    (site,) = box.root.glob("opt/jackpotd/lib/python3*/site-packages")
    extra, changed = site / "sooner.pth", site / "msgspec/__init__.py"
    before = changed.read_bytes()
    extra.write_text("import os\n")
    changed.write_bytes(before + b"\n")
    assert "sooner.pth" in run("sh", "-c", names).stdout
    assert "msgspec/__init__.py: FAILED" in run(*compare).stdout
    extra.unlink()
    changed.write_bytes(before)
    os.utime(changed, (WHEN, WHEN))  # otherwise Python compiles it anew


def test_the_demonstration_runs_from_it(box: Box) -> None:
    """Every package it needs is in it: the environment sees no other."""
    with TemporaryDirectory(prefix="jd-") as short:  # sockets have short names
        words = ("demo", "--rounds", "3", "--speed", "0", "--port", str(free_port()), "--state", short)
        played = run(box.python, "-I", "-m", "controller", *words)
    assert played.returncode == 0, played.stdout + played.stderr
    assert "3 rounds" in played.stdout
    told = run(box.python, "-I", "-m", "controller", "--version")
    assert told.stdout == f"jackpotd {version()}\n"
    assert run(box.python, "-I", "-c", "import psycopg").returncode == 0, "a link needs no other package"


def test_no_package_comes_under_a_table_that_plays(package: Path, box: Box) -> None:
    with box.play():
        refused = box.dpkg("--install", package)
        assert refused.returncode != 0
        assert "this table plays: close it, then systemctl stop" in refused.stderr
        assert "Status: install ok installed" in box.status()
        assert box.dpkg("--verify", "jackpotd").stdout == "", "nothing was changed"
        assert box.dpkg("--remove", "jackpotd").returncode != 0
        assert box.python.exists()
    (box.root / "run/jackpotd/status.socket").unlink()
    assert box.dpkg("--install", package).returncode == 0


def test_an_environment_of_another_making_is_not_written_over(package: Path, tmp_path: Path) -> None:
    box = Box(tmp_path / "box")
    (box.root / "opt/jackpotd").mkdir(parents=True)
    (box.root / "opt/jackpotd/pyvenv.cfg").touch()
    refused = box.dpkg("--install", package)
    assert refused.returncode != 0
    assert "holds an environment that is not this package's: move it away" in refused.stderr


def test_removed_and_purged_it_leaves_the_journal_and_the_keys(box: Box) -> None:
    """The last of these: nothing is installed any more."""
    kept = [box.root / name for name in ("var/lib/jackpotd/journal.db", "etc/jackpotd/table.toml")]
    kept.append(box.root / "etc/credstore/jackpotd.vault-key")
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kept")
    assert box.dpkg("--remove", "jackpotd").returncode == 0
    assert not (box.root / "opt/jackpotd").exists()
    purged = box.dpkg("--purge", "jackpotd")
    assert purged.returncode == 0, purged.stderr
    assert [path for path in kept if path.read_text() != "kept"] == []
