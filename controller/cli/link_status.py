"""`jackpotd link status`: how a link is now."""

import argparse
from collections.abc import Iterator

from msgspec import json

from controller.cli.audit import columns, exact
from controller.cli.link import Asked, connected
from controller.cli.link_audit import printable_lines
from controller.cli.output import say
from controller.link.sessions import LinkLostError
from controller.link.status import Newest, Status, TableStatus, status
from controller.rules.money import dollars

THERE, NOT_THERE = 0, 1


def run(options: argparse.Namespace, asked: Asked) -> int:
    """Look, and tell; exit 1 where the link is not there, or controllers would refuse its server."""
    try:
        with connected(asked) as connection:
            found = status(connection, asked.settings)
    except LinkLostError as error:
        gone = {"ok": False, "link": asked.settings.name, "reason": str(error)}
        say(json.encode(gone).decode() if options.json else f"the link {asked.settings.name} is not there: {error}")
        return NOT_THERE
    say(json.encode(found).decode() if options.json else printable_lines(_told(found)))
    return THERE if found.ok else NOT_THERE


def _told(found: Status) -> Iterator[str]:
    for why in found.flaws:
        yield f"NOT DURABLE: {why}"
    for meter in found.meters:
        beside = f", reserve {exact(meter.reserve_units)}" if meter.reserve_units else ""
        beside += f", carry {exact(meter.carry_units)}" if meter.carry_units else ""
        yield f"{meter.meter}: {dollars(meter.display_cents)} in cycle {meter.cycle}{beside}; {meter.lines} lines"
        for hit in meter.hits:
            where = f"{hit.table} round {hit.round}, position {', '.join(map(str, hit.positions))}"
            yield f"  hit not settled: {dollars(hit.amount_cents)} at {where}, {hit.at}"
    rows = [["table", "session", "meter", "line", "last", "round", "contributed", "ago"]]
    for table in found.tables:
        rows += [[*_session(table, first=not number), *_newest(each)] for number, each in enumerate(table.meters)]
    yield from columns(rows, "lllrlrlr")
    for standby in found.standbys:
        lag = "unknown" if standby.lag_bytes is None else f"{standby.lag_bytes:,} bytes"
        yield f"standby {standby.name}: {standby.state}, {standby.sync_state}, behind by {lag}"
    if not found.standbys:
        yield "no standby follows this server, or this user may not see it"
    yield f"PostgreSQL {', '.join(f'{name} {value or chr(8211)}' for name, value in found.server.items())}"


def _session(table: TableStatus, *, first: bool) -> list[str]:
    if not first:
        return ["", ""]
    return [table.table, (f"since {table.since}" if table.since else "active") if table.active else "none"]


def _newest(each: Newest) -> list[str]:
    if each.seq is None:
        return [each.meter, "", "nothing yet", "", "", ""]
    age = "" if each.contributed_age_s is None else f"{each.contributed_age_s:,} s"
    return [each.meter, f"{each.seq:,}", each.kind or "", f"{each.round}", each.contributed_at or "", age]
