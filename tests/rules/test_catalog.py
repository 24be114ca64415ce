"""The catalog's numbers against the regulation's, restated here and in `restatement`."""

from datetime import date

import pytest

from controller.rules import catalog
from tests.rules import restatement

WAGERS = catalog.wagers()
BARE = """
royal9/5 royal9/1 heavenly9 player tie banker/commission banker/ez banker/rising-phoenix banker/commission-free
dragon-7 panda-8 fortune-7 golden-8 player-pair banker-pair cover-all/A cover-all/B heavenly-9-bonus blazing-7s/A
blazing-7s/B house-money lucky-six rp-sun-7 rp-moon-8 rp-9-over-7 rp-2card-8-over-2card-1 rp-player-wins-3card-6
rp-banker-wins-1-or-2 rp-player-and-banker-8-or-9 rp-1-over-0 rp-3card-6-over-3card-3 rp-3card-8-over-3card-0
rp-banker-wins-over-2card-7 rp-3card-9-over-3card-6 rp-3card-9-over-3card-8 rp-player-3card-8-over-3card-0 rp-tie-0
rp-tie-1-2-3 rp-tie-4-5-6-7 rp-tie-8-9 rp-player-pair rp-banker-pair top-card-home top-card-away top-card-tie
sic-bo-any-triple sic-bo-even sic-bo-odd sic-bo-small sic-bo-big
"""
IDS = BARE.split()
IDS += [f"harmony/{letter}" for letter in "ABCDEFGHI"] + [f"lucky-nines/{letter}" for letter in "ABCD"]
IDS += [f"perfect-pairs/{letter}@{hand}" for letter in "ABC" for hand in ("player", "banker")]
IDS += [f"dragon-bonus/{letter}@{hand}" for letter in "ABC" for hand in ("player", "banker")]
IDS += [f"golden-talons/{letter}@{hand}" for letter in "ABCDE" for hand in ("player", "banker")]
IDS += ["majestic-match@player", "majestic-match@banker"]
IDS += [f"sic-bo-{kind}-{face}" for kind in ("triple", "double", "one") for face in range(1, 7)]
IDS += [f"sic-bo-total-{total}" for total in range(4, 18)]
IDS += [f"sic-bo-pair-{a}-{b}" for a in range(1, 7) for b in range(a + 1, 7)]


def test_every_wager_of_the_contract_is_there_and_no_other() -> None:
    assert sorted(WAGERS) == sorted(IDS)


@pytest.mark.parametrize("wager", WAGERS.values(), ids=lambda wager: wager.id)
def test_every_row_pays_what_the_text_says(wager: catalog.Wager) -> None:
    for stake in (500, 733):
        for row in wager.rows:
            pays = row.payout.meter or row.payout.returns_cents(stake)
            assert pays == restatement.returns_cents(wager.id, row.outcome, stake)


@pytest.mark.parametrize("wager", WAGERS.values(), ids=lambda wager: wager.id)
def test_every_wager_names_a_section_for_each_game_it_may_be_offered_on(wager: catalog.Wager) -> None:
    chapters = {"minibaccarat": "627", "midibaccarat": "629", "baccarat": "631", "sic-bo": "625", "casino-war": "651"}
    assert wager.games
    for game, place in wager.games.items():
        assert place.place.startswith(chapters[game])
        assert str(place).startswith("§ ")
        assert place.section.title


@pytest.mark.parametrize(
    ("section", "effective", "expires"),
    [
        ("627a.3", date(2012, 5, 19), None),
        ("627a.10", date(2012, 5, 19), None),
        ("627a.12", date(2014, 2, 1), None),
        ("627b.1", date(2021, 9, 4), date(2024, 9, 4)),
        ("627b.2", date(2021, 9, 4), date(2024, 9, 4)),
        ("627b.3", date(2022, 3, 12), date(2025, 3, 12)),
        *((each, date(2023, 8, 5), date(2026, 8, 4)) for each in ("627b.4", "627b.5", "627b.6", "629b.5", "629b.6")),
        *((each, date(2023, 8, 5), date(2026, 8, 4)) for each in ("629b.7", "625b.1", "651b.1")),
        *((f"631c.{number}", date(2024, 5, 25), None) for number in range(1, 8)),
    ],
)
def test_sections_carry_the_dates_of_their_source_notes(section: str, effective: date, expires: date | None) -> None:
    found = catalog.sections()[section]
    assert (found.effective, found.expires) == (effective, expires)


def test_games_of_the_progressives() -> None:
    games = {name: set(WAGERS[name].games) for name in ("royal9/5", "royal9/1", "harmony/A", "harmony/I", "heavenly9")}
    harmony = {"minibaccarat", "midibaccarat"}
    expected = {"royal9/5": {"minibaccarat"}, "royal9/1": {"minibaccarat"}, "heavenly9": {"baccarat"}}
    assert games == expected | {"harmony/A": harmony, "harmony/I": harmony}


@pytest.mark.parametrize(
    ("wager", "floors"), [("royal9/5", [50_000_00, 450_00, 450_00]), ("royal9/1", [10_000_00, 90_00, 90_00])]
)
def test_royal_9_floors(wager: str, floors: list[int]) -> None:
    assert [meter.floor_cents for meter in WAGERS[wager].meters] == floors
    assert [meter.id for meter in WAGERS[wager].meters] == ["royal9-mega", "royal9-major", "royal9-minor"]


@pytest.mark.parametrize("letter", "ABCDEFGHI")
def test_harmony_rates(letter: str) -> None:
    (meter,) = WAGERS[f"harmony/{letter}"].meters
    expected = (190_000, 50_000) if letter in "BEH" else (150_000, 30_000)
    assert (meter.rate, meter.reserve_rate) == expected


def test_heavenly_9_meter() -> None:
    (meter,) = WAGERS["heavenly9"].meters
    assert (meter.seed_cents, meter.rate, WAGERS["heavenly9"].least_stake_cents) == (10_000_00, 100_000, 5_00)


# § 631c.6(c)(4) and § 627b.3(h): minimum wager, minimum, maximum, rate in millionths.
MYSTERIES = {
    "royal9-mystery/1": (None, 250, 1000, 50_000),
    "royal9-mystery/2": (None, 100, 500, 50_000),
    "royal9-mystery/3": (None, 100, 200, 20_000),
    "must-hit-by/A-1": (1, 100, 200, 20_000),
    "must-hit-by/A-2": (2, 100, 200, 15_000),
    "must-hit-by/A-5": (5, 100, 250, 10_000),
    "must-hit-by/B-1": (1, 100, 500, 50_000),
    "must-hit-by/B-2": (2, 100, 500, 35_000),
    "must-hit-by/B-5": (5, 100, 500, 20_000),
    "must-hit-by/C-1": (1, 250, 500, 20_000),
    "must-hit-by/C-2": (2, 250, 500, 15_000),
    "must-hit-by/C-5": (5, 250, 500, 5_000),
    "must-hit-by/D-1": (1, 250, 1000, 50_000),
    "must-hit-by/D-2": (2, 250, 1000, 30_000),
    "must-hit-by/D-5": (5, 250, 1000, 20_000),
}


def test_all_mystery_configurations() -> None:
    found = {
        id_: (
            each.stake_cents and each.stake_cents // 100,
            each.minimum_cents // 100,
            each.maximum_cents // 100,
            each.rate,
        )
        for id_, each in catalog.mysteries().items()
    }
    assert found == MYSTERIES


# § 625b.1(f)(3)
RANGES = {
    "triple-6": [(150, 999)],
    "double-1": [(8, 87)],
    "any-triple": [(30, 87)],
    **{f"total-{total}": [(50, 499)] for total in (4, 17)},
    **{f"total-{total}": [(20, 249)] for total in (5, 16)},
    **{f"total-{total}": [(15, 87)] for total in (6, 15)},
    **{f"total-{total}": [(12, 29)] for total in (7, 14)},
    **{f"total-{total}": [(8, 24)] for total in (8, 13)},
    **{f"total-{total}": [(6, 49)] for total in (9, 12)},
    **{f"total-{total}": [(6, 24)] for total in (10, 11)},
    "pair-2-5": [(5, 24)],
    "one-3": [(1, 1), (2, 19), (3, 87)],
    **{name: [(1, 1)] for name in ("even", "odd", "small", "big")},
}


@pytest.mark.parametrize("bet", RANGES)
def test_super_sic_bo_multiplier_ranges(bet: str) -> None:
    assert [row.odds_range for row in WAGERS[f"sic-bo-{bet}"].rows] == RANGES[bet]
