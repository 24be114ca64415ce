"""What holds for every answer and every visitor: headers, the name a box is called by, where a request is from."""

from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
HSTS = "max-age=31536000"  # a year: who has come by TLS once comes by nothing else
SAFE = ("GET", "HEAD")
MOST_HEADER_BYTES = 16 * 1024  # of one request: a browser sends two


class Guard:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, names: Iterable[str], *, tls: bool) -> None:
        self._app = app
        self._names = {name.lower() for name in (*names, "localhost")}
        self._tls = tls

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a strange name or origin; otherwise let it pass, and put the headers on the answer."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
                if self._tls:
                    headers["strict-transport-security"] = HSTS
            await send(message)

        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADER_BYTES:
            await PlainTextResponse("That is too much of a head.\n", 431)(scope, receive, guarded)
            return
        why = self._wrong(scope)
        await (PlainTextResponse(f"{why}\n", 403) if why else self._app)(scope, receive, guarded)

    def _wrong(self, scope: Scope) -> str:
        """Why a request is refused unseen; nothing for one that may pass."""
        headers = Headers(scope=scope)
        host = headers.getlist("host")
        if len(host) != 1 or not self._is_ours(host[0]):
            return "This box is not called by that name: see [console] names."
        if scope["type"] == "http" and scope["method"] in SAFE:
            return ""
        # Another site in the same browser can send requests with our cookies, but not with our origin.
        scheme = "https" if self._tls else "http"
        if [each.lower() for each in headers.getlist("origin")] != [f"{scheme}://{host[0].lower()}"]:
            return "This does not come from a page of this console."
        return ""

    def _is_ours(self, host: str) -> bool:
        """Whether a browser may call us so. Addresses it may: nobody can make those point elsewhere, as names can."""
        try:
            split = urlsplit(f"//{host}")
            name, _ = split.hostname or "", split.port
        except ValueError:
            return False
        if split.netloc != host or "@" in host or split.path or split.query:
            return False
        if name in self._names:
            return True
        try:
            return bool(ip_address(name))
        except ValueError:
            return False
