"""What the cards of a round make due to its wagers."""

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
    player_names: tuple[str, ...]
    banker_names: tuple[str, ...]


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


def due(filed: Filed, record: Round, cards: Cards) -> list[DueAward]:
    """Every award of a round, in the order of its wagers. Four cards settle Royal 9, whole hands the rest."""
    hands = royal9.royal(*cards.player[:INITIAL]), royal9.royal(*cards.banker[:INITIAL])
    royal = any(hand.royal for hand in hands)
    won = _won(filed, cards) if cards.complete else {}
    found: list[DueAward | None] = []
    for wager in record.wagers:
        if wager.out:
            continue
        if wager.wager in won:
            found.append(_by_list(filed.wagers[wager.wager], wager, won[wager.wager]))
        elif royal and wager.wager == ROYAL9:
            found.append(_royal9(filed, record, wager, hands))
    return [award for award in found if award is not None]


def _won(filed: Filed, cards: Cards) -> dict[str, str]:
    """The outcome of each wager that whole hands settle and that is not lost: the same at every position."""
    shown = result(cards.player, cards.banker)
    outcomes = {name: classify(offered.id, shown) for name, offered in filed.wagers.items() if name != ROYAL9}
    return {name: outcome for name, outcome in outcomes.items() if outcome != LOSE}


def _by_list(offered: FiledWager, wager: Wager, outcome: str) -> DueAward | None:
    if outcome == LOSE:
        return None
    payout = catalog.wagers()[offered.id].row(outcome).payout
    amount = 0 if payout.meter else payout.returns_cents(wager.stake_cents)
    return DueAward(wager, offered.id, outcome, "", payout.meter or "", amount)


def _royal9(filed: Filed, record: Round, wager: Wager, hands: tuple[royal9.Royal, royal9.Royal]) -> DueAward | None:
    """The highest of the rows a wager qualifies for, or the first listed where that is filed."""
    offered, layout = filed.wagers[ROYAL9], royal9.Layout(filed.layout)
    listed = royal9.outcome(*hands, layout, wager.position)
    first = _by_list(offered, wager, listed)
    if first is None or filed.award == "list":
        return first
    best, most = first, _worth(first, record)
    for outcome in royal9.qualifying(*hands, layout, wager.position):
        other = _by_list(offered, wager, outcome)
        if other is not None and _worth(other, record) > most:
            best, most = other, _worth(other, record)
    return best._replace(listed="" if best.outcome == listed else listed)


def _worth(award: DueAward, record: Round) -> int:
    """What it pays: a jackpot what its meter held at lock-out."""
    return record.amounts[award.meter].units // UNITS_PER_CENT if award.meter else award.amount_cents
