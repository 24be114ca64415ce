"""What a run of planted bugs came to: for the screen, and for docs/mutants.md."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from tests.mutants.planted import Bug
from tests.soak.results import ROOT, commit

FILE = ROOT / "docs/mutants.md"
NINE_OF_TEN = 9, 10  # of the bugs that the simulator can see it must find


class Outcome(Struct, frozen=True):
    """Who found a bug, and how soon."""

    bug: Bug
    tests: str = ""  # the test that failed
    tests_seconds: float = 0.0
    simulator: str = ""  # what the auditor said
    simulator_seconds: float = 0.0  # of processor time
    trouble: str = ""  # why nothing can be said

    @property
    def simulator_missed(self) -> bool:
        """Whether the simulator did not find what it can see."""
        return self.bug.simulator and not self.simulator

    @property
    def tests_missed(self) -> bool:
        """Whether no test failed that should have."""
        return bool(self.bug.tests) and not self.tests

    def line(self) -> str:
        """For the screen."""
        if self.trouble:
            return f"{self.bug.name}: CANNOT SAY: {self.trouble}"
        found = [
            f"tests {self.tests or 'NOTHING'} in {self.tests_seconds} s" if self.bug.tests else "",
            f"simulator {self.simulator[:200] or 'NOTHING'} in {self.simulator_seconds} s"
            if self.bug.simulator
            else "",
        ]
        return f"{self.bug.name}: {'; '.join(filter(None, found)) or 'whole'}"

    def row(self) -> str:
        """For the file."""
        tests = f"`{self.tests.partition('::')[2]}` {self.tests_seconds} s" if self.tests else "not found"
        kind = self.simulator.partition(" s: ")[2].partition(":")[0] or self.simulator.partition(": ")[2]
        simulator = f"{kind[:60]}, {self.simulator_seconds} s" if self.simulator else "not found"
        cells = (
            f"{self.bug.name}: {self.bug.says}",
            tests if self.bug.tests else "-",
            simulator if self.bug.simulator else "-",
            self.bug.why_not,
        )
        return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def missed(outcomes: Sequence[Outcome]) -> list[str]:
    """Why a run fails; nothing, if it does not."""
    wrong = [outcome.line() for outcome in outcomes if outcome.trouble or outcome.tests_missed]
    seen = [outcome for outcome in outcomes if outcome.bug.simulator and not outcome.trouble]
    blind = [outcome for outcome in seen if outcome.simulator_missed]
    of, out_of = NINE_OF_TEN
    if (len(seen) - len(blind)) * out_of < len(seen) * of:
        wrong += [outcome.line() for outcome in blind]
    return wrong


def summary(outcomes: Sequence[Outcome]) -> str:
    """In one sentence."""
    by_tests = [outcome for outcome in outcomes if outcome.bug.tests]
    by_simulator = [outcome for outcome in outcomes if outcome.bug.simulator]
    found = sum(bool(outcome.tests) for outcome in by_tests), sum(bool(outcome.simulator) for outcome in by_simulator)
    planted = sum(bool(outcome.bug.edits) for outcome in outcomes)
    return (
        f"{planted} bugs planted: tests found {found[0]} of {len(by_tests)}, "
        f"the simulator {found[1]} of {len(by_simulator)}"
    )


def write(outcomes: Sequence[Outcome], file: Path = FILE) -> None:
    """Write the file anew."""
    rows = "\n".join(outcome.row() for outcome in outcomes if outcome.bug.edits)
    file.write_text(
        f"""# Planted bugs, and who found them

`make mutants` writes this file. It plants one bug after another in a copy of the product, runs the tests that are named
for it, and lets the simulator look for a minute of processor time, with mystery values drawn as in life. A dash stands
for who cannot see it, or meets it too seldom in a minute, for the reason given. The lists are in
`tests/mutants/planted`.

{summary(outcomes)}. Commit {commit()}, {datetime.now(UTC):%Y-%m-%d}.

| bug | tests | simulator | why not the other |
|---|---|---|---|
{rows}
"""
    )
