"""What is planted: lists by theme in `planted/*.toml`, each bug with the edits that make it and who must find it.

    [[bugs]]
    name = "overshoot-clipped"
    says = "What the winning contribution had above the award is nobody's."
    tests = ["tests/core/test_meters.py::test_the_rest_of_it_enters_the_next_cycle"]
    simulator = true

    [[bugs.edits]]
    file = "controller/core/meters.py"
    old = '''what stands there, once'''
    new = '''what is to stand there'''

A bug that the tests, or the simulator, cannot see has `why_not`, in a sentence.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, toml

FOLDER = Path(__file__).with_name("planted")
# Every theme has a file of its own: what the list must never lack.
THEMES = ("archives", "devices", "durability", "messages", "money", "people", "sealing", "time")


class NotPlantedError(Exception):
    """A planted bug that does not apply to the code as it is. It is to be planted anew, or it proves nothing."""


class Edit(Struct, frozen=True, forbid_unknown_fields=True):
    """One place of the product, as it is and as the bug has it."""

    file: str
    old: str
    new: str

    def applied(self, text: str) -> str:
        """The file with the bug in it."""
        found = text.count(self.old)
        if found != 1:
            raise NotPlantedError(f"{self.file} has {found} places instead of one that read: {self.old.strip()[:100]}")
        return text.replace(self.old, self.new)


class Bug(Struct, frozen=True, forbid_unknown_fields=True):
    """A planted bug."""

    name: str
    says: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...] = ()  # files, or tests in them, of which one must fail; none, where no test can see it
    simulator: bool = False  # whether it must find it
    why_not: str = ""  # one of the two cannot

    def files(self, tree: Path) -> dict[Path, str]:
        """What the files that are edited have in them, with the bug."""
        planted: dict[Path, str] = {}
        for edit in self.edits:
            path = tree / edit.file
            try:
                text = planted.get(path) or path.read_text(encoding="utf-8")
                planted[path] = edit.applied(text)
            except (OSError, NotPlantedError) as error:
                raise NotPlantedError(f"{self.name} does not apply any more: {error}") from error
        return planted


class _List(Struct, frozen=True, forbid_unknown_fields=True):
    bugs: tuple[Bug, ...]


def themes() -> Iterator[tuple[str, tuple[Bug, ...]]]:
    """The lists, by their themes."""
    for path in sorted(FOLDER.glob("*.toml")):
        yield path.stem, toml.decode(path.read_bytes(), type=_List).bugs


def every(*names: str) -> list[Bug]:
    """All of them, or those of these names and themes."""
    known = [(theme, bug) for theme, bugs in themes() for bug in bugs]
    unknown = set(names) - {name for theme, bug in known for name in (theme, bug.name)}
    if unknown:
        raise SystemExit(f"no bug and no theme is called {', '.join(sorted(unknown))}: --list says what there is")
    return [bug for theme, bug in known if not names or {theme, bug.name} & set(names)]
