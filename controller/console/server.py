"""`jackpotd console`: one process that listens to the broker and serves pages, until it is stopped."""

import asyncio
import signal
import socket
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import uvicorn
from structlog.typing import FilteringBoundLogger as Log

from controller.console import settings as read_settings
from controller.console import texts
from controller.console.app import application
from controller.console.broker import Broker
from controller.console.live import TICK_SECONDS, Live
from controller.console.patience import MOST_CONNECTIONS, Patience, Patient
from controller.console.security import MOST_HEADER_BYTES
from controller.console.settings import ConsoleSettings, Settings
from controller.mqtt import end
from controller.notify import Notifier
from controller.rules.errors import BadInputError

GRACE_SECONDS = 2  # for open sockets, at a stop: browsers keep them for ever
KEEP_ALIVE_SECONDS = 5  # a browser that comes back later makes another connection
MOST_SAID_BYTES = 1024  # by a browser over a socket, which has nothing to say
PING_SECONDS = 10.0  # a browser that is gone without a word holds its place no longer than twice this
WATCHDOG_SHARE = 3  # signs of life in each span that systemd waits


class FailedError(Exception):
    """A part of the console ended, and the console with it."""


class Server:
    """The console. `run` returns when it was stopped."""

    def __init__(self, settings: Settings, password: str | None, log: Log, notifier: Notifier) -> None:
        self._settings = settings
        self._log = log
        self._notifier = notifier
        self._live = Live(settings.tables, log)
        self._broker = Broker(settings, password, self._live, log)
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Serve until SIGTERM, or until a part of it fails."""
        for which in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(which, self._stop.set)
        app = application(self._settings, self._broker, self._live, texts.load(), self._log)
        console = self._settings.console
        server = _Uvicorn(configured(app, console))
        listening = _listen(console)
        tasks = {
            "broker": asyncio.create_task(self._broker.run(), name="broker"),
            "ticks": asyncio.create_task(self._live.tick(), name="ticks"),
            "pages": asyncio.create_task(server.serve(sockets=[listening]), name="pages"),
        }
        try:
            starting = asyncio.create_task(server.up.wait())
            await asyncio.wait([starting, tasks["pages"]], return_when=asyncio.FIRST_COMPLETED)
            starting.cancel()
            where = f"{'https' if console.certificate else 'http'}://{_shown(console)}/"
            self._log.info("listening", address=where, tables=list(self._settings.tables), public=console.public)
            self._notifier.ready()
            self._notifier.status(f"serving {where}")
            tasks["watchdog"] = asyncio.create_task(self._watch(), name="watchdog")
            stopping = asyncio.create_task(self._stop.wait())
            await asyncio.wait([stopping, *tasks.values()], return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
        finally:
            self._notifier.stopping()
            self._log.info("stopping")
            failed = [task for task in tasks.values() if task.done()]
            server.should_exit = True
            await asyncio.wait([tasks["pages"]], timeout=2 * GRACE_SECONDS)
            await end(*tasks.values())
        for task in failed:
            task.result()  # raises what ended it
        if failed and not self._stop.is_set():
            raise FailedError(f"{failed[0].get_name()} came to an end")

    async def _watch(self) -> None:
        """Tell systemd that browsers are served, as long as they are told each second that they are."""
        if self._notifier.watchdog_seconds is None:
            await asyncio.Event().wait()
        ticks = -1
        while True:
            if self._live.ticks != ticks:
                ticks = self._live.ticks
                self._notifier.watchdog()
            await asyncio.sleep(max(TICK_SECONDS, (self._notifier.watchdog_seconds or 0) / WATCHDOG_SHARE))


class _Uvicorn(uvicorn.Server):
    """Says when it listens, and leaves the signals to us."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        self.up.set()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """As the library's, without taking the signals."""
        await self._serve(sockets)


def configured(app: Any, console: ConsoleSettings) -> uvicorn.Config:  # noqa: ANN401 -- an ASGI application
    """How the pages are served: every limit in one place."""
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=Patient,
        ws="websockets-sansio",
        ws_max_size=MOST_SAID_BYTES,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False,  # its tables would be most of the memory of a socket
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=console.behind_proxy,
        forwarded_allow_ips=list(console.proxies) if console.behind_proxy else [],
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
    )
    config.patience = Patience(trusted=frozenset(console.proxies) if console.behind_proxy else frozenset())  # type: ignore[attr-defined]  # carried to each connection
    if console.certificate:
        config.load()
        config.ssl = _tls(console)
    return config


def _tls(console: ConsoleSettings) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(console.certificate, console.key)
    except OSError as error:
        named = f"{console.certificate}, {console.key}"
        raise BadInputError(f"console.certificate: these cannot be used ({named}): {error}") from error
    return context


def _listen(console: ConsoleSettings) -> socket.socket:
    """The socket, made here so that a port that is taken is an error with a name."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            console.host, console.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise BadInputError(f"console.host: {console.host} is no address of this machine: {error}") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
    except OSError as error:
        listening.close()
        raise BadInputError(
            f"console.port: nobody can listen on {_shown(console)}: {error.strerror}: another program may, "
            "choose another port"
        ) from error
    listening.setblocking(False)  # noqa: FBT003 -- as the library has it
    return listening


def _shown(console: ConsoleSettings) -> str:
    return f"[{console.host}]:{console.port}" if ":" in console.host else f"{console.host}:{console.port}"


async def serve(config: Path, environ: Mapping[str, str], log: Log) -> None:
    """Read the settings, and serve until stopped."""
    settings = read_settings.read(config)
    password = read_settings.password(environ, settings.mqtt)
    await Server(settings, password, log, Notifier.from_environment(environ)).run()
