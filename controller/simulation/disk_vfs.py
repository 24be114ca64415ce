"""SQLite's own way to a disk that is not there: a VFS in ctypes, on the library that Python's sqlite3 is linked with.

SQLite calls; a `Drive` answers. No exception passes into C: it becomes an I/O error, and the drive keeps it to be
raised once Python has the word again.
"""

import ctypes
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from controller.simulation.disk_files import Handle

NAME_BYTES = 512  # the longest name of a file; SQLite adds some of its own
_MMAP_SIZE = 18  # SQLITE_FCNTL_MMAP_SIZE
_POINTER = ctypes.c_void_p
_JULIAN_1970_MS = 210_866_760_000_000  # SQLite counts milliseconds from noon in Greenwich, 24 November 4714 BC


class Drive(Protocol):
    """A disk as SQLite sees it."""

    def open(self, name: str | None, flags: int) -> Handle | int:
        """A file, or the code of a refusal; without a name one that nobody else sees."""

    def delete(self, name: str, *, sync: bool) -> int:
        """Take a name away, for good if it is synced."""

    def accessible(self, name: str) -> bool:
        """Whether there is such a file with something in it."""

    def random(self, amount: int) -> bytes:
        """Chance."""

    def milliseconds(self) -> int:
        """The time, since 1970."""

    def keep(self, error: BaseException) -> None:
        """Remember what could not be raised."""


class LibraryNotFoundError(RuntimeError):
    """Python's sqlite3 carries SQLite inside itself."""


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("iVersion", ctypes.c_int),
        ("szOsFile", ctypes.c_int),
        ("mxPathname", ctypes.c_int),
        ("pNext", _POINTER),
        ("zName", ctypes.c_char_p),
        ("pAppData", _POINTER),
        *((name, _POINTER) for name in ("xOpen", "xDelete", "xAccess", "xFullPathname")),
        *((name, _POINTER) for name in ("xDlOpen", "xDlError", "xDlSym", "xDlClose")),
        *((name, _POINTER) for name in ("xRandomness", "xSleep", "xCurrentTime", "xGetLastError")),
        ("xCurrentTimeInt64", _POINTER),
    )


class _Methods(ctypes.Structure):
    _fields_ = (
        ("iVersion", ctypes.c_int),
        *((name, _POINTER) for name in ("xClose", "xRead", "xWrite", "xTruncate", "xSync", "xFileSize")),
        *((name, _POINTER) for name in ("xLock", "xUnlock", "xCheckReservedLock", "xFileControl")),
        *((name, _POINTER) for name in ("xSectorSize", "xDeviceCharacteristics")),
        *((name, _POINTER) for name in ("xShmMap", "xShmLock", "xShmBarrier", "xShmUnmap")),
    )


class _File(ctypes.Structure):
    _fields_ = (("pMethods", _POINTER),)


_drives: dict[int, Drive] = {}  # by the address of their _Vfs
_files: dict[int, tuple[Handle, Drive]] = {}  # by the address SQLite gave them
_callbacks: list[object] = []  # C holds their addresses and nothing more
_registered: dict[int, _Vfs] = {}
_count: Iterator[int] = iter(range(1, 2**62))


def library(maps: str | None = None) -> ctypes.CDLL:
    """The SQLite that Python's own module uses: another copy would know nothing of what is registered here."""
    for line in (maps or Path("/proc/self/maps").read_text(encoding="utf-8")).splitlines():
        path = line.partition("/")[2]
        if "libsqlite3" in path.rpartition("/")[2]:
            return ctypes.CDLL(f"/{path}")
    raise LibraryNotFoundError(
        "this Python carries SQLite inside itself, and the simulated disk cannot reach it: run the simulation with a "
        "Python that is linked with the system's libsqlite3, as Debian's is"
    )


def register(drive: Drive) -> str:
    """Make a drive known to SQLite; the name to put into `?vfs=`."""
    name = f"simulated-{next(_count)}"
    vfs = _Vfs(2, ctypes.sizeof(_File), NAME_BYTES, None, name.encode(), None, **_vfs_methods())
    address = ctypes.addressof(vfs)
    _drives[address], _registered[address] = drive, vfs
    _library().sqlite3_vfs_register(ctypes.byref(vfs), 0)
    return name


def unregister(drive: Drive) -> None:
    """Let go of a drive. Nothing may be open on it."""
    for address in [address for address, each in _drives.items() if each is drive]:
        if any(each is drive for _, each in _files.values()):
            raise RuntimeError("a file is open on this disk: close every connection to it first")
        _library().sqlite3_vfs_unregister(ctypes.byref(_registered[address]))
        del _drives[address], _registered[address]


def seed_library(drive: Drive) -> None:
    """Have SQLite's own chance (of the process as a whole) begin anew from this drive's: the salts of a -wal."""
    (address,) = (address for address, each in _drives.items() if each is drive)
    before = _library().sqlite3_vfs_find(None)
    _library().sqlite3_vfs_register(ctypes.byref(_registered[address]), 1)
    try:
        _library().sqlite3_randomness(0, None)
        _library().sqlite3_randomness(1, ctypes.create_string_buffer(1))
    finally:
        _library().sqlite3_vfs_register(before, 1)


_loaded: list[ctypes.CDLL] = []


def _library() -> ctypes.CDLL:
    if not _loaded:
        found = library()
        found.sqlite3_vfs_find.restype = _POINTER
        found.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
        found.sqlite3_vfs_register.argtypes = [_POINTER, ctypes.c_int]
        found.sqlite3_vfs_unregister.argtypes = [_POINTER]
        found.sqlite3_randomness.argtypes = [ctypes.c_int, _POINTER]
        found.sqlite3_randomness.restype = None
        _loaded.append(found)
    return _loaded[0]


# -- what SQLite calls: of a drive ----------------------------------------------------------------------------


def _open(vfs: int, name: bytes | None, file: int, flags: int, out: int) -> int:
    drive = _drives[vfs]
    _File.from_address(file).pMethods = None  # SQLite then closes nothing that was not opened
    try:
        found = drive.open(name.decode() if name else None, flags)
    except BaseException as error:  # noqa: BLE001 -- none may pass into C
        drive.keep(error)
        return sqlite3.SQLITE_CANTOPEN
    if isinstance(found, int):
        return found
    _files[file] = (found, drive)
    _File.from_address(file).pMethods = _methods()
    if out:
        ctypes.c_int.from_address(out).value = flags
    return sqlite3.SQLITE_OK


def _delete(vfs: int, name: bytes, sync: int) -> int:
    return _drives[vfs].delete(name.decode(), sync=bool(sync & 1))


def _access(vfs: int, name: bytes, _flags: int, out: int) -> int:
    ctypes.c_int.from_address(out).value = _drives[vfs].accessible(name.decode())
    return sqlite3.SQLITE_OK


def _full_name(_vfs: int, name: bytes, most: int, out: int) -> int:
    if len(name) >= most:
        return sqlite3.SQLITE_CANTOPEN
    ctypes.memmove(out, name + b"\0", len(name) + 1)
    return sqlite3.SQLITE_OK


def _random(vfs: int, amount: int, out: int) -> int:
    ctypes.memmove(out, _drives[vfs].random(amount), amount)
    return amount


def _sleep(_vfs: int, microseconds: int) -> int:
    return microseconds  # nobody else can do anything meanwhile


def _time(vfs: int, out: int) -> int:
    ctypes.c_int64.from_address(out).value = _JULIAN_1970_MS + _drives[vfs].milliseconds()
    return sqlite3.SQLITE_OK


def _time_in_days(vfs: int, out: int) -> int:
    ctypes.c_double.from_address(out).value = (_JULIAN_1970_MS + _drives[vfs].milliseconds()) / 86_400_000
    return sqlite3.SQLITE_OK


def _last_error(_vfs: int, _most: int, _out: int) -> int:
    return 0


# -- what SQLite calls: of a file -----------------------------------------------------------------------------


def _close(file: int) -> int:
    found, _ = _files.pop(file)
    found.close()
    return sqlite3.SQLITE_OK


def _read(file: int, out: int, amount: int, offset: int) -> int:
    found = _files[file][0].read(offset, amount)
    if isinstance(found, int):
        return found
    ctypes.memmove(out, found, len(found))
    if len(found) < amount:
        ctypes.memset(out + len(found), 0, amount - len(found))
        return sqlite3.SQLITE_IOERR_SHORT_READ
    return sqlite3.SQLITE_OK


def _write(file: int, data: int, amount: int, offset: int) -> int:
    return _files[file][0].write(offset, ctypes.string_at(data, amount))


def _truncate(file: int, size: int) -> int:
    return _files[file][0].truncate(size)


def _sync(file: int, _flags: int) -> int:
    return _files[file][0].sync()


def _size(file: int, out: int) -> int:
    ctypes.c_int64.from_address(out).value = _files[file][0].size()
    return sqlite3.SQLITE_OK


def _lock(file: int, level: int) -> int:
    return _files[file][0].lock(level)


def _unlock(file: int, level: int) -> int:
    return _files[file][0].unlock(level)


def _is_reserved(file: int, out: int) -> int:
    ctypes.c_int.from_address(out).value = _files[file][0].is_reserved()
    return sqlite3.SQLITE_OK


def _control(_file: int, what: int, argument: int) -> int:
    if what != _MMAP_SIZE:
        return sqlite3.SQLITE_NOTFOUND
    ctypes.c_int64.from_address(argument).value = 0  # none of it is ever mapped
    return sqlite3.SQLITE_OK


def _characteristics(_file: int) -> int:
    return 0x1000  # SQLITE_IOCAP_POWERSAFE_OVERWRITE: writing beside a byte never harms it, as on every Unix


def _map_region(file: int, number: int, size: int, extend: int, out: int) -> int:
    _POINTER.from_address(out).value = _files[file][0].map_region(number, size, extend=bool(extend))
    return sqlite3.SQLITE_OK


def _lock_region(file: int, first: int, count: int, flags: int) -> int:
    return _files[file][0].lock_region(first, count, flags)


def _barrier(_file: int) -> None:
    pass  # one process, one interpreter lock


def _unmap(file: int, delete: int) -> int:
    _files[file][0].unmap(delete=bool(delete))
    return sqlite3.SQLITE_OK


# -- the tables of their addresses ----------------------------------------------------------------------------


def _contained(function: Callable[..., int], fault: int) -> Callable[..., int]:
    """The function, with whatever it raises kept by the drive."""

    def contained(*arguments: Any) -> int:  # noqa: ANN401 -- as C gives them
        try:
            try:
                return function(*arguments)
            except sqlite3.Error:
                # Not ours: the module was about to raise it (a text that is no UTF-8) when it let go of the file. It
                # is lost here, and the module then raises SystemError in its place.
                return function(*arguments)
        except BaseException as error:  # noqa: BLE001 -- none may pass into C
            first = arguments[0]
            (_drives.get(first) or _files[first][1]).keep(error)
            return fault

    return contained


def _pointer(kind: Any, function: Callable[..., Any]) -> int:  # noqa: ANN401 -- the type of a C function
    made = kind(function)
    _callbacks.append(made)
    address = ctypes.cast(made, _POINTER).value
    if address is None:
        raise RuntimeError("a callback without an address")
    return address


def _c(*arguments: Any) -> Any:  # noqa: ANN401 -- ctypes' own types
    return ctypes.CFUNCTYPE(ctypes.c_int, *arguments)


_INT, _LONG, _TEXT = ctypes.c_int, ctypes.c_int64, ctypes.c_char_p
_made_vfs: dict[str, int] = {}
_made_methods: list[_Methods] = []


def _vfs_methods() -> dict[str, int]:
    if not _made_vfs:
        io = sqlite3.SQLITE_IOERR
        _made_vfs.update(
            xOpen=_pointer(_c(_POINTER, _TEXT, _POINTER, _INT, _POINTER), _open),
            xDelete=_pointer(_c(_POINTER, _TEXT, _INT), _contained(_delete, sqlite3.SQLITE_IOERR_DELETE)),
            xAccess=_pointer(_c(_POINTER, _TEXT, _INT, _POINTER), _contained(_access, sqlite3.SQLITE_IOERR_ACCESS)),
            xFullPathname=_pointer(_c(_POINTER, _TEXT, _INT, _POINTER), _contained(_full_name, io)),
            xRandomness=_pointer(_c(_POINTER, _INT, _POINTER), _contained(_random, 0)),
            xSleep=_pointer(_c(_POINTER, _INT), _sleep),
            xCurrentTime=_pointer(_c(_POINTER, _POINTER), _contained(_time_in_days, io)),
            xGetLastError=_pointer(_c(_POINTER, _INT, _POINTER), _last_error),
            xCurrentTimeInt64=_pointer(_c(_POINTER, _POINTER), _contained(_time, io)),
        )
    return _made_vfs


def _methods() -> int:
    if not _made_methods:
        p = _POINTER
        found: dict[str, tuple[Any, Callable[..., int], int]] = {
            "xClose": (_c(p), _close, sqlite3.SQLITE_IOERR_CLOSE),
            "xRead": (_c(p, p, _INT, _LONG), _read, sqlite3.SQLITE_IOERR_READ),
            "xWrite": (_c(p, p, _INT, _LONG), _write, sqlite3.SQLITE_IOERR_WRITE),
            "xTruncate": (_c(p, _LONG), _truncate, sqlite3.SQLITE_IOERR_TRUNCATE),
            "xSync": (_c(p, _INT), _sync, sqlite3.SQLITE_IOERR_FSYNC),
            "xFileSize": (_c(p, p), _size, sqlite3.SQLITE_IOERR_FSTAT),
            "xLock": (_c(p, _INT), _lock, sqlite3.SQLITE_IOERR_LOCK),
            "xUnlock": (_c(p, _INT), _unlock, sqlite3.SQLITE_IOERR_UNLOCK),
            "xCheckReservedLock": (_c(p, p), _is_reserved, sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK),
            "xShmMap": (_c(p, _INT, _INT, _INT, p), _map_region, sqlite3.SQLITE_IOERR_SHMMAP),
            "xShmLock": (_c(p, _INT, _INT, _INT), _lock_region, sqlite3.SQLITE_IOERR_SHMLOCK),
            "xShmUnmap": (_c(p, _INT), _unmap, sqlite3.SQLITE_IOERR),
        }
        pointers = {name: _pointer(kind, _contained(does, fault)) for name, (kind, does, fault) in found.items()}
        pointers["xFileControl"] = _pointer(_c(p, _INT, p), _control)
        pointers["xDeviceCharacteristics"] = _pointer(_c(p), _characteristics)
        pointers["xShmBarrier"] = _pointer(ctypes.CFUNCTYPE(None, p), _barrier)
        _made_methods.append(_Methods(iVersion=2, **pointers))  # without xSectorSize: 4096, as on every Unix
    return ctypes.addressof(_made_methods[0])
