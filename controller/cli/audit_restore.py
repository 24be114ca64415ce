"""`jackpotd audit restore`: a journal and its archives put back into one plain SQLite file."""

import argparse
import json

from controller.cli.audit import printable
from controller.cli.output import say
from controller.journal.archive.restoring import restore
from controller.journal.reading import JournalReader


def answer(journal: JournalReader, options: argparse.Namespace) -> int:
    """Write the file, every fact proven on the way, and tell its head."""
    head = restore(journal, options.into)
    if options.json:
        told = {"into": options.into, "facts": head.seq, "head": {"seq": head.seq, "hash": head.hash.hex()}}
        say(json.dumps(told))
    else:
        say(printable(f"{options.into}: {head.seq} facts, head {head.seq}:{head.hash.hex()}"))
    return 0
