"""What lay on the felt, held against the wagers that were counted.

Near a boundary (a poll, a press, a fault) what the controller said decides. What is judged here is clear of any: a chip
that lay long and alone before the button, and one that came when the round was long locked.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from controller.simulation.auditor.entries import Spot
from controller.simulation.auditor.facts import Fact
from controller.simulation.auditor.table import TableBooks
from controller.simulation.auditor.verdicts import Verdict

SECOND = 1_000_000
CLEAR = 3 * SECOND  # a chip that lies so long was polled a hundred times
ABSENT = 1 * SECOND  # and so was one that was away so long
SETTLED = 10 * SECOND  # after a start or a fault all is as it was: five seconds at most are waited for a device
LATE = SECOND // 2  # after the press a healthy line has told it twenty times over
HELD = SECOND // 10  # a press so long is polled some times; a shorter one may fall between two
APART = 5 * SECOND  # a press so long after another is one of its own
ANSWERED = 2 * SECOND  # by then a press is a fact
REACH = 30 * SECOND  # so long a line that was plugged in again may tell of what lay there
_ANSWERS = {"locked-out", "reopened", "button-ignored"}
_OPENING = {"reopened", "table-opened", "round-voided"}
_HEEDED = {"open", "locked", "dealt", "settled"}  # phases in which a press does something
_UNQUIET = {
    "wager-taken-out",
    "position-serviced",
    "device-changed",
    "simulated-begun",
    "simulated-ended",
    "table-closed",
}
Find = Callable[[Verdict], None]


@dataclass(frozen=True)
class Lock:
    """A lock-out: who is in, and who could have been."""

    seq: int
    opened: int  # the fact that opened the round
    before: int  # the lock-out before
    wagers: frozenset[Spot]
    possible: frozenset[Spot]
    cause: str


class Felt:
    """Chips, the button and everything that keeps them from being seen."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._turns: dict[Spot, list[tuple[int, bool]]] = {}
        self._presses: list[int] = []
        self._held: list[int] = []  # how long each was held
        self._answers: list[int] = []  # facts that a press led to
        self._wrong: dict[int, int] = {}  # faults under way, and when they began
        self._trouble: list[tuple[int, int]] = []  # times in which nothing is certain
        self._down_since: int | None = 0
        self._downs: list[tuple[int, int]] = []
        self._placed: list[tuple[int, Spot]] = []
        self._locks: list[Lock] = []
        self._opened = self._before = 0
        self._quiet = True

    # -- as it happens --

    def sensor(self, at: int, spot: Spot, *, on: bool) -> None:
        """The level of a sensor changed."""
        self._turns.setdefault(spot, []).append((at, on))

    def button(self, at: int, *, on: bool) -> None:
        """The button went down, or up."""
        if on:
            self._presses.append(at)
            self._held.append(0)
        elif self._held:
            self._held[-1] = at - self._presses[-1]

    def fault(self, at: int, id_: int, *, begins: bool) -> None:
        """Something is wrong, or right again. One that is over at once has no id."""
        if begins and id_:
            self._wrong[id_] = at
        else:
            self._trouble.append((self._wrong.pop(id_, at) if id_ else at, at))

    def ready(self, at: int) -> None:
        """The controller can be played."""
        if self._down_since is not None:
            self._trouble.append((self._down_since, at))
            self._downs.append((self._down_since, at))
        self._down_since = None

    def down(self, at: int) -> None:
        """The controller is gone."""
        if self._down_since is None:
            self._down_since = at

    # -- as the journal has it --

    def fact(self, fact: Fact, books: TableBooks) -> None:
        """A fact, with the books before it was booked."""
        for each in fact.payload.get("placed", ()):
            if each["source"] == "chip":
                self._placed.append((fact.seq, (each["position"], each["wager"])))
        if fact.type in _ANSWERS and fact.payload.get("cause", "button") == "button" and not fact.payload.get("switch"):
            self._answers.append(fact.seq)
        if fact.type in _UNQUIET:
            self._quiet = False
        if fact.type in _OPENING:
            self._opened, self._quiet = fact.seq, True
        if fact.type == "locked-out":
            wagers = frozenset((each["position"], each["wager"]) for each in fact.payload["wagers"])
            possible = frozenset(spot for spot in self._turns if self._quiet and _takes(books, spot))
            cause = fact.payload.get("cause", "button")
            self._locks.append(Lock(fact.seq, self._opened, self._before, wagers, possible, cause))
            self._before = fact.seq

    def judge(self, when: Callable[[int], int | None], phase: Callable[[int], str]) -> None:
        """Hold the wagers against the chips. `when` a fact became durable; in which `phase` the table was at a time."""
        down = [] if self._down_since is None else [self._down_since]
        self._trouble += [(since, 2**62) for since in (*self._wrong.values(), *down)]
        self._downs += [(since, 2**62) for since in down]
        self._trouble.sort()
        for seq, spot in self._placed:
            at = when(seq)
            if at is not None and spot in self._turns and not self._was_on(spot, at - REACH, at) and self.calm(at, at):
                why = f"position {spot[0]}, {spot[1]}: no chip lay there in the {REACH // SECOND} s before"
                self._find(Verdict("unfounded-wager", at, why, seq))
        for lock in self._locks:
            self._lock(lock, when)
        self._judge_presses(when, phase)

    def _judge_presses(self, when: Callable[[int], int | None], phase: Callable[[int], str]) -> None:
        """A press leads to something, and what a press leads to has one."""
        answered = sorted(at for at in map(when, self._answers) if at is not None)
        for seq in self._answers:
            at = when(seq)
            if at is None or not self.calm(at, at):
                continue
            place = bisect_right(self._presses, at)
            if not place or at - self._presses[place - 1] > REACH:
                self._find(Verdict("unfounded-press", at, "the button was not touched", seq))
        for number, pressed in enumerate(self._presses):
            alone = number == 0 or pressed - self._presses[number - 1] >= APART
            if not alone or self._held[number] < HELD or not self.calm(pressed - SETTLED, pressed + ANSWERED):
                continue
            place = bisect_left(answered, pressed)
            if (place == len(answered) or answered[place] > pressed + ANSWERED) and phase(pressed) in _HEEDED:
                self._find(Verdict("missed-press", pressed, f"the table stayed {phase(pressed)}"))

    def _lock(self, lock: Lock, when: Callable[[int], int | None]) -> None:
        at, opened = when(lock.seq), when(lock.opened)
        before = when(lock.before) if lock.before else 0
        if at is None or opened is None or before is None:
            return
        if at - opened >= CLEAR:
            for spot in lock.possible - lock.wagers:
                since = self._clear_since(spot, at, before)
                if since is not None and self.calm(since - SETTLED, at):
                    why = f"position {spot[0]}, {spot[1]}: a chip lay there for {(at - since) / SECOND:.3f} s"
                    self._find(Verdict("missed-wager", at, why, lock.seq))
        place = bisect_right(self._presses, at)
        if lock.cause == "button" and place and self.calm(self._presses[place - 1] - SETTLED, at):
            pressed = self._presses[place - 1]
            for spot in lock.wagers & self._turns.keys():
                if not self._was_on(spot, pressed - CLEAR, pressed + LATE) and self._was_on(spot, opened, pressed):
                    why = f"position {spot[0]}, {spot[1]}: the chip was lifted long before the press"
                    self._find(Verdict("unfounded-wager", at, why, lock.seq))
                elif not self._was_on(spot, opened - SETTLED, pressed + LATE):
                    why = (
                        f"position {spot[0]}, {spot[1]}: the chip came {(at - pressed) / SECOND:.3f} s after the press"
                    )
                    self._find(Verdict("late-bet", at, why, lock.seq))

    def _clear_since(self, spot: Spot, at: int, before: int) -> int | None:
        """Since when a chip has lain there unmoved, if that is long, and if it was long away before that."""
        turns = self._turns[spot]
        place = bisect_left(turns, (at, False))
        if not place or not turns[place - 1][1] or at - turns[place - 1][0] < CLEAR:
            return None
        if place < len(turns) and turns[place][0] < at + ABSENT:
            return None
        since = turns[place - 1][0]
        away = max(before, turns[place - 2][0] if place > 1 else 0)
        return since if since - away >= ABSENT else None

    def _was_on(self, spot: Spot, first: int, last: int) -> bool:
        turns = self._turns[spot]
        start = max(0, bisect_right(turns, (first, True)) - 1)
        return any(on for at, on in turns[start : bisect_right(turns, (last, True))])

    def up(self, first: int, last: int) -> bool:
        """Whether the controller was there all the time, and a moment before."""
        return not any(began <= last and ended >= first - SETTLED for began, ended in self._downs)

    def calm(self, first: int, last: int, but: tuple[int, int] | None = None) -> bool:
        """Whether nothing was wrong, nor had been a moment before; one thing left out."""
        return first >= 0 and not any(
            began <= last and ended >= first - SETTLED for began, ended in self._trouble if (began, ended) != but
        )


def _takes(books: TableBooks, spot: Spot) -> bool:
    """Whether a chip there could be a wager, as the books stand."""
    lost = [part for part in books.parts.values() if part.lost]
    return (
        spot[1] in books.filed.offers
        and spot[0] not in books.out_of_service
        and books.base.get(spot[0], True)
        and not any(spot[0] in part.positions or spot[1] in part.wagers for part in lost)
    )
