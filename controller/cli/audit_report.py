"""`jackpotd audit report`: a gaming day's readings, increase and decrease explained."""

import argparse
import json
import re
from datetime import date

from controller.cli.audit import columns, exact, printable
from controller.cli.output import say
from controller.explained import Account, MeterDay
from controller.journal.audit.days import Day, report
from controller.journal.reading import JournalReader
from controller.rules.errors import BadInputError
from controller.rules.money import UNITS_PER_CENT, dollars

_COUNTED = {"in_cents": "in", "hits": "hits", "wins_cents": "wins", "paid_cents": "paid by attendant"}


def answer(journal: JournalReader, options: argparse.Namespace) -> int:
    """Tell what a day brought; exit 1 where a single unit of it is not explained."""
    found = report(journal, gaming_date(options.date))
    say(json.dumps(_as_dict(found), indent=2) if options.json else _told(found))
    return 0 if all(meter.ok for meter in found.meters) else 1


def gaming_date(text: str) -> str:
    """A gaming day as it was typed."""
    refusal = BadInputError(f"--date {text!r}: write a gaming day as YYYY-MM-DD")
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is None:
        raise refusal
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise refusal from error


def _as_dict(found: Day) -> dict[str, object]:
    return {
        "date": found.day,
        "table": found.filed.name,
        "ended": found.ended,
        "timezone": found.filed.timezone,
        "day_start": found.filed.day_start,
        "from": {"seq": found.first, "at": found.begins},
        "to": {"seq": found.last, "at": found.ends},
        "ok": all(meter.ok for meter in found.meters),
        "meters": [as_dict(meter) for meter in found.meters],
    }


def as_dict(meter: MeterDay) -> dict[str, object]:
    """A meter over a day, as JSON has it."""
    return {
        "meter": meter.meter,
        "ok": meter.ok,
        "display": _account(meter.display),
        "reserve": _account(meter.reserve),
        "carry": _account(meter.carry),
        **{_key(name): {"opening": a, "closing": b} for name, (a, b) in meter.counters.items()},
    }


def _key(counter: str) -> str:
    return {"paid_cents": "paid_by_attendant_cents"}.get(counter, counter)


def _account(account: Account) -> dict[str, object]:
    return {
        "opening_units": account.opening,
        "closing_units": account.closing,
        "opening_cents": account.opening // UNITS_PER_CENT,
        "closing_cents": account.closing // UNITS_PER_CENT,
        "changes_units": account.changes,
        "unexplained_units": account.unexplained,
    }


def _told(found: Day) -> str:
    begins, ends = (found.local(at).strftime("%Y-%m-%d %H:%M:%S") for at in (found.begins, found.ends))
    until = "" if found.ended else ": the day so far, it has not ended"
    lines = [
        f"{found.filed.name}, gaming day {found.day} from {found.filed.day_start} {found.filed.timezone}{until}",
        f"facts {found.first} to {found.last}, {begins} to {ends} there",
    ]
    for meter in found.meters:
        lines += ["", *in_words(meter)]
    if not all(meter.ok for meter in found.meters):
        lines += ["", "NOT EXPLAINED: the facts of this day do not account for the readings: verify the journal"]
    return "\n".join(map(printable, lines))


def in_words(meter: MeterDay) -> list[str]:
    """A meter over a day, for people."""
    rows = [[meter.meter, ""], *_rows("display", meter.display)]
    for name, account in (("reserve", meter.reserve), ("carry", meter.carry)):
        if account.opening or account.closing or account.changes:
            rows += _rows(name, account)
    for name, (before, after) in meter.counters.items():
        money = name != "hits"
        told = f"{dollars(before)} to {dollars(after)}" if money else f"{before} to {after}"
        rows.append([f"  {_COUNTED[name]}", told])
    return columns(rows, "lr")


def _rows(name: str, account: Account) -> list[list[str]]:
    rows = [[f"  {name} at the beginning", exact(account.opening)]]
    rows += [[f"    {why}", f"{'+' if amount > 0 else ''}{exact(amount)}"] for why, amount in account.changes.items()]
    rows += [[f"  {name} at the end", exact(account.closing)]]
    if account.unexplained:
        rows += [["    NOT EXPLAINED", exact(account.unexplained)]]
    return rows
