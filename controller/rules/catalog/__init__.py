"""The regulation's tables, read from the TOML files beside this one into typed, immutable entries.

Law, not configuration: every entry names its section, and the section carries the dates its source note gives. Files
are read when first asked for. Nothing outside this folder repeats a number that stands in them.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

from controller.rules.money import parse_cents, parse_rate
from controller.rules.payouts import Payout, payout

FACES = range(1, 7)  # of a die
HANDS, ROYAL9, DICE, TOP_CARD = "hands", "royal9", "dice", "top card"  # what decides a wager


class Section(NamedTuple):
    """A section of 58 Pa. Code. One whose text the catalog does not hold has no dates and no source."""

    id: str
    title: str
    effective: date | None
    expires: date | None
    source: str


class Citation(NamedTuple):
    """A place in a section: § 627b.3(f)(1)."""

    place: str
    section: Section

    def __str__(self) -> str:
        """The place as people cite it."""
        return f"§ {self.place}"


Games = Mapping[str, Citation]  # on which games a thing may be offered, and what allows it there


class Bound(NamedTuple):
    """A number the law sets, and where."""

    amount: int
    place: Citation


class Row(NamedTuple):
    """One line of a paytable."""

    outcome: str
    payout: Payout
    odds_range: tuple[int, int] | None = None  # Super Sic Bo: the odds to 1 a multiplier may give
    odds_range_place: Citation | None = None


class Meter(NamedTuple):
    """A meter a wager's jackpot row pays, with what the law sets of it; the rest is filed."""

    id: str
    games: Games
    floor_cents: int | None  # least initial and reset amount
    seed_cents: int | None  # exact initial and reset amount
    rate: int | None
    reserve_rate: int | None


class Wager(NamedTuple):
    """A wager under one paytable, on one hand where it may be placed on either."""

    id: str
    name: str
    paytable: str
    hand: str
    label: str
    games: Games
    rows: tuple[Row, ...]  # in the regulation's list order
    stake_cents: int | None  # fixed wager
    least_stake: Bound | None  # in cents
    meters: tuple[Meter, ...]
    decks: Bound | None  # where the law fixes the number
    decided_by: str  # HANDS; the hands with layout and seat, ROYAL9; DICE; TOP_CARD

    def row(self, outcome: str) -> Row:
        """The row of an outcome other than `lose`."""
        return next(row for row in self.rows if row.outcome == outcome)


class Mystery(NamedTuple):
    """A mystery meter's configuration."""

    id: str
    meter: str
    label: str
    wager: str
    configuration: str
    games: Games
    stake_cents: int | None  # the configuration's own minimum wager
    minimum_cents: int
    maximum_cents: int
    rate: int


def _load(name: str) -> dict[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:  # noqa: PTH118, PTH120, PTH123 -- pathlib costs a tenth of the start-up
        return tomllib.load(file)


@cache
def sections() -> Mapping[str, Section]:
    """Every section by its number."""
    return {
        number: Section(number, entry["title"], entry.get("effective"), entry.get("expires"), entry.get("source", ""))
        for number, entry in _load("sections.toml").items()
    }


@cache
def tables() -> Mapping[str, Any]:
    """Decks, positions, variants and the third-card rule."""
    return _load("tables.toml")


def cite(place: str) -> Citation:
    """The citation of a place, with its section's dates."""
    return Citation(place, sections()[place.partition("(")[0]])


def games(entry: Mapping[str, Any]) -> Games:
    """On which games an entry may be offered."""
    return {game: cite(place) for game, place in entry["games"].items()}


@cache
def wagers() -> Mapping[str, Wager]:
    """Every wager by its id, in the catalog's order."""
    found: dict[str, Wager] = {}
    for name in ("progressive.toml", "baccarat.toml"):
        file = _load(name)
        for entry in file["wager"]:
            found |= {wager.id: wager for wager in _paytables(entry)}
        for group in file.get("wagers", ()):
            found |= {wager.id: wager for wager in _group(group)}
    others = _load("other-games.toml")
    found |= {wager.id: wager for wager in _sic_bo(others["sic-bo"])}
    found |= {wager.id: wager for wager in _top_card(others["top-card"])}
    return found


@cache
def mysteries() -> Mapping[str, Mystery]:
    """Every mystery configuration by its id: `must-hit-by/A-1`, `royal9-mystery/1`."""
    return {
        f"{entry['meter']}/{configuration}": Mystery(
            id=f"{entry['meter']}/{configuration}",
            meter=entry["meter"],
            label=entry["label"],
            wager=entry["wager"],
            configuration=configuration,
            games=games(entry),
            stake_cents=parse_cents(values["stake"]) if "stake" in values else None,
            minimum_cents=parse_cents(values["minimum"]),
            maximum_cents=parse_cents(values["maximum"]),
            rate=parse_rate(values["rate"]),
        )
        for entry in _load("progressive.toml")["mystery"]
        for configuration, values in entry["configurations"].items()
    }


def _paytables(entry: Mapping[str, Any]) -> Iterator[Wager]:
    name, allowed = entry["name"], games(entry)
    for paytable, pays in entry.get("paytables", {"": entry.get("pays")}).items():
        rows = tuple(Row(outcome, payout(text)) for outcome, text in zip(entry["rows"], pays, strict=True))
        meters = tuple(_meter(id_, meter, paytable) for id_, meter in entry.get("meters", {}).items())
        for hand in entry.get("hands", [""]):
            yield Wager(
                id=name + (f"/{paytable}" if paytable else "") + (f"@{hand}" if hand else ""),
                name=name,
                paytable=paytable,
                hand=hand,
                label=entry["label"],
                games=allowed,
                rows=rows,
                stake_cents=parse_cents(entry["stake"]) if "stake" in entry else None,
                least_stake=_bound(entry.get("least_stake")),
                meters=meters,
                decks=None,
                decided_by=ROYAL9 if name == ROYAL9 else HANDS,
            )


def _bound(entry: Mapping[str, Any] | None) -> Bound | None:
    if entry is None:
        return None
    amount = entry["amount"]
    return Bound(parse_cents(amount) if isinstance(amount, str) else amount, cite(entry["section"]))


def _meter(id_: str, entry: Mapping[str, Any], paytable: str) -> Meter:
    rate, reserve = entry.get("rates", {}).get(paytable, (entry.get("rate"), None))
    return Meter(
        id=id_,
        games=games(entry),
        floor_cents=parse_cents(entry["floor"]) if "floor" in entry else None,
        seed_cents=parse_cents(entry["seed"]) if "seed" in entry else None,
        rate=parse_rate(rate) if rate else None,
        reserve_rate=parse_rate(reserve) if reserve else None,
    )


def _plain(id_: str, entry: Mapping[str, Any], rows: tuple[Row, ...], decided_by: str) -> Wager:
    decks = _bound(entry.get("decks"))
    return Wager(id_, id_, "", "", entry["label"], games(entry), rows, None, None, (), decks, decided_by)


def _group(entry: Mapping[str, Any]) -> Iterator[Wager]:
    for name, text in entry["each"].items():
        yield _plain(entry["prefix"] + name, entry, (Row("win", payout(text)),), HANDS)


def _sic_bo(entry: Mapping[str, Any]) -> Iterator[Wager]:
    for name, bet in entry["bets"].items():
        rows = tuple(
            Row(outcome, payout(base), (low, high), cite(entry["multiplied"]))
            for outcome, base, (low, high) in zip(bet["rows"], bet["base"], bet["range"], strict=True)
        )
        for bet_name in _each_face(name):
            yield _plain(f"sic-bo-{bet_name}", entry, rows, DICE)


def _each_face(name: str) -> list[str]:
    if name.endswith("-A-B"):
        return [name.replace("A-B", f"{a}-{b}") for a, b in combinations(FACES, 2)]
    if name.endswith("-N"):
        return [name.replace("N", str(face)) for face in FACES]
    return [name]


def _top_card(entry: Mapping[str, Any]) -> Iterator[Wager]:
    for name, bet in entry["bets"].items():
        rows = tuple(Row(outcome, payout(text)) for outcome, text in zip(bet["rows"], bet["pays"], strict=True))
        yield _plain(f"top-card-{name}", entry, rows, TOP_CARD)
