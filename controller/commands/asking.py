"""Who asks: not too long ago, signed in at this client, allowed to, and with whom."""

from datetime import datetime
from typing import NamedTuple

from controller.commands import requests
from controller.commands.requests import MOST_CLIENT, NOBODY, BadRequestError
from controller.core.inputs import Person
from controller.engine import Clock
from controller.people.rights import may
from controller.people.signing_in import SigningIn
from controller.wire import commands as wire
from controller.wire.commands import MOST_AGE_SECONDS, ErrorName, Request

_SIGN_IN = "sign in again: nobody is signed in at this client with that token"


class NoFurtherError(Exception):
    """A command goes no further: the error for programs, the sentence for people."""

    def __init__(self, error: ErrorName, message: str) -> None:
        super().__init__(message)
        self.error: ErrorName = error


class Question(NamedTuple):
    """A command as it came. Under its key the core remembers it; clients that choose the same id do not meet."""

    client: str
    name: str
    request: Request
    key: str
    said: bytes


def question(client: str, name: str, id_: str, payload: bytes) -> Question:
    """The command in a message."""
    request = requests.read(name, payload)
    if len(client) > MOST_CLIENT:
        raise BadRequestError(f"a client's name has at most {MOST_CLIENT} characters")
    return Question(client, name, request, f"{client}/{id_.lower()}", requests.said(name, request))


def refuse_age(request: Request, clock: Clock) -> None:
    """Refuse what was asked too long ago, or will be: a command that lay around must not do anything."""
    try:
        at = datetime.fromisoformat(request.at)
        seconds = at.timestamp() if at.tzinfo else None
    except (ValueError, OverflowError):
        seconds = None
    if seconds is None:
        raise NoFurtherError("bad-request", "at: write when it is asked like 2026-11-16T11:15:00Z")
    age = clock.now() / 1_000_000 - seconds
    if abs(age) > MOST_AGE_SECONDS:
        way = "old" if age > 0 else "ahead"
        why = f"{abs(age):.0f} s {way}, and at most {MOST_AGE_SECONDS} are taken: ask anew, or set the clocks"
        raise NoFurtherError("stale", why)


async def who(asked: Question, signing_in: SigningIn) -> tuple[Person, Person | None]:
    """Who asks, and with whom; refused, and the refusal recorded, where they may not."""

    async def refused(by: str, error: ErrorName, why: str) -> NoFurtherError:
        await signing_in.refused(by, asked.client, asked.name, why)
        return NoFurtherError(error, why)

    name, request = asked.name, asked.request
    if isinstance(request, wire.Logout):  # whoever shows a token may give it back
        return NOBODY, None
    by = signing_in.whose(request.token, asked.client)
    if by is None:
        raise await refused("", "not-allowed", _SIGN_IN)
    if not may(by.role, name):
        raise await refused(by.id, "not-allowed", f"{by.id} is {by.role}: not for {name}")
    if not request.second:
        return by, None
    second = signing_in.whose(request.second, asked.client)
    if second is None:
        raise await refused(by.id, "second-person", f"the second person: {_SIGN_IN}")
    if second.id == by.id:
        raise await refused(by.id, "second-person", f"{by.id} signed twice: two people sign")
    if not may(second.role, name):
        why = f"the second person, {second.id}, is {second.role}: not for {name}"
        raise await refused(by.id, "second-person", why)
    return by, second
