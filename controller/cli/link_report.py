"""`jackpotd link report`: a gaming day of a link's meters, increase and decrease explained, table by table."""

import argparse
from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import json

from controller.cli.audit import columns, exact
from controller.cli.audit_report import as_dict, gaming_date, in_words
from controller.cli.link import Asked, connected
from controller.cli.link_audit import printable_lines
from controller.cli.output import say
from controller.core.times import stamp
from controller.engine import gaming_day
from controller.link.days import LinkDay, OfMeter, bounds, report
from controller.link.reading import snapshot


def run(options: argparse.Namespace, asked: Asked) -> int:
    """Tell what a day brought, the running one unless another is named; exit 1 where a single unit is not explained."""
    day = gaming_date(options.date) if options.date else ""
    with connected(asked) as connection, snapshot(connection, asked.settings.name) as ledger:
        running, _ = gaming_day(int(ledger.now().timestamp()) * 1_000_000, asked.timezone, asked.day_start)
        found = report(ledger, bounds(day or running, asked.timezone, asked.day_start))
    say(json.encode(_as_dict(found, asked)).decode() if options.json else printable_lines(_told(found, asked)))
    return 0 if found.ok else 1


def _as_dict(found: LinkDay, asked: Asked) -> dict[str, object]:
    begins, ends = (_utc(each) for each in (found.bounds.begins, found.bounds.ends))
    return {
        "date": found.bounds.day,
        "link": found.link,
        "timezone": asked.timezone,
        "day_start": asked.day_start,
        "ended": found.ended,
        "from": begins,
        "to": ends,
        "ok": found.ok,
        "meters": [_meter(each) for each in found.meters],
    }


def _utc(moment: datetime) -> str:
    return stamp(int(moment.timestamp()) * 1_000_000)


def _meter(each: OfMeter) -> dict[str, object]:
    return {
        **as_dict(each.day),
        "ok": each.ok,
        "flaw": each.flaw,
        "lines": {"first": each.first, "last": each.last, "hash": each.hash},
        "tables": [
            {
                "table": sums.table,
                "wagers": sums.wagers,
                "stakes_cents": sums.stakes_cents,
                "contributed_units": sums.contributed,
                "returned_units": sums.returned,
                "awarded_units": sums.awarded,
                "awards_returned_units": sums.awards_returned,
                "paid_units": sums.paid,
                "adjusted_units": sums.adjusted,
            }
            for sums in each.tables
        ],
    }


def _told(found: LinkDay, asked: Asked) -> Iterator[str]:
    until = "" if found.ended else ": the day so far, lines can still come into it"
    yield f"the link {found.link}, gaming day {found.bounds.day} from {asked.day_start} {asked.timezone}{until}"
    zone = ZoneInfo(asked.timezone)
    begins, ends = (each.astimezone(zone).strftime("%Y-%m-%d %H:%M") for each in found.bounds[1:])
    yield f"{begins} to {ends} there, by the clock of the server"
    for each in found.meters:
        yield ""
        yield from in_words(each.day)
        lines = f"lines {each.first} to {each.last}" if each.last >= each.first else "no line"
        yield f"  {lines}" + (f"; by its end the ledger stands at {each.last}:{each.hash}" if each.hash else "")
        rows = [["table", "wagers", "contributed", "returned", "awards", "awards back", "paid", "adjusted"]]
        for sums in each.tables:
            money = (sums.contributed, sums.returned, sums.awarded, sums.awards_returned, sums.paid, sums.adjusted)
            rows.append([sums.table, f"{sums.wagers:,}", *map(exact, money)])
        yield from (f"  {line}" for line in columns(rows, "lrrrrrrr") if each.tables)
        if each.flaw:
            yield f"  NOT WHOLE: {each.flaw}: what follows it is not in this report"
    if not found.ok:
        yield ""
        yield "NOT EXPLAINED: the ledger does not account for the readings: run `jackpotd link audit`"
