"""The auditor: fed a run in its order, then the journal row by row, it says what is wrong.

    auditor = Auditor()
    for event in run: auditor.take(event)
    for verdict in auditor.verdict(): print(verdict)

Books and displays are judged when the rows have come, at `Ended` or when the verdict is asked for.
"""

from bisect import bisect_left, bisect_right
from functools import singledispatchmethod
from typing import Any

from controller.simulation import trace
from controller.simulation.auditor.asked import Asked
from controller.simulation.auditor.bookkeeper import Bookkeeper, reveals
from controller.simulation.auditor.cards_dealt import Dealt
from controller.simulation.auditor.days import Clock, day_wrong
from controller.simulation.auditor.facts import FIRST_HASH, commitment, link, read
from controller.simulation.auditor.felt import Felt
from controller.simulation.auditor.law import Law, read_law
from controller.simulation.auditor.lights import Lights
from controller.simulation.auditor.losses import Losses
from controller.simulation.auditor.outside import Outside
from controller.simulation.auditor.secrets import Secrets
from controller.simulation.auditor.slots import Slots
from controller.simulation.auditor.verdicts import Verdict

MOST_OF_A_KIND = 5  # what comes after so many tells nothing new


class Auditor:
    """Takes events in order; `verdict` is everything wrong, in the order of time."""

    def __init__(self) -> None:
        self._found: list[Verdict] = []
        self._outside = Outside(self._find)
        self._felt = Felt(self._find)
        self._slots = Slots(self._find)
        self._dealt = Dealt()
        self._asked = Asked(self._find)
        self._lights = Lights(self._find)
        self._losses = Losses(self._find)
        self._secrets = Secrets(self._find)
        self._clock = Clock()
        self._roles: dict[str, str] = {}
        self._books = Bookkeeper(self._roles)
        self._law: Law | None = None
        self._hashes: dict[int, str] = {}
        self._hash = FIRST_HASH
        self._lost = False  # the books have differed, and follow nobody any more
        self._sound = 0  # the last fact before that
        self._judged = False
        self._ended = 0

    @property
    def rows(self) -> int:
        """How many facts were booked a second time."""
        return self._books.history.last

    def take(self, event: trace.Event) -> None:
        """Something happened."""
        self._take(event)

    def verdict(self) -> list[Verdict]:
        """Everything wrong; nothing, if all is well."""
        if not self._judged:
            self._judged = True
            self._outside.judge(self._books, self._hashes, self._sound)
            self._felt.judge(self._when, self._phase)
            self._slots.judge(self._when, self._ended, at_rest=self._outside.at_rest)
            self._slots.judge_open(self._phase, self._felt.calm)
            self._asked.judge(self._when, self._sound)
            self._lights.judge(self._outside.heads, self._books.history, self._felt, self._sound)
            self._lights.judge_flashes(self._when, self._felt)
            self._losses.judge(self._durable, self._felt.calm, self._sound)
            self._secrets.judge()
        return sorted(self._found, key=lambda verdict: (verdict.at, verdict.seq))

    def _find(self, verdict: Verdict) -> None:
        if sum(each.kind == verdict.kind for each in self._found) < MOST_OF_A_KIND:
            self._found.append(verdict)

    def _when(self, seq: int) -> int | None:
        """When a fact became durable; unknown where nobody lived to see it."""
        heads = self._outside.heads
        place = bisect_left(heads, seq, key=lambda head: head.seq)
        return heads[place].at if place < len(heads) else None

    def _durable(self, at: int) -> int:
        """The last fact that was durable at a time."""
        place = bisect_right(self._outside.heads, at, key=lambda head: head.at)
        return self._outside.heads[place - 1].seq if place else 0

    def _shown(self, meter: str) -> int | None:
        """What a meter shows after all that was booked."""
        steps = self._books.history.meters.get(meter)
        stood = steps.at(self._books.history.last) if steps else None
        return stood.cents if stood else None

    def _phase(self, at: int) -> str:
        """How the table was at a time, as far as it was durable."""
        heads = self._outside.heads
        place = bisect_right(heads, at, key=lambda head: head.at)
        found = self._books.history.play.at(heads[place - 1].seq) if place else None
        return found[0] if found and heads[place - 1].seq <= self._sound else ""

    # -- the frame --

    @singledispatchmethod
    def _take(self, _event: Any) -> None:  # noqa: ANN401 -- every kind of event has a method of its own
        """Events that nothing follows from."""

    @_take.register
    def _(self, event: trace.Began) -> None:
        self._law = read_law(event.toml)
        self._roles.update({each.id: each.role for each in event.operators})
        self._clock.begin(event.wall)
        self._lights.began(event)
        self._losses.began(event)

    @_take.register
    def _(self, event: trace.Ended) -> None:
        self._ended = event.at
        self._outside.at_rest = not self._lost

    @_take.register
    def _(self, event: trace.Row) -> None:
        self._hash = link(self._hash, event.seq, event.told_at, event.round, (event.type, event.version, event.payload))
        if event.seq != len(self._hashes) + 1 or self._hash.hex() != event.hash:
            self._find(Verdict("chain", event.at, "the row does not follow the one before", event.seq))
            self._lost = True
        self._hashes[event.seq] = event.hash
        if self._lost:
            return
        fact = read(event.seq, event.told_at, event.round, event.type, event.payload)
        at = self._when(event.seq) or event.at
        self._felt.fact(fact, self._books.books)
        self._slots.fact(fact)
        self._losses.fact(fact)
        self._lights.fact(fact)
        for _, told in reveals(fact):
            self._secrets.revealed.setdefault(told["nonce"], fact.seq)
        durable = self._when(event.seq)
        wrong = [
            *self._asked.wrong(fact, event.hash, self._shown),
            *self._clock.wrong(fact, durable),
            *self._dealt.wrong(fact, durable),
            *(day_wrong(fact, self._books.books) if self._books.books.law else ()),
            *self._books.take(fact),
        ]
        for kind, why in wrong:
            self._find(Verdict(kind, at, why, event.seq))
        self._lost = bool(wrong)
        self._sound = self._sound if wrong else event.seq

    @_take.register
    def _(self, event: trace.Drawn) -> None:
        self._secrets.drew(event)
        self._books.drawn[event.commitment] = (event.meter, event.cycle, event.cents)
        law = self._law
        if law is None or event.meter not in law.numbers():
            return
        table, numbers = f"{law.site}/{law.table}", law.numbers()[event.meter]
        if commitment(table, event.meter, event.cycle, event.cents, event.nonce) != event.commitment:
            self._find(
                Verdict("undrawn", event.at, f"{event.meter} cycle {event.cycle}: a commitment to another value")
            )
        if not numbers.reset * 100 <= event.cents < numbers.maximum * 100:
            self._find(Verdict("undrawn", event.at, f"{event.meter}: {event.cents} cents is outside of what is filed"))

    # -- the machine --

    @_take.register
    def _(self, event: trace.Committed) -> None:
        self._outside.committed(event)

    @_take.register
    def _(self, event: trace.Ready) -> None:
        self._felt.ready(event.at)

    @_take.register(trace.PowerCut)
    @_take.register(trace.Killed)
    @_take.register(trace.Stopped)
    @_take.register(trace.Refused)
    @_take.register(trace.Started)
    def _(self, event: trace.Event) -> None:
        self._felt.down(event.at)
        self._lights.started(event.at)

    @_take.register
    def _(self, event: trace.ClockStepped) -> None:
        self._clock.step(event.at, event.by)

    @_take.register
    def _(self, event: trace.FaultBegan) -> None:
        self._felt.fault(event.at, event.id, begins=True)
        if event.kind == "stop":  # its lamps go out before it is gone
            self._felt.down(event.at)
        self._losses.fault(event)

    @_take.register
    def _(self, event: trace.FaultEnded) -> None:
        self._felt.fault(event.at, event.id, begins=False)
        self._losses.fault(event)

    # -- the table --

    @_take.register
    def _(self, event: trace.SensorTurned) -> None:
        self._felt.sensor(event.at, (event.position, event.wager), on=event.on)

    @_take.register
    def _(self, event: trace.ButtonTurned) -> None:
        self._felt.button(event.at, on=event.on)

    @_take.register
    def _(self, event: trace.CoinDropped) -> None:
        if event.taken:
            self._slots.coin(event.at, event.slot, event.cents)
        else:
            self._slots.sent_back(event.at, event.slot)

    @_take.register
    def _(self, event: trace.SlotReset) -> None:
        self._slots.reset(event.at, event.slot)

    @_take.register
    def _(self, event: trace.CardsDealt) -> None:
        self._dealt.dealt(event)

    # -- asked and seen --

    @_take.register
    def _(self, event: trace.Commanded) -> None:
        self._outside.commanded(event)
        self._asked.commanded(event)
        self._dealt.commanded(event)

    @_take.register
    def _(self, event: trace.Replied) -> None:
        self._outside.replied(event)
        self._asked.replied(event)
        self._secrets.said(event)

    @_take.register
    def _(self, event: trace.Said) -> None:
        self._outside.said(event)
        self._secrets.said(event)

    @_take.register
    def _(self, event: trace.Heard) -> None:
        self._outside.heard(event)

    @_take.register
    def _(self, event: trace.Shown) -> None:
        self._outside.shown(event)

    @_take.register
    def _(self, event: trace.LampShown) -> None:
        self._outside.lamp(event)
        self._lights.take(event)

    @_take.register(trace.LampFlashed)
    @_take.register(trace.BoardLit)
    def _(self, event: trace.LampFlashed | trace.BoardLit) -> None:
        self._lights.take(event)
