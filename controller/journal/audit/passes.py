"""The two passes over all facts that verifying takes: chain and books, and the replay. Each finds its first bad fact.

They share nothing, so that they can run side by side: the replay alone takes longer than all the rest.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import NamedTuple, TypeAlias, cast

from msgspec import json

from controller.core.accounts import UnbalancedError
from controller.core.facts import (
    TYPES,
    VERSIONS,
    Fact,
    LockedOut,
    Recorded,
    SnapshotTaken,
    SubmissionFiled,
    UnreadableFactError,
    decode,
)
from controller.core.invariants import check
from controller.journal.audit.books import Books
from controller.journal.audit.kept import Kept
from controller.journal.audit.playback import Playback
from controller.journal.audit.stayed import alike, alone, unpacked_files
from controller.journal.chain import RawRow, sound
from controller.journal.errors import JournalCorruptError, JournalError
from controller.journal.reading import JournalReader, open_readonly
from controller.journal.rows import EMPTY, Head, Snapshot
from controller.journal.starting import unpacked

Tell: TypeAlias = Callable[[int], None]  # how many facts are done
_TELL_EVERY = 2048  # facts between two calls of it: often enough for a bar that moves

# The journal's own bytes go through these: a text made of each payload first would cost a tenth of all the time.
_DECODERS = {(name.encode(), VERSIONS[name]): json.Decoder(type_) for name, type_ in TYPES.items()}
_ENCODER = json.Encoder()
_MONEY = (SubmissionFiled, LockedOut)  # what they list is money too

# A row with the types it should have, its text undecoded.
_Row: TypeAlias = tuple[int, bytearray | bytes, int | None, bytearray | bytes, int, bytearray | bytes, bytes, bytes]


class Bad(NamedTuple):
    """The first fact that is not as it was written, and why."""

    seq: int
    why: str


class Ground(NamedTuple):
    """What a proof stands on: the first fact and every archive, or the anchor and a snapshot after it."""

    archives: tuple[str, ...] = ()  # paths, from the first fact to the anchor
    start: Head = EMPTY
    snapshot: Snapshot | None = None  # from which the money and the replay begin; None: from the first fact
    bare: bool = False  # nothing to begin from: the chain alone is proven


ALL = Ground()


def prove_chain(
    path: str, last: int, promised: Head | None, tell: Tell | None = None, ground: Ground = ALL
) -> Bad | None:
    """Prove the chain up to a fact, and the books. In a process of its own, so it opens the journal for itself."""
    saved = ground.snapshot
    books, place = Books.of(unpacked(saved.payload)) if saved else Books(), promised or EMPTY

    def flaw(row: _Row) -> str | None:
        seq, _, _, name, version, payload, _, hash_ = row
        fact = _exact(name, version, payload)
        if seq == place.seq and hash_ != place.hash:
            return f"its hash is {hash_.hex()}, and {place.hash.hex()} was promised"
        if saved and seq == saved.seq and hash_ != saved.hash:
            return f"the snapshot after it stands on the hash {saved.hash.hex()}"
        if ground.bare or (saved and seq <= saved.seq):
            return None
        if fact.moves or fact.meters or fact.awards or fact.fates or type(fact) in _MONEY:
            return books.flaw(fact)
        return None

    with open_readonly(path) as journal:
        stayed = journal.raw(0, journal.start().seq)
        archived = alike(unpacked_files(ground.archives, bytearray), stayed) if ground.archives else ()
        seq, bad = _first(sound(chain(archived, journal.raw(upto=last)), ground.start), flaw, tell)
        if bad is None and not ground.archives:
            bad = _first(alone(stayed), lambda _: None, None)[1]
    if bad is None and place.seq > seq:
        return Bad(seq + 1, f"the journal ends at fact {seq}, and fact {place.seq} was promised")
    total = 0 if ground.bare else sum(books.balances.values())
    return Bad(seq, f"the accounts sum to {total} units, not to zero") if total and bad is None else bad


def prove_replay(
    journal: JournalReader, last: int, kept: Kept, tell: Tell | None = None, ground: Ground = ALL
) -> Bad | None:
    """Replay every fact up to a number, and hold the snapshots against it. The chain is the other pass's."""
    if ground.bare:
        return None
    playback = Playback(kept.begin(ground.snapshot) if ground.snapshot else None)
    after = ground.snapshot.seq if ground.snapshot else None

    def flaw(row: _Row) -> str | None:
        seq, at, round_, name, version, payload, _, hash_ = row
        fact = _read(name, version, payload)
        why = playback.flaw(Recorded(at.decode(), round_, fact))
        if not why and (seq in kept.places or type(fact) is SnapshotTaken):
            return kept.flaw(seq, hash_, fact, playback.state)
        return why

    rows = chain(unpacked_files(ground.archives, bytes, last), journal.raw(after, last, bytes))
    seq, bad = _first(rows, flaw, tell)
    if bad is None:
        try:
            check(playback.state)
        except UnbalancedError as error:
            return Bad(seq, str(error))
    return bad


def _first(rows: Iterable[RawRow], flaw: Callable[[_Row], str | None], tell: Tell | None) -> tuple[int, Bad | None]:
    """The number of the last fact looked at, and the first bad one."""
    seq = 0
    try:
        for row in cast("Iterable[_Row]", rows):
            seq = row[0]
            why = flaw(row)
            if why:
                return seq, Bad(seq, why)
            if tell and not seq % _TELL_EVERY:
                tell(seq)
    except JournalError as error:
        if not isinstance(error, JournalCorruptError) or error.seq is None:
            raise  # the file as such cannot be read
        return seq, Bad(error.seq, str(error).removeprefix(f"fact {error.seq}: "))
    except (MemoryError, OSError):
        raise  # nothing the facts are to blame for
    except Exception as error:  # noqa: BLE001 -- forged content can break a replay anywhere: that is the finding
        return seq, Bad(seq, _broken(error))
    return seq, None


def _broken(error: Exception) -> str:
    if isinstance(error, (UnbalancedError, UnreadableFactError)):
        return str(error)
    return f"it cannot be replayed: {type(error).__name__}: {error}"


def _read(name: bytearray | bytes, version: int, payload: bytearray | bytes) -> Fact:
    decoder = _DECODERS.get((bytes(name), version))
    if decoder is None:
        return decode(name.decode(), version, payload.decode())  # of an older version, written in its own way
    return decoder.decode(payload)


def _exact(name: bytearray | bytes, version: int, payload: bytearray | bytes) -> Fact:
    """A fact, refused unless its payload is to the byte what this software writes for it.

    A key given twice, or one that is not known, would show one thing to a query and another to the replay.
    """
    fact = _read(name, version, payload)
    if (bytes(name), version) in _DECODERS and _ENCODER.encode(fact) != payload:
        raise UnreadableFactError("its payload says more than a fact of its type does, or says it twice")
    return fact
