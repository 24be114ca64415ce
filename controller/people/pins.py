"""PINs: their form, and the hashes that are all that is kept of them.

A hash is argon2id over HMAC-SHA-256 of the operator's id and the PIN, keyed with the pepper. So a copy of the journal
alone tells no PIN, however short, and a hash put in another operator's row fits no PIN. Before it stands the id of its
pepper: when that is changed, each operator's hash is made anew at their next sign-in.
"""

import asyncio
import hmac
import re
import secrets
from base64 import b64encode
from collections.abc import Awaitable, Callable
from threading import BoundedSemaphore
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from controller.journal.pins import Pin, PinStore
from controller.people.pepper import PEPPER_BYTES, pepper_id
from controller.rules.errors import BadInputError

# Six: a million values, of which a lock-out lets 480 be tried a day. Twelve: more nobody remembers or types at a table.
FEWEST_DIGITS, MOST_DIGITS = 6, 12
# One at a time: a second core is left for play, and memory is that of one.
HASHES_AT_ONCE = 1
# A tenth of a second on a small computer, and half as much memory again as OWASP's least. More would be felt in a
# service that is to stay below 100 MB; the pepper, not the cost, keeps short PINs from being searched for.
MEMORY_KIB, PASSES, LANES = 32 * 1024, 3, 1
_SALT_BYTES, _HASH_BYTES = 16, 32

_AFTER_ID = ":"
_PIN = re.compile(f"[0-9]{{{FEWEST_DIGITS},{MOST_DIGITS}}}", re.ASCII)
_KEYED = b"jackpotd/pin/v1\0"


Elsewhere = Callable[..., Awaitable[Any]]  # does something that takes long, where it keeps nobody waiting


class BadPinError(BadInputError):
    """A PIN that is not of the form of one. The message does not repeat it."""


def refuse_bad_form(pin: str) -> None:
    """Refuse what is no PIN."""
    if _PIN.fullmatch(pin) is None:
        raise BadPinError(f"a PIN has {FEWEST_DIGITS} to {MOST_DIGITS} digits and nothing else")


class Pins:
    """PINs kept in a journal. `Pins(journal, pepper)`: both hashing and trying run in a thread, one at a time.

    `old` is the former pepper, while some are still kept with it.
    """

    def __init__(  # noqa: PLR0913 -- where they are kept, and how dear they are
        self,
        store: PinStore,
        pepper: bytes,
        *,
        old: bytes | None = None,
        memory_kib: int = MEMORY_KIB,
        passes: int = PASSES,
        elsewhere: Elsewhere = asyncio.to_thread,
        token_bytes: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        peppers = [each for each in (old, pepper) if each is not None]
        for each in peppers:
            if len(each) != PEPPER_BYTES:
                raise ValueError(f"a pepper has {PEPPER_BYTES} bytes, not {len(each)}")
        self._store = store
        self._peppers = {pepper_id(each): each for each in peppers}
        self._current = pepper_id(pepper)
        self._first = next(iter(self._peppers))  # of hashes from before there were ids
        self._elsewhere, self._token_bytes = elsewhere, token_bytes
        self._hasher = PasswordHasher(passes, memory_kib, LANES, hash_len=_HASH_BYTES, salt_len=_SALT_BYTES)
        # What fits nothing, tried for names nobody has: the answer takes as long as for one that somebody has.
        salt, digest = (_unpadded(token_bytes(length)) for length in (_SALT_BYTES, _HASH_BYTES))
        self._nobodys = f"$argon2id$v=19$m={memory_kib},t={passes},p={LANES}${salt}${digest}"
        # Held in the thread: a caller who is cancelled leaves, and the thread goes on for a moment.
        self._free = BoundedSemaphore(HASHES_AT_ONCE)

    async def keep(self, operator: str, pin: str, at: str) -> None:
        """Keep an operator's new PIN in place of the last; durable when it returns."""
        refuse_bad_form(pin)
        self._store.keep_pin(Pin(operator, await self._made(operator, pin), at))

    def drop(self, operator: str) -> None:
        """Keep no PIN of an operator, who can then not sign in."""
        self._store.drop_pin(operator)

    async def right(self, operator: str, pin: str, *, known: bool = True) -> bool:
        """Whether a PIN is the operator's. It takes as long where the operator is not known.

        One that is right and was kept with the former pepper is kept with this one from now on.
        """
        kept = self._store.pin(operator) if known else None
        pepper, hash_ = self._parted(kept)
        right = bool(await self._elsewhere(self._fits, hash_, self._keyed(pepper, operator, pin)))
        if right and kept is not None and not self._is_current(kept):
            made = await self._made(operator, pin)
            if self._store.pin(operator) == kept:  # nobody took it away or gave another meanwhile
                self._store.keep_pin(kept._replace(hash=made))
        return right

    def under_other_peppers(self) -> tuple[int, int]:
        """How many PINs are kept with the former pepper, and with one that is not here: those fit nothing."""
        others = [self._pepper_of(each) for each in self._store.pins() if not self._is_current(each)]
        lost = sum(each not in self._peppers for each in others)
        return len(others) - lost, lost

    def _pepper_of(self, kept: Pin) -> str:
        id_, parted, _ = kept.hash.partition(_AFTER_ID)
        return id_ if parted else self._first

    def _is_current(self, kept: Pin) -> bool:
        return kept.hash.startswith(f"{self._current}{_AFTER_ID}")

    def _parted(self, kept: Pin | None) -> tuple[str, str]:
        """The id of a hash's pepper, and the hash itself; one that fits nothing where there is none to try."""
        id_ = self._pepper_of(kept) if kept is not None else ""
        if kept is None or id_ not in self._peppers:
            return self._current, self._nobodys
        return id_, kept.hash.rpartition(_AFTER_ID)[2]

    def _keyed(self, pepper: str, operator: str, pin: str) -> bytes:
        said = _KEYED + operator.encode(errors="replace") + b"\0" + pin.encode(errors="replace")
        return hmac.digest(self._peppers[pepper], said, "sha256")

    async def _made(self, operator: str, pin: str) -> str:
        hash_ = await self._elsewhere(self._hashed, self._keyed(self._current, operator, pin))
        return f"{self._current}{_AFTER_ID}{hash_}"

    def _hashed(self, keyed: bytes) -> str:
        with self._free:
            return self._hasher.hash(keyed, salt=self._token_bytes(_SALT_BYTES))

    def _fits(self, hash_: str, keyed: bytes) -> bool:
        with self._free:
            try:
                return self._hasher.verify(hash_, keyed)
            except (VerificationError, InvalidHashError):  # another PIN, or a row someone has changed
                return False


def _unpadded(content: bytes) -> str:
    return b64encode(content).decode().rstrip("=")
