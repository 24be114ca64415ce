"""Everything a sign was told, held against the journal as it stood at that fact: to the cent, lamp by lamp."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import json

from controller.core.evolve import evolve
from controller.core.facts import Recorded, decode
from controller.core.state import State
from controller.journal.reading import open_readonly
from controller.outlets.messages import retained
from controller.wire.commands import REPLIES
from tests.wire.validating import check

OF_THE_STATE = ("meters/", "proofs/", "awards/", "round")
NOT_COMPARED = ("at", "correction")  # when it was said; and why less than before


def check_wire(messages: Sequence[tuple[str, bytes]]) -> None:
    """Fail where a message is not what the published schemas say of its topic; a reply: of the command it answers."""
    asked: dict[str, str] = {}
    for topic, payload in messages:
        if topic.startswith("commands/"):
            with suppress(ValueError, TypeError, KeyError):  # what a test sends may be anything
                asked[json.decode(payload)["id"]] = topic.rpartition("/")[2]
        else:
            name = asked.get(topic.rpartition("/")[2], "") if topic.startswith("replies/") else ""
            check(topic, payload, command=name if name in REPLIES else "")


def check_told(journal: Path, messages: Sequence[tuple[str, bytes]]) -> int:
    """Fail where a message said something else than what was durable at the fact it names; how many were checked."""
    told: dict[int, list[tuple[str, dict[str, Any]]]] = {}
    for topic, payload in messages:
        if payload and topic.startswith(OF_THE_STATE):
            message = json.decode(payload)
            told.setdefault(message["seq"], []).append((topic, message))
    with open_readonly(journal) as reader:
        rows = reader.db.execute("SELECT seq, at, round, type, version, payload FROM facts ORDER BY seq").fetchall()
    state, checked = State(), 0
    for seq, at, round_, *stored in rows:
        state = evolve(state, Recorded(at, round_, decode(*stored)))
        if seq not in told:
            continue
        true = {topic: json.decode(json.encode(each)) for topic, each in retained(state, state.epoch).items()}
        for topic, message in told.pop(seq):
            assert _plain(message) == _plain(true[topic]), f"fact {seq}, {topic}"
            checked += 1
    assert not told, f"told of facts that are not there: {sorted(told)}"
    return checked


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name not in NOT_COMPARED}
