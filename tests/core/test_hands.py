"""The cards of a round: entered in parts or whole, by the shoe or keyed, in time or late, and corrected."""

from collections.abc import Callable

import pytest

from controller.core import facts, inputs
from controller.core.decision import Decision
from controller.core.inputs import Input, Person
from controller.core.phases import Phase
from controller.core.refusals import Refusal, Refused
from controller.core.state import Round
from tests.core.play import DEALER, FLOOR, FLOOR2, MINI, SUPERVISOR, SUPERVISOR2, Rigged, Table

Cards = dict[str, tuple[str, ...]]
People = dict[str, object]
Enter = Callable[[Table, type[Input], Cards], Decision | Refused]


def cards(player: str, banker: str) -> Cards:
    return {"player": tuple(player.split()), "banker": tuple(banker.split())}


FOUR = cards("2S 3S", "2H 4D")
FIVE = cards("2S 3S 6D", "2H 4D")  # the Banker draws on six when the Player's third card is a six
SIX = cards("2S 3S 6D", "2H 4D 5C")
WHOLE = cards("2S 3S TD", "2H 4D")
NATURAL = cards("2S 6S", "2H 5D")
STANDING = cards("2S 4S", "2H 5D")  # six and seven: both stand
OTHER = cards("2S 3S", "2H 4C")
OTHER_WHOLE = cards("AC 7C", "2H 5D")

MAJOR_OF_1 = cards("2S 3H", "KS 9S")
MAJOR_OF_2 = cards("2S 3H", "KH 9H")
MINOR_OF_1 = cards("KS 9S", "2S 3H")
MEGA_OF_1 = cards("KS 9S", "KS 9S")
SIX_TWOS = cards("2S 2H 2D", "2C 2S 2H")

ON_BOTH = (("royal9", 1), ("royal9", 2), ("harmony", 1))


def locked(toml: str = MINI, rigged: Rigged | None = None, places: tuple[tuple[str, int], ...] = ON_BOTH) -> Table:
    """A table locked in its first round with some wagers in."""
    table = Table(toml, rigged=rigged)
    for wager, position in places:
        table.do(inputs.WagerAbsent, position=position, wager=wager)
    table.do(inputs.TableOpened, by=DEALER)
    for wager, position in places:
        table.do(inputs.WagerPresent, position=position, wager=wager)
    table.do(inputs.Button)
    return table


def next_round(table: Table, places: tuple[tuple[str, int], ...] = ON_BOTH) -> None:
    """The round as it is reopened, and the next locked with the same wagers."""
    for wager, position in places:
        table.do(inputs.WagerAbsent, position=position, wager=wager)
    table.do(inputs.Button)
    for wager, position in places:
        table.do(inputs.WagerPresent, position=position, wager=wager)
    table.do(inputs.Button)


def played(rounds: int, toml: str = MINI) -> Table:
    """A table in its first open round after some that were not entered."""
    table = locked(toml)
    for _ in range(rounds - 1):
        next_round(table)
    table.do(inputs.Button)
    assert (table.state.phase, table.state.round) == (Phase.OPEN, rounds + 1)
    return table


def shoe(table: Table, kind: type[Input], hand: Cards) -> Decision | Refused:
    return table.try_(kind, **hand)


def keyed(table: Table, kind: type[Input], hand: Cards, by: Person = DEALER) -> Decision | Refused:
    return table.try_(kind, source="console", by=by, **hand)


def ok(answer: Decision | Refused) -> facts.HandEntered:
    """The hand that was entered."""
    assert isinstance(answer, Decision), answer
    assert isinstance(answer.fact, facts.HandEntered), answer
    return answer.fact


def refused(answer: Decision | Refused, why: Refusal) -> str:
    """The sentence of a refusal that must be of one kind."""
    assert isinstance(answer, Refused), answer
    assert answer.refusal is why, answer
    assert answer.why
    return answer.why


def phase_of(table: Table) -> Phase:
    return table.state.phase


def record(table: Table, round_: int = 1) -> Round:
    found = table.state.record(round_)
    assert found is not None
    return found


def awarded(table: Table, round_: int = 1, fate: str = "pending") -> dict[tuple[int, str], int]:
    """What became due in a round and has a fate: by position and outcome, in cents."""
    return {
        (each.position, each.outcome): each.amount_cents for each in record(table, round_).awards if each.fate == fate
    }


def validate(table: Table, *, position: int, second: Person | None = None) -> None:
    (award,) = [
        each.id
        for kept in table.state.records()
        for each in kept.awards
        if each.position == position and each.fate == "pending"
    ]
    table.do(inputs.AwardValidated, by=FLOOR, second=second, award=award, method="slip", base_wager=True)


HOW = pytest.mark.parametrize("enter", [shoe, keyed])


# -------------------------------------------------------------------------------------------------- in parts


@HOW
def test_four_cards_put_the_round_in_dealt_and_the_whole_hand_settles_it(enter: Enter) -> None:
    table = locked()
    four = ok(enter(table, inputs.FourCards, FOUR))
    assert (four.round, four.player, four.banker, four.complete, four.phase) == (1, *FOUR.values(), False, "dealt")
    assert phase_of(table) is Phase.DEALT
    whole = ok(enter(table, inputs.HandComplete, SIX))
    assert (whole.player, whole.banker, whole.complete, whole.phase) == (*SIX.values(), True, "settled")
    assert phase_of(table) is Phase.SETTLED
    assert (record(table).player, record(table).banker, record(table).complete) == (*SIX.values(), True)


@HOW
@pytest.mark.parametrize("hand", [WHOLE, SIX, NATURAL, STANDING], ids=["five", "six", "natural", "standing"])
def test_a_whole_hand_settles_a_locked_round_in_one_fact(enter: Enter, hand: Cards) -> None:
    table = locked()
    count = len(table.facts)
    assert ok(enter(table, inputs.HandComplete, hand)).complete
    assert len(table.facts) == count + 1
    assert phase_of(table) is Phase.SETTLED


@HOW
@pytest.mark.parametrize("hand", [NATURAL, STANDING, MAJOR_OF_1, MEGA_OF_1])
def test_four_cards_that_are_whole_hands_settle_the_round_at_once(enter: Enter, hand: Cards) -> None:
    table = locked()
    assert ok(enter(table, inputs.FourCards, hand)).complete
    assert phase_of(table) is Phase.SETTLED


def test_a_whole_hand_settles_alike_in_parts_and_at_once() -> None:
    parts, once = locked(), locked()
    shoe(parts, inputs.FourCards, cards("2S 2H", "2C 2S"))
    shoe(parts, inputs.HandComplete, SIX_TWOS)
    shoe(once, inputs.HandComplete, SIX_TWOS)
    assert awarded(parts) == awarded(once)
    assert awarded(parts)[1, "six-of-a-kind"] == 25_000_00 + 95
    assert parts.state.meters["harmony"].units == once.state.meters["harmony"].units


def test_four_cards_settle_royal_9_and_not_harmony() -> None:
    # A Royal 9 in hand is a natural, so a tie by two cards is the one thing both could win at once; here neither did.
    table = locked()
    shoe(table, inputs.FourCards, cards("2S 2H", "2C 2S"))
    assert awarded(table) == {}
    assert phase_of(table) is Phase.DEALT
    shoe(table, inputs.HandComplete, SIX_TWOS)
    assert set(awarded(table)) == {(1, "six-of-a-kind")}


def test_a_hand_comes_in_three_parts() -> None:
    table = locked()
    for hand, phase in ((FOUR, Phase.DEALT), (FIVE, Phase.DEALT), (SIX, Phase.SETTLED)):
        ok(keyed(table, inputs.FourCards, hand))
        assert phase_of(table) is phase
    assert (record(table).player, record(table).banker) == tuple(SIX.values())


@HOW
@pytest.mark.parametrize("hand", [FOUR, FIVE, cards("2S 4S", "2H 3D")], ids=["player", "banker", "banker on five"])
def test_a_hand_still_owed_a_card_is_incomplete_and_not_refused(enter: Enter, hand: Cards) -> None:
    table = locked()
    entered = ok(enter(table, inputs.FourCards, hand))
    assert not entered.complete
    assert phase_of(table) is Phase.DEALT
    assert not record(table).complete


@pytest.mark.parametrize("again", ["shoe", "console"])
@pytest.mark.parametrize(
    ("kind", "hand"), [(inputs.FourCards, FOUR), (inputs.FourCards, NATURAL), (inputs.HandComplete, WHOLE)]
)
@pytest.mark.parametrize("enter", [shoe, keyed])
def test_the_same_cards_again_change_nothing(enter: Enter, again: str, kind: type[Input], hand: Cards) -> None:
    table = locked()
    ok(enter(table, kind, hand))
    before, kept = table.state, record(table)
    answer = shoe(table, kind, hand) if again == "shoe" else keyed(table, kind, hand)
    assert isinstance(answer, Decision)
    after = record(table)
    assert (after.player, after.banker, after.complete, after.awards) == (
        kept.player,
        kept.banker,
        kept.complete,
        kept.awards,
    )
    assert (table.state.phase, table.state.meters, table.state.accounts) == (
        before.phase,
        before.meters,
        before.accounts,
    )


def test_the_same_winning_cards_again_win_once() -> None:
    table = locked()
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    before = (table.state.meters, table.state.accounts, table.state.awards)
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    shoe(table, inputs.HandComplete, MAJOR_OF_1)
    keyed(table, inputs.HandComplete, MAJOR_OF_1)
    assert (table.state.meters, table.state.accounts, table.state.awards) == before


@HOW
@pytest.mark.parametrize("other", [OTHER, cards("3S 2S", "2H 4D"), cards("2S 3S TD", "4D 2H"), NATURAL])
def test_other_cards_from_the_same_source_are_a_correction_and_refused(enter: Enter, other: Cards) -> None:
    table = locked()
    ok(enter(table, inputs.FourCards, FOUR))
    before = record(table)
    refused(enter(table, inputs.FourCards, other), Refusal.BAD_HAND)
    assert record(table) == before


@HOW
def test_a_card_that_was_there_is_not_taken_away_by_entering_again(enter: Enter) -> None:
    table = locked()
    ok(enter(table, inputs.FourCards, FIVE))
    enter(table, inputs.FourCards, FOUR)
    assert (record(table).player, record(table).banker) == tuple(FIVE.values())
    assert phase_of(table) is Phase.DEALT


# ------------------------------------------------------------------------------------------- shoe and console


@pytest.mark.parametrize(("kind", "hand"), [(inputs.FourCards, FOUR), (inputs.HandComplete, NATURAL)])
def test_a_keyed_hand_replaces_what_the_shoe_said(kind: type[Input], hand: Cards) -> None:
    table = locked()
    ok(shoe(table, kind, hand))
    ok(keyed(table, inputs.HandComplete, OTHER_WHOLE))
    assert (record(table).player, record(table).banker, record(table).source) == (*OTHER_WHOLE.values(), "console")
    assert phase_of(table) is Phase.SETTLED


def test_a_keyed_hand_unwinds_what_the_shoes_hand_won_and_makes_its_own_awards() -> None:
    table = locked()
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    assert set(awarded(table)) == {(1, "major")}
    assert table.state.meters["royal9-major"].display_cents == 450_00
    keyed(table, inputs.FourCards, MAJOR_OF_2)
    assert awarded(table) == {(2, "major"): 450_00 + 40}
    assert table.state.meters["royal9-major"].display_cents == 450_00
    assert table.state.meters["royal9-major"].hits == 1


@pytest.mark.parametrize(("kind", "hand"), [(inputs.FourCards, OTHER), (inputs.HandComplete, NATURAL)])
def test_the_shoe_never_replaces_a_keyed_hand(kind: type[Input], hand: Cards) -> None:
    table = locked()
    ok(keyed(table, inputs.FourCards, FOUR))
    before = record(table)
    shoe(table, kind, hand)
    assert record(table) == before
    assert phase_of(table) is Phase.DEALT


def test_the_shoe_may_continue_a_keyed_hand() -> None:
    table = locked()
    ok(keyed(table, inputs.FourCards, FOUR))
    shoe(table, inputs.HandComplete, OTHER_WHOLE)
    assert phase_of(table) is Phase.DEALT
    shoe(table, inputs.HandComplete, SIX)
    assert (record(table).player, record(table).banker, record(table).complete) == (*SIX.values(), True)
    assert phase_of(table) is Phase.SETTLED


def test_a_keyed_hand_the_shoe_continued_is_still_not_replaced_by_the_shoe() -> None:
    table = locked()
    ok(keyed(table, inputs.FourCards, FOUR))
    shoe(table, inputs.FourCards, FIVE)
    shoe(table, inputs.HandComplete, NATURAL)
    assert (record(table).player, record(table).banker) == tuple(FIVE.values())
    ok(keyed(table, inputs.HandComplete, SIX))
    assert phase_of(table) is Phase.SETTLED


def test_the_shoe_does_not_bring_back_what_was_keyed_over() -> None:
    table = locked()
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    keyed(table, inputs.FourCards, NATURAL)
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    shoe(table, inputs.HandComplete, MAJOR_OF_1)
    assert awarded(table) == {}
    assert record(table).player == NATURAL["player"]


def test_a_keyed_hand_does_not_stand_over_the_shoes_once_its_award_is_validated() -> None:
    table = locked()
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    validate(table, position=1)
    before = record(table)
    refused(keyed(table, inputs.FourCards, NATURAL), Refusal.VALIDATED)
    assert record(table) == before


# ----------------------------------------------------------------------------------------- the third-card rule

IMPOSSIBLE = {
    "the Player draws on a natural": cards("2S 6S 3D", "2H 5D"),
    "the Banker draws against a natural": cards("2S 6S", "2H 2D 3D"),
    "the Player draws against a natural": cards("2S 3S 4D", "KH 9D"),
    "the Player draws on six": cards("2S 4S 3D", "2H 5D"),
    "the Player draws on seven": cards("2S 5S 3D", "2H 5D"),
    "the Banker draws while the Player is owed a card": cards("2S 3S", "2H 4D 5C"),
    "the Banker draws on seven": cards("2S 3S TD", "3H 4D 2C"),
    "the Banker draws on six against a ten": cards("2S 3S TD", "2H 4D 5C"),
    "the Banker draws on five against an eight": cards("2S 3S 8D", "2H 3D 5C"),
    "the Banker draws on four against an ace": cards("2S 3S AD", "2H 2D 5C"),
    "the Banker draws on three against an eight": cards("2S 3S 8D", "AH 2D 5C"),
    "the Banker draws on six when the Player stands": cards("2S 4S", "2H 4D 5C"),
    "a fourth card": cards("2S 3S TD 2C", "2H 4D"),
    "a fourth card of the Banker": cards("2S 3S 6D", "2H 4D 5C 6C"),
}


@pytest.mark.parametrize("hand", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
@pytest.mark.parametrize("kind", [inputs.FourCards, inputs.HandComplete])
@HOW
def test_a_hand_that_breaks_the_third_card_rule_is_refused_with_the_reason(
    enter: Enter, kind: type[Input], hand: Cards
) -> None:
    table = locked()
    before = record(table)
    why = refused(enter(table, kind, hand), Refusal.BAD_HAND)
    assert "§ 627a." in why
    assert "Player" in why or "Banker" in why
    assert record(table) == before
    assert phase_of(table) is Phase.LOCKED


@pytest.mark.parametrize("wrong", ["1S", "10S", "XS", "2X", "2s", "", "S2"])
def test_what_is_no_card_is_refused_by_name(wrong: str) -> None:
    table = locked()
    answer = keyed(table, inputs.FourCards, {"player": (wrong, "3S"), "banker": ("2H", "4D")})
    assert isinstance(answer, Refused)
    assert answer.refusal in (Refusal.BAD_REQUEST, Refusal.BAD_HAND)
    assert repr(wrong) in answer.why


@pytest.mark.parametrize("hand", [cards("", ""), cards("2S", "2H"), cards("2S 3S", "2H"), cards("2S", "2H 4D")])
def test_fewer_than_four_cards_are_no_hand_yet(hand: Cards) -> None:
    table = locked()
    refused(keyed(table, inputs.FourCards, hand), Refusal.BAD_HAND)
    assert phase_of(table) is Phase.LOCKED


@pytest.mark.parametrize("source", ["", "signage", "SHOE"])
def test_a_hand_from_anywhere_else_is_a_bad_request(source: str) -> None:
    refused(locked().try_(inputs.FourCards, source=source, by=DEALER, **FOUR), Refusal.BAD_REQUEST)


def test_a_simulated_hand_is_held_to_the_third_card_rule_too() -> None:
    table = Table()
    table.do(inputs.TableOpened, by=DEALER)
    table.do(inputs.SimulatedRound, by=DEALER)
    refused(keyed(table, inputs.HandComplete, cards("2S 6S 3D", "2H 5D")), Refusal.BAD_HAND)
    assert phase_of(table) is Phase.SIMULATED


# --------------------------------------------------------------------------------------------------- late hands


def late(table: Table, round_: int, people: People, hand: Cards = NATURAL) -> Decision | Refused:
    return table.try_(inputs.LateHand, round=round_, **hand, **people)


ALONE: People = {"by": FLOOR}
THE_DEALER: People = {"by": DEALER}
TWO: People = {"by": SUPERVISOR, "second": SUPERVISOR2, "reference": "camera 12, 21:04"}


@pytest.mark.parametrize("late_hands", [1, 3, 5])
def test_a_floorperson_enters_the_hand_of_one_of_the_last_late_hands_rounds_and_no_earlier_one(
    late_hands: int,
) -> None:
    toml = MINI.replace("late_hands = 3", f"late_hands = {late_hands}")
    for back in range(1, late_hands + 1):
        table = played(7, toml)
        entered = ok(late(table, 8 - back, ALONE))
        assert (entered.round, entered.late, entered.by) == (8 - back, True, FLOOR.id)
        assert record(table, 8 - back).complete
    table = played(7, toml)
    before = record(table, 7 - late_hands)
    answer = late(table, 7 - late_hands, ALONE)
    assert isinstance(answer, Refused)
    assert record(table, 7 - late_hands) == before


def test_with_no_late_hands_a_floorperson_enters_none() -> None:
    table = played(2, MINI.replace("late_hands = 3", "late_hands = 0"))
    assert isinstance(late(table, 2, ALONE), Refused)
    ok(late(table, 2, TWO))


def test_two_supervisors_with_a_reference_enter_any_round_of_this_gaming_day() -> None:
    table = played(7)
    entered = ok(late(table, 1, TWO))
    assert (entered.late, entered.by, entered.second) == (True, SUPERVISOR.id, SUPERVISOR2.id)
    assert entered.reference == "camera 12, 21:04"


@pytest.mark.parametrize(
    ("people", "why"),
    [
        ({"by": DEALER, "reference": "c"}, Refusal.NOT_ALLOWED),
        ({"by": SUPERVISOR, "reference": "c"}, Refusal.SECOND_PERSON),
        ({"by": SUPERVISOR, "second": SUPERVISOR, "reference": "c"}, Refusal.SECOND_PERSON),
        ({"by": SUPERVISOR, "second": FLOOR, "reference": "c"}, Refusal.SECOND_PERSON),
        ({"by": SUPERVISOR, "second": SUPERVISOR2}, Refusal.BAD_REQUEST),
        ({"by": SUPERVISOR, "second": SUPERVISOR2, "reference": "  "}, Refusal.BAD_REQUEST),
        ({"by": SUPERVISOR}, Refusal.BAD_REQUEST),  # of the two things missing, the first of the list
    ],
)
def test_an_older_round_takes_two_supervisors_and_a_reference(people: People, why: Refusal) -> None:
    table = played(7)
    refused(late(table, 1, people), why)
    assert not record(table, 1).complete


@pytest.mark.parametrize("people", [{"by": FLOOR, "second": FLOOR2, "reference": "c"}, {"by": FLOOR}])
def test_floorpersons_do_not_enter_an_older_round(people: People) -> None:
    assert isinstance(late(played(7), 1, people), Refused)


def test_the_previous_gaming_day_is_still_open_to_two_supervisors_and_an_older_one_is_not() -> None:
    table = played(5)
    table.do(inputs.ReadingsDue, day="2026-11-17")
    ok(late(table, 1, TWO))
    table.do(inputs.ReadingsDue, day="2026-11-18")
    refused(late(table, 2, TWO), Refusal.TOO_LATE)


def test_a_new_gaming_day_does_not_take_the_last_rounds_from_a_floorperson() -> None:
    table = played(4)
    table.do(inputs.ReadingsDue, day="2026-11-17")
    ok(late(table, 4, ALONE))


def test_the_last_late_hands_rounds_stay_open_to_a_floorperson_however_many_days_pass() -> None:
    table = played(5)
    for day in (17, 18, 19):
        table.do(inputs.ReadingsDue, day=f"2026-11-{day}")
    for round_ in (3, 4, 5):
        ok(late(table, round_, ALONE))


def test_the_round_in_play_is_kept_however_many_days_pass() -> None:
    table = locked()
    for day in (17, 18, 19):
        table.do(inputs.ReadingsDue, day=f"2026-11-{day}")
    ok(keyed(table, inputs.FourCards, MAJOR_OF_1))
    assert awarded(table)[1, "major"] == 450_00 + 40


@pytest.mark.parametrize("round_", [-1, 0, 3, 99])
def test_a_round_that_was_never_locked_out_has_no_hand(round_: int) -> None:
    refused(late(played(2), round_, TWO), Refusal.UNKNOWN)


def test_the_round_in_play_is_not_entered_late() -> None:
    table = locked()
    refused(late(table, 1, ALONE), Refusal.WRONG_PHASE)


def test_a_voided_round_gets_no_hand() -> None:
    table = locked()
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    before = (table.state.meters, table.state.accounts)
    assert isinstance(late(table, 1, TWO, MAJOR_OF_1), Refused)
    assert (table.state.meters, table.state.accounts) == before


def test_a_late_hand_continues_what_was_entered_and_replaces_nothing() -> None:
    table = locked()
    shoe(table, inputs.FourCards, FOUR)
    table.do(inputs.Button)
    refused(late(table, 1, ALONE, OTHER_WHOLE), Refusal.BAD_HAND)
    ok(late(table, 1, ALONE, SIX))
    assert (record(table).player, record(table).banker, record(table).complete) == (*SIX.values(), True)


def test_a_late_hand_that_breaks_the_third_card_rule_is_refused() -> None:
    refused(late(played(2), 1, ALONE, cards("2S 6S 3D", "2H 5D")), Refusal.BAD_HAND)


def test_a_late_hand_does_not_disturb_the_round_in_play() -> None:
    table = locked()
    next_round(table)
    before = record(table, 2)
    ok(late(table, 1, ALONE, NATURAL))
    assert (table.state.phase, table.state.round) == (Phase.LOCKED, 2)
    assert record(table, 2) == before


def test_a_late_jackpot_is_what_the_meter_held_after_that_rounds_own_contributions() -> None:
    table = locked()
    next_round(table)
    next_round(table)
    table.do(inputs.Button)
    meter = table.state.meters["royal9-major"]
    assert meter.display_cents == 450_00 + 3 * 40
    ok(late(table, 1, ALONE, MAJOR_OF_1))
    assert awarded(table, 1) == {(1, "major"): 450_00 + 40}
    assert table.state.meters["royal9-major"].display_cents == 450_00 + 2 * 40


def test_a_late_jackpot_of_a_meter_hit_since_is_paid_by_the_house_and_leaves_the_meter_alone() -> None:
    table = locked()
    next_round(table)
    shoe(table, inputs.FourCards, MAJOR_OF_2)
    assert awarded(table, 2) == {(2, "major"): 450_00 + 80}
    before = table.state.meters["royal9-major"]
    table.do(inputs.Button)
    ok(late(table, 1, ALONE, MAJOR_OF_1))
    assert awarded(table, 1) == {(1, "major"): 450_00 + 40}
    assert awarded(table, 2) == {(2, "major"): 450_00 + 80}
    assert table.state.meters["royal9-major"].units == before.units
    assert table.state.accounts["house:late"] == -(450_00 + 40) * 1_000_000
    (award,) = [each for each in record(table, 1).awards if each.outcome == "major"]
    given = {"by": FLOOR, "award": award.id, "method": "slip", "base_wager": True}
    refused(table.try_(inputs.AwardValidated, **given), Refusal.SECOND_PERSON)
    table.do(inputs.AwardValidated, second=FLOOR2, **given)


def test_mystery_hits_are_decided_at_lock_out_and_a_late_hand_does_not_change_them() -> None:
    table = locked(rigged=Rigged(royal9_mystery=[25_000, 99_999]))
    (mystery,) = record(table).awards
    table.do(inputs.Button)
    ok(late(table, 1, ALONE, NATURAL))
    assert record(table).awards == (mystery,)


# -------------------------------------------------------------------------------------------------- corrections


def correct(table: Table, hand: Cards, people: People, round_: int = 1) -> Decision | Refused:
    return table.try_(inputs.HandCorrected, round=round_, **hand, **people)


@pytest.mark.parametrize(("hand", "after"), [(OTHER, Phase.DEALT), (NATURAL, Phase.SETTLED), (SIX, Phase.SETTLED)])
@HOW
def test_a_dealer_corrects_the_round_in_play(enter: Enter, hand: Cards, after: Phase) -> None:
    table = locked()
    ok(enter(table, inputs.FourCards, FOUR))
    made = ok(correct(table, hand, THE_DEALER))
    assert (made.corrected, made.by) == (True, DEALER.id)
    assert (record(table).player, record(table).banker) == tuple(hand.values())
    assert phase_of(table) is after


def test_a_dealer_corrects_a_settled_round_until_it_is_reopened() -> None:
    table = locked()
    shoe(table, inputs.HandComplete, NATURAL)
    ok(correct(table, STANDING, THE_DEALER))
    table.do(inputs.Button)
    refused(correct(table, NATURAL, THE_DEALER), Refusal.NOT_ALLOWED)
    assert record(table).player == STANDING["player"]


def test_a_round_without_a_hand_has_nothing_to_correct() -> None:
    table = locked()
    refused(correct(table, NATURAL, THE_DEALER), Refusal.BAD_HAND)
    assert phase_of(table) is Phase.LOCKED


def entered_rounds(rounds: int) -> Table:
    """A table in an open round after some with a hand on which nothing happened."""
    table = locked()
    for number in range(rounds):
        shoe(table, inputs.HandComplete, NATURAL)
        if number < rounds - 1:
            next_round(table)
    table.do(inputs.Button)
    return table


def test_a_floorperson_corrects_one_of_the_last_late_hands_rounds_and_no_earlier_one() -> None:
    for round_ in (4, 5, 6):
        table = entered_rounds(6)
        made = ok(correct(table, STANDING, ALONE, round_))
        assert (made.corrected, made.round) == (True, round_)
        assert record(table, round_).player == STANDING["player"]
    table = entered_rounds(6)
    assert isinstance(correct(table, STANDING, ALONE, 3), Refused)
    assert record(table, 3).player == NATURAL["player"]


@pytest.mark.parametrize(
    ("people", "why"),
    [
        ({"by": DEALER, "reference": "c"}, Refusal.NOT_ALLOWED),
        ({"by": SUPERVISOR, "reference": "c"}, Refusal.SECOND_PERSON),
        ({"by": SUPERVISOR, "second": FLOOR, "reference": "c"}, Refusal.SECOND_PERSON),
        ({"by": SUPERVISOR, "second": SUPERVISOR2}, Refusal.BAD_REQUEST),
    ],
)
def test_an_older_correction_takes_two_supervisors_and_a_reference(people: People, why: Refusal) -> None:
    table = entered_rounds(6)
    refused(correct(table, STANDING, people, 1), why)
    assert record(table, 1).player == NATURAL["player"]
    ok(correct(table, STANDING, TWO, 1))


def test_corrections_reach_back_to_the_previous_gaming_day_and_no_further() -> None:
    table = entered_rounds(5)
    table.do(inputs.ReadingsDue, day="2026-11-17")
    ok(correct(table, STANDING, TWO, 1))
    table.do(inputs.ReadingsDue, day="2026-11-18")
    refused(correct(table, NATURAL, TWO, 1), Refusal.TOO_LATE)


def test_a_correction_unwinds_unvalidated_awards_and_makes_them_anew_at_that_rounds_amounts() -> None:
    table = locked()
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    next_round(table)
    ok(correct(table, MAJOR_OF_2, ALONE, 1))
    assert awarded(table, 1) == {(2, "major"): 450_00 + 40}
    meter = table.state.meters["royal9-major"]
    assert (meter.display_cents, meter.hits) == (450_00 + 40, 1)


def test_a_correction_to_a_losing_hand_puts_the_jackpot_back() -> None:
    table = locked()
    before = (table.state.meters["royal9-major"].units, table.state.accounts)
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    ok(correct(table, NATURAL, THE_DEALER))
    assert awarded(table) == {}
    assert (table.state.meters["royal9-major"].units, table.state.accounts) == before


def test_a_correction_reverses_an_award_that_was_the_dealers() -> None:
    table = locked()
    shoe(table, inputs.FourCards, cards("2S 3H", "QS 9H"))  # any Royal 9: $25 to each
    assert table.state.accounts["paid:fixed"] == 5_000 * 1_000_000
    ok(correct(table, NATURAL, THE_DEALER))
    assert "paid:fixed" not in table.state.accounts
    assert "house:fixed" not in table.state.accounts


@pytest.mark.parametrize("hand", [NATURAL, MAJOR_OF_2, MINOR_OF_1], ids=["nothing", "another position", "another row"])
def test_a_correction_that_would_make_a_validated_award_undue_is_refused(hand: Cards) -> None:
    table = locked()
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    validate(table, position=1)
    before = (record(table), table.state.meters, table.state.accounts)
    refused(correct(table, hand, THE_DEALER), Refusal.VALIDATED)
    assert (record(table), table.state.meters, table.state.accounts) == before
    table.do(inputs.Button)
    refused(correct(table, hand, TWO, 1), Refusal.VALIDATED)


def test_a_correction_that_leaves_a_validated_award_due_is_made() -> None:
    table = locked()
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    validate(table, position=1)
    before = (table.state.meters, table.state.accounts)
    ok(correct(table, cards("2S 3C", "KS 9S"), THE_DEALER))
    assert (table.state.meters, table.state.accounts) == before
    assert awarded(table, fate="paid")[1, "major"] == 450_00 + 40


def test_a_correction_keeps_a_validated_award_and_makes_the_others_anew() -> None:
    # Major to position 1 and Minor to position 2; only the Major is validated, then the Player's hand is another.
    table = locked(MINI.replace('seed = "450.00"', 'seed = "2000.00"'))  # more than the $1,500 of a suited tie
    shoe(table, inputs.FourCards, cards("KH 9H", "KS 9S"))
    assert set(awarded(table)) == {(1, "major"), (2, "minor")}
    validate(table, position=1)
    ok(correct(table, MAJOR_OF_1, THE_DEALER))
    assert (1, "major") in awarded(table, fate="paid")
    assert (2, "minor") not in awarded(table)
    assert table.state.meters["royal9-minor"].display_cents == 2_000_00 + 40


def test_a_correction_that_breaks_the_third_card_rule_is_refused() -> None:
    table = locked()
    shoe(table, inputs.FourCards, FOUR)
    refused(correct(table, cards("2S 6S 3D", "2H 5D"), THE_DEALER), Refusal.BAD_HAND)


def test_a_correction_with_the_same_cards_moves_nothing() -> None:
    table = locked()
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    before = (table.state.meters, table.state.accounts, record(table).awards)
    correct(table, MAJOR_OF_1, THE_DEALER)
    assert (table.state.meters, table.state.accounts, record(table).awards) == before


def test_a_correction_leaves_a_mystery_award_alone() -> None:
    table = locked(rigged=Rigged(royal9_mystery=[25_000, 99_999]))
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    (mystery,) = [each for each in record(table).awards if each.kind == "mystery"]
    ok(correct(table, NATURAL, THE_DEALER))
    assert [each for each in record(table).awards if each.fate == "pending"] == [mystery]


def test_an_award_once_rejected_is_not_made_again_for_the_same_outcome() -> None:
    table = locked()
    shoe(table, inputs.FourCards, MAJOR_OF_1)
    (award,) = table.state.awards
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award, reason="no base wager")
    before = (table.state.meters, table.state.accounts)
    ok(correct(table, cards("2S 3C", "KS 9S"), THE_DEALER))
    assert awarded(table) == {}
    assert (table.state.meters, table.state.accounts) == before


def test_a_voided_round_is_not_corrected() -> None:
    table = locked()
    shoe(table, inputs.FourCards, FOUR)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    before = (table.state.meters, table.state.accounts)
    assert isinstance(correct(table, MAJOR_OF_1, TWO, 1), Refused)
    assert (table.state.meters, table.state.accounts) == before


@pytest.mark.parametrize("round_", [0, 2, 99])
def test_a_round_that_was_never_locked_out_is_not_corrected(round_: int) -> None:
    refused(correct(locked(), NATURAL, TWO, round_), Refusal.UNKNOWN)


def test_during_a_fault_a_hand_is_entered_corrected_and_stays_beneath() -> None:
    table = locked()
    table.do(inputs.DeviceLost, device="button", device_kind="button")
    ok(keyed(table, inputs.FourCards, FOUR))
    assert (table.state.phase, table.state.prior) == (Phase.FAULTED, Phase.DEALT)
    ok(correct(table, OTHER, THE_DEALER))
    ok(keyed(table, inputs.HandComplete, cards("2S 3S TD", "2H 4C")))
    assert (table.state.phase, table.state.prior) == (Phase.FAULTED, Phase.SETTLED)


@pytest.mark.parametrize("kind", [inputs.FourCards, inputs.HandComplete])
def test_no_hand_is_entered_in_an_open_or_closed_round(kind: type[Input]) -> None:
    table = Table()
    refused(keyed(table, kind, NATURAL), Refusal.WRONG_PHASE)
    table.do(inputs.TableOpened, by=DEALER)
    refused(keyed(table, kind, NATURAL), Refusal.WRONG_PHASE)
    refused(shoe(table, kind, NATURAL), Refusal.WRONG_PHASE)


@pytest.mark.parametrize(("round_", "fine"), [(0, True), (1, True), (2, False)])
def test_a_hand_that_names_its_round_settles_no_other(round_: int, fine: bool) -> None:
    table = locked()
    found = table.try_(inputs.FourCards, **WHOLE, source="console", by=DEALER, round=round_)
    if fine:
        assert isinstance(found, Decision)
    else:
        assert isinstance(found, Refused)
        assert found.refusal is Refusal.WRONG_PHASE
