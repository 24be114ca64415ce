"""Is a journal whole? The chain, the money and the replay, proven fact by fact from the first one."""

import os
import signal
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from controller.journal.audit.kept import Kept
from controller.journal.audit.passes import Bad, prove_chain, prove_replay
from controller.journal.errors import JournalCorruptError, translated
from controller.journal.reading import JournalReader
from controller.journal.rows import EMPTY, Head

Progress = Callable[[int, int], None]  # facts done, facts in all

# From so many facts on the passes run side by side. Measured with 100,000 facts on two cores: half as long again when
# one after the other, where both cores are free; where other work fills them, a fifth quicker one after the other.
SIDE_BY_SIDE_FROM = 30_000

_EXTENT = "SELECT max(CASE WHEN typeof(seq) = 'integer' THEN seq END), sum(typeof(seq) <> 'integer') FROM facts"


class Verdict(NamedTuple):
    """What verifying found: how many facts are whole, the last of them, and what is wrong with the next."""

    facts: int
    head: Head
    bad: Bad | None


def verify(
    journal: JournalReader,
    promised: Head | None = None,
    progress: Progress | None = None,
    *,
    side_by_side_from: int = SIDE_BY_SIDE_FROM,
) -> Verdict:
    """Prove a journal from its first fact to the last it has now.

    `promised` is a place in the chain known from elsewhere: the journal must contain it, and may be longer.
    """
    kept = Kept(journal)  # before the head is looked at: the fact that vouches for a snapshot is then among those read
    start, (last, strays) = journal.start(), _extent(journal)
    if start != EMPTY:
        return Verdict(0, EMPTY, Bad(1, f"facts up to {start.seq} are not in this file: verifying takes all of them"))

    def tell(done: int) -> None:
        if progress:
            progress(done, last)

    if last >= side_by_side_from and (os.cpu_count() or 1) > 1:
        found = _side_by_side(journal, last, promised, kept, tell)
    else:
        chain = prove_chain(journal.path, last, promised)
        # What comes before a bad fact is replayed too: there may be one that only the replay finds.
        found = [chain, prove_replay(journal, chain.seq - 1 if chain else last, kept, tell)]
    if strays:
        found.append(Bad(last + 1, f"{strays} facts more stand under no number at all"))
    if not any(found) and (left := kept.unmet()):
        found.append(Bad(*left))
    journal.check_unchanged()
    tell(last)
    return _verdict(journal, last, min(filter(None, found), key=lambda bad: bad.seq, default=None))


def _side_by_side(
    journal: JournalReader, last: int, promised: Head | None, kept: Kept, tell: Callable[[int], None]
) -> list[Bad | None]:
    """Both passes at once. Of two findings at one fact the chain's comes first, and stands."""
    # Spawned, not forked: whoever called may have threads, of a progress bar for example.
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=_leave_interrupts_to_the_caller) as beside:
        chain: Future[Bad | None] = beside.submit(prove_chain, journal.path, last, promised)
        replay = prove_replay(journal, last, kept, tell)
        return [chain.result(), replay]


def _leave_interrupts_to_the_caller() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _extent(journal: JournalReader) -> tuple[int, int]:
    """The highest number of a fact, and how many have none: a file someone rebuilt may hold such, unseen in order."""
    try:
        last, strays = journal.db.conn.execute(_EXTENT).fetchone()
    except sqlite3.Error as error:
        raise translated(journal.path, error) from error
    return last or 0, strays or 0


def _verdict(journal: JournalReader, last: int, bad: Bad | None) -> Verdict:
    """The verdict, with the place in the chain up to which all is proven."""
    whole = min(last, bad.seq - 1) if bad else last
    if not whole:
        return Verdict(0, EMPTY, bad)
    try:
        found = journal.db.conn.execute("SELECT hash FROM facts WHERE seq = ?", (whole,)).fetchone()
    except sqlite3.Error as error:
        raise translated(journal.path, error) from error
    if found is None:
        raise JournalCorruptError(f"{journal.path} changed while it was verified: fact {whole} is gone")
    return Verdict(whole, Head(whole, found[0]), bad)
