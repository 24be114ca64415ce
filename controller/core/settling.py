"""What the cards of a round make due to its wagers."""

from collections.abc import Mapping
from typing import NamedTuple

from controller.core.filed import Filed, FiledWager
from controller.core.state import Round, Wager
from controller.rules import catalog, royal9
from controller.rules.cards import Hand
from controller.rules.drawing import INITIAL
from controller.rules.money import UNITS_PER_CENT
from controller.rules.outcomes import result
from controller.rules.settlement import LOSE, classify

ROYAL9 = "royal9"


class Cards(NamedTuple):
    """Two hands that can be."""

    player: Hand
    banker: Hand
    complete: bool


class DueAward(NamedTuple):
    """One award the cards give one wager."""

    wager: Wager
    id: str  # the wager's, with its paytable
    outcome: str
    listed: str  # the row by list order, where it is another
    meter: str  # a jackpot's
    amount_cents: int  # a fixed one's; a jackpot's is what its meter held at lock-out

    @property
    def what(self) -> tuple[int, str, str]:
        """What it is paid for: a wager is paid once per paytable."""
        return self.wager.position, self.id, self.outcome


def due(filed: Filed, record: Round, linked: Mapping[str, int], cards: Cards) -> list[DueAward]:
    """Every award of a round, in the order of its wagers. Four cards settle Royal 9, whole hands the rest."""
    found: list[DueAward] = []
    for wager in record.wagers:
        offered = filed.wagers[wager.wager]
        if wager.out:
            continue
        if wager.wager == ROYAL9:
            jackpots = {id_: amount.units // UNITS_PER_CENT for id_, amount in record.amounts.items()}
            award = _royal9(filed, offered, wager, {**linked, **jackpots}, cards)
        elif cards.complete:
            award = _by_list(offered, wager, classify(offered.id, result(cards.player, cards.banker)))
        else:
            award = None
        if award is not None:
            found.append(award)
    return found


def _by_list(offered: FiledWager, wager: Wager, outcome: str) -> DueAward | None:
    if outcome == LOSE:
        return None
    payout = catalog.wagers()[offered.id].row(outcome).payout
    amount = 0 if payout.meter else payout.returns_cents(wager.stake_cents)
    return DueAward(wager, offered.id, outcome, "", payout.meter or "", amount)


def _royal9(
    filed: Filed, offered: FiledWager, wager: Wager, jackpots: Mapping[str, int], cards: Cards
) -> DueAward | None:
    """The highest of the rows a wager qualifies for, or the first listed where that is filed."""
    hands = royal9.royal(*cards.player[:INITIAL]), royal9.royal(*cards.banker[:INITIAL])
    layout = royal9.Layout(filed.layout)
    listed = royal9.outcome(*hands, layout, wager.position)
    if listed == LOSE:
        return None
    first = _by_list(offered, wager, listed)
    if first is None or filed.award == "list":
        return first
    best, most = first, jackpots.get(first.meter, 0) if first.meter else first.amount_cents
    for outcome in royal9.qualifying(*hands, layout, wager.position):
        other = _by_list(offered, wager, outcome)
        if other is None:
            continue
        worth = jackpots.get(other.meter, 0) if other.meter else other.amount_cents
        if worth > most:
            best, most = other, worth
    return best._replace(listed="" if best.outcome == listed else listed)
