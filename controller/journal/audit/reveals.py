"""Reveals held against commitments: the value of a mystery meter was fixed at its draw and not changed since."""

from typing import NamedTuple

from msgspec import UNSET

from controller.core.facts import SubmissionFiled
from controller.core.meters import Reveal
from controller.journal.audit.awards import Won
from controller.journal.audit.stored import Stored, latest, one, stored
from controller.journal.reading import JournalReader
from controller.journal.view_parts import DECIDING
from controller.rules.errors import BadInputError


def recomputed(table: str, meter: str, reveal: Reveal) -> str:
    """The commitment that a revealed value and nonce have; empty where they can have none."""
    from controller.vault import commitment  # noqa: PLC0415 -- costs 34 ms, and few journals of a day have a reveal

    try:
        return commitment(table, meter, reveal.cycle, reveal.value_cents, bytes.fromhex(reveal.nonce))
    except (ValueError, BadInputError):
        return ""


class Checked(NamedTuple):
    """A reveal and what it is held against. `published` is the fact of the draw; None for a meter a link keeps."""

    won: Won
    table: str
    reveal: Reveal
    published: Stored | None
    promised: str
    recomputed: str

    @property
    def match(self) -> bool:
        """Whether value and nonce are those that were committed to."""
        return self.recomputed == self.reveal.commitment == self.promised


def reveal(journal: JournalReader, won: Won) -> Checked:
    """Hold a mystery hit's reveal against the commitment published at the draw."""
    told = won.hit.reveal
    if told is None:
        raise BadInputError(f"{won.hit.id} was decided by the cards: {won.meter} has no mystery value to reveal")
    filed = next(each.fact for each in latest(journal, ("submission-filed",), won.hit.seq, '"filed":'))
    if not isinstance(filed, SubmissionFiled):
        raise TypeError(f"{filed!r} files nothing")
    link = filed.filed.meters()[won.meter].link
    table = link or filed.filed.name
    published, promised = (None, told.commitment) if link else _drawn(journal, won.meter, told.cycle, won.hit.seq)
    return Checked(won, table, told, published, promised or told.commitment, recomputed(table, won.meter, told))


def _drawn(journal: JournalReader, meter: str, cycle: int, upto: int) -> tuple[Stored | None, str]:
    """The fact that opened a cycle of a meter, and the commitment it published.

    A cycle that opened and was hit in one lock-out has none of its own: its reveal came with its draw.
    """
    for each in stored(journal, DECIDING, upto=upto, holding='"commitment":'):
        if isinstance(each.fact, SubmissionFiled):
            for opened in each.fact.opened:
                if opened.id == meter and opened.cycle == cycle:
                    return each, opened.commitment
        for after in each.fact.meters:
            if after.id == meter and after.cycle == cycle and after.commitment is not UNSET:
                return each, after.commitment
    return one(journal, upto), ""
