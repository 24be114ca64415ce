"""Who is signed in at which browser. In memory only, and never a PIN.

A browser has a random cookie; under its digest is kept which tokens the controllers gave. The token against forged
requests is made from the cookie with a key of this process, so that browsers nobody signed in at cost no memory.
"""

import hmac
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from msgspec import Struct

COOKIE_BYTES = 32
# Browsers signed in at once: everybody of a floor several times over. Who comes then signs out the longest idle.
MOST_SESSIONS = 256
DEALER = "dealer"  # whose sign-in does not end by idleness
_WHOLE = len(secrets.token_urlsafe(COOKIE_BYTES))  # characters of a cookie


class SignedIn(Struct):
    """Someone at one table: the controller's token, and until when it is good."""

    token: str
    role: str
    name: str
    seconds: int
    epoch: int  # of the controller that gave it: another one knows it no more
    until: float

    def __repr__(self) -> str:
        return f"SignedIn({self.role})"  # no log shows a token


class Session(Struct):
    """One person at one browser."""

    operator: str
    tables: dict[str, SignedIn]
    used: float

    def __repr__(self) -> str:
        return f"Session({self.operator})"


class Left(Struct, frozen=True):
    """A token that nobody uses any more, to be given back to its controller."""

    table: str
    token: str

    def __repr__(self) -> str:
        return f"Left({self.table})"


class Sessions:
    """Every session there is. The clock counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._held: dict[bytes, Session] = {}

    def __len__(self) -> int:
        return len(self._held)

    # -- cookies --

    @staticmethod
    def new_cookie() -> str:
        """A cookie nobody has had."""
        return secrets.token_urlsafe(COOKIE_BYTES)

    @staticmethod
    def is_cookie(text: str | None) -> bool:
        """Whether it looks like one of ours."""
        return text is not None and len(text) == _WHOLE and text.isascii()

    def csrf(self, cookie: str) -> str:
        """What a page shows with each request, and another site cannot know."""
        return hmac.new(self._key, cookie.encode(), sha256).hexdigest()

    def is_csrf(self, cookie: str | None, shown: str) -> bool:
        """Whether a request shows what was given to this cookie's page."""
        return cookie is not None and hmac.compare_digest(self.csrf(cookie).encode(), shown.encode())

    @staticmethod
    def owner(cookie: str) -> str:
        """The name a session's commands go under, which gives the cookie away to nobody."""
        return sha256(cookie.encode()).hexdigest()

    # -- people --

    def find(self, cookie: str | None) -> Session | None:
        """The session of a cookie; none where nobody is signed in, or no longer."""
        session = self._held.get(_digest(cookie)) if cookie else None
        if session is None:
            return None
        now = self._clock()
        session.tables = {table: each for table, each in session.tables.items() if now < each.until}
        if not session.tables:
            del self._held[_digest(cookie or "")]
            return None
        return session

    def sign_in(self, old: str | None, table: str, operator: str, reply: dict[str, Any]) -> tuple[str, list[Left]]:
        """Someone signed in: the cookie from now on, always a new one, and tokens to give back.

        The same person keeps their sign-ins at other tables; another person ends those of the one before.
        """
        before = self.find(old)
        kept: dict[str, SignedIn] = {}
        left: list[Left] = []
        if before is not None:
            del self._held[_digest(old or "")]
            if before.operator == operator:
                kept = {name: each for name, each in before.tables.items() if name != table}
            left = [Left(name, each.token) for name, each in before.tables.items() if name not in kept]
        now = self._clock()
        if len(self._held) >= MOST_SESSIONS:
            idle = min(self._held, key=lambda each: self._held[each].used)
            left += [Left(name, each.token) for name, each in self._held.pop(idle).tables.items()]
        kept[table] = SignedIn(
            reply["token"], reply["role"], reply["name"], reply["seconds"], reply["epoch"], now + reply["seconds"]
        )
        cookie = self.new_cookie()
        self._held[_digest(cookie)] = Session(operator, kept, now)
        return cookie, left

    def used(self, session: Session, table: str) -> None:
        """A command was sent: all sign-ins but a dealer's are put off."""
        session.used = now = self._clock()
        signed_in = session.tables.get(table)
        if signed_in is not None and signed_in.role != DEALER:
            signed_in.until = now + signed_in.seconds

    def ended(self, cookie: str, table: str) -> None:
        """A controller knows a sign-in no more."""
        session = self._held.get(_digest(cookie))
        if session is not None:
            session.tables.pop(table, None)

    def sign_out(self, cookie: str | None) -> list[Left]:
        """Nobody is signed in here from now on; the tokens to give back."""
        session = self._held.pop(_digest(cookie), None) if cookie else None
        return [] if session is None else [Left(table, each.token) for table, each in session.tables.items()]

    def told(self, cookie: str) -> dict[str, Any]:
        """What a page may know of its session."""
        session = self.find(cookie)
        about: dict[str, Any] = {"csrf": self.csrf(cookie)}
        if session is None:
            return about
        now = self._clock()
        tables = {
            table: {"name": each.name, "role": each.role, "seconds": int(each.until - now)}
            for table, each in session.tables.items()
        }
        first = next(iter(session.tables.values()))
        seconds = max(int(each.until - now) for each in session.tables.values())
        expires = (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="seconds")
        return about | {
            "operator": session.operator,
            "name": first.name,
            "role": first.role,
            "seconds": seconds,
            "expires": expires.replace("+00:00", "Z"),
            "tables": tables,
        }


def _digest(cookie: str) -> bytes:
    return sha256(cookie.encode(errors="replace")).digest()
