"""The journal's twin in memory: the same contract without a disk, for tests and for trying things out."""

from collections.abc import Iterator, Sequence
from itertools import islice
from types import TracebackType
from typing import Self

from controller.journal import limits
from controller.journal.chain import chained
from controller.journal.errors import JournalError, JournalLimitError
from controller.journal.journal import KEPT_SNAPSHOTS
from controller.journal.pins import Pin
from controller.journal.rows import EMPTY, Entry, Head, Row, Snapshot


class MemoryJournal:
    """A journal that lasts as long as the object: `MemoryJournal()`."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._anchor = EMPTY
        self._gone: set[int] = set()
        self._cursor = 0
        self.alive_at = ""
        self._snapshots: list[Snapshot] = []
        self._pins: dict[str, Pin] = {}
        self._failure: BaseException | None = None

    def head(self) -> Head:
        """The last fact's number and hash."""
        return self._at(len(self._rows))

    def append(
        self,
        entries: Sequence[Entry],
        *,
        cursor: int | None = None,
        snapshot: Snapshot | None = None,
        archived: Head | None = None,
    ) -> Head:
        """Add facts, move the cursor, keep a snapshot and move the anchor, all or nothing."""
        if self._failure:
            raise self._failure
        try:
            limits.check(entries, cursor, snapshot, self.head())
            if snapshot:
                self._check_standing(snapshot)
            if archived:
                self._check_leaving(archived, self._cursor if cursor is None else cursor)
            rows = chained(self.head(), entries)
        except BaseException as error:
            self._failure = error
            raise
        # From here it succeeds.
        self._rows += rows
        if cursor is not None:
            self._cursor = cursor
        if snapshot:
            others = (kept for kept in self._snapshots if kept.seq != snapshot.seq)
            self._snapshots = sorted([snapshot, *others], reverse=True)[:KEPT_SNAPSHOTS]
        self._anchor = archived or self._anchor
        return self.head()

    def anchor(self) -> Head:
        """The last fact that lies in an archive."""
        return self._anchor

    def forget(self, most: int) -> int:
        """Let some facts go that lie in an archive."""
        if self._failure:
            raise self._failure
        going = (row.seq for row in self._rows[: self._anchor.seq] if row.seq not in self._gone and not _stays(row))
        gone = set(islice(going, most))
        self._gone |= gone
        return len(gone)

    def rows(self, after: int = 0, upto: int | None = None) -> Iterator[Row]:
        """The facts with after < seq <= upto in order."""
        last = len(self._rows) if upto is None else min(upto, len(self._rows))
        for index in range(max(after, 0), last):
            if index + 1 not in self._gone:
                yield self._rows[index]

    def cursor(self) -> int:
        """The outbox position."""
        return self._cursor

    def beat(self, at: str) -> None:
        """Note the time."""
        if self._failure:
            raise self._failure
        self.alive_at = at

    def snapshots(self) -> list[Snapshot]:
        """The kept snapshots, newest first."""
        return list(self._snapshots)

    def pin(self, operator: str) -> Pin | None:
        """The hash of an operator's PIN."""
        return self._pins.get(operator)

    def pins(self) -> list[Pin]:
        """The hash of everybody's PIN."""
        return sorted(self._pins.values())

    def keep_pin(self, pin: Pin) -> None:
        """Keep the hash of a PIN in place of the operator's last."""
        if self._failure:
            raise self._failure
        limits.check_pin(pin)
        self._pins[pin.operator] = pin

    def drop_pin(self, operator: str) -> None:
        """Keep no PIN of an operator."""
        if self._failure:
            raise self._failure
        self._pins.pop(operator, None)

    def close(self) -> None:
        """Take nothing more."""
        self._failure = self._failure or JournalError("the journal in memory is closed")

    def _check_leaving(self, archived: Head, cursor: int) -> None:
        limits.check_archived(archived, self._anchor, cursor, [kept.seq for kept in self._snapshots])
        if archived.hash != self._at(archived.seq).hash:
            raise JournalLimitError(f"archived up to fact {archived.seq}: that fact has another hash")

    def _check_standing(self, snapshot: Snapshot) -> None:
        if snapshot.hash != self._at(snapshot.seq).hash:
            raise JournalLimitError(f"snapshot after fact {snapshot.seq}: that fact has another hash")

    def _at(self, seq: int) -> Head:
        return Head(seq, self._rows[seq - 1].hash) if seq else EMPTY

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _stays(row: Row) -> bool:
    """As `schema.STAYS` says it of a file."""
    named = row.type in {"submission-filed", "readings-taken", "facts-archived"}
    return named or '"hit":' in row.payload or '"fates":[' in row.payload
