"""`jackpotd operators`: the people who may sign in at a table; here on its journal, the controller stopped."""

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from getpass import getpass
from pathlib import Path
from uuid import uuid4

from msgspec import json

from controller.cli.audit import columns, printable
from controller.cli.output import say
from controller.clock import WallClock
from controller.core.inputs import OperatorChanged, Person
from controller.core.operators import locked_ms, supervisors
from controller.core.times import stamp
from controller.journal.errors import JournalBusyError, JournalError
from controller.journal.sqlite import SqliteJournal
from controller.people.pepper import read_pepper
from controller.people.pins import MOST_DIGITS, Pins, refuse_bad_form
from controller.people.signing_in import NotLetIn, SigningIn
from controller.people.stopped import Stopped
from controller.people.tokens import Tokens
from controller.rules.errors import BadInputError

CLIENT = "offline"  # as the record names where someone signed in
_MOST_LINE = 4 * MOST_DIGITS  # characters of a line with a PIN: anything longer is no PIN, and is not read further


class NoError(Exception):
    """The answer is no."""


def run(options: argparse.Namespace) -> int:
    """Do what was asked: with the controller stopped on its journal, otherwise by asking the controller."""
    try:
        return _offline(options) if options.offline else _online(options)
    except NoError as no:
        print(f"jackpotd operators: {printable(str(no))}", file=sys.stderr)
        return 1


def _online(options: argparse.Namespace) -> int:
    from controller.cli import operators_online  # noqa: PLC0415 -- what knows MQTT is loaded only where it is used

    return operators_online.run(options)


def _offline(options: argparse.Namespace) -> int:
    for name in ("journal", "pepper"):
        if not getattr(options, name, "nothing that this action takes"):
            raise BadInputError(f"--{name} FILE is needed with --offline")
    refuse_wrong_place(Path(options.journal), begins=options.action == "add")
    try:
        with SqliteJournal(options.journal) as journal:
            return asyncio.run(_ACTIONS[options.action](options, journal))
    except JournalBusyError as error:
        raise BadInputError(printable(f"the controller is not stopped: {error}")) from error
    except JournalError as error:
        raise BadInputError(printable(str(error))) from error


def refuse_wrong_place(path: Path, *, begins: bool) -> None:
    """Refuse a path without a journal, and a user whose files the service could not open afterwards."""
    # A mistyped path must not begin a journal; only the first supervisor may come before there is one.
    if not begins and not path.exists():
        raise BadInputError(f"{path} is not there: name the journal of a table")
    owned = path if path.exists() else path.absolute().parent
    owner = owned.stat().st_uid
    if owner != os.geteuid():
        raise BadInputError(f"{owned} belongs to user {owner}: do this as that user, such as with `sudo -u '#{owner}'`")


async def _add(options: argparse.Namespace, journal: SqliteJournal) -> int:
    table, pins = Stopped(journal, archives=options.archives), Pins(journal, read_pepper(Path(options.pepper)))
    before = table.state.operators.get(options.operator)
    people = await _signed_in(options, table, pins), await _second(options, table, pins)
    pin = new_pin(options.operator)
    await _change(table, options.operator, options.name, options.role, people, active=True)
    await pins.keep(options.operator, pin, stamp(WallClock().now()))
    what = "changed" if before is not None and before.active else "added"
    tell(options, f"{options.operator} ({options.name}) is {what}: {options.role}", what)
    return 0


async def _disable(options: argparse.Namespace, journal: SqliteJournal) -> int:
    table, pins = Stopped(journal, archives=options.archives), Pins(journal, read_pepper(Path(options.pepper)))
    known = table.state.operators.get(options.operator)
    if known is None:
        raise NoError(f"there is no operator {options.operator!r}: `jackpotd operators list` shows who there is")
    people = await _signed_in(options, table, pins), None
    await _change(table, options.operator, known.name, known.role, people, active=False)
    pins.drop(options.operator)
    tell(options, f"{options.operator} ({known.name}) can sign in no more", "disabled")
    return 0


async def _list(options: argparse.Namespace, journal: SqliteJournal) -> int:
    state, now = Stopped(journal, archives=options.archives).state, stamp(WallClock().now())
    listed = [
        {
            "operator": id_,
            "name": each.name,
            "role": each.role,
            "active": each.active,
            "locked_out": locked_ms(state, id_, now) > 0,
            "pin_changed_at": pin.changed_at if (pin := journal.pin(id_)) else None,
        }
        for id_, each in sorted(state.operators.items())
    ]
    listing(options, listed)
    return 0


def listing(options: argparse.Namespace, listed: Sequence[Mapping[str, object]]) -> None:
    """Tell who may sign in."""
    if options.json:
        say(json.encode({"operators": listed}).decode())
    elif not listed:
        say("Nobody may sign in yet. Add the first supervisor: jackpotd operators add --offline.")
    else:
        rows = [["ID", "NAME", "ROLE", "", "PIN SINCE"]]
        for each in listed:
            standing = "disabled" if not each["active"] else "locked out" if each["locked_out"] else ""
            rows.append([*(str(each[key]) for key in ("operator", "name", "role")), standing])
            rows[-1].append(str(each["pin_changed_at"] or "-"))
        say(printable_lines(columns(rows, "lllll")))


_ACTIONS = {"add": _add, "list": _list, "disable": _disable}


def printable_lines(lines: list[str]) -> str:
    """Lines that hold only what can be printed."""
    return "\n".join(map(printable, lines))


async def _change(  # noqa: PLR0913 -- an operator, and who changes it
    table: Stopped, operator: str, name: str, role: str, people: tuple[Person | None, Person | None], *, active: bool
) -> None:
    at, (by, second) = stamp(WallClock().now()), people
    changed = OperatorChanged(
        at=at, key=str(uuid4()), operator=operator, name=name, role=role, active=active, by=by, second=second
    )
    answer = await table.submit(changed)
    if answer.refusal == "bad-request":
        raise BadInputError(printable(answer.why))
    if not answer.ok:
        raise NoError(answer.why)


async def _signed_in(options: argparse.Namespace, table: Stopped, pins: Pins) -> Person | None:
    """The supervisor who does this; nobody only while there is no supervisor."""
    if options.by is None:
        if supervisors(table.state):
            raise BadInputError("there is a supervisor already: name the one who does this with --by ID")
        return None
    return await _person(options.by, table, pins)


async def _second(options: argparse.Namespace, table: Stopped, pins: Pins) -> Person | None:
    """The other supervisor, where two sign."""
    return await _person(options.second, table, pins) if options.second else None


async def _person(id_: str, table: Stopped, pins: Pins) -> Person:
    pin = asked(f"PIN of {id_}: ")
    session = await SigningIn(table, pins, Tokens(), WallClock()).login(id_, pin, CLIENT)
    if isinstance(session, NotLetIn):
        raise NoError(f"{id_}: {session.message}")
    return session.person


def new_pin(operator: str) -> str:
    """A new PIN: typed twice at a terminal, or one line of standard input."""
    pin = asked(f"New PIN for {operator}: ")
    refuse_bad_form(pin)
    if sys.stdin.isatty() and asked("The same again: ") != pin:
        raise BadInputError("the two PINs are not the same: nothing was changed, begin again")
    return pin


def asked(prompt: str) -> str:
    """What someone types unseen at a terminal, or one line of standard input."""
    if sys.stdin.isatty():
        return getpass(printable(prompt))
    return sys.stdin.readline(_MOST_LINE).rstrip("\r\n")


def tell(options: argparse.Namespace, sentence: str, what: str) -> None:
    """Say what was done."""
    told = {"ok": True, "operator": options.operator, "done": what}
    say(json.encode(told).decode() if options.json else printable(sentence))
