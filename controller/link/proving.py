"""Is the ledger of a meter whole? The chain, the money and the promises of mystery values, line by line from the first.

Nothing here decides: what the lines say is added up a second time, apart from the rules that made them.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import MsgspecError, json
from msgspec.structs import asdict

from controller.chain import link as chained
from controller.core.accounts import carry_account, meter_account, moved, reserve_account
from controller.core.filed import FiledMeter
from controller.core.meters import Meter
from controller.link.lines import VERSION, VERSIONS, After, Line, Listed, after
from controller.link.misfits import jackpot, misfit
from controller.link.promises import Promises
from controller.link.sums import PENDING, TableSums, UnknownMoveError, flows
from controller.rules.money import UNITS_PER_CENT

GENESIS = bytes(32)


class Row(NamedTuple):
    """A line as it stands in the database."""

    seq: int
    at: str
    round: int
    kind: str
    version: int
    payload: str
    prev_hash: bytes
    hash: bytes
    name: str
    intent: str


class Stored(NamedTuple):
    """A meter as it stands in the database."""

    meter: str
    filed: FiledMeter
    opened: Meter
    seq: int
    hash: bytes
    state: Meter
    listed: tuple[Listed, ...]


class Bad(NamedTuple):
    """The first line that is not whole, and why. Line 0 is the meter's opening; the one after the last its own row."""

    seq: int
    why: str


class Proof:
    """One meter's ledger, taken line by line."""

    def __init__(self, link: str, stored: Stored, tables: Iterable[str]) -> None:
        self.stored = stored
        self.seq, self.hash = 0, GENESIS
        self.bad: Bad | None = None
        self.tables: dict[str, TableSums] = {}
        self._known = frozenset(tables)
        self._after = after(stored.opened)
        self._accounts = {meter_account(stored.meter): stored.opened.units}
        self._hit_of: dict[str, str] = {}  # of each award that is pending
        self._jackpots: dict[str, int] = {}  # cents of each hit with an award that is pending
        self._promises = Promises(link, stored.filed, stored.opened)
        if why := self._opening():
            self.bad = Bad(0, why)

    def take(self, rows: Iterable[Row]) -> None:
        """Prove lines that follow, up to the first that is not whole."""
        for row in rows:
            if self.bad is None and (why := self._flaw(row)):
                self.bad = Bad(self.seq + 1, why)
            if self.bad is not None:
                return

    def end(self) -> None:
        """Hold the meter as it is stored against the last line."""
        if self.bad is None and (why := self._row()):
            self.bad = Bad(self.seq + 1, why)

    @property
    def opened_units(self) -> int:
        """What the house opened the meter with."""
        return self.stored.opened.units

    # -- parts --

    def _opening(self) -> str:
        opened, filing = self.stored.opened, self.stored.filed.filing
        bare = Meter(opened.id, opened.kind, opened.wager, filing, units=filing.initial_cents * UNITS_PER_CENT)
        if after(opened) != after(Meter(**asdict(bare) | {"commitment": opened.commitment})) or opened.filing != filing:
            return "the meter was not opened with what is filed"
        return self._promises.opening()

    def _flaw(self, row: Row) -> str:
        """Why a row cannot be the next line; it is taken in where it can."""
        if row.seq != self.seq + 1:
            return f"line {row.seq} stands in its place: lines are missing"
        if row.prev_hash != self.hash:
            return f"its prev_hash is {row.prev_hash.hex()}, the line before it has the hash {self.hash.hex()}"
        actual = chained(row.prev_hash, row.seq, row.at, row.round, row.kind, row.version, row.payload)
        if row.hash != actual:
            return f"its hash is {row.hash.hex()}, its content has the hash {actual.hex()}"
        if row.version not in VERSIONS:
            return f"it is of version {row.version}, this software knows {VERSION}"
        try:
            line = json.decode(row.payload, type=Line)
        except MsgspecError as error:
            return f"it cannot be read: {error}"
        if (line.table, line.intent, line.round) != (row.name, row.intent, row.round):
            return "its columns do not say what it says"
        if line.table not in self._known:
            return f"it is of {line.table}, which is no table of this link"
        if why := self._money(row.kind, line, row.version):
            return why
        self.seq, self.hash, self._after = row.seq, row.hash, line.after
        return ""

    def _money(self, kind: str, line: Line, version: int) -> str:
        """Whether a line moves what it says, and its meter is then as it says."""
        meter = self.stored.meter
        try:
            flowed = flows(meter, line.moves)
        except UnknownMoveError as error:
            return str(error)
        stakes = sum(cents for _, cents in line.stakes)
        accounts = moved(self._accounts, line.moves)
        misfits = misfit(kind, line, flowed, self.stored.filed, self._after, version)
        if why := misfits or self._unshared(kind, line, accounts):
            return why
        expected = After(
            units=accounts.get(meter_account(meter), 0),
            reserve=accounts.get(reserve_account(meter), 0),
            carry=accounts.get(carry_account(meter), 0),
            cycle=self._after.cycle + {"contribute": len(line.hits), "hit": 1}.get(kind, 0),
            in_cents=self._after.in_cents + {"contribute": stakes, "reverse": -stakes}.get(kind, 0),
            hits=self._after.hits + {"contribute": len(line.hits), "hit": 1}.get(kind, 0),
            wins_cents=self._after.wins_cents + (flowed.awarded - flowed.awards_returned) // UNITS_PER_CENT,
            paid_cents=self._after.paid_cents + flowed.paid // UNITS_PER_CENT,
            commitment=line.after.commitment,
        )
        if kind == "unwind":  # a hit is uncounted with its last share
            lowered = self._after.hits - line.after.hits
            expected = After(**asdict(expected) | {"hits": expected.hits - min(max(lowered, 0), len(line.positions))})
        if line.after != expected:
            return f"it does not lead to {_difference(line.after, expected)}"
        awards = (accounts.get(move.source, 0) for move in line.moves if move.source.startswith(PENDING))
        if min(expected.units, expected.reserve, expected.carry, *awards) < 0:
            return "it takes more than there is"
        if why := self._promises.flaw(kind, line, self._after):
            return why
        self._accounts = accounts
        sums = self.tables.setdefault(line.table, TableSums(table=line.table))
        sums.take(kind, line.stakes, flowed)
        self._follow(kind, line, accounts)
        return ""

    def _unshared(self, kind: str, line: Line, accounts: Mapping[str, int]) -> str:
        """Why a jackpot is not shared anew as it should be: equally, and whole but for what cannot be shared."""
        if kind != "resplit":
            return "it shares a jackpot that nobody gave up" if line.split else ""
        each = self._jackpots.get(line.hit, 0) // max(1, len(line.split))
        asked = line.hit.rpartition("/")[0]
        for position, cents in line.split:
            if cents != each or accounts.get(f"{PENDING}{asked}/{position}", 0) != each * UNITS_PER_CENT:
                return f"it gives position {position} {cents} cents, and an equal share is {each}"
        return "" if line.split else "it shares a jackpot among nobody"

    def _follow(self, kind: str, line: Line, accounts: dict[str, int]) -> None:
        """Which hits are open: those of whose awards something is pending."""
        if kind == "hit":
            self._jackpots[line.hit] = jackpot(line)
        for number, each in enumerate(line.hits, start=1):
            award = f"{line.intent}/{each.position if kind == 'hit' else number}"
            self._hit_of[award] = line.hit if kind == "hit" else award
        self._hit_of = {award: hit for award, hit in self._hit_of.items() if accounts.get(f"{PENDING}{award}")}
        open_ = set(self._hit_of.values())
        self._jackpots = {hit: cents for hit, cents in self._jackpots.items() if hit in open_}

    def _row(self) -> str:
        stored, last = self.stored, self._after
        if (stored.seq, stored.hash) != (self.seq, self.hash):
            return f"the meter's row says that line {stored.seq} is the last, and the ledger ends with line {self.seq}"
        if after(stored.state) != last:
            return f"the meter's row is not as the last line left it: {_difference(after(stored.state), last)}"
        if stored.state.filing != stored.filed.filing or stored.state.next_filing is not None:
            return "the meter's row runs on other numbers than are filed"
        pending = {each.hit.id for each in stored.listed if each.hit.fate == "pending"}
        if pending != set(self._hit_of.values()):
            return (
                f"the meter's row lists {sorted(pending)} as open hits, the ledger {sorted(set(self._hit_of.values()))}"
            )
        return ""


def _difference(said: After, expected: After) -> str:
    one, other = (asdict(each) for each in (said, expected))
    found: list[Any] = [f"{key} {one[key]}: it adds up to {other[key]}" for key in one if one[key] != other[key]]
    return ", ".join(found)
