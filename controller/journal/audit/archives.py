"""The archives of a journal, as verifying sees them: which must be there, which are, and whether they are those."""

from controller.core.facts import FactsWereArchived, SubmissionFiled
from controller.journal.archive.files import ArchiveFile
from controller.journal.archive.past import unlike
from controller.journal.audit.kept import Kept
from controller.journal.audit.passes import Bad, Ground
from controller.journal.audit.stored import stored
from controller.journal.chain import proven
from controller.journal.errors import COMPLAINTS, JournalCorruptError, JournalError, JournalUnreadableError, translated
from controller.journal.reading import JournalReader
from controller.journal.rows import EMPTY, Head


class Archives:
    """Every file that the chain names, and where it lies."""

    def __init__(self, journal: JournalReader) -> None:
        self._journal = journal
        self._start = journal.start()
        self._paths: list[tuple[FactsWereArchived, str | None]] = [
            (file, journal.shelf.find(file)) for file in journal.past.files
        ]
        self.seen = tuple(file.file for file, path in self._paths if path)
        self.missing = tuple(file.file for file, path in self._paths if not path)

    def ground(self, kept: Kept, *, live: bool) -> Ground:
        """From where the journal can be proven."""
        if not self.missing and not live:
            return Ground(tuple(path for _, path in self._paths if path))
        if self._start == EMPTY:
            return Ground()
        oldest = kept.oldest()
        return Ground(start=self._start, snapshot=oldest, bare=oldest is None)

    def flaw(self, last: int, *, live: bool) -> Bad | None:
        """The first file that is missing, or is not the one that was written, or tells of more than the journal."""
        for file, path in () if live else self._paths:
            if path is None:
                return Bad(file.first, f"{file.file}, which holds it, was not seen: name its folder with --archives")
            if why := _flaw(file, path, whole=not self.missing):
                return Bad(file.first, f"{path}: {why}")
        for path in self._journal.shelf.beyond(self._start.seq, self._table()):
            if bad := self._other(path, last):
                return bad
        return None

    def _table(self) -> str:
        """The table, as its first submission names it."""
        filed = next(stored(self._journal, ["submission-filed"]), None)
        return filed.fact.filed.name if filed and isinstance(filed.fact, SubmissionFiled) else ""

    def _other(self, path: str, last: int) -> Bad | None:
        """A file that this journal does not know yet: it was put back from a copy older than the file."""
        try:
            header = (file := ArchiveFile(path)).header
            head = proven(file.raw(), header.start)
        except JournalCorruptError as error:
            return Bad(last + 1, f"{path} is beside it, and is not whole: {error}")
        if head.seq > last:
            return Bad(
                last + 1, f"{path} holds facts up to {head.seq}: this journal is an older copy than its archives"
            )
        for place in (header.start, head):
            if place.seq > self._start.seq and self._hash(place.seq) != place.hash:
                return Bad(place.seq, f"{path} has it otherwise: it is an archive of another journal, or one played on")
        return None

    def _hash(self, seq: int) -> bytes | None:
        try:
            found = self._journal.db.conn.execute("SELECT hash FROM facts WHERE seq = ?", (seq,)).fetchone()
        except COMPLAINTS as error:
            raise translated(self._journal.path, error) from error
        return found[0] if found else None


def _flaw(wanted: FactsWereArchived, path: str, *, whole: bool) -> str:
    """What is wrong with a file; its chain is proven here where not all files are there to be gone through."""
    try:
        file = ArchiveFile(path)
        if why := unlike(file, wanted):
            return why
        if not whole and proven(file.raw(), file.header.start) != Head(wanted.last, bytes.fromhex(wanted.hash)):
            return "it leads to another hash than was written down"
    except JournalUnreadableError as error:
        return str(error)
    except JournalError as error:
        return str(error).removeprefix(f"{path}: ")
    return ""
