"""A table's journal held against the link's ledger, intent by intent: everything once, and nothing else."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import MsgspecError, Struct, json

from controller.link.journaled import Asked, Journaled, Told
from controller.link.lines import Line
from controller.link.proving import Row
from controller.link.sums import Flows, UnknownMoveError, flows
from controller.rules.money import UNITS_PER_CENT


class Compared(Struct):
    """What comparing one table's journal found, in units."""

    table: str
    facts: int = 0
    asked: int = 0
    applied: int = 0
    answered: int = 0
    journal_units: int = 0  # what the table has with the link, by its journal
    ledger_units: int = 0  # by the ledger
    under_way_units: int = 0  # between the two, and named
    differences: list[str] = []
    under_way: list[str] = []

    @property
    def difference_units(self) -> int:
        """What nothing explains."""
        return self.journal_units - self.ledger_units - self.under_way_units


def compare(journaled: Journaled, lines: Iterable[tuple[str, Row]], last: Mapping[str, int], settled: int) -> Compared:
    """Hold a journal against the lines of its table.

    `last` is the last line of each meter when the ledger was read; `settled` the last fact the journal had before that:
    of what it was answered later, the ledger as read knows nothing yet.
    """
    table = journaled.table.rpartition("/")[2]
    found = Compared(journaled.table, journaled.facts, len(journaled.asked), 0, len(journaled.told), journaled.balance)
    applied: set[str] = set()
    for meter, row in lines:
        found.applied += 1
        applied.add(row.intent)
        try:
            line = json.decode(row.payload, type=Line)
            flowed = flows(meter, line.moves)
        except (MsgspecError, UnknownMoveError) as error:
            found.differences.append(f"line {row.seq} of {meter}: {error}")
            continue
        asked, told = journaled.asked.get(row.intent), journaled.told.get(row.intent)
        where = f"line {row.seq} of {meter}"
        if asked is None:
            why = "its journal is an older copy, or the line was forged"
            found.differences.append(f"{where}: {table} never asked for {row.intent}: {why}")
            found.ledger_units += _left_with_link(flowed)
            continue
        found.differences += [f"{where}: {why}" for why in _mismatches(asked, meter, row, line, flowed)]
        found.ledger_units += _left_with_link(flowed)
        if told is None:
            why = f"{table} abandoned {row.intent}" if row.intent in journaled.abandoned else ""
            found.under_way.append(f"{where}: {why or f'the journal of {table} has no answer yet'}")
            if row.kind != "resplit":  # of which the journal has all since it was asked
                found.under_way_units += flowed.awarded + flowed.returned - flowed.adjusted
        else:
            found.differences += [f"{where}: {why}" for why in _mistold(asked, told, row, line, flowed)]
    _without_lines(found, journaled, applied, last, settled)
    if found.difference_units and not found.differences:
        found.differences.append(f"{table}: {money(found.difference_units)} between its journal and the ledger")
    return found


def _left_with_link(flowed: Flows) -> int:
    """What a line changes in what the table has with the link."""
    return flowed.contributed - flowed.awarded + flowed.awards_returned - flowed.returned + flowed.adjusted


def _back(asked: Asked, line: Line) -> int:
    """What of a reversed contribution the table takes from the link: never more than it gave."""
    return min(line.returned_units, asked.intent.units)


def _mismatches(asked: Asked, meter: str, row: Row, line: Line, flowed: Flows) -> Iterator[str]:
    """How a line differs from what was asked."""
    intent = asked.intent
    for name, mine, theirs in (
        ("meter", intent.meter, meter),
        ("kind", intent.kind, row.kind),
        ("round", intent.round, row.round),
        ("wagers", intent.stakes, line.stakes),
        ("positions", intent.positions, line.positions),
        ("outcome", intent.outcome, line.outcome),
        ("shares", intent.split, line.split),
        ("cents", intent.cents, line.cents),
        ("expected cents", intent.expected_cents, line.expected_cents),
    ):
        if mine != theirs:
            yield f"{intent.id} was asked with {name} {mine}, and applied with {theirs}"
    given = {
        "contribute": flowed.contributed,
        "unwind": flowed.awards_returned,
        "resplit": flowed.awards_returned - flowed.awarded,
    }.get(intent.kind, 0)
    if asked.units != given:
        yield f"{intent.id} gave {money(asked.units)}, and {money(given)} was applied"


def _mistold(asked: Asked, told: Told, row: Row, line: Line, flowed: Flows) -> Iterator[str]:
    """How an answer differs from the line it is of."""
    table = asked.intent.table.rpartition("/")[2]
    if (told.ledger_seq, told.ledger_hash) != (row.seq, row.hash.hex()):
        yield (
            f"it is not the one {table} was told of (in fact {told.seq}: line {told.ledger_seq}, {told.ledger_hash}): "
            "the ledger was changed"
        )
    if told.display_cents != line.after.units // UNITS_PER_CENT:
        yield f"{table} was told of {told.display_cents} cents on the meter"
    won = tuple(sorted((each.position, each.amount_cents) for each in line.hits if each.amount_cents))
    if told.won != won:
        yield f"{table} was told of awards (position, cents) {told.won}, the line has {won}"
    if told.returned != _back(asked, line):
        yield f"{table} took {money(told.returned)} back, the line has {money(line.returned_units)}"
    if (told.adjusted, told.refusal) != (flowed.adjusted, line.refusal):
        mine, theirs = (
            f"{money(units)} {refusal}"
            for units, refusal in ((told.adjusted, told.refusal), (flowed.adjusted, line.refusal))
        )
        yield f"{table} adjusted by {mine}, the line by {theirs}"


def _without_lines(
    found: Compared, journaled: Journaled, applied: set[str], last: Mapping[str, int], settled: int
) -> None:
    """What was asked and is in no line: under way, or lost."""
    table = journaled.table.rpartition("/")[2]
    lost: dict[str, list[int]] = {}
    for id_, asked in journaled.asked.items():
        if id_ in applied:
            continue
        intent, told = asked.intent, journaled.told.get(id_)
        what = f"{table} round {intent.round}: {intent.kind} of {intent.meter}"
        if told is None or told.seq > settled:
            worth = f" {money(asked.units)}" if asked.units else ""
            fate = "abandoned" if id_ in journaled.abandoned else "asked"
            found.under_way.append(f"{what} {fate}, not yet applied{worth}")
            found.under_way_units += asked.units
            if told is not None:  # answered while the ledger was read
                found.under_way_units -= sum(cents for _, cents in told.won) * UNITS_PER_CENT + told.returned
                found.under_way_units += told.adjusted
        elif told.ledger_seq > last.get(intent.meter, 0):
            lost.setdefault(intent.meter, []).append(told.ledger_seq)
        else:
            found.differences.append(f"{what} was answered with line {told.ledger_seq}, which is another's")
    for meter, seqs in lost.items():
        number = f"{len(seqs)} line{'s' if len(seqs) > 1 else ''}"
        found.differences.append(
            f"the journal of {table} has {number} of {meter} the ledger has not ({min(seqs)} to {max(seqs)}): the "
            "database was set back"
        )


def money(units: int) -> str:
    """Units as people read them: dollars, and as many decimals as it takes."""
    whole, rest = divmod(abs(units), 10**8)
    decimals = f"{rest:08}".rstrip("0").ljust(2, "0")
    return f"{'-' if units < 0 else ''}${whole:,}.{decimals}"
