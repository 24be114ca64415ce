"""`jackpotd audit derive`: how an amount came about, contribution by contribution."""

import argparse
import json
from itertools import accumulate

from controller.cli.audit import columns, exact, printable
from controller.cli.audit_hits import as_dict
from controller.cli.output import say
from controller.journal.audit.awards import find
from controller.journal.audit.derivation import Derivation, Line, derive
from controller.journal.reading import JournalReader
from controller.rules.money import dollars, percent

_HEADING = ["fact", "at", "what", "round", "position", "wager", "stake", "rate", "dollars", "total"]


def answer(journal: JournalReader, options: argparse.Namespace) -> int:
    """Tell every step to an amount; exit 1 where they do not lead there."""
    found = derive(journal, find(journal, options.hit))
    say(json.dumps(_as_dict(found), indent=2) if options.json else _told(found))
    return 0 if found.ok else 1


def _totals(found: Derivation) -> list[int]:
    return list(accumulate(line.units for line in found.lines))


def _as_dict(found: Derivation) -> dict[str, object]:
    lines = []
    for line, total in zip(found.lines, _totals(found), strict=True):
        told = {name: value for name, value in line._asdict().items() if value is not None}
        if line.rate is not None:
            told["rate_millionths"] = told.pop("rate")
        lines.append({**told, "total_units": total})
    return {
        **as_dict(found.won),
        "lines": lines,
        "total_units": found.total,
        "remainder_units": found.remainder,
        "ok": found.ok,
    }


def _told(found: Derivation) -> str:
    hit, meter = found.won.hit, found.won.meter
    rows = [_HEADING, *(_row(line, total) for line, total in zip(found.lines, _totals(found), strict=True))]
    lines = [f"{hit.id}: {meter}, round {hit.round}, {dollars(hit.amount_cents)}, {found.won.fate}", ""]
    lines += columns(rows, "rllrrlrrrr")
    lines += ["", f"{meter} held {exact(found.total)}: the jackpot is {dollars(hit.amount_cents)}, {_rest(found)}"]
    lines += [
        f"award {each.id}, position {each.position}: {dollars(each.amount_cents)}, {each.fate}, "
        f"from {found.won.paid_from}"
        for each in found.won.awards
    ]
    if not found.ok:
        lines.append(f"NOT EXPLAINED: the lines do not add up to {dollars(hit.amount_cents)}: verify the journal")
    return "\n".join(map(printable, lines))


def _rest(found: Derivation) -> str:
    if found.won.paid_from == "house:late":
        return "paid by house:late because the meter had been hit since"
    return f"{exact(found.remainder)} stays" if found.remainder else "nothing stays"


def _row(line: Line, total: int) -> list[str]:
    stake = "" if line.stake_cents is None else dollars(line.stake_cents)
    rate = "" if line.rate is None else percent(line.rate)
    place = ["" if each is None else str(each) for each in (line.round, line.position, line.wager)]
    return [str(line.seq), line.at, line.what, *place, stake, rate, exact(line.units), exact(total)]
