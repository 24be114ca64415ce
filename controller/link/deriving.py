"""How a linked jackpot came about: every unit on the meter since its cycle was opened, from the link's own ledger."""

from collections.abc import Iterator
from typing import NamedTuple

from controller.core.accounts import SEED, meter_account, reserve_account, units
from controller.core.filed import MYSTERY, FiledMeter
from controller.core.inputs import LinkHit
from controller.core.meters import Meter
from controller.explained import GIVEN_BACK
from controller.link.lines import Line
from controller.link.sessions import LinkRefusedError
from controller.rules.money import UNITS_PER_CENT

# Of one cycle: weeks of one table, hours of a large floor, and some 80 MB in a controller that plays meanwhile.
MOST_LINES = 50_000

CONTRIBUTION, OPENED, SEEDED, RELEASED = "contribution", "opening amount", "seed or top-up", "reserve released"
LEFT, SPILL, CARRIED = "left of the jackpot before", "left of the award before", "above the next ceiling"
RETURNED, SHARED_ANEW, ADJUSTED = "award returned", "jackpot shared anew", "adjustment"
_WORDS = {"unwind": RETURNED, "reverse": GIVEN_BACK, "resplit": SHARED_ANEW, "adjust": ADJUSTED}


class Step(NamedTuple):
    """One step of a running total. Position to rate are there for a contribution."""

    seq: int
    at: str
    what: str
    units: int
    table: str = ""
    round: int | None = None
    position: int | None = None
    stake_cents: int | None = None
    rate: int | None = None  # millionths


class LinkedDerivation(NamedTuple):
    """The steps of a linked jackpot, oldest first. `most_cents` is the ceiling of a mystery meter."""

    amount_cents: int
    winners: int
    steps: tuple[Step, ...]
    most_cents: int | None

    @property
    def total(self) -> int:
        """What the steps add up to, in units."""
        return sum(step.units for step in self.steps)

    @property
    def remainder(self) -> int:
        """What stays on the meter, in units."""
        return self.total - units(self.amount_cents)

    @property
    def ok(self) -> bool:
        """Whether the amount is the whole cents of the total, or the ceiling; winners may leave some cents."""
        cents = self.total // UNITS_PER_CENT
        whole = cents if self.most_cents is None else min(cents, self.most_cents)
        return whole - self.winners < self.amount_cents <= whole


class Row(NamedTuple):
    """A line of the ledger, read."""

    seq: int
    at: str
    round: int
    kind: str
    line: Line


def derive(filed: FiledMeter, opened: Meter, backwards: Iterator[Row], seq: int, position: int) -> LinkedDerivation:
    """Every step to the hit that line `seq` made for a position; `backwards` are the lines from it to the first."""
    rows, start = _cycle(filed.id, backwards)
    hit = rows[0] if rows else None
    won = next((each for each in hit.line.hits if each.position == position), None) if hit else None
    if hit is None or hit.seq != seq or won is None:
        raise LinkRefusedError(f"line {seq} of {filed.id} is no hit of position {position}: was the ledger changed?")
    walk = _Walk(filed, start, opened)
    for row in reversed(rows):
        walk.take(row)
    cycle = won.cycle if filed.kind == MYSTERY else walk.cycle - 1
    most = filed.filing.maximum_cents if filed.kind == MYSTERY else None
    winners = 1 if won.commitment else len(hit.line.hits)
    return LinkedDerivation(_whole(hit, won), winners, tuple(walk.ended[cycle]), most)


def _whole(row: Row, won: LinkHit) -> int:
    """The whole jackpot: what its winners share, or a mystery award. What cannot be shared stays on the meter."""
    return won.amount_cents if won.commitment else sum(each.amount_cents for each in row.line.hits)


def _cycle(meter: str, backwards: Iterator[Row]) -> tuple[list[Row], Row | None]:
    """Lines from a hit back to where its cycle began, newest first; and the last one before that, if there is one."""
    rows: list[Row] = []
    for row in backwards:
        if rows and row.line.after.cycle < _first_cycle(rows[0]):
            return rows, row
        rows.append(row)
        if len(rows) > MOST_LINES:
            raise LinkRefusedError(
                f"{meter}: a cycle of more than {MOST_LINES} lines: `jackpotd link audit` adds it up"
            )
    return rows, None


def _first_cycle(hit: Row) -> int:
    """The first cycle that a line with a hit touched."""
    return hit.line.after.cycle - 1 if hit.kind == "hit" else min(share.cycle for share in hit.line.shares)


class _Walk:
    """The steps of each cycle, line by line."""

    def __init__(self, filed: FiledMeter, start: Row | None, opened: Meter) -> None:
        self._filed = filed
        self._total = opened.units if start is None else start.line.after.units
        self.ended: dict[int, list[Step]] = {}
        if start is None:
            self.cycle, self._steps = opened.cycle, [Step(0, "", OPENED, opened.units)]
        else:  # of the cycle before only what it came to is needed
            self.cycle, self._steps = start.line.after.cycle, [Step(start.seq, "", OPENED, start.line.after.units)]

    def take(self, row: Row) -> None:
        """The next line."""
        if row.kind == "contribute":
            self._contributed(row)
        elif row.kind == "hit":
            self._begin([])
        after = row.line.after.units - self._total
        if after and row.kind not in ("hit", "contribute"):
            self._add(Step(row.seq, row.at, _WORDS.get(row.kind, row.kind), after, row.line.table, row.round))
        elif after:
            for step in self._opening(row, after):
                self._add(step)

    def _contributed(self, row: Row) -> None:
        line = row.line
        for (position, cents), share in zip(line.stakes, line.shares, strict=True):
            if share.cycle != self.cycle:  # the one before has passed the value
                self._pass(row)
            where = (line.table, row.round, position, cents, self._filed.filing.rate)
            self._add(Step(row.seq, row.at, CONTRIBUTION, share.units, *where))
        if line.after.cycle != self.cycle:
            self._pass(row)

    def _pass(self, row: Row) -> None:
        """A mystery value was passed: the next cycle begins at its minimum, with what the award left."""
        award = next(each.amount_cents for each in row.line.hits if each.cycle == self.cycle)
        left = self._total - units(award)
        first = [Step(row.seq, row.at, SEEDED, units(self._filed.filing.reset_cents))]
        self._begin([*first, *([Step(row.seq, row.at, SPILL, left)] if left else [])])

    def _begin(self, steps: list[Step]) -> None:
        self.ended[self.cycle] = self._steps
        self.cycle, self._steps, self._total = self.cycle + 1, [], 0
        for step in steps:
            self._add(step)

    def _add(self, step: Step) -> None:
        self._steps.append(step)
        self._total += step.units

    def _opening(self, row: Row, opening: int) -> Iterator[Step]:
        """After a jackpot by the cards: what was left of it, the reserve, and what the house added."""
        if row.kind == "contribute":
            yield Step(row.seq, row.at, CARRIED, opening)
            return
        account, reserve = meter_account(self._filed.id), reserve_account(self._filed.id)
        seed = sum(move.units for move in row.line.moves if (move.source, move.target) == (SEED, account))
        released = sum(move.units for move in row.line.moves if (move.source, move.target) == (reserve, account))
        for what, amount in ((LEFT, opening - seed - released), (RELEASED, released), (SEEDED, seed)):
            if amount:
                yield Step(row.seq, row.at, what, amount)
