"""The past of one meter up to a fact: what opened it, its hits as they stood at any time, and what it held."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import UNSET

from controller.core.facts import MeterAfter, SubmissionFiled
from controller.core.filed import Filing
from controller.core.meters import Hit
from controller.journal.audit.stored import Stored, in_round, latest, stored
from controller.journal.errors import JournalCorruptError
from controller.journal.reading import JournalReader
from controller.journal.view_parts import DECIDING


class Opened(NamedTuple):
    """The fact that opened a meter, and what it ran on then."""

    seq: int
    units: int
    filing: Filing


class History:
    """One meter's past. `opened` is None for a meter that this table does not keep itself."""

    def __init__(self, journal: JournalReader, meter: str, upto: int) -> None:
        self._journal = journal
        self._meter = meter
        self.opened = _opened(journal, meter, upto)
        self._hits: list[tuple[int, Hit]] = []
        self._filings: list[tuple[int, Filing]] = []
        if self.opened is None:
            return
        for seq, change in self._changes(self.opened.seq, upto, '"listed":['):
            self._hits += [(seq, hit) for hit in change.listed]
        self._filings.append((self.opened.seq, self.opened.filing))
        for seq, change in self._changes(self.opened.seq, upto, '"filing":{'):
            if change.filing is not UNSET:
                self._filings.append((seq, change.filing))

    def _changes(self, after: int, upto: int, holding: str) -> Iterator[tuple[int, MeterAfter]]:
        """What facts whose payload has a text say of this meter."""
        for each in stored(self._journal, DECIDING, after, upto, holding):
            for change in each.fact.meters:
                if change.id == self._meter:
                    yield each.seq, change

    def hit_before(self, seq: int) -> Hit | None:
        """The last hit that had taken the meter's money and stood when fact `seq` was made."""
        known: dict[str, Hit] = {}
        for at, hit in self._hits:
            if at <= seq:
                known[hit.id] = hit
        return max((hit for hit in known.values() if hit.stands), key=lambda hit: hit.seq, default=None)

    def hit_of_cycle(self, cycle: int) -> Hit | None:
        """The mystery hit that ended a cycle."""
        return next((hit for _, hit in self._hits if hit.reveal and hit.reveal.cycle == cycle), None)

    def filing(self, seq: int) -> Filing:
        """What the meter ran on after a fact."""
        return [filing for at, filing in self._filings if at <= seq][-1]

    def held(self, seq: int) -> int:
        """Units on the meter after fact `seq`, as the facts say."""
        for each in latest(self._journal, DECIDING, seq, holding=f'"id":"{self._meter}"'):
            for change in each.fact.meters:
                if change.id == self._meter and change.units is not UNSET:
                    return change.units
            if self.opened and each.seq == self.opened.seq:
                return self.opened.units
        raise JournalCorruptError(f"no fact up to {seq} says what {self._meter} holds: verify the journal", seq)

    def lock_out(self, round_: int) -> Stored:
        """The fact that locked a round."""
        for each in in_round(self._journal, round_, "locked-out"):
            return each
        raise JournalCorruptError(f"round {round_} was not locked out: verify the journal")


def _opened(journal: JournalReader, meter: str, upto: int) -> Opened | None:
    """The last fact that opened a meter: it may have been filed, removed and filed again."""
    found = None
    for each in stored(journal, ("submission-filed",), upto=upto):
        if isinstance(each.fact, SubmissionFiled):
            for new in each.fact.opened:
                if new.id == meter:
                    found = Opened(each.seq, new.units, new.filing)
    return found
