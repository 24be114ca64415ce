"""How awards ended: who validated, rejected or undid them, and when."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import UNSET

from controller.core.facts import Fact
from controller.core.meters import PENDING
from controller.core.state import Award
from controller.journal.audit.stored import stored
from controller.journal.reading import JournalReader
from controller.journal.view_parts import DECIDING
from controller.wire.command_rows import AwardRow


class Ending(NamedTuple):
    """The last word on an award. `fact` is None while it is pending."""

    fate: str
    amount_cents: int
    seq: int = 0
    at: str = ""
    fact: Fact | None = None


def endings(journal: JournalReader, awards: Iterable[Award], after: int) -> dict[str, Ending]:
    """How awards stand now, of all that facts after a number say."""
    found = {award.id: Ending(award.fate, award.amount_cents) for award in awards}
    if not found:
        return found
    for each in stored(journal, DECIDING, after, holding='"fates":['):
        for fate in each.fact.fates:
            if fate.award in found:
                ended = (each.seq, each.at, each.fact) if fate.fate != PENDING else ()
                found[fate.award] = Ending(fate.fate, fate.amount_cents, *ended)
    return found


def award_row(award: Award, ending: Ending) -> AwardRow:
    """An award with its ending."""
    fact = ending.fact

    def told(name: str) -> object:
        return getattr(fact, name, "") or UNSET

    return AwardRow(
        award=award.id,
        kind=award.kind,  # type: ignore[arg-type]  # the core makes these three kinds and no other
        wager=award.wager,
        outcome=award.outcome,
        round=award.round,
        position=award.position,
        amount_cents=ending.amount_cents,
        fate=ending.fate,  # type: ignore[arg-type]  # and these four fates
        needs_validation=award.validate,
        meter=award.meter or UNSET,
        outcome_by_list=award.listed or UNSET,
        by=told("by"),  # type: ignore[arg-type]  # text in every fact
        second=told("second"),  # type: ignore[arg-type]  # the same
        method=told("method"),  # type: ignore[arg-type]  # of a validation
        slip=told("slip"),  # type: ignore[arg-type]  # the same
        reason=told("reason"),  # type: ignore[arg-type]  # of an undoing
        ended_at=ending.at or UNSET,
        ended_seq=ending.seq or UNSET,
    )
