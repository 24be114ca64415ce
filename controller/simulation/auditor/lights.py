"""Lamps as they were told to shine, and the coils that light them, held against what each must show in calm times."""

from collections.abc import Callable

from controller.simulation.auditor.entries import Spot
from controller.simulation.auditor.facts import Fact
from controller.simulation.auditor.felt import Felt
from controller.simulation.auditor.history import History
from controller.simulation.auditor.verdicts import Verdict
from controller.simulation.trace import Began, BoardLit, Committed, LampFlashed, LampShown

Find = Callable[[Verdict], None]
SECOND = 1_000_000
AFTER = 2 * SECOND  # so long after a fact, with none since, its lamps are told and lit
FLASHES = 4 * SECOND  # so long a lamp may show something else, once it was flashed
STEADY = {"accepted": "1", "off": "0", "fault": "0"}  # docs/wiring.md: all others blink


class Lights:
    """Every lamp and every coil, as time goes on."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._coils: dict[Spot, tuple[str, int]] = {}  # the board, and the number of its coil
        self._flashes: list[tuple[int, Spot]] = []  # that must be, and the fact of each
        self._events: list[LampShown | LampFlashed | BoardLit | int] = []  # a number: from then on nobody has told any

    def began(self, event: Began) -> None:
        """Where the lamps are wired."""
        self._coils = {(each.position, each.wager): (each.board, each.input) for each in event.spots}

    def take(self, event: LampShown | LampFlashed | BoardLit) -> None:
        """A lamp was told, or a board's coils were."""
        self._events.append(event)

    def started(self, at: int) -> None:
        """A new controller has told nothing yet."""
        self._events.append(at)

    def fact(self, fact: Fact) -> None:
        """A chip that came too late, or was lifted too early: its lamp flashes."""
        if fact.payload.get("flash") or (fact.type == "wager-refused" and fact.payload["why"] == "late"):
            self._flashes.append((fact.seq, (fact.payload["position"], fact.payload["wager"])))

    def judge_flashes(self, when: Callable[[int], int | None], felt: Felt) -> None:
        """Whether each lamp flashed that had to."""
        flashed = {(each.position, each.wager, each.at) for each in self._events if isinstance(each, LampFlashed)}
        for seq, spot in self._flashes:
            at = when(seq)
            if at is not None and felt.calm(at, at) and (*spot, at) not in flashed:
                self._find(Verdict("lamp", at, f"position {spot[0]}, {spot[1]}: no flash for a chip out of time", seq))

    def judge(self, heads: list[Committed], history: History, felt: Felt, last: int) -> None:
        """Look at all of them whenever a fact was followed by a while of nothing."""
        told: dict[Spot, str] = {}
        changed: dict[Spot, int] = {}
        lit: dict[str, str] = {}
        place = 0
        for number, head in enumerate(heads):
            look = head.at + AFTER
            if head.seq > last or number + 1 == len(heads) or heads[number + 1].at <= look:
                continue
            while place < len(self._events) and _at(self._events[place]) <= look:
                event = self._events[place]
                place += 1
                if isinstance(event, int):
                    told.clear()
                elif isinstance(event, BoardLit):
                    lit[event.board] = event.coils
                else:
                    spot = (event.position, event.wager)
                    changed[spot] = event.at + (FLASHES if isinstance(event, LampFlashed) else AFTER)
                    if isinstance(event, LampShown):
                        told[spot] = event.pattern
            must = history.lamps.at(head.seq) or {}
            if felt.calm(head.at, look):
                self._look_at_coils(look, head.seq, must, (changed, lit))
            if felt.up(head.at, look):
                self._look(look, head.seq, must, told)

    def _look(self, at: int, seq: int, must: dict[Spot, str], told: dict[Spot, str]) -> None:
        for spot in self._coils:
            shows, wanted = told.get(spot, "off"), must.get(spot, "off")
            if shows != wanted:
                why = f"position {spot[0]}, {spot[1]} is left at {shows}, must show {wanted}"
                self._find(Verdict("lamp", at, why, seq))

    def _look_at_coils(
        self, at: int, seq: int, must: dict[Spot, str], now: tuple[dict[Spot, int], dict[str, str]]
    ) -> None:
        changed, lit = now
        for spot, (board, coil) in self._coils.items():
            wanted = must.get(spot, "off")
            steady = STEADY.get(wanted)
            if steady and board in lit and changed.get(spot, 0) <= at and lit[board][coil] != steady:
                why = f"position {spot[0]}, {spot[1]}: {wanted}, and its coil {coil} of {board} is {lit[board][coil]}"
                self._find(Verdict("lamp", at, why, seq))


def _at(event: LampShown | LampFlashed | BoardLit | int) -> int:
    return event if isinstance(event, int) else event.at
