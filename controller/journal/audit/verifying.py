"""Is a journal whole, its archives included? Chain, money and replay, proven fact by fact from the first one."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from controller.journal.audit.archives import Archives
from controller.journal.audit.kept import Kept
from controller.journal.audit.passes import Bad, Ground, prove_chain, prove_replay
from controller.journal.audit.stayed import unpacked_files
from controller.journal.errors import COMPLAINTS, JournalCorruptError, translated
from controller.journal.reading import JournalReader
from controller.journal.rows import EMPTY, Head

Progress = Callable[[int, int], None]  # facts done, facts in all

# From so many facts on the passes run side by side. Measured with 100,000 facts on two cores: half as long again when
# one after the other, where both cores are free; where other work fills them, a fifth quicker one after the other.
SIDE_BY_SIDE_FROM = 30_000

_EXTENT = "SELECT max(CASE WHEN typeof(seq) = 'integer' THEN seq END), sum(typeof(seq) <> 'integer') FROM facts"


class Verdict(NamedTuple):
    """What verifying found: how many facts are whole, the last of them, and what is wrong with the next.

    `since` is the first that was looked at, and `replayed` the first whose money was added up and that was replayed; 0
    where no snapshot allows that. Both are 1 where every archive was there.
    """

    facts: int
    head: Head
    bad: Bad | None
    since: int = 1
    replayed: int = 1
    seen: tuple[str, ...] = ()  # names of archives
    missing: tuple[str, ...] = ()


def verify(
    journal: JournalReader,
    promised: Head | None = None,
    progress: Progress | None = None,
    *,
    live: bool = False,
    side_by_side_from: int = SIDE_BY_SIDE_FROM,
) -> Verdict:
    """Prove a journal from its first fact to the last it has now.

    `promised` is a place in the chain known from elsewhere: the journal must contain it, and may be longer. Archives
    that are not there are a finding; with `live` they are not asked for, and all that follows them is proven.
    """
    kept = Kept(journal)  # before the head is looked at: the fact that vouches for a snapshot is then among those read
    last, strays = _extent(journal)
    try:
        archives = Archives(journal)
    except JournalCorruptError as error:
        return Verdict(0, EMPTY, Bad(error.seq or 1, str(error)))
    ground = archives.ground(kept, live=live)
    if damage := _damage(kept, ground):
        ground = ground._replace(snapshot=None, bare=True)

    def tell(done: int) -> None:
        if progress:
            progress(done, last)

    if last - ground.start.seq >= side_by_side_from and (os.cpu_count() or 1) > 1:
        found = _side_by_side(journal, last, promised, kept, tell, ground)
    else:
        chain = prove_chain(journal.path, last, promised, ground=ground)
        # What comes before a bad fact is replayed too: there may be one that only the replay finds.
        found = [chain, prove_replay(journal, chain.seq - 1 if chain else last, kept, tell, ground)]
    found += [damage, _unseen(promised, ground.start)]
    if strays:
        found.append(Bad(last + 1, f"{strays} facts more stand under no number at all"))
    if not any(found):
        found.append(archives.flaw(last, live=live))
    if not any(found) and not ground.bare and (left := kept.unmet()):
        found.append(Bad(*left))
    if not any(found) and (why := _misled(journal)):
        found.append(Bad(last + 1, why))
    journal.check_unchanged()
    tell(last)
    bad = min(filter(None, found), key=lambda bad: bad.seq, default=None)
    verdict = _verdict(journal, last, bad, ground)
    return verdict._replace(seen=archives.seen, missing=archives.missing)


def _side_by_side(  # noqa: PLR0913, PLR0917 -- what both passes take
    journal: JournalReader,
    last: int,
    promised: Head | None,
    kept: Kept,
    tell: Callable[[int], None],
    ground: Ground,
) -> list[Bad | None]:
    """Both passes at once. Of two findings at one fact the chain's comes first, and stands."""
    # Spawned, not forked: whoever called may have threads, of a progress bar for example.
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=_leave_interrupts_to_the_caller) as beside:
        chain: Future[Bad | None] = beside.submit(prove_chain, journal.path, last, promised, None, ground)
        replay = prove_replay(journal, last, kept, tell, ground)
        return [chain.result(), replay]


def _leave_interrupts_to_the_caller() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _damage(kept: Kept, ground: Ground) -> Bad | None:
    """Why a proof cannot stand on the snapshot it should."""
    found = kept.damage(ground.snapshot) if ground.snapshot else None
    return Bad(*found) if found else None


def _unseen(promised: Head | None, start: Head) -> Bad | None:
    """A place that was promised, and is before the first fact that is looked at, or just there and otherwise."""
    if promised is None or promised.seq > start.seq or promised == start:
        return None
    if promised.seq < start.seq:
        return Bad(promised.seq, "it was promised, and lies in an archive that was not looked at")
    return Bad(promised.seq, f"its hash is {start.hash.hex()}, and {promised.hash.hex()} was promised")


def _extent(journal: JournalReader) -> tuple[int, int]:
    """The highest number of a fact, and how many have none: a file someone rebuilt may hold such, unseen in order."""
    try:
        last, strays = journal.db.conn.execute(_EXTENT).fetchone()
    except COMPLAINTS as error:
        raise translated(journal.path, error) from error
    return last or 0, strays or 0


def _misled(journal: JournalReader) -> str:
    """What an index lists otherwise than the facts are: a question answered from it would not see them as they are."""
    try:
        (said,) = journal.db.conn.execute("PRAGMA integrity_check('facts')").fetchone()
    except COMPLAINTS as error:
        raise translated(journal.path, error) from error
    return "" if said == "ok" else f"facts are whole, their indexes are not, and mislead whoever asks by them: {said}"


def _verdict(journal: JournalReader, last: int, bad: Bad | None, ground: Ground) -> Verdict:
    """The verdict, with the place in the chain up to which all is proven."""
    since, start = ground.start.seq + 1, ground.start
    replayed = 0 if ground.bare else ground.snapshot.seq + 1 if ground.snapshot else 1
    # A finding before the anchor is of an archive that was not there: what follows the anchor is whole all the same.
    whole = min(last, bad.seq - 1) if bad and bad.seq > start.seq else last
    if whole <= start.seq:
        return Verdict(0, start, bad, since, replayed)
    try:
        found = journal.db.conn.execute("SELECT hash FROM facts WHERE seq = ?", (whole,)).fetchone()
    except COMPLAINTS as error:
        raise translated(journal.path, error) from error
    if found is None and whole <= journal.start().seq:
        archived = unpacked_files(ground.archives, bytes)
        found = next(((row[7],) for row in archived if row[0] == whole), None)
    if found is None:
        raise JournalCorruptError(f"{journal.path} changed while it was verified: fact {whole} is gone")
    return Verdict(whole - start.seq, Head(whole, found[0]), bad, since, replayed)
