"""The money of a table in situations worked out by hand from docs/behaviour.md: every amount below is a literal.

The minibaccarat example takes $5 wagers. Each Royal 9 gives 50 cents to the Mega, 20 to Major and Minor, 25 to the
mystery; each Harmony 95 to its meter and 25 to its reserve. The house has seeded 55,000 + 450 + 450 + 250 + 25,000
= $81,150.00. The baccarat example gives 50 cents of each $5 to Heavenly 9 and 10 to Must-Hit-By; $10,250.00 seeded.
"""

import pytest

from controller.core import inputs
from controller.core.inputs import Input
from controller.core.meters import Meter
from controller.core.refusals import Refusal, Refused
from controller.core.state import Award, Round
from tests.core.play import DEALER, FLOOR, FLOOR2, HEAVENLY, MINI, SUPERVISOR, SUPERVISOR2, Rigged, Table

CENT = 1_000_000
Cards = dict[str, tuple[str, ...]]


def cards(player: str, banker: str) -> Cards:
    return {"player": tuple(player.split()), "banker": tuple(banker.split())}


NOTHING = cards("2S 6S", "2H 5D")
MAJOR_OF_1 = cards("2S 3H", "KS 9S")
MAJOR_OF_2 = cards("2S 3H", "KH 9H")
MINOR_OF_2_IN_A_SUITED_TIE = cards("KH 9H", "KS 9S")
MAJOR_OF_5_AND_MINOR_OF_6 = cards("KH 9S", "KS 9H")
MEGA_OF_1 = cards("KS 9S", "KS 9S")
SIX_TWOS = cards("2S 2H 2D", "2C 2S 2H")

ODD_RATE = MINI.replace('major = { seed = "450.00", rate = "4%" }', 'major = { seed = "450.00", rate = "4.0003%" }')
NEW_MAJOR = MINI.replace('major = { seed = "450.00", rate = "4%" }', 'major = { seed = "600.00", rate = "5%" }')
BIG_HARMONY = MINI.replace('"B"\ndenomination = 5', '"B"\ndenomination = 30000')


def must_hit_by(dollars: int) -> str:
    """The baccarat example with a larger wager; play is not held by a hit."""
    toml = HEAVENLY.replace("[heavenly9]\ndenomination = 5", f"[heavenly9]\ndenomination = {dollars}")
    return toml.replace("hold_play_on_hit = true", "hold_play_on_hit = false")


def opened(toml: str = MINI, **values: list[int]) -> Table:
    """A table in its first round, no chip on any sensor. Mystery values not given are just below their maximum."""
    table = Table(toml, rigged=Rigged(**values))
    filed = table.state.filed
    assert filed is not None
    for wager in filed.wagers:
        for position in range(1, 10):
            table.do(inputs.WagerAbsent, position=position, wager=wager)
    table.do(inputs.TableOpened, by=DEALER)
    return table


def lock(table: Table, *royal9: int, harmony: tuple[int, ...] = (), heavenly9: tuple[int, ...] = ()) -> Table:
    """The open round locked with wagers at these positions, made in this order."""
    for wager, positions in (("royal9", royal9), ("harmony", harmony), ("heavenly9", heavenly9)):
        for position in positions:
            table.do(inputs.WagerPresent, position=position, wager=wager)
    table.do(inputs.Button)
    return table


def reopen(table: Table) -> Table:
    """All chips lifted, and the next round open."""
    for wager in record(table, table.state.round).wagers:
        table.do(inputs.WagerAbsent, position=wager.position, wager=wager.wager)
    table.do(inputs.Button)
    return table


def deal(table: Table, hand: Cards) -> None:
    table.do(inputs.HandComplete, **hand)


def late(table: Table, round_: int, hand: Cards) -> None:
    table.do(inputs.LateHand, by=FLOOR, round=round_, **hand)


def correct(table: Table, round_: int, hand: Cards) -> None:
    table.do(inputs.HandCorrected, by=FLOOR, round=round_, **hand)


def validate(table: Table, award: Award) -> None:
    table.do(inputs.AwardValidated, by=FLOOR, second=FLOOR2, award=award.id, method="slip", base_wager=True)


def reject(table: Table, award: Award) -> None:
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award.id, reason="no base wager")


def void(table: Table) -> None:
    table.do(inputs.RoundVoided, by=FLOOR, round=table.state.round, reason="misdeal")


def take_out(table: Table, round_: int, position: int, wager: str) -> None:
    given = {"round": round_, "position": position, "wager": wager, "reason": "a minor"}
    table.do(inputs.WagerVoided, by=FLOOR, second=FLOOR2, **given)


def adjustment(table: Table, id_: str, delta_cents: int, source: str) -> dict[str, object]:
    """What supervisors ask for who see the sign. With a key, since `Table` takes `source` for that of a hand."""
    expected = {"key": f"adjust-{table.now}", "expected_cents": meter(table, id_).display_cents, "reason": "counted"}
    return expected | {"by": SUPERVISOR, "meter": id_, "delta_cents": delta_cents, "source": source}


def adjust(table: Table, id_: str, delta_cents: int, source: str = "adjustments") -> None:
    table.do(inputs.MeterAdjusted, second=SUPERVISOR2, **adjustment(table, id_, delta_cents, source))


def refused(table: Table, why: Refusal, kind: type[Input], **parts: object) -> None:
    """Refused for this reason, and no money moved."""
    before = (table.state.meters, table.state.accounts, table.state.awards)
    answer = table.try_(kind, **parts)
    assert isinstance(answer, Refused), answer
    assert answer.refusal is why, answer
    assert (table.state.meters, table.state.accounts, table.state.awards) == before


def record(table: Table, round_: int) -> Round:
    found = table.state.record(round_)
    assert found is not None
    return found


def meter(table: Table, id_: str) -> Meter:
    return table.state.meters[id_]


def counted(table: Table, id_: str) -> tuple[int, int, int, int]:
    """What a meter has counted: cents in, hits, cents won, cents paid."""
    counts = meter(table, id_)
    return counts.in_cents, counts.hits, counts.wins_cents, counts.paid_cents


def cents(table: Table, account: str) -> int:
    """What is in an account; a fraction of a cent would fail."""
    whole, fraction = divmod(table.state.accounts.get(account, 0), CENT)
    assert fraction == 0
    return whole


def due(table: Table, round_: int = 1) -> dict[tuple[int, str], int]:
    """Pending awards of a round in cents, by position and outcome; each has exactly its amount set aside."""
    pending = [award for award in record(table, round_).awards if award.fate == "pending"]
    assert all(cents(table, f"pending:{award.id}") == award.amount_cents for award in pending)
    return {(award.position, award.outcome): award.amount_cents for award in pending}


def award_of(table: Table, position: int, outcome: str, round_: int = 1) -> Award:
    """The pending award of a position."""
    (id_,) = [
        award.id
        for award in record(table, round_).awards
        if (award.position, award.outcome, award.fate) == (position, outcome, "pending")
    ]
    found = table.state.award(id_)
    assert found is not None
    return found


def test_one_lock_out_feeds_every_meter_of_the_minibaccarat_example() -> None:
    table = lock(opened(), 1, 2, 3, harmony=(4, 5))
    held = {id_: each.units for id_, each in table.state.meters.items()}
    assert held == {
        "royal9-mega": 5_500_150 * CENT,
        "royal9-major": 45_060 * CENT,
        "royal9-minor": 45_060 * CENT,
        "royal9-mystery": 25_075 * CENT,
        "harmony": 2_500_190 * CENT,
    }
    assert meter(table, "harmony").reserve == 50 * CENT
    assert {each.in_cents for each in table.state.meters.values() if each.wager == "royal9"} == {1_500}
    assert counted(table, "harmony") == (1_000, 0, 0, 0)
    assert cents(table, "wagers") == -585  # 150 + 60 + 60 + 75 + 190 + 50
    assert cents(table, "house:seed") == -8_115_000


def test_one_lock_out_feeds_heavenly9_and_must_hit_by_beside_it() -> None:
    table = lock(opened(HEAVENLY), heavenly9=(1, 2, 9))
    assert meter(table, "heavenly9").units == 1_000_150 * CENT
    assert meter(table, "must-hit-by").units == 25_030 * CENT
    assert (counted(table, "heavenly9"), counted(table, "must-hit-by")) == ((1_500, 0, 0, 0), (1_500, 0, 0, 0))
    assert (cents(table, "wagers"), cents(table, "house:seed")) == (-180, -1_025_000)


def test_a_hit_pays_whole_cents_the_fraction_stays_and_the_next_cycle_opens_at_once() -> None:
    table = lock(opened(ODD_RATE), 1, 2)
    assert meter(table, "royal9-major").units == 45_040_003_000  # 45,000 cents + 2 x 500 x 40,003 units
    deal(table, MAJOR_OF_1)
    assert due(table) == {(1, "major"): 45_040}
    assert (meter(table, "royal9-major").units, meter(table, "royal9-major").cycle) == (45_000_003_000, 2)
    assert counted(table, "royal9-major") == (1_000, 1, 45_040, 0)
    assert cents(table, "house:seed") == -8_160_000
    lock(reopen(table), 1)  # and what is contributed now is the next cycle's
    assert meter(table, "royal9-major").units == 45_020_004_500
    assert due(table) == {(1, "major"): 45_040}


def test_harmony_opens_from_its_reserve_topped_up_to_the_minimum() -> None:
    table = lock(opened(), harmony=(1, 2))
    deal(table, SIX_TWOS)
    assert due(table) == {(1, "six-of-a-kind"): 1_250_095, (2, "six-of-a-kind"): 1_250_095}  # half of 25,001.90
    assert (meter(table, "harmony").units, meter(table, "harmony").reserve) == (500_000 * CENT, 0)
    assert cents(table, "house:seed") == -8_115_000 - 499_950  # the reserve held 50 cents
    assert counted(table, "harmony") == (1_000, 1, 2_500_190, 0)


def test_harmony_opens_at_a_reserve_above_the_minimum_without_the_house() -> None:
    table = lock(opened(BIG_HARMONY), harmony=(1, 2, 3, 4))  # 5,700 each to the meter, 1,500 to the reserve
    deal(table, SIX_TWOS)
    assert set(due(table).values()) == {1_195_000}  # a quarter of 25,000 + 22,800
    assert (meter(table, "harmony").units, meter(table, "harmony").reserve) == (600_000 * CENT, 0)
    assert cents(table, "house:seed") == -8_115_000


def three_shares() -> Table:
    """Harmony at $25,002.85 won by three: 8,334.28 each and one odd cent."""
    table = lock(opened(), harmony=(1, 2, 3))
    deal(table, SIX_TWOS)
    return table


def test_odd_cents_of_shares_stay_in_the_meter() -> None:
    table = three_shares()
    assert due(table) == {(seat, "six-of-a-kind"): 833_428 for seat in (1, 2, 3)}
    assert meter(table, "harmony").units == 500_001 * CENT
    assert counted(table, "harmony") == (1_500, 1, 2_500_284, 0)
    assert cents(table, "house:seed") == -8_115_000 - 499_925


def test_major_and_minor_go_to_two_positions_in_one_round() -> None:
    table = lock(opened(), 1, 5, 6)
    deal(table, MAJOR_OF_5_AND_MINOR_OF_6)
    assert due(table) == {(5, "major"): 45_060, (6, "minor"): 45_060}
    assert meter(table, "royal9-major").units == meter(table, "royal9-minor").units == 45_000 * CENT
    assert cents(table, "house:seed") == -8_115_000 - 90_000
    assert cents(table, "paid:fixed") == 25_000  # position 1: a Royal 9 tie, $250, the dealer's


def test_envy_goes_to_the_others_when_the_mega_position_has_no_wager_and_nothing_resets() -> None:
    table = lock(opened(), 2, 3)
    deal(table, MEGA_OF_1)
    assert due(table) == {(2, "mega-envy"): 500_000, (3, "mega-envy"): 500_000}
    assert (meter(table, "royal9-mega").units, meter(table, "royal9-mega").cycle) == (5_500_100 * CENT, 1)
    assert counted(table, "royal9-mega") == (1_000, 0, 0, 0)
    assert (cents(table, "house:fixed"), cents(table, "house:seed")) == (-1_000_000, -8_115_000)


def test_a_suited_tie_pays_more_than_a_minor_which_is_then_not_hit() -> None:
    table = lock(opened(), 2)
    deal(table, MINOR_OF_2_IN_A_SUITED_TIE)
    assert due(table) == {(2, "suited-royal9-tie"): 150_000}
    assert award_of(table, 2, "suited-royal9-tie").listed == "minor"
    assert meter(table, "royal9-minor").units == 45_020 * CENT
    assert counted(table, "royal9-minor") == (500, 0, 0, 0)
    assert cents(table, "house:fixed") == -150_000


def test_by_list_order_the_minor_is_paid_though_a_suited_tie_is_more() -> None:
    table = lock(opened(MINI.replace('award = "highest"', 'award = "list"')), 2)
    deal(table, MINOR_OF_2_IN_A_SUITED_TIE)
    assert due(table) == {(2, "minor"): 45_020}
    assert meter(table, "royal9-minor").units == 45_000 * CENT
    assert cents(table, "house:fixed") == 0


def test_several_mystery_hits_fall_into_one_lock_out_each_opening_its_own_cycle() -> None:
    # $400 of each wager. 1: 250 + 400 = 650, above 600. 2: 650, not above 999.99. 3: 1,050 is 1,000 and 50 over, so the
    # next cycle opens at 300. 4: 700, above 300. 5: 250 + 400 = 650, not above 650.
    table = lock(opened(must_hit_by(20_000), must_hit_by=[60_000, 99_999, 30_000, 65_000]), heavenly9=(1, 2, 3, 4, 5))
    assert due(table) == {(1, "mystery"): 65_000, (3, "mystery"): 100_000, (4, "mystery"): 70_000}
    assert (meter(table, "must-hit-by").units, meter(table, "must-hit-by").cycle) == (65_000 * CENT, 4)
    assert counted(table, "must-hit-by") == (10_000_000, 3, 235_000, 0)
    assert cents(table, "house:seed") == -1_025_000 - 3 * 25_000


def test_must_hit_by_hits_exactly_at_the_maximum() -> None:
    table = lock(opened(must_hit_by(12_500), must_hit_by=[99_999]), heavenly9=(3, 1, 2))  # $250 each: 500, 750, 1,000
    assert due(table) == {(2, "mystery"): 100_000}
    assert meter(table, "must-hit-by").units == 25_000 * CENT
    validate(table, award_of(table, 2, "mystery"))
    assert cents(table, "paid:must-hit-by") == 100_000
    assert counted(table, "must-hit-by") == (3_750_000, 1, 100_000, 100_000)


def test_a_rejected_mystery_award_is_carried_and_adjusted_into_a_hand_based_meter() -> None:
    table = lock(opened(royal9_mystery=[25_000, 99_999]), 1)
    reject(table, award_of(table, 1, "mystery"))
    assert meter(table, "royal9-mystery").units == 25_000 * CENT
    assert meter(table, "royal9-mystery").carry == 25_025 * CENT
    assert counted(table, "royal9-mystery") == (500, 1, 0, 0)
    assert cents(table, "house:seed") == -8_140_000  # the next cycle keeps its seed
    carry = "carry:royal9-mystery"
    for id_, delta, second, why in (
        ("royal9-minor", 20_000, None, Refusal.SECOND_PERSON),
        ("royal9-minor", 25_026, SUPERVISOR2, Refusal.BAD_REQUEST),  # more than is carried
        ("royal9-mystery", 25_025, SUPERVISOR2, Refusal.BAD_REQUEST),
    ):
        refused(table, why, inputs.MeterAdjusted, second=second, **adjustment(table, id_, delta, carry))
    adjust(table, "royal9-minor", 20_000, carry)
    adjust(table, "royal9-minor", 5_025, carry)
    assert meter(table, "royal9-minor").units == 70_045 * CENT
    assert (meter(table, "royal9-mystery").carry, cents(table, carry)) == (0, 0)


def test_validation_pays_under_the_next_slip_number_and_is_final() -> None:
    table = lock(opened(), 1, 5, 6)
    deal(table, MAJOR_OF_5_AND_MINOR_OF_6)
    minor, major = award_of(table, 6, "minor"), award_of(table, 5, "major")
    validate(table, minor)
    assert (table.state.slip, cents(table, "paid:royal9-minor"), cents(table, f"pending:{minor.id}")) == (1, 45_060, 0)
    assert due(table) == {(5, "major"): 45_060}
    validate(table, major)
    assert (table.state.slip, cents(table, "paid:royal9-major")) == (2, 45_060)
    assert counted(table, "royal9-major") == counted(table, "royal9-minor") == (1_500, 1, 45_060, 45_060)
    two = {"by": FLOOR, "second": FLOOR2}
    refused(table, Refusal.VALIDATED, inputs.AwardValidated, award=major.id, method="slip", base_wager=True, **two)
    refused(table, Refusal.VALIDATED, inputs.AwardRejected, award=major.id, reason="too late", **two)
    refused(table, Refusal.VALIDATED, inputs.WagerVoided, round=1, position=5, wager="royal9", reason="late", **two)


def test_rejecting_a_jackpot_gives_the_reseed_back_and_keeps_contributions_since() -> None:
    table = lock(opened(), 1)
    deal(table, MAJOR_OF_1)
    lock(reopen(table), 1, 2)
    assert meter(table, "royal9-major").units == 45_040 * CENT
    reject(table, award_of(table, 1, "major"))
    assert meter(table, "royal9-major").units == 45_060 * CENT  # 45,040 - 45,000 + 45,020
    assert counted(table, "royal9-major") == (1_500, 0, 0, 0)
    assert cents(table, "house:seed") == -8_115_000


def two_majors() -> Table:
    """$450.20 won in round 1, then $450.40 in round 2, both pending."""
    table = lock(opened(), 1)
    deal(table, MAJOR_OF_1)
    lock(reopen(table), 1, 2)
    deal(table, MAJOR_OF_2)
    assert due(table) | due(table, 2) == {(1, "major"): 45_020, (2, "major"): 45_040}
    return table


def test_rejecting_a_jackpot_after_a_later_hit_keeps_the_reseed() -> None:
    table = two_majors()
    reject(table, award_of(table, 1, "major"))
    assert meter(table, "royal9-major").units == 90_020 * CENT
    assert counted(table, "royal9-major") == (1_500, 1, 45_040, 0)
    assert cents(table, "house:seed") == -8_115_000 - 90_000
    reject(table, award_of(table, 2, "major", 2))  # the last hit: its reseed goes back
    assert meter(table, "royal9-major").units == 90_060 * CENT
    assert cents(table, "house:seed") == -8_115_000 - 45_000


def test_rejecting_two_jackpots_from_the_last_gives_both_reseeds_back() -> None:
    table = two_majors()
    reject(table, award_of(table, 2, "major", 2))
    assert meter(table, "royal9-major").units == 45_040 * CENT
    reject(table, award_of(table, 1, "major"))
    assert meter(table, "royal9-major").units == 45_060 * CENT
    assert counted(table, "royal9-major") == (1_500, 0, 0, 0)
    assert cents(table, "house:seed") == -8_115_000


def test_rejecting_harmony_returns_the_reserve_it_released() -> None:
    table = lock(opened(), harmony=(1,))
    deal(table, SIX_TWOS)
    lock(reopen(table), harmony=(1,))
    assert (meter(table, "harmony").units, meter(table, "harmony").reserve) == (500_095 * CENT, 25 * CENT)
    reject(table, award_of(table, 1, "six-of-a-kind"))
    assert (meter(table, "harmony").units, meter(table, "harmony").reserve) == (2_500_190 * CENT, 50 * CENT)
    assert cents(table, "house:seed") == -8_115_000


def test_rejected_shares_are_split_anew_and_the_last_undoes_the_hit() -> None:
    table = three_shares()
    reject(table, award_of(table, 3, "six-of-a-kind"))
    assert due(table) == {(1, "six-of-a-kind"): 1_250_142, (2, "six-of-a-kind"): 1_250_142}
    assert meter(table, "harmony").units == 500_001 * CENT
    reject(table, award_of(table, 1, "six-of-a-kind"))
    assert due(table) == {(2, "six-of-a-kind"): 2_500_285}
    assert meter(table, "harmony").units == 500_000 * CENT  # the odd cent came out
    assert counted(table, "harmony") == (1_500, 1, 2_500_285, 0)
    reject(table, award_of(table, 2, "six-of-a-kind"))
    assert (meter(table, "harmony").units, meter(table, "harmony").reserve) == (2_500_285 * CENT, 75 * CENT)
    assert counted(table, "harmony") == (1_500, 0, 0, 0)
    assert (cents(table, "house:seed"), cents(table, "house:late")) == (-8_115_000, 0)


def test_a_correction_that_removes_a_jackpot_returns_it_and_keeps_contributions_since() -> None:
    table = lock(opened(), 1, 2)
    deal(table, MAJOR_OF_1)
    lock(reopen(table), 1, 2)
    correct(table, 1, NOTHING)
    assert due(table) == {}
    assert meter(table, "royal9-major").units == 45_080 * CENT
    assert counted(table, "royal9-major") == (2_000, 0, 0, 0)
    assert (cents(table, "house:seed"), cents(table, "paid:fixed")) == (-8_115_000, 0)


def test_a_correction_that_makes_a_jackpot_pays_that_rounds_amount() -> None:
    table = lock(opened(), 1, 2)
    deal(table, NOTHING)
    lock(reopen(table), 1, 2)
    correct(table, 1, MAJOR_OF_1)
    assert due(table) == {(1, "major"): 45_040}
    assert meter(table, "royal9-major").units == 45_040 * CENT  # 45,000 and the 40 cents of round 2
    assert cents(table, "house:seed") == -8_160_000


def test_a_correction_from_major_to_mega_undoes_the_one_and_makes_the_other() -> None:
    table = lock(opened(), 1, 2)
    deal(table, MAJOR_OF_1)
    assert cents(table, "paid:fixed") == 5_000  # position 2: any suited Royal 9
    correct(table, 1, MEGA_OF_1)
    assert due(table) == {(1, "mega"): 5_500_100, (2, "mega-envy"): 500_000}
    assert (meter(table, "royal9-major").units, meter(table, "royal9-mega").units) == (45_040 * CENT, 5_000_000 * CENT)
    assert counted(table, "royal9-major") == (1_000, 0, 0, 0)
    assert counted(table, "royal9-mega") == (1_000, 1, 5_500_100, 0)
    assert cents(table, "house:seed") == -8_115_000 - 5_000_000
    assert (cents(table, "paid:fixed"), cents(table, "house:fixed")) == (0, -500_000)


def test_a_correction_after_the_meter_was_hit_again_returns_the_old_award_and_the_house_pays_the_new_one() -> None:
    table = lock(opened(), 1, 2)
    deal(table, MAJOR_OF_1)
    lock(reopen(table), 1, 2)
    deal(table, MAJOR_OF_2)
    correct(table, 1, MAJOR_OF_2)
    assert due(table) == due(table, 2) == {(2, "major"): 45_040}
    assert meter(table, "royal9-major").units == 90_040 * CENT  # 45,000 and the 45,040 of position 1; the reseed stays
    assert (cents(table, "house:late"), cents(table, "house:seed")) == (-45_040, -8_115_000 - 90_000)


@pytest.mark.parametrize("hand", [NOTHING, MEGA_OF_1])
def test_a_correction_that_makes_a_validated_jackpot_undue_is_refused(hand: Cards) -> None:
    table = lock(opened(), 1, 2)
    deal(table, MAJOR_OF_1)
    validate(table, award_of(table, 1, "major"))
    refused(table, Refusal.VALIDATED, inputs.HandCorrected, by=FLOOR, round=1, **hand)


def test_a_late_hand_pays_the_amount_at_its_lock_out_and_what_came_later_stays() -> None:
    table = lock(opened(), harmony=(1,))
    for _ in range(2):
        lock(reopen(table), harmony=(1,))
    late(table, 1, SIX_TWOS)
    assert due(table) == {(1, "six-of-a-kind"): 2_500_095}
    assert meter(table, "harmony").units == 500_190 * CENT  # opened at 5,000; 2 x 95 cents came later
    assert meter(table, "harmony").reserve == 50 * CENT  # 2 x 25 cents came later
    assert cents(table, "house:seed") == -8_115_000 - 499_975


def late_major() -> Table:
    """Round 1 not entered; $450.60 won in round 2; then round 1's hand, worth $450.20."""
    table = lock(opened(), 1)
    lock(reopen(table), 1, 2)
    deal(table, MAJOR_OF_2)
    lock(reopen(table), 1)
    late(table, 1, MAJOR_OF_1)
    return table


def test_a_late_hand_whose_meter_was_hit_again_is_paid_whole_by_the_house_and_two_people() -> None:
    table = late_major()
    assert (due(table), due(table, 2)[2, "major"]) == ({(1, "major"): 45_020}, 45_060)
    assert (meter(table, "royal9-major").units, meter(table, "royal9-major").cycle) == (45_020 * CENT, 2)
    assert counted(table, "royal9-major") == (2_000, 2, 90_080, 0)
    assert (cents(table, "house:late"), cents(table, "house:seed")) == (-45_020, -8_160_000)
    award = award_of(table, 1, "major")
    alone = {"by": FLOOR, "award": award.id, "method": "slip", "base_wager": True}
    refused(table, Refusal.SECOND_PERSON, inputs.AwardValidated, **alone)
    validate(table, award)
    assert (cents(table, "paid:royal9-major"), cents(table, "house:late")) == (45_020, -45_020)


def test_a_rejected_late_award_returns_to_the_house_and_not_to_the_meter() -> None:
    table = late_major()
    reject(table, award_of(table, 1, "major"))
    assert cents(table, "house:late") == 0
    assert meter(table, "royal9-major").units == 45_020 * CENT
    assert counted(table, "royal9-major") == (2_000, 1, 45_060, 0)


def test_a_late_award_paid_by_the_house_is_no_hit_that_keeps_another_ones_reseed() -> None:
    table = late_major()
    reject(table, award_of(table, 2, "major", 2))
    assert meter(table, "royal9-major").units == 45_080 * CENT  # 45,020 - 45,000 + 45,060
    assert (cents(table, "house:late"), cents(table, "house:seed")) == (-45_020, -8_115_000)


def test_what_an_adjustment_took_from_a_late_jackpot_the_house_adds_and_gets_back() -> None:
    table = reopen(lock(opened(), 1))
    adjust(table, "royal9-mega", -500_000)  # from 55,000.50
    late(table, 1, MEGA_OF_1)
    assert due(table) == {(1, "mega"): 5_500_050}
    assert meter(table, "royal9-mega").units == 5_000_000 * CENT
    assert (cents(table, "house:late"), cents(table, "adjustments")) == (-500_000, 500_000)
    reject(table, award_of(table, 1, "mega"))
    assert meter(table, "royal9-mega").units == 5_000_050 * CENT
    assert (cents(table, "house:late"), cents(table, "house:seed")) == (0, -8_115_000)


def test_what_later_rounds_gave_is_not_used_for_a_late_jackpot_whose_meter_was_lowered() -> None:
    table = lock(opened(), 1, 2)
    for _ in range(2):
        lock(reopen(table), 1)
    take_out(table, 1, 2, "royal9")  # from 450.80 to 450.60, of which 20 cents are round 3's
    late(table, 2, MAJOR_OF_1)
    assert due(table, 2) == {(1, "major"): 45_060}
    assert (meter(table, "royal9-major").units, cents(table, "house:late")) == (45_020 * CENT, -20)
    void(table)
    assert meter(table, "royal9-major").units == 45_000 * CENT  # never below the reset amount


def test_what_an_adjustment_added_since_does_not_belong_to_a_late_jackpot() -> None:
    table = reopen(lock(opened(), 1))
    adjust(table, "royal9-major", 1_000)
    late(table, 1, MAJOR_OF_1)
    assert due(table) == {(1, "major"): 45_020}
    assert meter(table, "royal9-major").units == 46_000 * CENT


def test_a_void_takes_every_contribution_back_reserve_included() -> None:
    table = opened()
    before = (table.state.accounts, {id_: (each.units, each.reserve) for id_, each in table.state.meters.items()})
    void(lock(table, 1, 2, harmony=(1, 3)))
    after = (table.state.accounts, {id_: (each.units, each.reserve) for id_, each in table.state.meters.items()})
    assert after == before
    assert {each.in_cents for each in table.state.meters.values()} == {0}


def test_in_a_void_a_mystery_hit_stands_and_the_house_refunds_what_is_inside_it() -> None:
    table = lock(opened(royal9_mystery=[25_000, 99_999]), 1, 2)
    void(table)
    assert due(table) == {(1, "mystery"): 25_025}
    assert meter(table, "royal9-mystery").units == 25_000 * CENT  # without the 25 cents of position 2
    assert counted(table, "royal9-mystery") == (0, 1, 25_025, 0)
    assert (cents(table, "house:void"), cents(table, "wagers")) == (-25, 0)
    assert (meter(table, "royal9-mega").units, meter(table, "royal9-major").units) == (5_500_000 * CENT, 45_000 * CENT)


def test_in_a_void_a_contribution_split_at_the_ceiling_is_refunded_whole_and_its_spill_stays() -> None:
    # $200 each: 450, 650, 850, then 1,050: the award is 1,000 and 50 spill; position 5 makes 300 into 500.
    table = lock(opened(must_hit_by(10_000), must_hit_by=[99_999]), heavenly9=(1, 2, 3, 4, 5))
    assert meter(table, "must-hit-by").units == 50_000 * CENT
    void(table)
    assert due(table) == {(4, "mystery"): 100_000}
    assert meter(table, "must-hit-by").units == 30_000 * CENT
    assert (cents(table, "house:void"), cents(table, "wagers")) == (-80_000, 0)
    assert meter(table, "heavenly9").units == 1_000_000 * CENT
    assert counted(table, "must-hit-by") == (0, 1, 100_000, 0)


def test_a_king_nine_is_a_natural_so_a_round_with_a_validated_jackpot_is_over_and_not_voided() -> None:
    table = lock(opened(), 1, 2)
    table.do(inputs.FourCards, **MAJOR_OF_1)
    validate(table, award_of(table, 1, "major"))
    refused(table, Refusal.WRONG_PHASE, inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")


def test_a_void_after_the_late_jackpot_of_an_earlier_round_takes_its_own_contributions_back() -> None:
    table = lock(opened(), 1)
    lock(reopen(table), 1, 2)
    late(table, 1, MAJOR_OF_1)
    assert meter(table, "royal9-major").units == 45_040 * CENT
    void(table)
    assert meter(table, "royal9-major").units == 45_000 * CENT
    assert (due(table), cents(table, "house:void")) == ({(1, "major"): 45_020}, 0)
    assert counted(table, "royal9-major") == (500, 1, 45_020, 0)


def test_a_wager_taken_out_before_its_award_lowers_the_amount_of_its_round() -> None:
    table = lock(opened(), 1, 2, 3)
    take_out(table, 1, 3, "royal9")
    assert counted(table, "royal9-major") == (1_000, 0, 0, 0)
    deal(table, MAJOR_OF_1)
    assert due(table) == {(1, "major"): 45_040}
    assert meter(table, "royal9-major").units == 45_000 * CENT
    assert (cents(table, "house:void"), cents(table, "house:late")) == (0, 0)


def test_a_wager_taken_out_of_an_earlier_round_leaves_a_later_rounds_amount_and_the_house_adds_it() -> None:
    table = lock(opened(), 1, 2)
    lock(reopen(table), 1)  # the sign shows 450.60
    take_out(table, 1, 2, "royal9")
    assert meter(table, "royal9-major").units == 45_040 * CENT
    deal(table, MAJOR_OF_1)
    assert due(table, 2) == {(1, "major"): 45_060}
    assert (meter(table, "royal9-major").units, cents(table, "house:late")) == (45_000 * CENT, -20)


def test_a_wager_taken_out_with_its_mystery_award_pending_leaves_it_to_carry() -> None:
    table = lock(opened(royal9_mystery=[25_000, 99_999]), 1, 2)
    take_out(table, 1, 1, "royal9")
    assert due(table) == {}
    assert meter(table, "royal9-mystery").units == 25_025 * CENT  # the 25 cents of position 2
    assert cents(table, "carry:royal9-mystery") == 25_025
    assert counted(table, "royal9-mystery") == (500, 1, 0, 0)
    assert (cents(table, "house:void"), meter(table, "royal9-mega").units) == (-25, 5_500_050 * CENT)


def test_a_wager_taken_out_with_its_share_pending_lets_the_others_share_anew() -> None:
    table = three_shares()
    take_out(table, 1, 3, "harmony")
    assert due(table) == {(1, "six-of-a-kind"): 1_250_142, (2, "six-of-a-kind"): 1_250_142}
    assert meter(table, "harmony").units == 500_001 * CENT
    assert cents(table, "house:void") == -120  # 95 and 25 of reserve are inside the award
    assert counted(table, "harmony") == (1_000, 1, 2_500_284, 0)


def test_a_wager_taken_out_after_another_share_was_validated_returns_its_share_to_the_meter() -> None:
    table = three_shares()
    validate(table, award_of(table, 1, "six-of-a-kind"))
    take_out(table, 1, 3, "harmony")
    assert due(table) == {(2, "six-of-a-kind"): 833_428}
    assert meter(table, "harmony").units == 1_333_429 * CENT  # 500,001 + 833,428: the reseed stays
    assert cents(table, "house:void") == -120
    assert counted(table, "harmony") == (1_000, 1, 1_666_856, 833_428)


def test_a_wager_taken_out_with_the_only_jackpot_undoes_the_hit_and_its_own_contribution() -> None:
    table = lock(opened(), 1, 2)
    deal(table, MEGA_OF_1)
    take_out(table, 1, 1, "royal9")
    assert due(table) == {(2, "mega-envy"): 500_000}  # others' Envy stays
    assert meter(table, "royal9-mega").units == 5_500_050 * CENT
    assert (cents(table, "house:seed"), cents(table, "house:void")) == (-8_115_000, 0)


FILING = {"by": SUPERVISOR, "second": SUPERVISOR2, "day": "2026-11-16", "reason": "filed"}


def test_a_late_jackpot_does_not_miss_what_a_later_round_gave_and_got_back() -> None:
    table = reopen(lock(opened(), 1))
    void(lock(table, 2, 3))
    late(table, 1, MAJOR_OF_1)
    assert due(table) == {(1, "major"): 45_020}
    assert (cents(table, "house:late"), meter(table, "royal9-major").display_cents) == (0, 45_000)


def test_an_award_waits_for_its_validation_however_many_days_pass() -> None:
    table = lock(opened(), 1)
    deal(table, MAJOR_OF_1)
    for _ in range(5):  # so that its round is none of the last ones
        deal(lock(reopen(table)), NOTHING)
    for day in (17, 18, 19):
        table.do(inputs.ReadingsDue, day=f"2026-11-{day}")
    validate(table, award_of(table, 1, "major"))
    assert cents(table, "paid:royal9-major") == 45_020


def test_a_void_gives_back_only_what_was_not_given_back_before() -> None:
    table = lock(opened(), 1, 2)
    take_out(table, 1, 1, "royal9")
    void(table)
    assert (cents(table, "wagers"), cents(table, "house:void")) == (0, 0)
    assert (meter(table, "royal9-mega").display_cents, counted(table, "royal9-mega")) == (5_500_000, (0, 0, 0, 0))


def test_a_wager_taken_out_leaves_the_other_wager_of_its_position_in() -> None:
    table = lock(opened(), 1, harmony=(1,))
    take_out(table, 1, 1, "royal9")
    deal(table, SIX_TWOS)
    assert due(table) == {(1, "six-of-a-kind"): 2_500_095}


def test_a_new_reset_and_rate_take_effect_at_the_next_reset_and_rejecting_that_hit_undoes_them() -> None:
    table = lock(opened(), 1)
    table.do(inputs.SubmissionChanged, toml=NEW_MAJOR, **FILING)
    assert meter(table, "royal9-major").units == 45_020 * CENT
    lock(reopen(table), 1)
    assert meter(table, "royal9-major").units == 45_040 * CENT  # still 4%
    deal(table, MAJOR_OF_1)
    assert (due(table, 2), meter(table, "royal9-major").units) == ({(1, "major"): 45_040}, 60_000 * CENT)
    assert cents(table, "house:seed") == -8_175_000
    lock(reopen(table), 1)
    assert meter(table, "royal9-major").units == 60_025 * CENT  # now 5%
    reject(table, award_of(table, 1, "major", 2))
    assert meter(table, "royal9-major").units == 45_065 * CENT  # 60,025 - 60,000 + 45,040
    assert cents(table, "house:seed") == -8_115_000
    lock(reopen(table), 1)
    assert meter(table, "royal9-major").units == 45_085 * CENT  # 4% again
    deal(table, MAJOR_OF_1)
    assert (due(table, 4), meter(table, "royal9-major").units) == ({(1, "major"): 45_085}, 60_000 * CENT)


def test_undoing_a_reset_leaves_the_submission_in_force_to_the_next_one() -> None:
    table = lock(opened(), 1)
    table.do(inputs.SubmissionChanged, toml=NEW_MAJOR, **FILING)
    deal(table, MAJOR_OF_1)
    table.do(
        inputs.SubmissionChanged, toml=NEW_MAJOR.replace('"600.00", rate = "5%"', '"700.00", rate = "6%"'), **FILING
    )
    reject(table, award_of(table, 1, "major"))
    lock(reopen(table), 1)
    deal(table, MAJOR_OF_1)
    assert (due(table, 2), meter(table, "royal9-major").units) == ({(1, "major"): 45_040}, 70_000 * CENT)
    lock(reopen(table), 1)
    assert meter(table, "royal9-major").units == 70_030 * CENT
