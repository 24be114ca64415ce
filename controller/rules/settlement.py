"""The outcome of every wager on two hands, each named by the first row of its paytable that holds."""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from controller.rules import catalog, royal9
from controller.rules.cards import Hand
from controller.rules.drawing import INITIAL, Verdict, is_complete, judge
from controller.rules.errors import BadInputError
from controller.rules.outcomes import HAND_OF, HAND_TESTS, OPENING_TESTS, RESULT_TESTS, Result, result, swapped

LOSE = "lose"

# What of a round a wager looks at: one hand's initial cards, all four, or the result, as named or with hands exchanged.
PLAYER, BANKER, OPENING, RESULT, SWAPPED = "player", "banker", "opening", "result", "swapped"
_INITIAL_VIEWS = (PLAYER, BANKER, OPENING)

# Shoes show 1,533 different results. Each is settled once and remembered, so that settling is quick, and what it
# remembers (2 MB) does not grow.
RESULTS_REMEMBERED = 2048


class HandError(BadInputError):
    """Two hands that are no whole round; the message says why, and begins `incomplete:` where a card is still owed."""


Rows = tuple[tuple[str, Callable[..., bool]], ...]  # outcomes and their tests, in list order


class Asked(NamedTuple):
    """What a wager asks: a view of the round, and tests of it."""

    view: str
    rows: Rows


def first_row(rows: Rows, *seen: object) -> str:
    """The first row whose test holds of what is seen."""
    for outcome, test in rows:
        if test(*seen):
            return outcome
    return LOSE


@cache
def asked(wager_id: str) -> Asked:
    """What a wager on the two hands asks. Royal 9, dice and Top Card have modules of their own."""
    wager = catalog.wagers()[wager_id]
    tests: Mapping[str, Callable[..., bool]]
    if wager.name in HAND_TESTS:
        view, tests = wager.hand or HAND_OF[wager.name], HAND_TESTS[wager.name]
    elif wager.name in OPENING_TESTS:
        view, tests = OPENING, OPENING_TESTS[wager.name]
    else:
        name = wager.name if wager.name in RESULT_TESTS else f"{wager.name}/{wager.paytable}"
        view, tests = SWAPPED if wager.hand == BANKER else RESULT, RESULT_TESTS[name]
    return Asked(view, tuple((row.outcome, tests[row.outcome]) for row in wager.rows))


@cache
def hand_wagers() -> tuple[str, ...]:
    """Every wager decided by the two hands alone: all but Royal 9, dice and Top Card."""
    return tuple(id_ for id_, wager in catalog.wagers().items() if wager.decided_by == catalog.HANDS)


@cache
def _groups(view: str) -> tuple[tuple[Rows, tuple[str, ...]], ...]:
    """Wagers that ask the same tests of a view in the same order, and so always share an outcome."""
    groups: dict[Rows, tuple[str, ...]] = {}
    for id_ in hand_wagers():
        if asked(id_).view == view:
            groups[asked(id_).rows] = (*groups.get(asked(id_).rows, ()), id_)
    return tuple(groups.items())


@cache
def _all_lose() -> dict[str, str]:
    return dict.fromkeys(hand_wagers(), LOSE)


def _won(view: str, *seen: object) -> dict[str, str]:
    """The wagers that look at a view and do not lose, with their outcomes."""
    won: dict[str, str] = {}
    for rows, ids in _groups(view):
        outcome = first_row(rows, *seen)
        if outcome != LOSE:
            won |= dict.fromkeys(ids, outcome)
    return won


@lru_cache(maxsize=RESULTS_REMEMBERED)
def _won_by_result(shown: Result) -> dict[str, str]:
    return _won(RESULT, shown) | _won(SWAPPED, swapped(shown))


def settle_all(player: Hand, banker: Hand) -> dict[str, str]:
    """The outcome of every wager of `hand_wagers` on a whole round; refuses hands that are none."""
    if not is_complete(player, banker):
        refuse_unfinished(player, banker)
    two, other_two = player[:INITIAL], banker[:INITIAL]
    outcomes = _all_lose().copy()
    outcomes.update(_won_by_result(result(player, banker)))
    outcomes.update(_won(PLAYER, *two))
    outcomes.update(_won(BANKER, *other_two))
    outcomes.update(_won(OPENING, *two, *other_two))
    return outcomes


def settle_royal9(player: Hand, banker: Hand, layout: royal9.Layout) -> dict[str, str]:
    """The Royal 9 outcome at every position, as if each had wagered; four cards are enough (§ 627b.3(d))."""
    hands = royal9.royal(*player[:INITIAL]), royal9.royal(*banker[:INITIAL])
    seats = range(1, len(layout.combinations) + 1)
    if not any(hand.royal for hand in hands):
        return dict.fromkeys(map(str, seats), LOSE)
    return {str(seat): royal9.outcome(*hands, layout, seat) for seat in seats}


def settles_on_four_cards(wager: catalog.Wager) -> bool:
    """Whether the wager is settled before any third card is dealt."""
    return wager.decided_by == catalog.ROYAL9 or asked(wager.id).view in _INITIAL_VIEWS


def refuse_unfinished(player: Hand, banker: Hand, *, four_cards_do: bool = False) -> None:
    """Raise where two hands are not a whole round, or not the four cards that are enough for some wagers."""
    verdict, why = judge(player, banker)
    if verdict is Verdict.IMPOSSIBLE:
        raise HandError(why)
    if verdict is Verdict.INCOMPLETE and not (four_cards_do and len(player) >= INITIAL <= len(banker)):
        raise HandError(f"incomplete: {why}")


def classify(wager_id: str, shown: Result) -> str:
    """The outcome of a wager that is decided by the result of two whole hands."""
    view, rows = asked(wager_id)
    seen = swapped(shown) if view == SWAPPED else shown
    return first_row(rows, seen)
