"""What each situation does to the money, computed by hand; every input is booked by the auditor as well."""

from fractions import Fraction

import pytest

from controller.core import inputs
from controller.core.decision import Decision
from controller.core.phases import Phase
from controller.core.refusals import Refusal, Refused
from controller.core.state import Award
from tests.core.auditor import Audited
from tests.core.play import DEALER, FLOOR, FLOOR2, MINI, SUPERVISOR, SUPERVISOR2, Rigged

# A wager of $5 under MINI gives $0.50 to the Mega, $0.20 to Major and to Minor, $0.25 to the mystery; on Harmony $0.95
# and $0.25 to the reserve. The layout: 1 KS9S, 2 KH9H, 3 KD9D, …

ACES = (("AS", "AH", "AD"), ("AC", "AS", "AH"))  # six of a kind
LOSES = (("KH", "7D"), ("KC", "6S"))
MAJOR_1 = (("KH", "7D"), ("KS", "9S"))  # the Banker holds position 1's
MAJOR_2 = (("KC", "7D"), ("KH", "9H"))
MINOR_1 = (("9S", "KS"), ("KD", "7H"))
MEGA_1 = (("KS", "9S"), ("9S", "KS"))
NINES = (("KS", "2S", "7S"), ("KS", "2S", "7S"))  # both three-card nines, one suit
OPEN_HAND = (("2H", "3D"), ("4C", "KS"))  # cards still owed
Cards = tuple[tuple[str, ...], tuple[str, ...]]


def heavenly(denomination: int, paytable: str = "A", configuration: int = 5) -> str:
    return f"""
[table]
site = "here"
id = "bac-1"
game = "baccarat"
positions = 4
decks = 8

[heavenly9]
denomination = {denomination}
must_hit_by = {{ paytable = "{paytable}", configuration = {configuration} }}
"""


class Floor(Audited):
    """A table with the people around it; amounts in dollars."""

    def __init__(self, toml: str = MINI, **values: list[int]) -> None:
        super().__init__(toml, rigged=Rigged(**values))
        self.do(inputs.TableOpened, by=DEALER)

    def bet(self, *positions: int, wager: str = "royal9") -> None:
        for position in positions:
            self.do(inputs.WagerAbsent, position=position, wager=wager)
            self.do(inputs.WagerPresent, position=position, wager=wager)

    def lock(self) -> None:
        if self.state.phase is not Phase.OPEN:
            self.do(inputs.Button)
        self.do(inputs.Button)

    def hand(self, cards: Cards) -> list[Award]:
        kind = inputs.HandComplete if cards is not OPEN_HAND else inputs.FourCards
        self.do(kind, player=cards[0], banker=cards[1], by=DEALER, source="console")
        return self.awards()

    def round(self, *positions: int, cards: Cards | None = LOSES, wager: str = "royal9") -> list[Award]:
        if self.state.phase is not Phase.OPEN:
            self.do(inputs.Button)
        self.bet(*positions, wager=wager)
        self.lock()
        return self.hand(cards) if cards else self.awards()

    def late(self, number: int, cards: Cards, *, correct: bool = False) -> list[Award]:
        kind = inputs.HandCorrected if correct else inputs.LateHand
        self.do(kind, round=number, player=cards[0], banker=cards[1], by=FLOOR)
        return self.awards(number)

    def awards(self, number: int = 0) -> list[Award]:
        """The awards of a round that stand."""
        record = self.state.record(number or self.state.round)
        assert record is not None
        return [award for award in record.awards if award.fate in {"pending", "paid"}]

    def validate(self, award: Award) -> None:
        parts = {"award": award.id, "method": "slip", "base_wager": True}
        self.do(inputs.AwardValidated, by=FLOOR, second=FLOOR2, **parts)

    def reject(self, award: Award) -> None:
        self.do(inputs.AwardRejected, award=award.id, reason="no base wager", by=FLOOR, second=FLOOR2)

    def void(self) -> None:
        self.do(inputs.RoundVoided, round=self.state.round, reason="misdeal", by=FLOOR)

    def take_out(self, number: int, position: int, wager: str = "royal9") -> None:
        people = {"by": FLOOR, "second": FLOOR2}
        self.do(inputs.WagerVoided, round=number, position=position, wager=wager, reason="no chip", **people)

    def adjust(self, meter: str, to: str, source: str = "adjustments") -> None:
        shown = self.state.meters[meter].units // 10**6
        self._keys += 1
        self.do(
            inputs.MeterAdjusted,
            key=f"adjust-{self._keys}",
            meter=meter,
            delta_cents=int(Fraction(to) * 100) - shown,
            expected_cents=shown,
            reason="count",
            source=source,
            by=SUPERVISOR,
            second=SUPERVISOR2,
        )

    def file(self, toml: str) -> None:
        people = {"by": SUPERVISOR, "second": SUPERVISOR2}
        self.do(inputs.SubmissionChanged, toml=toml, day=self.state.day, reason="new", **people)

    def of(self, account: str) -> Fraction:
        return Fraction(self.state.accounts.get(account, 0), 10**8)


def amounts(awards: list[Award]) -> list[tuple[int, str, int]]:
    return [(award.position, award.outcome, award.amount_cents) for award in awards]


# -- Hits and cycles --------------------------------------------------------------------------------------------


def test_a_hit_pays_the_meter_and_the_next_cycle_opens_at_the_reset() -> None:
    floor = Floor()
    seed = floor.of("house:seed")
    awards = floor.round(1, 2, cards=MAJOR_1)
    assert {(award.position, award.amount_cents) for award in awards} == {(1, 450_40), (2, 50_00)}
    assert floor.of("meter:royal9-major") == 450
    assert floor.of("meter:royal9-mega") == 55_001
    assert floor.of("house:seed") == seed - 450
    assert floor.of("paid:fixed") == 50  # below validate_from: the dealer's
    meter = floor.state.meters["royal9-major"]
    assert (meter.hits, meter.wins_cents, meter.paid_cents, meter.in_cents) == (1, 450_40, 0, 10_00)


def test_the_fraction_of_a_cent_stays_in_the_meter() -> None:
    floor = Floor(
        MINI.replace('minor = { seed = "450.00", rate = "4%" }', 'minor = { seed = "450.00", rate = "3.3333%" }')
    )
    (award,) = floor.round(1, cards=MINOR_1)  # $5 at 3.3333% is $0.166665
    assert (award.outcome, award.amount_cents) == ("minor", 450_16)
    assert floor.of("meter:royal9-minor") == Fraction("450.006665")


def test_shares_are_whole_cents_and_the_odd_cent_stays() -> None:
    floor = Floor()
    awards = floor.round(1, 2, 3, cards=ACES, wager="harmony")
    # 25,000 + 3 x 0.95 = 25,002.85; a third is 8,334.28, and 0.01 stays. The reserve of 0.75 opens the next
    # cycle, topped up by 4,999.25 to the filed 5,000.
    assert [award.amount_cents for award in awards] == [8_334_28] * 3
    assert floor.of("meter:harmony") == Fraction("5000.01")
    assert floor.of("reserve:harmony") == 0
    assert floor.of("house:seed") == -(55_000 + 450 + 450 + 250 + 25_000) - Fraction("4999.25")
    assert floor.state.meters["harmony"].hits == 1


def test_validation_moves_the_award_to_paid_and_takes_the_next_slip() -> None:
    floor = Floor()
    award = floor.round(1, cards=MAJOR_1)[0]
    floor.validate(award)
    assert floor.of("paid:royal9-major") == Fraction("450.20")
    assert floor.state.slip == 1
    assert floor.state.meters["royal9-major"].paid_cents == 450_20


def test_the_mega_pays_envy_to_the_others_occupied_or_not() -> None:
    floor = Floor()
    awards = floor.round(2, 3, cards=MEGA_1)  # nobody at position 1
    assert sorted(amounts(awards)) == [(2, "mega-envy", 5_000_00), (3, "mega-envy", 5_000_00)]
    assert floor.of("meter:royal9-mega") == 55_001  # not won, not reset
    assert floor.state.meters["royal9-mega"].hits == 0
    awards = floor.round(1, 2, cards=MEGA_1)
    assert sorted(amounts(awards)) == [(1, "mega", 55_002_00), (2, "mega-envy", 5_000_00)]
    assert floor.of("meter:royal9-mega") == 50_000


@pytest.mark.parametrize(
    ("rule", "outcome", "cents"), [("highest", "suited-royal9-tie", 1_500_00), ("list", "minor", 450_20)]
)
def test_a_fixed_row_may_beat_the_minor(rule: str, outcome: str, cents: int) -> None:
    floor = Floor(MINI.replace('award = "highest"', f'award = "{rule}"'))
    (award,) = floor.round(1, cards=(("KS", "9S"), ("QH", "9H")))
    assert (award.outcome, award.amount_cents) == (outcome, cents)
    assert award.listed == ("minor" if rule == "highest" else "")
    assert floor.state.meters["royal9-minor"].hits == (0 if rule == "highest" else 1)
    assert floor.of("meter:royal9-minor") == (Fraction("450.20") if rule == "highest" else 450)


# -- Rejection ---------------------------------------------------------------------------------------------------


def test_a_rejected_jackpot_returns_and_the_seed_goes_back() -> None:
    floor = Floor()
    seed = floor.of("house:seed")
    award = floor.round(1, cards=MAJOR_1)[0]
    floor.round(2, 3)  # 0.40 more
    floor.reject(award)
    assert floor.of("meter:royal9-major") == Fraction("450.60")
    assert floor.of("house:seed") == seed
    meter = floor.state.meters["royal9-major"]
    assert (meter.hits, meter.wins_cents) == (0, 0)


def test_a_jackpot_rejected_after_a_later_hit_returns_and_the_reseed_stays() -> None:
    floor = Floor()
    seed = floor.of("house:seed")
    first = floor.round(1, cards=MAJOR_1)[0]
    second = floor.round(1, cards=MAJOR_1)[0]  # 450 + 0.20
    floor.reject(first)
    assert floor.of("meter:royal9-major") == 450 + Fraction("450.20")
    assert floor.of("house:seed") == seed - 900
    floor.reject(second)  # the last hit: its seed goes back, the first one's stays
    assert floor.of("meter:royal9-major") == Fraction("900.40")
    assert floor.of("house:seed") == seed - 450


def test_a_rejected_harmony_jackpot_gives_the_reserve_back() -> None:
    floor = Floor()
    seed = floor.of("house:seed")
    (award,) = floor.round(1, cards=ACES, wager="harmony")
    assert award.amount_cents == 25_000_95
    floor.round(1, 2, wager="harmony")  # 1.90 and 0.50 for the reserve
    assert floor.of("meter:harmony") == Fraction("5001.90")
    floor.reject(award)
    assert floor.of("meter:harmony") == Fraction("25002.85")
    assert floor.of("reserve:harmony") == Fraction("0.75")
    assert floor.of("house:seed") == seed


def test_a_rejected_mystery_award_goes_to_carry_and_from_there_into_a_meter() -> None:
    floor = Floor(royal9_mystery=[250_10, 999_99])
    (award,) = floor.round(1, cards=None)  # 250.25 is above 250.10
    assert (award.kind, award.amount_cents) == ("mystery", 250_25)
    floor.reject(award)
    assert floor.of("carry:royal9-mystery") == Fraction("250.25")
    meter = floor.state.meters["royal9-mystery"]
    assert (meter.hits, meter.wins_cents) == (1, 0)
    floor.adjust("harmony", "25250.25", source="carry:royal9-mystery")
    assert floor.of("carry:royal9-mystery") == 0
    assert floor.of("meter:harmony") == Fraction("25250.25")


def test_a_share_that_goes_is_shared_anew_by_the_others() -> None:
    floor = Floor()
    first, second, third = floor.round(1, 2, 3, cards=ACES, wager="harmony")
    floor.reject(first)  # 25,002.85 by two: 12,501.42 and 0.01 stays
    assert [award.amount_cents for award in floor.awards()] == [12_501_42] * 2
    assert floor.of("meter:harmony") == Fraction("5000.01")
    floor.reject(second)
    assert [award.amount_cents for award in floor.awards()] == [25_002_85]
    assert floor.of("meter:harmony") == 5000
    floor.reject(third)
    assert floor.of("meter:harmony") == Fraction("25002.85")
    assert floor.of("reserve:harmony") == Fraction("0.75")


def test_a_share_rejected_after_another_was_validated_returns_to_the_meter() -> None:
    floor = Floor()
    first, second, third = floor.round(1, 2, 3, cards=ACES, wager="harmony")
    floor.validate(first)
    floor.reject(second)
    assert floor.of("meter:harmony") == Fraction("5000.01") + Fraction("8334.28")
    assert [award.amount_cents for award in floor.awards()] == [8_334_28] * 2
    floor.reject(third)
    assert floor.of("meter:harmony") == Fraction("5000.01") + 2 * Fraction("8334.28")  # and the reseed stays
    meter = floor.state.meters["harmony"]
    assert (meter.hits, meter.wins_cents, meter.paid_cents) == (1, 8_334_28, 8_334_28)


def test_odd_cents_come_from_the_house_if_the_meter_was_hit_since_and_go_back_to_it() -> None:
    floor = Floor()
    shares = floor.round(1, 2, 3, cards=ACES, wager="harmony")
    floor.round(1, cards=ACES, wager="harmony")  # 5,000.01 + 0.95; leaves 5,000
    for share in shares[:2]:
        floor.reject(share)
    assert floor.of("house:late") == Fraction("-0.01")
    assert floor.of("meter:harmony") == 5000
    floor.reject(shares[2])
    assert floor.of("house:late") == 0
    assert floor.of("meter:harmony") == 5000 + Fraction("25002.84")


# -- Corrections and late hands ---------------------------------------------------------------------------------


def test_a_correction_moves_the_jackpot_to_another_position() -> None:
    floor = Floor()
    seed = floor.of("house:seed")
    floor.round(1, 2, cards=MAJOR_1)
    cards = {"round": 1, "player": MAJOR_2[0], "banker": MAJOR_2[1]}
    floor.do(inputs.HandCorrected, by=DEALER, **cards)
    assert sorted(amounts(floor.awards())) == [(1, "any-suited-royal9", 50_00), (2, "major", 450_40)]
    assert floor.of("meter:royal9-major") == 450
    assert floor.of("house:seed") == seed - 450  # seeded once
    assert floor.of("paid:fixed") == 50


def test_a_correction_that_would_undo_a_validated_award_is_refused() -> None:
    floor = Floor()
    floor.validate(floor.round(1, cards=MAJOR_1)[0])
    answer = floor.try_(inputs.HandCorrected, round=1, player=LOSES[0], banker=LOSES[1], by=DEALER)
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.VALIDATED


def test_an_award_once_rejected_is_not_made_again() -> None:
    floor = Floor()
    floor.reject(floor.round(1, cards=MAJOR_1)[0])
    for cards in (LOSES, MAJOR_1):
        floor.do(inputs.HandCorrected, round=1, player=cards[0], banker=cards[1], by=DEALER)
    assert floor.awards() == []
    assert floor.of("meter:royal9-major") == Fraction("450.20")


def test_a_late_hand_pays_what_the_meter_held_then() -> None:
    floor = Floor()
    floor.round(1, cards=None)
    floor.round(1, 2, 3)
    (award,) = floor.late(1, MAJOR_1)
    assert award.amount_cents == 450_20
    assert floor.of("meter:royal9-major") == Fraction("450.60")  # what came later belongs to the next cycle


def test_reserve_collected_later_stays_in_the_reserve() -> None:
    floor = Floor(MINI.replace('minimum_reseed = "5000.00"\n', ""))
    floor.round(1, cards=None, wager="harmony")
    floor.round(1, 2, wager="harmony")
    (award,) = floor.late(1, ACES)
    assert award.amount_cents == 25_000_95
    assert floor.of("meter:harmony") == Fraction("1.90") + Fraction("0.25")
    assert floor.of("reserve:harmony") == Fraction("0.50")


def test_a_late_jackpot_after_another_hit_is_the_houses() -> None:
    floor = Floor()
    floor.round(1, cards=None)
    floor.round(1, cards=MAJOR_1)  # 450.40
    (award,) = floor.late(1, MAJOR_1)
    assert award.amount_cents == 450_20
    assert floor.of("house:late") == Fraction("-450.20")
    assert floor.of("meter:royal9-major") == 450
    assert floor.state.meters["royal9-major"].hits == 2
    alone = floor.try_(inputs.AwardValidated, award=award.id, method="slip", base_wager=True, by=FLOOR)
    assert isinstance(alone, Refused)
    assert alone.refusal is Refusal.SECOND_PERSON
    floor.reject(award)
    assert floor.of("house:late") == 0
    assert floor.state.meters["royal9-major"].hits == 1


def test_the_house_adds_what_an_adjustment_took_and_gets_it_back() -> None:
    floor = Floor()
    floor.adjust("royal9-major", "600.00")
    floor.round(1, cards=None)
    floor.adjust("royal9-major", "450.00")
    (award,) = floor.hand(MAJOR_1)
    assert award.amount_cents == 600_20
    assert floor.of("house:late") == Fraction("-150.20")
    assert floor.of("meter:royal9-major") == 450
    floor.reject(award)
    assert floor.of("house:late") == 0
    assert floor.of("meter:royal9-major") == 450


# -- Voids and wagers taken out -----------------------------------------------------------------------------------


def test_a_void_gives_every_contribution_back() -> None:
    floor = Floor()
    floor.bet(1, 2, wager="harmony")
    floor.round(1, 2, cards=OPEN_HAND)
    assert floor.of("wagers") == -2 * (Fraction("1.15") + Fraction("1.20"))
    floor.void()
    assert floor.of("wagers") == 0
    assert floor.of("meter:harmony") == 25_000
    assert floor.of("reserve:harmony") == 0
    assert floor.of("meter:royal9-mystery") == 250
    assert all(meter.in_cents == 0 for meter in floor.state.meters.values())


@pytest.mark.parametrize("validated", [False, True])
def test_a_mystery_hit_stands_when_its_round_is_void(validated: bool) -> None:
    floor = Floor(royal9_mystery=[250_30, 999_99])
    (award,) = floor.round(1, 2, 3, cards=None)  # 250.25 no, 250.50 yes; the third opens the next cycle
    assert (award.position, award.amount_cents) == (2, 250_50)
    if validated:
        floor.validate(award)
    floor.void()
    # The first two are inside the award: 2 x 0.25 from house:void. The third is reversed out of the cycle it is in.
    assert floor.of("house:void") == Fraction("-0.50")
    assert floor.of("meter:royal9-mystery") == 250
    assert floor.of("pending:" + award.id) == (0 if validated else Fraction("250.50"))
    assert floor.of("wagers") == 0


def test_a_void_after_a_hit_split_at_the_ceiling_changes_neither_award_nor_spill() -> None:
    floor = Floor(heavenly(20_000), must_hit_by=[249_99, 249_99])
    (award,) = floor.round(1, cards=None, wager="heavenly9")  # 100 + 1% of 20,000 = 300
    assert award.amount_cents == 250_00
    assert floor.of("meter:must-hit-by") == 150  # the minimum and the spill
    floor.void()
    assert floor.of("meter:must-hit-by") == 150
    assert floor.of("house:void") == -200
    assert floor.of("meter:heavenly9") == 10_000
    assert floor.of("wagers") == 0


def test_what_does_not_fit_under_the_next_ceiling_is_carried() -> None:
    floor = Floor(heavenly(100_000), must_hit_by=[249_99, 249_99])
    (award,) = floor.round(1, cards=None, wager="heavenly9")  # 100 + 1,000
    assert award.amount_cents == 250_00
    assert floor.of("meter:must-hit-by") == 250
    assert floor.of("carry:must-hit-by") == 700
    # The next contribution wins whatever it is: 1,250 is split again into 250, 250 on the meter and 850 carried.
    (again,) = floor.round(1, cards=None, wager="heavenly9")
    assert again.amount_cents == 250_00
    assert floor.of("carry:must-hit-by") == 700 + 850


def test_one_lock_out_may_hit_several_times() -> None:
    floor = Floor(heavenly(2_500, "A", 5), must_hit_by=[120_00, 124_99, 125_00, 249_99])
    awards = floor.round(1, 2, 3, 4, cards=None, wager="heavenly9")
    # Each gives 25: 125 > 120 wins; 125 > 124.99 wins; 125 is not above 125; 150 is.
    assert [(award.position, award.amount_cents) for award in awards] == [(1, 125_00), (2, 125_00), (4, 150_00)]
    assert floor.of("meter:must-hit-by") == 100


def test_a_wager_taken_out_before_the_hand_lowers_what_is_due() -> None:
    floor = Floor()
    floor.round(1, 2, cards=None)
    floor.take_out(1, 2)
    assert floor.of("meter:royal9-major") == Fraction("450.20")
    (award,) = floor.hand(MAJOR_1)
    assert award.amount_cents == 450_20
    assert floor.of("house:late") == 0


def test_a_wager_taken_out_with_its_jackpot() -> None:
    floor = Floor()
    seed = floor.of("house:seed")
    floor.round(1, 2, cards=MEGA_1)
    floor.take_out(1, 1)
    assert amounts(floor.awards()) == [(2, "mega-envy", 5_000_00)]  # others' Envy stays
    assert floor.of("meter:royal9-mega") == Fraction("55000.50")
    assert floor.of("house:seed") == seed
    assert floor.of("wagers") == Fraction("-1.15")


def test_a_share_taken_out_is_shared_anew_and_its_contribution_refunded_by_the_house() -> None:
    floor = Floor()
    floor.round(1, 2, 3, cards=ACES, wager="harmony")
    floor.take_out(1, 2, "harmony")
    assert [award.amount_cents for award in floor.awards()] == [12_501_42] * 2
    assert floor.of("house:void") == Fraction("-1.20")
    assert floor.of("wagers") == Fraction("-2.40")


def test_a_mystery_award_of_a_wager_taken_out_goes_to_carry() -> None:
    floor = Floor(royal9_mystery=[250_10, 999_99])
    floor.round(1, 2, cards=None)
    floor.take_out(1, 1)
    assert floor.of("carry:royal9-mystery") == Fraction("250.25")
    assert floor.of("house:void") == Fraction("-0.25")  # its own contribution is inside the award
    assert floor.of("meter:royal9-mystery") == Fraction("250.25")  # the second's


def test_a_wager_of_an_earlier_round_taken_out_leaves_later_amounts_and_the_house_makes_them_good() -> None:
    floor = Floor()
    floor.round(1, 2)
    floor.round(1, cards=None)  # recorded: 450.60
    floor.take_out(1, 2)
    (award,) = floor.hand(MAJOR_1)
    assert award.amount_cents == 450_60
    assert floor.of("house:late") == Fraction("-0.20")


# -- The submission ----------------------------------------------------------------------------------------------


def test_new_numbers_come_with_the_next_reset_and_go_with_its_undoing() -> None:
    changed = MINI.replace('major = { seed = "450.00", rate = "4%" }', 'major = { seed = "500.00", rate = "10%" }')
    floor = Floor()
    floor.file(changed)
    award = floor.round(1, cards=MAJOR_1)[0]
    assert award.amount_cents == 450_20  # still 4%
    assert floor.of("meter:royal9-major") == 500
    floor.round(1)
    assert floor.of("meter:royal9-major") == Fraction("500.50")
    floor.reject(award)
    assert floor.of("meter:royal9-major") == Fraction("450.70")
    floor.round(1)
    assert floor.of("meter:royal9-major") == Fraction("450.90")  # 4% again
    floor.round(1, cards=MAJOR_1)
    assert floor.of("meter:royal9-major") == 500


def test_a_round_is_settled_under_the_submission_it_was_played_under() -> None:
    one = MINI.replace("denomination = 5\naward", "denomination = 1\naward").replace(
        "mystery = { configuration = 1 }\n", ""
    )
    five = one.replace("denomination = 1\naward", "denomination = 5\naward")
    floor = Floor(one)
    floor.round(1, 2, cards=None)
    floor.do(inputs.Button)
    floor.do(inputs.TableClosed, by=DEALER)
    floor.file(five)
    awards = floor.late(1, MAJOR_1)
    # Of the $1 wager: 450 + 2 x 0.04, and $10 for any suited Royal 9.
    assert {(award.position, award.wager, award.amount_cents) for award in awards} == {
        (1, "royal9/1", 450_08),
        (2, "royal9/1", 10_00),
    }


def test_a_round_in_play_is_kept_however_long_it_lies() -> None:
    floor = Floor()
    floor.round(1, cards=None)
    for day in (17, 18, 19):
        floor.do(inputs.ReadingsDue, day=f"2026-11-{day}")
    floor.void()
    assert floor.of("wagers") == 0


def test_four_cards_of_a_simulated_round_are_answered_the_same_again() -> None:
    floor = Floor()
    floor.do(inputs.SimulatedRound, by=DEALER)
    cards = {"player": OPEN_HAND[0], "banker": OPEN_HAND[1], "by": DEALER, "source": "console", "key": "four"}
    assert isinstance(floor.try_(inputs.FourCards, **cards), Decision)
    floor.do(inputs.SimulatedRound, by=DEALER)
    assert isinstance(floor.try_(inputs.FourCards, **cards), Decision)
    assert sum(floor.state.accounts.values()) == 0
    assert floor.of("wagers") == 0
