"""How a hit came about, from this table's journal or, of a linked meter, from the link's ledger."""

from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from controller.commands.paging import BadQueryError, exact
from controller.core.facts import LinkWasAnswered
from controller.journal.audit.awards import Won
from controller.journal.audit.derivation import derive
from controller.journal.audit.stored import one
from controller.journal.reading import JournalReader
from controller.link.deriving import LinkedDerivation
from controller.link.sessions import LinkLostError
from controller.wire.command_rows import DerivedLine

# Asked with the meter, the line of the ledger that made the hit, and a position that won.
AskLink = Callable[[str, int, int], LinkedDerivation]


class Explained(NamedTuple):
    """The steps to an amount."""

    lines: list[DerivedLine]
    total: int
    remainder: int
    ok: bool


def explained(journal: JournalReader, won: Won, link: AskLink | None) -> Explained:
    """Every step to the amount of a hit."""
    if won.paid_from.startswith("link:"):
        return _linked(journal, won, link)
    found = derive(journal, won)
    totals = accumulate(line.units for line in found.lines)
    lines = [
        DerivedLine(
            seq=line.seq,
            at=line.at,
            what=line.what,
            amount=exact(line.units),
            total=exact(total),
            round=_given(line.round),
            position=_given(line.position),
            wager=UNSET if line.wager is None else line.wager,
            stake_cents=_given(line.stake_cents),
            rate_millionths=_given(line.rate),
        )
        for line, total in zip(found.lines, totals, strict=True)
    ]
    return Explained(lines, found.total, found.remainder, found.ok)


def _given(value: int | None) -> int | UnsetType:
    return UNSET if value is None else value


def _linked(journal: JournalReader, won: Won, link: AskLink | None) -> Explained:
    answered = one(journal, won.hit.seq)
    fact = answered.fact if answered else None
    if link is None or not isinstance(fact, LinkWasAnswered):
        raise BadQueryError(f"{won.meter} is kept by {won.paid_from}, and this table has no way there: see link audit")
    try:
        found = link(won.meter, fact.ledger_seq, won.hit.positions[0])
    except LinkLostError as error:
        raise BadQueryError(f"{won.meter} is kept by {won.paid_from}, which cannot be asked now: {error}") from error
    wager = won.awards[0].wager.partition("/")[0]
    totals = accumulate(step.units for step in found.steps)
    lines = [
        DerivedLine(
            seq=step.seq,
            at=step.at or won.hit.at,
            what=step.what,
            amount=exact(step.units),
            total=exact(total),
            round=_given(step.round),
            position=_given(step.position),
            wager=wager if step.position is not None else UNSET,
            stake_cents=_given(step.stake_cents),
            rate_millionths=_given(step.rate),
            table=step.table.partition("/")[2] or UNSET,
        )
        for step, total in zip(found.steps, totals, strict=True)
    ]
    return Explained(lines, found.total, found.remainder, found.ok)
