"""Mystery values in secret: drawn, committed to, sealed and unsealed; and the keys that seal them.

A value is in clear only in memory, for the decision that needs it. No error and no repr tells one, or a key.
"""

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from controller.core.chance import Draw, Ready
from controller.rules.errors import BadInputError

KEY_FILE = "vault-key"
LINK_KEY_FILE = "link-key"  # the same key for every table of a link
OLD_KEYS = "-old-"
OLD_KEY_FILES = f"{KEY_FILE}{OLD_KEYS}"  # and a name of the house's choice: kept to unseal what they sealed

_COMMITTED = "jackpotd/mystery/v1"
_KEY_NAMED = b"jackpotd/vault-key/v1"
_KEY_BYTES = 32  # AES-256
_KEY_ID_DIGITS = 16
_VALUE_NONCE_BYTES = 32  # a commitment must not be searched for its value: far more than there are cents to try
_SEAL_NONCE_BYTES = 12  # GCM's own; drawn at random it allows 2**32 seals under a key, centuries of a busy table
_CENTS_BYTES = 8
_MOST_NUMBER = 2**63 - 1  # the largest integer of the journal's database
_MOST_TEXT_BYTES = 2**16 - 1  # its length is written in two bytes

# Seal nonce, cents and value nonce, and GCM's tag of 16 bytes, in lowercase hex: one text for one sealed value.
_SEALED = re.compile(f"[0-9a-f]{{{2 * (_SEAL_NONCE_BYTES + _CENTS_BYTES + _VALUE_NONCE_BYTES + 16)}}}")
_HEX_KEY = re.compile(rb"([0-9a-fA-F]{64})\n?")
_TYPED = re.compile(rb"[\t\n\r -~]+")  # by hand or as hex: 32 random bytes look so once in 10**13 times
_MOST_KEY_FILE_BYTES = 65  # 64 hex digits and a newline
_LEAST_DIFFERENT_BYTES = 16  # of a key's 32: a random key has about 30, and fewer than 16 never
# systemd lets the service's user in by an access list, which shows as the group's bits: 0440 in a directory of 0550.
_SYSTEMD_MODE = 0o440
_MAKE_KEY = "make one with (umask 077; openssl rand -hex 32 > FILE)"


class VaultError(BadInputError):
    """What the vault refuses: the message names it and the remedy, and never a value."""


class NoKeyError(VaultError):
    """A sealed value whose key is not here. Its meter is faulted until the key is back; it is not drawn again."""


class SealBrokenError(VaultError):
    """A sealed value that was changed, or sealed for another table, meter or cycle. Its meter is faulted."""


class KeyFileError(VaultError):
    """A key file that is missing, exposed to others or holds no key."""


def commitment(table: str, meter: str, cycle: int, cents: int, nonce: bytes) -> str:
    """The public promise of a value, lowercase hex; `table` is "<site>/<table>", or the name of a link."""
    if len(nonce) != _VALUE_NONCE_BYTES:
        raise VaultError(f"the nonce of a mystery value has {_VALUE_NONCE_BYTES} bytes, not {len(nonce)}")
    promised = _text("label", _COMMITTED) + _place(table, meter, cycle) + _number("value in cents", cents) + nonce
    return hashlib.sha256(promised).hexdigest()


def key_id(key: bytes) -> str:
    """The name of a key, which tells nothing about it."""
    return hashlib.sha256(_KEY_NAMED + key).hexdigest()[:_KEY_ID_DIGITS]


class Vault:
    """Draws and unseals mystery values; made from keys by id, of which the current one seals.

    The generators are the operating system's; tests and simulations give their own.
    """

    __slots__ = ("_ciphers", "_current", "_randbelow", "_token_bytes")

    def __init__(
        self,
        keys: Mapping[str, bytes],
        current: str,
        *,
        randbelow: Callable[[int], int] = secrets.randbelow,
        token_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        if current not in keys:
            raise VaultError(f"the current key {current} is not among the keys given: {_listed(keys)}")
        wrong = [id_ for id_, key in keys.items() if len(key) != _KEY_BYTES]
        if wrong:
            raise VaultError(f"a vault key has {_KEY_BYTES} bytes: {_listed(wrong)} has another length")
        self._ciphers = {id_: AESGCM(key) for id_, key in keys.items()}
        self._current = current
        self._randbelow = randbelow
        self._token_bytes = token_bytes

    @property
    def current(self) -> str:
        """The id of the key that seals."""
        return self._current

    @property
    def former(self) -> set[str]:
        """The ids of the keys that only unseal."""
        return set(self._ciphers) - {self._current}

    def __repr__(self) -> str:
        return f"Vault(current={self._current}, keys={_listed(self._ciphers)})"

    def draw(self, table: str, meter: str, cycle: int, minimum_cents: int, maximum_cents: int) -> Draw:
        """A new value, uniform over whole cents in [minimum, maximum), sealed and committed to for one cycle."""
        if not 0 <= minimum_cents < maximum_cents <= _MOST_NUMBER:
            raise VaultError(
                f"no value can be drawn for {meter} at {table} in [{minimum_cents}, {maximum_cents}) cents: the "
                f"minimum must be 0 or more and below the maximum, the maximum at most {_MOST_NUMBER}"
            )
        place = _place(table, meter, cycle)
        cents = minimum_cents + self._randbelow(maximum_cents - minimum_cents)
        if not minimum_cents <= cents < maximum_cents:  # the ceiling is a promise: it rests on no other module's word
            raise VaultError(f"the random generator left its range for {meter}: nothing was drawn")
        nonce = self._token_bytes(_VALUE_NONCE_BYTES)
        promise = commitment(table, meter, cycle, cents, nonce)
        seal_nonce = self._token_bytes(_SEAL_NONCE_BYTES)
        if len(seal_nonce) != _SEAL_NONCE_BYTES:
            raise VaultError(f"the random generator gave {len(seal_nonce)} bytes, not {_SEAL_NONCE_BYTES}")
        clear = cents.to_bytes(_CENTS_BYTES, "big") + nonce
        sealed = seal_nonce + self._ciphers[self._current].encrypt(seal_nonce, clear, place)
        return Draw(cents, nonce.hex(), sealed.hex(), self._current, promise)

    def unseal(self, table: str, meter: str, cycle: int, key_id: str, sealed: str) -> tuple[int, str]:
        """The cents of a sealed value and its nonce in hex."""
        place = _place(table, meter, cycle)
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise NoKeyError(
                f"the value of {meter} at {table}, cycle {cycle}, is sealed with key {key_id}, which is not here "
                f"(these are: {_listed(self._ciphers)}): give it back as {KEY_FILE} or {OLD_KEY_FILES}NAME, that of a "
                f"link as {LINK_KEY_FILE}, and start again; the value is not drawn anew"
            )
        clear = _opened(cipher, sealed, place)
        if clear is None:
            raise SealBrokenError(
                f"the sealed value of {meter} at {table}, cycle {cycle}, does not open with its key {key_id}: it was "
                "changed, or sealed for another table, meter or cycle; find out how, and restore the journal from a "
                "whole copy; the value is not drawn anew"
            )
        return int.from_bytes(clear[:_CENTS_BYTES], "big"), clear[_CENTS_BYTES:].hex()

    def ready(  # noqa: PLR0913 -- the meter as it stands, and the range and number of the cycles to come
        self,
        table: str,
        meter: str,
        cycle: int,
        minimum_cents: int,
        maximum_cents: int,
        *,
        sealed: str | None,
        key_id: str,
        draws: int,
    ) -> Ready:
        """Chance for one decision: the standing value of `cycle`, and draws for the cycles after it, one by one.

        `sealed` is None where no value stands, and `cycle` then the one before the first. The range is that of the
        cycles to come: a changed submission takes effect at a reset.
        """
        cents, nonce = (None, "") if sealed is None else self.unseal(table, meter, cycle, key_id, sealed)
        following = range(cycle + 1, cycle + 1 + draws)
        return Ready(cents, nonce, tuple(self.draw(table, meter, k, minimum_cents, maximum_cents) for k in following))


def load(directory: Path, name: str = KEY_FILE) -> Vault:
    """A vault from the key files in a directory, as systemd hands them to a service in $CREDENTIALS_DIRECTORY.

    `vault-key` seals; every `vault-key-old-*` unseals only. A file holds 64 hex digits or 32 raw bytes. The keys of a
    link have another name.
    """
    try:
        old = sorted(path for path in directory.iterdir() if path.name.startswith(f"{name}{OLD_KEYS}"))
    except OSError as error:
        raise KeyFileError(
            f"the directory of vault keys {directory} cannot be read ({error.strerror}): it is to hold {name}; "
            f"under systemd, LoadCredential={name}:FILE in the unit makes it"
        ) from error
    keys = [_read_key(path) for path in (directory / name, *old)]
    return Vault({key_id(key): key for key in keys}, key_id(keys[0]))


def create_key(path: Path) -> str:
    """Write a new key to a new file that only its owner can read, durably, and return its id."""
    key = secrets.token_bytes(_KEY_BYTES)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise KeyFileError(
            f"{path} is there already and is not overwritten, or what it sealed could never be opened: use it, or "
            "choose another name"
        ) from error
    except OSError as error:
        raise KeyFileError(f"{path} cannot be made ({error.strerror}): choose a directory to write to") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(key.hex().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        _sync_directory(path.parent)
    except OSError as error:
        path.unlink()  # half a key is none, and would stand in the way of the next try
        raise KeyFileError(f"{path} cannot be written ({error.strerror}): make room and try again") from error
    return key_id(key)


def _sync_directory(directory: Path) -> None:
    """Make a new name in a directory survive a power cut."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_key(path: Path) -> bytes:
    """The key in a file, once it is sure that no one else can read it and that it looks drawn, not written."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe must not hold up the start
        try:
            _refuse_exposed(path, os.fstat(descriptor))
            content = os.read(descriptor, _MOST_KEY_FILE_BYTES + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError as error:
        raise KeyFileError(
            f"{path} is missing: give the key that sealed the standing values, under systemd with LoadCredential="
            f"{path.name}:FILE; for a new table, {_MAKE_KEY}"
        ) from error
    except OSError as error:
        raise KeyFileError(f"{path} cannot be read ({error.strerror}): let the service's user own it") from error
    if found := _HEX_KEY.fullmatch(content):
        key = bytes.fromhex(found[1].decode("ascii"))
    elif len(content) == _KEY_BYTES and not _TYPED.fullmatch(content):
        key = content
    else:
        raise KeyFileError(f"{path} holds no key: it is to hold 64 hex digits, or 32 raw bytes at random; {_MAKE_KEY}")
    if len(set(key)) < _LEAST_DIFFERENT_BYTES:
        raise KeyFileError(f"{path} holds a key too regular to be random, such as all zeros; {_MAKE_KEY}")
    return key


def _refuse_exposed(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise KeyFileError(f"{path} is not a plain file: put the key itself there")
    if status.st_uid not in {0, os.geteuid()}:
        raise KeyFileError(f"{path} belongs to user {status.st_uid}: chown it to root or to the service's own user")
    mode = stat.S_IMODE(status.st_mode)
    by_systemd = mode == _SYSTEMD_MODE and not path.parent.stat().st_mode & 0o227
    if mode & 0o077 and not by_systemd:
        raise KeyFileError(
            f"{path} is open to others (mode {mode:04o}): whoever has read it may know the values it sealed; chmod 600 "
            "it, and change the key if someone may have"
        )


def _opened(cipher: AESGCM, sealed: str, place: bytes) -> bytes | None:
    """What was sealed for a place, or None where this is not it, byte for byte."""
    if not _SEALED.fullmatch(sealed):
        return None
    box = bytes.fromhex(sealed)
    try:
        return cipher.decrypt(box[:_SEAL_NONCE_BYTES], box[_SEAL_NONCE_BYTES:], place)
    except InvalidTag:
        return None


def _place(table: str, meter: str, cycle: int) -> bytes:
    """The one cycle of one meter of one table that a value is for, so written that no two places are alike."""
    return _text("table", table) + _text("meter", meter) + _number("cycle", cycle)


def _text(what: str, text: str) -> bytes:
    try:
        written = text.encode()
    except UnicodeEncodeError:
        raise VaultError(f"the name of the {what} is not text that UTF-8 can write: {text[:100]!r}") from None
    if len(written) > _MOST_TEXT_BYTES:
        raise VaultError(f"the name of the {what} has {len(written)} bytes: at most {_MOST_TEXT_BYTES} are possible")
    return len(written).to_bytes(2, "big") + written


def _number(what: str, number: int) -> bytes:
    if not 0 <= number <= _MOST_NUMBER:
        raise VaultError(f"the {what} must be from 0 to {_MOST_NUMBER}")  # not told here: it may be the secret value
    return number.to_bytes(8, "big")


def _listed(ids: Mapping[str, object] | list[str]) -> str:
    return " ".join(sorted(ids)) or "none"
