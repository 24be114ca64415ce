"""Where archive files lie: the folder beside a journal, and what else is named."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from controller.core.facts import FactsWereArchived
from controller.journal.archive.files import ArchiveFile
from controller.journal.errors import JournalError, JournalUnreadableError
from controller.journal.place import HERE, Place

SUFFIX = ".gz"
FOLDER = "archive"  # beside the journal, unless the settings say otherwise
_NAME = re.compile(r"\.(\d{12,})-(\d{12,})\.\d{4}-\d\d-\d\d\.jsonl\.gz$")


def name(journal: str, first: int, last: int, day: str) -> str:
    """The name of the file of some facts: as text, names sort as the chain runs."""
    return f"{Path(journal).name}.{first:012}-{last:012}.{day}.jsonl.gz"


class Shelf:
    """Folders and files in which archives are looked for: those given, the folder beside the journal, its own."""

    def __init__(self, journal: str, given: Sequence[str | os.PathLike[str]] = (), place: Place = HERE) -> None:
        self._place = place
        beside = Path(journal).parent
        self.places = [*map(str, given), str(beside / FOLDER), str(beside)]

    def find(self, wanted: FactsWereArchived) -> str | None:
        """The path of a file; under another name only where the file itself was given."""
        for place in self.places:
            named = place.endswith(wanted.file)
            if (named or not place.endswith(SUFFIX)) and self._exists(
                path := place if named else f"{place}/{wanted.file}"
            ):
                return path
        return next((path for path in self._files() if self._first(path) == wanted.first), None)

    def beyond(self, seq: int, table: str) -> list[str]:
        """Files of a table that begin after a fact, in order: those that an older copy of its journal does not know."""
        found: dict[str, str] = {}
        for folder in self.places:
            for each in self._place.names(folder):
                match = _NAME.search(each)  # a copy may have another name than the journal its archives are of
                if match and int(match[1]) > seq and self._table(f"{folder}/{each}") in {table, ""}:
                    found.setdefault(each, f"{folder}/{each}")
        for path in self._files():
            if self._first(path) > seq:
                found.setdefault(Path(path).name, path)
        return [found[each] for each in sorted(found)]

    def _exists(self, path: str) -> bool:
        try:
            return self._place.exists(path)
        except OSError as error:
            raise JournalUnreadableError(
                f"{path} cannot be looked for: {error.strerror}: see to its disk, and that this user may read there"
            ) from error

    def _files(self) -> list[str]:
        return [each for each in self.places if each.endswith(SUFFIX)]

    def _table(self, path: str) -> str:
        """Whose a file is; empty where it does not say."""
        try:
            return ArchiveFile(path, self._place).header.table
        except JournalError:
            return ""

    def _first(self, path: str) -> int:
        try:
            return ArchiveFile(path, self._place).header.first
        except JournalError:
            return 0
