"""Top Card (§ 651b.1): one card to Home, one to Away, the higher wins. Aces are high, as in Casino War."""

from controller.rules.cards import RANKS, Card

_ORDER = RANKS[1:] + RANKS[0]  # lowest first


def outcome(wager_id: str, home: Card, away: Card) -> str:
    """The outcome of a Top Card wager; Home and Away get half back on a tie (§ 651b.1(g)(4))."""
    lead = _ORDER.index(home.rank) - _ORDER.index(away.rank)
    if wager_id == "top-card-tie":
        return "win" if lead == 0 else "lose"
    if lead == 0:
        return "half-back"
    return "win" if (lead > 0) is (wager_id == "top-card-home") else "lose"
