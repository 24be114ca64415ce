"""What every journal can do, on disk or in memory. `tests/journal/test_contract.py` holds both to it."""

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self

from controller.journal.rows import Entry, Head, Row, Snapshot

KEPT_SNAPSHOTS = 2  # the newest, and the one before it should the newest turn out damaged


class Journal(Protocol):
    """An append-only sequence of chained facts, a cursor into it, and the newest snapshots of what they add up to."""

    def head(self) -> Head:
        """The last fact's number and hash; `rows.EMPTY` before the first."""

    def append(
        self,
        entries: Sequence[Entry],
        *,
        cursor: int | None = None,
        snapshot: Snapshot | None = None,
        archived: Head | None = None,
    ) -> Head:
        """Add facts, move the cursor, keep a snapshot and move the anchor, all or nothing; durable when it returns.

        After any error this journal takes nothing more and raises that error again: whether the last transaction
        reached the disk is then unknown, and only opening the journal anew tells.
        """

    def anchor(self) -> Head:
        """The last fact that lies in an archive; `rows.EMPTY` while none does."""

    def forget(self, most: int) -> int:
        """Let at most so many facts go that lie in an archive; how many went, 0 when no more is there to go."""

    def rows(self, after: int = 0, upto: int | None = None) -> Iterator[Row]:
        """The facts with after < seq <= upto in order; without `upto`, those there are when the first is asked for.

        Appending meanwhile is allowed. Memory does not grow with their number.
        """

    def cursor(self) -> int:
        """The outbox position: how far the facts have been handed on."""

    def beat(self, at: str) -> None:
        """Write the time, and nothing of consequence: durable when it returns, so that the disk has proven itself."""

    def snapshots(self) -> list[Snapshot]:
        """The kept snapshots, newest first."""

    def close(self) -> None:
        """Let go of the journal; it may be called again."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
