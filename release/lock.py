"""A lock file read: packages, versions, the files that are allowed, and who wants each."""

import re
from pathlib import Path
from typing import NamedTuple

from release.project import NAME, ReleaseError

_PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9._-]*)==(?P<version>[^ ;]+)(?: ; (?P<marker>[^\\]+))? \\")
_HASH = re.compile(r"    --hash=sha256:(?P<digest>[0-9a-f]{64})(?: \\)?")
_VIA = re.compile(r"    # via (?P<via>.+)")
_BUILDING = "build-system"  # why the build backend is in a lock


class Pinned(NamedTuple):
    """A package as a lock pins it."""

    name: str
    version: str
    digests: tuple[str, ...]  # SHA-256 of each file that may be installed
    wanted_by: tuple[str, ...]  # packages, our own among them
    building: bool  # wanted only to build us

    @property
    def purl(self) -> str:
        """Its name among all packages of the world."""
        return f"pkg:pypi/{self.name}@{self.version}"


def read(path: Path) -> dict[str, Pinned]:
    """Every package of a lock, by name. A line that is not understood is refused: it would be a package nobody sees."""
    found: dict[str, Pinned] = {}
    name = ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if pin := _PIN.fullmatch(line):
            name = pin["name"]
            found[name] = Pinned(name, pin["version"], (), (), building=False)
        elif digest := _HASH.fullmatch(line):
            found[name] = found[name]._replace(digests=(*found[name].digests, digest["digest"]))
        elif via := _VIA.fullmatch(line):
            found[name] = _wanted(found[name], via["via"])
        elif line and not line.startswith("#"):
            raise ReleaseError(f"{path}:{number}: {line!r} is no line of a lock: make it anew with make lock")
    bare = [each.name for each in found.values() if not each.digests]
    if bare or not found:
        raise ReleaseError(f"{path}: no hash for {', '.join(bare) or 'anything'}: make it anew with make lock")
    return found


def _wanted(pinned: Pinned, told: str) -> Pinned:
    """Who wants a package: `-c FILE` names a constraint and nobody."""
    names = [each for each in told.split(", ") if not each.startswith("-c ")]
    ours = [each for each in names if each.startswith(f"{NAME} ")]
    others = [each for each in names if each not in ours]
    building = bool(ours) and all(_BUILDING in each for each in ours) and not others
    return pinned._replace(wanted_by=tuple(sorted({*others, *([NAME] if ours else [])})), building=building)


def running(packages: dict[str, Pinned]) -> set[str]:
    """The names that are needed to run, and not only to build."""
    needed = {each.name for each in packages.values() if NAME in each.wanted_by and not each.building}
    while more := {each.name for each in packages.values() if needed & set(each.wanted_by)} - needed:
        needed |= more
    return needed
