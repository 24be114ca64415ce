"""The application: which address leads where. A public one has signs and proofs, and no way to send anything."""

import asyncio
from typing import Any

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect
from structlog.typing import FilteringBoundLogger as Log

from controller.console import api, limits
from controller.console.assets import Assets
from controller.console.broker import Broker
from controller.console.downloads import Downloads
from controller.console.live import Follower, Live
from controller.console.pages import PAGES, PUBLIC_PAGES, Pages
from controller.console.security import Guard
from controller.console.sessions import Sessions
from controller.console.settings import Settings
from controller.console.texts import Texts

STUCK_SECONDS = 30.0  # for one message: a browser that takes longer shows nothing true any more, and comes again
TALKING = 1008  # why a socket is closed: against the rules


class Sockets:
    """`/live`: what tables say, to browsers."""

    def __init__(self, settings: Settings, live: Live, log: Log) -> None:
        self._settings = settings
        self._live = live
        self._log = log
        self._places = limits.Places(limits.SOCKETS_PER_ADDRESS, limits.MOST_SOCKETS)

    async def serve(self, socket: WebSocket) -> None:
        """One browser, until it goes."""
        tables = [name for name in socket.query_params.get("tables", "").split(",") if name]
        address = socket.client.host if socket.client is not None else ""
        if not tables or any(name not in self._settings.tables for name in tables):
            await socket.send_denial_response(PlainTextResponse("There is no such table here.\n", 404))
            return
        if not self._places.take(address):
            self._log.warning("too-many-sockets", address=address)
            await socket.send_denial_response(PlainTextResponse("Too many from this address: close some.\n", 429))
            return
        try:
            await socket.accept()
            follower = self._live.follow(tables)
            try:
                await self._serve(socket, follower)
            finally:
                self._live.leave(follower)
        finally:
            self._places.free(address)

    async def _serve(self, socket: WebSocket, follower: Follower) -> None:
        telling = asyncio.create_task(self._tell(socket, follower))
        hearing = asyncio.create_task(self._hear(socket))
        await asyncio.wait([telling, hearing], return_when=asyncio.FIRST_COMPLETED)
        for task in (telling, hearing):
            task.cancel()
        for ended in await asyncio.gather(telling, hearing, return_exceptions=True):
            if isinstance(ended, Exception) and not isinstance(ended, WebSocketDisconnect):
                self._log.error("socket-failed", exc_info=ended)

    async def _tell(self, socket: WebSocket, follower: Follower) -> None:
        try:
            while True:
                text = await follower.next()
                async with asyncio.timeout(STUCK_SECONDS):
                    await socket.send_text(text)
        except TimeoutError:
            self._log.warning("socket-stuck")

    async def _hear(self, socket: WebSocket) -> None:
        """A page has nothing to say here; one that talks is not ours."""
        message = await socket.receive()
        if message["type"] != "websocket.disconnect":
            await socket.close(TALKING)


def application(settings: Settings, broker: Broker, live: Live, texts: Texts, log: Log) -> ASGIApp:
    """All of it."""
    assets, sessions = Assets(), Sessions()
    pages, sockets = Pages(settings, assets, texts), Sockets(settings, live, log)
    routes: list[BaseRoute] = [
        Route("/", pages.home),
        Route("/static/{name}", assets.serve),
        Route("/texts/{language}.json", pages.catalog),
        WebSocketRoute("/live", sockets.serve),
        *(Route(f"/{page}", pages.page) for page in (PUBLIC_PAGES if settings.console.public else PAGES)),
    ]
    handlers: dict[Any, Any] = {}
    if not settings.console.public:
        ways = api.Api(settings, broker, sessions, log)
        downloads = Downloads(ways, log)
        routes += [
            Route("/slip/{award}", pages.slip),
            Route("/audit/download", downloads.serve),
            Route("/api/session", ways.session),
            Route("/api/sign-in", ways.sign_in, methods=["POST"]),
            Route("/api/sign-out", ways.sign_out, methods=["POST"]),
            Route("/api/command/{name}", ways.command, methods=["POST"]),
        ]
        handlers[api.RefusedError] = ways.refused
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    names = settings.console.names
    return Guard(app, names, tls=settings.console.tls)
