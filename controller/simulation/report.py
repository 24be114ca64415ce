"""What was covered, and what was found."""

import time
from collections import Counter
from collections.abc import Iterator

from controller.simulation.choices import Choices
from controller.simulation.run import Result
from controller.simulation.schedule import schedule
from controller.simulation.shrink import Case

DAY, WEEK, YEAR = 86_400, 7 * 86_400, 365.25 * 86_400
_MOST_TOLD = 20  # violations of one run: the first says most


class Tally:
    """Runs, added up."""

    def __init__(self) -> None:
        self._began = time.process_time()
        self.runs = self.rounds = self.facts = self.lives = self.events = 0
        self.virtual = 0.0
        self.faults: Counter[str] = Counter()
        self.last = ""

    @property
    def seconds(self) -> float:
        """Of processor time, so far."""
        return time.process_time() - self._began

    def add(self, result: Result) -> None:
        """One more."""
        self.runs += 1
        self.rounds += result.rounds
        self.facts += result.facts
        self.lives += result.lives
        self.events += result.events
        self.virtual += result.seconds
        self.faults.update(result.faults)
        self.last = result.digest

    def as_dict(self, wrong: Result | None, again: str) -> dict[str, object]:
        """For programs."""
        return {
            "ok": wrong is None,
            "runs": self.runs,
            "table_days": round(self.virtual / DAY, 3),
            "rounds": self.rounds,
            "facts": self.facts,
            "starts": self.lives,
            "events": self.events,
            "faults": dict(sorted(self.faults.items())),
            "processor_seconds": round(self.seconds, 3),
            "rate": round(self.virtual / max(self.seconds, 1e-6)),
            "sha256": self.last,
            **({"seed": wrong.seed, "violations": wrong.violations[:_MOST_TOLD], "again": again} if wrong else {}),
        }


def span(seconds: float) -> str:
    """So much time of a table, in words."""
    for name, size in (("year", YEAR), ("week", WEEK), ("day", DAY)):
        if seconds >= size:
            return f"{seconds / size:.1f} table-{name}s"
    return f"{seconds / 3600:.1f} table-hours"


def told(tally: Tally, wrong: Result | None, shortest: Case | None, again: str) -> Iterator[str]:
    """For people."""
    faults = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.faults.items()))
    rate = f"{tally.virtual / max(tally.seconds, 1e-6):,.0f} times as fast as life"
    yield f"{span(tally.virtual)} in {tally.seconds:.1f} s of processor time, {rate}"
    yield f"{tally.runs} runs, {tally.rounds:,} hands, {tally.facts:,} facts, {tally.lives:,} starts"
    yield f"{tally.faults.total():,} faults: {faults or 'none'}"
    if tally.runs == 1:
        yield f"trace {tally.last}"
    if wrong is None:
        yield "whole: nothing was found"
        return
    yield f"VIOLATION with seed {wrong.seed}, table {wrong.table}:"
    yield from (f"  {each}" for each in wrong.violations[:_MOST_TOLD])
    if shortest is not None:
        kept = [each for each in schedule(wrong.seed, shortest.rounds) if each.number in shortest.only]
        yield f"the shortest history that shows it: {shortest.rounds} hands and {len(kept)} faults"
        yield from (f"  hand {each.round}, {each.after:.1f} s: {each.kind} for {each.seconds:.1f} s" for each in kept)
    yield f"again: {again}"


def command_line(seed: int, case: Case, choices: Choices) -> str:
    """What replays it."""
    only = ",".join(map(str, case.only))
    table = f" --table {choices.table}" if choices.table else ""
    chosen = table + (" --fair" if choices.fair else "") + (f" --hours {choices.hours:g}" if choices.hours else "")
    return f"jackpotd simulate --seed {seed} --rounds {case.rounds}{chosen} " + (
        f"--only {only}" if only else "--faults none"
    )
