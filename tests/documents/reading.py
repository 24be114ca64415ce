"""What stands in the documents: their blocks, the commands in them, their links and the places these lead to.

A block is fenced, or indented by four spaces after an empty line. What it is follows from how it looks; a block
that looks like nothing else is shell, so that a command cannot hide.
"""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
# CHANGELOG tells history, and has no command anybody is to run.
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = "sh"
_FENCED = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:\A|(?<=\n\n))((?:    .*\n)+)")
_DRAWN = re.compile(r"[─▶◀│┌┐└┘▼▲]|--\+")  # arrows and boxes
_JSON = re.compile(r'\s*[{\[]\s*"')


class Block(NamedTuple):
    """A block of a document, and where."""

    page: str
    line: int
    kind: str
    text: str

    @property
    def place(self) -> str:
        """For people who look for it."""
        return f"{self.page}:{self.line}"


class Command(NamedTuple):
    """One command as a reader would type it."""

    page: str
    line: int
    text: str

    @property
    def place(self) -> str:
        """For people who look for it."""
        return f"{self.page}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Every block of a document, in order."""
    return blocks_in(page.relative_to(ROOT).as_posix(), page.read_text())


def blocks_in(name: str, text: str) -> list[Block]:
    """Every block of a text, in order."""
    found = [
        Block(name, _line(text, each.start()) + 1, each[2] or _kind(each[3]), each[3])
        for each in _FENCED.finditer(text)
    ]
    rest = _FENCED.sub(lambda each: re.sub(r"[^\n]+", "x", each[0]), text)  # as many lines, none of them indented
    for each in _INDENTED.finditer(rest):
        inner = re.sub(r"^    ", "", each[1], flags=re.MULTILINE)
        found.append(Block(name, _line(rest, each.start()), _kind(inner), inner))
    return sorted(found, key=lambda block: block.line)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _kind(text: str) -> str:
    first = text.strip("\n").split("\n", 1)[0]
    if _DRAWN.search(text):
        return "drawing"
    if _JSON.match(first):
        return "json"
    return SHELL


def commands(block: Block) -> list[Command]:
    """The commands of a shell block: continued lines joined, comments left out."""
    found: list[Command] = []
    pending, begun = "", 0
    for at, line in enumerate(block.text.splitlines()):
        if not pending:
            begun = block.line + at
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1]
            continue
        text = re.sub(r"(?:^|\s+)# .*$", "", pending).strip()
        pending = ""
        if text:
            found.append(Command(block.page, begun, re.sub(r"\s{2,}", " ", text)))
    return found


def prose(page: Path) -> str:
    """A document without its fenced blocks."""
    return _FENCED.sub("", page.read_text())


def spans(page: Path) -> list[str]:
    """Everything between single backticks."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", prose(page))


def links(page: Path) -> list[str]:
    """Where a document's links and pictures lead, as written."""
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]+`", "", prose(page)))


def anchors(page: Path) -> set[str]:
    """The places of a document that a link may name."""
    return headings(prose(page))


def headings(text: str) -> set[str]:
    """The anchors GitHub makes of headings."""
    found = re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}
