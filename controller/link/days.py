"""A gaming day of a link's meters, from the ledger: what each held at its beginning and its end, and every reason.

A line is of the day in which the server recorded it, for the clocks of tables differ; and never of an earlier day than
the line before it, should the server's own be set back. A meter stands here from the day of its first line on, and of
the running day also while it has none.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import MsgspecError, json

from controller.chain import link as chained
from controller.core.accounts import carry_account, meter_account, reserve_account
from controller.explained import COUNTERS, GIVEN_BACK, OPENED, Account, MeterDay, changes
from controller.link.lines import VERSION, VERSIONS, After, Line, after
from controller.link.proving import GENESIS, Row, Stored
from controller.link.reading import Ledger
from controller.link.sums import TableSums, UnknownMoveError, flows
from controller.rules.errors import BadInputError

# For so long after its end a day has not ended in any case: clocks are corrected by less. A commit that is under way
# still later, for as long as its standby is gone, is looked for.
SETTLED = timedelta(seconds=60)
_NOTHING = After(units=0, reserve=0, carry=0, cycle=0, in_cents=0, hits=0, wins_cents=0, paid_cents=0)


class Bounds(NamedTuple):
    """A gaming day of a table: from an instant on, and up to another."""

    day: str
    begins: datetime
    ends: datetime


class OfMeter(NamedTuple):
    """A meter over a day, with the lines it rests on; none where `last` is before `first`."""

    day: MeterDay
    first: int
    last: int
    hash: str  # of the last line by the end of the day; empty where the lines are not whole up to it
    tables: list[TableSums]
    flaw: str  # why its lines are not whole, or nothing

    @property
    def ok(self) -> bool:
        """Whether its lines are whole and every unit is explained."""
        return not self.flaw and self.day.ok


class LinkDay(NamedTuple):
    """A gaming day of a link. `ended`: no line can come into it any more."""

    link: str
    bounds: Bounds
    ended: bool
    meters: list[OfMeter]

    @property
    def ok(self) -> bool:
        """Whether everything is explained."""
        return all(each.ok for each in self.meters)


def bounds(day: str, timezone: str, day_start: str) -> Bounds:
    """When a gaming day begins and ends; also across a change of the clocks."""
    zone, start, first = ZoneInfo(timezone), time.fromisoformat(day_start), date.fromisoformat(day)
    try:
        begins, ends = (
            datetime.combine(each, start, tzinfo=zone).astimezone(UTC) for each in (first, first + timedelta(days=1))
        )
    except OverflowError as error:
        raise BadInputError(f"{day} is at the end of the calendar: name a gaming day of the link") from error
    return Bounds(day, begins, ends)


def report(ledger: Ledger, wanted: Bounds) -> LinkDay:
    """What a gaming day brought to a link."""
    now = ledger.now()
    if wanted.begins > now:
        raise BadInputError(f"{wanted.day} has not begun: name a gaming day that has")
    running = now < wanted.ends
    ways = [_Way(ledger, stored, wanted, running=running) for stored in ledger.meters.values()]
    meters = [way.walked() for way in ways if way.begun or running]
    if not meters:
        raise BadInputError(f"the link {ledger.link} had no line by the end of {wanted.day}: name a later gaming day")
    under_way = ledger.writing is not None and ledger.writing < wanted.ends
    return LinkDay(ledger.link, wanted, now >= wanted.ends + SETTLED and not under_way, meters)


def _since(ledger: Ledger, stored: Stored, moment: datetime, first: int = 1) -> int:
    """The first line of a meter that was recorded at a moment or later: the one after the last where there is none."""
    return ledger.first_since(stored.meter, moment, first) or stored.seq + 1


class _Way:
    """One meter's way through one day, line by line."""

    def __init__(self, ledger: Ledger, stored: Stored, wanted: Bounds, *, running: bool) -> None:
        self._ledger, self._stored, self._meter = ledger, stored, stored.meter
        self._first = _since(ledger, stored, wanted.begins)
        self._last = _since(ledger, stored, wanted.ends, self._first) - 1
        self._running, self.begun = running, self._last > 0
        self._tables: dict[str, TableSums] = {}
        accounts = (meter_account, reserve_account, carry_account)
        self._changes: dict[str, dict[str, int]] = {account(self._meter): {} for account in accounts}
        self._seq, self._hash, self._flaw = 0, GENESIS, ""
        self._before = self._now = _NOTHING

    def walked(self) -> OfMeter:
        """All of it, up to the first line that is not whole."""
        if self._first == 1:
            self._now = after(self._stored.opened)
            self._changes[meter_account(self._meter)][OPENED] = self._now.units
        else:
            self._begin()
        if not self._flaw:
            self._take(self._ledger.lines(self._meter, self._first, self._last))
        day = MeterDay(
            self._meter,
            self._account(meter_account(self._meter), "units"),
            self._account(reserve_account(self._meter), "reserve"),
            self._account(carry_account(self._meter), "carry"),
            {name: (getattr(self._before, name), getattr(self._now, name)) for name in COUNTERS},
        )
        tables = sorted(self._tables.values(), key=lambda sums: sums.table)
        hash_ = self._hash.hex() if self._seq == self._last else ""
        return OfMeter(day, self._first, self._last, hash_, tables, self._flaw)

    def _begin(self) -> None:
        """The last line before the day: how the meter stood."""
        row = next(self._ledger.lines(self._meter, self._first - 1, self._first - 1), None)
        if row is None:
            self._flaw = f"line {self._first - 1} is missing"
            return
        self._seq, self._hash = row.seq - 1, row.prev_hash
        if line := self._read(row):
            self._before = self._now = line.after
            self._seq, self._hash = row.seq, row.hash

    def _take(self, rows: Iterable[Row]) -> None:
        for row in rows:
            line = self._read(row)
            if line is None or not self._counted(row, line):
                return
            self._now, self._seq, self._hash = line.after, row.seq, row.hash
        if self._seq != self._last:
            self._flaw = f"line {self._seq + 1} is missing"
        elif self._seq == self._stored.seq and (self._hash, self._now) != (
            self._stored.hash,
            after(self._stored.state),
        ):
            self._flaw = "the meter's row is not as its last line left it"
        elif self._running and self._seq != self._stored.seq:
            self._flaw = f"line {self._seq + 1} was recorded at a time that has not come: the server's clock was ahead"

    def _read(self, row: Row) -> Line | None:
        """A line that follows the one before it; None, and why, where it does not."""
        content = chained(row.prev_hash, row.seq, row.at, row.round, row.kind, row.version, row.payload)
        if (row.seq, row.prev_hash, row.hash) != (self._seq + 1, self._hash, content):
            self._flaw = f"line {self._seq + 1} does not stand in the chain as it was written"
        elif row.version not in VERSIONS:
            self._flaw = f"line {row.seq} is of version {row.version}, this software knows {VERSION}"
        else:
            try:
                return json.decode(row.payload, type=Line)
            except MsgspecError as error:
                self._flaw = f"line {row.seq} cannot be read: {error}"
        return None

    def _counted(self, row: Row, line: Line) -> bool:
        try:
            flowed = flows(self._meter, line.moves)
        except UnknownMoveError as error:
            self._flaw = f"line {row.seq}: {error}"
            return False
        self._tables.setdefault(line.table, TableSums(table=line.table)).take(row.kind, line.stakes, flowed)
        for account, sums in self._changes.items():
            for why, units, _ in changes(line.moves, account, back=GIVEN_BACK):
                sums[why] = sums.get(why, 0) + units
        return True

    def _account(self, account: str, name: str) -> Account:
        return Account(getattr(self._before, name), getattr(self._now, name), self._changes[account])
