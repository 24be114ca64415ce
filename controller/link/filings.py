"""What a table files for its link, and whether all tables of the link file the same."""

from collections.abc import Iterator

from msgspec.structs import asdict

from controller.core.filed import Filed
from controller.link.sessions import Filing

# The keys of a configuration that decide each number of a meter.
_KEYS = {
    "harmony": {
        "initial_cents": "harmony.seed",
        "reset_cents": "harmony.minimum_reseed",
        "rate": "harmony.rate",
        "reserve_rate": "harmony.reserve_rate",
    },
    "heavenly9": {},  # its numbers are the law's own
    "must-hit-by": dict.fromkeys(("initial_cents", "reset_cents", "rate", "maximum_cents"), "heavenly9.must_hit_by"),
}


def filings(files: Filed, link: str) -> dict[str, Filing]:
    """The meters of a table that a link keeps, as the table files them."""
    return {
        meter.id: Filing(wager.id, wager.stake_cents, meter)
        for wager in files.wagers.values()
        for meter in wager.meters
        if meter.link == link
    }


def differences(theirs: Filing, mine: Filing) -> Iterator[tuple[str, object, object]]:
    """The keys of a configuration in which a table differs from the others of its link, and both values."""
    name = mine.wager.partition("/")[0]
    if theirs.wager != mine.wager:
        yield f"{name}.paytable", theirs.wager, mine.wager
    if theirs.stake_cents != mine.stake_cents:
        yield f"{name}.denomination", f"{theirs.stake_cents} cents", f"{mine.stake_cents} cents"
    numbers, others = asdict(mine.meter.filing), asdict(theirs.meter.filing)
    for field, value in numbers.items():
        if others[field] != value:
            key = _KEYS.get(mine.meter.id, {}).get(field, f"{mine.meter.id}.{field}")
            yield key, f"{field} {others[field]}", f"{field} {value}"
    if (theirs.meter.kind, theirs.meter.floor_cents) != (mine.meter.kind, mine.meter.floor_cents):
        yield f"{name}", "another kind of meter", mine.meter.kind


def told(theirs: Filing, mine: Filing, link: str) -> str:
    """Why a table cannot share a meter, naming the keys and the remedy; empty where it can."""
    found = [f"{key} ({other} there, {own} here)" for key, other, own in differences(theirs, mine)]
    if not found:
        return ""
    return (
        f"{', '.join(found)}: all tables of the link {link} file the same for {mine.meter.id}: file here what they "
        "file, or leave this table's meter out of link.meter"
    )
