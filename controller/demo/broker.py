"""The broker of a demonstration: amqtt, on loopback, with a new password for every user at each start.

It runs as a process of its own, `python -m controller.demo.broker`: the twins answer thousands of questions a second
in the demonstration's own process, and neither is to wait for the other. What it is told comes on standard input, so
that no password is in a list of processes.
"""

import asyncio
import hmac
import logging
import os
import sys
from collections import deque
from typing import Any

from amqtt.broker import Broker  # type: ignore[import-untyped]  # it ships no types
from amqtt.contexts import Action, ListenerConfig  # type: ignore[import-untyped]  # it ships no types
from amqtt.errors import BrokerError  # type: ignore[import-untyped]  # it ships no types
from amqtt.session import Session  # type: ignore[import-untyped]  # it ships no types
from msgspec import Struct, json

from controller.demo.rights import may_read, may_write

LOOPBACK = "127.0.0.1"
# amqtt ends a connection that is silent for its keepalive; clients say they are alive when that is over. Between the
# two it needs some seconds of patience.
PATIENCE_SECONDS = 5
MOST_CONNECTIONS = 64  # eight tables with a controller, staff and a watcher each, and as many signs again
MOST_TOLD = 4096  # bytes on standard input: a port and four passwords, in one piece of a pipe


class Told(Struct, frozen=True, forbid_unknown_fields=True):
    """What the broker is told at its start."""

    passwords: dict[str, str]  # by user
    port: int = 0  # 0: one that is free


class LoopbackBroker(Broker):  # type: ignore[misc]  # as above
    """amqtt with its doors shut: loopback only, users with their rights, and nothing for who did not ask for it."""

    def __init__(self, told: Told) -> None:
        listener = {"type": "tcp", "bind": f"{LOOPBACK}:{told.port}", "max_connections": MOST_CONNECTIONS}
        # An empty list of plugins: by default everybody is let in, and every packet is logged.
        config = {"listeners": {"default": listener}, "timeout_disconnect_delay": PATIENCE_SECONDS, "plugins": {}}
        super().__init__(config)
        self._passwords = {user: password.encode() for user, password in told.passwords.items()}

    @property
    def port(self) -> int:
        """Where it listens."""
        listening: Any = self._servers["default"].instance
        found: int = listening.sockets[0].getsockname()[1]
        return found

    async def _authenticate(self, session: Session, _: ListenerConfig) -> bool:
        kept = self._passwords.get(session.username or "", b"")
        return bool(kept) and hmac.compare_digest(kept, (session.password or "").encode())

    async def _topic_filtering(self, session: Session, topic: str, action: Action) -> bool:
        """Rights are looked at when something is said or asked for. What may be asked for may be received.

        This waits for nothing, so that nobody comes or goes while amqtt walks through the subscriptions.
        """
        if action == Action.RECEIVE:
            return True
        return (may_write if action == Action.PUBLISH else may_read)(session.username or "", topic)

    async def _publish_retained_messages_for_subscription(
        self, subscription: tuple[str, int], session: Session
    ) -> None:
        """Hand out what is retained to a session that holds the subscription, and to no other.

        amqtt calls this with every filter anybody holds for every client that connects: without these lines a sign
        would get the awards.
        """
        holders = self._subscriptions.get(subscription[0], [])
        if any(holder is session for holder, _ in holders):
            await super()._publish_retained_messages_for_subscription(subscription, session)

    async def _run_broadcast(self, running_tasks: deque[asyncio.Task[Any]]) -> None:
        """One message to all who hold a filter for it. As amqtt's own, without writing each into a log nobody reads."""
        said = await self._broadcast_queue.get()
        for filter_, holders in list(self._subscriptions.items()):
            if not self._matches(said["topic"], filter_):
                continue
            for session, qos in list(holders):
                handler = self._get_handler(session)
                if handler is None or session.transitions.state != "connected":
                    continue  # all clients here begin anew when they come back: nothing is kept for them
                sending = handler.mqtt_publish(said["topic"], said["data"], said.get("qos", qos), retain=False)
                running_tasks.append(asyncio.ensure_future(sending))


def quiet() -> None:
    """Let amqtt and what it stands on say only what ends them."""
    for name in ("amqtt", "transitions"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


async def serve(told: Told) -> None:
    """Run until standard input ends: whoever started it is gone, or wants it gone."""
    broker = LoopbackBroker(told)
    await broker.start()
    print(broker.port, flush=True)  # noqa: T201 -- the answer to who started it
    inputs = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(inputs), sys.stdin)
    await inputs.read()
    await broker.shutdown()


def main() -> int:
    """Serve as told by one line of standard input; tell the port on standard output."""
    quiet()
    told = json.decode(os.read(sys.stdin.fileno(), MOST_TOLD), type=Told)  # one write of a pipe arrives as a whole
    try:
        asyncio.run(serve(told))
    except BrokerError as error:
        print(f"the broker cannot listen on port {told.port}: {error.__cause__ or error}", file=sys.stderr)  # noqa: T201 -- its log
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
