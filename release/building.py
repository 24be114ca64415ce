"""A release built: wheel and sdist, the list of the files in them, the bill of materials, and the sums of it all."""

import os
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

from release import sbom
from release.project import EPOCH, NAME, ROOT, ReleaseError, epoch, version

SUMS = "SHA256SUMS"


def build(into: Path, root: Path = ROOT) -> list[Path]:
    """Everything but the Debian package, in a folder that holds nothing else."""
    when = epoch(root)
    if into.exists() and any(into.iterdir()):
        raise ReleaseError(f"{into} is not empty: a release is a folder of its own, so move that away")
    into.mkdir(parents=True, exist_ok=True)
    _hatch(into.resolve(), root, when)
    (wheel,) = into.glob("*.whl")
    (into / f"{NAME}-{version(root)}.files.sha256").write_text(files_of(wheel))
    (into / f"{NAME}-{version(root)}.cdx.json").write_text(sbom.document(when, wheel, root))
    for lock in (sbom.RUN, sbom.LINK):
        shutil.copyfile(root / lock, into / lock)
    add_up(into)
    return sorted(into.iterdir())


def _hatch(into: Path, root: Path, when: int) -> None:
    """The build backend itself, without the network: it is pinned like everything else."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(into)]
    environ = {**os.environ, EPOCH: str(when)}
    done = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, check=False)  # noqa: S603 -- written above
    if done.returncode:
        raise ReleaseError(f"the build failed:\n{done.stdout}{done.stderr}")


def files_of(wheel: Path) -> str:
    """The files a wheel installs, in the form of sha256sum, from the folder they are installed in."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if not name.endswith("/RECORD"))
        return "".join(f"{sha256(archive.read(name)).hexdigest()}  {name}\n" for name in names)


def add_up(folder: Path) -> None:
    """Write the sums of all files of a folder, anew."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / SUMS).write_text("".join(lines))
