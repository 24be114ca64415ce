"""Who draws a third card (§ 627a.10, with Table 1 from the catalog), and whether two hands can have come about."""

from enum import Enum
from typing import NamedTuple

from controller.rules import catalog
from controller.rules.cards import Card, Hand, point_count

_RULE = catalog.tables()["third_card"]
NATURAL: int = _RULE["natural"]["amount"]
PLAYER_DRAWS_BELOW: int = _RULE["player_draws_below"]

INITIAL = 2  # cards each hand is dealt before the rule is asked
MOST = 3  # § 627a.9(d): one more card to a hand, never two


class Side(Enum):
    """One of the two hands of a round."""

    PLAYER = "Player"
    BANKER = "Banker"


def _banker_draws() -> tuple[tuple[bool, ...], ...]:
    """Whether the Banker draws: by its two-card count, then by the value of the Player's third card (last: none)."""
    drawn = "D"
    rows: list[tuple[bool, ...]] = []
    for count in range(NATURAL):
        if count < _RULE["banker_always_below"]:
            row = [True] * 10
        elif count >= _RULE["banker_never_from"]:
            row = [False] * 10
        else:
            row = [mark == drawn for mark in _RULE["table_1"][str(count)]]
        rows.append((*row, count < _RULE["banker_draws_below"]))
    return tuple(rows)


BANKER_DRAWS = _banker_draws()
NO_CARD = 10  # the column of BANKER_DRAWS for a Player who stayed


def player_draws(player_count: int, banker_count: int) -> bool:
    """§ 627a.10(a) and (b), by the two-card Point Counts."""
    return player_count < PLAYER_DRAWS_BELOW and banker_count < NATURAL


def banker_draws(player_count: int, banker_count: int, player_third: int = NO_CARD) -> bool:
    """§ 627a.10(a) and (c), by the two-card Point Counts and the value of the Player's third card, if it drew one."""
    return player_count < NATURAL and banker_count < NATURAL and BANKER_DRAWS[banker_count][player_third]


class Draw(NamedTuple):
    """What the rule says of two hands so far: who is dealt the next card (nobody: None), and why."""

    to: Side | None
    why: str


def next_draw(player: Hand, banker: Hand) -> Draw:
    """Which hand the next card of the round goes to, for hands that have come about under the rule."""
    if len(player) < INITIAL or len(banker) < INITIAL:
        first = len(player) <= len(banker) and len(player) < INITIAL
        return Draw(Side.PLAYER if first else Side.BANKER, "each hand is dealt two cards first (§ 627a.8(c))")
    players, bankers = point_count(player[:INITIAL]), point_count(banker[:INITIAL])
    if max(players, bankers) >= NATURAL:
        side, count = ("Player", players) if players >= NATURAL else ("Banker", bankers)
        return Draw(None, f"the {side} has a natural {count}, so nobody draws (§ 627a.10(a))")
    if len(player) == INITIAL and player_draws(players, bankers):
        return Draw(Side.PLAYER, f"the Player draws on {players} (§ 627a.10(b)(1))")
    if len(banker) == MOST:
        return Draw(None, "the Banker has had the last card of the round (§ 627a.9(c), (d))")
    if len(player) == INITIAL:
        third, because, place = NO_CARD, f"the Player stays on {players} (§ 627a.10(b)(2)) and", "(c)(1)"
    else:
        third = player[INITIAL].value
        because, place = f"with {third} as the Player's third card", "(c)(2)"
    draws = banker_draws(players, bankers, third)
    verb = "draws" if draws else "stays"
    return Draw(Side.BANKER if draws else None, f"{because} the Banker {verb} on {bankers} (§ 627a.10{place})")


class Verdict(Enum):
    """What can be said of two hands."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    IMPOSSIBLE = "impossible"


class Judgement(NamedTuple):
    """Whether two hands can have come about under the third-card rule, and the reason where they are not complete."""

    verdict: Verdict
    why: str


def judge(player: Hand, banker: Hand) -> Judgement:
    """Whether these hands are a whole round, the beginning of one, or no round at all, and why."""
    for side, cards in ((Side.PLAYER, player), (Side.BANKER, banker)):
        if len(cards) > MOST:
            why = f"the {side.value} has {len(cards)} cards, and no hand may have more than three (§ 627a.9(d))"
            return Judgement(Verdict.IMPOSSIBLE, why)
    so_far: dict[Side, Hand] = {Side.PLAYER: player[:INITIAL], Side.BANKER: banker[:INITIAL]}
    thirds = {Side.PLAYER: player[INITIAL:], Side.BANKER: banker[INITIAL:]}
    while True:
        draw = next_draw(so_far[Side.PLAYER], so_far[Side.BANKER])
        if draw.to is None or not thirds[draw.to]:
            break
        so_far[draw.to] += thirds[draw.to]
        thirds[draw.to] = ()
    extra = next((side for side, cards in thirds.items() if cards), None)
    if extra is not None:
        return Judgement(Verdict.IMPOSSIBLE, f"the {extra.value} cannot have a third card: {draw.why}")
    if draw.to is not None:
        return Judgement(Verdict.INCOMPLETE, f"the {draw.to.value} is owed a card: {draw.why}")
    return Judgement(Verdict.COMPLETE, "")


def is_complete(player: Hand, banker: Hand) -> bool:
    """Whether the verdict on two hands is COMPLETE, without the reasons: what settling asks of every hand."""
    if not (INITIAL <= len(player) <= MOST and INITIAL <= len(banker) <= MOST):
        return False
    players = (player[0].value + player[1].value) % 10
    bankers = (banker[0].value + banker[1].value) % 10
    drew = len(player) == MOST
    if drew is not player_draws(players, bankers):
        return False
    third = player[INITIAL].value if drew else NO_CARD
    return banker_draws(players, bankers, third) is (len(banker) == MOST)


class Dealt(NamedTuple):
    """Two hands dealt from a sequence of cards, who is next, and the cards that were not needed."""

    player: Hand
    banker: Hand
    next: Draw
    left: tuple[Card, ...]


def deal(cards: tuple[Card, ...]) -> Dealt:
    """The hands that a sequence of cards from the shoe makes, as far as it goes."""
    hands: dict[Side, Hand] = {Side.PLAYER: (), Side.BANKER: ()}
    for index, card in enumerate(cards):
        draw = next_draw(hands[Side.PLAYER], hands[Side.BANKER])
        if draw.to is None:
            return Dealt(hands[Side.PLAYER], hands[Side.BANKER], draw, cards[index:])
        hands[draw.to] += (card,)
    return Dealt(hands[Side.PLAYER], hands[Side.BANKER], next_draw(hands[Side.PLAYER], hands[Side.BANKER]), ())
