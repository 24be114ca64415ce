"""Cards as a shoe tells them, one by one, and the hands they make."""

from controller.core.inputs import Button, FourCards, HandComplete, Input
from controller.rules.cards import CARDS, point_count
from controller.rules.drawing import INITIAL, is_complete
from drivers.events import BANKER, PLAYER, Card, Game

_WINNER = {1: "player", -1: "banker", 0: "tie"}


class Hands:
    """The two hands of the game a shoe is in."""

    def __init__(self) -> None:
        self._cards: dict[str, list[str]] = {PLAYER: [], BANKER: []}

    def take(self, event: Card | Game, at: str) -> list[Input]:
        """What a card, or the end of a game, means for the table.

        The Player's first card locks the round if that is still open. Four cards settle Royal 9, a whole hand the rest.
        """
        if isinstance(event, Game):
            if event.what != "ended":
                self.forget()
            return []
        if event.hand not in self._cards:
            return []  # burned
        mine = self._cards[event.hand]
        if event.index != len(mine) + 1 or event.card not in CARDS:
            return []  # the driver tells cards in order; what is out of it cannot be dealt
        mine.append(event.card)
        player, banker = (tuple(self._cards[hand]) for hand in (PLAYER, BANKER))
        if (len(player), len(banker)) == (1, 0):
            return [Button(at=at, cause="shoe")]
        if is_complete(tuple(map(CARDS.__getitem__, player)), tuple(map(CARDS.__getitem__, banker))):
            return [HandComplete(at=at, player=player, banker=banker)]
        if len(player) == INITIAL == len(banker):
            return [FourCards(at=at, player=player, banker=banker)]
        return []

    def contradicts(self, result: str) -> bool:
        """Whether the shoe's own result is not what its cards come to."""
        player, banker = (point_count(tuple(map(CARDS.__getitem__, self._cards[hand]))) for hand in (PLAYER, BANKER))
        return bool(result) and result != _WINNER[(player > banker) - (player < banker)]

    def forget(self) -> None:
        """Another game, or one whose cards are not all known."""
        for cards in self._cards.values():
            cards.clear()
