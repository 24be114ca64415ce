"""The software holds itself against RECORD, the list of files and their hashes that pip leaves beside what it installs.

The check starts from the code that runs: its list is the one in the same folder, so that no other installation can
vouch for it. A checkout and an editable install have no such list. What it cannot show is in docs/installing.md.
"""

import csv
import marshal
import os
import re
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import Distribution
from importlib.util import MAGIC_NUMBER
from pathlib import Path, PurePosixPath
from types import CodeType

from msgspec import Struct

import controller
import drivers
from controller.rules.errors import BadInputError
from controller.settings import SoftwareSettings

NAME = "jackpotd"
PACKAGES = ("controller", "drivers")
MOST_NAMED = 5  # files in one refusal: it is read in a log, and one is enough to install anew
MOST_FILE_BYTES = 16 * 1024 * 1024  # the longest of ours has a hundredth of that
_AGAIN = "install the wheel again"
_HEADER_BYTES = 16  # of compiled code: magic number, flags, and eight bytes that say which source it is of
_KNOWN_FLAGS = (0, 1, 3)  # by the source's time, or by its hash, not compared or compared at an import
# What code is made of, but for the name of its file and what Python works out from these.
_COUNTS = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_nlocals", "co_stacksize", "co_flags")
_NAMES = ("co_name", "co_qualname", "co_names", "co_varnames", "co_freevars", "co_cellvars")
_PARTS = (*_COUNTS, *_NAMES, "co_code", "co_consts", "co_firstlineno", "co_linetable", "co_exceptiontable")


class SoftwareError(BadInputError):
    """Software that is not what was installed, or that cannot show it; the message names the file and the remedy."""


class Software(Struct, frozen=True, kw_only=True):
    """What runs."""

    version: str  # empty where nothing says it
    digest: str  # SHA-256 of RECORD; empty without one
    signed: bool  # every file is as RECORD lists it
    pinned: bool = False  # and RECORD is the one the settings name


def check(settings: SoftwareSettings) -> Software:
    """Hold the installed files against RECORD, and RECORD against the settings."""
    record = _record()
    if isinstance(record, str):
        return _unsigned(settings, record)
    content = _read(record)
    if content is None:
        raise SoftwareError(f"{record}: cannot be read or is too long: {_AGAIN}")
    digest = sha256(content).hexdigest()
    if settings.digest and settings.digest != digest:
        raise SoftwareError(
            f"software.digest: {settings.digest} is not that of {record}, which has {digest}: "
            f"if this version was installed on purpose, put its digest there, otherwise {_AGAIN}"
        )
    wrong = list(_wrong(record, content))
    if wrong:
        more = f"; and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
        raise SoftwareError("; ".join(wrong[:MOST_NAMED]) + more)
    version = Distribution.at(record.parent).version
    return Software(version=version, digest=digest, signed=True, pinned=bool(settings.digest))


def _record() -> Path | str:
    """The list of the code that runs, or why there is none."""
    site = Path(controller.__path__[0]).parent
    if [Path(each) for each in drivers.__path__] != [site / "drivers"] or len(controller.__path__) != 1:
        return f"controller runs from {site}, drivers from {', '.join(drivers.__path__)}"
    found = sorted(site.glob(f"{NAME}-*.dist-info"))
    if not found:
        return f"{site} is a checkout or an editable install, without the list of its files (RECORD)"
    if len(found) > 1:
        raise SoftwareError(f"{found[0]} and {found[1]} are both there: remove all but the version installed last")
    return found[0] / "RECORD"


def _unsigned(settings: SoftwareSettings, why: str) -> Software:
    if settings.digest:
        raise SoftwareError(f"software.digest: {why}: install the wheel it is of, or take the digest out")
    if not settings.allow_unsigned:
        raise SoftwareError(f"{why}: install a wheel; only for a demonstration, set software.allow_unsigned = true")
    return Software(version="", digest="", signed=False)


# -- the files --


def _wrong(record: Path, content: bytes) -> Iterator[str]:
    """Everything that is not as it is listed, file by file."""
    site = record.parent.parent
    if sys.pycache_prefix is not None:
        yield f"{sys.pycache_prefix}: compiled code is taken from there instead: unset PYTHONPYCACHEPREFIX"
    try:
        rows = list(csv.reader(content.decode().splitlines(), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        yield f"{record}: is no list of files ({error}): {_AGAIN}"
        return
    listed: dict[str, bytes] = {}
    for row in rows:
        name = row[0] if row else ""
        listed[name], why = _compared(site, record, row)
        if why:
            yield f"{site / name}: {why}: {_AGAIN}"
    for package in PACKAGES:
        if f"{package}/__init__.py" not in listed:
            yield f"{record}: does not list {package}/__init__.py: {_AGAIN}"
        yield from _unlisted(site, package, listed)


def _compared(site: Path, record: Path, row: list[str]) -> tuple[bytes, str]:
    """A file's content, and why it is not what its row of RECORD says, or nothing."""
    match row:
        case [name, "", ""] if _is_compiled(name) or site / name == record:
            return b"", ""  # compiled code is held against its source
        case [name, hash_, size] if hash_.startswith("sha256=") and size.isdecimal():
            content = _read(site / name)
            if content is None:
                return b"", "is listed in RECORD and cannot be read"
            told = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
            same = hash_ == f"sha256={told}" and int(size) == len(content)
            return content, "" if same else "was changed"
        case _:
            return b"", "is not listed in RECORD with a SHA-256 and a size"


def _unlisted(site: Path, package: str, listed: dict[str, bytes]) -> Iterator[str]:
    """What lies in a folder of ours and ought not to: anything there could be imported, or read as ours."""
    for folder, folders, files in os.walk(site / package, onerror=_refuse):
        for name in sorted([*files, *(each for each in folders if Path(folder, each).is_symlink())]):
            path = Path(folder, name)
            inside = path.relative_to(site).as_posix()
            if _is_compiled(inside):
                why = _miscompiled(site, path, listed)
            else:
                why = "" if inside in listed else "is not listed in RECORD"
            if why:
                yield f"{path}: {why}: remove it"


def _refuse(error: OSError) -> None:
    raise SoftwareError(f"{error.filename}: cannot be looked into ({error.strerror}): {_AGAIN}") from error


def _read(path: Path) -> bytes | None:
    """A file's content, where it is a file of a sensible length."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            content = file.read(MOST_FILE_BYTES + 1)
    except OSError:
        return None
    return content if len(content) <= MOST_FILE_BYTES else None


# -- compiled code --


def _is_compiled(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix == ".pyc" and path.parent.name == "__pycache__" and path.parts[0] in PACKAGES


def _miscompiled(site: Path, path: Path, listed: dict[str, bytes]) -> str:
    """Why compiled code is not what its source compiles to, or nothing. Python may run it and never read the source."""
    named = re.fullmatch(rf"(.+)\.{sys.implementation.cache_tag}(?:\.opt-([12]))?\.pyc", path.name)
    if named is None:
        return "is compiled code of another Python"
    source = (path.parent.parent / f"{named[1]}.py").relative_to(site).as_posix()
    if source not in listed:
        return "is compiled code without a source"
    content = _read(path) or b""
    if content[:4] != MAGIC_NUMBER or int.from_bytes(content[4:8], "little") not in _KNOWN_FLAGS:
        return "is no compiled code of this Python"
    try:
        theirs = marshal.loads(content[_HEADER_BYTES:])  # noqa: S302 -- what Python itself would load; none of it is run
        ours = compile(listed[source], source, "exec", dont_inherit=True, optimize=int(named[2] or 0))
        return "" if _same(ours, theirs) else "is not what its source compiles to"
    except Exception as error:  # noqa: BLE001 -- whatever it is that cannot be read
        return f"is not what its source compiles to ({error})"


def _same(ours: object, theirs: object) -> bool:
    """Whether two constants, code above all, do the same. Only the name of the source's file may be another.

    Python's own comparison of code leaves parts out, and takes 0.0 for -0.0.
    """
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, CodeType):
        return all(_same(getattr(ours, part), getattr(theirs, part)) for part in _PARTS)
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(ours, frozenset) and isinstance(theirs, frozenset):
        return sorted(map(repr, ours)) == sorted(map(repr, theirs))
    return repr(ours) == repr(theirs)


def main() -> int:
    """Print the line of the settings that pins what is installed: `python -I -m controller.service.software`."""
    try:
        found = check(SoftwareSettings())
    except SoftwareError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f'digest = "{found.digest}"  # jackpotd {found.version}\n')
    return 0


if __name__ == "__main__":
    sys.exit(main())
