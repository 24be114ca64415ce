"""Rounds with everything that belongs to them: wagers and what they gave, cards, awards, and wagers refused."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import UNSET, UnsetType, json

from controller.commands.endings import Ending, award_row, endings
from controller.commands.paging import BadQueryError, cut, exact, number, span
from controller.core import facts
from controller.core.facts import decode
from controller.core.phases import Phase
from controller.core.state import Award, Wager
from controller.journal.audit.stored import Stored
from controller.journal.reading import JournalReader
from controller.rules.errors import BadInputError
from controller.wire.command_rows import Contribution, HandRow, RefusedBet, RoundRow, WagerRow
from controller.wire.commands import QueryRounds

# A sensor that flickers refuses a wager many times a second: of one round this many are shown, and the rest counted.
MOST_REFUSED = 100
_TYPES = (
    "table-opened",
    "reopened",
    "round-voided",
    "simulated-ended",
    "device-changed",
    "locked-out",
    "hand-entered",
    "link-answered",
    "wager-taken-out",
    "wager-refused",
)
_SELECT = f"""
SELECT seq, at, round, type, version, payload FROM facts
WHERE round BETWEEN ? AND ? AND type IN ({", ".join(f"'{name}'" for name in _TYPES)}) ORDER BY seq
"""  # noqa: S608 -- made of this module's own constants

_NEWEST = "SELECT max(round) FROM facts WHERE round IS NOT NULL"  # the index has these: without it all are read


def rounds(journal: JournalReader, query: QueryRounds) -> tuple[tuple[RoundRow, ...], str | UnsetType]:
    """A page of rounds, the newest first."""
    lowest, highest = _range(journal, query)
    highest = min(highest, number(query.after, highest + 1) - 1)
    first = max(lowest, highest - query.limit)  # one more than the page: whether there is another
    found = _facts(journal, first, highest)
    books = [_Book(each) for each in range(highest, first - 1, -1)]
    by_number = {book.round: book for book in books}
    for each in found:
        _enter(by_number, each)
    awards = [award for book in books for award in book.awards]
    ended = endings(journal, awards, found[0].seq if found else 0)
    times = _times(journal, {wager.placed for book in books for wager in book.wagers})
    return cut([book.row(ended, times) for book in books], query.limit, lambda row: str(row.round))


def _range(journal: JournalReader, query: QueryRounds) -> tuple[int, int]:
    """The numbers of the first and the last round asked for."""
    (newest,) = journal.db.conn.execute(_NEWEST).fetchone()
    if query.round is not UNSET:
        if query.day or query.after:
            raise BadQueryError("round: one round has no page after it, and is of no other day: ask for it alone")
        if query.round > (newest or 0):
            raise BadInputError(f"there is no round {query.round}: the last is {newest or 0}")
        return query.round, query.round
    if not query.day:
        return 1, newest or 0
    of_day = "SELECT min(round), max(round) FROM facts WHERE seq BETWEEN ? AND ?"
    parts = [journal.db.conn.execute(of_day, ends).fetchone() for ends in journal.past.spans(*span(journal, query.day))]
    played = [part for part in parts if part[0]]
    return min((lowest for lowest, _ in played), default=1), max((highest for _, highest in played), default=0)


def _facts(journal: JournalReader, first: int, last: int) -> list[Stored]:
    """The facts of some rounds. A void opens the round after its own."""
    journal.past.bring_rounds(first - 1, last)
    found = journal.db.conn.execute(_SELECT, (first - 1, last)).fetchall()
    return [Stored(seq, at, round_, decode(name, version, text)) for seq, at, round_, name, version, text in found]


def _times(journal: JournalReader, seqs: set[int]) -> dict[int, str]:
    """The times of the facts that placed wagers. Any fact may: a round that opens places the chips that lie there."""
    select = "SELECT seq, at FROM facts WHERE seq IN (SELECT value FROM json_each(?))"
    journal.past.bring(sorted(seqs))
    return dict(journal.db.conn.execute(select, [json.encode(sorted(seqs)).decode()]).fetchall())


class _Book:
    """What is known of one round while its facts are read."""

    def __init__(self, number_: int) -> None:
        self.round = number_
        self.parts: dict[str, Any] = {}
        self.wagers: tuple[Wager, ...] = ()
        self.gone: dict[tuple[int, str], int] = {}
        self.hands: list[HandRow] = []
        self.awards: list[Award] = []
        self.refused: list[RefusedBet] = []
        self.more_refused = 0

    def open(self, each: Stored) -> None:
        if "opened_seq" not in self.parts:
            self.parts |= {"opened_at": each.at, "opened_seq": each.seq}

    def lock(self, each: Stored, cause: str) -> None:
        if "locked_seq" not in self.parts:
            self.parts |= {"locked_at": each.at, "locked_seq": each.seq, "cause": cause}

    def refuse(self, each: Stored, fact: facts.WagerRefused) -> None:
        if len(self.refused) >= MOST_REFUSED:
            self.more_refused += 1
            return
        bet = RefusedBet(seq=each.seq, at=each.at, position=fact.position, wager=fact.wager, why=fact.why)
        self.refused.append(bet)

    def row(self, ended: dict[str, Ending], times: dict[int, str]) -> RoundRow:
        voided = self.parts.get("voided_seq")
        gone = [self.gone.get((each.position, each.wager)) for each in self.wagers]
        return RoundRow(
            round=self.round,
            wagers=tuple(
                _wager(each, times[each.placed], back, voided) for each, back in zip(self.wagers, gone, strict=True)
            ),
            hands=tuple(self.hands),
            awards=tuple(award_row(award, ended[award.id]) for award in self.awards),
            refused=tuple(self.refused),
            more_refused=self.more_refused,
            **self.parts,
        )


def _enter(books: dict[int, _Book], each: Stored) -> None:
    """Put a fact where it belongs."""
    fact, own = each.fact, books.get(each.round or 0)
    _made(books, fact.awards)
    if own is not None and type(fact) in _TAKE:
        _TAKE[type(fact)](own, each, fact)
    opened = books.get(fact.round + 1) if isinstance(fact, facts.RoundWasVoided) else own
    if opened is None:
        return
    if isinstance(fact, _OPENING):
        opened.open(each)
    # A maintained switch that was found locked: when a round opened, a simulated one ended, or a fault did.
    if fact.phase == Phase.LOCKED.value or getattr(fact, "locked", False):
        opened.lock(each, getattr(fact, "cause", "switch"))


_OPENING = facts.TableWasOpened | facts.Reopened | facts.RoundWasVoided


def _lock_out(book: _Book, _each: Stored, fact: facts.LockedOut) -> None:
    book.wagers = fact.wagers


def _void(book: _Book, each: Stored, fact: facts.RoundWasVoided) -> None:
    book.parts |= {"voided_seq": each.seq, "voided_by": fact.by, "void_reason": fact.reason}


def _take_out(book: _Book, each: Stored, fact: facts.WagerTakenOut) -> None:
    if not fact.withdrawn:  # otherwise it never was in
        book.gone[fact.position, fact.wager] = each.seq


_TAKE: dict[type[facts.Fact], Callable[[_Book, Stored, Any], None]] = {
    facts.LockedOut: _lock_out,
    facts.RoundWasVoided: _void,
    facts.WagerTakenOut: _take_out,
    facts.HandEntered: lambda book, each, fact: book.hands.append(_hand(each, fact)),
    facts.WagerRefused: lambda book, each, fact: book.refuse(each, fact),
}


def _made(books: dict[int, _Book], awards: Iterable[Award]) -> None:
    for award in awards:
        if award.round in books:
            books[award.round].awards.append(award)


def _hand(each: Stored, fact: facts.HandEntered) -> HandRow:
    return HandRow(
        seq=each.seq,
        at=each.at,
        player=fact.player,
        banker=fact.banker,
        source=fact.source,  # type: ignore[arg-type]  # the core takes these two
        complete=fact.complete,
        late=fact.late,
        corrected=fact.corrected,
        by=fact.by or UNSET,
        second=fact.second or UNSET,
        reference=fact.reference or UNSET,
    )


def _wager(wager: Wager, placed_at: str, gone: int | None, voided: int | None) -> WagerRow:
    given_back = {"given_back": "taken out", "given_back_seq": gone} if gone else {}
    if voided and not gone:
        given_back = {"given_back": "voided", "given_back_seq": voided}
    return WagerRow(
        position=wager.position,
        wager=wager.wager,
        stake_cents=wager.stake_cents,
        source=wager.source,  # type: ignore[arg-type]  # a chip or a coin
        placed_seq=wager.placed,
        placed_at=placed_at,
        contributions=tuple(
            Contribution(meter=each.meter, cycle=each.cycle, amount=exact(each.units), reserve=exact(each.reserve))
            for each in wager.shares
        ),
        **given_back,  # type: ignore[arg-type]  # two fields that go together
    )
