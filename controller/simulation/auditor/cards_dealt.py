"""The cards that lay on the felt, or were keyed, held against the hands the journal has."""

import json

from controller.simulation.auditor.facts import Fact
from controller.simulation.trace import CardsDealt, Commanded

Hands = tuple[tuple[str, ...], tuple[str, ...]]


class Dealt:
    """Every deal, and every hand that was keyed."""

    def __init__(self) -> None:
        self._dealt: list[tuple[int, set[Hands]]] = []  # when, and what lay there from the second cards on
        self._keyed: dict[str, Hands] = {}

    def dealt(self, event: CardsDealt) -> None:
        """The cards of a deal."""
        hands = {
            (tuple(event.player[:players]), tuple(event.banker[:bankers]))
            for players in range(2, len(event.player) + 1)
            for bankers in range(2, len(event.banker) + 1)
        }
        self._dealt.append((event.at, hands))

    def commanded(self, event: Commanded) -> None:
        """A hand was keyed."""
        if event.name in {"enter-hand", "correct-hand"}:
            told = json.loads(event.payload)
            hands = (tuple(told.get("player", ())), tuple(told.get("banker", ())))
            self._keyed.setdefault(f"{event.client}/{event.id.lower()}", hands)

    def wrong(self, fact: Fact, at: int | None) -> list[tuple[str, str]]:
        """What is wrong with the cards of a fact that became durable then."""
        if fact.type != "hand-entered":
            return []
        told = (tuple(fact.payload["player"]), tuple(fact.payload["banker"]))
        key = fact.payload.get("key", "")
        if key and key in self._keyed and self._keyed[key] != told:
            return [("cards", f"{told} were entered, {self._keyed[key]} keyed")]
        if fact.payload["source"] == "shoe" and not any(told in hands for hands in self._lately(at)):
            return [("cards", f"{told} came from the shoe, and were not dealt")]
        return []

    def _lately(self, at: int | None) -> list[set[Hands]]:
        """The last deal before a time; any, where the time is not known."""
        before = [hands for dealt, hands in self._dealt if at is None or dealt <= at]
        return before if at is None else before[-1:]
