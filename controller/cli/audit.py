"""`jackpotd audit`: questions to a journal, which may be in use. Nothing is ever written to it."""

import argparse
from collections.abc import Callable
from importlib import import_module

from controller.journal.errors import JournalError
from controller.journal.reading import JournalReader, open_readonly
from controller.rules.errors import BadInputError

_MODULES = {
    "verify": "verify",
    "report": "report",
    "hits": "hits",
    "derive": "derive",
    "reveal": "reveal",
    "restore": "restore",
}
Answer = Callable[[JournalReader, argparse.Namespace], int]


def run(options: argparse.Namespace) -> int:
    """Open the journal and answer one question about it."""
    answer: Answer = import_module(f"controller.cli.audit_{_MODULES[options.question]}").answer
    try:
        with open_readonly(options.journal, archives=options.archives) as journal:
            return answer(journal, options)
    except JournalError as error:
        raise BadInputError(printable(str(error))) from error


def printable(text: str) -> str:
    """Text of a file that may hold anything: it must not forge a line or steer a terminal."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def exact(units: int) -> str:
    """Units of 1e-8 dollars as people read them, to the last digit."""
    whole, rest = divmod(abs(units), 10**8)
    return f"{'-' if units < 0 else ''}{whole:,}.{rest:08}"


def columns(rows: list[list[str]], right: str) -> list[str]:
    """Rows as aligned text; `right` has an `r` for each column to be set flush right, any other letter for the rest."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = zip(row, widths, right, strict=True)
        text = "  ".join(cell.rjust(width) if side == "r" else cell.ljust(width) for cell, width, side in cells)
        lines.append(text.rstrip())
    return lines
