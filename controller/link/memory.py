"""A link in memory: the twin of the one on PostgreSQL, held to the same tests."""

from collections.abc import Iterable

from msgspec.structs import replace

from controller.core.accounts import moved
from controller.core.filed import MYSTERY, FiledMeter
from controller.core.inputs import LinkAnswered
from controller.core.meters import Meter, open_meter
from controller.core.state import Intent
from controller.link.chances import Chances
from controller.link.ledger import decide
from controller.link.lines import Book, Listed, Past, answer


class MemoryLink:
    """Shared meters, and an answer to every intent: the same one, however often it is asked."""

    def __init__(self, name: str, meters: Iterable[tuple[FiledMeter, str]], chances: Chances) -> None:
        self.name = name
        self.accounts: dict[str, int] = {}
        self.meters: dict[str, Meter] = {}
        self.lines: dict[str, list[Past]] = {}  # by meter
        self._filed: dict[str, FiledMeter] = {}
        self._listed: dict[str, tuple[Listed, ...]] = {}
        self._chances = chances
        self._answers: dict[tuple[str, str], LinkAnswered] = {}
        for filed, wager in meters:
            draws = chances.ready(None, filed, 1).draws if filed.kind == MYSTERY else ()
            meter, moves = open_meter(filed, wager, draws[0] if draws else None)
            self._filed[meter.id], self.meters[meter.id] = filed, meter
            self.lines[meter.id], self._listed[meter.id] = [], ()
            self.accounts = moved(self.accounts, moves)

    def apply(self, intent: Intent, at: str) -> LinkAnswered:
        """Apply an intent once, and answer it."""
        key = (intent.table, intent.id)
        if key not in self._answers:
            self._answers[key] = self._applied(intent, at)
        return replace(self._answers[key], at=at)

    def _applied(self, intent: Intent, at: str) -> LinkAnswered:
        lines, meter = self.lines[intent.meter], self.meters[intent.meter]
        past = [each for each in lines if (each.line.table, each.line.round) == (intent.table, intent.round)]
        book = Book(len(lines) + 1, meter, self._listed[intent.meter], past)
        applied = decide(book, intent, at, self._filed[intent.meter], self._chances)
        self.meters[intent.meter], self._listed[intent.meter] = applied.meter, applied.listed
        self.accounts = moved(self.accounts, applied.line.moves)
        lines.append(Past(book.seq, intent.kind, applied.line))
        return answer(applied.line, at, book.seq, "")
