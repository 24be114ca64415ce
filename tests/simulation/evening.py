"""A short evening at a table as a trace: the product's own decisions, and all that the outside saw of them.

It is honest. A test changes one thing in it, and the auditor must say which.
"""

from collections.abc import Callable
from typing import Any

from msgspec import json
from msgspec.structs import replace

from controller.core import inputs
from controller.core.chance import Chance
from controller.core.decision import Decision
from controller.core.effects import Flash
from controller.core.facts import encode
from controller.core.lamps import lamps
from controller.core.needs import needs
from controller.core.refusals import Refused
from controller.core.times import stamp
from controller.outlets.messages import retained
from controller.simulation import trace
from controller.simulation.auditor.facts import FIRST_HASH, link
from controller.vault import Vault
from tests.core import play
from tests.core.play import BEGIN, DEALER, FLOOR, FLOOR2, SUPERVISOR, SUPERVISOR2

Events = list[trace.Event]
Edit = Callable[[dict[str, Any]], None]
BASE = "jackpot/valley-forge/mb-07"
SLOT = "slot-1"
LINE_MS = 100_000  # microseconds from a chip to the fact of it


class Evening(play.Table):
    """A table that writes down what happens around it."""

    def __init__(self, toml: str, *, values: dict[str, list[int]] | None = None) -> None:
        self.events: Events = []
        self._values = values or {}
        self._said: dict[str, bytes] = {}
        self._lamps: dict[tuple[int, str], str] = {}
        self.commands = 0
        operators = tuple(
            trace.Operator(each.id, each.role) for each in (DEALER, FLOOR, FLOOR2, SUPERVISOR, SUPERVISOR2)
        )
        self._begin = trace.Began(
            at=0, seed=1, toml=toml, wall=BEGIN, faults=(), operators=operators, spots=(), button="b", shoe=True
        )
        self.events += [self._begin, trace.Started(at=0, life=1), trace.Ready(at=0, life=1)]
        super().__init__(toml)
        self.do(inputs.ControllerStarted, version="1")

    @property
    def at(self) -> int:
        return self.now - BEGIN

    def chance(self, input_: inputs.Input) -> Chance:
        """What chance draws is written down before it is used."""
        drawing = self._values
        meters = [need.meter for need in needs(self.state, input_)]

        def below(most: int) -> int:
            waiting = drawing.get(meters[0] if meters else "", [])
            return waiting.pop(0) if waiting else most - 1

        self.vault = Vault({"test": bytes(range(32))}, "test", randbelow=below)
        ready = super().chance(input_)
        for id_, one in ready.items():
            cycle = self.state.meters[id_].cycle if id_ in self.state.meters else 0
            for ahead, draw in enumerate(one.draws, 1):
                self.events.append(
                    trace.Drawn(
                        at=self.at,
                        life=1,
                        meter=id_,
                        cycle=cycle + ahead,
                        cents=draw.cents,
                        nonce=draw.nonce,
                        commitment=draw.commitment,
                        sealed=draw.sealed,
                    )
                )
        return ready

    def give(self, input_: inputs.Input) -> Decision | Refused:
        """Decide; then commit, light and say it, in this order."""
        self._physics(input_)
        before = len(self.facts)
        answer = super().give(input_)
        if len(self.facts) > before:
            self.events.append(trace.Committed(at=self.at, life=1, seq=self.state.seq, hash=self._hashes()[-1]))
            self._tell()
            for each in answer.effects if isinstance(answer, Decision) else ():
                if isinstance(each, Flash):
                    where = {"position": each.position, "wager": each.wager}
                    self.events.append(trace.LampFlashed(at=self.at, board="b", **where))  # type: ignore[arg-type]
            if isinstance(input_, inputs.Command):
                self._reply(input_)
        return answer

    def whole(self) -> Events:
        """All of it, with the journal at its end."""
        end = self.at + 1_000_000
        rows = [self._row(end, seq) for seq in range(1, len(self.facts) + 1)]
        return [*self.events, *rows, trace.Ended(at=end)]

    def _physics(self, input_: inputs.Input) -> None:
        at = self.at - LINE_MS
        if isinstance(input_, inputs.WagerPresent | inputs.WagerAbsent):
            on = isinstance(input_, inputs.WagerPresent)
            self.events.append(trace.SensorTurned(at=at, position=input_.position, wager=input_.wager, on=on))
        elif isinstance(input_, inputs.Button):
            self.events.append(trace.ButtonTurned(at=at, on=True))
            self.events.append(trace.ButtonTurned(at=at + 1, on=False))
        elif isinstance(input_, inputs.WagerDropped):
            self.events.append(trace.CoinDropped(at=at, slot=SLOT, cents=input_.cents, taken=True))
        elif isinstance(input_, inputs.FourCards):
            self.events.append(trace.CardsDealt(at=at, game=1, player=input_.player, banker=input_.banker))

    def _tell(self) -> None:
        now = retained(self.state, 1)
        for topic in [topic for topic in self._said if topic.removeprefix(f"{BASE}/") not in now]:
            del self._said[topic]
            self.events.append(trace.Said(at=self.at, life=1, topic=topic, payload=b"", retain=True))
        for name, message in now.items():
            payload, topic = json.encode(message), f"{BASE}/{name}"
            if name.startswith("meters/") and topic in self._said:
                last = json.decode(self._said[topic])
                fell = message.display_cents < last["display_cents"]  # type: ignore[attr-defined]
                if fell and message.cycle == last["cycle"]:  # type: ignore[attr-defined]
                    payload = json.encode(replace(message, correction=self.state.seq))
            self._said[topic] = payload
            self.events.append(trace.Said(at=self.at, life=1, topic=topic, payload=payload, retain=True))
            self.events.append(trace.Heard(at=self.at, client="console", topic=topic, payload=payload))
            if name.startswith("meters/"):
                self.events.append(trace.Shown(at=self.at, sign="sign", topic=topic, payload=payload))
        for position, each in lamps(self.state).items():
            for wager, lamp in each.items():
                if self._lamps.get((position, wager)) != lamp.value:
                    self._lamps[position, wager] = lamp.value
                    shown = trace.LampShown(at=self.at, board="b", position=position, wager=wager, pattern=lamp.value)
                    self.events.append(shown)

    def _reply(self, command: inputs.Command) -> None:
        client, id_ = command.key.split("/")
        payload = json.encode({"id": id_, "ok": True, "seq": self.state.seq, "epoch": 1})
        self.events.append(trace.Replied(at=self.at, client=client, id=id_, payload=payload))

    def ask(self, kind: type[inputs.Input], name: str, **parts: object) -> None:
        """A command, over the broker."""
        self.commands += 1
        id_ = f"id-{self.commands}"
        plain = {key: value for key, value in parts.items() if key not in {"by", "second"}}
        hands = {"player": (), "banker": ()}
        payload = json.encode({"id": id_, "at": stamp(self.now), **hands, **plain})
        by, second = (getattr(parts.get(each), "id", "") for each in ("by", "second"))
        who = {"client": "console", "by": by, "second": second}
        self.events.append(trace.Commanded(at=self.at, name=name, id=id_, payload=payload, **who))
        self.do(kind, key=f"console/{id_}", **parts)

    def _hashes(self) -> list[str]:
        found, before = [], FIRST_HASH
        for seq, recorded in enumerate(self.facts, 1):
            kind, version, payload = encode(recorded.fact)
            before = link(before, seq, recorded.at, recorded.round, (kind, version, payload.encode()))
            found.append(before.hex())
        return found

    def _row(self, at: int, seq: int) -> trace.Row:
        recorded = self.facts[seq - 1]
        kind, version, payload = encode(recorded.fact)
        place = {"seq": seq, "told_at": recorded.at, "round": recorded.round, "type": kind, "version": version}
        return trace.Row(at=at, payload=payload.encode(), hash=self._hashes()[seq - 1], **place)  # type: ignore[arg-type]


def rewritten(events: Events, rows: Callable[[list[trace.Row]], list[trace.Row]]) -> Events:
    """The same evening with another journal, chained anew: numbers, hashes and commits fit it."""
    mine, before = [], FIRST_HASH
    for seq, row in enumerate(rows([each for each in events if isinstance(each, trace.Row)]), 1):
        before = link(before, seq, row.told_at, row.round, (row.type, row.version, row.payload))
        mine.append(replace(row, seq=seq, hash=before.hex()))
    hashes = {row.seq: row.hash for row in mine}
    others = [each for each in events if not isinstance(each, trace.Row | trace.Ended)]
    fitting = [replace(e, hash=hashes.get(e.seq, e.hash)) if isinstance(e, trace.Committed) else e for e in others]
    return [*fitting, *mine, events[-1]]


def with_fact(events: Events, type_: str, edit: Edit, *, nth: int = 0) -> Events:
    """The same evening with one fact saying something else."""

    def rows(before: list[trace.Row]) -> list[trace.Row]:
        place = [n for n, row in enumerate(before) if row.type == type_][nth]
        payload = json.decode(before[place].payload)
        edit(payload)
        return [*before[:place], replace(before[place], payload=json.encode(payload)), *before[place + 1 :]]

    return rewritten(events, rows)
