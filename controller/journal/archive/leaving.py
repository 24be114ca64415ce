"""Which facts may leave the journal next: those of its oldest closed gaming day, when nothing here needs them."""

from typing import NamedTuple

from controller.core.facts import ReadingsTaken
from controller.journal.journal import KEPT_SNAPSHOTS
from controller.journal.rows import Head
from controller.journal.schema import OF_DAYS
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import recorded

# Facts of one file: some 16 times those of a busy day. A sensor that flickers all day makes more, and the day is then
# of several files: what packs one holds it in memory, 64 bytes a fact.
MOST_FACTS = 1_000_000


class Leaving(NamedTuple):
    """The facts of a closed day, or the next of them."""

    day: str
    start: Head  # the place in the chain before the first
    last: int


def due(journal: SqliteJournal, keep_days: int, most: int = MOST_FACTS) -> Leaving | None:
    """What may leave now; None while everything is young, still to be told, or needed for a start.

    Days are counted as they were played, not by the clock, which can be wrong by years.
    """
    anchor = journal.anchor()
    closings = journal.found(f"type = 'readings-taken' AND {OF_DAYS}", after=anchor.seq, most=keep_days + 1)
    if len(closings) <= keep_days:
        return None
    oldest = recorded(closings[0]).fact
    if not isinstance(oldest, ReadingsTaken):
        raise TypeError(f"fact {closings[0].seq} closes no day")
    last = min(closings[0].seq, anchor.seq + most)
    if last > journal.cursor():
        return None
    snapshots = [kept.seq for kept in journal.snapshots()]
    if len(snapshots) < KEPT_SNAPSHOTS or last > min(snapshots):
        return None
    return Leaving(oldest.ended, anchor, last)
