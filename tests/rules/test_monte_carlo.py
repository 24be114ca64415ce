"""Exact odds and a seeded simulation agree, for every wager, within what chance allows."""

import random
from collections import Counter
from fractions import Fraction
from math import sqrt
from statistics import fmean, stdev

import pytest

from controller.rules import catalog, dice, royal9, top_card
from controller.rules.mystery import mystery_odds
from controller.rules.odds import odds
from controller.rules.settlement import hand_wagers, settle_all, settle_royal9
from tests.rules.deals import EIGHT_DECKS, rounds

ROUNDS = 60_000
SIGMAS = 4.5  # of about 500 outcomes compared, fewer than one in a hundred runs would stray as far
SEAT = 2


def assert_agree(wager: str, seen: Counter[str], probabilities: dict[str, Fraction]) -> None:
    number = seen.total()
    assert set(seen) <= {name for name, chance in probabilities.items() if chance}, wager
    for outcome, chance in probabilities.items():
        expected = float(chance) * number
        allowed = SIGMAS * sqrt(expected * (1 - float(chance))) + 3  # the 3: rare outcomes are Poisson, not normal
        assert abs(seen[outcome] - expected) <= allowed, f"{wager} {outcome}: {seen[outcome]}, not about {expected:.1f}"


@pytest.mark.slow
def test_wagers_on_the_hands() -> None:
    seen: dict[str, Counter[str]] = {id_: Counter() for id_ in (*hand_wagers(), "royal9/5", "royal9/1")}
    layout = royal9.DEFAULT_LAYOUT
    for player, banker in rounds(seed=20_230_805, number=ROUNDS):
        for id_, outcome in settle_all(player, banker).items():
            seen[id_][outcome] += 1
        royal = settle_royal9(player, banker, layout)[str(SEAT)]
        seen["royal9/5"][royal] += 1
        seen["royal9/1"][royal] += 1
    for id_, outcomes in seen.items():
        exact = odds(catalog.wagers()[id_], decks=8, layout=layout, seat=SEAT)
        assert_agree(id_, outcomes, {name: exact.probability(name) for name in exact.outcomes})


def test_dice_and_top_card() -> None:
    chance = random.Random(625)
    throws = [(chance.randint(1, 6), chance.randint(1, 6), chance.randint(1, 6)) for _ in range(20_000)]
    pairs = [chance.sample(EIGHT_DECKS, 2) for _ in range(20_000)]
    for id_, wager in catalog.wagers().items():
        if id_.startswith("sic-bo-"):
            seen = Counter(dice.outcome(id_, throw) for throw in throws)
        elif id_.startswith("top-card-"):
            seen = Counter(top_card.outcome(id_, home, away) for home, away in pairs)
        else:
            continue
        exact = odds(wager)
        assert_agree(id_, seen, {name: exact.probability(name) for name in exact.outcomes})


def test_mystery_meters() -> None:
    chance = random.Random(631)
    for mystery in catalog.mysteries().values():
        exact = mystery_odds(mystery)
        low, high = mystery.minimum_cents * 10**6, mystery.maximum_cents * 10**6
        step = exact.stake_cents * mystery.rate
        wagers, awards = [], []
        for _ in range(3000):
            value = chance.randrange(mystery.minimum_cents, mystery.maximum_cents) * 10**6
            needed = next(n for n in range((value - low) // step, 10**6) if low + n * step > value)
            wagers.append(needed)
            awards.append(min(low + needed * step, high) // 10**6)
        for seen, expected in ((wagers, exact.expected_wagers), (awards, exact.expected_award_cents)):
            error = SIGMAS * stdev(seen) / sqrt(len(seen))
            assert abs(fmean(seen) - float(expected)) <= error, mystery.id
