"""`jackpotd link audit`: whether a link adds up, line by line and table by table."""

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from msgspec import MsgspecError, json

from controller.cli.audit import columns, exact, printable
from controller.cli.link import Asked, connected
from controller.cli.output import say
from controller.core.facts import Fact, UnreadableFactError, decode
from controller.journal.archive.whole import whole
from controller.journal.chain import sound
from controller.journal.errors import JournalCorruptError, JournalError
from controller.journal.reading import JournalReader, open_readonly
from controller.journal.rows import EMPTY
from controller.link.audit import Audit, Given, MeterSum, audit
from controller.link.journaled import Journaled
from controller.link.reading import snapshot
from controller.rules.errors import BadInputError

_ALWAYS = (b"link-answered", b"submission-filed")


def run(options: argparse.Namespace, asked: Asked) -> int:
    """Add the link up and tell; exit 1 where something does not fit, and name it."""
    try:
        with ExitStack() as stack:
            opened = (open_readonly(path, archives=options.archives) for path in options.journal)
            journals = [stack.enter_context(journal) for journal in opened]
            # What the journals were answered up to here, the ledger must have: it is looked at after them.
            settled = [journal.head().seq for journal in journals]
            connection = stack.enter_context(connected(asked))
            ledger = stack.enter_context(snapshot(connection, asked.settings.name))
            found = audit(ledger, *journaled(asked.settings.name, journals, settled, ledger.tables))
    except JournalError as error:
        raise BadInputError(printable(str(error))) from error
    say(json.encode(_as_dict(found)).decode() if options.json else printable_lines(_told(found)))
    return 0 if found.ok else 1


def journaled(
    link: str, journals: list[JournalReader], settled: list[int], tables: list[str]
) -> tuple[dict[str, Given], list[str]]:
    """What each journal says, by table; and which are not whole."""
    found: dict[str, Given] = {}
    unread: list[str] = []
    for journal, last in zip(journals, settled, strict=True):
        said = Journaled(link)
        try:
            for seq, fact in _facts(journal, link):
                said.take(seq, fact)
        except JournalCorruptError as error:
            unread.append(f"{journal.path} is not whole, and was not compared: {error}")
            continue
        if said.table not in tables:
            whose = f"of {said.table}, which is no table of the link {link}" if said.table else "of no table"
            raise BadInputError(f"{journal.path} is the journal {whose}: leave it out")
        if said.table in found:
            raise BadInputError(f"{journal.path} is another journal of {said.table}: name one of them")
        found[said.table] = Given(said, last)
    return found, unread


def _facts(journal: JournalReader, link: str) -> Iterator[tuple[int, Fact]]:
    """The facts of a journal that concern a link, the chain proven on the way."""
    marks = (b'"intents":', f'"link:{link}"'.encode())
    row: Any  # of the types its shape says, which `sound` has looked at
    for row in sound(whole(journal), EMPTY):
        seq, _, _, name, version, payload, _, _ = row
        if bytes(name) in _ALWAYS or any(mark in payload for mark in marks):
            try:
                yield seq, decode(name.decode(), version, payload.decode())
            except (UnreadableFactError, MsgspecError, UnicodeDecodeError) as error:
                raise JournalCorruptError(f"{journal.path}: fact {seq} cannot be read: {error}", seq) from error
    journal.check_unchanged()


def printable_lines(lines: Iterator[str]) -> str:
    """Lines of a database that may hold anything."""
    return "\n".join(map(printable, lines))


# -- as JSON --


def _as_dict(found: Audit) -> dict[str, object]:
    return {
        "ok": found.ok,
        "link": found.link,
        "meters": [_meter(each) for each in found.meters],
        "journals": [
            {
                "table": each.table,
                "facts": each.facts,
                "asked": each.asked,
                "applied": each.applied,
                "answered": each.answered,
                "journal_units": each.journal_units,
                "ledger_units": each.ledger_units,
                "under_way_units": each.under_way_units,
                "difference_units": each.difference_units,
            }
            for each in found.compared
        ],
        "not_compared": found.not_compared,
        "differences": found.differences,
        "under_way": found.under_way,
    }


def _meter(each: MeterSum) -> dict[str, object]:
    proof, state = each.proof, each.proof.stored.state
    return {
        "meter": proof.stored.meter,
        "lines": proof.seq,
        "head": {"seq": proof.seq, "hash": proof.hash.hex()},
        "first_bad": proof.bad and proof.bad._asdict(),
        "opened_units": proof.opened_units,
        "contributed_units": each.flows.contributed,
        "returned_units": each.flows.returned,
        "awarded_units": each.flows.awarded,
        "awards_returned_units": each.flows.awards_returned,
        "seeded_units": each.flows.seeded,
        "adjusted_units": each.flows.adjusted,
        "display_units": state.units,
        "reserve_units": state.reserve,
        "carry_units": state.carry,
        "difference_units": each.difference,
        "tables": [
            {
                "table": sums.table,
                "lines": sums.lines,
                "wagers": sums.wagers,
                "stakes_cents": sums.stakes_cents,
                "contributed_units": sums.contributed,
                "returned_units": sums.returned,
                "awarded_units": sums.awarded,
                "awards_returned_units": sums.awards_returned,
                "paid_units": sums.paid,
                "pending_units": sums.pending,
                "adjusted_units": sums.adjusted,
            }
            for sums in sorted(proof.tables.values(), key=lambda sums: sums.table)
        ],
    }


# -- for people --


def _told(found: Audit) -> Iterator[str]:
    for each in found.meters:
        yield from _meter_told(each)
    for compared in found.compared:
        fits = "its journal and the ledger agree" if not compared.differences else "its journal and the ledger DIFFER"
        counts = f"{compared.asked} asked, {compared.applied} applied, {compared.answered} answered"
        yield f"{compared.table}: {fits}: {counts}; difference {exact(compared.difference_units)}"
    for table in found.not_compared:
        yield f"{table}: not compared: give its journal with --journal"
    if found.under_way:
        yield "under way, and no difference:"
        yield from (f"  {what}" for what in found.under_way)
    if found.differences:
        yield "DIFFERENCES:"
        yield from (f"  {why}" for why in found.differences)
    yield f"the link {found.link} {'adds up' if found.ok else 'does NOT add up'}"


def _meter_told(each: MeterSum) -> Iterator[str]:
    proof, flows, state = each.proof, each.flows, each.proof.stored.state
    yield f"{proof.stored.meter}: {proof.seq} lines, head {proof.seq}:{proof.hash.hex()}"
    rows = [["table", "wagers", "contributed", "returned", "awards", "awards back", "adjusted"]]
    rows += [
        [
            sums.table,
            f"{sums.wagers:,}",
            *map(exact, (sums.contributed, sums.returned, sums.awarded, sums.awards_returned, sums.adjusted)),
        ]
        for sums in sorted(proof.tables.values(), key=lambda sums: sums.table)
    ]
    yield from (f"  {line}" for line in columns(rows, "lrrrrrr"))
    parts = [
        ["opened by the house", exact(proof.opened_units)],
        ["+ seeds and top-ups, less those returned", exact(flows.seeded)],
        ["+ contributions of all tables", exact(flows.contributed)],
        ["- contributions returned", exact(flows.returned)],
        ["- awards", exact(flows.awarded)],
        ["+ awards returned", exact(flows.awards_returned)],
        ["+ adjustments, less those out of it", exact(flows.adjusted)],
        ["= meter", exact(state.units)],
        ["  reserve", exact(state.reserve)],
        ["  carry", exact(state.carry)],
        ["  difference", "not known" if each.difference is None else exact(each.difference)],
    ]
    yield from (f"  {line}" for line in columns(parts, "lr"))
