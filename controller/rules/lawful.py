"""Is this Rules Submission lawful? Reads the TOML strictly and holds it against the catalog, reporting all at once."""

import tomllib
from collections.abc import Iterator
from datetime import date
from typing import Any

from controller.rules import catalog
from controller.rules.errors import BadInputError
from controller.rules.fields import RULES_SUBMISSION, BareNumber, Fields, Finding
from controller.rules.lawful_link import read_link
from controller.rules.lawful_table import Seen, read_awards, read_table
from controller.rules.lawful_wagers import read_harmony, read_heavenly9, read_royal9
from controller.rules.submission import Checked, Submission

# Settings of the service, which live in the same file or in one beside it. They are no part of what is filed.
SERVICE_TABLES = ("devices", "button", "mqtt", "journal", "software", "console", "signage", "link")
# A layout for nine positions on one line takes 130 characters, and nothing filed nests deeper than three tables. Far
# above both, a file is refused before its size costs anything: TOML parsers are slow on long dotted keys.
MOST_LINE_CHARACTERS = 1000
MOST_DEPTH = 16


class UnreadableError(BadInputError):
    """Text that is no TOML; the message says where."""


def check(text: str, on: date) -> Checked:
    """What is wrong with a Rules Submission, and what to know about it on a day."""
    data = _parse(text)
    violations: list[Finding] = []
    warnings: list[Finding] = []
    file = Fields("", data, violations)
    table_fields, awards_fields = file.table("table"), file.table("awards", required=False)
    wagers = {name: file.table(name, required=False) for name in ("royal9", "harmony", "heavenly9")}
    service = {name: file.table(name, required=False) for name in SERVICE_TABLES}
    file.done()

    table = read_table(table_fields)
    awards = read_awards(awards_fields or Fields("awards", {}, violations))
    royal9 = read_royal9(wagers["royal9"], table, violations)
    harmony = read_harmony(wagers["harmony"], table, violations, warnings)
    heavenly9 = read_heavenly9(wagers["heavenly9"], table, violations)
    read_link(service["link"], table)
    offered = [name for name, fields in wagers.items() if fields is not None]
    warnings += _variant_warnings(table, offered)
    mysteries = {
        "royal9.mystery": royal9 and royal9.mystery,
        "heavenly9.must_hit_by": heavenly9 and heavenly9.must_hit_by,
    }
    warnings += _dates(table, offered, [(key, found) for key, found in mysteries.items() if found], on)
    if not offered:
        message = "no progressive wager is filed: [royal9], [harmony] and [heavenly9] are all absent"
        warnings.append(Finding("", None, RULES_SUBMISSION, message))
    submission = None
    if table.rules is not None and not violations:
        submission = Submission(table.rules, awards, royal9, harmony, heavenly9)
    return Checked(submission, tuple(violations), tuple(warnings))


def _parse(text: str) -> dict[str, Any]:
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > MOST_LINE_CHARACTERS:
            raise UnreadableError(
                f"no Rules Submission: line {number} is longer than {MOST_LINE_CHARACTERS} characters"
            )
    try:
        data = tomllib.loads(text, parse_float=BareNumber)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"not TOML: {error}") from error
    waiting: list[tuple[int, object]] = [(1, data)]
    while waiting:
        depth, value = waiting.pop()
        if depth > MOST_DEPTH:
            raise UnreadableError(f"no Rules Submission: its tables are nested deeper than {MOST_DEPTH}")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise UnreadableError("not TOML: a whole number in it does not fit 64 bits")
        children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        waiting += [(depth + 1, child) for child in children]
    return data


def _variant_warnings(table: Seen, offered: list[str]) -> Iterator[Finding]:
    """A variant with a list of permissible wagers does not name every progressive."""
    named = catalog.tables()["variants"].get(table.variant, {}).get("progressives")
    if named is None or table.game is None:
        return
    place = catalog.games(named).get(table.game)
    for name in offered:
        if name not in named["allowed"] and place is not None:
            message = (
                f"{name} is not among the wagers {place} lists for {table.variant}: ask the Board before offering it"
            )
            yield Finding(name, table.variant, str(place), message)


def _dates(
    table: Seen, offered: list[str], mysteries: list[tuple[str, catalog.Mystery]], on: date
) -> Iterator[Finding]:
    """Sections this submission stands on that are not in force on the day: expired, or not yet effective."""
    standing: list[tuple[str, catalog.Games]] = []
    if table.variant is not None:
        standing.append(("table.variant", catalog.games(catalog.tables()["variants"][table.variant])))
    every = list(catalog.wagers().values())
    standing += [(name, next(wager.games for wager in every if wager.name == name)) for name in offered]
    standing += [(key, mystery.games) for key, mystery in mysteries]
    told: set[str] = set()
    for key, games in standing:
        place = games.get(table.game or "")
        if place is None or place.section.id in told:
            continue
        section = place.section
        told.add(section.id)
        value = table.variant if key == "table.variant" else None
        if section.expires is not None and on >= section.expires:
            message = f"§ {section.id} ({section.title}, {section.source}) expired on {section.expires}; judged on {on}"
            yield Finding(key, value, f"§ {section.id}", message)
        elif section.effective is not None and on < section.effective:
            message = f"§ {section.id} ({section.title}) takes effect on {section.effective}; judged on {on}"
            yield Finding(key, value, f"§ {section.id}", message)
