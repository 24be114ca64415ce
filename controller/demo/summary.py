"""What a demonstration came to: read from the journals it leaves, which are proven first."""

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from msgspec import Struct, structs

from controller.core.floor import LATE_BET
from controller.demo.view import dollars
from controller.demo.watching import Watched
from controller.journal.audit.verifying import verify
from controller.journal.reading import open_readonly

_COUNTED = """
SELECT
    coalesce(sum(type = 'locked-out'), 0),
    coalesce(sum(CASE type WHEN 'locked-out' THEN json_array_length(payload, '$.wagers') END), 0),
    coalesce(sum(CASE type WHEN 'wager-refused' THEN payload ->> 'why' = ? END), 0),
    coalesce(sum(type = 'wager-withdrawn'), 0),
    coalesce(sum(json_array_length(payload, '$.awards')), 0),
    coalesce(sum(type = 'award-validated'), 0),
    count(*)
FROM facts WHERE seq > ?
"""
_HITS = """
SELECT count(*) FROM facts, json_each(facts.payload, '$.awards') award
WHERE facts.seq > ? AND award.value ->> 'kind' <> 'fixed'
"""


class Counted(Struct, frozen=True):
    """What happened at tables since a demonstration began."""

    rounds: int = 0
    wagers: int = 0
    late: int = 0
    withdrawn: int = 0
    awards: int = 0
    validated: int = 0
    facts: int = 0
    hits: int = 0  # awards of a meter

    def __add__(self, other: Self) -> "Counted":
        return Counted(*(mine + theirs for mine, theirs in zip(_values(self), _values(other), strict=True)))


def _values(counted: Counted) -> tuple[int, ...]:
    return structs.astuple(counted)


class Verdict(Struct, frozen=True):
    """Whether a journal is whole, and in words."""

    whole: bool
    words: str


def counted(path: Path, after: int) -> Counted:
    """What a journal holds after a fact."""
    with open_readonly(path) as journal:
        found = journal.db.execute(_COUNTED, (LATE_BET, after)).fetchone()
        (hits,) = journal.db.execute(_HITS, (after,)).fetchone()
    return Counted(*map(int, (*found, hits)))


def proven(path: Path) -> Verdict:
    """Prove a journal from its first fact, as `jackpotd audit verify` does."""
    with open_readonly(path) as journal:
        found = verify(journal)
    if found.bad is not None:
        return Verdict(whole=False, words=f"{path}: NOT whole: fact {found.bad.seq}: {found.bad.why}")
    head = found.head
    return Verdict(whole=True, words=f"{path}: whole: {found.facts:,} facts, head {head.seq}:{head.hash.hex()[:16]}…")


def told(total: Counted, seconds: float, tables: Iterable[Watched], verdicts: Iterable[Verdict]) -> list[str]:
    """The summary, line by line."""
    rates = {"rounds": total.rounds, "wagers": total.wagers, "facts": total.facts}
    lines = [
        f"{total.rounds:,} rounds in {seconds:,.1f} s: "
        + ", ".join(f"{_rate(number, seconds)} {name}/s" for name, number in rates.items()),
        f"{total.wagers:,} wagers in; {total.late:,} came too late, {total.withdrawn:,} were withdrawn",
        f"{total.awards:,} awards, {total.hits:,} of them from a meter; {total.validated:,} validated",
    ]
    for table in tables:
        shown = sorted(table.meters.values(), key=lambda meter: -meter.display_cents)
        lines += [f"{table.table}  {meter.label:<16}{dollars(meter.display_cents):>14}" for meter in shown]
        if table.pending:
            lines.append(f"{table.table}  {len(table.pending)} awards wait for their validation")
    return lines + [verdict.words for verdict in verdicts]


def _rate(number: int, seconds: float) -> str:
    return f"{number / seconds:,.1f}" if seconds > 0 else "-"
