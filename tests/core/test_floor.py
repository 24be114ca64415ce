"""What happens on the layout: chips, coins, base wagers, the lock-out, faults, service, voids, numbers of rounds."""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TypeVar

import pytest

from controller.core import facts, inputs
from controller.core.decision import Decision
from controller.core.effects import Acceptors, Flash
from controller.core.evolve import evolve
from controller.core.facts import Fact
from controller.core.inputs import Input
from controller.core.lamps import Lamp, lamps
from controller.core.phases import Phase
from controller.core.refusals import Refusal, Refused
from controller.core.state import Counted, State
from controller.core.times import stamp
from tests.core.auditor import Audited
from tests.core.play import DEALER, FLOOR, FLOOR2, HEAVENLY, MINI, Rigged, Table

F = TypeVar("F", bound=Fact)

FOUR = {"player": ("2S", "3S"), "banker": ("2H", "4D")}  # both are owed a card
WHOLE = {"player": ("2S", "3S", "TD"), "banker": ("2H", "4D")}  # with a ten drawn, a Banker's six stands
NATURAL = {"player": ("2S", "6S"), "banker": ("2H", "5D")}
MAJOR_OF_1 = {"player": ("2S", "3H"), "banker": ("KS", "9S")}

SEATS = range(1, 10)
HARMONY_B = 5 * 19  # cents of a $5 wager at 19%
HOLD = MINI.replace("hold_play_on_hit = false", "hold_play_on_hit = true")

Doing = Callable[[Table], object]


def opened(toml: str = MINI, rigged: Rigged | None = None, positions: range = SEATS) -> Table:
    """A table in its first open round, with every sensor seen absent."""
    table = Table(toml, rigged=rigged)
    assert table.state.filed is not None
    for position in positions:
        for wager in table.state.filed.wagers:
            table.do(inputs.WagerAbsent, position=position, wager=wager)
    table.do(inputs.TableOpened, by=DEALER)
    return table


def fact(table: Table, kind: type[F], given: type[Input], **parts: object) -> F:
    """The fact an input led to, of the kind it must be."""
    made = table.do(given, **parts)
    assert isinstance(made, kind), made
    return made


def at_ms(table: Table, ms: int, kind: type[Input], **parts: object) -> Decision:
    """An input so many milliseconds after the one before."""
    table.now += ms * 1000
    answer = table.give(table.make(kind, **parts))
    assert isinstance(answer, Decision), answer
    return answer


def chip(table: Table, position: int = 1, wager: str = "royal9") -> Fact | None:
    return table.do(inputs.WagerPresent, position=position, wager=wager)


def lift(table: Table, position: int = 1, wager: str = "royal9") -> Fact | None:
    return table.do(inputs.WagerAbsent, position=position, wager=wager)


def coin(table: Table, position: int = 1, wager: str = "royal9", cents: int = 500) -> Fact | None:
    return table.do(inputs.WagerDropped, position=position, wager=wager, cents=cents)


def press(table: Table) -> Fact | None:
    return table.do(inputs.Button)


def switch(table: Table, level: str) -> Fact | None:
    return table.do(inputs.Button, level=level)


def lose(table: Table, kind: str = "button", device: str = "", **parts: object) -> Fact | None:
    return table.do(inputs.DeviceLost, device=device or kind, device_kind=kind, **parts)


def restore(table: Table, kind: str = "button", device: str = "", **parts: object) -> Fact | None:
    return table.do(inputs.DeviceRestored, device=device or kind, device_kind=kind, **parts)


def key_in(table: Table, kind: type[Input], cards: Mapping[str, tuple[str, ...]]) -> Fact | None:
    return table.do(kind, source="console", by=DEALER, **cards)


def phase_of(table: Table) -> Phase:
    return table.state.phase


def stands(table: Table) -> set[str]:
    """The places with a wager in the open round."""
    return set(table.state.standing)


def effects(table: Table) -> tuple[object, ...]:
    """What the last decision had done."""
    return table.decisions[-1].effects


def flashes(table: Table) -> list[tuple[int, str]]:
    return [(each.position, each.wager) for each in effects(table) if isinstance(each, Flash)]


def lamp(table: Table, position: int = 1, wager: str = "royal9") -> Lamp:
    return lamps(table.state)[position][wager]


def started_again(table: Table) -> Table:
    """The same table after a start: its state is made of nothing but its facts."""
    again = reduce(evolve, table.facts, State())
    assert again == table.state
    table.state = again
    return table


# ---------------------------------------------------------------------------------------------- the open round


def test_a_chip_seen_is_a_wager_of_the_filed_amount() -> None:
    table = opened()
    made = fact(table, facts.WagerPlaced, inputs.WagerPresent, position=3, wager="harmony")
    assert (made.position, made.wager) == (3, "harmony")
    (placed,) = made.placed
    assert (placed.position, placed.wager, placed.stake_cents) == (3, "harmony", 500)
    assert stands(table) == {"3/harmony"}
    assert lamp(table, 3, "harmony") is Lamp.PLACED


def test_a_chip_lifted_while_open_is_withdrawn_and_may_be_made_again() -> None:
    table = opened()
    chip(table)
    made = fact(table, facts.WagerWithdrawn, inputs.WagerAbsent, position=1, wager="royal9")
    assert [(each.position, each.wager) for each in made.withdrawn] == [(1, "royal9")]
    assert stands(table) == set()
    assert lamp(table) is Lamp.INVITE
    chip(table)
    assert stands(table) == {"1/royal9"}


def test_withdrawn_wagers_feed_nothing() -> None:
    table = opened()
    before = table.state.meters
    chip(table)
    lift(table)
    press(table)
    assert table.state.meters == before


def test_a_position_makes_each_wager_on_its_own() -> None:
    table = opened()
    chip(table, 1, "royal9")
    chip(table, 1, "harmony")
    chip(table, 2, "harmony")
    assert stands(table) == {"1/royal9", "1/harmony", "2/harmony"}
    lift(table, 1, "royal9")
    assert stands(table) == {"1/harmony", "2/harmony"}


@pytest.mark.parametrize("kind", [inputs.WagerPresent, inputs.WagerAbsent])
@pytest.mark.parametrize("phase", ["open", "locked", "faulted", "closed"])
def test_the_same_level_again_changes_nothing(kind: type[Input], phase: str) -> None:
    table = opened()
    if phase == "locked":
        press(table)
    elif phase == "faulted":
        lose(table)
    elif phase == "closed":
        table.do(inputs.TableClosed, by=DEALER)
    table.do(kind, position=1, wager="royal9")
    before, count = table.state, len(table.facts)
    answer = table.try_(kind, position=1, wager="royal9")
    assert isinstance(answer, Decision)
    assert answer.fact is None
    assert (table.state, len(table.facts)) == (before, count)


@pytest.mark.parametrize(
    ("position", "wager"), [(0, "royal9"), (10, "royal9"), (-1, "royal9"), (1, "heavenly9"), (1, "royal9/5"), (1, "")]
)
@pytest.mark.parametrize("kind", [inputs.WagerPresent, inputs.WagerAbsent, inputs.WagerDropped])
def test_a_place_the_table_does_not_have_is_unknown(kind: type[Input], position: int, wager: str) -> None:
    table = opened()
    before = table.state
    extra = {"cents": 500} if kind is inputs.WagerDropped else {}
    answer = table.try_(kind, position=position, wager=wager, **extra)
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.UNKNOWN
    assert (table.state.standing, table.state.sensors, table.state.returns) == (
        before.standing,
        before.sensors,
        before.returns,
    )


def test_every_change_is_a_fact_with_its_time_and_round() -> None:
    table = opened()
    chip(table)
    last = table.facts[-1]
    assert (last.at, last.round, type(last.fact)) == (stamp(table.now), 1, facts.WagerPlaced)


# ------------------------------------------------------------------------- seen absent since the last lock-out


def in_round_2_with_its_chip_left_lying() -> Table:
    table = opened()
    chip(table)
    press(table)
    press(table)
    assert table.state.round == 2
    return table


def test_a_sensor_never_seen_absent_is_refused_until_lifted() -> None:
    table = Table()
    table.do(inputs.TableOpened, by=DEALER)
    made = fact(table, facts.WagerRefused, inputs.WagerPresent, position=1, wager="royal9")
    assert (made.position, made.wager) == (1, "royal9")
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED
    lift(table)
    assert lamp(table) is Lamp.INVITE
    chip(table)
    assert stands(table) == {"1/royal9"}


def test_a_chip_left_lying_is_refused_at_a_reopen_until_lifted() -> None:
    table = in_round_2_with_its_chip_left_lying()
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED
    press(table)
    record = table.state.record(2)
    assert record is not None
    assert record.wagers == ()


def test_a_chip_lifted_after_lock_out_and_put_down_again_is_a_wager_at_the_reopen() -> None:
    table = opened()
    chip(table)
    press(table)
    lift(table)
    chip(table)
    made = fact(table, facts.Reopened, inputs.Button)
    assert [(each.position, each.wager, each.stake_cents) for each in made.placed] == [(1, "royal9", 500)]
    assert stands(table) == {"1/royal9"}
    assert lamp(table) is Lamp.PLACED


def test_a_late_chip_is_a_wager_of_the_next_round_if_its_sensor_was_absent_at_lock_out() -> None:
    # It was absent at the lock-out itself, so it has been seen absent since.
    table = opened()
    press(table)
    chip(table)
    press(table)
    assert stands(table) == {"1/royal9"}


def test_a_chip_lifted_before_lock_out_and_laid_before_it_must_be_lifted_after_it() -> None:
    table = opened()
    chip(table)
    lift(table)
    chip(table)
    press(table)
    press(table)
    assert stands(table) == set()


def test_a_chip_that_is_refused_at_a_lock_out_is_still_refused_in_the_round_after() -> None:
    table = in_round_2_with_its_chip_left_lying()
    press(table)
    press(table)
    assert table.state.round == 3
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED


def test_a_start_changes_nothing_that_stands() -> None:
    table = opened()
    chip(table)
    started_again(table)
    assert chip(table) is None
    assert stands(table) == {"1/royal9"}


def test_a_chip_put_down_while_the_controller_was_away_is_a_wager() -> None:
    table = started_again(opened())
    chip(table)
    assert stands(table) == {"1/royal9"}


def test_a_standing_wager_found_absent_at_a_start_is_withdrawn() -> None:
    table = opened()
    chip(table)
    started_again(table)
    fact(table, facts.WagerWithdrawn, inputs.WagerAbsent, position=1, wager="royal9")
    assert stands(table) == set()


def test_a_chip_not_lifted_since_the_lock_out_is_refused_after_a_start_too() -> None:
    table = started_again(in_round_2_with_its_chip_left_lying())
    assert chip(table) is None
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED


def test_a_new_state_has_seen_nothing_absent() -> None:
    table = Table()
    chip(table)
    started_again(table)
    table.do(inputs.TableOpened, by=DEALER)
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED


@pytest.mark.parametrize("kind", ["button", "journal", "broker", "software"])
def test_a_chip_put_down_during_a_fault_is_a_wager_when_it_ends(kind: str) -> None:
    table = opened()
    lose(table, kind)
    made = fact(table, facts.WagerRefused, inputs.WagerPresent, position=1, wager="royal9")
    assert (made.position, made.wager) == (1, "royal9")
    assert stands(table) == set()
    end = fact(table, facts.DeviceChanged, inputs.DeviceRestored, device=kind, device_kind=kind)
    assert [(each.position, each.wager) for each in end.placed] == [(1, "royal9")]
    assert stands(table) == {"1/royal9"}


def test_a_chip_not_lifted_since_the_lock_out_is_no_wager_when_a_fault_ends() -> None:
    table = in_round_2_with_its_chip_left_lying()
    lose(table)
    restore(table)
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED


def test_a_standing_wager_whose_chip_is_gone_when_a_fault_ends_is_withdrawn_then() -> None:
    table = opened()
    chip(table)
    chip(table, 2)
    lose(table)
    lift(table)
    end = fact(table, facts.DeviceChanged, inputs.DeviceRestored, device="button", device_kind="button")
    assert [(each.position, each.wager) for each in end.withdrawn] == [(1, "royal9")]
    assert stands(table) == {"2/royal9"}


def test_a_chip_lifted_and_laid_again_during_a_fault_stands_when_it_ends() -> None:
    table = opened()
    chip(table)
    lose(table)
    lift(table)
    chip(table)
    restore(table)
    assert stands(table) == {"1/royal9"}


def test_a_chip_left_lying_that_is_lifted_and_laid_again_during_a_fault_is_a_wager_when_it_ends() -> None:
    table = in_round_2_with_its_chip_left_lying()
    lose(table)
    lift(table)
    chip(table)
    restore(table)
    assert stands(table) == {"1/royal9"}


def service(table: Table, *, on: bool, position: int = 1) -> Fact | None:
    return table.do(inputs.PositionService, by=FLOOR, position=position, on=on, reason="a sensor sticks")


def test_a_position_back_in_service_counts_what_was_seen_absent_since_the_last_lock_out() -> None:
    table = opened()
    service(table, on=False)
    chip(table)
    assert stands(table) == set()
    back = fact(table, facts.PositionServiced, inputs.PositionService, by=FLOOR, position=1, on=True, reason="mended")
    assert [(each.position, each.wager) for each in back.placed] == [(1, "royal9")]
    assert stands(table) == {"1/royal9"}


def test_a_position_back_in_service_does_not_count_a_chip_left_lying() -> None:
    table = in_round_2_with_its_chip_left_lying()
    service(table, on=False)
    service(table, on=True)
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED


def test_a_chip_on_the_table_when_it_opens_counts_if_it_was_seen_absent() -> None:
    table = Table()
    lift(table, 1)
    chip(table, 1)
    chip(table, 2)
    table.do(inputs.TableOpened, by=DEALER)
    assert stands(table) == {"1/royal9"}
    assert lamp(table, 2) is Lamp.REFUSED


def close_and_open(table: Table) -> None:
    table.do(inputs.TableClosed, by=DEALER)
    table.do(inputs.TableOpened, by=DEALER)


def fault_and_end(table: Table) -> None:
    lose(table)
    restore(table)


def out_of_service_and_back(table: Table) -> None:
    service(table, on=False)
    service(table, on=True)


def simulated_and_back(table: Table) -> None:
    table.do(inputs.SimulatedRound, by=DEALER)
    table.do(inputs.SimulatedRound, by=DEALER)


def board_lost_and_back(table: Table) -> None:
    lose(table, "board", "board-1", positions=(1, 2, 3))
    restore(table, "board", "board-1", positions=(1, 2, 3))


def vault_lost_and_back(table: Table) -> None:
    lose(table, "vault", wagers=("royal9",))
    restore(table, "vault", wagers=("royal9",))


def base_lifted_and_back(table: Table) -> None:
    chip(table, 1, "base")
    lift(table, 1, "base")
    chip(table, 1, "base")


def the_same_level_again(table: Table) -> None:
    chip(table)


WAYS_BACK: list[Doing] = [
    close_and_open,
    fault_and_end,
    out_of_service_and_back,
    simulated_and_back,
    board_lost_and_back,
    vault_lost_and_back,
    base_lifted_and_back,
    the_same_level_again,
    started_again,
]


def with_boards(table: Table) -> Table:
    """Three boards that answer, of three positions each."""
    for number in (1, 2, 3):
        first = 3 * number - 2
        restore(table, "board", f"board-{number}", positions=(first, first + 1, first + 2))
    return table


@pytest.mark.parametrize("way", WAYS_BACK)
def test_a_chip_whose_wager_the_dealer_took_out_is_refused_until_lifted(way: Doing) -> None:
    table = with_boards(opened())
    chip(table)
    table.do(inputs.WagerVoided, by=DEALER, round=1, position=1, wager="royal9", reason="not a $5 chip")
    assert not [each for each in effects(table) if isinstance(each, Acceptors)]  # no coin slot is freed for a chip
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED
    way(table)
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED
    lift(table)
    chip(table)
    assert stands(table) == {"1/royal9"}


@pytest.mark.parametrize("way", WAYS_BACK)
def test_a_chip_left_lying_becomes_no_wager_by_any_way_around(way: Doing) -> None:
    table = with_boards(in_round_2_with_its_chip_left_lying())
    way(table)
    assert stands(table) == set()
    assert lamp(table) is Lamp.REFUSED


@pytest.mark.parametrize("way", WAYS_BACK)
def test_a_chip_that_stood_stands_again_when_the_round_goes_on(way: Doing) -> None:
    table = with_boards(opened())
    chip(table)
    way(table)
    assert (table.state.phase, table.state.round) == (Phase.OPEN, 1)
    assert stands(table) == {"1/royal9"}
    assert lamp(table) is Lamp.PLACED


# ------------------------------------------------------------------------------------------------ base wagers


def test_without_a_base_sensor_a_chip_needs_no_base_wager() -> None:
    table = opened()
    chip(table)
    assert stands(table) == {"1/royal9"}


def test_a_chip_waits_for_its_base_wager_where_that_is_sensed() -> None:
    table = opened()
    lift(table, 1, "base")
    fact(table, facts.WagerRefused, inputs.WagerPresent, position=1, wager="royal9")
    chip(table, 1, "harmony")
    chip(table, 2, "harmony")
    assert stands(table) == {"2/harmony"}
    assert lamp(table) is Lamp.REFUSED
    made = fact(table, facts.WagerPlaced, inputs.WagerPresent, position=1, wager="base")
    assert {(each.position, each.wager) for each in made.placed} == {(1, "royal9"), (1, "harmony")}
    assert stands(table) == {"1/royal9", "1/harmony", "2/harmony"}


def test_a_base_wager_lifted_while_open_withdraws_what_needs_it() -> None:
    table = opened()
    chip(table, 1, "base")
    chip(table, 1, "royal9")
    chip(table, 1, "harmony")
    chip(table, 2, "harmony")
    made = fact(table, facts.WagerWithdrawn, inputs.WagerAbsent, position=1, wager="base")
    assert {(each.position, each.wager) for each in made.withdrawn} == {(1, "royal9"), (1, "harmony")}
    assert stands(table) == {"2/harmony"}


@pytest.mark.parametrize("kind", [inputs.WagerPresent, inputs.WagerAbsent])
def test_the_same_level_of_a_base_wager_again_changes_nothing(kind: type[Input]) -> None:
    table = opened()
    table.do(kind, position=1, wager="base")
    before, count = table.state, len(table.facts)
    table.do(kind, position=1, wager="base")
    assert (table.state, len(table.facts)) == (before, count)


@pytest.mark.parametrize("kind", [inputs.WagerPresent, inputs.WagerAbsent])
@pytest.mark.parametrize("position", [0, 10])
def test_a_base_wager_at_a_position_the_table_does_not_have_is_unknown(kind: type[Input], position: int) -> None:
    answer = opened().try_(kind, position=position, wager="base")
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.UNKNOWN


def test_a_coin_whose_base_wager_is_lifted_is_to_return() -> None:
    table = opened()
    chip(table, 1, "base")
    coin(table)
    made = table.do(inputs.WagerAbsent, position=1, wager="base")
    assert stands(table) == set()
    assert made is not None
    assert [(each.position, each.wager, each.cents) for each in made.returns] == [(1, "royal9", 500)]
    assert list(table.state.returns) == [each.id for each in made.returns]


def test_a_coin_without_its_sensed_base_wager_is_to_return() -> None:
    table = opened()
    lift(table, 1, "base")
    fact(table, facts.CreditToReturn, inputs.WagerDropped, position=1, wager="royal9", cents=500)
    assert stands(table) == set()


def test_a_base_wager_does_not_bring_in_a_chip_left_lying() -> None:
    table = in_round_2_with_its_chip_left_lying()
    lift(table, 1, "base")
    chip(table, 1, "base")
    assert stands(table) == set()


def test_a_base_wager_is_no_wager_itself() -> None:
    table = opened()
    before = table.state.meters
    chip(table, 1, "base")
    press(table)
    record = table.state.record(1)
    assert record is not None
    assert record.wagers == ()
    assert table.state.meters == before


def test_a_base_wager_after_lock_out_brings_nothing_in() -> None:
    table = opened()
    lift(table, 1, "base")
    chip(table)
    press(table)
    before = table.state.meters
    chip(table, 1, "base")
    record = table.state.record(1)
    assert record is not None
    assert record.wagers == ()
    assert table.state.meters == before


def test_a_base_wager_lifted_after_lock_out_takes_nothing_out() -> None:
    table = opened()
    chip(table, 1, "base")
    chip(table)
    press(table)
    before = table.state.record(1)
    lift(table, 1, "base")
    assert table.state.record(1) == before
    assert lamp(table) is Lamp.ACCEPTED


def test_a_base_wager_that_is_gone_when_a_fault_ends_withdraws_what_needs_it() -> None:
    table = opened()
    chip(table, 1, "base")
    chip(table)
    lose(table)
    lift(table, 1, "base")
    restore(table)
    assert stands(table) == set()


def test_a_base_wager_that_arrives_during_a_fault_counts_when_it_ends() -> None:
    table = opened()
    lift(table, 1, "base")
    chip(table)
    lose(table)
    chip(table, 1, "base")
    assert stands(table) == set()
    restore(table)
    assert stands(table) == {"1/royal9"}


def test_a_base_wager_that_goes_before_the_reopen_leaves_its_chip_waiting() -> None:
    table = opened()
    chip(table, 1, "base")
    chip(table)
    press(table)
    lift(table, 1, "base")
    lift(table)
    chip(table)
    press(table)
    assert stands(table) == set()
    chip(table, 1, "base")
    assert stands(table) == {"1/royal9"}


# ----------------------------------------------------------------------------------------------------- coins


def returned(table: Table) -> list[tuple[int, str, int]]:
    return [(each.position, each.wager, each.cents) for each in table.state.returns.values()]


def test_the_first_right_coin_is_a_wager_and_inhibits_its_acceptor() -> None:
    table = opened()
    made = fact(table, facts.WagerPlaced, inputs.WagerDropped, position=1, wager="royal9", cents=500)
    assert [(each.position, each.wager, each.stake_cents, each.source) for each in made.placed] == [
        (1, "royal9", 500, "drop")
    ]
    assert Acceptors(inhibit=True, position=1, wager="royal9") in effects(table)
    assert lamp(table) is Lamp.PLACED
    assert returned(table) == []


def test_a_second_coin_is_to_return_and_feeds_nothing() -> None:
    table = opened()
    coin(table, 1, "harmony")
    made = fact(table, facts.CreditToReturn, inputs.WagerDropped, position=1, wager="harmony", cents=500)
    assert [(each.position, each.wager, each.cents) for each in made.returns] == [(1, "harmony", 500)]
    before = table.state.meters["harmony"].units
    press(table)
    assert table.state.meters["harmony"].units == before + HARMONY_B * 1_000_000
    assert returned(table) == [(1, "harmony", 500)]


@pytest.mark.parametrize("cents", [1, 100, 499, 501, 1000, 2500])
def test_a_wrong_coin_is_to_return(cents: int) -> None:
    table = opened()
    fact(table, facts.CreditToReturn, inputs.WagerDropped, position=1, wager="royal9", cents=cents)
    assert stands(table) == set()
    assert returned(table) == [(1, "royal9", cents)]
    coin(table)
    assert stands(table) == {"1/royal9"}


def test_a_coin_where_a_chip_lies_is_a_second_wager_and_to_return() -> None:
    table = opened()
    chip(table)
    coin(table)
    assert stands(table) == {"1/royal9"}
    assert returned(table) == [(1, "royal9", 500)]


def test_a_chip_where_a_coin_was_dropped_is_a_second_wager_and_refused() -> None:
    table = opened()
    coin(table)
    fact(table, facts.WagerRefused, inputs.WagerPresent, position=1, wager="royal9")
    lift(table)
    assert stands(table) == {"1/royal9"}
    press(table)
    assert order(table) == [(1, "royal9")]


@pytest.mark.parametrize("cents", [0, -500])
def test_a_coin_of_nothing_or_less_is_a_bad_request(cents: int) -> None:
    table = opened()
    answer = table.try_(inputs.WagerDropped, position=1, wager="royal9", cents=cents)
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.BAD_REQUEST
    assert table.state.returns == {}


def locked(table: Table) -> None:
    press(table)


def dealt(table: Table) -> None:
    press(table)
    key_in(table, inputs.FourCards, FOUR)


def settled(table: Table) -> None:
    press(table)
    key_in(table, inputs.HandComplete, NATURAL)


def closed(table: Table) -> None:
    table.do(inputs.TableClosed, by=DEALER)


def simulated(table: Table) -> None:
    table.do(inputs.SimulatedRound, by=DEALER)


def faulted(table: Table) -> None:
    lose(table)


def out_of_service(table: Table) -> None:
    service(table, on=False)


def board_lost(table: Table) -> None:
    with_boards(table)
    lose(table, "board", "board-1", positions=(1, 2, 3))


@pytest.mark.parametrize("reach", [locked, dealt, settled, closed, simulated, faulted, out_of_service, board_lost])
def test_a_coin_when_no_wager_can_be_made_is_to_return(reach: Doing) -> None:
    table = opened()
    reach(table)
    before = (table.state.meters, table.state.accounts, table.state.record(1))
    fact(table, facts.CreditToReturn, inputs.WagerDropped, position=1, wager="royal9", cents=500)
    assert (table.state.meters, table.state.accounts, table.state.record(1)) == before
    assert stands(table) == set()
    assert returned(table) == [(1, "royal9", 500)]


@pytest.mark.parametrize("reach", [locked, dealt])
def test_a_coin_after_lock_out_flashes_its_position(reach: Doing) -> None:
    table = opened()
    reach(table)
    coin(table, 4)
    assert flashes(table) == [(4, "royal9")]


def test_a_coin_to_return_does_not_become_a_wager_at_the_reopen() -> None:
    table = opened()
    press(table)
    coin(table)
    press(table)
    assert stands(table) == set()
    assert returned(table) == [(1, "royal9", 500)]


def test_a_coin_of_one_round_is_in_that_round_only() -> None:
    table = opened()
    coin(table)
    press(table)
    press(table)
    assert stands(table) == set()
    assert returned(table) == []
    coin(table)
    assert stands(table) == {"1/royal9"}


def test_every_coin_to_return_is_listed_until_it_is_confirmed() -> None:
    table = opened()
    for _ in range(3):
        coin(table)
    first, second = table.state.returns
    assert first != second
    made = fact(table, facts.ReturnWasConfirmed, inputs.ReturnConfirmed, by=DEALER, return_id=first)
    assert made.return_id == first
    assert list(table.state.returns) == [second]
    again = table.try_(inputs.ReturnConfirmed, by=DEALER, return_id=first)
    assert isinstance(again, Refused)
    assert again.refusal is Refusal.UNKNOWN
    table.do(inputs.ReturnConfirmed, by=DEALER, return_id=second)
    assert table.state.returns == {}


def test_a_coin_to_return_is_listed_however_many_days_pass() -> None:
    table = opened()
    coin(table, 1, "royal9", 100)
    (listed,) = table.state.returns
    for day in (17, 18, 19):
        table.do(inputs.ReadingsDue, day=f"2026-11-{day}")
    assert list(table.state.returns) == [listed]


@pytest.mark.parametrize("reach", [locked, dealt, settled, closed, simulated, faulted])
def test_a_return_is_confirmed_at_any_time(reach: Doing) -> None:
    table = opened()
    coin(table, 1, "royal9", 100)
    reach(table)
    (listed,) = table.state.returns
    table.do(inputs.ReturnConfirmed, by=DEALER, return_id=listed)
    assert table.state.returns == {}


def test_the_acceptors_are_inhibited_at_lock_out_and_freed_at_the_reopen() -> None:
    table = opened()
    press(table)
    assert Acceptors(inhibit=True) in effects(table)
    press(table)
    assert Acceptors(inhibit=False) in effects(table)


def test_the_acceptors_are_freed_when_the_table_opens_and_inhibited_when_it_closes() -> None:
    table = opened()
    assert Acceptors(inhibit=False) in effects(table)
    closed(table)
    assert Acceptors(inhibit=True) in effects(table)


def test_a_coin_the_dealer_takes_out_while_open_is_to_return_and_may_be_followed_by_another() -> None:
    table = opened()
    coin(table)
    table.do(inputs.WagerVoided, by=DEALER, round=1, position=1, wager="royal9", reason="changed his mind")
    assert stands(table) == set()
    assert returned(table) == [(1, "royal9", 500)]
    assert Acceptors(inhibit=False, position=1, wager="royal9") in effects(table)
    coin(table)
    assert stands(table) == {"1/royal9"}
    assert returned(table) == [(1, "royal9", 500)]


def test_a_coin_lies_on_no_sensor_so_an_absent_one_does_not_withdraw_it() -> None:
    table = opened()
    coin(table)
    lift(table)
    assert stands(table) == {"1/royal9"}


def test_a_coin_stands_through_a_fault() -> None:
    table = opened()
    coin(table)
    fault_and_end(table)
    assert stands(table) == {"1/royal9"}
    assert returned(table) == []


def test_the_same_coin_told_twice_is_one_coin() -> None:
    table = opened()
    for _ in range(2):
        table.do(inputs.WagerDropped, position=1, wager="royal9", cents=500, key="coin-1")
    assert stands(table) == {"1/royal9"}
    assert returned(table) == []


def test_the_last_coin_of_each_acceptor_is_known_whatever_became_of_it() -> None:
    table = opened()
    counts = [Counted("slot-1", 7, 254), Counted("slot-2", 1, 1), Counted("slot-1", 8, 1)]
    for count in counts:  # the third is a second credit, to return
        position = int(count.device[-1])
        table.do(inputs.WagerDropped, position=position, wager="royal9", cents=500, counted=count)
    assert returned(table) == [(1, "royal9", 500)]
    assert table.state.counted == {"slot-1": counts[2], "slot-2": counts[1]}
    chip(table, 3)
    assert table.state.counted == {"slot-1": counts[2], "slot-2": counts[1]}
    refused = Counted("slot-2", 2, 2, "4711")  # the controller knows no such place: wired, and not filed
    table.try_(inputs.WagerDropped, position=2, wager="heavenly9", cents=500, counted=refused)
    assert table.state.counted == {"slot-1": counts[2], "slot-2": refused}
    known = Counted("slot-2", 9, 12, "99")  # told with no coin: another acceptor stands there
    for facts_more in (1, 0):
        seq = table.state.seq
        table.do(inputs.DeviceRestored, device="slot-2", device_kind="acceptor", positions=(2,), counted=known)
        assert table.state.seq - seq == facts_more
    assert table.state.counted == {"slot-1": counts[2], "slot-2": known}


# ----------------------------------------------------------------------------------------------- the lock-out


@pytest.mark.parametrize("reach", [locked, dealt, settled])
def test_a_late_bet_is_refused_recorded_and_flashed(reach: Doing) -> None:
    table = opened()
    reach(table)
    before = (table.state.meters, table.state.record(1))
    made = fact(table, facts.WagerRefused, inputs.WagerPresent, position=4, wager="harmony")
    assert (made.position, made.wager) == (4, "harmony")
    assert (table.facts[-1].at, table.facts[-1].round) == (stamp(table.now), 1)
    assert flashes(table) == [(4, "harmony")]
    assert lamp(table, 4, "harmony") is Lamp.REFUSED
    assert (table.state.meters, table.state.record(1)) == before


def test_a_chip_lifted_and_put_down_after_lock_out_is_a_late_bet_and_the_wager_stays_in() -> None:
    table = opened()
    chip(table)
    press(table)
    before = table.state.record(1)
    lift(table)
    fact(table, facts.WagerRefused, inputs.WagerPresent, position=1, wager="royal9")
    assert flashes(table) == [(1, "royal9")]
    assert table.state.record(1) == before


@pytest.mark.parametrize(("ms", "flash"), [(0, True), (1, True), (2999, True), (3000, False), (3001, False)])
def test_a_chip_lifted_after_lock_out_is_recorded_and_flashes_only_within_pulled_ms(*, ms: int, flash: bool) -> None:
    table = opened()
    chip(table)
    press(table)
    before = (table.state.meters, table.state.record(1))
    answer = at_ms(table, ms, inputs.WagerAbsent, position=1, wager="royal9")
    assert isinstance(answer.fact, facts.ChipLifted)
    assert (answer.fact.position, answer.fact.wager) == (1, "royal9")
    assert (answer.fact.after_ms, answer.fact.flash) == (ms, flash)
    assert any(isinstance(each, Flash) and (each.position, each.wager) == (1, "royal9") for each in answer.effects) is (
        flash
    )
    assert (table.state.meters, table.state.record(1)) == before


@pytest.mark.parametrize(("ms", "flash"), [(499, True), (500, False)])
def test_pulled_ms_is_a_setting(*, ms: int, flash: bool) -> None:
    table = opened()
    chip(table)
    press(table)
    answer = at_ms(table, ms, inputs.WagerAbsent, position=1, wager="royal9", pulled_ms=500)
    assert isinstance(answer.fact, facts.ChipLifted)
    assert answer.fact.flash is flash


def test_a_chip_pulled_after_lock_out_flashes_in_dealt_too() -> None:
    table = opened()
    chip(table)
    press(table)
    at_ms(table, 1000, inputs.FourCards, **FOUR)
    answer = at_ms(table, 1000, inputs.WagerAbsent, position=1, wager="royal9")
    assert isinstance(answer.fact, facts.ChipLifted)
    assert (answer.fact.after_ms, answer.fact.flash) == (2000, True)


def test_a_late_chip_taken_back_is_recorded_and_does_not_flash() -> None:
    table = opened()
    press(table)
    at_ms(table, 100, inputs.WagerPresent, position=1, wager="royal9")
    answer = at_ms(table, 100, inputs.WagerAbsent, position=1, wager="royal9")
    assert isinstance(answer.fact, facts.ChipLifted)
    assert answer.fact.flash is False
    assert not [each for each in answer.effects if isinstance(each, Flash)]


def test_a_chip_of_a_wager_that_was_taken_out_is_lifted_without_a_flash() -> None:
    table = opened()
    chip(table)
    press(table)
    taken = {"round": 1, "position": 1, "wager": "royal9", "reason": "not a $5 chip"}
    at_ms(table, 100, inputs.WagerVoided, by=FLOOR, second=FLOOR2, **taken)
    answer = at_ms(table, 100, inputs.WagerAbsent, position=1, wager="royal9")
    assert isinstance(answer.fact, facts.ChipLifted)
    assert not answer.fact.flash


def order(table: Table, round_: int = 1) -> list[tuple[int, str]]:
    record = table.state.record(round_)
    assert record is not None
    return [(each.position, each.wager) for each in record.wagers]


def test_wagers_are_taken_in_the_order_they_were_made() -> None:
    table = opened()
    for position in (5, 2, 9, 1):
        chip(table, position)
    made = fact(table, facts.LockedOut, inputs.Button)
    assert [each.position for each in made.wagers] == [5, 2, 9, 1]
    assert order(table) == [(5, "royal9"), (2, "royal9"), (9, "royal9"), (1, "royal9")]


def test_a_wager_made_again_is_as_late_as_its_last_making() -> None:
    table = opened()
    chip(table, 5)
    chip(table, 2)
    lift(table, 5)
    chip(table, 5)
    press(table)
    assert order(table) == [(2, "royal9"), (5, "royal9")]


@pytest.mark.parametrize("placing", [inputs.WagerPresent, inputs.WagerDropped])
def test_wagers_of_one_instant_are_taken_by_position(placing: type[Input]) -> None:
    table = opened()
    chip(table, 9)
    table.now += 1_000_000
    extra = {"cents": 500} if placing is inputs.WagerDropped else {}
    for position in (5, 2, 3):
        at_ms(table, 0, placing, position=position, wager="royal9", **extra)
    press(table)
    assert order(table) == [(9, "royal9"), (2, "royal9"), (3, "royal9"), (5, "royal9")]


def test_wagers_that_stand_from_a_reopen_on_are_taken_by_position_and_before_later_ones() -> None:
    table = opened()
    press(table)
    chip(table, 8)
    chip(table, 4)
    press(table)
    chip(table, 1)
    press(table)
    assert order(table, 2) == [(4, "royal9"), (8, "royal9"), (1, "royal9")]


@pytest.mark.parametrize("first", [3, 7])
def test_the_wager_that_carries_a_mystery_meter_past_its_value_wins_it(first: int) -> None:
    table = opened(rigged=Rigged(royal9_mystery=[25_025, 99_999]))  # the second 25 cents pass it
    chip(table, first)
    chip(table, 10 - first)
    made = fact(table, facts.LockedOut, inputs.Button)
    assert [(each.kind, each.position, each.amount_cents) for each in made.awards] == [("mystery", 10 - first, 25_050)]
    assert lamp(table, 10 - first) is Lamp.WON
    assert lamp(table, first) is Lamp.ACCEPTED


def test_a_lock_out_is_one_fact_with_its_wagers_and_contributions() -> None:
    table = opened()
    chip(table, 1, "harmony")
    coin(table, 2, "harmony")
    chip(table, 3, "royal9")
    before, count = table.state.meters, len(table.facts)
    made = fact(table, facts.LockedOut, inputs.Button)
    assert len(table.facts) == count + 1
    assert (made.round, made.cause, made.phase) == (1, "button", "locked")
    after = table.state.meters
    assert after["harmony"].display_cents - before["harmony"].display_cents == 2 * HARMONY_B
    assert after["royal9-mega"].display_cents - before["royal9-mega"].display_cents == 50
    assert after["royal9-major"].display_cents - before["royal9-major"].display_cents == 20
    assert after["royal9-minor"].display_cents - before["royal9-minor"].display_cents == 20
    assert after["royal9-mystery"].display_cents - before["royal9-mystery"].display_cents == 25
    assert [after[each].in_cents for each in ("harmony", "royal9-mega", "royal9-mystery")] == [1000, 500, 500]
    assert stands(table) == set()


def test_a_lock_out_without_wagers_is_a_round_too() -> None:
    table = opened()
    before = table.state.meters
    made = fact(table, facts.LockedOut, inputs.Button)
    assert made.wagers == ()
    assert table.state.meters == before
    assert phase_of(table) is Phase.LOCKED


# ------------------------------------------------------------------------------------------ button and switch


@pytest.mark.parametrize(("ms", "ignored"), [(1, True), (2999, True), (3000, False), (3001, False)])
@pytest.mark.parametrize("locks", [True, False], ids=["that locked", "that reopened"])
def test_a_press_within_reopen_after_ms_of_the_last_is_ignored_and_recorded(
    *, locks: bool, ms: int, ignored: bool
) -> None:
    table = opened()
    press(table)
    if not locks:
        press(table)
    before = table.state.phase
    answer = at_ms(table, ms, inputs.Button)
    assert isinstance(answer.fact, facts.ButtonIgnored) is ignored
    assert (table.state.phase is before) is ignored


@pytest.mark.parametrize(("ms", "ignored"), [(0, False), (99, True), (100, False)])
def test_reopen_after_ms_is_a_setting(*, ms: int, ignored: bool) -> None:
    table = opened()
    press(table)
    answer = at_ms(table, ms, inputs.Button, reopen_after_ms=100 if ms else 0)
    assert isinstance(answer.fact, facts.ButtonIgnored) is ignored


def test_an_ignored_press_does_not_hold_up_the_next() -> None:
    table = opened()
    press(table)
    at_ms(table, 2000, inputs.Button)
    assert phase_of(table) is Phase.LOCKED
    at_ms(table, 1000, inputs.Button)
    assert phase_of(table) is Phase.OPEN


def test_a_press_after_the_clock_was_set_back_is_not_ignored() -> None:
    table = opened()
    press(table)
    at_ms(table, -3_600_000, inputs.Button)
    assert phase_of(table) is Phase.OPEN


def test_a_press_before_the_table_is_open_is_recorded_and_does_nothing() -> None:
    table = Table()
    fact(table, facts.ButtonIgnored, inputs.Button)
    assert phase_of(table) is Phase.CLOSED
    at_ms(table, 10, inputs.TableOpened, by=DEALER)
    at_ms(table, 10, inputs.Button)
    assert phase_of(table) is Phase.LOCKED


def test_a_button_while_faulted_is_recorded_and_does_nothing() -> None:
    table = opened()
    chip(table)
    lose(table, "broker")
    before = table.state.meters
    fact(table, facts.ButtonIgnored, inputs.Button)
    restore(table, "broker")
    assert (table.state.phase, table.state.meters) == (Phase.OPEN, before)
    assert stands(table) == {"1/royal9"}


def test_a_maintained_switch_is_followed() -> None:
    table = opened()
    chip(table)
    made = fact(table, facts.LockedOut, inputs.Button, level="locked")
    assert made.switch == "locked"
    assert [each.position for each in made.wagers] == [1]
    back = fact(table, facts.Reopened, inputs.Button, level="unlocked")
    assert (back.switch, back.round, back.entered) == ("unlocked", 2, False)


def test_a_maintained_switch_does_not_bounce() -> None:
    table = opened()
    at_ms(table, 10, inputs.Button, level="locked")
    at_ms(table, 10, inputs.Button, level="unlocked")
    assert (table.state.phase, table.state.round) == (Phase.OPEN, 2)
    at_ms(table, 10, inputs.Button, level="locked")
    assert (table.state.phase, table.state.round) == (Phase.LOCKED, 2)


@pytest.mark.parametrize("levels", [["unlocked", "unlocked"], ["locked", "locked"], ["unlocked", "locked", "locked"]])
def test_the_same_level_of_a_switch_again_changes_nothing(levels: list[str]) -> None:
    table = opened()
    for level in levels[:-1]:
        switch(table, level)
    before = table.state
    switch(table, levels[-1])
    assert (table.state.phase, table.state.round, table.state.rounds) == (before.phase, before.round, before.rounds)


def test_a_switch_found_locked_when_the_table_opens_locks_it_with_no_wager_in() -> None:
    table = Table()
    lift(table)
    chip(table)
    switch(table, "locked")
    before = table.state.meters
    table.do(inputs.TableOpened, by=DEALER)
    assert (table.state.phase, table.state.round) == (Phase.LOCKED, 1)
    assert order(table) == []
    assert table.state.meters == before
    switch(table, "unlocked")
    assert (table.state.phase, table.state.round) == (Phase.OPEN, 2)


def test_a_switch_that_stays_locked_after_a_void_locks_the_next_round_with_no_wager_in() -> None:
    table = opened()
    switch(table, "locked")
    lift(table)
    chip(table)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    assert (table.state.phase, table.state.round) == (Phase.LOCKED, 2)
    assert order(table, 2) == []


def test_a_switch_found_locked_when_a_simulated_round_ends_locks_the_round_with_no_wager_in() -> None:
    table = opened()
    table.do(inputs.SimulatedRound, by=DEALER)
    chip(table)
    switch(table, "locked")
    assert phase_of(table) is Phase.SIMULATED
    table.do(inputs.SimulatedRound, by=DEALER)
    assert (table.state.phase, table.state.round) == (Phase.LOCKED, 1)
    assert order(table) == []


@pytest.mark.parametrize("kind", ["button", "journal", "broker", "software"])
def test_a_switch_found_locked_when_a_fault_ends_locks_the_round_with_no_wager_in(kind: str) -> None:
    table = opened()
    switch(table, "unlocked")
    chip(table, 1)
    coin(table, 2)
    before = table.state.meters
    lose(table, kind)
    switch(table, "locked")
    assert phase_of(table) is Phase.FAULTED
    made = fact(table, facts.DeviceChanged, inputs.DeviceRestored, device=kind, device_kind=kind)
    assert made.locked
    assert (table.state.phase, table.state.round) == (Phase.LOCKED, 1)
    assert order(table) == []
    assert stands(table) == set()
    assert table.state.meters == before
    assert returned(table) == [(2, "royal9", 500)]


def test_a_switch_found_as_it_was_when_a_fault_ends_leaves_the_round_as_it_was() -> None:
    table = opened()
    switch(table, "unlocked")
    chip(table)
    lose(table)
    switch(table, "locked")
    switch(table, "unlocked")
    restore(table)
    assert phase_of(table) is Phase.OPEN
    assert stands(table) == {"1/royal9"}


def test_a_switch_that_locked_before_a_fault_keeps_the_round_locked_with_its_wagers() -> None:
    table = opened()
    chip(table)
    switch(table, "locked")
    before = table.state.record(1)
    fault_and_end(table)
    assert phase_of(table) is Phase.LOCKED
    assert table.state.record(1) == before


def test_a_switch_unlocked_during_a_fault_is_followed_when_it_has_ended() -> None:
    table = opened()
    switch(table, "locked")
    lose(table)
    switch(table, "unlocked")
    assert table.state.play is Phase.LOCKED
    restore(table)
    switch(table, "unlocked")  # read once more, as every level is
    assert (table.state.phase, table.state.round) == (Phase.OPEN, 2)


# ------------------------------------------------------------------------------------------------------- shoe


def test_the_first_card_out_of_the_shoe_locks_an_open_round_and_says_so() -> None:
    table = opened()
    chip(table)
    made = fact(table, facts.LockedOut, inputs.Button, cause="shoe")
    assert made.cause == "shoe"
    assert [each.position for each in made.wagers] == [1]


@pytest.mark.parametrize("ms", [0, 10, 3000, 60_000])
@pytest.mark.parametrize("reach", [locked, dealt, settled, closed, simulated, faulted])
def test_a_card_out_of_the_shoe_reopens_nothing_and_locks_nothing_else(reach: Doing, ms: int) -> None:
    table = opened()
    reach(table)
    before = table.state
    at_ms(table, ms, inputs.Button, cause="shoe")
    assert (table.state.phase, table.state.prior, table.state.round) == (before.phase, before.prior, before.round)
    assert table.state.meters == before.meters


@pytest.mark.parametrize(("ms", "ignored"), [(1, True), (2999, True), (3000, False)])
def test_the_shoes_lock_out_counts_as_a_press(*, ms: int, ignored: bool) -> None:
    table = opened()
    table.do(inputs.Button, cause="shoe")
    answer = at_ms(table, ms, inputs.Button)
    assert isinstance(answer.fact, facts.ButtonIgnored) is ignored
    assert phase_of(table) is (Phase.LOCKED if ignored else Phase.OPEN)


def test_a_later_card_of_the_shoe_does_not_hold_up_the_button() -> None:
    table = opened()
    press(table)
    at_ms(table, 2999, inputs.Button, cause="shoe")
    at_ms(table, 1, inputs.Button)
    assert phase_of(table) is Phase.OPEN


def test_a_card_out_of_the_shoe_locks_a_round_at_once_after_the_press_that_opened_it() -> None:
    table = opened()
    press(table)
    press(table)
    at_ms(table, 10, inputs.Button, cause="shoe")
    assert phase_of(table) is Phase.LOCKED


# ------------------------------------------------------------------------------------------------ the reopening


@pytest.mark.parametrize(("reach", "entered"), [(locked, False), (dealt, False), (settled, True)])
def test_a_round_reopened_without_its_whole_hand_is_closed_as_not_entered(*, reach: Doing, entered: bool) -> None:
    table = opened()
    reach(table)
    made = fact(table, facts.Reopened, inputs.Button)
    assert (made.round, made.entered) == (2, entered)
    assert (table.state.phase, table.state.round) == (Phase.OPEN, 2)


def with_major_pending(toml: str) -> Table:
    table = opened(toml)
    chip(table)
    press(table)
    lift(table)
    key_in(table, inputs.FourCards, MAJOR_OF_1)
    assert phase_of(table) is Phase.SETTLED
    assert len(table.state.awards) == 1
    return table


def test_a_pending_award_does_not_hold_up_play() -> None:
    table = with_major_pending(MINI)
    fact(table, facts.Reopened, inputs.Button)
    assert phase_of(table) is Phase.OPEN


@pytest.mark.parametrize("level", ["", "unlocked"])
def test_with_hold_play_on_hit_the_reopening_waits_for_the_award(level: str) -> None:
    table = with_major_pending(HOLD)
    made = fact(table, facts.ButtonIgnored, inputs.Button, level=level)
    assert made.why
    assert (table.state.phase, table.state.round) == (Phase.SETTLED, 1)
    (award,) = table.state.awards
    table.do(inputs.AwardValidated, by=FLOOR, award=award, method="slip", base_wager=True)
    table.do(inputs.Button, level=level)
    assert (table.state.phase, table.state.round) == (Phase.OPEN, 2)


def test_with_hold_play_on_hit_a_rejected_award_holds_up_nothing() -> None:
    table = with_major_pending(HOLD)
    (award,) = table.state.awards
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award, reason="no base wager")
    press(table)
    assert phase_of(table) is Phase.OPEN


def test_a_press_held_up_by_an_award_does_not_hold_up_the_next() -> None:
    table = with_major_pending(HOLD)
    press(table)
    (award,) = table.state.awards
    at_ms(table, 100, inputs.AwardValidated, by=FLOOR, award=award, method="slip", base_wager=True)
    at_ms(table, 100, inputs.Button)
    assert phase_of(table) is Phase.OPEN


def test_hold_play_on_hit_holds_up_a_mystery_award_too() -> None:
    table = opened(HOLD, Rigged(royal9_mystery=[25_000, 99_999]))
    chip(table)
    press(table)
    fact(table, facts.ButtonIgnored, inputs.Button)
    assert phase_of(table) is Phase.LOCKED


def test_hold_play_on_hit_does_not_wait_for_awards_that_are_the_dealers() -> None:
    table = opened(HOLD)
    chip(table, 3)
    press(table)
    key_in(table, inputs.FourCards, {"player": ("2S", "3H"), "banker": ("QS", "9H")})  # any Royal 9: $25
    assert phase_of(table) is Phase.SETTLED
    press(table)
    assert phase_of(table) is Phase.OPEN


def test_with_hold_play_on_hit_no_next_round_opens_by_way_of_closing_the_table() -> None:
    table = with_major_pending(HOLD)
    (award,) = table.state.awards
    table.do(inputs.TableClosed, by=DEALER)
    answer = table.try_(inputs.TableOpened, by=DEALER)
    assert isinstance(answer, Refused)
    assert (phase_of(table), table.state.round) == (Phase.CLOSED, 1)
    table.do(inputs.AwardValidated, by=FLOOR, award=award, method="slip", base_wager=True)
    table.do(inputs.TableOpened, by=DEALER)
    assert (phase_of(table), table.state.round) == (Phase.OPEN, 2)


# ------------------------------------------------------------------------------------- closing and simulating


@pytest.mark.parametrize("given", [inputs.TableClosed, inputs.SimulatedRound])
def test_closing_and_a_simulated_round_withdraw_standing_wagers(given: type[Input]) -> None:
    table = opened()
    chip(table, 1)
    coin(table, 2)
    before = (table.state.meters, table.state.accounts)
    made = table.do(given, by=DEALER)
    assert made is not None
    assert {(each.position, each.wager) for each in made.withdrawn} == {(1, "royal9"), (2, "royal9")}
    assert [(each.position, each.wager, each.cents) for each in made.returns] == [(2, "royal9", 500)]
    assert stands(table) == set()
    assert returned(table) == [(2, "royal9", 500)]
    assert (table.state.meters, table.state.accounts) == before


@pytest.mark.parametrize("given", [inputs.TableClosed, inputs.SimulatedRound])
@pytest.mark.parametrize("reach", [locked, dealt])
def test_a_round_that_is_locked_is_not_closed_or_simulated_away(given: type[Input], reach: Doing) -> None:
    table = opened()
    chip(table)
    reach(table)
    answer = table.try_(given, by=DEALER)
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.WRONG_PHASE


def test_a_new_journal_starts_closed() -> None:
    assert State().phase is Phase.CLOSED
    assert Table().state.phase is Phase.CLOSED


@pytest.mark.parametrize("begin", [lambda _: None, settled], ids=["from open", "from settled"])
@pytest.mark.parametrize(
    "hands",
    [
        [(inputs.FourCards, NATURAL)],
        [(inputs.HandComplete, WHOLE)],
        [(inputs.FourCards, FOUR), (inputs.HandComplete, WHOLE)],
        [],
    ],
    ids=["natural", "whole", "four then whole", "second command"],
)
@pytest.mark.parametrize("source", ["shoe", "console"])
def test_a_simulated_round_ends_with_its_last_card_and_moves_nothing(
    begin: Doing, hands: list[tuple[type[Input], dict[str, object]]], source: str
) -> None:
    table = opened()
    begin(table)
    before = table.state
    fact(table, facts.SimulatedBegun, inputs.SimulatedRound, by=DEALER)
    for kind, cards in hands:
        assert phase_of(table) is Phase.SIMULATED
        table.do(kind, source=source, by=DEALER if source == "console" else None, **cards)
    if not hands:
        fact(table, facts.SimulatedEnded, inputs.SimulatedRound, by=DEALER)
    after = table.state
    assert (after.phase, after.round, after.rounds) == (before.phase, before.round, before.rounds)
    assert (after.meters, after.accounts, after.awards) == (before.meters, before.accounts, before.awards)


def test_a_simulated_hand_that_would_win_wins_nothing() -> None:
    table = opened()
    table.do(inputs.SimulatedRound, by=DEALER)
    before = (table.state.meters, table.state.accounts)
    fact(table, facts.WagerRefused, inputs.WagerPresent, position=1, wager="royal9")
    table.do(inputs.FourCards, **MAJOR_OF_1)
    assert table.state.awards == {}
    assert (table.state.meters, table.state.accounts) == before


def test_a_button_in_a_simulated_round_locks_nothing() -> None:
    table = opened()
    table.do(inputs.SimulatedRound, by=DEALER)
    fact(table, facts.ButtonIgnored, inputs.Button)
    assert phase_of(table) is Phase.SIMULATED


# ----------------------------------------------------------------------------------------------------- faults

REACHES: list[Doing] = [lambda _: None, locked, dealt, settled, closed, simulated]
PHASES = [Phase.OPEN, Phase.LOCKED, Phase.DEALT, Phase.SETTLED, Phase.CLOSED, Phase.SIMULATED]


@pytest.mark.parametrize(("reach", "phase"), list(zip(REACHES, PHASES, strict=True)), ids=lambda each: str(each)[:20])
@pytest.mark.parametrize("kind", ["button", "journal", "broker", "software"])
def test_a_fault_of_the_table_applies_nothing_and_goes_back_to_the_exact_phase(
    kind: str, reach: Doing, phase: Phase
) -> None:
    table = opened()
    chip(table, 2)
    reach(table)
    before = table.state
    assert before.phase is phase
    made = fact(table, facts.DeviceChanged, inputs.DeviceLost, device=kind, device_kind=kind)
    assert made.faulted
    assert (table.state.phase, table.state.prior) == (Phase.FAULTED, phase)
    assert (table.state.meters, table.state.accounts, table.state.rounds) == (
        before.meters,
        before.accounts,
        before.rounds,
    )
    back = fact(table, facts.DeviceChanged, inputs.DeviceRestored, device=kind, device_kind=kind)
    assert not back.faulted
    assert (table.state.phase, table.state.prior, table.state.round) == (phase, None, before.round)
    assert {each.wager for each in table.state.standing.values()} == {each.wager for each in before.standing.values()}
    assert (table.state.meters, table.state.accounts, table.state.rounds) == (
        before.meters,
        before.accounts,
        before.rounds,
    )


def test_two_faults_end_with_the_second() -> None:
    table = opened()
    lose(table, "button")
    lose(table, "broker")
    restore(table, "button")
    assert (table.state.phase, table.state.prior) == (Phase.FAULTED, Phase.OPEN)
    restore(table, "broker")
    assert phase_of(table) is Phase.OPEN


@pytest.mark.parametrize("kind", [inputs.DeviceLost, inputs.DeviceRestored])
def test_the_same_loss_or_return_told_again_changes_nothing(kind: type[Input]) -> None:
    table = opened()
    table.do(kind, device="button", device_kind="button")
    before, count = table.state, len(table.facts)
    table.do(kind, device="button", device_kind="button")
    assert (table.state, len(table.facts)) == (before, count)


def test_one_board_lost_takes_out_its_positions_only() -> None:
    table = with_boards(opened())
    for position in (1, 4, 9):
        chip(table, position)
    lost = fact(
        table, facts.DeviceChanged, inputs.DeviceLost, device="board-1", device_kind="board", positions=(1, 2, 3)
    )
    assert not lost.faulted
    assert [(each.position, each.wager) for each in lost.withdrawn] == [(1, "royal9")]
    assert phase_of(table) is Phase.OPEN
    assert stands(table) == {"4/royal9", "9/royal9"}
    assert [lamp(table, position) for position in (1, 2, 3)] == [Lamp.FAULT] * 3
    assert [lamp(table, position) for position in (4, 5)] == [Lamp.PLACED, Lamp.INVITE]
    press(table)
    assert order(table) == [(4, "royal9"), (9, "royal9")]


def test_a_wager_in_stays_in_when_its_board_is_lost_after_lock_out() -> None:
    table = with_boards(opened())
    chip(table)
    press(table)
    before = (table.state.record(1), table.state.meters)
    lose(table, "board", "board-1", positions=(1, 2, 3))
    assert (table.state.record(1), table.state.meters) == before
    key_in(table, inputs.FourCards, MAJOR_OF_1)
    assert len(table.state.awards) == 1


def test_a_chip_at_a_lost_board_that_returns_after_lock_out_is_not_in() -> None:
    table = with_boards(opened())
    chip(table)
    lose(table, "board", "board-1", positions=(1, 2, 3))
    press(table)
    restore(table, "board", "board-1", positions=(1, 2, 3))
    assert order(table) == []
    assert stands(table) == set()


def test_all_boards_lost_is_a_fault_of_the_table_and_one_back_ends_it() -> None:
    table = with_boards(opened())
    chip(table, 1)
    chip(table, 9)
    lose(table, "board", "board-1", positions=(1, 2, 3))
    lose(table, "board", "board-2", positions=(4, 5, 6))
    assert phase_of(table) is Phase.OPEN
    third = {"device": "board-3", "device_kind": "board", "positions": (7, 8, 9)}
    last = fact(table, facts.DeviceChanged, inputs.DeviceLost, **third)
    assert last.faulted
    assert (table.state.phase, table.state.prior) == (Phase.FAULTED, Phase.OPEN)
    back = fact(table, facts.DeviceChanged, inputs.DeviceRestored, **third)
    assert not back.faulted
    assert phase_of(table) is Phase.OPEN
    assert stands(table) == {"9/royal9"}
    assert lamp(table, 1) is Lamp.FAULT


def test_the_only_board_lost_is_all_boards() -> None:
    table = opened()
    restore(table, "board", "board-1", positions=tuple(SEATS))
    lose(table, "board", "board-1", positions=tuple(SEATS))
    assert phase_of(table) is Phase.FAULTED


@pytest.mark.parametrize(("kind", "other"), [("vault", "harmony"), ("link", "harmony")])
def test_a_lost_vault_or_link_takes_out_its_wager_and_no_other(kind: str, other: str) -> None:
    table = opened()
    chip(table, 1, "royal9")
    chip(table, 1, other)
    made = fact(table, facts.DeviceChanged, inputs.DeviceLost, device=kind, device_kind=kind, wagers=("royal9",))
    assert not made.faulted
    assert [(each.position, each.wager) for each in made.withdrawn] == [(1, "royal9")]
    assert stands(table) == {"1/harmony"}
    assert lamp(table, 1, "royal9") is Lamp.FAULT
    assert lamp(table, 2, "royal9") is Lamp.FAULT
    assert lamp(table, 2, "harmony") is Lamp.INVITE
    chip(table, 2, "royal9")
    assert stands(table) == {"1/harmony"}
    restore(table, kind, wagers=("royal9",))
    assert stands(table) == {"1/harmony", "1/royal9", "2/royal9"}


def test_hands_and_voids_and_validation_go_on_during_a_fault() -> None:
    table = opened()
    chip(table)
    press(table)
    lose(table)
    key_in(table, inputs.FourCards, MAJOR_OF_1)
    assert (table.state.phase, table.state.prior) == (Phase.FAULTED, Phase.SETTLED)
    (award,) = table.state.awards
    table.do(inputs.AwardValidated, by=FLOOR, award=award, method="slip", base_wager=True)
    restore(table)
    assert phase_of(table) is Phase.SETTLED


@pytest.mark.parametrize("given", [inputs.TableOpened, inputs.TableClosed, inputs.SimulatedRound])
def test_play_does_not_begin_or_end_during_a_fault(given: type[Input]) -> None:
    table = opened()
    if given is inputs.TableOpened:
        closed(table)
    lose(table)
    answer = table.try_(given, by=DEALER)
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.FAULTED


# ----------------------------------------------------------------------------------------------------- service


def test_a_position_out_of_service_takes_no_wager_and_the_others_do() -> None:
    table = opened()
    chip(table, 1, "royal9")
    chip(table, 1, "harmony")
    chip(table, 2)
    made = fact(
        table, facts.PositionServiced, inputs.PositionService, by=FLOOR, position=1, on=False, reason="it sticks"
    )
    assert {(each.position, each.wager) for each in made.withdrawn} == {(1, "royal9"), (1, "harmony")}
    assert stands(table) == {"2/royal9"}
    lift(table)
    fact(table, facts.WagerRefused, inputs.WagerPresent, position=1, wager="royal9")
    assert stands(table) == {"2/royal9"}
    assert phase_of(table) is Phase.OPEN


def test_a_coin_at_a_position_taken_out_of_service_is_to_return() -> None:
    table = opened()
    coin(table)
    service(table, on=False)
    assert stands(table) == set()
    assert returned(table) == [(1, "royal9", 500)]


@pytest.mark.parametrize("kind", ["button", "journal", "broker"])
def test_what_stands_at_a_position_taken_out_of_service_goes_back_also_while_the_table_is_faulted(kind: str) -> None:
    table = Audited(MINI)
    for position in (1, 2):
        table.do(inputs.WagerAbsent, position=position, wager="royal9")
    table.do(inputs.TableOpened, by=DEALER)
    chip(table, 1, "royal9")
    coin(table, 1, "harmony")
    chip(table, 2)
    lose(table, kind)
    made = service(table, on=False)
    assert made is not None
    assert {(each.position, each.wager, each.why) for each in made.withdrawn} == {
        (1, "royal9", "out-of-service"),
        (1, "harmony", "out-of-service"),
    }
    assert returned(table) == [(1, "harmony", 500)]
    assert phase_of(table) is Phase.FAULTED
    service(table, on=True)
    assert stands(table) == {"2/royal9"}  # no wager is made while it is faulted
    restore(table, kind)
    assert stands(table) == {"1/royal9", "2/royal9"}
    assert returned(table) == [(1, "harmony", 500)]


def test_a_wager_in_stays_in_when_its_position_goes_out_of_service() -> None:
    table = opened()
    chip(table)
    press(table)
    before = table.state.record(1)
    service(table, on=False)
    assert table.state.record(1) == before


def test_a_position_put_back_that_was_not_out_keeps_its_wagers() -> None:
    table = opened()
    chip(table)
    coin(table, 1, "harmony")
    service(table, on=True)
    assert stands(table) == {"1/royal9", "1/harmony"}
    assert returned(table) == []


def test_a_position_put_back_after_lock_out_has_no_wager_in() -> None:
    table = opened()
    service(table, on=False)
    press(table)
    chip(table)
    service(table, on=True)
    assert stands(table) == set()
    assert order(table) == []
    press(table)
    assert stands(table) == {"1/royal9"}


def test_a_position_taken_out_of_service_during_a_fault_has_no_wager_when_it_ends() -> None:
    table = opened()
    chip(table)
    coin(table, 1, "harmony")
    lose(table)
    service(table, on=False)
    restore(table)
    assert stands(table) == set()
    assert returned(table) == [(1, "harmony", 500)]


def test_a_position_put_back_during_a_fault_counts_when_it_ends() -> None:
    table = opened()
    service(table, on=False)
    chip(table)
    lose(table)
    service(table, on=True)
    assert stands(table) == set()
    restore(table)
    assert stands(table) == {"1/royal9"}


@pytest.mark.parametrize("position", [0, 10])
def test_a_position_the_table_does_not_have_is_not_serviced(position: int) -> None:
    answer = opened().try_(inputs.PositionService, by=FLOOR, position=position, on=False, reason="r")
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.UNKNOWN


def test_a_position_stays_out_of_service_over_rounds_faults_and_closing() -> None:
    table = opened()
    service(table, on=False)
    press(table)
    press(table)
    fault_and_end(table)
    close_and_open(table)
    started_again(table)
    chip(table)
    assert stands(table) == set()


# ------------------------------------------------------------------------------------------------------- voids


@pytest.mark.parametrize("reach", [locked, dealt])
@pytest.mark.parametrize("fault", [False, True], ids=["in order", "during a fault"])
def test_a_void_gives_every_wager_back_and_opens_the_next_round(*, reach: Doing, fault: bool) -> None:
    table = opened()
    chip(table, 1, "royal9")
    chip(table, 2, "harmony")
    coin(table, 3, "harmony")
    before = (table.state.meters, table.state.accounts)
    reach(table)
    assert (table.state.meters, table.state.accounts) != before
    if fault:
        lose(table)
    made = fact(table, facts.RoundWasVoided, inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    assert (made.round, made.reason, made.by) == (1, "misdeal", FLOOR.id)
    assert (table.state.meters, table.state.accounts) == before
    assert returned(table) == [(3, "harmony", 500)]
    assert phase_of(table) is (Phase.FAULTED if fault else Phase.OPEN)
    assert (table.state.play, table.state.round) == (Phase.OPEN, 2)
    record = table.state.record(1)
    assert record is not None
    assert record.voided
    assert [each.out for each in record.wagers] == [True] * 3
    if fault:
        restore(table)
    assert phase_of(table) is Phase.OPEN
    assert stands(table) == set()  # the chips have lain there since the lock-out


def test_a_chip_lifted_after_a_lock_out_by_mistake_and_laid_again_stands_when_it_is_voided() -> None:
    table = opened()
    chip(table)
    press(table)
    lift(table)
    chip(table)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="locked by mistake")
    assert stands(table) == {"1/royal9"}


def test_a_chip_laid_again_is_no_wager_when_a_round_is_voided_during_a_fault_but_when_that_ends() -> None:
    table = opened()
    press(table)
    chip(table)
    lose(table)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    assert stands(table) == set()
    restore(table)
    assert stands(table) == {"1/royal9"}


@pytest.mark.parametrize("reach", [lambda _: None, settled, closed, simulated])
@pytest.mark.parametrize("fault", [False, True], ids=["in order", "during a fault"])
def test_only_a_locked_round_without_its_last_card_is_voided(*, reach: Doing, fault: bool) -> None:
    table = opened()
    reach(table)
    if fault:
        lose(table)
    before = (table.state.phase, table.state.prior, table.state.round, table.state.meters)
    answer = table.try_(inputs.RoundVoided, by=FLOOR, round=1, reason="r")
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.WRONG_PHASE
    assert (table.state.phase, table.state.prior, table.state.round, table.state.meters) == before


@pytest.mark.parametrize("round_", [0, 1, 3])
def test_only_the_current_round_is_voided(round_: int) -> None:
    table = opened()
    press(table)
    press(table)
    press(table)
    before = table.state.rounds
    answer = table.try_(inputs.RoundVoided, by=FLOOR, round=round_, reason="r")
    assert isinstance(answer, Refused)
    assert table.state.rounds == before


def test_a_voided_round_may_be_reopened_by_a_press_at_once() -> None:
    table = opened()
    press(table)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="r")
    press(table)
    assert (table.state.phase, table.state.round) == (Phase.LOCKED, 2)


# ----------------------------------------------------------------------------------------- numbers of rounds


def test_rounds_are_numbered_from_1_as_they_open() -> None:
    table = Table()
    assert table.state.round == 0
    made = fact(table, facts.TableWasOpened, inputs.TableOpened, by=DEALER)
    assert made.round == table.state.round == 1
    for number in range(2, 6):
        press(table)
        assert table.state.round == number - 1
        press(table)
        assert table.state.round == number


def test_a_round_closed_before_its_lock_out_goes_on_when_the_table_opens_again() -> None:
    table = opened()
    close_and_open(table)
    assert table.state.round == 1
    press(table)
    key_in(table, inputs.HandComplete, NATURAL)
    close_and_open(table)
    assert table.state.round == 2


def test_a_simulated_round_has_no_number() -> None:
    table = opened()
    simulated_and_back(table)
    assert table.state.round == 1
    settled(table)
    simulated_and_back(table)
    assert table.state.round == 1
    press(table)
    assert table.state.round == 2


def test_the_facts_of_a_round_carry_its_number() -> None:
    table = opened()
    chip(table)
    press(table)
    key_in(table, inputs.HandComplete, NATURAL)
    assert [each.round for each in table.facts[-3:]] == [1, 1, 1]


def test_another_game_is_played_alike() -> None:
    table = opened(HEAVENLY, positions=range(1, 15))
    chip(table, 14, "heavenly9")
    before = table.state.meters["heavenly9"].display_cents
    press(table)
    assert order(table) == [(14, "heavenly9")]
    assert table.state.meters["heavenly9"].display_cents == before + 50
