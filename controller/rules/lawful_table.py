"""The tables [table] and [awards] of a Rules Submission, held against the catalog."""

import re
from typing import NamedTuple
from zoneinfo import ZoneInfo

from controller.rules import catalog
from controller.rules.fields import Fields
from controller.rules.submission import AwardRules, TableRules

# Site and table name topics and commitments: no separators, no wild cards, short enough for any broker.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
# A place, or UTC: names like localtime or right/… mean something else on another box.
_ZONE = re.compile(r"[A-Z][A-Za-z_]+(/[A-Za-z0-9_+-]+)+|UTC")
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
# More than any baccarat table seats; where no section in the catalog sets a limit, this one catches a slip of the pen.
POSITIONS_MOST = 16
# A floorperson remembers the last few hands, not the shoe before: older ones take a supervisor and surveillance.
LATE_HANDS_MOST = 100

_TABLES = catalog.tables()
GAMES: tuple[str, ...] = tuple(_TABLES["variants"]["standard"]["games"])
VARIANTS: tuple[str, ...] = tuple(_TABLES["variants"])


class Seen(NamedTuple):
    """What could be read of the table, so that the wagers are checked even where something of it is wrong."""

    rules: TableRules | None
    game: str | None
    positions: int | None
    variant: str | None


def read_table(fields: Fields | None) -> Seen:
    """The table as filed."""
    if fields is None:
        return Seen(None, None, None, None)
    site, id_ = _name(fields, "site"), _name(fields, "id")
    game = fields.choice("game", GAMES)
    positions = _positions(fields, game)
    variant = _variant(fields, game)
    decks = _decks(fields, game, variant)
    timezone = _timezone(fields)
    day_start = _day_start(fields)
    payout = fields.choice("payout", ("inventory", "slip", "either"), default="either")
    fields.done()
    if site and id_ and game and positions and decks and variant and timezone and day_start and payout:
        rules = TableRules(site, id_, game, positions, decks, variant, timezone, day_start, payout)
        return Seen(rules, game, positions, variant)
    return Seen(None, game, positions, variant)


def _name(fields: Fields, name: str) -> str | None:
    found = fields.text(name)
    if found is not None and _NAME.fullmatch(found) is None:
        fields.note(name, f"{found!r} cannot name topics: use letters, digits, '-', '_' and '.', 64 at most")
        return None
    return found


def _positions(fields: Fields, game: str | None) -> int | None:
    limit = _TABLES["positions"].get(game)
    if limit is None:
        return fields.whole("positions", 1, POSITIONS_MOST)
    return fields.whole("positions", 1, limit["most"], section=catalog.cite(limit["section"]))


def _variant(fields: Fields, game: str | None) -> str | None:
    variant = fields.choice("variant", VARIANTS, default="standard")
    if variant is not None and game is not None:
        allowed = catalog.games(_TABLES["variants"][variant])
        if game not in allowed:
            where = " and ".join(f"{name} ({place})" for name, place in allowed.items())
            message = f"{variant} is a variant of {where}: no section of the catalog allows it on {game}"
            fields.note("variant", message, ", ".join(map(str, allowed.values())))
    return variant


def _decks(fields: Fields, game: str | None, variant: str | None) -> int | None:
    law = _TABLES["decks"]
    decks = fields.whole("decks", law["least"], law["most"], section=catalog.cite(law["section"]))
    special = _TABLES["variants"].get(variant, {}).get("decks")
    if decks is not None and special is not None and decks not in special["allowed"]:
        places = catalog.games(special)
        allowed = " or ".join(map(str, special["allowed"]))
        place = places.get(game or "", next(iter(places.values())))
        fields.note("decks", f"{decks} decks: {variant} is dealt from {allowed}", place)
    return decks


def _timezone(fields: Fields) -> str | None:
    name = fields.text("timezone", required=False)
    if name is None:
        return None if fields.has("timezone") else "America/New_York"
    if _ZONE.fullmatch(name) is None or not _zone_exists(name):
        fields.note("timezone", f'{name!r} is no time zone: write one like "America/New_York"')
        return None
    return name


def _zone_exists(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def _day_start(fields: Fields) -> str | None:
    found = fields.text("day_start", required=False)
    if found is None:
        return None if fields.has("day_start") else "06:00"
    if _TIME.fullmatch(found) is None:
        fields.note("day_start", f'{found!r} is no time of day: write it like "06:00"')
        return None
    return found


def read_awards(fields: Fields) -> AwardRules:
    """The award rules as filed, or the ones in force where nothing is."""
    validate_from = fields.money("validate_from", required=False)
    second_from = fields.money("second_person_from", required=False)
    rules = AwardRules(
        validate_from_cents=1_000_00 if validate_from is None else validate_from,
        second_person_from_cents=10_000_00 if second_from is None else second_from,
        hold_play_on_hit=fields.flag("hold_play_on_hit", default=False),
        late_hands=fields.whole("late_hands", 0, LATE_HANDS_MOST, default=3) or 0,
    )
    fields.done()
    return rules
