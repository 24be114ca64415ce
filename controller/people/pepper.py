"""The pepper: a secret outside of the journal, without which the hashes in it cannot be tried against PINs.

To change it, the former one is given beside the new one until everybody has signed in once.
"""

import hashlib
import os
import re
import stat
from pathlib import Path

from controller.rules.errors import BadInputError

PEPPER_FILE = "pin-pepper"  # its name among the credentials of the service
OLD_PEPPER_FILE = "pin-pepper-old"  # of the former one, while it is needed
PEPPER_BYTES = 32  # as many as the HMAC it keys puts out: more would add nothing
_HEX = re.compile(rb"([0-9a-fA-F]{64})\n?")
_MOST_FILE_BYTES = 2 * PEPPER_BYTES + 1  # hex digits and a newline
_LEAST_DIFFERENT_BYTES = 16  # of 32 random bytes fewer are different once in 10**16 times: what is, was typed
_NAMED = b"jackpotd/pin-pepper/v1"
_ID_DIGITS = 16
_SYSTEMD_MODE = 0o440  # of a credential: the group's bits stand for the service's user
_MAKE = "make one with: (umask 077; openssl rand -hex 32 > FILE)"


class PepperError(BadInputError):
    """A file that holds no pepper, or shows it to others; the message never tells what is in it."""


def pepper_id(pepper: bytes) -> str:
    """The name of a pepper, which tells nothing about it."""
    return hashlib.sha256(_NAMED + pepper).hexdigest()[:_ID_DIGITS]


def read_pepper(path: Path) -> bytes:
    """The pepper in a file of 64 hex digits, refused where others may have read it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe must not hold up the start
        try:
            refuse_exposed(path, os.fstat(descriptor))
            content = os.read(descriptor, _MOST_FILE_BYTES + 1)
        finally:
            os.close(descriptor)
    except OSError as error:
        remedy = f"give the pepper that the PINs were kept with; for a new table, {_MAKE}"
        raise PepperError(f"{path} cannot be read ({error.strerror}): {remedy}") from error
    found = _HEX.fullmatch(content)
    pepper = bytes.fromhex(found[1].decode("ascii")) if found else b""
    if len(set(pepper)) < _LEAST_DIFFERENT_BYTES:
        raise PepperError(f"{path} holds no pepper: it is to hold 64 hex digits, drawn at random; {_MAKE}")
    return pepper


def refuse_exposed(path: Path, status: os.stat_result) -> None:
    """Refuse a secret in a file that others can read, or could have put there."""
    if not stat.S_ISREG(status.st_mode):
        raise PepperError(f"{path} is not a plain file: put the secret itself there")
    if status.st_uid not in {0, os.geteuid()}:
        raise PepperError(f"{path} belongs to user {status.st_uid}: chown it to root or to the service's own user")
    mode = stat.S_IMODE(status.st_mode)
    by_systemd = mode == _SYSTEMD_MODE and not path.parent.stat().st_mode & 0o227
    if mode & 0o077 and not by_systemd:
        raise PepperError(f"{path} is open to others (mode {mode:04o}): chmod 600 it, and change it if it was read")
