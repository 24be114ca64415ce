"""What pages ask for: who is signed in, signing in and out, and commands, which the controller answers.

The console decides nothing. It checks that a request comes from its own page, puts the token of who is signed in to
it, and hands back what the controller says. A refusal of the controller is an answer like any other; only what the
console itself refuses has a status of its own.
"""

import asyncio
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid4

import msgspec
from msgspec import Struct, json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from structlog.typing import FilteringBoundLogger as Log

from controller.console import limits, slips
from controller.console.broker import Answer, Broker, NoReplyError, UnderWayError, now
from controller.console.sessions import Left, Sessions, SignedIn
from controller.console.settings import Settings
from controller.wire.commands import MOST_ORIGIN, MOST_REQUEST_BYTES, REQUESTS
from controller.wire.commands import Request as Command

# A hand, a reason and a reference many times over; a Rules Submission has up to a mebibyte, some of it escaped.
MOST_BODY_BYTES, MOST_SUBMISSION_BYTES = MOST_REQUEST_BYTES, 2 * 1024 * 1024
BODY_SECONDS = 10.0  # for a whole body: who sends a byte now and then only wants to hold the place
MOST_OPERATOR, MOST_PIN = 80, 64  # characters, more than the controller takes
HEADER = "x-jackpotd-csrf"
OWN_COMMANDS = ("login", "logout")  # these have doors of their own
_GIVEN = {"token", "role", "name", "seconds", "epoch"}  # to who signs in
_FIXED = ("id", "at", "token", "second")
_SIGN_IN_AGAIN = "sign in again"  # how the controller begins what it says to a token it does not know


class RefusedError(Exception):
    """What the console refuses by itself: the status, the error for programs, the sentence for people."""

    def __init__(self, status: int, error: str, message: str) -> None:
        super().__init__(message)
        self.status, self.error, self.message = status, error, message


class _SignIn(Struct, frozen=True, forbid_unknown_fields=True):
    operator: str
    pin: str
    table: str

    def __repr__(self) -> str:
        return "_SignIn(…)"  # no log shows a PIN


class _Second(Struct, frozen=True, forbid_unknown_fields=True):
    operator: str
    pin: str

    def __repr__(self) -> str:
        return "_Second(…)"


class _Command(Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    table: str
    fields: dict[str, Any] = {}
    second: _Second | None = None

    def __repr__(self) -> str:
        return f"_Command({self.id})"


class Api:
    """The routes below `/api`."""

    def __init__(self, settings: Settings, broker: Broker, sessions: Sessions, log: Log) -> None:
        self._settings = settings
        self._broker = broker
        self._sessions = sessions
        self._log = log
        self._sign_ins = limits.Pace(limits.SIGN_INS_PER_MINUTE)
        self._commands = limits.Pace(limits.COMMANDS_PER_MINUTE)
        self._leaving: set[asyncio.Task[None]] = set()
        # With the prefix a browser takes the cookie from this very host alone, and only over TLS.
        self.cookie_name = "__Host-jackpotd" if settings.console.tls else "jackpotd"

    # -- routes --

    async def session(self, request: Request) -> Response:
        """`GET /api/session`: who is signed in, and what a page must show with its requests."""
        cookie = self.cookie(request)
        if cookie is not None:
            return _json(self._sessions.told(cookie))
        cookie = self._sessions.new_cookie()
        return self._with_cookie(_json(self._sessions.told(cookie)), cookie)

    async def sign_in(self, request: Request) -> Response:
        """`POST /api/sign-in`: a PIN goes to the controller, and a new cookie to the browser."""
        old = self._refuse_forged(request)
        self._pace(self._sign_ins, request)
        asked = _read(await _body(request, MOST_BODY_BYTES), _SignIn)
        reply = await self._login(asked.table, asked.operator, asked.pin, address(request))
        if not reply["ok"]:
            return _json(reply)
        cookie, left = self._sessions.sign_in(old, asked.table, asked.operator, reply)
        self._give_back(left)
        return self._with_cookie(_json({"ok": True, **self._sessions.told(cookie)}), cookie)

    async def sign_out(self, request: Request) -> Response:
        """`POST /api/sign-out`."""
        cookie = self._refuse_forged(request)
        self._pace(self._commands, request)
        self._give_back(self._sessions.sign_out(cookie))
        fresh = self._sessions.new_cookie()
        return self._with_cookie(_json(self._sessions.told(fresh)), fresh)

    async def command(self, request: Request) -> Response:
        """`POST /api/command/<name>`: what the controller answers to it, or why it was not even asked."""
        name = request.path_params["name"]
        cookie = self._refuse_forged(request)
        self._pace(self._commands, request)
        if name not in REQUESTS or name in OWN_COMMANDS:
            raise RefusedError(404, "unknown", f"there is no command {name[:40]!r} here")
        most = MOST_SUBMISSION_BYTES if name == "change-submission" else MOST_BODY_BYTES
        asked = _read(await _body(request, most), _Command)
        signed_in = self.signed_in(cookie, asked.table)
        return _json(await self._asked(request, name, asked, cookie, signed_in))

    async def _asked(
        self, request: Request, name: str, asked: _Command, cookie: str, signed_in: SignedIn
    ) -> dict[str, Any]:
        # Before any PIN is tried: what is malformed goes nowhere.
        command = typed(name, asked.id, asked.fields, signed_in.token)
        second = ""
        if asked.second is not None:
            self._pace(self._sign_ins, request)  # a PIN tried is a PIN tried
            reply = await self._login(asked.table, asked.second.operator, asked.second.pin, address(request))
            if not reply["ok"]:
                return reply
            second = str(reply["token"])
            command = msgspec.structs.replace(command, second=second)
        try:
            reply = await self.ask(asked.table, name, command, cookie)
        finally:
            if second:
                self._give_back([Left(asked.table, second)])
        return slips.with_picture(name, reply)

    # -- for these and for others --

    def cookie(self, request: Request) -> str | None:
        """The cookie of a browser, if it is one of ours."""
        found = request.cookies.get(self.cookie_name)
        return found if self._sessions.is_cookie(found) else None

    def signed_in(self, cookie: str | None, table: str) -> SignedIn:
        """Who is signed in at a table from this browser."""
        self._refuse_table(table)
        session = self._sessions.find(cookie)
        signed_in = session.tables.get(table) if session is not None else None
        if signed_in is None:
            raise RefusedError(401, "not-signed-in", f"sign in first: nobody is signed in at {table} here")
        return signed_in

    async def ask(self, table: str, name: str, command: Command, cookie: str) -> Answer:
        """Send a command of who is signed in, and tell the log that it was; what it says stays out of it."""
        reply = await self._sent(table, name, command, self._sessions.owner(cookie))
        session = self._sessions.find(cookie)
        if session is not None:
            self._sessions.used(session, table)
        operator = session.operator if session is not None else ""
        self._log.info(
            "command", table=table, command=name, operator=operator, ok=reply["ok"], error=reply.get("error", "")
        )
        if reply.get("error") == "not-allowed" and self._is_over(session.tables.get(table) if session else None, reply):
            self._sessions.ended(cookie, table)
            raise RefusedError(401, "not-signed-in", f"sign in again: {table} knows this sign-in no more")
        return reply

    @staticmethod
    def _is_over(signed_in: SignedIn | None, reply: Answer) -> bool:
        """Whether the controller does not know the token any more: it was restarted, or ended the sign-in."""
        restarted = signed_in is not None and signed_in.epoch != reply.get("epoch")
        return restarted or str(reply.get("message", "")).startswith(_SIGN_IN_AGAIN)

    async def refused(self, request: Request, error: Exception) -> Response:
        """The answer to what the console refuses by itself; the log has it."""
        if not isinstance(error, RefusedError):
            raise error
        self._log.warning("refused", path=request.url.path, error=error.error, address=address(request))
        told = {"ok": False, "error": error.error, "message": error.message}
        headers = {"retry-after": "60"} if error.status == HTTPStatus.TOO_MANY_REQUESTS else {}
        if error.status in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE):
            headers["connection"] = "close"  # the rest of the body is not wanted
        return Response(json.encode(told), error.status, headers, "application/json")

    # -- inside --

    async def _login(self, table: str, operator: str, pin: str, who: str) -> Answer:
        self._refuse_table(table)
        if len(operator) > MOST_OPERATOR or len(pin) > MOST_PIN:
            raise RefusedError(400, "bad-request", "an operator's id or PIN is never so long")
        # The controller counts wrong PINs for each address, so that one of them keeps nobody else from signing in.
        origin = limits.visitor(who)[:MOST_ORIGIN]
        command = _converted("login", {"operator": operator, "pin": pin, "origin": origin})
        reply = await self._sent(table, "login", command, "")
        self._log.info("sign-in", table=table, operator=operator, ok=reply["ok"], address=who)
        if reply["ok"] and not reply.keys() >= _GIVEN:
            raise RefusedError(502, "no-reply", f"{table} has another version than this console: bring them together")
        return reply

    async def _sent(self, table: str, name: str, command: Command, owner: str) -> Answer:
        try:
            return await self._broker.ask(table, name, command, owner)
        except NoReplyError as error:
            self._log.warning("no-reply", table=table, command=name)
            raise RefusedError(504, "no-reply", str(error)) from error
        except UnderWayError as error:
            raise RefusedError(409, "under-way", str(error)) from error

    def _give_back(self, left: list[Left]) -> None:
        """Sign tokens out at their controllers; nobody waits for that."""
        for each in left:
            task = asyncio.create_task(self._logout(each))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def _logout(self, left: Left) -> None:
        try:
            await self._broker.ask(left.table, "logout", _converted("logout", {"token": left.token}))
        except (NoReplyError, UnderWayError):
            self._log.warning("not-signed-out", table=left.table)  # it ends by itself, by idleness

    def _refuse_table(self, table: str) -> None:
        if table not in self._settings.tables:
            raise RefusedError(404, "unknown", f"there is no table {table[:80]!r} here")

    def _refuse_forged(self, request: Request) -> str:
        """The cookie of a request that a page of ours made; refused where another site may have made it."""
        cookie = self.cookie(request)
        if cookie is None or not self._sessions.is_csrf(cookie, request.headers.get(HEADER, "")):
            raise RefusedError(403, "forged", "this page is out of date: load it again")
        return cookie

    def _pace(self, pace: limits.Pace, request: Request) -> None:
        if not pace.take(address(request)):
            raise RefusedError(429, "too-many", "too much at once from this address: wait a minute")

    def _with_cookie(self, response: Response, cookie: str) -> Response:
        response.set_cookie(
            self.cookie_name, cookie, path="/", secure=self._settings.console.tls, httponly=True, samesite="strict"
        )
        return response


def typed(name: str, id_: str, fields: dict[str, Any], token: str) -> Command:
    """A command as its type has it; whatever does not fit goes no further."""
    try:
        own = str(UUID(id_))
    except ValueError:
        raise RefusedError(400, "bad-request", "id: a command has a UUID of its own") from None
    wrong = [key for key in fields if key in _FIXED]
    if wrong:
        raise RefusedError(400, "bad-request", f"fields.{wrong[0]}: that is not yours to say")
    return _converted(name, {**fields, "id": own, "token": token})


def _converted(name: str, fields: dict[str, Any]) -> Command:
    try:
        return msgspec.convert({"id": str(uuid4()), "at": now(), **fields}, REQUESTS[name])
    except msgspec.ValidationError as error:
        raise RefusedError(400, "bad-request", f"{name}: {error}") from error


def address(request: Request) -> str:
    """Where a visitor comes from."""
    return request.client.host if request.client is not None else ""


async def _body(request: Request, most: int) -> bytes:
    """A body of JSON, whole, in time and not too long."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusedError(415, "bad-request", "send JSON, and say so")
    too_long = RefusedError(413, "bad-request", f"a request here has at most {most} bytes")
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > most:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise too_long
    except TimeoutError:
        raise RefusedError(408, "bad-request", f"a request is sent within {BODY_SECONDS:.0f} s") from None
    except ClientDisconnect:
        raise RefusedError(400, "bad-request", "the request ended before it was whole") from None
    return bytes(body)


def _read(body: bytes, type_: type[Any]) -> Any:  # noqa: ANN401 -- of that type
    try:
        return json.decode(body, type=type_)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RefusedError(400, "bad-request", f"that is not what is asked for: {error}") from error


def _json(answer: dict[str, Any]) -> Response:
    """An answer without the controller's token: that stays here."""
    without = {key: value for key, value in answer.items() if key != "token"}
    return Response(json.encode(without), media_type="application/json")
