"""`jackpotd odds`: exact odds of a wager, a mystery configuration, or the whole catalog."""

import argparse
from datetime import date
from pathlib import Path

from controller.cli import odds_text
from controller.cli.odds_answer import Found, Offer, answer, offer
from controller.cli.output import say
from controller.cli.wager_ids import unknown
from controller.rules import catalog, royal9
from controller.rules.errors import BadInputError
from controller.rules.money import parse_cents
from controller.rules.mystery import mystery_odds
from controller.rules.odds import odds


def run(options: argparse.Namespace) -> int:
    """Print the odds that are asked for, or draw them."""
    if (options.wager is None) is not options.all:
        raise BadInputError("name one wager, or give --all")
    if options.all:
        return _all(options)
    if options.wager not in catalog.wagers() and options.wager not in catalog.mysteries():
        raise unknown(options.wager, [*catalog.wagers(), *catalog.mysteries()])
    filed = _offer(options)
    found = _count(options, filed)
    if options.plot is not None:
        from controller.cli.plot import draw  # noqa: PLC0415 -- most answers are not drawn

        Path(options.plot).write_text(draw(found), encoding="utf-8")
        say(f"{options.plot} is drawn")
    else:
        say(odds_text.of_one(found, answer(found, filed), as_json=options.json, as_csv=options.csv))
    return 0


def _all(options: argparse.Namespace) -> int:
    for name in ("layout", "seat", "amount", "config", "plot"):
        if getattr(options, name) is not None:
            raise BadInputError(f"--all takes every wager as it stands: leave out --{name}")
    every: list[Found] = []
    for wager in catalog.wagers().values():
        on_shoe = wager.decks is None and wager.decided_by != catalog.DICE
        every.append(odds(wager, options.decks if on_shoe else None))
    every += [mystery_odds(each) for each in catalog.mysteries().values()]
    answers = [(found, answer(found, Offer())) for found in every]
    say(odds_text.of_all(answers, as_json=options.json, as_csv=options.csv))
    return 0


def _offer(options: argparse.Namespace) -> Offer:
    """What is filed of the wager, with what the options say in its place."""
    filed = Offer()
    if options.config is not None:
        from controller.cli.check import check_file  # noqa: PLC0415 -- only where a file is given

        found = check_file(options.config, date.today())  # noqa: DTZ011 -- the day decides warnings only
        if found.submission is None:
            raise BadInputError(f"{options.config} is not lawful: jackpotd check {options.config} says why")
        named: catalog.Wager | catalog.Mystery | None = catalog.wagers().get(options.wager)
        offered = (named or catalog.mysteries()[options.wager]).games
        game = found.submission.table.game
        if game not in offered:
            raise BadInputError(
                f"{options.wager} is a wager of {', '.join(offered)}, and {options.config} is for {game}"
            )
        filed = offer(found.submission, options.wager)
    return filed._replace(
        decks=options.decks if options.decks is not None else filed.decks,
        layout=royal9.parse_layout(options.layout) if options.layout is not None else filed.layout,
        seat=options.seat if options.seat is not None else filed.seat,
        amount_cents=parse_cents(options.amount) if options.amount is not None else filed.amount_cents,
    )


def _count(options: argparse.Namespace, filed: Offer) -> Found:
    mystery = catalog.mysteries().get(options.wager)
    if options.wager.partition("/")[0] != "royal9" and not (options.layout is options.seat is None):
        raise BadInputError(f"{options.wager} has no use for --layout and --seat: they are Royal 9's")
    if mystery is not None:
        if options.decks is not None:
            raise BadInputError(f"{options.wager} is decided by no card: leave out --decks")
        return mystery_odds(mystery, filed.amount_cents)
    return odds(catalog.wagers()[options.wager], filed.decks, filed.layout, filed.seat, filed.amount_cents)
