"""Someone at a console without a browser: requests as bytes, a cookie jar, and sockets."""

import asyncio
import http.client
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from uuid import uuid4

from msgspec import json
from websockets.asyncio.client import ClientConnection, connect

from tests.console.house import NAME, Console
from tests.ports import free_port
from tests.service.house import PINS, WAIT_SECONDS


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 -- whatever it is
        """The body, read."""
        return json.decode(self.body)

    @property
    def error(self) -> str:
        """The error for programs."""
        return str(self.json.get("error", ""))

    def header(self, name: str) -> str:
        """A header, or nothing."""
        return next((value for key, value in self.headers if key.lower() == name), "")


class Visitor:
    """A browser's worth of cookies, from an address of its own if told."""

    def __init__(
        self, port: int, address: str = "127.0.0.1", *, host: str = "", tls: ssl.SSLContext | None = None
    ) -> None:
        self.port, self.address, self.tls = port, address, tls
        self.host = host or f"127.0.0.1:{port}"
        self.origin = f"{'https' if tls else 'http'}://{self.host}"
        self.cookies: dict[str, str] = {}
        self.csrf = ""

    async def get(self, path: str, **headers: str) -> Answer:
        """GET."""
        return await self.send("GET", path, b"", headers)

    async def post(self, path: str, body: object, **headers: str) -> Answer:
        """POST, as a page of the console does it. A header of an empty text is left out."""
        own = {"content-type": "application/json", "origin": self.origin, "x-jackpotd-csrf": self.csrf}
        payload = body if isinstance(body, bytes) else json.encode(body)
        return await self.send("POST", path, payload, {**own, **headers})

    async def send(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        """Any request."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"host": self.host, **({"cookie": cookies} if cookies else {})}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in sent.items() if value}
        answer = await asyncio.to_thread(self._send, method, path, body, sent)
        for key, value in answer.headers:
            if key.lower() == "set-cookie":
                name, _, rest = value.partition("=")
                self.cookies[name] = rest.partition(";")[0]
        return answer

    def _send(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        source = (self.address, 0)
        line: http.client.HTTPConnection
        if self.tls is None:
            line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_SECONDS, source_address=source)
        else:
            line = http.client.HTTPSConnection("localhost", self.port, timeout=WAIT_SECONDS, context=self.tls)
        try:
            line.request(method, path, body or None, headers)
            came = line.getresponse()
            return Answer(came.status, came.getheaders(), came.read())
        finally:
            line.close()

    async def arrive(self) -> None:
        """Load a page: get a cookie, and what is to be shown with it."""
        self.csrf = (await self.get("/api/session")).json["csrf"]

    async def sign_in(self, operator: str, table: str = NAME, pin: str = "") -> Answer:
        """Sign in, and take what comes with it."""
        if not self.csrf:
            await self.arrive()
        body = {"operator": operator, "pin": pin or PINS.get(operator, "000000"), "table": table}
        answer = await self.post("/api/sign-in", body)
        self.csrf = answer.json.get("csrf", self.csrf)
        return answer

    async def command(self, name: str, fields: dict[str, Any] | None = None, **more: Any) -> Answer:  # noqa: ANN401 -- of the body
        """Give a command."""
        body = {"id": str(uuid4()), "table": NAME, "fields": fields or {}, **more}
        return await self.post(f"/api/command/{name}", body)

    @asynccontextmanager
    async def follow(self, tables: str = NAME, origin: str = "") -> AsyncIterator[ClientConnection]:
        """A socket."""
        async with connect(
            f"ws://127.0.0.1:{self.port}/live?tables={tables}",
            origin=origin or self.origin,  # type: ignore[arg-type]  # a name for a text
            local_addr=(self.address, 0),
            open_timeout=WAIT_SECONDS,
            max_size=2**24,
        ) as socket:
            yield socket


def most_since(begun: float, per_minute: int) -> float:
    """How many a pace may have let through since then: a minute's worth, and what came back since."""
    return per_minute * (1 + (monotonic() - begun) / 60)


async def until_too_many(send: Callable[[int], Awaitable[Answer]], per_minute: int) -> list[Answer]:
    """Send, and send again, until the pace refuses one; all answers. It let a minute's worth through and no more."""
    begun = monotonic()
    answers = [await send(0)]
    while answers[-1].status != 429:
        assert len(answers) <= most_since(begun, per_minute)
        answers.append(await send(len(answers)))
    assert len(answers) > per_minute
    return answers


async def said(socket: ClientConnection, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Wait until a socket says something."""
    async with asyncio.timeout(WAIT_SECONDS):
        while True:
            message: dict[str, Any] = json.decode(await socket.recv())
            if wanted(message):
                return message


def alone(
    folder: Path,
    scene: Callable[[Console], Awaitable[None]],
    *,
    settings: str = "",
    tables: tuple[str, ...] = (NAME,),
    broker: int = 0,
) -> Console:
    """Play a scene at a console whose broker is not there."""

    async def main() -> Console:
        console = Console(folder, broker or free_port(), settings=settings, tables=tables)
        await console.start()
        try:
            await scene(console)
            if console.runs:
                assert await console.stop() == 0, console.raw_log.decode()
        finally:
            if console.runs:
                await console.kill()
        return console

    return asyncio.run(main())
