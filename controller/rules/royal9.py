"""Royal 9 (§ 627b.3): combinations, the layout that assigns them to positions, and the rows of its paytable.

A Royal 9 is a face card (K, Q or J) and a nine as a hand's first two cards. A combination is a king
and a nine by their suits.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from controller.rules import catalog
from controller.rules.cards import SUITS, Card
from controller.rules.errors import BadInputError

_COMBINATION = re.compile(rf"K([{SUITS}])9([{SUITS}])")
FACES = "KQJ"
# Suited ones first, then by the king's suit: the order in which a layout is filled where none is given.
COMBINATIONS = tuple(
    sorted((f"K{king}9{nine}" for king in SUITS for nine in SUITS), key=lambda text: text[1] != text[3]),
)


class LayoutError(BadInputError):
    """A layout or seat that cannot be; the message names what is wrong with it."""


class Layout(NamedTuple):
    """The combination printed at each position, from position 1."""

    combinations: tuple[str, ...]

    def at(self, seat: int) -> str:
        """The personal combination of a position."""
        if not 1 <= seat <= len(self.combinations):
            raise LayoutError(f"seat {seat} is not on the layout: it has positions 1 to {len(self.combinations)}")
        return self.combinations[seat - 1]


# As many positions as a minibaccarat table may have: what odds assume where no layout is given.
DEFAULT_LAYOUT = Layout(COMBINATIONS[: catalog.tables()["positions"]["minibaccarat"]["most"]])


def check_combination(text: str) -> str:
    """The combination, if it is one."""
    if _COMBINATION.fullmatch(text) is None:
        raise LayoutError(f"{text!r} is not a combination: write a king and a nine with their suits, like KS9H")
    return text


def parse_layout(text: str) -> Layout:
    """The layout written as combinations with commas between them, position 1 first: "KS9S,KH9H"."""
    found = tuple(check_combination(word.strip()) for word in text.split(","))
    for combination in found:
        if found.count(combination) > 1:
            raise LayoutError(f"{combination} is on the layout twice: each position has its own (§ 627b.3(e)(5))")
    return Layout(found)


class Royal(NamedTuple):
    """What one hand's first two cards are to Royal 9."""

    royal: bool  # a face card and a nine
    suited: bool
    combination: str  # a king and a nine; empty if it is neither


_NEITHER = Royal(royal=False, suited=False, combination="")


def royal(one: Card, two: Card) -> Royal:
    """What two initial cards, in either order, are to Royal 9."""
    face, nine = (two, one) if one.rank == "9" else (one, two)
    if nine.rank != "9" or face.rank not in FACES:
        return _NEITHER
    return Royal(
        royal=True,
        suited=face.suit == nine.suit,
        combination=f"K{face.suit}9{nine.suit}" if face.rank == "K" else "",
    )


Royal9Test = Callable[[Royal, Royal, str, Layout], bool]  # Player, Banker, the position's combination, the layout


# § 627b.3(e), where each row is defined.
TESTS: Mapping[str, Royal9Test] = {
    "mega": lambda player, banker, mine, _: player.combination == mine == banker.combination,
    "major": lambda _player, banker, mine, _: banker.combination == mine,
    "minor": lambda player, _banker, mine, _: player.combination == mine,
    "mega-envy": lambda player, banker, _, layout: (
        player.combination == banker.combination and player.combination in layout.combinations
    ),
    "suited-royal9-tie": lambda player, banker, _, __: player.suited and banker.suited,
    "royal9-tie": lambda player, banker, _, __: player.royal and banker.royal,
    "any-suited-royal9": lambda player, banker, _, __: player.suited or banker.suited,
    "any-royal9": lambda player, banker, _, __: player.royal or banker.royal,
}


def _rows() -> tuple[tuple[str, Royal9Test], ...]:
    """The rows both denominations list, in their order."""
    five, one = (tuple(row.outcome for row in catalog.wagers()[id_].rows) for id_ in ("royal9/5", "royal9/1"))
    if five != one:
        raise ValueError("the catalog lists the Royal 9 rows of $5 and $1 differently")
    return tuple((outcome, TESTS[outcome]) for outcome in five)


_ROWS = _rows()


# The other jackpots, and Envy, that the position of a Mega does not qualify for: Major and Minor mean one hand alone,
# and the winner of the Mega envies nobody (§ 627b.3(e)).
_NOT_BESIDE_MEGA = ("major", "minor", "mega-envy")


def outcome(player: Royal, banker: Royal, layout: Layout, seat: int) -> str:
    """The first row of the list that a wager at this position qualifies for."""
    mine = layout.at(seat)
    if not (player.royal or banker.royal):
        return "lose"
    for name, test in _ROWS:
        if test(player, banker, mine, layout):
            return name
    return "lose"


def qualifying(player: Royal, banker: Royal, layout: Layout, seat: int) -> list[str]:
    """Every row that a wager at this position qualifies for, in list order."""
    mine = layout.at(seat)
    rows = [name for name, test in _ROWS if test(player, banker, mine, layout)]
    return [name for name in rows if name not in _NOT_BESIDE_MEGA] if "mega" in rows else rows
