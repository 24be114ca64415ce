"""The journal's twin in memory: the same contract without a disk, for tests and for trying things out."""

from collections.abc import Iterator, Sequence
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
        self._cursor = 0
        self.alive_at = ""
        self._snapshots: list[Snapshot] = []
        self._pins: dict[str, Pin] = {}
        self._failure: BaseException | None = None

    def head(self) -> Head:
        """The last fact's number and hash."""
        return self._at(len(self._rows))

    def append(self, entries: Sequence[Entry], *, cursor: int | None = None, snapshot: Snapshot | None = None) -> Head:
        """Add facts, move the cursor and keep a snapshot, all or nothing."""
        if self._failure:
            raise self._failure
        try:
            limits.check(entries, cursor, snapshot, self.head())
            if snapshot:
                self._check_standing(snapshot)
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
        return self.head()

    def rows(self, after: int = 0, upto: int | None = None) -> Iterator[Row]:
        """The facts with after < seq <= upto in order."""
        last = len(self._rows) if upto is None else min(upto, len(self._rows))
        for index in range(max(after, 0), last):
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
