"""What people did, and what they were refused: from every fact that names someone."""

from typing import Any

from msgspec import UNSET, UnsetType

from controller.commands.paging import cut, number, span
from controller.core.facts import (
    SIGNED_IN,
    AccessWasNoted,
    Fact,
    InputNoted,
    InputRefused,
    KeyReused,
    decode,
)
from controller.journal.reading import JournalReader
from controller.wire.command_rows import ActionRow
from controller.wire.commands import QueryActions

# Facts that people make name them in `by`; the first operator and submission are by nobody, and who signs in is told
# otherwise. A quotation mark within a text is escaped in JSON: what is looked for is no text of somebody's.
_SELECT = """
SELECT seq, at, round, type, version, payload FROM facts
WHERE seq BETWEEN ? AND ?
  AND (type IN ('access-noted', 'operator-changed', 'submission-filed') OR instr(payload, '"by":"'))
  AND (? = '' OR ? IN (payload ->> 'by', payload ->> 'second', payload ->> 'operator'))
ORDER BY seq DESC LIMIT ?
"""
# Archived days looked through for one page, each some 0.3 s of a busy table: then there is a page, perhaps an empty
# one, and a next.
MOST_ARCHIVES = 10
_PLAIN = (
    "reason",
    "reference",
    "award",
    "method",
    "slip",
    "operator",
    "role",
    "meter",
    "delta_cents",
    "position",
    "wager",
    "return_id",
    "refusal",
    "why",
    "player",
    "banker",
)
_YES_OR_NO = ("active", "on")


def actions(journal: JournalReader, query: QueryActions) -> tuple[tuple[ActionRow, ...], str | UnsetType]:
    """A page of actions, the newest first."""
    first, last = span(journal, query.day)
    found: list[tuple[int, str, int | None, str, int, str]] = []
    further = 0  # where a search that has gone far enough would go on
    for looked, (low, high) in enumerate(
        journal.past.spans(first, min(last, number(query.after, last + 1) - 1), backwards=True)
    ):
        wanted = query.limit + 1 - len(found)
        found += journal.db.conn.execute(_SELECT, (low, high, query.person, query.person, wanted)).fetchall()
        if len(found) > query.limit:
            break
        further = low if looked >= MOST_ARCHIVES and low > first else 0
        if further:
            break
    rows = [_row(seq, at, round_, name, decode(name, version, text)) for seq, at, round_, name, version, text in found]
    page, following = cut(rows, query.limit, lambda row: str(row.seq))
    return page, str(further) if further and following is UNSET else following


def _row(seq: int, at: str, round_: int | None, name: str, fact: Fact) -> ActionRow:
    told: dict[str, Any] = {"action": name, "person": fact.by} | _told(fact)
    return ActionRow(seq=seq, at=at, round=UNSET if round_ is None else round_, second=fact.second or UNSET, **told)


def _told(fact: Fact) -> dict[str, Any]:
    match fact:
        case AccessWasNoted():
            return _access(fact)
        case InputRefused():
            return {"action": fact.kind, "refusal": fact.refusal, "why": fact.why}
        case KeyReused():
            return {"action": fact.kind, "refusal": "bad-request", "why": f"its key was that of fact {fact.first}"}
        case InputNoted():
            return {"action": fact.kind}
    told = {name: value for name in _PLAIN if (value := getattr(fact, name, None))}
    told |= {name: value for name in _YES_OR_NO if (value := getattr(fact, name, None)) is not None}
    if "delta_cents" in told:
        told["source"] = getattr(fact, "source", UNSET)
    if "award" in told and fact.fates:
        told["amount_cents"] = next(fate.amount_cents for fate in fact.fates if fate.award == told["award"])
    return told


def _access(fact: AccessWasNoted) -> dict[str, Any]:
    """Who signed in, or said who they are; what was asked for, and why not."""
    told = {"action": fact.command or "login", "person": fact.operator, "client": fact.client}
    if fact.what == SIGNED_IN:
        return told
    why = fact.detail or f"{fact.wrong} wrong in a row{', locked out' if fact.locked else ''}"
    return told | {"refusal": fact.what, "why": why}
