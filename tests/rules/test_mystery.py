from fractions import Fraction

import pytest

from controller.rules import catalog
from controller.rules.mystery import mystery_odds, next_wager_returns
from controller.rules.odds import OddsError

MYSTERIES = catalog.mysteries()


def play_out(contribution: int, low: int, high: int, value: int) -> tuple[int, int]:
    """Wagers until a meter that rises by so many millionths of a cent is above the value, and the award in cents."""
    meter, wagers = low * 10**6, 0
    while meter <= value * 10**6:
        meter += contribution
        wagers += 1
    return wagers, min(meter // 10**6, high)


@pytest.mark.parametrize("mystery", MYSTERIES.values(), ids=lambda mystery: mystery.id)
def test_expectations_equal_one_long_climb_past_every_value(mystery: catalog.Mystery) -> None:
    found = mystery_odds(mystery)
    low, high = mystery.minimum_cents, mystery.maximum_cents
    meter, wagers, value, sums = low * 10**6, 0, low, [0, 0]
    while value < high:  # the values a wager passes are those it carries the meter above
        meter += found.stake_cents * mystery.rate
        wagers += 1
        while value < high and meter > value * 10**6:
            sums[0] += wagers
            sums[1] += min(meter // 10**6, high)
            value += 1
    assert found.expected_wagers == Fraction(sums[0], high - low)
    assert found.expected_award_cents == Fraction(sums[1], high - low)


@pytest.mark.parametrize(
    ("id_", "wagers", "award"),
    [
        # 2 cents a wager over 10,000 values: 1, 1, 2, 2, … 5000, 5000; the award is 2 cents a wager above $100
        ("must-hit-by/A-1", Fraction(5001, 2), 100_00 + 5001),
        # 10 cents over 75,000 values
        ("must-hit-by/D-5", Fraction(7501, 2), 250_00 + 37_505),
        # 2.5 cents over 25,000 values: of five values in a row two wagers more are needed
        ("must-hit-by/C-5", Fraction(25_002, 5), Fraction(375_007, 10)),
    ],
)
def test_expectations_by_hand(id_: str, wagers: Fraction, award: Fraction) -> None:
    found = mystery_odds(MYSTERIES[id_])
    assert (found.expected_wagers, found.expected_award_cents) == (wagers, award)


def test_the_award_never_passes_the_maximum() -> None:
    """7 cents a wager do not divide $400: the last step would go past $500, and is cut there."""
    mystery = MYSTERIES["must-hit-by/B-2"]
    assert mystery.stake_cents == 200
    assert play_out(200 * mystery.rate, 10_000, 50_000, 49_999) == (5715, 50_000)
    assert mystery_odds(mystery).expected_award_cents < 30_003 + Fraction(1, 2)


def test_the_next_wager_wins_for_certain_on_the_last_cent() -> None:
    found = mystery_odds(MYSTERIES["must-hit-by/D-5"])
    assert next_wager_returns(found, 99_999) == Fraction(100_000, 500)
    assert next_wager_returns(found, 25_000) == Fraction(10 * 25_010, 75_000 * 500)


def test_a_wager_below_the_configurations_own_is_refused() -> None:
    assert mystery_odds(MYSTERIES["must-hit-by/D-5"], 500).stake_cents == 500
    with pytest.raises(OddsError, match=r"at least \$5, not \$4.99"):
        mystery_odds(MYSTERIES["must-hit-by/D-5"], 499)


def test_a_mystery_of_royal_9_is_fed_by_its_denominations_only() -> None:
    assert [mystery_odds(MYSTERIES["royal9-mystery/1"], cents).stake_cents for cents in (100, 500)] == [100, 500]
    for cents in (0, 1, 300):
        with pytest.raises(OddsError):
            mystery_odds(MYSTERIES["royal9-mystery/1"], cents)
