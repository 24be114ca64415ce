"""Odds as people read them: tables on a terminal, and CSV for a spreadsheet."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from controller.cli.odds_answer import Found
from controller.rules import catalog
from controller.rules.money import dollars
from controller.rules.mystery import MysteryOdds, feeding
from controller.rules.odds import DEFAULT_STAKE_CENTS, Odds, decimal
from controller.rules.royal9 import DEFAULT_LAYOUT
from controller.rules.settlement import LOSE

_WAGER_COLUMNS = (
    "wager",
    "decks",
    "total",
    "win_probability",
    "return",
    "house_edge",
    "amount_cents",
    "jackpot_probability",
    "break_even_cents",
    "long_run_return",
)
_MYSTERY_COLUMNS = ("rate", "minimum_cents", "maximum_cents", "expected_wagers", "expected_award_cents")


def of_one(found: Found, answer: dict[str, Any], *, as_json: bool, as_csv: bool) -> str:
    """One wager or mystery configuration."""
    if as_json:
        return json.dumps(answer, indent=2)
    if isinstance(found, MysteryOdds):
        return _csv(tuple(answer), [answer]) if as_csv else "\n".join(_mystery(found, answer))
    return _outcomes_csv(found) if as_csv else "\n".join(_wager(found, answer))


def of_all(answers: Sequence[tuple[Found, dict[str, Any]]], *, as_json: bool, as_csv: bool) -> str:
    """The whole catalog."""
    if as_json:
        return json.dumps([answer for _, answer in answers], indent=2)
    rows = [_flat(found, answer) for found, answer in answers]
    if as_csv:
        return _csv((*_WAGER_COLUMNS, *_MYSTERY_COLUMNS), rows)
    wagers = ("wager", "decks", "wins", "return", "house edge", "jackpot 1 in", "break-even", "long run")
    mysteries = ("mystery", "wager", "rate", "minimum", "maximum", "wagers between hits", "award", "long run")
    stake, seats = dollars(DEFAULT_STAKE_CENTS), len(DEFAULT_LAYOUT.combinations)
    lines = [
        *_table(wagers, [_wager_cells(row) for row in rows if "total" in row]),
        "",
        *_table(mysteries, [_mystery_cells(row) for row in rows if "total" not in row]),
        "",
        f"Return and house edge leave jackpots out. Break-even is for a lone wager of {stake}; for Royal 9, of its own",
        f"denomination, for Mega, at seat 1 of {seats}. Royal 9's long run depends on the rates filed (--config FILE).",
    ]
    return "\n".join(lines)


def _flat(found: Found, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer in one row: of Royal 9's three meters the Mega stands for the wager."""
    row = {
        key: value["royal9-mega"] if isinstance(value, dict) else value
        for key, value in answer.items()
        if key not in ("outcomes", "layout", "seat")
    }
    if isinstance(found, Odds):
        row["win_probability"] = decimal(found.win_probability)
    return row


def _wager_cells(row: dict[str, Any]) -> tuple[str, ...]:
    jackpot = row.get("jackpot_probability")
    return (
        row["wager"],
        str(row["decks"] or ""),
        _percent(row["win_probability"]),
        _percent(row["return"]),
        _percent(row["house_edge"]),
        _one_in(Fraction(jackpot)) if jackpot else "",
        dollars(row["break_even_cents"]) if jackpot else "",
        _percent(row["long_run_return"]) if row.get("long_run_return") else "",
    )


def _mystery_cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["wager"],
        dollars(row["amount_cents"]),
        row["rate"],
        dollars(row["minimum_cents"]),
        dollars(row["maximum_cents"]),
        _short(row["expected_wagers"]),
        f"${_short(str(decimal(Fraction(row['expected_award_cents']) * Fraction(1, 100))))}",
        _percent(row["long_run_return"]),
    )


def _outcomes_csv(found: Odds) -> str:
    columns = ("wager", "outcome", "pays", "count", "total", "probability")
    lines = [
        (found.wager.id, outcome, _pays(found, outcome), count, found.total, decimal(found.probability(outcome)))
        for outcome, count in found.outcomes.items()
    ]
    return _csv(columns, [dict(zip(columns, line, strict=True)) for line in lines])


def _pays(found: Odds, outcome: str) -> str:
    return "" if outcome == LOSE else found.wager.row(outcome).payout.text


def _wager(found: Odds, answer: dict[str, Any]) -> Iterator[str]:
    places = ", ".join(f"{game} {place}" for game, place in found.wager.games.items())
    shoe = f", {found.decks} decks" if found.decks else ""
    yield f"{found.wager.id}: {found.wager.label}{shoe} ({places})"
    if "seat" in answer:
        yield f"seat {answer['seat']} of {answer['layout']}"
    yield ""
    cells = []
    for outcome, count in found.outcomes.items():
        chance = found.probability(outcome)
        cells.append((outcome, _pays(found, outcome), f"{count:,}", decimal(chance), _one_in(chance)))
    yield from _table(
        ("outcome", "pays", "deals", "probability", "1 in"), [*cells, ("all", "", f"{found.total:,}", "", "")]
    )
    yield ""
    without = " without the jackpot" if found.jackpots else ""
    yield f"return{without}: {_percent(answer['return'])}   house edge: {_percent(answer['house_edge'])}"
    for jackpot in found.jackpots:
        others = ", the other two at their floors" if len(found.jackpots) > 1 else ""
        stake, even = dollars(found.stake_cents), dollars(jackpot.break_even_cents)
        one_in = _one_in(jackpot.probability)
        yield f"{jackpot.meter.id}: 1 in {one_in}; a lone {stake} wager breaks even at {even}{others}"
    if found.jackpots:
        long_run = answer["long_run_return"]
        told = _percent(long_run) if long_run else "depends on the rates filed (--config FILE)"
        yield f"long-run return with its rates: {told}"
        if "long_run_return_with_mystery" in answer:
            both = _percent(answer["long_run_return_with_mystery"])
            yield f"long-run return with the mystery award filed too: {both}"
    if found.decks is not None and (note := _decks_note(found.wager, found.decks)):
        yield note


def _decks_note(wager: catalog.Wager, decks: int) -> str:
    """Rising Phoenix is counted for any shoe, and dealt from some only."""
    rule = catalog.tables()["variants"]["rising-phoenix"]["decks"]
    if "rising-phoenix" not in wager.id and not wager.id.startswith("rp-"):
        return ""
    if decks in rule["allowed"]:
        return ""
    places = ", ".join(map(str, catalog.games(rule).values()))
    return f"(Rising Phoenix is dealt from {' or '.join(map(str, rule['allowed']))} decks only: {places})"


def _mystery(found: MysteryOdds, answer: dict[str, Any]) -> Iterator[str]:
    mystery = found.mystery
    places = ", ".join(f"{game} {place}" for game, place in mystery.games.items())
    low, high = dollars(mystery.minimum_cents), dollars(mystery.maximum_cents)
    yield f"{mystery.id}: {mystery.label} ({places})"
    yield f"{answer['rate']} of each {dollars(found.stake_cents)} wager; opens at {low}, must hit by {high}"
    award = decimal(found.expected_award_cents * Fraction(1, 100), 4)
    yield f"expected wagers between hits: {_short(answer['expected_wagers'])}   expected award: ${award}"
    yield f"long-run return of the mystery award alone: {_percent(answer['long_run_return'])}"
    least = max(wager.least_stake.amount if wager.least_stake else 0 for wager in feeding(mystery))
    if found.stake_cents < least:
        yield f"(the wagers that feed it are of at least {dollars(least)}: see --amount)"


def _percent(value: str) -> str:
    return decimal(Fraction(value) * 100, 4) + "%"


def _one_in(chance: Fraction) -> str:
    if not chance:
        return "never"
    tenths = decimal(Fraction(chance.denominator, chance.numerator), 1)
    whole, _, rest = tenths.partition(".")
    return f"{int(whole):,}.{rest}"


def _short(value: str) -> str:
    return decimal(Fraction(value), 2)


def _csv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as they need, the first to the left and the figures to the right."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        cells[0] = line[0].ljust(widths[0])
        yield "  ".join(cells).rstrip()
