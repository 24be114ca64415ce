"""What boards and broker were told, moment by moment: which facts must be durable by then, whatever the disk does.

A lamp has no number. What a board was told is held against the lamps of every fact in turn, beginning where it was last
found: the first fact that lights it so is the least that the controller must have known. Dark lamps say nothing.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import json

from controller.core.lamps import lamps
from controller.core.state import State
from tests.crash.felt import Felt
from tests.crash.house import LIGHTS, POSITIONS, coil
from tests.crash.recorder import Kind, Operation
from tests.crash.wires import Coils, ModbusWire, MqttWire, Published

_NOT_TOGETHER = (0, 0)
NEVER = 10**9  # the fact of which something was told that no fact says


class Promise(NamedTuple):
    """The last fact that each kind of telling rests on."""

    lamp: int = 0
    message: int = 0
    reply: int = 0
    facts: int = 0  # told as events; the outbox may not be ahead of it
    pins: tuple[str, ...] = ()  # operators whose adding was answered


class Heard(NamedTuple):
    """A run as others heard it."""

    operations: list[Operation]  # without questions and keep-alives, which promise nothing
    promises: list[Promise]
    messages: list[tuple[str, bytes]]  # topics as under the table's own
    together: list[tuple[int, int]]  # the first and last fact of each message of facts, but a connection's first
    lit: int  # lamps that went on


class Listener:
    """Hears one run from beginning to end."""

    def __init__(self, base: str, rail: str, port: int, wagers: Sequence[str]) -> None:
        self._base, self._rail, self._port, self._wagers = f"{base}/", rail, str(port), wagers
        self._adding: dict[str, str] = {}
        self._patterns: list[list[frozenset[int]]] = []
        self._felt: Sequence[Felt] = ()
        self._at: dict[int, int] = {}  # of each board: the fact at which its lamps were last found
        self._shone: dict[int, frozenset[int]] = {}
        self._lit = 0
        self._messages: list[tuple[str, bytes]] = []
        self._together: list[tuple[int, int]] = []

    def hear(
        self, operations: Sequence[Operation], states: Sequence[State], felt: Sequence[Felt], adding: Mapping[str, str]
    ) -> Heard:
        """All of it. `adding`: the commands that added an operator, by their ids."""
        self._felt, self._adding = felt, dict(adding)
        self._patterns = [[_shining(state, wager) for state in states] for wager in self._wagers]
        kept, promises, promise = list[Operation](), list[Promise](), Promise()
        rail, connections = ModbusWire(), dict[int, MqttWire]()
        for operation in operations:
            if operation.kind is not Kind.SEND:
                kept.append(operation)
                promises.append(promise)
                continue
            before = promise
            if operation.name == self._rail:
                for coils in rail.take(operation.data):
                    promise = self._lamps(promise, coils)
            elif operation.name == self._port:
                if operation.file not in connections:
                    connections[operation.file] = MqttWire()
                    self._together.append(_NOT_TOGETHER)  # what comes first on it may be of several commits
                for said in connections[operation.file].take(operation.data):
                    promise = self._published(promise, said)
            if promise != before:
                kept.append(operation)
                promises.append(promise)
        spans = self._together
        together = [span for last, span in pairwise(spans) if _NOT_TOGETHER not in (last, span)]
        return Heard(kept, promises, self._messages, together, self._lit)

    # -- lamps --

    def _lamps(self, promise: Promise, coils: Coils) -> Promise:
        shining = frozenset(at for at, on in enumerate(coils.on, start=coils.first) if on)
        new = shining - self._shone.get(coils.board, frozenset())
        self._shone[coils.board] = shining
        self._lit += len(new)
        if not new:
            return promise
        wager, patterns = self._wagers[coils.board - 1], self._patterns[coils.board - 1]
        begin = self._at.get(coils.board, 0)
        at = next((at for at in range(begin, len(patterns)) if patterns[at] == shining), NEVER)
        if at == NEVER or not all(self._felt[at].bears(*_meaning(each, wager)) for each in new):
            return promise._replace(lamp=NEVER)
        self._at[coils.board] = at
        return promise._replace(lamp=max(promise.lamp, at))

    # -- messages and replies --

    def _published(self, promise: Promise, said: Published) -> Promise:
        topic = said.topic.removeprefix(self._base)
        self._messages.append((topic, said.payload))
        if not said.payload:
            return promise
        told: dict[str, Any] = json.decode(said.payload)
        if topic.startswith("replies/"):
            if not told["ok"]:
                return promise
            promise = promise._replace(reply=max(promise.reply, told["seq"]))
            added = self._adding.get(told["id"])
            return promise._replace(pins=(*promise.pins, added)) if added else promise
        if topic == "events":
            self._together.append((told["facts"][0]["seq"], told["facts"][-1]["seq"]))
            promise = promise._replace(facts=max(promise.facts, told["seq"]))
        return promise._replace(message=max(promise.message, told["seq"]))


def _shining(state: State, wager: str) -> frozenset[int]:
    """The coils that are on in a state."""
    shown = {(position, each[wager].value) for position, each in lamps(state).items()}
    return frozenset(coil(position, light) for position, light in shown if light in LIGHTS)


def _meaning(at: int, wager: str) -> tuple[tuple[int, str], str]:
    index, light = divmod(at, len(LIGHTS))
    return (POSITIONS[index], wager), LIGHTS[light]
