"""`jackpotd audit reveal`: a mystery value held against the commitment published at its draw."""

import argparse
import json

from controller.cli.audit import printable
from controller.cli.output import say
from controller.journal.audit.awards import find
from controller.journal.audit.reveals import Checked, reveal
from controller.journal.reading import JournalReader
from controller.rules.money import dollars


def answer(journal: JournalReader, options: argparse.Namespace) -> int:
    """Say whether the value is the one that was committed to; exit 1 where it is not."""
    found = reveal(journal, find(journal, options.hit))
    say(json.dumps(_as_dict(found), indent=2) if options.json else _told(found))
    return 0 if found.match else 1


def _as_dict(found: Checked) -> dict[str, object]:
    drawn = found.published
    return {
        "hit": found.won.hit.id,
        "table": found.table,
        "meter": found.won.meter,
        "cycle": found.reveal.cycle,
        "value_cents": found.reveal.value_cents,
        "nonce": found.reveal.nonce,
        "commitment": found.promised,
        "published": drawn and {"seq": drawn.seq, "at": drawn.at},
        "recomputed": found.recomputed,
        "match": found.match,
    }


def _told(found: Checked) -> str:
    drawn = found.published
    where = f"fact {drawn.seq}, {drawn.at}" if drawn else "by the link that keeps the meter"
    lines = [
        f"{found.won.hit.id}: {found.won.meter} at {found.table}, cycle {found.reveal.cycle}",
        f"commitment  {found.promised}  (published: {where})",
        f"value       {dollars(found.reveal.value_cents)}",
        f"nonce       {found.reveal.nonce}",
        f"recomputed  {found.recomputed or 'nothing: no value and nonce can be so'}",
        "they match" if found.match else "THEY DO NOT MATCH: this is not the value that was committed to",
    ]
    return "\n".join(map(printable, lines))
