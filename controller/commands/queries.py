"""Questions about what is recorded, answered page by page from a journal open for reading.

Nothing sealed is in any row: rows are made of named fields, and a mystery value is in them only once it was revealed.
"""

from collections.abc import Callable
from itertools import islice
from typing import Any

from msgspec import UNSET, UnsetType

from controller import explained as explaining
from controller.commands.actions import actions
from controller.commands.derived import AskLink, explained
from controller.commands.endings import award_row, endings
from controller.commands.paging import BadQueryError, cut, exact, number
from controller.commands.rounds import rounds
from controller.core.operators import locked_ms
from controller.core.state import State
from controller.journal.audit import days as of_days
from controller.journal.audit.awards import Won, find, newest, settled
from controller.journal.limits import MOST_INTEGER
from controller.journal.reading import JournalReader
from controller.rules.money import UNITS_PER_CENT
from controller.wire import commands as wire
from controller.wire.command_rows import AccountDay, CounterDay, HitRow, MeterDay, OperatorRow
from controller.wire.messages import Reveal

__all__ = ["BadQueryError", "ask"]

Parts = dict[str, Any]


def ask(journal: JournalReader, query: wire.Query, state: State, now: str, link: AskLink | None = None) -> Parts:
    """The fields of the reply to a query; `link` is asked about hits of linked meters."""
    if isinstance(query, wire.QueryDerive):
        return _derive(journal, query, link)
    return _ASK[type(query)](journal, query, state, now)


def _hits(journal: JournalReader, query: wire.QueryHits, _state: State, _now: str) -> Parts:
    found = newest(journal, _fact(query.after) if query.after else journal.head().seq)
    if query.after and not any(won.hit.id == query.after for won in found):  # up to which they are passed over
        raise BadQueryError(f"after: {query.after[:40]!r} is no hit: give it back as it came")
    wanted = islice((won for won in found if query.meter in ("", won.meter)), query.limit + 1)
    page, following = cut(_hit_rows(journal, settled(journal, list(wanted))), query.limit, lambda row: row.hit)
    return {"hits": page, "next": following}


def _fact(hit: str) -> int:
    """The number of the fact that made a hit, which stands in its id; 0 where it is no such id."""
    seq = hit.rpartition("-")[0].rpartition("-")[2]
    return min(int(seq[:20]), MOST_INTEGER) if seq.isascii() and seq.isdigit() else 0


def _hit_rows(journal: JournalReader, found: list[Won]) -> list[HitRow]:
    first = min((won.hit.seq for won in found), default=0)
    ended = endings(journal, [award for won in found for award in won.awards], first)
    return [
        HitRow(
            hit=won.hit.id,
            seq=won.hit.seq,
            at=won.hit.at,
            meter=won.meter,
            kind=won.kind,  # type: ignore[arg-type]  # a hit is one of these two
            round=won.hit.round,
            amount_cents=won.hit.amount_cents,
            fate=won.fate,  # type: ignore[arg-type]  # the core knows these four fates
            paid_from=won.paid_from,
            awards=tuple(award_row(award, ended[award.id]) for award in won.awards),
            reveal=_reveal(won),
        )
        for won in found
    ]


def _reveal(won: Won) -> Reveal | UnsetType:
    told = won.hit.reveal
    if told is None:
        return UNSET
    return Reveal(value_cents=told.value_cents, nonce=told.nonce, cycle=told.cycle, commitment=told.commitment)


def _derive(journal: JournalReader, query: wire.QueryDerive, link: AskLink | None) -> Parts:
    start = number(query.after, 0)
    won = find(journal, query.award)
    found = explained(journal, won, link)
    page, following = cut(found.lines[start : start + query.limit + 1], query.limit, lambda _row: "")
    (row,) = _hit_rows(journal, [won])
    return {
        "hit": row,
        "lines": page,
        "total": exact(found.total),
        "remainder": exact(found.remainder),
        "explained": found.ok,
        "next": UNSET if following is UNSET else str(start + len(page)),
    }


def _readings(journal: JournalReader, query: wire.QueryReadings, _state: State, _now: str) -> Parts:
    start, known = number(query.after, 0), of_days.days(journal)
    day = query.day or (known[-1] if known else "")
    found = of_days.report(journal, day)
    rows = [_meter(each) for each in found.meters[start : start + query.limit + 1]]
    page, following = cut(rows, query.limit, lambda _row: "")
    return {
        "day": found.day,
        "ended": found.ended,
        "first_seq": found.first,
        "last_seq": found.last,
        "begins": found.begins,
        "ends": found.ends,
        "explained": all(each.ok for each in found.meters),
        "meters": page,
        "days": tuple(known),
        "next": UNSET if following is UNSET else str(start + len(page)),
    }


def _meter(day: explaining.MeterDay) -> MeterDay:
    counters = {name: CounterDay(opening=first, closing=last) for name, (first, last) in day.counters.items()}
    return MeterDay(
        meter=day.meter,
        opening_cents=day.display.opening // UNITS_PER_CENT,
        closing_cents=day.display.closing // UNITS_PER_CENT,
        display=_account(day.display),
        reserve=_account(day.reserve),
        carry=_account(day.carry),
        in_cents=counters["in_cents"],
        hits=counters["hits"],
        wins_cents=counters["wins_cents"],
        paid_by_attendant_cents=counters["paid_cents"],
        explained=day.ok,
    )


def _account(account: explaining.Account) -> AccountDay:
    return AccountDay(
        opening=exact(account.opening),
        closing=exact(account.closing),
        changes={why: exact(amount) for why, amount in account.changes.items()},
        unexplained=exact(account.unexplained),
    )


def _rounds(journal: JournalReader, query: wire.QueryRounds, _state: State, _now: str) -> Parts:
    page, following = rounds(journal, query)
    return {"rounds": page, "next": following}


def _actions(journal: JournalReader, query: wire.QueryActions, _state: State, _now: str) -> Parts:
    page, following = actions(journal, query)
    return {"actions": page, "next": following}


def _operators(journal: JournalReader, query: wire.QueryOperators, state: State, now: str) -> Parts:
    since = dict(journal.db.conn.execute("SELECT operator, changed_at FROM pins").fetchall())
    rows = [
        OperatorRow(
            operator=id_,
            name=each.name,
            role=each.role,
            active=each.active,
            locked_out=locked_ms(state, id_, now) > 0,
            pin_since=since.get(id_, UNSET),
        )
        for id_, each in sorted(state.operators.items())
        if id_ > query.after
    ]
    page, following = cut(rows[: query.limit + 1], query.limit, lambda row: row.operator)
    return {"operators": page, "next": following}


_ASK: dict[type[wire.Query], Callable[[JournalReader, Any, State, str], Parts]] = {
    wire.QueryHits: _hits,
    wire.QueryReadings: _readings,
    wire.QueryRounds: _rounds,
    wire.QueryActions: _actions,
    wire.QueryOperators: _operators,
}
