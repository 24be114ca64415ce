"""`jackpotd settle`: one wager, or every wager of the rounds on standard input."""

import argparse
import json

from controller.cli.output import say
from controller.cli.wager_ids import find_wager
from controller.rules import catalog, dice, royal9, settle_one
from controller.rules.cards import card, hand
from controller.rules.errors import BadInputError
from controller.rules.money import parse_cents

_HANDS = ("player", "banker")
_ALL = ("player", "banker", "layout", "seat", "dice", "multiplier", "home", "away")


def run(options: argparse.Namespace) -> int:
    """Settle what the options say."""
    if options.stdin:
        return _stream(options)
    if options.wager is None:
        raise BadInputError("name a wager, or give --stdin and one round a line")
    if options.wager in catalog.mysteries():
        raise BadInputError(
            f"{options.wager} is decided at lock-out by a value drawn before, not by cards: odds has it"
        )
    wager = find_wager(options.wager)
    if wager.stake_cents is None and options.amount is None:
        raise BadInputError(f"{wager.id} needs --amount, in dollars")
    settled = _settle(wager, options)
    stake = settle_one.stake(wager, None if options.amount is None else parse_cents(options.amount))
    answer: dict[str, object] = {"wager": wager.id, "outcome": settled.outcome, "pays": settled.payout.text}
    if settled.payout.meter is not None:
        answer["meter"] = settled.payout.meter
    else:
        answer["returns_cents"] = settled.returns_cents(stake)
    say(json.dumps(answer))
    return 0


def _stream(options: argparse.Namespace) -> int:
    from controller.cli.settle_stream import stream  # noqa: PLC0415 -- the other form of the command

    given = [f"--{name}" for name in (*_ALL, "amount") if name != "layout" and getattr(options, name) is not None]
    if options.wager is not None or given:
        extra = " ".join([*([options.wager] if options.wager is not None else []), *given])
        raise BadInputError(f"--stdin settles every wager of each line: leave out {extra}")
    stream(0, 1, royal9.parse_layout(options.layout) if options.layout is not None else None)
    return 0


def _settle(wager: catalog.Wager, options: argparse.Namespace) -> settle_one.Settled:
    if wager.decided_by == catalog.DICE:
        _take(wager, options, needs=("dice",), may=("multiplier",))
        return settle_one.on_dice(wager, dice.parse_dice(options.dice), options.multiplier)
    if wager.decided_by == catalog.TOP_CARD:
        _take(wager, options, needs=("home", "away"))
        return settle_one.on_top_card(wager, card(options.home), card(options.away))
    if wager.decided_by == catalog.ROYAL9:
        _take(wager, options, needs=(*_HANDS, "layout", "seat"))
        layout = royal9.parse_layout(options.layout)
        return settle_one.on_hands(wager, hand(options.player), hand(options.banker), layout, options.seat)
    _take(wager, options, needs=_HANDS)
    return settle_one.on_hands(wager, hand(options.player), hand(options.banker))


def _take(wager: catalog.Wager, options: argparse.Namespace, needs: tuple[str, ...], may: tuple[str, ...] = ()) -> None:
    """Refuse options this wager has no use for, and the lack of those it needs."""
    for name in needs:
        if getattr(options, name) is None:
            raise BadInputError(f"{wager.id} needs {', '.join(f'--{need}' for need in needs)}: --{name} is missing")
    for name in _ALL:
        if name not in (*needs, *may) and getattr(options, name) is not None:
            raise BadInputError(
                f"{wager.id} has no use for --{name}: it takes {', '.join(f'--{n}' for n in needs + may)}"
            )
