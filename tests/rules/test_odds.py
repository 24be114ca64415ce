"""Exact odds against figures published elsewhere. Each source is named; figures are as printed there."""

from fractions import Fraction

import pytest

from controller.rules import catalog, royal9
from controller.rules.cards import RANKS
from controller.rules.odds import Filed, Odds, OddsError, decimal, long_run_return, odds
from tests.rules import restatement

WAGERS = catalog.wagers()
EIGHT = 4_998_398_275_503_360


def of(id_: str, decks: int | None = None) -> Odds:
    return odds(WAGERS[id_], decks)


def printed(value: Fraction, text: str) -> bool:
    """Whether an exact value is what was printed, with as many places as were printed."""
    return decimal(value, len(text.partition(".")[2])) == text


# casinoexploit.com, "Probabilities in 8 deck Baccarat", which gives six decks too; seven decks are not published there.
@pytest.mark.parametrize(
    ("decks", "banker", "player", "tie"),
    [
        (8, 2_292_252_566_437_888, 2_230_518_282_592_256, 475_627_426_473_216),
        (6, 403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288),
    ],
)
def test_player_banker_and_tie_counts(decks: int, banker: int, player: int, tie: int) -> None:
    assert of("banker/commission", decks).outcomes == {"win": banker, "push": tie, "lose": player}
    assert of("player", decks).outcomes == {"win": player, "push": tie, "lose": banker}
    assert of("tie", decks).outcomes == {"win": tie, "lose": player + banker}


# Wizard of Odds, "Baccarat Side Bets" (wizardofodds.com/games/baccarat/side-bets/): Dragon Bonus, eight decks.
DRAGON_BONUS = {
    "player": [
        18_409_431_764_992,
        34_097_645_543_424,
        89_590_261_473_280,
        141_238_897_317_888,
        166_169_165_987_840,
        186_780_352_174_080,
        812_685_054_124_032,
        89_325_908_267_520,
    ],
    "banker": [
        15_390_342_909_952,
        28_305_092_784_128,
        79_517_099_278_336,
        119_200_072_366_080,
        157_275_882_332_160,
        201_147_167_287_296,
        812_685_054_124_032,
        89_325_908_267_520,
    ],
}


@pytest.mark.parametrize("hand", DRAGON_BONUS)
@pytest.mark.parametrize("wager", ["dragon-bonus/A", "dragon-bonus/C", "golden-talons/B"])
def test_win_by_counts(wager: str, hand: str) -> None:
    found = of(f"{wager}@{hand}").outcomes
    assert [found[row.outcome] for row in WAGERS[f"{wager}@{hand}"].rows] == DRAGON_BONUS[hand]


# Wizard of Odds, "5 Treasures Baccarat", "Lucky 6", "Commission Free Baccarat" (appendix 6), and "Lucky 99" for the
# two-card 7-7, which comes as often as the two-card 9-9 it counts.
@pytest.mark.parametrize(
    ("wager", "outcome", "count"),
    [
        ("dragon-7", "win", 112_633_011_329_024),
        ("fortune-7", "win", 112_633_011_329_024),
        ("rp-sun-7", "win", 112_633_011_329_024),
        ("panda-8", "win", 172_660_763_262_976),
        ("golden-8", "win", 172_660_763_262_976),
        ("rp-moon-8", "win", 172_660_763_262_976),
        ("lucky-six", "banker-6-2card", 186_173_936_904_192),
        ("lucky-six", "banker-6-3card", 83_058_367_551_488),
        ("banker/commission-free", "win-6", 269_232_304_455_680),
        ("banker/ez", "push", 112_633_011_329_024 + 475_627_426_473_216),
        ("blazing-7s/B", "both-2card", 44_838_810_157_056),
        # Wizard of Odds, "Egalité": ties by points
        ("rp-tie-0", "win", 28_979_901_420_544),
        ("rp-tie-1-2-3", "win", 20_499_217_668_352 + 20_006_606_104_576 + 22_250_510_129_408),
        ("rp-tie-8-9", "win", 54_879_416_675_072 + 55_146_054_060_032),
        # excelpunks.com, "Baccarat Vs. Non-Commission Baccarat": Banker wins by points
        ("rp-banker-wins-1-or-2", "win", 24_291_119_898_624 + 44_681_581_871_104),
    ],
)
def test_published_counts(wager: str, outcome: str, count: int) -> None:
    assert of(wager).outcomes[outcome] == count


# Wizard of Odds, "Lucky Nines" (wizardofodds.com/games/baccarat/side-bets/lucky-nines/), the paytable of Red Rock:
# combinations of four cards, which are 1 in 24 of the ordered deals of four.
def test_lucky_nines_combinations() -> None:
    found = of("lucky-nines/C").outcomes
    four_cards = 416 * 415 * 414 * 413
    combinations = {name: Fraction(count * four_cards, 24 * EIGHT) for name, count in found.items()}
    assert combinations == {
        "four-nines": 35_960,
        "three-nines-same-suit": 86_016,
        "three-nines": 1_818_624,
        "two-nines-same-suit": 8_236_032,
        "two-nines": 28_237_824,
        "one-nine-diamonds": 74_908_672,
        "one-nine": 224_726_016,
        "lose": 891_881_376,
    }


# House edges as printed. Sources: Wizard of Odds pages named in each row; 888casino (Eliot Jacobson) where it says so.
@pytest.mark.parametrize(
    ("wager", "decks", "edge"),
    [
        ("banker/commission", 8, "0.010579"),  # Baccarat, appendix 1
        ("player", 8, "0.012351"),
        ("tie", 8, "0.143596"),
        ("dragon-bonus/A@player", 8, "0.026517"),  # Baccarat Side Bets
        ("dragon-bonus/A@banker", 8, "0.093731"),
        ("dragon-bonus/A@player", 6, "0.0267"),
        ("dragon-bonus/A@banker", 6, "0.0939"),
        ("golden-talons/A@player", 8, "0.026517"),  # the same paytable
        ("banker/ez", 8, "0.010183"),  # EZ Baccarat
        ("dragon-7", 8, "0.076113"),
        ("panda-8", 8, "0.101876"),
        ("fortune-7", 8, "0.076113"),  # 5 Treasures
        ("player-pair", 8, "0.10361"),  # 888casino, Computer-Perfect Play Against the Baccarat Pairs Bet
        ("rp-banker-pair", 8, "0.10361"),
        ("banker-pair", 6, "0.112540"),  # as Casino War's tie at 11 to 1
        ("perfect-pairs/A@player", 8, "0.040964"),  # Perfect Pairs, the same two-card event at blackjack
        ("perfect-pairs/B@banker", 8, "0.033735"),
        ("perfect-pairs/C@player", 8, "0.021687"),
        ("banker/commission-free", 8, "0.014581"),  # Commission Free Baccarat
        ("banker/commission-free", 6, "0.014548"),
        ("lucky-six", 8, "0.166836"),  # Lucky 6
        ("lucky-nines/C", 8, "0.0827"),  # Lucky Nines
        ("majestic-match@player", 8, "0.064597"),  # Majestic Match
        ("top-card-home", 8, "0.037349"),  # Top Card
        ("top-card-tie", 8, "0.103614"),
        ("sic-bo-small", None, "0.0278"),  # Sic Bo
        ("sic-bo-total-4", None, "0.2917"),
        ("sic-bo-total-7", None, "0.0972"),
        ("sic-bo-total-8", None, "0.1250"),
        ("sic-bo-total-9", None, "0.1898"),
        ("sic-bo-total-10", None, "0.1250"),
        ("sic-bo-any-triple", None, "0.1389"),
        ("sic-bo-double-4", None, "0.3333"),  # onlinesicbo.org, Sic Bo Odds
        ("sic-bo-triple-4", None, "0.3009"),
        ("sic-bo-pair-1-6", None, "0.1667"),
        ("sic-bo-one-5", None, "0.0787"),
    ],
)
def test_published_house_edges(wager: str, decks: int | None, edge: str) -> None:
    assert printed(of(wager, decks).house_edge, edge)


# Wizard of Odds, Baccarat appendix 1: three-card nines of the Player and of the Banker, by point table.
def test_three_card_nines() -> None:
    both, one = (of("heavenly-9-bonus").probability(name) for name in ("both", "one"))
    progressive = of("heavenly9")
    any_both = sum(
        (progressive.probability(name) for name in ("both-same-suit", "both-same-color", "both")), Fraction(0)
    )
    assert any_both == both
    assert printed(progressive.probability("player-3card-9") + both, "0.038784")
    assert printed(progressive.probability("banker-3card-9") + both, "0.033538")
    assert progressive.probability("player-3card-9") + progressive.probability("banker-3card-9") == one


def test_royal_9_by_hand() -> None:
    """A king and a nine of given suits are 2 x 8 x 8 of 416 x 415 hands; a Mega takes two of each from eight."""
    found = of("royal9/5")
    mega = Fraction(2 * 8 * 8 * 2 * 7 * 7, 416 * 415 * 414 * 413)
    assert found.probability("mega") == mega
    assert found.probability("major") == Fraction(2 * 8 * 8, 416 * 415) - mega
    assert found.probability("minor") == found.probability("major")
    assert found.probability("mega-envy") == 8 * mega
    royal = [name for name in found.outcomes if name != "lose"]
    either = 2 * Fraction(2 * 96 * 32, 416 * 415)
    both = Fraction(2 * 96 * 32, 416 * 415) * Fraction(2 * 95 * 31, 414 * 413)
    assert sum((found.probability(name) for name in royal), Fraction(0)) == either - both


def test_seat_and_layout_change_what_they_should() -> None:
    suited, mixed = (odds(WAGERS["royal9/5"], layout=royal9.parse_layout("KS9S,KS9H"), seat=seat) for seat in (1, 2))
    assert suited.probability("major") == mixed.probability("major")
    assert suited.probability("any-suited-royal9") < mixed.probability("any-suited-royal9")
    alone = odds(WAGERS["royal9/5"], layout=royal9.parse_layout("KS9S"))
    assert alone.probability("mega-envy") == 0
    assert alone.probability("royal9-tie") > suited.probability("royal9-tie")


def test_harmony_by_hand() -> None:
    found = of("harmony/A")
    # Six of a kind are three and three of the same rank, of the 32 there are, where both hands draw with such cards.
    ranks = [rank for rank in RANKS if restatement.status([f"{rank}S"] * 3, [f"{rank}S"] * 3) == "complete"]
    assert found.outcomes["six-of-a-kind"] == len(ranks) * 32 * 31 * 30 * 29 * 28 * 27
    assert found.probability("four-8s") == Fraction(32 * 31 * 30 * 29, 416 * 415 * 414 * 413)
    assert found.outcomes["six-zero-value"] == 128 * 127 * 126 * 125 * 124 * 123 - 4 * 32 * 31 * 30 * 29 * 28 * 27


def test_break_even_is_the_first_cent_at_which_the_house_has_no_edge() -> None:
    for id_ in ("royal9/5", "royal9/1", "harmony/B", "heavenly9"):
        found = of(id_)
        for jackpot in found.jackpots:
            others = {each.meter.id: each.meter.floor_cents or 0 for each in found.jackpots}
            assert found.edge_at(others | {jackpot.meter.id: jackpot.break_even_cents}) <= 0
            assert found.edge_at(others | {jackpot.meter.id: jackpot.break_even_cents - 1}) > 0


def test_the_long_run_adds_rates_and_the_seeds_of_the_house() -> None:
    harmony, heavenly, royal = of("harmony/B"), of("heavenly9"), of("royal9/5")
    assert long_run_return(harmony, {}) == harmony.returns + Fraction(24, 100)
    (jackpot,) = heavenly.jackpots
    assert long_run_return(heavenly, {}) == heavenly.returns + Fraction(1, 10) + jackpot.probability * 10_000_00 / 500
    assert long_run_return(royal, {}) is None
    filed = {jackpot.meter.id: Filed(jackpot.meter.floor_cents or 0, 40_000) for jackpot in royal.jackpots}
    seeds = sum((jackpot.probability * (jackpot.meter.floor_cents or 0) for jackpot in royal.jackpots), Fraction(0))
    assert long_run_return(royal, filed) == royal.returns + Fraction(12, 100) + seeds / 500


@pytest.mark.parametrize("decks", [5, 9])
def test_other_decks_are_refused(decks: int) -> None:
    with pytest.raises(OddsError, match="6 or 7 or 8"):
        of("player", decks)


def test_top_card_is_dealt_from_eight_decks_only() -> None:
    assert of("top-card-home", 8).total == 416 * 415
    with pytest.raises(OddsError, match=r"dealt from 8 \(§ 651b.1\(c\)\)"):
        of("top-card-home", 6)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 3), "0.3333"),
        (Fraction(-1, 3), "-0.3333"),
        (Fraction(2, 3), "0.6667"),
        (Fraction(7), "7.0000"),
        (Fraction(1, 1000), "0.0010"),
        (Fraction(-1, 1000), "-0.0010"),
        (Fraction(0), "0.0000"),
    ],
)
def test_fractions_are_written_as_decimals(value: Fraction, text: str) -> None:
    assert decimal(value, 4) == text


@pytest.mark.parametrize(
    ("wager", "wins"),
    [
        ("player", ["win"]),  # a push is no win
        ("banker/commission-free", ["win", "win-6"]),
        ("dragon-bonus/A@player", [*(f"win-by-{points}" for points in range(4, 10)), "natural-win"]),
        ("golden-talons/B@player", [*(f"win-by-{points}" for points in range(4, 10)), "natural-win", "natural-tie"]),
        ("top-card-home", ["win"]),  # half back is none either
        ("heavenly9", ["both-same-suit", "both-same-color", "both", "banker-3card-9", "player-3card-9"]),
    ],
)
def test_a_win_brings_back_more_than_the_wager(wager: str, wins: list[str]) -> None:
    found = of(wager)
    assert found.win_probability == sum((found.probability(name) for name in wins), Fraction(0))


def test_the_layout_assumed_where_none_is_given() -> None:
    expected = "KS9S KH9H KD9D KC9C KS9H KS9D KS9C KH9S KH9D"
    assert royal9.DEFAULT_LAYOUT.combinations == tuple(expected.split())
    assert len(set(royal9.COMBINATIONS)) == 16


def test_harmony_seeds_are_not_the_houses_in_the_long_run() -> None:
    harmony = of("harmony/B")
    assert long_run_return(harmony, {"harmony": Filed(25_000_00, 190_000)}) == harmony.returns + Fraction(24, 100)
