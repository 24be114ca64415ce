"""Tokens: what someone who signed in shows with each command. In memory only: a restart signs everybody out."""

import secrets
import time
from collections.abc import Callable
from hashlib import sha256

from msgspec import Struct

from controller.core.inputs import DEALER, Person

TOKEN_BYTES = 32
# A dealer signs in once for a shift, at a table that is never left alone.
DEALER_SECONDS = 12 * 60 * 60
# Others come to a table for a minute. A screen they leave open is closed after five of idleness.
IDLE_SECONDS = 5 * 60
# Everybody at one table and on its floor many times over. Whoever signs in after that signs out the longest idle.
MOST_TOKENS = 256


class Session(Struct, frozen=True):
    """Someone signed in: the token, and for how many seconds it is good (of idleness, except a dealer's)."""

    token: str
    person: Person
    seconds: int

    def __repr__(self) -> str:
        return f"Session({self.person}, {self.seconds} s)"  # no log shows a token


class _Held(Struct):
    person: Person
    client: str
    until: float
    used: float


class Tokens:
    """The tokens that are good. The clock counts seconds and never goes back."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, drawn: Callable[[int], str] = secrets.token_urlsafe
    ) -> None:
        self._clock = clock
        self._drawn = drawn
        self._held: dict[bytes, _Held] = {}  # by digest: how long a look takes tells nothing about a token

    def __len__(self) -> int:
        return len(self._held)

    def login(self, person: Person, client: str) -> Session:
        """A new token for someone at a client; good there and nowhere else."""
        self.expire()
        if len(self._held) >= MOST_TOKENS:
            del self._held[min(self._held, key=lambda each: self._held[each].used)]
        token, seconds, now = self._drawn(TOKEN_BYTES), lifetime(person.role), self._clock()
        self._held[_digest(token)] = _Held(person, client, now + seconds, now)
        return Session(token, person, seconds)

    def whose(self, token: str, client: str) -> Person | None:
        """Who shows a token; nobody where it is unknown, over, or another client's. Each use puts off its end."""
        key, now = _digest(token), self._clock()
        held = self._held.get(key)
        if held is None or held.client != client:
            return None
        if now >= held.until:
            del self._held[key]
            return None
        held.used = now
        if held.person.role != DEALER:
            held.until = now + IDLE_SECONDS
        return held.person

    def forget(self, token: str) -> None:
        """Sign out."""
        self._held.pop(_digest(token), None)

    def forget_operator(self, operator: str) -> None:
        """Sign someone out everywhere: disabled, or given another role or PIN."""
        self._held = {key: held for key, held in self._held.items() if held.person.id != operator}

    def expire(self) -> None:
        """Forget what is over."""
        now = self._clock()
        self._held = {key: held for key, held in self._held.items() if now < held.until}


def lifetime(role: str) -> int:
    """Seconds that a token of a role is good for."""
    return DEALER_SECONDS if role == DEALER else IDLE_SECONDS


def _digest(token: str) -> bytes:
    return sha256(token.encode(errors="replace")).digest()
