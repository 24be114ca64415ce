"""What the tests of the commands share: calling one, every wager's outcomes, and deals in which they all occur."""

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from controller.cli.main import main
from tests.rules import restatement

Said = pytest.CaptureFixture[str]

_POINTS = "win-by-9 win-by-8 win-by-7 win-by-6 win-by-5 win-by-4 natural-win natural-tie"
_NINES = "four-nines three-nines-same-suit three-nines two-nines-same-suit two-nines one-nine-diamonds one-nine"
_RISING_PHOENIX = (
    "sun-7 moon-8 9-over-7 2card-8-over-2card-1 player-wins-3card-6 banker-wins-1-or-2 player-and-banker-8-or-9"
    " 1-over-0 3card-6-over-3card-3 3card-8-over-3card-0 banker-wins-over-2card-7 3card-9-over-3card-6"
    " 3card-9-over-3card-8 player-3card-8-over-3card-0 tie-0 tie-1-2-3 tie-4-5-6-7 tie-8-9 player-pair banker-pair"
)


def _ids(name: str, paytables: str = "", *, hands: bool = False) -> list[str]:
    named = [f"{name}/{paytable}" for paytable in paytables] or [name]
    return [f"{each}@{hand}" for each in named for hand in ("player", "banker")] if hands else named


_ROYAL9 = "suited-royal9-tie royal9-tie any-suited-royal9 any-royal9"
_HARMONY = "six-of-a-kind four-8s four-of-a-kind six-zero-value"
_TABLE: list[tuple[list[str], str]] = [
    (_ids("royal9", "51"), f"mega major minor mega-envy {_ROYAL9}"),
    (_ids("harmony", "ABC"), f"{_HARMONY} tie-0 tie-1-5 tie-6-9"),
    (_ids("harmony", "DEF"), f"{_HARMONY} tie-same-color any-tie"),
    (_ids("harmony", "GHI"), f"{_HARMONY} tie-5-card tie-6-card tie-4-card"),
    (["heavenly9"], "both-same-suit both-same-color both banker-3card-9 player-3card-9"),
    (["player", "banker/commission", "banker/ez", "banker/rising-phoenix"], "win push"),
    (["tie", "top-card-tie"], "win"),  # neither push nor half back can happen
    (["banker/commission-free"], "win win-6 push"),
    (_ids("perfect-pairs", "ABC", hands=True), "perfect colored mixed"),
    (_ids("dragon-bonus", "ABC", hands=True) + _ids("golden-talons", "ABCDE", hands=True), _POINTS),
    (["dragon-7", "panda-8", "fortune-7", "golden-8", *_ids("cover-all", "AB"), "player-pair", "banker-pair"], "win"),
    ([f"rp-{name}" for name in _RISING_PHOENIX.split()], "win"),
    (["heavenly-9-bonus"], "both one"),
    (["blazing-7s/A"], "both-3card"),
    (["blazing-7s/B"], "both-3card both-2card"),
    (["house-money"], "both-pair one-pair"),
    (["lucky-six"], "banker-6-2card banker-6-3card"),
    (_ids("lucky-nines", "ABCD"), _NINES),
    (_ids("majestic-match", hands=True), "royal-match suited-match"),
    ([f"sic-bo-{name}-{face}" for name in ("triple", "double") for face in range(1, 7)], "win"),
    ([f"sic-bo-total-{total}" for total in range(4, 18)], "win"),
    ([f"sic-bo-pair-{a}-{b}" for a, b in combinations(range(1, 7), 2)], "win"),
    ([f"sic-bo-{name}" for name in ("any-triple", "even", "odd", "small", "big")], "win"),
    ([f"sic-bo-one-{face}" for face in range(1, 7)], "one two three"),
    (["top-card-home", "top-card-away"], "win half-back"),
]
# Every wager id and the outcomes that can occur, in list order; `lose` goes without saying.
OUTCOMES: dict[str, list[str]] = {id_: outcomes.split() for ids, outcomes in _TABLE for id_ in ids}
NOT_BY_HANDS = ("royal9/", "sic-bo-", "top-card-")
LAYOUT = ["KS9S", "KH9H", "KD9C"]
_DECK = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]


def call(*arguments: str) -> int:
    """The exit code, also where the usage is refused."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)


def refusal(capsys: Said, *arguments: str) -> str:
    """What a refused command says: exit 2, nothing on standard output, and no more than a sentence."""
    assert call(*arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(("jackpotd ", "usage: "))
    return said.err


def dealt(cards: list[str]) -> tuple[list[str], list[str]]:
    """The two hands that six cards make, third cards going where the restated rule lets them."""
    player, banker = [cards[0], cards[2]], [cards[1], cards[3]]
    for card in cards[4:]:
        if restatement.status(player, banker) == "incomplete":
            to_player = restatement.status([*player, card], banker) != "impossible"
            (player if to_player else banker).append(card)
    return player, banker


def deals() -> Iterator[tuple[list[str], list[str]]]:
    """Deals from a whole shoe, and from parts of it where rare hands are common."""
    chance = random.Random(627)
    parts = [
        (_DECK, 2000),
        ([card for card in _DECK if card[1] == "S"], 1000),
        ([card for card in _DECK if card[1] in "HD"], 1800),
        ([card for card in _DECK if card[0] in "9KQ"], 600),
        ([card for card in _DECK if card[0] in "TJQK"], 10),
        (["KS", "9S"], 20),
    ]
    parts += [([card for card in _DECK if card[0] == rank], 3) for rank in "A89"]
    for cards, number in parts:
        for _ in range(number):
            yield dealt(chance.choices(cards, k=6))
