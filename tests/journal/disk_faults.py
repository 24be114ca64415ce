"""Faults of a disk, brought about in the process that asks for them and in no other: use them in a child."""

import ctypes
import os
import platform
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journal.children import in_child

_libc = ctypes.CDLL(None, use_errno=True)

# System calls by number, for seccomp filters (Linux, asm/unistd.h).
_CALLS = {
    "x86_64": {"pread64": 17, "pwrite64": 18, "fsync": 74, "fdatasync": 75, "ftruncate": 77},
    "aarch64": {"pread64": 67, "pwrite64": 68, "fsync": 82, "fdatasync": 83, "ftruncate": 46},
}
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2  # prctl(2)
_LOAD_NUMBER, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF
_FAIL_WITH, _ALLOW = 0x00050000, 0x7FFF0000

_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000  # unshare(2)
_PRIVATE, _RECURSIVE, _READ_ONLY, _REMOUNT = 1 << 18, 1 << 14, 1, 32  # mount(2)


def fail_from_now_on(errno: int, *calls: str) -> None:
    """Have the kernel (seccomp) fail these system calls of this process from now on, as a disk would make it."""
    numbers = [_CALLS[platform.machine()][call] for call in calls]
    program = [(_LOAD_NUMBER, 0, 0, 0)]
    for number in numbers:
        program += [(_JUMP_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL_WITH | errno)]
    program.append((_RETURN, 0, 0, _ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    filter_ = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    _call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _call("prctl", _SECCOMP, _FILTER, ctypes.addressof(filter_), 0, 0)


def become_nobody() -> None:
    """Root is above permissions; nobody is not."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def _mount_disk(folder: Path, size: str) -> None:
    """A small disk of our own at `folder`, in a mount namespace that only this process sees and that ends with it."""
    user, group = os.geteuid(), os.getegid()
    _call("unshare", _NEW_MOUNTS if user == 0 else _NEW_MOUNTS | _NEW_USER)
    if user:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _call("mount", b"none", b"/", None, _PRIVATE | _RECURSIVE, None)
    _call("mount", b"tmpfs", bytes(folder), b"tmpfs", 0, f"size={size}".encode())


def remount_disk(folder: Path, *, read_only: bool) -> None:
    _call("mount", b"tmpfs", bytes(folder), b"tmpfs", _REMOUNT | (_READ_ONLY if read_only else 0), None)


def on_a_disk_of_its_own(folder: Path, work: Callable[[], None]) -> None:
    """Run `work` in a child that sees a file system of 48 MiB at `folder`."""

    def mount_and_work() -> str:
        try:
            _mount_disk(folder, "48m")
        except PermissionError as error:
            return str(error)
        work()
        return ""

    if refused := in_child(mount_and_work):
        pytest.skip(f"this machine lets nobody mount a disk ({refused}); the faults by seccomp stand for it")


def _call(name: str, *arguments: int | bytes | None) -> None:
    as_c = [ctypes.c_ulong(each) if isinstance(each, int) else each for each in arguments]
    if getattr(_libc, name)(*as_c):
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
