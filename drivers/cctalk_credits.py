"""What an acceptor's event counter means: which events are new, and when that cannot be said.

An acceptor counts its events 1 to 255 and on with 1, and shows the last five, newest first. It stands at 0 only after a
reset. Nothing here knows a clock or a line: readings in, events or a fault out.
"""

from typing import NamedTuple

from drivers.driver import Bookmark

KEPT = 5  # events an acceptor shows; older ones are gone
LAST = 255  # of the counter; 1 comes after it
EMPTY = (0, 0)
SIZE = 1 + 2 * KEPT  # bytes of a reading


class Reading(NamedTuple):
    """An acceptor's counter and the pairs of its last five events, newest first."""

    counter: int
    slots: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, data: bytes) -> "Reading":
        """The reading that these bytes of data are."""
        if len(data) != SIZE:
            raise ValueError(f"{len(data)} bytes: a reading has {SIZE}")
        return cls(data[0], tuple(zip(data[1::2], data[2::2], strict=True)))


class Happening(NamedTuple):
    """An event of an acceptor: the coin it took, or 0 and the code of what went wrong."""

    ordinal: int
    counter: int
    coin: int
    code: int  # the sorter path of a coin


class Verdict(NamedTuple):
    """What a reading says, and what is known once that has been taken. Where there is a fault there are no events."""

    known: Reading
    ordinal: int
    events: tuple[Happening, ...] = ()  # oldest first
    fault: str = ""

    @property
    def ends_with_a_coin(self) -> bool:
        """Whether the last event is a coin, which tells how far this goes."""
        return bool(self.events) and self.events[-1].coin > 0


class Credits:
    """How far an acceptor's events are known. A bookmark is that of the last coin that was taken, or of `Known`.

    `read` gives a verdict only when the same reading came twice, because an 8-bit sum lets some corrupted replies
    through. The verdict holds from `take` on: until then the same reading gives the same verdict again.
    """

    def __init__(self, bookmark: Bookmark | None = None) -> None:
        self._counter = bookmark.counter if bookmark else None
        self._slots: tuple[tuple[int, int], ...] | None = None
        self._ordinal = bookmark.ordinal if bookmark else 0
        self._of_a_coin = bookmark is not None and bookmark.coin
        self._seen_once: Reading | None = None
        self._broken = ""

    @property
    def counter(self) -> int | None:
        """What its counter showed when it was last known."""
        return self._counter

    @property
    def ordinal(self) -> int:
        """The number of the last event that was taken."""
        return self._ordinal

    @property
    def begun(self) -> bool:
        """Whether there is anything to hold a reading against: one from before, or a bookmark."""
        return self._counter is not None

    @property
    def doubtful(self) -> bool:
        """Whether a reading waits to be seen a second time."""
        return self._seen_once is not None

    def broken(self, why: str) -> None:
        """The count does not go on from what is known, whatever the next reading looks like."""
        if self.begun:
            self._broken = self._broken or why

    def read(self, reading: Reading) -> Verdict | None:
        """What a reading says, if it says anything and is not seen for the first time."""
        if not self._broken and (self._counter, self._slots) == reading:
            self._seen_once = None
            return None
        if reading != self._seen_once:
            self._seen_once = reading
            return None
        return self._verdict(reading)

    def take(self, verdict: Verdict) -> None:
        """All that a verdict says has been handed up."""
        self._counter, self._slots = verdict.known
        self._ordinal = verdict.ordinal
        self._seen_once = None
        self._broken = ""

    def _verdict(self, reading: Reading) -> Verdict:
        fault = self._broken or self._fault(reading)
        count = 0 if fault or self._counter is None else _between(self._counter, reading.counter)
        events = tuple(
            Happening(self._ordinal + count - back, _before(reading.counter, back), *reading.slots[back])
            for back in reversed(range(count))
        )
        return Verdict(reading, self._ordinal + count, events, fault)

    def _fault(self, reading: Reading) -> str:
        """Why the events between what is known and this reading cannot be told; empty where they can."""
        last = self._counter
        if last is None:
            return ""  # a buffer from before our time: nothing of it is ours
        if reading.counter == 0 and last != 0:
            return f"it was reset: credits after its event {last} may be lost"
        count = _between(last, reading.counter)
        if count > KEPT:
            return f"events were lost: its counter went from {last} to {reading.counter}, and it keeps {KEPT}"
        if EMPTY in reading.slots[:count]:
            return f"its counter went from {last} to {reading.counter}, and an event among these is empty"
        if not self._goes_on(reading, last, count):
            return (
                f"its events up to {last} are not those it showed before, now at {reading.counter}: "
                "it was reset unseen, or events were lost"
            )
        return ""

    def _goes_on(self, reading: Reading, last: int, count: int) -> bool:
        """Whether the older part of a reading is what it must be."""
        if self._slots is not None:
            return reading.slots[count:] == self._slots[: KEPT - count]
        # Only a bookmark is known, mostly that of a coin. No place is empty that must have been filled by then.
        filled = KEPT if reading.counter < last else min(KEPT, reading.counter)
        coins = reading.slots[count : count + 1] if self._of_a_coin else ()
        return EMPTY not in reading.slots[:filled] and all(coin for coin, _ in coins)


def _between(last: int, new: int) -> int:
    """How many events came after `last`, if none was missed."""
    return new if last == 0 else (new - last) % LAST


def _before(counter: int, back: int) -> int:
    """What the counter showed so many events ago. It is never 0 with an event."""
    return (counter - back - 1) % LAST + 1
