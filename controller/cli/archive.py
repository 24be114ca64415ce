"""`jackpotd archive`: closed days into archive files, the controller stopped. A running one does it by itself."""

import argparse
from pathlib import Path

from msgspec import json, to_builtins

from controller.cli.audit import printable
from controller.cli.operators import refuse_wrong_place
from controller.cli.output import say
from controller.core.facts import FactsWereArchived
from controller.journal.archive.leaving import due
from controller.journal.archive.packing import job, prepare, publish
from controller.journal.errors import JournalBusyError, JournalError
from controller.journal.sqlite import SqliteJournal
from controller.people.stopped import Stopped
from controller.rules.errors import BadInputError
from controller.settings import JournalSettings, read

TOGETHER = 10_000  # facts let go in one transaction: nobody waits, and a -wal stays small


def run(options: argparse.Namespace) -> int:
    """Archive every day that is due, and tell which."""
    settings = read(Path(options.config)).journal
    refuse_wrong_place(Path(settings.path), begins=False)
    try:
        with SqliteJournal(settings.path) as journal:
            made = _archived(journal, settings)
    except JournalBusyError as error:
        raise BadInputError(printable(f"the controller is not stopped, and archives by itself: {error}")) from error
    except JournalError as error:
        raise BadInputError(printable(str(error))) from error
    if options.json:
        say(json.encode({"ok": True, "folder": settings.archives, "archived": to_builtins(made)}).decode())
    else:
        lines = [f"{each.file}: facts {each.first} to {each.last}, {each.bytes} bytes" for each in made]
        none = f"no day is due: the last {settings.keep_days} stay, and any the broker was not told or a start needs"
        say("\n".join(map(printable, lines)) or none)
    return 0


def _archived(journal: SqliteJournal, settings: JournalSettings) -> list[FactsWereArchived]:
    table, made = Stopped(journal, archives=[settings.archives]), list[FactsWereArchived]()
    _let_go(journal)
    while (leaving := due(journal, settings.keep_days)) and table.state.filed:
        wanted = job(journal, settings.archives, table.state.filed.name, leaving)
        fact = prepare(wanted)
        publish(wanted, fact)
        table.archive(fact)
        _let_go(journal)
        made.append(fact)
    return made


def _let_go(journal: SqliteJournal) -> None:
    while journal.forget(TOGETHER):
        pass
