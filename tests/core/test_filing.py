"""The Rules Submission in force, changes of it, and meters adjusted by hand."""

from collections.abc import Callable, Mapping

import pytest

from controller.core import facts, inputs
from controller.core.decision import Decision
from controller.core.inputs import Person
from controller.core.needs import needs
from controller.core.phases import Phase
from controller.core.refusals import Refusal, Refused
from controller.core.state import State
from tests.core.play import DEALER, FLOOR, FLOOR2, HEAVENLY, MINI, SUPERVISOR, SUPERVISOR2, Rigged, Table

UNITS = 1_000_000  # of a cent
MAJOR_OF_1 = {"player": ("2S", "3H"), "banker": ("KS", "9S")}
MEGA_OF_1 = {"player": ("KS", "9S"), "banker": ("KS", "9S")}
SIX_TWOS = {"player": ("2S", "2H", "2D"), "banker": ("2C", "2S", "2H")}
NATURAL = {"player": ("2S", "6S"), "banker": ("2H", "5D")}
ROYAL_9_HARMONY = ("royal9", "harmony")

DAY = "2026-11-16"


def changed(old: str, new: str, toml: str = MINI) -> str:
    """A submission with one thing in it different."""
    assert toml.count(old) == 1, f"{old!r} is there {toml.count(old)} times"
    return toml.replace(old, new)


def without(section: str, toml: str = MINI) -> str:
    """A submission without one section, or one and its subsections."""
    kept, skipping = [], False
    for line in toml.splitlines():
        if line.startswith("["):
            skipping = line == f"[{section}]" or line.startswith(f"[{section}.")
        if not skipping:
            kept.append(line)
    return "\n".join(kept) + "\n"


MEGA = 'mega = { initial = "55000.00", reset = "50000.00", rate = "10%" }'
MAJOR = 'major = { seed = "450.00", rate = "4%" }'
MYSTERY = "mystery = { configuration = 1 }"
RESEED = 'minimum_reseed = "5000.00"'
NO_MYSTERY = changed(MYSTERY + "\n", "")
NO_HARMONY = without("harmony")
NO_RESEED = changed(RESEED + "\n", "")
ONE_DOLLAR = (
    changed("[royal9]\ndenomination = 5", "[royal9]\ndenomination = 1")
    .replace("55000.00", "12000.00")
    .replace("50000.00", "10000.00")
    .replace("450.00", "90.00")
)


def file(table: Table, toml: str, **parts: object) -> Decision | Refused:
    given = {"by": SUPERVISOR, "second": SUPERVISOR2, "day": DAY, "reason": "filed with the Board", "toml": toml}
    return table.try_(inputs.SubmissionChanged, **{**given, **parts})


def ok(answer: Decision | Refused) -> facts.SubmissionFiled:
    assert isinstance(answer, Decision), answer
    assert isinstance(answer.fact, facts.SubmissionFiled), answer
    return answer.fact


def refused(answer: Decision | Refused, why: Refusal | None = None) -> str:
    assert isinstance(answer, Refused), answer
    if why is not None:
        assert answer.refusal is why, answer
    assert answer.why
    return answer.why


def opened(toml: str = MINI, rigged: Rigged | None = None) -> Table:
    table = Table(toml, rigged=rigged)
    assert table.state.filed is not None
    for wager in table.state.filed.wagers:
        for position in (1, 2):
            table.do(inputs.WagerAbsent, position=position, wager=wager)
    table.do(inputs.TableOpened, by=DEALER)
    return table


def play(
    table: Table, hand: Mapping[str, tuple[str, ...]] | None = None, wagers: tuple[str, ...] = ROYAL_9_HARMONY
) -> None:
    """One round with position 1 in, to the next open one; the hand is entered if there is one."""
    for wager in wagers:
        table.do(inputs.WagerPresent, position=1, wager=wager)
    table.do(inputs.Button)
    for wager in wagers:
        table.do(inputs.WagerAbsent, position=1, wager=wager)
    if hand is not None:
        table.do(inputs.HandComplete, **hand)
    table.do(inputs.Button)


def close(table: Table) -> Table:
    table.do(inputs.TableClosed, by=DEALER)
    return table


def validate(table: Table) -> None:
    for award in list(table.state.awards):
        found = table.state.award(award)
        if found is not None and found.fate == "pending":
            table.do(inputs.AwardValidated, by=FLOOR, second=FLOOR2, award=award, method="slip", base_wager=True)


def phase_of(table: Table) -> Phase:
    return table.state.phase


def waits(table: Table, meter: str) -> bool:
    """Whether numbers wait for the meter's next reset."""
    return table.state.meters[meter].next_filing is not None


def shows(table: Table, meter: str) -> int:
    return table.state.meters[meter].display_cents


def same(state: State, before: State) -> bool:
    """Whether a refused change left everything as it was."""
    return (state.toml, state.filed, state.meters, state.accounts) == (
        before.toml,
        before.filed,
        before.meters,
        before.accounts,
    )


# ------------------------------------------------------------------------------------------------ the first filing


def test_the_first_submission_opens_every_meter_at_its_initial_amount_from_the_house() -> None:
    table = Table()
    made = table.facts[0].fact
    assert isinstance(made, facts.SubmissionFiled)
    assert (made.toml, made.day, made.reason, made.by) == (MINI, DAY, "installed", "")
    assert {name: meter.display_cents for name, meter in table.state.meters.items()} == {
        "royal9-mega": 55_000_00,
        "royal9-major": 450_00,
        "royal9-minor": 450_00,
        "royal9-mystery": 250_00,
        "harmony": 25_000_00,
    }
    assert table.state.accounts["house:seed"] == -(55_000_00 + 450_00 + 450_00 + 250_00 + 25_000_00) * UNITS
    assert (table.state.phase, table.state.day, table.state.toml) == (Phase.CLOSED, DAY, MINI)


def test_the_first_submission_of_a_baccarat_table_opens_its_meters_too() -> None:
    table = Table(HEAVENLY)
    assert {name: meter.display_cents for name, meter in table.state.meters.items()} == {
        "heavenly9": 10_000_00,
        "must-hit-by": table.state.meters["must-hit-by"].filing.reset_cents,
    }


def empty() -> Table:
    """A table whose journal has nothing in it."""
    table = Table()
    table.state, table.facts = State(), []
    return table


def test_an_unlawful_first_submission_is_refused_with_every_violation_named() -> None:
    table = empty()
    wrong = (
        changed("positions = 9", "positions = 10")
        .replace('reset = "50000.00"', 'reset = "49999.99"')
        .replace(MAJOR, 'major = { seed = "450.00", rate = "4.00001%" }')
        .replace('paytable = "B"', 'paytable = "Z"')
        .replace("late_hands = 3", "late_hands = 3\nlate_feet = 3")
    )
    why = refused(file(table, wrong, by=None, second=None), Refusal.BAD_REQUEST)
    for key in ("table.positions", "royal9.mega.reset", "royal9.major.rate", "harmony.paytable", "awards.late_feet"):
        assert key in why
    assert (table.state.filed, table.state.meters) == (None, {})
    ok(file(table, MINI, by=None, second=None))


@pytest.mark.parametrize("toml", ["", "not toml", "[table]\n", "[table", without("table")])
def test_what_is_no_lawful_submission_is_refused(toml: str) -> None:
    table = empty()
    refused(file(table, toml, by=None, second=None), Refusal.BAD_REQUEST)
    assert table.state.filed is None


@pytest.mark.parametrize("day", ["", "today", "20261116", "2026-W47-1", "2026-13-01", "2026-02-30", "16.11.2026"])
def test_a_filing_names_the_day_it_is_made_on(day: str) -> None:
    table = empty()
    refused(file(table, MINI, by=None, second=None, day=day), Refusal.BAD_REQUEST)
    assert table.state.filed is None


@pytest.mark.parametrize("meter", ["royal9-mega", "royal9-mystery", "royal9", ""])
def test_only_meters_that_tables_may_share_can_be_linked(meter: str) -> None:
    table = empty()
    refused(file(table, MINI, by=None, second=None, links={meter: "east"}), Refusal.BAD_REQUEST)
    assert table.state.filed is None


def test_a_link_waits_for_a_meter_that_is_not_filed_yet() -> None:
    table = empty()
    file(table, MINI, by=None, second=None, links={"heavenly9": "east", "harmony": "west"})
    assert table.state.filed is not None
    assert {id_: meter.link for id_, meter in table.state.filed.meters().items() if meter.link} == {"harmony": "west"}


def test_nothing_happens_at_a_table_before_its_submission_is_filed() -> None:
    table = empty()
    refused(table.try_(inputs.TableOpened, by=DEALER))
    refused(table.try_(inputs.WagerPresent, position=1, wager="royal9"))
    assert phase_of(table) is Phase.CLOSED


# --------------------------------------------------------------------------------------------------- any change

# What each change needs: to be made in the open round, or with the table closed and no award pending.
AT_NEXT_RESET = {
    "mega reset": changed('reset = "50000.00"', 'reset = "60000.00"'),
    "mega initial": changed('initial = "55000.00"', 'initial = "70000.00"'),
    "mega rate": changed('rate = "10%"', 'rate = "12%"'),
    "major seed": changed(MAJOR, MAJOR.replace("450", "900")),
    "mystery configuration": changed(MYSTERY, MYSTERY.replace("1", "2")),
    "harmony seed": changed('seed = "25000.00"', 'seed = "30000.00"'),
    "harmony minimum reseed": changed(RESEED, 'minimum_reseed = "7000.00"'),
    "harmony minimum reseed gone": NO_RESEED,
}
AT_ONCE = {
    "payout": changed('payout = "either"', 'payout = "slip"'),
    "validate_from": changed('validate_from = "1000.00"', 'validate_from = "500.00"'),
    "second_person_from": changed('second_person_from = "10000.00"', 'second_person_from = "9000.00"'),
    "hold_play_on_hit": changed("hold_play_on_hit = false", "hold_play_on_hit = true"),
    "late_hands": changed("late_hands = 3", "late_hands = 5"),
}
WHILE_CLOSED = {
    "royal 9 denomination": ONE_DOLLAR,
    "harmony denomination": changed('paytable = "B"\ndenomination = 5', 'paytable = "B"\ndenomination = 10'),
    "harmony paytable": changed('paytable = "B"', 'paytable = "E"'),
    "layout": MINI.replace('1 = "KS9S"', '1 = "KH9H"').replace('2 = "KH9H"\n3', '2 = "KS9S"\n3'),
    "positions": changed("positions = 9", "positions = 8").replace('9 = "KS9D"\n', ""),
    "award": changed('award = "highest"', 'award = "list"'),
    "decks": changed("decks = 8", "decks = 6"),
    "day_start": changed('day_start = "06:00"', 'day_start = "05:00"'),
    "timezone": changed('timezone = "America/New_York"', 'timezone = "America/Chicago"'),
}
EVERY = {**AT_NEXT_RESET, **AT_ONCE, **WHILE_CLOSED}


@pytest.mark.parametrize("toml", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize(
    ("by", "second", "why"),
    [
        (None, None, Refusal.NOT_ALLOWED),
        (DEALER, SUPERVISOR, Refusal.NOT_ALLOWED),
        (FLOOR, SUPERVISOR, Refusal.NOT_ALLOWED),
        (SUPERVISOR, None, Refusal.SECOND_PERSON),
        (SUPERVISOR, SUPERVISOR, Refusal.SECOND_PERSON),
        (SUPERVISOR, FLOOR, Refusal.SECOND_PERSON),
    ],
    ids=["nobody", "dealer", "floorperson", "alone", "twice", "lower"],
)
def test_every_change_takes_two_supervisors(toml: str, by: Person | None, second: Person | None, why: Refusal) -> None:
    table = Table()
    before = table.state
    refused(file(table, toml, by=by, second=second), why)
    assert same(table.state, before)


@pytest.mark.parametrize("toml", EVERY.values(), ids=EVERY)
def test_every_lawful_change_is_made_with_the_table_closed_and_no_amount_moves(toml: str) -> None:
    table = opened()
    play(table, NATURAL)
    close(table)
    before = table.state
    made = ok(file(table, toml))
    assert (made.by, made.second, made.toml) == (SUPERVISOR.id, SUPERVISOR2.id, toml)
    assert table.state.toml == toml
    assert {name: each.units for name, each in table.state.meters.items()} == {
        name: each.units for name, each in before.meters.items()
    }
    assert table.state.accounts == before.accounts
    table.do(inputs.TableOpened, by=DEALER)


def test_an_unlawful_change_is_refused_with_every_violation_named() -> None:
    table = Table()
    before = table.state
    wrong = changed("positions = 9", "positions = 10").replace('paytable = "B"', 'paytable = "Z"')
    why = refused(file(table, wrong), Refusal.BAD_REQUEST)
    assert "table.positions" in why
    assert "harmony.paytable" in why
    assert same(table.state, before)


@pytest.mark.parametrize("state", ["open", "locked", "dealt", "settled", "simulated", "faulted"])
@pytest.mark.parametrize("toml", WHILE_CLOSED.values(), ids=WHILE_CLOSED)
def test_what_is_dealt_and_paid_by_changes_only_while_closed(toml: str, state: str) -> None:
    table = in_phase(state)
    before = table.state
    refused(file(table, toml), Refusal.WRONG_PHASE)
    assert same(table.state, before)


def in_phase(state: str) -> Table:
    table = opened()
    if state == "simulated":
        table.do(inputs.SimulatedRound, by=DEALER)
    elif state == "faulted":
        table.do(inputs.DeviceLost, device="button", device_kind="button")
    elif state != "open":
        table.do(inputs.Button)
    if state == "dealt":
        table.do(inputs.FourCards, player=("2S", "3S"), banker=("2H", "4D"))
    if state == "settled":
        table.do(inputs.FourCards, **NATURAL)
    return table


@pytest.mark.parametrize("state", ["open", "locked", "dealt", "settled", "simulated", "faulted"])
@pytest.mark.parametrize("toml", [*AT_NEXT_RESET.values(), *AT_ONCE.values()], ids=[*AT_NEXT_RESET, *AT_ONCE])
def test_other_changes_are_made_at_any_time(toml: str, state: str) -> None:
    table = in_phase(state)
    ok(file(table, toml))
    assert table.state.toml == toml


@pytest.mark.parametrize("toml", WHILE_CLOSED.values(), ids=WHILE_CLOSED)
def test_what_is_dealt_and_paid_by_does_not_change_while_an_award_is_pending(toml: str) -> None:
    table = opened()
    play(table, MAJOR_OF_1)
    close(table)
    before = table.state
    refused(file(table, toml))
    assert same(table.state, before)
    validate(table)
    ok(file(table, toml))


def test_a_change_of_which_one_part_must_wait_is_refused_whole() -> None:
    table = opened()
    before = table.state
    both = WHILE_CLOSED["layout"].replace("late_hands = 3", "late_hands = 5").replace('"10%"', '"12%"')
    refused(file(table, both), Refusal.WRONG_PHASE)
    assert same(table.state, before)
    close(table)
    ok(file(table, both))


@pytest.mark.parametrize(
    "toml",
    [changed('site = "valley-forge"', 'site = "elsewhere"'), changed('id = "mb-07"', 'id = "mb-08"')],
    ids=["site", "table"],
)
def test_site_and_table_never_change(toml: str) -> None:
    table = Table()
    before = table.state
    refused(file(table, toml))
    assert same(table.state, before)


def test_the_submission_in_force_filed_again_changes_nothing() -> None:
    table = opened()
    play(table)
    before = table.state
    file(table, MINI)
    assert (table.state.filed, table.state.meters, table.state.accounts) == (
        before.filed,
        before.meters,
        before.accounts,
    )


# ------------------------------------------------------------------------------------------- at the next reset


def test_a_changed_reset_and_rate_take_effect_at_that_meters_next_reset() -> None:
    table = opened()
    ok(file(table, changed(MAJOR, 'major = { seed = "900.00", rate = "5%" }')))
    assert shows(table, "royal9-major") == 450_00
    play(table)
    assert shows(table, "royal9-major") == 450_00 + 20  # still 4%
    play(table, MAJOR_OF_1)
    assert shows(table, "royal9-major") == 900_00
    assert not waits(table, "royal9-major")
    play(table)
    assert shows(table, "royal9-major") == 900_00 + 25  # 5%
    assert shows(table, "royal9-minor") == 450_00 + 3 * 20


def test_each_meter_waits_for_its_own_reset() -> None:
    table = opened()
    ok(file(table, changed(MAJOR, 'major = { seed = "900.00", rate = "5%" }').replace('"10%"', '"20%"')))
    play(table, MAJOR_OF_1)
    play(table)
    assert shows(table, "royal9-major") == 900_00 + 25
    assert shows(table, "royal9-mega") == 55_000_00 + 2 * 50  # still 10%


def test_a_changed_initial_amount_opens_no_running_meter() -> None:
    table = opened()
    ok(file(table, changed('initial = "55000.00"', 'initial = "70000.00"')))
    play(table, MEGA_OF_1)
    assert shows(table, "royal9-mega") == 50_000_00


def test_undoing_the_hit_a_change_took_effect_at_undoes_the_change() -> None:
    table = opened()
    ok(file(table, changed(MAJOR, 'major = { seed = "900.00", rate = "5%" }')))
    play(table, MAJOR_OF_1)
    (award,) = table.state.awards
    assert shows(table, "royal9-major") == 900_00
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award, reason="no base wager")
    assert shows(table, "royal9-major") == 450_00 + 20
    play(table)
    assert shows(table, "royal9-major") == 450_00 + 2 * 20  # 4% again, until it is reset
    play(table, MAJOR_OF_1)
    assert shows(table, "royal9-major") == 900_00


def test_a_changed_mystery_configuration_takes_effect_when_the_meter_has_hit() -> None:
    table = opened(rigged=Rigged(royal9_mystery=[25_025, 99_999, 49_999]))
    ok(file(table, changed(MYSTERY, MYSTERY.replace("1", "3"))))
    meter = table.state.meters["royal9-mystery"]
    assert (meter.filing.maximum_cents, shows(table, "royal9-mystery")) == (1_000_00, 250_00)
    play(table)
    assert shows(table, "royal9-mystery") == 250_25  # still 5%
    play(table)  # passes 250.25
    assert len(table.state.awards) == 1
    meter = table.state.meters["royal9-mystery"]
    assert (meter.filing.reset_cents, meter.filing.maximum_cents, meter.cycle) == (100_00, 200_00, 2)
    assert shows(table, "royal9-mystery") == 100_00
    play(table)
    assert shows(table, "royal9-mystery") == 100_10  # 2%


def test_the_value_of_the_next_cycle_is_drawn_from_the_range_filed_for_it() -> None:
    table = opened()
    ok(file(table, changed(MYSTERY, MYSTERY.replace("1", "3"))))
    table.do(inputs.WagerPresent, position=1, wager="royal9")
    (need,) = needs(table.state, table.make(inputs.Button))
    assert (need.cycle, need.minimum_cents, need.maximum_cents) == (1, 100_00, 200_00)


def test_a_changed_minimum_reseed_takes_effect_at_harmonys_next_reset() -> None:
    table = opened()
    ok(file(table, changed(RESEED, 'minimum_reseed = "7000.00"')))
    play(table, SIX_TWOS)
    assert shows(table, "harmony") == 7_000_00
    assert table.state.meters["harmony"].reserve == 0


def test_without_a_minimum_reseed_harmony_opens_at_its_reserve_alone() -> None:
    table = opened()
    ok(file(table, NO_RESEED))
    play(table)
    play(table, SIX_TWOS)
    assert shows(table, "harmony") == 2 * 25


def test_a_change_is_called_off_by_filing_the_running_numbers_again() -> None:
    table = opened()
    ok(file(table, changed(MAJOR, 'major = { seed = "900.00", rate = "5%" }')))
    assert waits(table, "royal9-major")
    ok(file(table, MINI))
    assert not waits(table, "royal9-major")
    play(table, MAJOR_OF_1)
    assert shows(table, "royal9-major") == 450_00
    play(table)
    assert shows(table, "royal9-major") == 450_00 + 20


def test_the_last_of_several_changes_before_a_reset_counts() -> None:
    table = opened()
    for seed in ("900.00", "1200.00", "800.00"):
        ok(file(table, changed(MAJOR, f'major = {{ seed = "{seed}", rate = "4%" }}')))
    play(table, MAJOR_OF_1)
    assert shows(table, "royal9-major") == 800_00


# ------------------------------------------------------------------------------------------------------ at once


def test_rules_about_people_count_from_the_next_award_or_validation_on() -> None:
    table = opened()
    ok(
        file(
            table,
            changed('second_person_from = "10000.00"', 'second_person_from = "400.00"').replace("1000.00", "100.00"),
        )
    )
    play(table, MAJOR_OF_1)
    (award,) = table.state.awards
    given = {"by": FLOOR, "award": award, "method": "slip", "base_wager": True}
    refused(table.try_(inputs.AwardValidated, **given), Refusal.SECOND_PERSON)
    table.do(inputs.AwardValidated, second=FLOOR2, **given)


def test_the_rule_in_force_says_whether_a_pending_award_takes_two_people() -> None:
    table = opened()
    play(table, MAJOR_OF_1)
    (award,) = table.state.awards
    given = {"by": FLOOR, "award": award, "method": "slip", "base_wager": True}
    lower = changed('second_person_from = "10000.00"', 'second_person_from = "400.00"').replace("1000.00", "100.00")
    ok(file(table, lower))
    refused(table.try_(inputs.AwardValidated, **given), Refusal.SECOND_PERSON)
    ok(file(table, MINI))
    table.do(inputs.AwardValidated, **given)


def test_a_changed_payout_counts_at_the_next_validation() -> None:
    table = opened()
    play(table, MAJOR_OF_1)
    ok(file(table, changed('payout = "either"', 'payout = "slip"')))
    (award,) = table.state.awards
    given = {"by": FLOOR, "award": award, "base_wager": True}
    refused(table.try_(inputs.AwardValidated, method="inventory", **given), Refusal.BAD_REQUEST)
    table.do(inputs.AwardValidated, method="slip", **given)


def test_a_changed_hold_counts_at_the_next_reopening() -> None:
    table = opened()
    for wager in ROYAL_9_HARMONY:
        table.do(inputs.WagerPresent, position=1, wager=wager)
    table.do(inputs.Button)
    table.do(inputs.FourCards, **MAJOR_OF_1)
    ok(file(table, changed("hold_play_on_hit = false", "hold_play_on_hit = true")))
    table.do(inputs.Button)
    assert phase_of(table) is Phase.SETTLED
    ok(file(table, MINI))
    table.do(inputs.Button)
    assert phase_of(table) is Phase.OPEN


def test_more_late_hands_are_open_to_a_floorperson_at_once() -> None:
    table = opened()
    for _ in range(5):
        play(table)
    late = {"by": FLOOR, "round": 1, **NATURAL}
    refused(table.try_(inputs.LateHand, **late))
    ok(file(table, changed("late_hands = 3", "late_hands = 5")))
    table.do(inputs.LateHand, **late)


# ------------------------------------------------------------------------------------- layouts, wagers and floors


def test_a_smaller_denomination_keeps_the_amounts_and_takes_the_new_stake() -> None:
    table = opened()
    play(table)
    close(table)
    ok(file(table, ONE_DOLLAR))
    assert shows(table, "royal9-mega") == 55_000_50
    table.do(inputs.TableOpened, by=DEALER)
    play(table)
    assert shows(table, "royal9-mega") == 55_000_60  # 10% of a dollar
    assert shows(table, "harmony") == 25_000_00 + 2 * 95


def test_a_larger_denomination_is_refused_while_a_meter_is_below_its_new_floor() -> None:
    table = Table(ONE_DOLLAR)
    before = table.state
    why = refused(file(table, MINI))
    assert "royal9" in why
    assert same(table.state, before)


def adjust(table: Table, meter: str, delta: int, **parts: object) -> Decision | Refused:
    given = {
        "key": f"adjustment-{table.now}",
        "by": SUPERVISOR,
        "second": SUPERVISOR2,
        "meter": meter,
        "delta_cents": delta,
        "expected_cents": shows(table, meter) if meter in table.state.meters else 0,
        "reason": "counted by hand",
    }
    return table.try_(inputs.MeterAdjusted, **{**given, **parts})


def raised(mega: int, major: int, minor: int) -> Table:
    """A one-dollar table with its meters brought to some amounts in cents."""
    table = Table(ONE_DOLLAR)
    for meter, cents in (("royal9-mega", mega), ("royal9-major", major), ("royal9-minor", minor)):
        if cents != shows(table, meter):
            assert isinstance(adjust(table, meter, cents - shows(table, meter)), Decision)
    return table


@pytest.mark.parametrize(
    ("amounts", "taken"),
    [
        ((50_000_00, 450_00, 450_00), True),
        ((49_999_99, 450_00, 450_00), False),
        ((50_000_00, 449_99, 450_00), False),
        ((50_000_00, 450_00, 449_99), False),
    ],
)
def test_a_larger_denomination_is_taken_when_every_meter_is_at_its_floor(
    *, amounts: tuple[int, int, int], taken: bool
) -> None:
    table = raised(*amounts)
    answer = file(table, MINI)
    assert isinstance(answer, Decision) is taken


def test_a_changed_layout_decides_the_rounds_after_it() -> None:
    table = opened()
    close(table)
    ok(file(table, WHILE_CLOSED["layout"]))  # position 1 has KH9H now
    table.do(inputs.TableOpened, by=DEALER)
    play(table, MAJOR_OF_1)
    assert table.state.awards == {}
    play(table, {"player": ("2S", "3H"), "banker": ("KH", "9H")})
    assert len(table.state.awards) == 1


def test_a_late_hand_is_settled_under_the_submission_its_round_was_played_under() -> None:
    table = opened()
    play(table)
    close(table)
    ok(file(table, WHILE_CLOSED["layout"]))
    table.do(inputs.LateHand, by=FLOOR, round=1, **MAJOR_OF_1)
    (award,) = table.state.awards
    found = table.state.award(award)
    assert found is not None
    assert (found.position, found.outcome, found.amount_cents) == (1, "major", 450_20)


def test_a_late_fixed_award_is_of_the_denomination_its_round_was_played_for() -> None:
    table = opened()
    play(table)
    close(table)
    ok(file(table, ONE_DOLLAR))
    table.do(inputs.LateHand, by=FLOOR, round=1, player=("2S", "3H"), banker=("QS", "9H"))
    record = table.state.record(1)
    assert record is not None
    assert [(each.wager, each.outcome, each.amount_cents) for each in record.awards] == [
        ("royal9/5", "any-royal9", 25_00)
    ]


def test_a_late_hand_of_a_wager_no_longer_dealt_alike_pays_by_its_own_paytable() -> None:
    table = opened()
    play(table)
    close(table)
    ok(file(table, changed('paytable = "B"', 'paytable = "E"')))
    table.do(inputs.LateHand, by=FLOOR, round=1, player=("KS", "TH", "QD"), banker=("KC", "JS", "TH"))
    record = table.state.record(1)
    assert record is not None
    # Six cards of no value pay 100 for 1 under both, and only under B is that wager's id B's.
    assert [(each.wager, each.outcome, each.amount_cents) for each in record.awards] == [
        ("harmony/B", "six-zero-value", 500_00)
    ]


def test_harmonys_rates_change_with_its_paytable_at_once() -> None:
    table = opened()
    play(table)
    assert (shows(table, "harmony"), table.state.meters["harmony"].reserve) == (25_000_00 + 95, 25 * UNITS)
    close(table)
    ok(file(table, changed('paytable = "B"', 'paytable = "A"')))  # 15% and 3% instead of 19% and 5%
    table.do(inputs.TableOpened, by=DEALER)
    play(table)
    assert (shows(table, "harmony"), table.state.meters["harmony"].reserve) == (25_000_00 + 95 + 75, 40 * UNITS)


def test_fewer_positions_take_no_wager_beyond_them() -> None:
    table = Table()
    ok(file(table, WHILE_CLOSED["positions"]))
    refused(table.try_(inputs.WagerAbsent, position=9, wager="royal9"), Refusal.UNKNOWN)
    table.do(inputs.WagerAbsent, position=8, wager="royal9")


ADDING: dict[str, tuple[str, str, str, int]] = {
    "a wager": (NO_HARMONY, MINI, "harmony", 25_000_00),
    "a mystery meter": (NO_MYSTERY, MINI, "royal9-mystery", 250_00),
}


@pytest.mark.parametrize(("before", "after", "meter", "cents"), ADDING.values(), ids=ADDING)
def test_a_wager_or_meter_is_added_with_the_table_closed(before: str, after: str, meter: str, cents: int) -> None:
    table = opened(before)
    refused(file(table, after), Refusal.WRONG_PHASE)
    close(table)
    house = table.state.accounts["house:seed"]
    made = ok(file(table, after))
    assert [each.id for each in made.opened] == [meter]
    assert shows(table, meter) == cents
    assert table.state.accounts["house:seed"] == house - cents * UNITS
    table.do(inputs.TableOpened, by=DEALER)
    table.do(inputs.WagerAbsent, position=1, wager="harmony")
    play(table)
    assert shows(table, meter) > cents


def test_a_mystery_meter_that_is_added_has_its_commitment() -> None:
    table = Table(NO_MYSTERY)
    ok(file(table, MINI))
    meter = table.state.meters["royal9-mystery"]
    assert (meter.cycle, bool(meter.sealed), len(meter.commitment)) == (1, True, 64)


REMOVING: dict[str, tuple[str, str]] = {
    "harmony": (MINI, NO_HARMONY),
    "royal 9": (MINI, without("royal9")),
    "the mystery meter": (MINI, NO_MYSTERY),
}


@pytest.mark.parametrize(("before", "after"), REMOVING.values(), ids=REMOVING)
def test_removing_a_wager_or_meter_is_refused_while_it_holds_money(before: str, after: str) -> None:
    table = Table(before)
    state = table.state
    refused(file(table, after))
    assert same(table.state, state)


def without_harmony_money() -> Table:
    table = Table(NO_RESEED)
    assert isinstance(adjust(table, "harmony", -25_000_00), Decision)
    assert table.state.meters["harmony"].units == 0
    return table


def test_a_wager_whose_meter_holds_nothing_is_removed() -> None:
    table = without_harmony_money()
    made = ok(file(table, NO_HARMONY))
    assert made.removed == ("harmony",)
    assert table.state.filed is not None
    assert "harmony" not in table.state.filed.wagers
    refused(table.try_(inputs.WagerAbsent, position=1, wager="harmony"), Refusal.UNKNOWN)


def test_a_meter_that_was_removed_is_not_adjusted() -> None:
    table = without_harmony_money()
    ok(file(table, NO_HARMONY))
    before = table.state
    refused(adjust(table, "harmony", 100, expected_cents=0), Refusal.UNKNOWN)
    assert same(table.state, before)


def test_a_meter_that_was_removed_and_is_filed_again_opens_anew_and_its_counters_go_on() -> None:
    table = removed_after_a_hit()
    counted = table.state.meters["harmony"]
    assert (counted.in_cents, counted.hits, counted.wins_cents) == (1000, 1, 25_000_00 + 2 * 95)
    house = table.state.accounts["house:seed"]
    ok(file(table, MINI))
    again = table.state.meters["harmony"]
    assert (again.display_cents, again.reserve, again.carry) == (25_000_00, 0, 0)
    assert (again.in_cents, again.hits, again.wins_cents) == (counted.in_cents, counted.hits, counted.wins_cents)
    assert table.state.accounts["house:seed"] == house - 25_000_00 * UNITS
    table.do(inputs.TableOpened, by=DEALER)
    play(table)
    assert shows(table, "harmony") == 25_000_00 + 95


def test_a_wager_whose_meter_holds_a_fraction_of_a_cent_or_a_reserve_is_not_removed() -> None:
    table = without_harmony_money()
    table.do(inputs.WagerAbsent, position=1, wager="harmony")
    table.do(inputs.TableOpened, by=DEALER)
    play(table, NATURAL, ("harmony",))
    close(table)
    assert isinstance(adjust(table, "harmony", -95), Decision)
    assert (table.state.meters["harmony"].units, table.state.meters["harmony"].reserve) == (0, 25 * UNITS)
    refused(file(table, NO_HARMONY))


def test_a_wager_is_not_removed_while_open_even_if_its_meter_holds_nothing() -> None:
    table = without_harmony_money()
    table.do(inputs.TableOpened, by=DEALER)
    refused(file(table, NO_HARMONY), Refusal.WRONG_PHASE)


def removed_after_a_hit() -> Table:
    """A table without Harmony any more: round 1 was not entered, round 2 won its jackpot, and the rest is out."""
    table = opened(NO_RESEED)
    play(table)
    play(table, SIX_TWOS)
    validate(table)
    close(table)
    assert isinstance(adjust(table, "harmony", -shows(table, "harmony")), Decision)
    ok(file(table, without("harmony", NO_RESEED)))
    return table


def test_a_wager_of_a_meter_that_was_removed_is_still_taken_out_and_refunded() -> None:
    table = removed_after_a_hit()
    taken = {"by": FLOOR, "second": FLOOR2, "round": 1, "position": 1, "wager": "harmony", "reason": "a wrong chip"}
    table.do(inputs.WagerVoided, **taken)
    assert table.state.accounts["house:void"] == -(95 + 25) * UNITS  # both were inside the award of round 2


def test_a_late_jackpot_of_a_meter_that_was_hit_and_removed_since_is_paid_by_the_house() -> None:
    table = removed_after_a_hit()
    table.do(inputs.LateHand, by=FLOOR, round=1, **SIX_TWOS)
    assert table.state.accounts["house:late"] == -(25_000_00 + 95) * UNITS


# --------------------------------------------------------------------------------------------------- adjustments


@pytest.mark.parametrize("delta", [1, 100_00, -1, -5_000_00])
def test_two_supervisors_adjust_a_meter_from_the_adjustments(delta: int) -> None:
    table = Table()
    answer = adjust(table, "royal9-mega", delta)
    assert isinstance(answer, Decision)
    made = answer.fact
    assert isinstance(made, facts.MeterWasAdjusted)
    assert (made.meter, made.delta_cents, made.source, made.reason) == (
        "royal9-mega",
        delta,
        "adjustments",
        "counted by hand",
    )
    assert (made.by, made.second) == (SUPERVISOR.id, SUPERVISOR2.id)
    assert shows(table, "royal9-mega") == 55_000_00 + delta
    assert table.state.accounts["adjustments"] == -delta * UNITS


FLOORS = {
    "royal9-mega": (MINI, 50_000_00),
    "royal9-major": (MINI, 450_00),
    "royal9-minor": (MINI, 450_00),
    "harmony": (MINI, 5_000_00),
    "harmony without minimum_reseed": (NO_RESEED, 0),
    "heavenly9": (HEAVENLY, 10_000_00),
}


@pytest.mark.parametrize("name", FLOORS)
def test_no_meter_is_adjusted_below_its_reset_amount(name: str) -> None:
    toml, floor = FLOORS[name]
    meter = name.split(maxsplit=1)[0]
    table = Table(toml)
    assert isinstance(adjust(table, meter, 1_000), Decision)
    before = table.state
    refused(adjust(table, meter, floor - shows(table, meter) - 1))
    assert same(table.state, before)
    assert isinstance(adjust(table, meter, floor - shows(table, meter)), Decision)
    assert shows(table, meter) == floor
    refused(adjust(table, meter, -1))


def test_the_floor_of_an_adjustment_is_the_reset_amount_in_force() -> None:
    table = Table()
    ok(file(table, changed('reset = "50000.00"', 'reset = "54000.00"')))
    assert isinstance(adjust(table, "royal9-mega", -5_000_00), Decision)
    assert shows(table, "royal9-mega") == 50_000_00


@pytest.mark.parametrize("off", [-1, 1])
def test_an_adjustment_of_a_meter_that_shows_something_else_is_stale(off: int) -> None:
    table = Table()
    before = table.state
    refused(adjust(table, "royal9-mega", 100, expected_cents=55_000_00 + off), Refusal.STALE)
    assert same(table.state, before)


def test_an_adjustment_that_a_round_came_before_is_stale() -> None:
    table = opened()
    expected = shows(table, "royal9-mega")
    play(table)
    refused(adjust(table, "royal9-mega", 100, expected_cents=expected), Refusal.STALE)


@pytest.mark.parametrize(("toml", "meter"), [(MINI, "royal9-mystery"), (HEAVENLY, "must-hit-by")])
@pytest.mark.parametrize("delta", [1, -1, 100_00])
def test_a_mystery_meter_is_never_adjusted(toml: str, meter: str, delta: int) -> None:
    table = Table(toml)
    before = table.state
    refused(adjust(table, meter, delta))
    assert same(table.state, before)


@pytest.mark.parametrize("meter", ["", "royal9", "heavenly9", "reserve:harmony"])
def test_a_meter_the_table_does_not_have_is_unknown(meter: str) -> None:
    refused(adjust(Table(), meter, 100), Refusal.UNKNOWN)


@pytest.mark.parametrize("source", ["", "house:seed", "wagers", "meter:harmony", "reserve:harmony", "paid:harmony"])
def test_an_adjustment_comes_from_the_adjustments_or_from_a_carry(source: str) -> None:
    table = Table()
    before = table.state
    refused(adjust(table, "royal9-mega", 100, source=source))
    assert same(table.state, before)


def test_an_adjustment_by_nothing_is_none() -> None:
    refused(adjust(Table(), "royal9-mega", 0), Refusal.BAD_REQUEST)


@pytest.mark.parametrize("state", ["open", "locked", "dealt", "settled", "simulated", "faulted"])
def test_an_adjustment_is_made_at_any_time_and_leaves_the_round_alone(state: str) -> None:
    table = in_phase(state)
    before = table.state
    assert isinstance(adjust(table, "royal9-mega", 100), Decision)
    assert (table.state.phase, table.state.rounds) == (before.phase, before.rounds)


def test_amounts_recorded_at_earlier_lock_outs_stay() -> None:
    table = opened()
    play(table)
    assert isinstance(adjust(table, "royal9-major", 100_00), Decision)
    table.do(inputs.LateHand, by=FLOOR, round=1, **MAJOR_OF_1)
    (award,) = table.state.awards
    found = table.state.award(award)
    assert found is not None
    assert found.amount_cents == 450_20


def with_carry() -> Table:
    """A table with a rejected mystery award of $250.25 in carry."""
    table = opened(rigged=Rigged(royal9_mystery=[25_000, 99_999]))
    play(table)
    (award,) = table.state.awards
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award, reason="no base wager")
    assert table.state.meters["royal9-mystery"].carry == 250_25 * UNITS
    return table


CARRY = "carry:royal9-mystery"


@pytest.mark.parametrize("delta", [1, 250_24, 250_25])
def test_a_carry_moves_into_a_hand_based_meter(delta: int) -> None:
    table = with_carry()
    before = shows(table, "royal9-mega")
    assert isinstance(adjust(table, "royal9-mega", delta, source=CARRY), Decision)
    assert shows(table, "royal9-mega") == before + delta
    assert table.state.accounts.get(CARRY, 0) == (250_25 - delta) * UNITS
    assert table.state.meters["royal9-mystery"].carry == (250_25 - delta) * UNITS
    assert "adjustments" not in table.state.accounts


REFUSED_CARRIES: dict[str, Callable[[Table], Decision | Refused]] = {
    "more than it holds": lambda t: adjust(t, "royal9-mega", 250_26, source=CARRY),
    "downwards": lambda t: adjust(t, "royal9-mega", -1, source=CARRY),
    "of another meter": lambda t: adjust(t, "royal9-mega", 1, source="carry:harmony"),
    "of no meter": lambda t: adjust(t, "royal9-mega", 1, source="carry:none"),
    "into the mystery meter": lambda t: adjust(t, "royal9-mystery", 1, source=CARRY),
    "by one person": lambda t: adjust(t, "royal9-mega", 1, source=CARRY, second=None),
    "by floorpersons": lambda t: adjust(t, "royal9-mega", 1, source=CARRY, by=FLOOR, second=FLOOR2),
}


@pytest.mark.parametrize("attempt", REFUSED_CARRIES.values(), ids=REFUSED_CARRIES)
def test_a_carry_moves_in_no_other_way(attempt: Callable[[Table], Decision | Refused]) -> None:
    table = with_carry()
    before = table.state
    refused(attempt(table))
    assert same(table.state, before)
