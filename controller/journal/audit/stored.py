"""Facts asked for by type, decoded. Read a page at a time: no read stays open while the controller writes."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import MsgspecError

from controller.core.facts import Fact, UnreadableFactError, decode
from controller.journal import schema
from controller.journal.errors import COMPLAINTS, JournalCorruptError, translated
from controller.journal.paging import PAGE_ROWS
from controller.journal.reading import JournalReader

_SELECT = """
SELECT seq, at, round, type, version, payload FROM facts
WHERE seq > ? AND seq <= ? AND type IN ({types}) AND (? = '' OR instr(payload, ?)) AND {among} ORDER BY seq LIMIT ?
"""
# What all facts asked for have in common, where there is an index of just those.
_DAYS = frozenset({"submission-filed", "readings-taken", "facts-archived"})
_AWARDS = frozenset({'"hit":', '"fates":['})
_AWARD_TYPES = frozenset({"award-validated", "award-rejected"})  # they always tell a fate
# What only facts of days and of awards say: none of those that have left for an archive does.
_STAYING = frozenset({*_AWARDS, '"listed":[', '"filing":{', '"commitment":'})
_FEW = 8  # facts read at once where the first is nearly always the one


class Stored(NamedTuple):
    """A fact and its place."""

    seq: int
    at: str
    round: int | None
    fact: Fact


def stored(
    journal: JournalReader, types: Sequence[str], after: int = 0, upto: int | None = None, holding: str = ""
) -> Iterator[Stored]:
    """Facts of some types with after < seq <= upto, in order; with `holding`, those whose payload has that text."""
    last = journal.head().seq if upto is None else upto
    select = _select(types, holding)
    for first, end in _spans(journal, types, holding, (after + 1, last)):
        after = first - 1
        while rows := _page(journal, select, (after, end, *types, holding, holding, PAGE_ROWS)):
            yield from map(_decoded, rows)
            after = rows[-1][0]


def latest(journal: JournalReader, types: Sequence[str], upto: int, holding: str) -> Iterator[Stored]:
    """Facts of some types up to a number whose payload has a text, the newest first."""
    select = _select(types, holding).replace("ORDER BY seq", "ORDER BY seq DESC")
    for first, end in _spans(journal, types, holding, (1, upto), backwards=True):
        upto = end
        while rows := _page(journal, select, (first - 1, upto, *types, holding, holding, _FEW)):
            yield from map(_decoded, rows)
            upto = rows[-1][0] - 1


def in_round(journal: JournalReader, round_: int, name: str) -> list[Stored]:
    """The facts of one type in a round."""
    select = "SELECT seq, at, round, type, version, payload FROM facts WHERE round = ? AND type = ? ORDER BY seq"
    journal.past.bring_rounds(round_, round_)
    return list(map(_decoded, _page(journal, select, (round_, name))))


def one(journal: JournalReader, seq: int, *, here: bool = False) -> Stored | None:
    """The fact with a number, from its archive only if it has left; with `here`, only if it has not."""
    select = "SELECT seq, at, round, type, version, payload FROM facts WHERE seq = ?"
    found = _page(journal, select, (seq,))
    if not found and not here:
        journal.past.bring([seq])
        found = _page(journal, select, (seq,))
    return next(map(_decoded, found), None)


def _spans(
    journal: JournalReader, types: Sequence[str], holding: str, ends: tuple[int, int], *, backwards: bool = False
) -> Iterator[tuple[int, int]]:
    """The parts of a journal in which facts are asked for; archives are unpacked only where one can be in them."""
    stay = _DAYS.issuperset(types) or _AWARD_TYPES.issuperset(types) or holding in _STAYING
    return iter([ends]) if stay else journal.past.spans(*ends, backwards=backwards)


def _select(types: Sequence[str], holding: str) -> str:
    among = schema.OF_DAYS if _DAYS.issuperset(types) else ""
    if not among:
        among = schema.OF_AWARDS if holding in _AWARDS or _AWARD_TYPES.issuperset(types) else "TRUE"
    return _SELECT.format(types=", ".join("?" * len(types)), among=among)


def _page(
    journal: JournalReader, select: str, values: tuple[int | str, ...]
) -> list[tuple[int, str, int | None, str, int, str]]:
    try:
        found = journal.db.conn.execute(select, values).fetchall()
    except COMPLAINTS as error:
        journal.check_unchanged()
        raise translated(journal.path, error) from error
    journal.check_unchanged()
    return found


def _decoded(row: tuple[int, str, int | None, str, int, str]) -> Stored:
    seq, at, round_, name, version, payload = row
    try:
        return Stored(seq, at, round_, decode(name, version, payload))
    except (MsgspecError, UnreadableFactError) as error:
        raise JournalCorruptError(f"fact {seq} cannot be read: {error}: verify the journal", seq) from error
