"""From a journal to the state it adds up to, proven before any device is spoken to."""

import zlib
from collections.abc import Callable, Iterable
from hashlib import sha256

from msgspec import MsgspecError, json

from controller.core.evolve import evolve
from controller.core.facts import Recorded, SnapshotTaken, UnreadableFactError, decode
from controller.core.invariants import check
from controller.core.state import VERSION, State
from controller.journal.chain import sound
from controller.journal.errors import JournalCorruptError
from controller.journal.journal import Journal
from controller.journal.rows import EMPTY, Head, Row, Snapshot

# Two gaming days of a table with a wager on every spot are some 20 MB of JSON. Far more is no snapshot.
MOST_STATE_BYTES = 256 * 1024 * 1024


def packed(state: State) -> bytes:
    """A state as a snapshot holds it: JSON, deflated to a fifteenth, so that saving it hardly delays a wager."""
    return zlib.compress(json.encode(state), level=1)


def unpacked(payload: bytes) -> State:
    """The state of a snapshot's bytes; a ValueError where they are none."""
    try:
        inflating = zlib.decompressobj()
        text = inflating.decompress(payload, MOST_STATE_BYTES)
        if not inflating.eof:
            raise ValueError(f"it is cut off, or longer than {MOST_STATE_BYTES} bytes")
        return json.decode(text, type=State)
    except (zlib.error, MsgspecError) as error:
        raise ValueError(str(error)) from error


def load(journal: Journal, archived: Callable[[], Iterable[Row]] | None = None) -> State:
    """The state of a table: the newest snapshot the chain vouches for, and the facts since; the chain proven so far.

    Without one, of a version that this software reads, it is added up from the first fact: `archived` has those that
    are not here any more.
    """
    head, state = EMPTY, State()
    for snapshot in journal.snapshots():
        found = _vouched(journal, snapshot)
        if found is not None:
            head, state = Head(snapshot.seq, snapshot.hash), found
            break
    if journal.anchor().seq > head.seq:
        if archived is None:
            raise JournalCorruptError(
                f"there is no snapshot to begin from, and facts up to {journal.anchor().seq} left"
            )
        state = _added_up(archived(), head, state)
        head = journal.anchor()
    state = replay(journal, head, state)
    check(state)
    return state


def replay(journal: Journal, head: Head, state: State) -> State:
    """The state after every fact that follows a place in the chain."""
    return _added_up(journal.rows(head.seq), head, state)


def _added_up(rows: Iterable[Row], head: Head, state: State) -> State:
    for row in sound(rows, head):
        state = evolve(state, recorded(row))
    return state


def recorded(row: Row) -> Recorded:
    """The fact of a row."""
    try:
        return Recorded(row.at, row.round, decode(row.type, row.version, row.payload))
    except (UnreadableFactError, MsgspecError) as error:
        raise JournalCorruptError(f"fact {row.seq} cannot be read: {error}: verify the journal", row.seq) from error


def _vouched(journal: Journal, snapshot: Snapshot) -> State | None:
    """The state of a snapshot, if the fact after it vouches for its bytes and this software reads its version."""
    if snapshot.version != VERSION:
        return None
    for row in journal.rows(snapshot.seq, snapshot.seq + 1):
        fact = recorded(row).fact
        if not isinstance(fact, SnapshotTaken) or row.prev_hash != snapshot.hash:
            return None
        if fact.seq != snapshot.seq or fact.sha256 != sha256(snapshot.payload).hexdigest():
            raise JournalCorruptError(f"the snapshot after fact {snapshot.seq} is not the one that was saved", row.seq)
        try:
            return unpacked(snapshot.payload)
        except ValueError as error:
            raise JournalCorruptError(f"the snapshot after fact {snapshot.seq} cannot be read: {error}") from error
    return None
