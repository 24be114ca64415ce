"""The slip of an award, from the facts that made, validated and printed it."""

from msgspec import UNSET

from controller.core.facts import AwardWasValidated, Fact, SlipWasPrinted
from controller.core.state import Award
from controller.journal.audit.stored import Stored, latest, one, stored
from controller.journal.errors import JournalCorruptError
from controller.journal.reading import JournalReader
from controller.wire.command_rows import Slip

_NUMBERS = 2  # an award's id ends in the number of its fact and its own within it


def slip(journal: JournalReader, seq: int) -> Slip:
    """The slip that a validation made, or that a printing printed: `seq` is its fact."""
    told = one(journal, seq)
    if told is not None and isinstance(told.fact, AwardWasValidated):
        return _slip(journal, told, told.fact)
    if told is None or not isinstance(told.fact, SlipWasPrinted):
        raise JournalCorruptError(f"fact {seq} is no slip's: verify the journal", seq)
    award = told.fact.award
    for each in latest(journal, ("award-validated",), seq, _naming(award)):
        if isinstance(each.fact, AwardWasValidated) and each.fact.award == award:
            return _slip(journal, each, each.fact, reprint=_printed(journal, award, each.seq, seq))
    raise JournalCorruptError(f"award {award} was printed, and never validated: verify the journal", seq)


def _printed(journal: JournalReader, award: str, after: int, before: int) -> bool:
    found = stored(journal, ("slip-printed",), after, before - 1, _naming(award))
    return any(isinstance(each.fact, SlipWasPrinted) and each.fact.award == award for each in found)


def _naming(award: str) -> str:
    return f'"award":"{award}"'


def made(fact: Fact, award: str) -> Award | None:
    """An award as a fact made it."""
    return next((each for each in fact.awards if each.id == award), None)


def _slip(journal: JournalReader, each: Stored, fact: AwardWasValidated, *, reprint: bool | None = None) -> Slip:
    _, *numbers = fact.award.rsplit("-", _NUMBERS)
    maker = one(journal, int(numbers[0]))
    award = made(maker.fact, fact.award) if maker else None
    if award is None:
        raise JournalCorruptError(f"award {fact.award} was never made: verify the journal", each.seq)
    (hash_,) = journal.db.conn.execute("SELECT hash FROM facts WHERE seq = ?", (each.seq,)).fetchone()
    return Slip(
        slip=fact.slip,
        award=award.id,
        kind=award.kind,  # type: ignore[arg-type]  # the core makes these three kinds and no other
        wager=award.wager,
        outcome=award.outcome,
        round=award.round,
        position=award.position,
        amount_cents=fact.fates[0].amount_cents,
        method=fact.method,  # type: ignore[arg-type]  # the core takes these two and no other
        by=fact.by,
        at=each.at,
        seq=each.seq,
        hash=hash_.hex(),
        second=fact.second or UNSET,
        meter=award.meter or UNSET,
        reprint=UNSET if reprint is None else reprint,
    )
