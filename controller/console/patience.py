"""How long a connection may take to say what it wants, and how many one visitor may hold.

The library bounds neither: a browser that sends a letter of its request now and then would hold its place for ever.
"""

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from controller.console.limits import visitor

REQUEST_SECONDS = 10.0  # for the head of a request, from the connection or from its first byte
MOST_CONNECTIONS = 1024  # of all: 256 sockets, and browsers that load a page at once
# Of one address: 32 sockets, and as many browsers with six connections each while they load.
CONNECTIONS_PER_ADDRESS = 224


class Patience:
    """Who holds how many connections. A proxy that is trusted counts its visitors itself."""

    def __init__(self, trusted: frozenset[str] = frozenset()) -> None:
        self._trusted = trusted
        self._held: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Whether one more may come; it is counted in any case until `free`."""
        who = visitor(address)
        self._held[who] += 1
        return address in self._trusted or self._held[who] <= CONNECTIONS_PER_ADDRESS

    def free(self, address: str) -> None:
        """One has gone."""
        who = visitor(address)
        self._held[who] -= 1
        if self._held[who] <= 0:
            del self._held[who]


class Patient(H11Protocol):
    """The library's protocol, with an end to patience."""

    _late: asyncio.TimerHandle | None = None
    _address: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the library has it
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._patience: Patience = self.config.patience  # type: ignore[attr-defined]  # put there by `server.configured`
        if not self._patience.take(self._address):
            transport.abort()
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody to wait for."""
        self._wait_no_more()
        if self._address is not None:
            self._patience.free(self._address)
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes of a request: while its head is not whole, the clock runs on."""
        if self._late is None and self._is_idle():
            self._wait()
        super().data_received(data)
        if not self._is_idle():
            self._wait_no_more()

    def handle_websocket_upgrade(self, event: Any) -> None:  # noqa: ANN401 -- of the library
        """From here on it is a socket, which has a bound of its own."""
        self._wait_no_more()
        if self._address is not None:
            self._patience.free(self._address)
            self._address = None
        super().handle_websocket_upgrade(event)

    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]  # none before the first

    def _wait(self) -> None:
        self._late = self.loop.call_later(REQUEST_SECONDS, self._too_late)

    def _wait_no_more(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            self.transport.abort()
