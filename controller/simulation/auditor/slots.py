"""What fell into the drop slots, held against the coins that were counted.

A coin that an acceptor took is counted once, as a wager or to be given back: never twice, and never one that did not
fall. Only what an acceptor forgets before anybody asked for it may be missing: in a reset, or because it keeps its last
five events and more came, coins that it sent back among them.
"""

from collections import Counter
from collections.abc import Callable

from controller.simulation.auditor.facts import Fact
from controller.simulation.auditor.verdicts import Verdict

Find = Callable[[Verdict], None]
SHUT = 200_000  # microseconds: slots are shut before the lock-out is a fact
KEPT = 5  # events of an acceptor, as its protocol has it
FELL, RESET, COUNTED, SENT_BACK, HEARD = range(5)
NO_WAGERS = {"locked", "dealt", "settled", "closed", "simulated"}


class Slots:
    """Coins that fell, resets, and what the journal says."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._fell: list[tuple[int, str, int]] = []  # with its cents
        self._sent_back: list[tuple[int, str]] = []
        self._resets: list[tuple[int, str]] = []
        self._heard: list[tuple[int, str]] = []  # facts that say how far a slot is known, and count no coin
        self._counted: list[tuple[int, str, int]] = []  # the fact, the slot, and the cents
        self._numbers: dict[tuple[str, str, int], int] = {}  # each coin's own, and its fact

    def coin(self, at: int, slot: str, cents: int) -> None:
        """A coin was taken."""
        self._fell.append((at, slot, cents))

    def sent_back(self, at: int, slot: str) -> None:
        """A coin was not taken."""
        self._sent_back.append((at, slot))

    def reset(self, at: int, slot: str) -> None:
        """An acceptor has forgotten everything."""
        self._resets.append((at, slot))

    def fact(self, fact: Fact) -> None:
        """A fact that may count a coin."""
        counted = fact.payload.get("counted")
        if counted is None:
            return
        if len(counted) > 4 and counted[4]:  # noqa: PLR2004 -- the fifth: told without a coin
            self._heard.append((fact.seq, counted[0]))
            return
        slot, number, unit = counted[0], counted[1], counted[3] if len(counted) > 3 else ""  # noqa: PLR2004 -- the fourth
        self._counted.append((fact.seq, slot, _cents(fact)))
        before = self._numbers.setdefault((slot, unit, number), fact.seq)
        if before != fact.seq:
            self._find(Verdict("credit", 0, f"{slot}: coin {number} was counted with fact {before} already", fact.seq))

    def judge_open(self, phase: Callable[[int], str], calm: Callable[[int, int], bool]) -> None:
        """Whether slots were shut while no wager could be made."""
        for at, slot, _ in self._fell:
            if {phase(at - SHUT), phase(at)} <= NO_WAGERS and calm(at - SHUT, at):
                self._find(Verdict("slot-open", at, f"{slot} took a coin while the table was {phase(at)}"))

    def judge(self, when: Callable[[int], int | None], end: int, *, at_rest: bool) -> None:
        """Walk through all of it in the order of time. A fact nobody saw become durable counts at the end."""
        events = [(at, FELL, slot, 0, cents) for at, slot, cents in self._fell]
        events += [(at, RESET, slot, 0, 0) for at, slot in self._resets]
        events += [(at, SENT_BACK, slot, 0, 0) for at, slot in self._sent_back]
        facts = [(seq, COUNTED, slot, cents) for seq, slot, cents in self._counted]
        facts += [(seq, HEARD, slot, 0) for seq, slot in self._heard]
        events += [
            (end if (at := when(seq)) is None else at, kind, slot, seq, cents) for seq, kind, slot, cents in facts
        ]
        waiting, forgotten = Counter[str](), Counter[str]()  # coins not counted yet; of these, that may be missing
        unread = Counter[str]()
        worth = Counter[tuple[str, int]]()
        for at, kind, slot, seq, cents in sorted(events):
            if kind == FELL:
                waiting[slot] += 1
                worth[slot, cents] += 1
            elif kind == COUNTED and waiting[slot]:
                waiting[slot] -= 1
                worth[slot, cents] -= 1
                if cents and worth[slot, cents] < 0:
                    self._find(Verdict("credit", at, f"{slot}: a coin is counted for {cents} cents, and is not", seq))
                forgotten[slot] = min(forgotten[slot], waiting[slot])
            elif kind == COUNTED:
                self._find(Verdict("credit", at, f"{slot}: a coin is counted that did not fall, or twice", seq))
            unread[slot] = unread[slot] + 1 if kind in {FELL, SENT_BACK} else 0
            if kind == RESET or unread[slot] > KEPT:
                forgotten[slot] = waiting[slot]
        for slot, missing in sorted(waiting.items()):
            if at_rest and missing > forgotten[slot]:
                why = f"{slot}: {missing - forgotten[slot]} coins fell and were never counted"
                self._find(Verdict("credit", end, why))


def _cents(fact: Fact) -> int:
    """What a coin was taken to be worth; nothing where nobody said so."""
    told = [*fact.payload.get("placed", ()), *fact.payload.get("returns", ())]
    return int(told[0].get("stake_cents") or told[0]["cents"]) if told else 0
