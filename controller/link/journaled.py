"""What a table's own journal says of its link: all it asked for, and all it was answered."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from controller.core.accounts import WAGERS, link_account, pending_account
from controller.core.facts import Fact, LinkWasAnswered, LockedOut, SubmissionFiled
from controller.core.state import Intent


class Asked(NamedTuple):
    """An intent, and the money that left for the link with it."""

    seq: int  # of the fact
    intent: Intent
    units: int


class Told(NamedTuple):
    """An answer, as the table recorded it."""

    seq: int  # of the fact
    meter: str
    ledger_seq: int
    ledger_hash: str
    display_cents: int
    won: tuple[tuple[int, int], ...]  # position and cents, sorted
    returned: int
    adjusted: int  # units that an adjustment moved to the link, less those that came from it
    refusal: str


class Journaled:
    """One table and one link, taken in fact by fact."""

    def __init__(self, link: str) -> None:
        self.table = ""  # site/table, once something is filed
        self.facts = 0
        self.asked: dict[str, Asked] = {}
        self.told: dict[str, Told] = {}
        self.abandoned: set[str] = set()  # intents that the table left with a link that was lost
        self.balance = 0  # what the table has with the link: given, less what it got
        self._link = link
        self._account = link_account(link)
        self._places: dict[str, tuple[str, int, int]] = {}  # meter, round and position of each award of the link

    def take(self, seq: int, fact: Fact) -> None:
        """Take in one fact."""
        self.facts = seq
        if isinstance(fact, SubmissionFiled):
            self.table = fact.filed.name
            self.abandoned.update(fact.abandoned)
        self.balance += self._balance(fact)
        for intent in fact.intents:
            if intent.link == self._link:
                self.asked[intent.id] = Asked(seq, intent, sum(self._given(fact, intent)))
        if isinstance(fact, LinkWasAnswered) and fact.intent in self.asked:
            self._answered(seq, fact)

    def _balance(self, fact: Fact) -> int:
        """What a fact gives to the link, less what it takes from it."""
        given = sum(each.units for each in fact.moves if each.target == self._account)
        return given - sum(each.units for each in fact.moves if each.source == self._account)

    def _given(self, fact: Fact, intent: Intent) -> Iterator[int]:
        """The money that goes with an intent: contributions, and awards that go back, less what others get of them."""
        if isinstance(fact, LockedOut) and intent.kind == "contribute":
            for wager in fact.wagers:
                yield from (each.units + each.reserve for each in wager.shares if each.meter == intent.meter)
        if intent.kind in ("unwind", "resplit"):
            gone = self._pending(intent, intent.positions)
            yield from (each.units for each in fact.moves if each.target == self._account and each.source in gone)
            left = self._pending(intent, [position for position, _ in intent.split])
            yield from (-each.units for each in fact.moves if each.source == self._account and each.target in left)

    def _pending(self, intent: Intent, positions: Sequence[int]) -> set[str]:
        """The accounts of awards of an intent's round."""
        return {
            pending_account(award)
            for award, place in self._places.items()
            if place[:2] == (intent.meter, intent.round) and place[2] in positions
        }

    def _answered(self, seq: int, fact: LinkWasAnswered) -> None:
        won = tuple(sorted((award.position, award.amount_cents) for award in fact.awards))
        returned = sum(each.units for each in fact.moves if (each.source, each.target) == (self._account, WAGERS))
        adjusted = self._balance(fact) if self.asked[fact.intent].intent.kind == "adjust" else 0
        place = (seq, fact.meter, fact.ledger_seq, fact.ledger_hash)
        self.told[fact.intent] = Told(*place, fact.display_cents, won, returned, adjusted, fact.refusal)
        self._places |= {award.id: (fact.meter, fact.round, award.position) for award in fact.awards}
