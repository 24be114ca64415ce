"""Snapshots held against the facts: each is the state replayed so far, and the fact after it vouches for its bytes."""

from hashlib import sha256

from controller.core.facts import Fact, SnapshotTaken
from controller.core.state import VERSION, State
from controller.journal.errors import COMPLAINTS, JournalCorruptError, translated
from controller.journal.reading import JournalReader
from controller.journal.rows import Snapshot
from controller.journal.starting import unpacked

_SELECT = "SELECT seq, hash, version, payload FROM snapshots ORDER BY seq"
_TYPES = (int, bytes, int, bytes)


class Kept:
    """The snapshots of a journal, crossed off one by one as the facts reach them."""

    def __init__(self, journal: JournalReader) -> None:
        try:
            found = journal.db.conn.execute(_SELECT).fetchall()
        except COMPLAINTS as error:
            raise translated(journal.path, error) from error
        if any(tuple(map(type, row)) != _TYPES for row in found):
            raise JournalCorruptError(f"{journal.path}: a snapshot is stored with values of other types than written")
        self._waiting = {row[0]: Snapshot(*row) for row in found}
        self._unvouched: Snapshot | None = None
        self.places = {place for seq in self._waiting for place in (seq, seq + 1)}  # facts to hold against one

    def flaw(self, seq: int, hash_: bytes, fact: Fact, state: State) -> str | None:
        """Why the snapshot after this fact, or the one it vouches for, is not what was saved."""
        if type(fact) is SnapshotTaken and fact.seq != seq - 1:
            return f"it vouches for a snapshot after fact {fact.seq}, and follows fact {seq - 1}"
        last, self._unvouched = self._unvouched, None
        if last and (type(fact) is not SnapshotTaken or fact.sha256 != sha256(last.payload).hexdigest()):
            return f"it does not vouch for the snapshot after fact {last.seq}"
        snapshot = self._waiting.pop(seq, None)
        if snapshot is None:
            return None
        self._unvouched = snapshot
        if snapshot.hash != hash_:
            return f"the snapshot after it stands on the hash {snapshot.hash.hex()}"
        return _difference(snapshot, state) if snapshot.version == VERSION else None

    def oldest(self) -> Snapshot | None:
        """The first one that a replay can begin from."""
        return next((each for _, each in sorted(self._waiting.items()) if each.version == VERSION), None)

    def damage(self, snapshot: Snapshot) -> tuple[int, str] | None:
        """Why no replay can begin from a snapshot."""
        try:
            unpacked(snapshot.payload)
        except ValueError as error:
            return snapshot.seq, f"the snapshot after it cannot be read: {error}"
        return None

    def begin(self, snapshot: Snapshot) -> State:
        """Begin with a snapshot and no fact before it: the next one has to vouch for it."""
        self._waiting = {seq: each for seq, each in self._waiting.items() if seq > snapshot.seq}
        self._unvouched = snapshot
        return unpacked(snapshot.payload)

    def unmet(self) -> tuple[int, str] | None:
        """A snapshot that no fact vouches for, or that no fact leads to."""
        if self._unvouched:
            return self._unvouched.seq, "no fact vouches for the snapshot after it"
        for seq in self._waiting:
            return seq, "there is a snapshot after it, and no such fact"
        return None


def _difference(snapshot: Snapshot, state: State) -> str | None:
    try:
        saved = unpacked(snapshot.payload)
    except ValueError as error:
        return f"the snapshot after it cannot be read: {error}"
    if saved == state:
        return None
    names = [name for name in State.__struct_fields__ if getattr(saved, name) != getattr(state, name)]
    return f"the snapshot after it is not what the facts add up to, in {', '.join(names)}"
