"""PINs: their form, and the hashes that are all that is kept of them.

A hash is argon2id over HMAC-SHA-256 of the operator's id and the PIN, keyed with the pepper. So a copy of the journal
alone tells no PIN, however short, and a hash put in another operator's row fits no PIN.
"""

import asyncio
import hmac
import re
import secrets
from base64 import b64encode
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from controller.journal.pins import Pin, PinStore
from controller.people.pepper import PEPPER_BYTES
from controller.rules.errors import BadInputError

# Six: a million values, of which a lock-out lets 480 be tried a day. Twelve: more nobody remembers or types at a table.
FEWEST_DIGITS, MOST_DIGITS = 6, 12
# One at a time: a second core is left for play, and memory is that of one.
HASHES_AT_ONCE = 1
# A tenth of a second on a small computer, and half as much memory again as OWASP's least. More would be felt in a
# service that is to stay below 100 MB; the pepper, not the cost, keeps short PINs from being searched for.
MEMORY_KIB, PASSES, LANES = 32 * 1024, 3, 1
_SALT_BYTES, _HASH_BYTES = 16, 32

_PIN = re.compile(f"[0-9]{{{FEWEST_DIGITS},{MOST_DIGITS}}}", re.ASCII)
_KEYED = b"jackpotd/pin/v1\0"


class BadPinError(BadInputError):
    """A PIN that is not of the form of one. The message does not repeat it."""


def refuse_bad_form(pin: str) -> None:
    """Refuse what is no PIN."""
    if _PIN.fullmatch(pin) is None:
        raise BadPinError(f"a PIN has {FEWEST_DIGITS} to {MOST_DIGITS} digits and nothing else")


class Pins:
    """PINs kept in a journal. `Pins(journal, pepper)`: both hashing and trying run in a thread, one at a time."""

    def __init__(self, store: PinStore, pepper: bytes, *, memory_kib: int = MEMORY_KIB, passes: int = PASSES) -> None:
        if len(pepper) != PEPPER_BYTES:
            raise ValueError(f"a pepper has {PEPPER_BYTES} bytes, not {len(pepper)}")
        self._store = store
        self._pepper = pepper
        self._hasher = PasswordHasher(passes, memory_kib, LANES, hash_len=_HASH_BYTES, salt_len=_SALT_BYTES)
        # What fits nothing, tried for names nobody has: the answer takes as long as for one that somebody has.
        salt, digest = (_unpadded(secrets.token_bytes(length)) for length in (_SALT_BYTES, _HASH_BYTES))
        self._nobodys = f"$argon2id$v=19$m={memory_kib},t={passes},p={LANES}${salt}${digest}"
        # Held in the thread: a caller who is cancelled leaves, and the thread goes on for a moment.
        self._free = BoundedSemaphore(HASHES_AT_ONCE)

    async def keep(self, operator: str, pin: str, at: str) -> None:
        """Keep an operator's new PIN in place of the last; durable when it returns."""
        refuse_bad_form(pin)
        hash_ = await asyncio.to_thread(self._hashed, self._keyed(operator, pin))
        self._store.keep_pin(Pin(operator, hash_, at))

    def drop(self, operator: str) -> None:
        """Keep no PIN of an operator, who can then not sign in."""
        self._store.drop_pin(operator)

    async def right(self, operator: str, pin: str, *, known: bool = True) -> bool:
        """Whether a PIN is the operator's. It takes as long where the operator is not known."""
        kept = self._store.pin(operator) if known else None
        hash_ = kept.hash if kept is not None else self._nobodys
        return await asyncio.to_thread(self._fits, hash_, self._keyed(operator, pin))

    def _keyed(self, operator: str, pin: str) -> bytes:
        said = _KEYED + operator.encode(errors="replace") + b"\0" + pin.encode(errors="replace")
        return hmac.digest(self._pepper, said, "sha256")

    def _hashed(self, keyed: bytes) -> str:
        with self._free:
            return self._hasher.hash(keyed)

    def _fits(self, hash_: str, keyed: bytes) -> bool:
        with self._free:
            try:
                return self._hasher.verify(hash_, keyed)
            except (VerificationError, InvalidHashError):  # another PIN, or a row someone has changed
                return False


def _unpadded(content: bytes) -> str:
    return b64encode(content).decode().rstrip("=")
