"""The whole daemon, recorded: `jackpotd run` on a terminal, a disk and a broker, and what anybody heard of it."""

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import json

from controller.core.state import State
from controller.journal.rows import Row
from controller.outlets.public import told
from tests.crash.evening import Evening
from tests.crash.felt import felt_of
from tests.crash.heard import NEVER, Heard, Listener, Promise
from tests.crash.house import RecordedHouse
from tests.crash.recorder import Kind, Operation
from tests.crash.recording import is_complete, states_of
from tests.crash.reopened import reopen
from tests.crash.saboteur import SABOTAGE
from tests.service.house import BASE, CLIENT, WAGERS, in_house_of
from tests.service.truth import check_told

ROUNDS = 4  # of the first of three lives
LOCK = "journal.db.lock"
_NO_FACT = ("login", "logout", "query", "preview")  # commands whose reply stands for no fact of their own


class DaemonRecording(NamedTuple):
    """What the daemon did to its disk, and what it had told others by then."""

    seed: str
    files: dict[str, bytes]
    heard: Heard
    rows: list[Row]
    states: list[State]
    inside: frozenset[int]  # facts between two of one transaction: no journal ends there
    lives: list[list[Operation]]  # everything of each run of the program, questions too

    @property
    def operations(self) -> list[Operation]:
        """All that touched the disk, and all that promised something."""
        return self.heard.operations

    def promises(self) -> list[Promise]:
        """What was told by each moment."""
        return self.heard.promises

    def examine(self, folder: Path, promise: Promise) -> str:
        """Reopen the journal in `folder`: what of the promise is broken, or nothing."""
        found = reopen(folder / "journal.db")
        if isinstance(found, str):
            return found
        last = len(found.rows)
        # Byte for byte the facts of the whole run, whose chain and money were proven: so are these.
        if found.rows != self.rows[:last]:
            return "facts that were never decided"
        if found.state != self.states[last]:
            return "the state is not what the facts add up to"
        if lost := [kind for kind in ("lamp", "message", "reply") if getattr(promise, kind) > last]:
            return f"lost: {', '.join(lost)} told of more than fact {last}, which is the last: {promise}"
        if last in self.inside:
            return f"part of a transaction: the last fact is {last}"
        if found.cursor > promise.facts:
            return f"untold: the outbox is at {found.cursor}, and {promise.facts} were told"
        missing = set(promise.pins) - found.pins
        return f"lost: no PIN of {missing}, whose adding was answered" if missing else ""


def record_daemon(folder: Path, seed: str, *, sabotage: str = "", rounds: int = ROUNDS) -> DaemonRecording:
    """Play an evening at a table whose controller is recorded. Unless sabotaged, all it said is true in the end."""
    operations: list[Operation] = []

    async def scene(house: RecordedHouse) -> None:
        if sabotage:
            house.sabotaged(sabotage)
        await Evening(house, seed).play(rounds)
        # Before anybody else opens the journal.
        operations.extend(house.operations())
        assert is_complete(house.disk, house.files, operations), "something was written that was not recorded"

    house = in_house_of(RecordedHouse, folder, scene)
    found = reopen(house.journal)
    assert not isinstance(found, str), found
    rows, states, commands = found.rows, states_of(found.rows), _commands(house)
    listener = Listener(BASE, house.rail, house.broker.port, WAGERS)
    adding = {id_: asked["operator"] for id_, (name, asked) in commands.items() if name == "operator-add"}
    heard = listener.hear(operations, states, felt_of(rows), adding)
    if sabotage not in SABOTAGE:
        _check_truth(house, heard, rows, {id_: name for id_, (name, _) in commands.items()})
    inside = frozenset(seq for first, last in heard.together for seq in range(first, last))
    return DaemonRecording(seed, house.files, heard, rows, states, inside, _lives(operations))


def _lives(operations: list[Operation]) -> list[list[Operation]]:
    """Operations by the run of the program they are of: the first thing it does is to see whether another keeps it."""
    lives: list[list[Operation]] = []
    for operation in operations:
        if operation.kind is Kind.FIND and operation.name == LOCK:
            lives.append([])
        lives[-1].append(operation)
    return lives


def _commands(house: RecordedHouse) -> dict[str, tuple[str, dict[str, Any]]]:
    """Every command that was sent, by its id."""
    sent = [(topic, json.decode(payload)) for topic, payload in house.sign.messages if topic.startswith("commands/")]
    return {asked["id"]: (topic.rpartition("/")[2], asked) for topic, asked in sent}


def _check_truth(house: RecordedHouse, heard: Heard, rows: list[Row], commands: dict[str, str]) -> None:
    """Everything the daemon wrote to lamps and broker is in the journal it left: as it was said, and once."""
    assert heard.promises[-1].lamp < NEVER, "a lamp said what no fact says"
    assert check_told(house.journal, heard.messages)
    facts = {fact["seq"]: fact for fact in json.decode(json.encode(told(rows)))}
    keys = Counter(json.decode(row.payload).get("key", "") for row in rows)
    for topic, payload in heard.messages:
        message: dict[str, Any] = json.decode(payload) if payload else {}
        if topic == "events":
            assert message["facts"] == [facts[fact["seq"]] for fact in message["facts"]]
        elif topic == "journal/head":
            assert message["hash"] == rows[message["seq"] - 1].hash.hex()
        elif topic.startswith("replies/") and message["ok"] and not commands[message["id"]].startswith(_NO_FACT):
            key = f"{CLIENT}/{message['id']}"
            assert json.decode(rows[message["seq"] - 1].payload)["key"] == key
            assert keys[key] == 1
