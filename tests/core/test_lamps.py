"""What the lamps show in every situation, as far as the state tells."""

from collections.abc import Callable

import pytest

from controller.core import inputs
from controller.core.lamps import Lamp, lamps
from controller.core.phases import Phase
from controller.core.state import State
from tests.core.play import DEALER, FLOOR, FLOOR2, HEAVENLY, MINI, Rigged, Table

OFF, INVITE, PLACED, ACCEPTED, REFUSED, WON, FAULT = Lamp

FOUR = {"player": ("2S", "3S"), "banker": ("2H", "4D")}
NATURAL = {"player": ("2S", "6S"), "banker": ("2H", "5D")}
MAJOR_OF_1 = {"player": ("2S", "3H"), "banker": ("KS", "9S")}
ANY_ROYAL_9 = {"player": ("2S", "3H"), "banker": ("QS", "9H")}  # $25, the dealer's to pay
SIX_TWOS = {"player": ("2S", "2H", "2D"), "banker": ("2C", "2S", "2H")}

Doing = Callable[[Table], object]


def opened(toml: str = MINI, rigged: Rigged | None = None) -> Table:
    """An open round with every sensor seen absent."""
    table = Table(toml, rigged=rigged)
    filed = table.state.filed
    assert filed is not None
    for position in range(1, filed.positions + 1):
        for wager in filed.wagers:
            table.do(inputs.WagerAbsent, position=position, wager=wager)
    table.do(inputs.TableOpened, by=DEALER)
    return table


def chip(table: Table, position: int = 1, wager: str = "royal9") -> None:
    table.do(inputs.WagerPresent, position=position, wager=wager)


def lift(table: Table, position: int = 1, wager: str = "royal9") -> None:
    table.do(inputs.WagerAbsent, position=position, wager=wager)


def press(table: Table) -> None:
    table.do(inputs.Button)


def lamp(table: Table, position: int = 1, wager: str = "royal9") -> Lamp:
    return lamps(table.state)[position][wager]


def every(table: Table) -> set[Lamp]:
    """What is shown anywhere."""
    return {each for position in lamps(table.state).values() for each in position.values()}


def elsewhere(table: Table) -> set[Lamp]:
    """What is shown anywhere but at position 1 for Royal 9."""
    return {
        each
        for position, wagers in lamps(table.state).items()
        for wager, each in wagers.items()
        if (position, wager) != (1, "royal9")
    }


def lose(table: Table, kind: str = "button", device: str = "", **parts: object) -> None:
    table.do(inputs.DeviceLost, device=device or kind, device_kind=kind, **parts)


def restore(table: Table, kind: str = "button", device: str = "", **parts: object) -> None:
    table.do(inputs.DeviceRestored, device=device or kind, device_kind=kind, **parts)


def locked(table: Table) -> None:
    press(table)


def dealt(table: Table) -> None:
    press(table)
    table.do(inputs.FourCards, **FOUR)


def settled(table: Table) -> None:
    press(table)
    table.do(inputs.FourCards, **NATURAL)


def closed(table: Table) -> None:
    table.do(inputs.TableClosed, by=DEALER)


def simulated(table: Table) -> None:
    table.do(inputs.SimulatedRound, by=DEALER)


def stay_open(_: Table) -> None:
    pass


PHASES: list[tuple[Doing, Phase]] = [
    (stay_open, Phase.OPEN),
    (locked, Phase.LOCKED),
    (dealt, Phase.DEALT),
    (settled, Phase.SETTLED),
    (closed, Phase.CLOSED),
    (simulated, Phase.SIMULATED),
]
EACH_PHASE = pytest.mark.parametrize(("reach", "phase"), PHASES, ids=[phase.value for _, phase in PHASES])


def test_there_are_seven_lamps() -> None:
    assert [each.value for each in Lamp] == ["off", "invite", "placed", "accepted", "refused", "won", "fault"]


def test_a_table_without_a_submission_has_no_lamps() -> None:
    assert lamps(State()) == {}


@pytest.mark.parametrize(
    ("toml", "positions", "wagers"), [(MINI, 9, {"royal9", "harmony"}), (HEAVENLY, 14, {"heavenly9"})]
)
def test_every_position_has_a_lamp_for_every_wager(toml: str, positions: int, wagers: set[str]) -> None:
    shown = lamps(Table(toml).state)
    assert set(shown) == set(range(1, positions + 1))
    assert all(set(each) == wagers for each in shown.values())


# --------------------------------------------------------------------------------------------- one round's lamps


@EACH_PHASE
def test_where_no_wager_is_only_an_open_round_invites(reach: Doing, phase: Phase) -> None:
    table = opened()
    reach(table)
    assert table.state.phase is phase
    assert every(table) == {INVITE if phase is Phase.OPEN else OFF}


def test_a_new_table_shows_nothing() -> None:
    assert every(Table()) == {OFF}


def test_a_wager_shows_placed_then_accepted_and_the_others_off() -> None:
    table = opened()
    chip(table)
    assert lamp(table) is PLACED
    assert elsewhere(table) == {INVITE}
    press(table)
    assert lamp(table) is ACCEPTED
    assert elsewhere(table) == {OFF}
    table.do(inputs.FourCards, **FOUR)
    assert lamp(table) is ACCEPTED
    assert elsewhere(table) == {OFF}


def test_a_coin_shows_placed_then_accepted() -> None:
    table = opened()
    table.do(inputs.WagerDropped, position=1, wager="royal9", cents=500)
    assert lamp(table) is PLACED
    press(table)
    assert lamp(table) is ACCEPTED


def test_a_wager_withdrawn_is_invited_again() -> None:
    table = opened()
    chip(table)
    lift(table)
    assert every(table) == {INVITE}


def test_an_accepted_wager_shows_so_after_its_chip_is_collected() -> None:
    table = opened()
    chip(table)
    press(table)
    lift(table)
    assert lamp(table) is ACCEPTED


@pytest.mark.parametrize("reach", [locked, dealt, settled])
def test_a_late_bet_shows_refused_until_it_is_lifted(reach: Doing) -> None:
    table = opened()
    reach(table)
    chip(table)
    assert lamp(table) is REFUSED
    assert elsewhere(table) == {OFF}
    lift(table)
    assert every(table) == {OFF}


def test_a_late_bet_becomes_a_wager_at_the_reopen() -> None:
    table = opened()
    press(table)
    chip(table)
    press(table)
    assert lamp(table) is PLACED


def test_a_chip_left_lying_shows_refused_until_it_is_lifted() -> None:
    table = opened()
    chip(table)
    press(table)
    press(table)
    assert lamp(table) is REFUSED
    press(table)
    assert lamp(table) is REFUSED
    press(table)
    lift(table)
    assert lamp(table) is INVITE


def test_a_chip_that_waits_for_its_base_wager_shows_refused() -> None:
    table = opened()
    lift(table, 1, "base")
    chip(table)
    assert lamp(table) is REFUSED
    chip(table, 1, "base")
    assert lamp(table) is PLACED
    lift(table, 1, "base")
    assert lamp(table) is REFUSED


def test_a_wager_taken_out_while_open_shows_refused_until_its_chip_is_lifted() -> None:
    table = opened()
    chip(table)
    table.do(inputs.WagerVoided, by=DEALER, round=1, position=1, wager="royal9", reason="not a $5 chip")
    assert lamp(table) is REFUSED
    lift(table)
    assert lamp(table) is INVITE


def test_a_wager_taken_out_after_lock_out_is_no_longer_accepted() -> None:
    table = opened()
    chip(table)
    press(table)
    lift(table)
    table.do(inputs.WagerVoided, by=FLOOR, second=FLOOR2, round=1, position=1, wager="royal9", reason="not a $5 chip")
    assert lamp(table) is OFF


def test_after_a_void_the_chips_are_refused_until_lifted_and_the_rest_is_invited() -> None:
    table = opened()
    chip(table)
    press(table)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    assert lamp(table) is REFUSED
    assert elsewhere(table) == {INVITE}


def test_nothing_is_accepted_any_more_after_the_reopen() -> None:
    table = opened()
    chip(table)
    settled(table)
    lift(table)
    press(table)
    assert every(table) == {INVITE}


# ------------------------------------------------------------------------------------------------ fault, service


@EACH_PHASE
@pytest.mark.parametrize("kind", ["button", "journal", "broker", "software"])
def test_every_lamp_of_a_faulted_table_shows_fault_and_then_what_it_did_before(
    kind: str, reach: Doing, phase: Phase
) -> None:
    table = opened()
    chip(table)
    reach(table)
    before = lamps(table.state)
    lose(table, kind)
    assert every(table) == {FAULT}
    restore(table, kind)
    assert table.state.phase is phase
    assert lamps(table.state) == before


def boards(table: Table) -> None:
    for number in (1, 2, 3):
        first = 3 * number - 2
        restore(table, "board", f"board-{number}", positions=(first, first + 1, first + 2))


def test_a_lost_board_shows_fault_at_its_positions_only() -> None:
    table = opened()
    boards(table)
    chip(table, 4)
    lose(table, "board", "board-1", positions=(1, 2, 3))
    shown = lamps(table.state)
    assert {each for position in (1, 2, 3) for each in shown[position].values()} == {FAULT}
    assert shown[4] == {"royal9": PLACED, "harmony": INVITE}
    assert {each for position in range(5, 10) for each in shown[position].values()} == {INVITE}


@pytest.mark.parametrize("kind", ["vault", "link"])
def test_a_lost_vault_or_link_shows_fault_for_its_wager_only(kind: str) -> None:
    table = opened()
    chip(table, 4, "harmony")
    lose(table, kind, wagers=("royal9",))
    for position, shown in lamps(table.state).items():
        assert shown == {"royal9": FAULT, "harmony": PLACED if position == 4 else INVITE}


def test_a_position_out_of_service_invites_nobody_and_refuses_a_chip() -> None:
    table = opened()
    table.do(inputs.PositionService, by=FLOOR, position=1, on=False, reason="a sensor sticks")
    assert lamps(table.state)[1] == {"royal9": OFF, "harmony": OFF}
    assert lamp(table, 2) is INVITE
    chip(table)
    assert lamp(table) is REFUSED
    lift(table)
    table.do(inputs.PositionService, by=FLOOR, position=1, on=True, reason="mended")
    assert lamps(table.state)[1] == {"royal9": INVITE, "harmony": INVITE}


# ------------------------------------------------------------------------------------------------------------ won


def mystery_hit() -> Table:
    """A locked round in which position 1 has won the mystery, and position 2 has a wager in."""
    table = opened(rigged=Rigged(royal9_mystery=[25_000, 99_999]))
    chip(table, 1)
    chip(table, 2)
    press(table)
    return table


def major_hit() -> Table:
    """A settled round in which position 1 has won, and position 2 has a wager in."""
    table = opened()
    chip(table, 1)
    chip(table, 2)
    press(table)
    table.do(inputs.FourCards, **MAJOR_OF_1)
    return table


HITS = pytest.mark.parametrize("hit", [mystery_hit, major_hit])


def the_award(table: Table) -> str:
    (award,) = table.state.awards
    return award


def validated(table: Table) -> None:
    table.do(inputs.AwardValidated, by=FLOOR, award=the_award(table), method="slip", base_wager=True)


def rejected(table: Table) -> None:
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=the_award(table), reason="no base wager")


@HITS
def test_a_winner_shows_won_at_once_and_nobody_else_does(hit: Callable[[], Table]) -> None:
    table = hit()
    assert lamp(table) is WON
    assert lamp(table, 2) is ACCEPTED
    assert lamp(table, 1, "harmony") is OFF


def test_a_harmony_jackpot_shows_won_at_its_own_lamp() -> None:
    table = opened()
    chip(table, 1, "harmony")
    chip(table, 1, "royal9")
    press(table)
    table.do(inputs.HandComplete, **SIX_TWOS)
    assert lamp(table, 1, "harmony") is WON
    assert lamp(table, 1, "royal9") is ACCEPTED


def test_an_award_that_is_the_dealers_does_not_show_won() -> None:
    table = opened()
    chip(table, 3)
    press(table)
    table.do(inputs.FourCards, **ANY_ROYAL_9)
    record = table.state.record(1)
    assert record is not None
    assert [each.outcome for each in record.awards] == ["any-royal9"]
    assert lamp(table, 3) is ACCEPTED


@HITS
@pytest.mark.parametrize("end", [validated, rejected])
def test_a_winner_shows_won_until_validated_or_rejected(hit: Callable[[], Table], end: Doing) -> None:
    table = hit()
    lift(table)
    lift(table, 2)
    assert lamp(table) is WON
    press(table)
    assert lamp(table) is WON
    assert elsewhere(table) == {INVITE}
    end(table)
    assert lamp(table) is INVITE


@HITS
def test_a_winner_shows_won_through_later_rounds_closing_and_simulated_rounds(hit: Callable[[], Table]) -> None:
    table = hit()
    lift(table)
    lift(table, 2)
    press(table)
    for step in (simulated, simulated, locked, press, closed):
        step(table)
        assert lamp(table) is WON
    table.do(inputs.TableOpened, by=DEALER)
    assert lamp(table) is WON
    validated(table)
    assert lamp(table) is INVITE


@HITS
def test_won_gives_way_to_a_later_wager_and_returns_after_it(hit: Callable[[], Table]) -> None:
    table = hit()
    lift(table)
    press(table)
    assert lamp(table) is WON
    chip(table)
    assert lamp(table) is PLACED
    lift(table)
    assert lamp(table) is WON
    chip(table)
    press(table)
    assert lamp(table) is ACCEPTED
    table.do(inputs.FourCards, **NATURAL)
    lift(table)
    press(table)
    assert lamp(table) is WON


@HITS
def test_won_gives_way_to_a_late_bet_of_a_later_round_and_returns_when_it_is_lifted(hit: Callable[[], Table]) -> None:
    table = hit()
    lift(table)
    press(table)
    press(table)
    assert lamp(table) is WON
    chip(table)
    assert lamp(table) is REFUSED
    lift(table)
    assert lamp(table) is WON


@HITS
def test_won_gives_way_to_a_fault_and_returns_after_it(hit: Callable[[], Table]) -> None:
    table = hit()
    lose(table)
    assert every(table) == {FAULT}
    restore(table)
    assert lamp(table) is WON


@HITS
def test_one_award_ended_of_two_leaves_the_lamp_at_won(hit: Callable[[], Table]) -> None:
    table = hit()
    lift(table)
    press(table)
    chip(table)
    press(table)
    lift(table)
    table.do(inputs.FourCards, **MAJOR_OF_1)
    assert lamp(table) is WON
    first, *others = sorted(table.state.awards, key=table.state.awards.__getitem__)
    assert len(others) >= 1
    given = {"by": FLOOR, "second": FLOOR2, "method": "slip", "base_wager": True}
    table.do(inputs.AwardValidated, award=first, **given)
    assert lamp(table) is WON
    for other in others:
        table.do(inputs.AwardValidated, award=other, **given)
    assert lamp(table) is ACCEPTED


def test_a_winner_whose_cards_are_corrected_no_longer_shows_won() -> None:
    table = major_hit()
    table.do(inputs.HandCorrected, by=DEALER, round=1, **NATURAL)
    assert lamp(table) is ACCEPTED


def test_a_winner_by_a_late_hand_shows_won_from_then_on() -> None:
    table = opened()
    chip(table)
    press(table)
    lift(table)
    press(table)
    assert lamp(table) is INVITE
    table.do(inputs.LateHand, by=FLOOR, round=1, **MAJOR_OF_1)
    assert lamp(table) is WON


def test_a_mystery_hit_shows_won_after_its_round_is_voided() -> None:
    table = mystery_hit()
    lift(table)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    assert lamp(table) is WON
    assert lamp(table, 2) is REFUSED


def test_shared_winners_all_show_won() -> None:
    table = opened()
    for position in (2, 5):
        chip(table, position, "harmony")
    press(table)
    table.do(inputs.HandComplete, **SIX_TWOS)
    assert [lamp(table, position, "harmony") for position in (2, 5, 6)] == [WON, WON, OFF]
