"""Top Card (§ 651b.1): one card to Home, one to Away, the higher wins. Aces are high, as in Casino War."""

from controller.rules.cards import CARDS, RANKS, Card

_ORDER = RANKS[1:] + RANKS[0]  # lowest first


def outcome(wager_id: str, home: Card, away: Card) -> str:
    """The outcome of a Top Card wager; Home and Away get half back on a tie (§ 651b.1(g)(4))."""
    lead = _ORDER.index(home.rank) - _ORDER.index(away.rank)
    if wager_id == "top-card-tie":
        return "win" if lead == 0 else "lose"
    if lead == 0:
        return "half-back"
    return "win" if (lead > 0) is (wager_id == "top-card-home") else "lose"


def counts(wager_id: str, decks: int) -> dict[str, int]:
    """How many ordered deals of two cards give each outcome."""
    found: dict[str, int] = {}
    for home in CARDS.values():
        for away in CARDS.values():
            name = outcome(wager_id, home, away)
            found[name] = found.get(name, 0) + decks * (decks - (home is away))
    return found
