"""The Debian package: a whole environment in /opt/jackpotd, from the wheels the lock pins, with units and documents.

It is made for the Python and the processor it is built on. Nothing is fetched, compiled or computed where it is
installed, so the files, and the digest of their list, are the same on every box.
"""

import os
import re
import shutil
import subprocess
import sys
from base64 import urlsafe_b64encode
from hashlib import md5, sha256
from pathlib import Path

from release import sbom
from release.building import add_up
from release.project import EPOCH, NAME, ROOT, ReleaseError, epoch, version

PYTHON = Path("/usr/bin/python3")  # Debian's own: the package runs on nothing else
HOME = "opt/jackpotd"
PARTS = ROOT / "release/deb"
SCRIPTS = ("preinst", "postinst", "prerm", "postrm")
# Where each part of the source goes. The units are the same files that systemd/install puts below /etc.
PLACES = {
    "systemd/jackpotd.service": "usr/lib/systemd/system/jackpotd.service",
    "systemd/jackpotd-console.service": "usr/lib/systemd/system/jackpotd-console.service",
    "systemd/jackpotd-public.service": "usr/lib/systemd/system/jackpotd-public.service",
    "systemd/jackpotd.sysusers": "usr/lib/sysusers.d/jackpotd.conf",
    "systemd/jackpotd.tmpfiles": "usr/lib/tmpfiles.d/jackpotd.conf",
    "systemd/jackpotd.modules": "usr/lib/modules-load.d/jackpotd.conf",
    "systemd/70-jackpotd.rules": "usr/lib/udev/rules.d/70-jackpotd.rules",
    "config": "usr/share/jackpotd/config",
    "docs": "usr/share/doc/jackpotd",
    "README.md": "usr/share/doc/jackpotd/README.md",
    "CHANGELOG.md": "usr/share/doc/jackpotd/CHANGELOG.md",
    "LICENSE": "usr/share/doc/jackpotd/copyright",
}
_SHEBANG = re.compile(rb"#!(?P<python>\S+/bin/python[0-9.]*)\n")
_PLAYING = "# -- playing --\n"  # where a script has what all of them ask first


def build(folder: Path, *, compression: str = "xz") -> list[Path]:
    """Add the package, and the digest that pins what it installs, to a release that is built."""
    work = folder / ".deb"
    tree = work / "tree"
    tree.mkdir(parents=True)
    try:
        _environment(tree, folder)
        _placed(tree, folder)
        record = _compiled(tree, epoch())
        package = _packed(tree, folder, epoch(), compression)
    finally:
        shutil.rmtree(work)
    digest = sha256(record).hexdigest()
    package.with_suffix(".digest").write_text(f'digest = "{digest}"  # {NAME} {version()}, from {package.name}\n')
    add_up(folder)
    return sorted(folder.iterdir())


def _run(*words: str | Path, **environ: str) -> str:
    told = [str(word) for word in words]
    done = subprocess.run(told, env={**os.environ, **environ}, capture_output=True, text=True, check=False)  # noqa: S603 -- written below
    if done.returncode:
        raise ReleaseError(f"{' '.join(told)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


# -- the environment --


def _environment(tree: Path, folder: Path) -> None:
    """Every package with its hash checked, for Debian's Python, as if it had been installed in its final place."""
    home = tree / HOME
    _run(PYTHON, "-I", "-m", "venv", "--without-pip", home)
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        home / "bin/python",
        "install",
        "--quiet",
        "--no-compile",
    ]
    pip += ["--no-warn-script-location", "--disable-pip-version-check"]
    _run(*pip, "--require-hashes", "-r", ROOT / sbom.LINK)
    _run(*pip, "--no-deps", "--no-index", "--find-links", folder, f"{NAME}=={version()}", PIP_FIND_LINKS="")
    (home / "pyvenv.cfg").write_text(f"home = {PYTHON.parent}\ninclude-system-site-packages = false\n")
    for path in (home / "bin").glob("[aA]ctivate*"):
        path.unlink()
    for path in (home / "bin").glob("python*"):
        path.unlink()
        path.symlink_to(PYTHON)
    _moved(home)


def _moved(home: Path) -> None:
    """Let every script name the interpreter in its final place, and every list of files the script as it is then."""
    now = f"#!/{HOME}/bin/python\n".encode()
    for path in sorted((home / "bin").iterdir()):
        if path.is_symlink() or not (found := _SHEBANG.match(content := path.read_bytes())):
            continue
        if Path(os.fsdecode(found["python"])).parent == home / "bin":
            path.write_bytes(now + content[found.end() :])
    (site,) = home.glob("lib/python3*/site-packages")
    for record in site.glob("*.dist-info/RECORD"):
        lines = [_listed(site, line) for line in record.read_text().splitlines()]
        record.write_text("".join(f"{line}\n" for line in lines))


def _listed(site: Path, line: str) -> str:
    """A line of RECORD, with a script's hash and length as they are."""
    name, _, _ = line.partition(",")
    if not name.startswith("../../../bin/"):
        return line
    content = (site / name).read_bytes()
    told = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={told},{len(content)}"


# -- the rest of it --


def _placed(tree: Path, folder: Path) -> None:
    for source, target in PLACES.items():
        (tree / target).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, tree / target)
        else:
            shutil.copyfile(ROOT / source, tree / target)
    (bill,) = folder.glob("*.cdx.json")
    shutil.copyfile(bill, tree / "usr/share/doc/jackpotd" / bill.name)
    (tree / "usr/bin").mkdir()
    (tree / "usr/bin/jackpotd").symlink_to(f"/{HOME}/bin/jackpotd")


def _compiled(tree: Path, when: int) -> bytes:
    """Compile everything for the final place, with times that fit. Returns the list of our own files."""
    home = tree / HOME
    _dated(tree, when)  # compiled code says which time its source bears
    words = ("-I", "-m", "compileall", "-q", "-s", tree, "-p", "/", home / "lib")
    # Nothing left to chance: sets are stored in the order of their hashes.
    _run(home / "bin/python", *words, PYTHONHASHSEED="0", **{EPOCH: ""})
    (record,) = home.glob(f"lib/python3*/site-packages/{NAME}-*.dist-info/RECORD")
    return record.read_bytes()


def _dated(tree: Path, when: int) -> None:
    """Everything of one time and of plain modes, whoever builds it and whenever."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (when, when), follow_symlinks=False)


def _listing(tree: Path, files: list[Path], folder: Path, architecture: str) -> None:
    """For inspectors: the sum of every file, and the names of all that may lie in /opt/jackpotd."""
    names = {path.relative_to(tree).as_posix(): path for path in files}
    listed = folder / f"{NAME}_{version()}_{architecture}.files"
    own = sorted(name for name in names if name.startswith(f"{HOME}/"))
    listed.write_text("".join(f"{name}\n" for name in own))
    sums = [f"{sha256(names[name].read_bytes()).hexdigest()}  {name}\n" for name in sorted(names)]
    listed.with_suffix(".files.sha256").write_text("".join(sums))


def _packed(tree: Path, folder: Path, when: int, compression: str) -> Path:
    control = tree / "DEBIAN"
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    sizes = sum(path.stat().st_size for path in files)
    control.mkdir()
    sums = "".join(f"{md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files)  # noqa: S324 -- dpkg knows no other
    (control / "md5sums").write_text(sums)
    _listing(tree, files, folder, architecture := _run("dpkg", "--print-architecture").strip())
    minor = _run(PYTHON, "-c", "import sys; print(sys.version_info[1])").strip()
    told = (PARTS / "control").read_text()
    for name, value in {
        "VERSION": version(),
        "ARCHITECTURE": architecture,
        "SIZE": str(-(-sizes // 1024)),
        "PYTHON": f"python3 (>= 3.{minor}), python3 (<< 3.{int(minor) + 1})",
    }.items():
        told = told.replace(f"@{name}@", value)
    (control / "control").write_text(told)
    playing = (PARTS / "playing").read_text()
    for script in SCRIPTS:
        (control / script).write_text((PARTS / script).read_text().replace(_PLAYING, playing))
        (control / script).chmod(0o755)
    _dated(tree, when)
    package = folder / f"{NAME}_{version()}_{architecture}.deb"
    words = ("--root-owner-group", f"-Z{compression}", "--build", tree, package)
    _run("dpkg-deb", *words, **{EPOCH: str(when)})
    return package
