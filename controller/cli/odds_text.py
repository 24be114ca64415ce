"""Odds as people read them: tables on a terminal, and CSV for a spreadsheet."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from controller.cli.odds_answer import Found
from controller.rules.money import dollars
from controller.rules.mystery import MysteryOdds
from controller.rules.odds import Odds, decimal

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


def print_one(found: Found, answer: dict[str, Any], *, as_json: bool, as_csv: bool) -> None:
    """One wager or mystery configuration."""
    if as_json:
        print(json.dumps(answer, indent=2))
    elif isinstance(found, MysteryOdds):
        _print_mystery(found, answer, as_csv=as_csv)
    else:
        _print_wager(found, answer, as_csv=as_csv)


def print_all(answers: Sequence[tuple[Found, dict[str, Any]]], *, as_json: bool, as_csv: bool) -> None:
    """The whole catalog."""
    if as_json:
        print(json.dumps([answer for _, answer in answers], indent=2))
        return
    rows = [_flat(found, answer) for found, answer in answers]
    if as_csv:
        _csv((*_WAGER_COLUMNS, *_MYSTERY_COLUMNS), rows)
        return
    wagers = [row for row in rows if "total" in row]
    headings = ("wager", "decks", "wins", "return", "house edge", "jackpot 1 in", "break-even", "long run")
    _table(headings, [_wager_cells(row) for row in wagers])
    print()
    headings = ("mystery", "wager", "rate", "minimum", "maximum", "wagers between hits", "award", "long run")
    _table(headings, [_mystery_cells(row) for row in rows if "total" not in row])
    print()
    print(
        "Return and house edge leave jackpots out. Break-even is for a lone wager of $5 (Royal 9: of its denomination,"
    )
    print("for Mega, seat 1 of nine). Royal 9's long run depends on filed rates: jackpotd odds royal9/5 --config FILE.")


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


def _print_wager(found: Odds, answer: dict[str, Any], *, as_csv: bool) -> None:
    rows = []
    for outcome, count in found.outcomes.items():
        pays = "" if outcome == "lose" else found.wager.row(outcome).payout.text
        rows.append((outcome, pays, count, found.probability(outcome)))
    if as_csv:
        columns = ("wager", "outcome", "pays", "count", "total", "probability")
        lines = [
            (found.wager.id, name, pays, count, found.total, decimal(chance)) for name, pays, count, chance in rows
        ]
        _csv(columns, [dict(zip(columns, line, strict=True)) for line in lines])
        return
    places = ", ".join(f"{game} {place}" for game, place in found.wager.games.items())
    shoe = f", {found.decks} decks" if found.decks else ""
    print(f"{found.wager.id}: {found.wager.label}{shoe} ({places})")
    if "seat" in answer:
        print(f"seat {answer['seat']} of {answer['layout']}")
    print()
    cells = [(name, pays, f"{count:,}", decimal(chance), _one_in(chance)) for name, pays, count, chance in rows]
    _table(("outcome", "pays", "deals", "probability", "1 in"), [*cells, ("all", "", f"{found.total:,}", "", "")])
    print()
    without = " without the jackpot" if found.jackpots else ""
    print(f"return{without}: {_percent(answer['return'])}   house edge: {_percent(answer['house_edge'])}")
    for jackpot in found.jackpots:
        others = ", the other two at their floors" if len(found.jackpots) > 1 else ""
        stake, even = dollars(found.stake_cents), dollars(jackpot.break_even_cents)
        chance = _one_in(jackpot.probability)
        print(f"{jackpot.meter.id}: 1 in {chance}; a lone {stake} wager breaks even at {even}{others}")
    if found.jackpots:
        long_run = answer["long_run_return"]
        told = _percent(long_run) if long_run else "depends on the rates filed (--config FILE)"
        print(f"long-run return with its rates: {told}")


def _print_mystery(found: MysteryOdds, answer: dict[str, Any], *, as_csv: bool) -> None:
    if as_csv:
        _csv(tuple(answer), [answer])
        return
    mystery = found.mystery
    places = ", ".join(f"{game} {place}" for game, place in mystery.games.items())
    low, high = dollars(mystery.minimum_cents), dollars(mystery.maximum_cents)
    print(f"{mystery.id}: {mystery.label} ({places})")
    print(f"{answer['rate']} of each {dollars(found.stake_cents)} wager; opens at {low}, must hit by {high}")
    award = decimal(found.expected_award_cents * Fraction(1, 100), 4)
    print(f"expected wagers between hits: {_short(answer['expected_wagers'])}   expected award: ${award}")
    print(f"long-run return of the mystery award alone: {_percent(answer['long_run_return'])}")


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


def _csv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    sys.stdout.write(text.getvalue())


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they need, the first to the left and the figures to the right."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        cells[0] = line[0].ljust(widths[0])
        print("  ".join(cells).rstrip())
