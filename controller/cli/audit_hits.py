"""`jackpotd audit hits`: every hit of a journal, the newest last."""

import argparse
import json

from controller.cli.audit import columns, printable
from controller.cli.output import say
from controller.journal.audit.awards import Won, hits
from controller.journal.reading import JournalReader
from controller.rules.money import dollars


def answer(journal: JournalReader, options: argparse.Namespace) -> int:
    """List the hits."""
    found = hits(journal)
    if options.json:
        say(json.dumps({"hits": [as_dict(won) for won in found]}, indent=2))
    elif not found:
        say("no meter was hit yet")
    else:
        rows = [["hit", "at", "meter", "round", "positions", "amount", "fate"], *map(_row, found)]
        say("\n".join(columns(rows, "lllrlrl")))
    return 0


def _row(won: Won) -> list[str]:
    hit = won.hit
    fate = won.fate if won.hit.from_meter else f"{won.fate}, by {won.paid_from}"
    positions = " ".join(str(award.position) for award in won.awards)
    cells = [hit.id, hit.at, won.meter, str(hit.round), positions, dollars(hit.amount_cents), fate]
    return list(map(printable, cells))


def as_dict(won: Won) -> dict[str, object]:
    """A hit as JSON has it."""
    hit = won.hit
    told: dict[str, object] = {
        "hit": hit.id,
        "seq": hit.seq,
        "at": hit.at,
        "meter": won.meter,
        "kind": won.kind,
        "round": hit.round,
        "amount_cents": hit.amount_cents,
        "fate": won.fate,
        "paid_from": won.paid_from,
        "awards": [
            {"award": each.id, "position": each.position, "amount_cents": each.amount_cents, "fate": each.fate}
            for each in won.awards
        ],
    }
    if hit.reveal:
        told["reveal"] = {name: getattr(hit.reveal, name) for name in hit.reveal.__struct_fields__}
    return told
