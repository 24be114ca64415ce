"""Those who listen: signs that put meters on display as docs/mqtt.md says, and an eye that people at the table use."""

from typing import Any

from msgspec import json

from controller.simulation import trace
from controller.simulation.broker import Message
from controller.simulation.trace import Trace
from controller.simulation.virtual import VirtualLoop
from controller.wire import topics


class Sign:
    """A display: topic by topic it shows the newest, and drops what stands lower than what it shows."""

    def __init__(self, name: str, base: str, loop: VirtualLoop, trace_: Trace) -> None:
        self.name = name
        self.filters = (f"{base}/#",)
        self._base = base + "/"
        self._loop = loop
        self._trace = trace_
        self._stands: dict[str, tuple[int, int]] = {}
        self.shown: dict[str, dict[str, Any]] = {}

    def hear(self, message: Message) -> None:
        """Show it, unless it is older than what is shown."""
        topic = message.topic.removeprefix(self._base)
        if topic.startswith(("commands/", "replies/", topics.EVENTS)):
            return
        if not message.payload:
            if self.shown.pop(topic, None) is not None:
                self._show(topic, b"")
            return
        told = json.decode(message.payload)
        stands = (told["epoch"], 0 if topic == topics.STATUS else told["seq"])
        if stands < self._stands.get(topic, (0, 0)):
            return
        self._stands[topic] = stands
        before, self.shown[topic] = self.shown.get(topic), told
        if topic != topics.STATUS or before is None or before["state"] != told["state"]:
            self._show(topic, message.payload)

    def forget(self) -> None:
        """It is switched off and on: what it showed is gone."""
        self._stands.clear()
        self.shown.clear()

    def _show(self, topic: str, payload: bytes) -> None:
        self._trace.add(trace.Shown(at=self._loop.microseconds(), sign=self.name, topic=topic, payload=payload))


class Books:
    """A back office that takes every fact the table tells."""

    def __init__(self, name: str, base: str, loop: VirtualLoop, trace_: Trace) -> None:
        self.name = name
        self.filters = (f"{base}/{topics.EVENTS}",)
        self._base = base + "/"
        self._loop = loop
        self._trace = trace_

    def hear(self, message: Message) -> None:
        """Note it."""
        topic, kept = message.topic.removeprefix(self._base), message.retain
        at = self._loop.microseconds()
        self._trace.add(trace.Heard(at=at, client=self.name, topic=topic, payload=message.payload, kept=kept))
