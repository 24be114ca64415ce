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


# Where each wager's pay is set, game by game: minibaccarat, midibaccarat, baccarat.
MINI, MIDI, BIG = "minibaccarat", "midibaccarat", "baccarat"
PLACES = {
    "royal9/5": {MINI: "627b.3(f)(1)"},
    "royal9/1": {MINI: "627b.3(g)(1)"},
    "harmony": {MINI: "627b.6(i)", MIDI: "629b.7(i)"},
    "heavenly9": {BIG: "631c.2(i)"},
    "player": {MINI: "627a.12(a)", MIDI: "629a.12", BIG: "631a.8(a)"},
    "tie": {MINI: "627a.12(b)", MIDI: "629a.12", BIG: "631a.8(a)"},
    "banker/commission": {MINI: "627a.12(c)", MIDI: "629a.12", BIG: "631a.8(a)"},
    "banker/ez": {MINI: "627a.7(a)(1)"},
    "banker/rising-phoenix": {MINI: "627b.4(g)(1)", MIDI: "629b.5(g)(1)"},
    "banker/commission-free": {MINI: "627b.2(i)", BIG: "631c.5(i)"},
    "dragon-bonus": {MINI: "627a.12(e)"},
    "dragon-7": {MINI: "627a.12(f)"},
    "panda-8": {MINI: "627a.12(g)"},
    "house-money": {MINI: "627a.12(h)"},
    "perfect-pairs": {MINI: "627b.1(e)", BIG: "631c.1(d)"},
    "player-pair": {MINI: "627b.2(g)", BIG: "631c.5(g)"},
    "banker-pair": {MINI: "627b.2(g)", BIG: "631c.5(g)"},
    "lucky-six": {MINI: "627b.2(k)", BIG: "631c.5(k)"},
    "golden-talons": {MINI: "627b.5(f)", MIDI: "629b.6(f)"},
    **{name: {BIG: "631c.3(h)"} for name in ("fortune-7", "golden-8", "heavenly-9-bonus", "blazing-7s", "cover-all")},
    "lucky-nines": {BIG: "631c.4(e)"},
    "majestic-match": {BIG: "631c.7(d)"},
    "rp": {MINI: "627b.4(h)(2)", MIDI: "629b.5(h)(2)"},
    "sic": {"sic-bo": "625b.1(d)"},
    "top": {"casino-war": "651b.1(g)"},
}


@pytest.mark.parametrize("wager", WAGERS.values(), ids=lambda wager: wager.id)
def test_every_wager_names_its_games_and_the_place_that_sets_its_pay(wager: catalog.Wager) -> None:
    keys = (wager.id, wager.name, wager.id.partition("-")[0])
    expected = next(PLACES[key] for key in keys if key in PLACES)
    assert {game: place.place for game, place in wager.games.items()} == expected
    assert all(place.section.id == place.place.partition("(")[0] for place in wager.games.values())


@pytest.mark.parametrize("wager", [wager for wager in WAGERS.values() if wager.meters], ids=lambda wager: wager.id)
def test_every_meter_names_the_place_that_sets_it(wager: catalog.Wager) -> None:
    expected = {
        "royal9/5": {MINI: "627b.3(f)(2)"},
        "royal9/1": {MINI: "627b.3(g)(2)"},
        "heavenly9": {BIG: "631c.2(i)"},
    }.get(wager.id, {MINI: "627b.6(j)", MIDI: "629b.7(j)"})
    for meter in wager.meters:
        assert {game: place.place for game, place in meter.games.items()} == expected


def test_other_numbers_of_the_law_name_their_places() -> None:
    decks = WAGERS["top-card-tie"].decks
    assert decks
    assert (decks.amount, str(decks.place)) == (8, "§ 651b.1(c)")
    assert str(WAGERS["sic-bo-one-1"].rows[0].odds_range_place) == "§ 625b.1(f)(3)"
    for mystery in catalog.mysteries().values():
        expected = {MINI: "§ 627b.3(h)"} if mystery.meter == "royal9-mystery" else {BIG: "§ 631c.6(c)(4)"}
        assert {game: str(place) for game, place in mystery.games.items()} == expected


@pytest.mark.parametrize(
    ("section", "effective", "expires"),
    [
        *((f"627a.{number}", date(2014, 2, 1), None) for number in (1, 2, 7, 12)),
        *((f"627a.{number}", date(2012, 5, 19), None) for number in (3, 6, 10)),
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
    assert found.source


def test_sections_without_text_have_no_dates() -> None:
    bare = {id_ for id_, section in catalog.sections().items() if section.effective is None}
    assert bare == {"629a.7", "629a.12", "629b.2", "631a.8"}


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


def test_rates_the_law_sets_leave_most_of_the_wager() -> None:
    for wager in WAGERS.values():
        fed = [each.rate for each in catalog.mysteries().values() if each.wager == wager.name]
        taken = sum((meter.rate or 0) + (meter.reserve_rate or 0) for meter in wager.meters)
        assert taken + max(fed, default=0) < 250_000


def test_heavenly_9_meter() -> None:
    (meter,) = WAGERS["heavenly9"].meters
    assert (meter.seed_cents, meter.rate) == (10_000_00, 100_000)
    least = WAGERS["heavenly9"].least_stake
    assert least
    assert (least.amount, str(least.place)) == (5_00, "§ 631c.2(c)")


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
