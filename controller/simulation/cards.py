"""Cards from a shoe that is kind: hands that win something are dealt more often than chance would."""

from random import Random

from drivers.shoe_game import RANKS, SUITS
from drivers.simulated.dealer import Round, deal, points

_DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)
KINDNESS = 0.12  # of the hands are the best of some
TRIED = 30


def dealt(chance: Random) -> Round:
    """A round as the rules of drawing have it."""
    if chance.random() >= KINDNESS:
        return _any(chance)
    return max((_any(chance) for _ in range(TRIED)), key=_worth)


def _any(chance: Random) -> Round:
    first = [chance.choice("K9") + chance.choice(SUITS) for _ in range(4)] if chance.random() < 0.3 else []  # noqa: PLR2004 -- kings and nines win
    return deal(lambda: first.pop() if first else chance.choice(_DECK))


def _worth(played: Round) -> int:
    """What wins: nines, many cards, one suit."""
    nines = (points(played.player) == 9) + (points(played.banker) == 9)  # noqa: PLR2004 -- the game's best
    suits = {card[1] for card in played.player}
    return 4 * nines + len(played.player) + len(played.banker) + 3 * (len(suits) == 1)
