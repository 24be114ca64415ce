"""Hits and awards as they stand now, gathered from the facts that made and settled them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from controller.core.facts import Fact, LinkWasAnswered
from controller.core.meters import PAID, PENDING, Hit
from controller.core.state import Award
from controller.journal.audit.stored import Stored, latest, one, stored
from controller.journal.reading import JournalReader
from controller.journal.view_parts import DECIDING
from controller.rules.errors import BadInputError

HITTING = ("locked-out", "hand-entered", "link-answered")  # facts that make awards
_HIT = '"hit":'  # what the payload of a fact that makes a jackpot's award has
_NUMBERS = 2  # an award's id ends in the number of its fact and its own within it


class Won(NamedTuple):
    """A hit as it was made, its meter, and its awards as they stand now."""

    meter: str
    hit: Hit
    awards: tuple[Award, ...]

    @property
    def kind(self) -> str:
        """What decided it: the cards, or a value drawn before."""
        return self.awards[0].kind

    @property
    def fate(self) -> str:
        """Pending while a share is, then paid if one was."""
        fates = {award.fate for award in self.awards}
        return next((fate for fate in (PENDING, PAID) if fate in fates), min(fates, default=self.hit.fate))

    @property
    def paid_from(self) -> str:
        """Where the money comes from."""
        account = next((award.account for award in self.awards if award.account), "")
        return account or (f"meter:{self.meter}" if self.hit.from_meter else "house:late")


def hits(journal: JournalReader) -> list[Won]:
    """Every hit, the newest last."""
    made = list(stored(journal, HITTING, holding=_HIT))
    return settled(journal, [won for each in made for won in _made(each)])


def newest(journal: JournalReader, upto: int) -> Iterator[Won]:
    """Hits of facts up to a number as they were made, the newest first; read only as far as they are asked for."""
    for each in latest(journal, HITTING, upto, _HIT):
        yield from reversed(_made(each))


def settled(journal: JournalReader, made: Sequence[Won]) -> list[Won]:
    """Hits with all their awards, as those stand now."""
    after = min((won.hit.seq for won in made), default=1) - 1
    shares: dict[str, list[Award]] = {won.hit.id: [] for won in made}
    told = stored(journal, HITTING, after, holding=_HIT) if made else ()
    every = [award for each in told for award in each.fact.awards if award.hit in shares]
    for award in _settled(journal, every, after):
        shares[award.hit].append(award)
    return [won._replace(awards=tuple(shares[won.hit.id])) for won in made]


def _made(each: Stored) -> list[Won]:
    return [Won(meter, hit, ()) for meter, hit in new_hits(each.seq, each.fact)]


def find(journal: JournalReader, award: str) -> Won:
    """The hit an award is, or is a share of."""
    fact = _maker(journal, award)
    found = next((each for each in fact.fact.awards if each.id == award), None) if fact else None
    if fact is None or found is None:
        raise BadInputError(f"there is no award {award!r} in this journal: `jackpotd audit hits` lists them")
    if not found.hit:
        raise BadInputError(f"award {award} is a fixed one of the paytable: it came from no meter")
    awards = _settled(journal, [each for each in fact.fact.awards if each.hit == found.hit], fact.seq)
    meter, hit = next(each for each in new_hits(fact.seq, fact.fact) if each[1].id == found.hit)
    return Won(meter, hit, tuple(awards))


def new_hits(seq: int, fact: Fact) -> list[tuple[str, Hit]]:
    """Hits that a fact made, with their meters, in the order they came."""
    if isinstance(fact, LinkWasAnswered):
        return [(fact.meter, hit) for hit in fact.hits]
    found = [(after.id, hit) for after in fact.meters for hit in after.listed if hit.seq == seq]
    return sorted(found, key=lambda each: _number(each[1].id))


def _maker(journal: JournalReader, award: str) -> Stored | None:
    """The fact an award's id names."""
    _, *numbers = award.rsplit("-", _NUMBERS)
    if len(numbers) != _NUMBERS or not all(each.isascii() and each.isdigit() for each in numbers):
        raise BadInputError(f"{award!r} is no award: write its id, like mb-07-14-3")
    return one(journal, min(int(numbers[0]), 2**63 - 1))


def _number(award: str) -> int:
    return int(award.rpartition("-")[2])


def _settled(journal: JournalReader, made: Iterable[Award], after: int) -> list[Award]:
    """Awards made after a fact, or in it, with their fates and amounts as they are now."""
    awards = {award.id: award for award in made}
    for each in stored(journal, DECIDING, after, holding='"fates":['):
        for fate in each.fact.fates:
            if fate.award in awards:
                awards[fate.award] = replace(awards[fate.award], fate=fate.fate, amount_cents=fate.amount_cents)
    return list(awards.values())
