"""Every wager on the two hands, as tests of what the cards show. The catalog says in which order they are asked.

A test takes one of three views of a round: the two initial cards of one hand, the four initial cards, or the `Result`
of both whole hands. Odds are counted over the same views with the same tests.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from controller.rules import catalog
from controller.rules.cards import Card, Hand, point_count
from controller.rules.drawing import NATURAL


class Result(NamedTuple):
    """All that any wager on two whole hands asks of them."""

    player_total: int
    banker_total: int
    player_cards: int
    banker_cards: int
    rank: str = ""  # the rank, suit and color that all cards of both hands share, if they do
    suit: str = ""
    color: str = ""
    zeros: bool = False  # every card has value zero

    @property
    def tie(self) -> bool:
        """Equal Point Counts."""
        return self.player_total == self.banker_total

    @property
    def cards(self) -> int:
        """Cards dealt in all."""
        return self.player_cards + self.banker_cards


def result(player: Hand, banker: Hand) -> Result:
    """What two whole hands show."""
    cards = player + banker
    rank, suit, _, color = cards[0]
    zeros = True
    for card in cards:
        if card.rank != rank:
            rank = ""
        if card.suit != suit:
            suit = ""
        if card.color != color:
            color = ""
        if card.value:
            zeros = False
    return Result(point_count(player), point_count(banker), len(player), len(banker), rank, suit, color, zeros)


def swapped(of: Result) -> Result:
    """The same round with the hands' names exchanged: how a wager on the Banker's hand sees it."""
    return of._replace(
        player_total=of.banker_total,
        banker_total=of.player_total,
        player_cards=of.banker_cards,
        banker_cards=of.player_cards,
    )


HandTest = Callable[[Card, Card], bool]
OpeningTest = Callable[[Card, Card, Card, Card], bool]  # Player's two, Banker's two
ResultTest = Callable[[Result], bool]


# -- the initial two cards of one hand --


def _pair(one: Card, two: Card) -> bool:
    return one.rank == two.rank


HAND_TESTS: Mapping[str, Mapping[str, HandTest]] = {
    # § 627b.1(a)
    "perfect-pairs": {
        "perfect": lambda one, two: one == two,
        "colored": lambda one, two: _pair(one, two) and one.color == two.color and one.suit != two.suit,
        "mixed": lambda one, two: _pair(one, two) and one.color != two.color,
    },
    # § 631c.7(e)
    "majestic-match": {
        "royal-match": lambda one, two: one.suit == two.suit and {one.rank, two.rank} == {"K", "Q"},
        "suited-match": lambda one, two: one.suit == two.suit and {one.rank, two.rank} != {"K", "Q"},
    },
    "player-pair": {"win": _pair},
    "banker-pair": {"win": _pair},
    "rp-player-pair": {"win": _pair},
    "rp-banker-pair": {"win": _pair},
}
# Which hand a wager looks at, where its id has no @hand.
HAND_OF = {"player-pair": "player", "banker-pair": "banker", "rp-player-pair": "player", "rp-banker-pair": "banker"}


# -- the initial four cards --


def _nines(number: int, *, one_suit: bool = False, suit: str = "") -> OpeningTest:
    """So many nines among the four cards; all of one suit, or of a given one, where that is asked."""

    def test(*opening: Card) -> bool:
        suits = [card.suit for card in opening if card.rank == "9"]
        if len(suits) != number:
            return False
        return (not one_suit or len(set(suits)) == 1) and (not suit or suits[0] == suit)

    return test


OPENING_TESTS: Mapping[str, Mapping[str, OpeningTest]] = {
    # § 627a.7(a)(7)
    "house-money": {
        "both-pair": lambda p1, p2, b1, b2: _pair(p1, p2) and _pair(b1, b2),
        "one-pair": lambda p1, p2, b1, b2: _pair(p1, p2) is not _pair(b1, b2),
    },
    # § 631c.4(e)
    "lucky-nines": {
        "four-nines": _nines(4),
        "three-nines-same-suit": _nines(3, one_suit=True),
        "three-nines": _nines(3),
        "two-nines-same-suit": _nines(2, one_suit=True),
        "two-nines": _nines(2),
        "one-nine-diamonds": _nines(1, suit="D"),
        "one-nine": _nines(1),
    },
}
# The features of a card these tests ask for: odds count cards alike in them together.
OPENING_KEYS: Mapping[str, Callable[[Card], str]] = {
    "house-money": lambda card: card.rank,
    "lucky-nines": lambda card: str(card) if card.rank == "9" else "",
}


# -- both whole hands --


def _player_wins(r: Result) -> bool:
    return r.player_total > r.banker_total


def _banker_wins(r: Result) -> bool:
    return r.banker_total > r.player_total


def _tie(r: Result) -> bool:
    return r.player_total == r.banker_total


def _three_card_7_wins(r: Result) -> bool:
    """The Banker wins with three cards and seven points: Dragon 7, Fortune 7, Sun 7."""
    return r.banker_total == 7 and r.banker_cards == 3 and r.player_total < 7


def _three_card_8_wins(r: Result) -> bool:
    """The Player wins with three cards and eight points: Panda 8, Golden 8, Moon 8."""
    return r.player_total == 8 and r.player_cards == 3 and r.banker_total < 8


def _player_nine(r: Result) -> bool:
    return r.player_total == 9 and r.player_cards == 3


def _banker_nine(r: Result) -> bool:
    return r.banker_total == 9 and r.banker_cards == 3


def _both_nines(r: Result) -> bool:
    return _player_nine(r) and _banker_nine(r)


def _is_natural(total: int, cards: int) -> bool:
    return cards == 2 and total >= NATURAL


def _win_by(points: int) -> ResultTest:
    """The hand wagered on, here the Player's, wins by so many and is no natural (§ 627a.7(a)(4), § 627b.5(g))."""
    return lambda r: r.player_total - r.banker_total == points and not _is_natural(r.player_total, r.player_cards)


def _over(winner: int, loser: int, cards: int | None = None) -> ResultTest:
    """Either hand wins with these points over those, each hand of so many cards where that is asked."""
    totals = {(winner, loser), (loser, winner)}
    if cards is None:
        return lambda r: (r.player_total, r.banker_total) in totals
    return lambda r: (r.player_total, r.banker_total) in totals and r.player_cards == cards == r.banker_cards


def _tie_of(*totals: int) -> ResultTest:
    return lambda r: r.player_total == r.banker_total and r.player_total in totals


def _tie_with_cards(cards: int) -> ResultTest:
    return lambda r: r.tie and r.cards == cards


_BY_POINTS: Mapping[str, ResultTest] = {
    **{f"win-by-{points}": _win_by(points) for points in range(9, 3, -1)},
    "natural-win": lambda r: _is_natural(r.player_total, r.player_cards) and _player_wins(r),
    "natural-tie": lambda r: _is_natural(r.player_total, r.player_cards) and _tie(r),
}
_BLAZING: Mapping[str, ResultTest] = {
    "both-3card": lambda r: r.player_total == 7 == r.banker_total and r.player_cards == 3 == r.banker_cards,
    "both-2card": lambda r: r.player_total == 7 == r.banker_total and r.player_cards == 2 == r.banker_cards,
}


def _covers(paytable: str) -> ResultTest:
    """Any of the other four Treasures wins (§ 631c.3(f)(5)), Blazing 7s by the rows it has under the same paytable."""
    tests = [_BLAZING[row.outcome] for row in catalog.wagers()[f"blazing-7s/{paytable}"].rows]
    return lambda r: (
        _three_card_7_wins(r) or _three_card_8_wins(r) or _player_nine(r) or _banker_nine(r) or any(t(r) for t in tests)
    )


# By wager name, or by name and paytable where that changes the test. Those on a chosen hand see it as the Player's.
RESULT_TESTS: Mapping[str, Mapping[str, ResultTest]] = {
    # § 627b.6(g), § 629b.7(g); "of a kind" is by rank, and four cards dealt means no third card
    "harmony": {
        "six-of-a-kind": lambda r: r.rank != "" and r.cards == 6 and _tie(r),
        "four-8s": lambda r: r.rank == "8" and r.cards == 4 and _tie(r),
        "four-of-a-kind": lambda r: r.rank != "" and r.cards == 4 and _tie(r),
        "six-zero-value": lambda r: r.zeros and r.cards == 6 and _tie(r),
        "tie-0": _tie_of(0),
        "tie-1-5": _tie_of(1, 2, 3, 4, 5),
        "tie-6-9": _tie_of(6, 7, 8, 9),
        "tie-same-color": lambda r: r.color != "" and _tie(r),
        "any-tie": _tie,
        "tie-5-card": _tie_with_cards(5),
        "tie-6-card": _tie_with_cards(6),
        "tie-4-card": _tie_with_cards(4),
    },
    # § 631c.2(g)
    "heavenly9": {
        "both-same-suit": lambda r: r.suit != "" and _both_nines(r),
        "both-same-color": lambda r: r.color != "" and _both_nines(r),
        "both": _both_nines,
        "banker-3card-9": _banker_nine,
        "player-3card-9": _player_nine,
    },
    # § 627a.7(a)
    "player": {"win": _player_wins, "push": _tie},
    "tie": {"win": _tie},
    "banker/commission": {"win": _banker_wins, "push": _tie},
    "banker/ez": {
        "win": lambda r: _banker_wins(r) and not _three_card_7_wins(r),
        "push": lambda r: _tie(r) or _three_card_7_wins(r),
    },
    # § 627b.4(g)(1)(iv): the push of Rising Phoenix without commission is the same hand as EZ's
    "banker/rising-phoenix": {
        "win": lambda r: _banker_wins(r) and not _three_card_7_wins(r),
        "push": lambda r: _tie(r) or _three_card_7_wins(r),
    },
    # § 627b.2(i), § 631c.5(i)
    "banker/commission-free": {
        "win": lambda r: _banker_wins(r) and r.banker_total != 6,
        "win-6": lambda r: _banker_wins(r) and r.banker_total == 6,
        "push": _tie,
    },
    "dragon-bonus": _BY_POINTS,
    "golden-talons": _BY_POINTS,
    "dragon-7": {"win": _three_card_7_wins},
    "panda-8": {"win": _three_card_8_wins},
    # § 627b.2(c)(3) and (k)
    "lucky-six": {
        "banker-6-2card": lambda r: r.banker_total == 6 and _banker_wins(r) and r.banker_cards == 2,
        "banker-6-3card": lambda r: r.banker_total == 6 and _banker_wins(r) and r.banker_cards == 3,
    },
    # § 631c.3(f)
    "fortune-7": {"win": _three_card_7_wins},
    "golden-8": {"win": _three_card_8_wins},
    "heavenly-9-bonus": {"both": _both_nines, "one": lambda r: _player_nine(r) or _banker_nine(r)},
    "blazing-7s": _BLAZING,
    "cover-all/A": {"win": _covers("A")},
    "cover-all/B": {"win": _covers("B")},
    # § 627b.4(g)(4), § 629b.5(g)(4)
    "rp-sun-7": {"win": _three_card_7_wins},
    "rp-moon-8": {"win": _three_card_8_wins},
    "rp-9-over-7": {"win": _over(9, 7)},
    "rp-2card-8-over-2card-1": {"win": _over(8, 1, cards=2)},
    "rp-player-wins-3card-6": {"win": lambda r: r.player_total == 6 and r.player_cards == 3 and _player_wins(r)},
    "rp-banker-wins-1-or-2": {"win": lambda r: r.banker_total in (1, 2) and _banker_wins(r)},
    "rp-player-and-banker-8-or-9": {"win": lambda r: r.player_total >= 8 and r.banker_total >= 8},
    "rp-1-over-0": {"win": _over(1, 0)},
    "rp-3card-6-over-3card-3": {"win": _over(6, 3, cards=3)},
    "rp-3card-8-over-3card-0": {"win": _over(8, 0, cards=3)},
    "rp-banker-wins-over-2card-7": {"win": lambda r: r.player_total == 7 and r.player_cards == 2 and _banker_wins(r)},
    "rp-3card-9-over-3card-6": {"win": _over(9, 6, cards=3)},
    "rp-3card-9-over-3card-8": {"win": _over(9, 8, cards=3)},
    "rp-player-3card-8-over-3card-0": {"win": lambda r: _player_wins(r) and _over(8, 0, cards=3)(r)},
    "rp-tie-0": {"win": _tie_of(0)},
    "rp-tie-1-2-3": {"win": _tie_of(1, 2, 3)},
    "rp-tie-4-5-6-7": {"win": _tie_of(4, 5, 6, 7)},
    "rp-tie-8-9": {"win": _tie_of(8, 9)},
}
