"""`jackpotd link init`: makes a link's database ready, opens its meters, adds this table."""

import argparse
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from msgspec import json
from psycopg import conninfo

from controller.cli.link import Asked, connected
from controller.cli.output import say
from controller.link import reaching
from controller.link.chances import Sealed
from controller.link.opening import Done, initialise, let_in
from controller.rules.money import dollars

if TYPE_CHECKING:
    import psycopg
    from psycopg.rows import TupleRow


def run(options: argparse.Namespace, asked: Asked) -> int:
    """Do what is missing, and tell what was."""
    with _owner(options, asked) as connection:
        role = options.role or _controller(options, asked)
        chances = Sealed(asked.settings.name, asked.vault())
        done = initialise(connection, asked.settings.name, (asked.site, asked.table), asked.filings, chances)
        if role:
            let_in(connection, role)
            done = Done(done.link, done.table, done.from_version, done.version, done.meters, done.added, role)
    say(json.encode(done).decode() if options.json else "\n".join(_told(done)))
    return 0


def _owner(options: argparse.Namespace, asked: Asked) -> AbstractContextManager["psycopg.Connection[TupleRow]"]:
    """The database as whoever may change its tables; their password is libpq's own business."""
    if not options.dsn:
        return connected(asked)
    plain = asked.settings.allow_plain_text_over_the_network
    parts = reaching.refuse_unsafe(options.dsn, allow_plain_text=plain, key="--dsn")
    return reaching.opened(conninfo.make_conninfo("", **parts, application_name="jackpotd link"))


def _controller(options: argparse.Namespace, asked: Asked) -> str:
    """The role the controllers come as, where the owner is somebody else."""
    if not options.dsn:
        return ""
    mine, theirs = (conninfo.conninfo_to_dict(dsn).get("user") for dsn in (options.dsn, asked.settings.dsn))
    return str(theirs) if theirs and theirs != mine else ""


def _told(done: Done) -> Iterator[str]:
    """What was done, a line each."""
    if done.from_version == done.version:
        yield f"database: version {done.version} already"
    else:
        before = f"from version {done.from_version} " if done.from_version else ""
        yield f"database: brought {before}to version {done.version}"
    for each in done.meters:
        how = "opened at" if each.new else "open already, at"
        yield f"{each.meter}: {how} {dollars(each.display_cents)}"
        if each.commitment:
            yield f"  committed to {each.commitment}"
    yield f"{done.table}: {'added to' if done.added else 'a table already of'} the link {done.link}"
    if done.role:
        yield f"{done.role}: has the rights of a controller"
