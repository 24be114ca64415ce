"""Signing in: a PIN looked at, the attempt recorded, and only then a token given.

One attempt is finished, with its record durable, before the next is looked at. So nobody gets more than five tries by
making them all at once.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from controller.core.facts import NOT_ALLOWED, SIGNED_IN, WRONG_PIN, AccessWasNoted
from controller.core.inputs import AccessNoted, Input, Person
from controller.core.operators import MOST_CLAIMED, MOST_DETAIL, locked_ms
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Answer, Clock
from controller.people.pace import Pace
from controller.people.pins import Pins
from controller.people.tokens import Session, Tokens

# Attempts that wait their turn, a tenth of a second each: nobody waits longer than two seconds.
MOST_WAITING = 16
# Wrong PINs from one origin, a browser at a console, in a minute: more than people there type, and the journal is not
# flooded. A client that names no origins is one.
WRONG_PER_MINUTE = 20
# Wrong PINs from one client in a minute, whatever origins it names: one that was taken over can name any. At a tenth of
# a second each they take ten seconds of the minute, so that other clients' people wait no longer than that; ten
# addresses at a console's own pace stay below it. What keeps a PIN from being guessed is the lock-out of its operator.
WRONG_OF_A_CLIENT = 100
# Origins counted one by one in a minute. Each has a wrong PIN, so that it takes ten clients at their most to fill them;
# those beyond share one count.
MOST_ORIGINS = 1000
# Wrong PINs within an hour that somebody should look into: people at a table mistype a few. One PIN tried at each of
# many operators locks nobody out, so it must show.
MANY_WRONG = 50
HOUR_SECONDS = 3600
MOST_TRIES = 1000  # remembered
# Refused commands of one client that are recorded in a minute. The last of them says that more are not.
REFUSED_PER_MINUTE = 60

WRONG = "wrong-pin"
LOCKED_OUT = "locked-out"


class Table(Protocol):
    """The engine, as far as signing in knows it."""

    @property
    def state(self) -> State:
        """The state as it is now."""

    async def submit(self, input_: Input) -> Answer:
        """Take an input; return when it is durable and answered."""


class NotLetIn(Struct, frozen=True):
    """Why someone is not signed in: the error for programs, the sentence for people."""

    error: str
    message: str


class SigningIn:
    """The way in to one table."""

    def __init__(
        self, table: Table, pins: Pins, tokens: Tokens, clock: Clock, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._table = table
        self._pins = pins
        self._tokens = tokens
        self._clock = clock
        self._wrong, self._wrong_of, self._refused = Pace(seconds, MOST_ORIGINS), Pace(seconds), Pace(seconds)
        self._seconds = seconds
        self._tries: deque[tuple[float, str]] = deque(maxlen=MOST_TRIES)  # when, and from which client
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def login(self, operator: str, pin: str, client: str, origin: str = "") -> Session | NotLetIn:
        """Sign someone in at a client. Whether there is such an operator shows in no answer and takes no longer.

        `origin` is where at the client they are, as far as it says so; wrong PINs are counted for each.
        """
        full = self._full(client, origin)
        if full is not None:  # who has had all tries takes nobody's place in the queue
            return full
        if self._waiting >= MOST_WAITING:
            return NotLetIn(LOCKED_OUT, f"{MOST_WAITING} others are signing in: try again in a few seconds")
        self._waiting += 1
        try:
            async with self._turn:
                return await self._login(_told(operator), pin, client, origin)
        finally:
            self._waiting -= 1

    async def _login(self, operator: str, pin: str, client: str, origin: str) -> Session | NotLetIn:
        full = self._full(client, origin)  # by those who waited before
        if full is not None:
            return full
        left = locked_ms(self._table.state, operator, self._now())
        if left:
            return _locked_out(left)
        right = await self._pins.right(operator, pin, known=self._role(operator) is not None)
        role = self._role(operator)  # asked again: it may have changed meanwhile
        if right and role is not None:
            await self._note(SIGNED_IN, operator, client)
            return self._tokens.login(Person(operator, role), client)
        self._wrong.count((client, origin))
        self._wrong_of.count(client)
        self._tries.append((self._seconds(), client))
        noted = (await self._note(WRONG_PIN, operator, client)).fact
        if isinstance(noted, AccessWasNoted) and noted.locked:
            return _locked_out(locked_ms(self._table.state, operator, self._now()))
        return NotLetIn(WRONG, "no operator has this id and this PIN: try again, or ask a supervisor for a new PIN")

    def guessing(self) -> str:
        """What to tell a technician where so many PINs were wrong that somebody may be guessing; otherwise nothing."""
        since = self._seconds() - HOUR_SECONDS
        clients = Counter(client for at, client in self._tries if at > since)
        if clients.total() < MANY_WRONG:
            return ""
        ((client, _),) = clients.most_common(1)
        many = f"{clients.total()} or more" if clients.total() == MOST_TRIES else str(clients.total())
        return (
            f"{many} wrong PINs within an hour, most from {client[:MOST_CLAIMED]}: see who is there, and query-actions"
        )

    def _full(self, client: str, origin: str) -> NotLetIn | None:
        """Why no PIN from there is looked at in this minute; nothing where one is."""
        if self._wrong.so_far((client, origin)) >= WRONG_PER_MINUTE:
            return NotLetIn(LOCKED_OUT, f"{WRONG_PER_MINUTE} wrong PINs from here within a minute: wait a minute")
        if self._wrong_of.so_far(client) >= WRONG_OF_A_CLIENT:
            why = f"{WRONG_OF_A_CLIENT} wrong PINs from this client within a minute: wait a minute"
            return NotLetIn(LOCKED_OUT, why)
        return None

    def whose(self, token: str, client: str) -> Person | None:
        """Who shows a token at a client. One whose role changed since, or who is no longer active, signs in anew."""
        person = self._tokens.whose(token, client)
        if person is not None and self._role(person.id) != person.role:
            self._tokens.forget_operator(person.id)
            return None
        return person

    def sign_out(self, token: str, client: str) -> None:
        """Forget a token at the client it is good at; elsewhere it stays."""
        if self._tokens.whose(token, client) is not None:
            self._tokens.forget(token)

    async def give_pin(self, operator: str, pin: str) -> None:
        """Keep an operator's new PIN, once the fact that adds or changes them is durable, and sign out the old one."""
        async with self._turn:  # nobody is let in with the old one meanwhile
            await self._pins.keep(operator, pin, self._now())
            self._tokens.forget_operator(operator)

    def take_pin(self, operator: str) -> None:
        """Keep no PIN of an operator, once the fact that disables them is durable."""
        self._pins.drop(operator)
        self._tokens.forget_operator(operator)

    async def refused(self, operator: str, client: str, command: str, why: str) -> None:
        """Record a command that someone may not give, or gave without a token that is good."""
        count = self._refused.count(client)
        if count > REFUSED_PER_MINUTE:
            return
        if count == REFUSED_PER_MINUTE:
            why = f"{why[: MOST_DETAIL // 2]} (more from this client in this minute are not recorded)"
        await self._note(NOT_ALLOWED, operator, client, command, why)

    def _role(self, operator: str) -> str | None:
        """The role of an operator who may sign in."""
        found = self._table.state.operators.get(operator)
        return found.role if found is not None and found.active else None

    async def _note(self, what: str, operator: str, client: str, command: str = "", why: str = "") -> Answer:
        noted = AccessNoted(
            at=self._now(),
            what=what,
            operator=_told(operator),
            client=_told(client),
            command=_told(command),
            detail=_told(why, MOST_DETAIL),
        )
        return await self._table.submit(noted)

    def _now(self) -> str:
        return stamp(self._clock.now())


def _told(text: str, most: int = MOST_CLAIMED) -> str:
    """Text of strangers as it can be recorded. What is cut or replaced is no operator's id any more."""
    return text.encode(errors="replace").decode()[:most]


def _locked_out(left_ms: int) -> NotLetIn:
    minutes = -(-left_ms // 60_000)
    when = f"in {minutes} minute{'' if minutes == 1 else 's'}"
    return NotLetIn(LOCKED_OUT, f"too many wrong PINs: try again {when}, or have a supervisor give a new PIN")
