"""What an append may bring. Everything is checked before anything is written."""

import re
from collections.abc import Sequence

from controller.journal.errors import JournalLimitError
from controller.journal.journal import KEPT_SNAPSHOTS
from controller.journal.pins import Pin
from controller.journal.rows import HASH_BYTES, Entry, Head, Snapshot

# The largest fact carries a Rules Submission: a file of at most 1 MiB, which JSON's escapes can double. Twice that.
MOST_PAYLOAD_BYTES = 4 * 1024 * 1024
# The engine takes at most 64 inputs at once, and each makes one fact: far above, and still a commit of milliseconds.
MOST_ENTRIES = 1024
# A fact's type is a name such as `wager-accepted`.
MOST_TYPE_CHARACTERS = 64
# The state of one table is some 100 KB. Two of these must fit into memory at start beside the state itself.
MOST_SNAPSHOT_BYTES = 16 * 1024 * 1024
# SQLite's integers.
MOST_INTEGER = 2**63 - 1

# An operator's id has at most half as many, and an argon2id hash some 100.
MOST_PIN_CHARACTERS = 256

_AT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


def check_archived(archived: Head, anchor: Head, cursor: int, snapshots: Sequence[int]) -> None:
    """Raise for an anchor before which facts would leave that are still needed here."""
    if archived.seq <= anchor.seq:
        raise JournalLimitError(f"archived up to fact {archived.seq}: facts up to {anchor.seq} are already")
    if archived.seq > cursor:
        raise JournalLimitError(f"archived up to fact {archived.seq}: only those up to {cursor} have been handed on")
    # Both: a start that finds the newer one damaged goes on from the older.
    if len(snapshots) < KEPT_SNAPSHOTS or archived.seq > min(snapshots):
        told = ", ".join(map(str, sorted(snapshots))) or "none"
        raise JournalLimitError(
            f"archived up to fact {archived.seq}: two snapshots after it are needed, there is {told}"
        )


def check(entries: Sequence[Entry], cursor: int | None, snapshot: Snapshot | None, head: Head) -> None:
    """Raise for the first thing an append on `head` may not bring."""
    if len(entries) > MOST_ENTRIES:
        raise JournalLimitError(f"{len(entries)} entries in one append: at most {MOST_ENTRIES}")
    for entry in entries:
        _check_entry(entry)
    if cursor is not None and not 0 <= cursor <= head.seq + len(entries):
        raise JournalLimitError(f"cursor {cursor}: the journal ends at fact {head.seq + len(entries)}")
    if snapshot is not None:
        _check_snapshot(snapshot, head)


def check_pin(pin: Pin) -> None:
    """Raise for a PIN's hash that the journal does not take."""
    if not 0 < len(pin.operator) <= MOST_PIN_CHARACTERS or not 0 < len(pin.hash) <= MOST_PIN_CHARACTERS:
        raise JournalLimitError(f"operator and hash of a PIN: from 1 to {MOST_PIN_CHARACTERS} characters each")
    if not _AT.fullmatch(pin.changed_at):
        raise JournalLimitError(f"changed_at {pin.changed_at!r}: write it like 2026-11-16T11:15:00.123456Z")


def _check_entry(entry: Entry) -> None:
    at, round_, kind, version, payload = entry
    if not _AT.fullmatch(at):
        raise JournalLimitError(f"at {at!r}: write it like 2026-11-16T11:15:00.123456Z")
    if round_ is not None and not 0 <= round_ <= MOST_INTEGER:
        raise JournalLimitError(f"round {round_}: from 0 to {MOST_INTEGER}")
    if not 0 < len(kind) <= MOST_TYPE_CHARACTERS:
        raise JournalLimitError(f"type {kind[:MOST_TYPE_CHARACTERS]!r}…: from 1 to {MOST_TYPE_CHARACTERS} characters")
    if not 0 <= version <= MOST_INTEGER:
        raise JournalLimitError(f"version {version}: from 0 to {MOST_INTEGER}")
    # A character has at most 4 bytes: the usual payload is not encoded only to be measured.
    if len(payload) * 4 > MOST_PAYLOAD_BYTES and len(payload.encode()) > MOST_PAYLOAD_BYTES:
        raise JournalLimitError(f"payload of {len(payload.encode())} bytes: at most {MOST_PAYLOAD_BYTES}")


def _check_snapshot(snapshot: Snapshot, head: Head) -> None:
    if not 0 <= snapshot.seq <= head.seq:
        raise JournalLimitError(f"snapshot after fact {snapshot.seq}: the journal ended at fact {head.seq}")
    if len(snapshot.hash) != HASH_BYTES:
        raise JournalLimitError(f"snapshot on a hash of {len(snapshot.hash)} bytes: a hash has {HASH_BYTES}")
    if not 0 <= snapshot.version <= MOST_INTEGER:
        raise JournalLimitError(f"snapshot of version {snapshot.version}: from 0 to {MOST_INTEGER}")
    if len(snapshot.payload) > MOST_SNAPSHOT_BYTES:
        raise JournalLimitError(f"snapshot of {len(snapshot.payload)} bytes: at most {MOST_SNAPSHOT_BYTES}")
