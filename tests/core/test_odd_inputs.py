"""Inputs that no sound part sends: refused, never an exception, because an exception ends the engine."""

import pytest

from controller.core import inputs
from controller.core.decide import MOST_FILING, MOST_INPUT
from controller.core.decision import Decision
from controller.core.inputs import Input, Person
from controller.core.phases import Phase
from controller.core.refusals import Refusal, Refused
from tests.core.play import DEALER, FLOOR, FLOOR2, MINI, SUPERVISOR, SUPERVISOR2, Table
from tests.core.test_phases import EVERY, table_in


def refused(answer: Decision | Refused, why: Refusal = Refusal.BAD_REQUEST) -> None:
    assert isinstance(answer, Refused), answer
    assert answer.refusal is why, answer


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: str(kind.__struct_config__.tag))
@pytest.mark.parametrize(
    "at", ["", "now", "2026-11-16T15:00:00Z", "2026-11-16T15:00:00.000000z", "٢026-11-16T15:00:00.000000Z"]
)
def test_a_time_that_is_none_is_refused_and_leaves_no_fact(kind: type[Input], at: str) -> None:
    table = table_in(Phase.OPEN)
    before = table.state
    refused(table.try_(kind, **EVERY[kind](table), at=at))
    assert table.state is before


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: str(kind.__struct_config__.tag))
def test_every_input_is_answered_before_anything_is_filed(kind: type[Input]) -> None:
    table = Table(MINI)
    parts = EVERY[kind](table)
    table.state = type(table.state)()
    table.try_(kind, **parts)


@pytest.mark.parametrize("text", ["x" * (MOST_INPUT + 1), "\ud800"])
def test_text_that_cannot_be_recorded_is_refused_and_leaves_no_fact(text: str) -> None:
    table = table_in(Phase.OPEN)
    before = table.state
    refused(table.try_(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=text, reason="r"))
    refused(table.try_(inputs.DeviceLost, device=text, device_kind="board"))
    refused(table.try_(inputs.DeviceLost, device="b", device_kind="board", detail=text))
    refused(table.try_(inputs.FourCards, player=(text, "2S"), banker=("3S", "4S")))
    refused(table.try_(inputs.TableClosed, by=DEALER, key=text))
    assert table.state is before


def test_a_filing_may_be_longer_than_other_inputs_and_not_endless() -> None:
    table = Table(MINI)
    people = {"by": SUPERVISOR, "second": SUPERVISOR2, "day": "2026-11-16", "reason": "r"}
    line = "# " + "x" * 900 + "\n"
    table.do(inputs.SubmissionChanged, toml=MINI + line * 20, **people)
    refused(table.try_(inputs.SubmissionChanged, toml=line * (MOST_FILING // len(line)) + line, **people))


def test_numbers_beyond_every_database_are_refused() -> None:
    table = table_in(Phase.OPEN)
    refused(table.try_(inputs.WagerDropped, position=2, wager="royal9", cents=10**5000))
    refused(table.try_(inputs.WagerDropped, position=2, wager="royal9", cents=2**64))


@pytest.mark.parametrize("name", ["p" * 200, "\ud800"])
def test_a_person_has_a_name_that_can_be_recorded(name: str) -> None:
    table = table_in(Phase.OPEN)
    before = table.state
    refused(table.try_(inputs.TableClosed, by=Person(name, "dealer")))
    refused(table.try_(inputs.TableClosed, by=DEALER, second=Person(name, "dealer")))
    assert table.state is before
    table.do(inputs.TableClosed, by=Person("p" * 150, "dealer"))


def test_a_position_of_many_digits_is_none() -> None:
    refused(table_in(Phase.OPEN).try_(inputs.WagerPresent, position=10**5000, wager="royal9"), Refusal.UNKNOWN)


def test_a_part_keeps_its_kind() -> None:
    table = table_in(Phase.OPEN)
    table.do(inputs.DeviceLost, device="a", device_kind="button")
    refused(table.try_(inputs.DeviceLost, device="a", device_kind="link"))
    assert table.state.phase is Phase.FAULTED


@pytest.mark.parametrize("parts", [{"level": "sideways"}, {"cause": "miracle"}])
def test_a_button_does_what_buttons_do(parts: dict[str, str]) -> None:
    refused(table_in(Phase.LOCKED).try_(inputs.Button, **parts))


def test_a_chip_at_a_position_that_is_no_longer_filed_is_no_wager() -> None:
    table = Table(MINI)
    table.do(inputs.WagerAbsent, position=9, wager="royal9")
    table.do(inputs.WagerPresent, position=9, wager="royal9")
    lines = [line for line in MINI.splitlines() if not line.startswith("9 = ")]
    eight = "\n".join(lines).replace("positions = 9", "positions = 8")
    table.do(inputs.SubmissionChanged, toml=eight, day="2026-11-16", reason="r", by=SUPERVISOR, second=SUPERVISOR2)
    table.do(inputs.TableOpened, by=DEALER)
    assert table.state.standing == {}


def test_a_day_that_was_far_ahead_is_followed_back_and_a_step_back_is_not() -> None:
    table = Table(MINI)
    table.do(inputs.ReadingsDue, day="2036-11-16")
    table.do(inputs.ReadingsDue, day="2036-11-15")
    assert table.state.day == "2036-11-16"
    table.do(inputs.ReadingsDue, day="2026-11-17")
    assert table.state.day == "2026-11-17"
    refused(table.try_(inputs.ReadingsDue, day="zzz"))


def test_a_second_person_who_is_named_must_be_one() -> None:
    table = table_in(Phase.OPEN)
    parts = {"award": "none", "method": "slip", "base_wager": True}
    refused(table.try_(inputs.AwardValidated, by=FLOOR, second=FLOOR, **parts), Refusal.SECOND_PERSON)


def test_a_button_where_a_switch_was_leaves_no_level_behind() -> None:
    table = Table(MINI)
    table.do(inputs.TableOpened, by=DEALER)
    table.do(inputs.Button, level="locked")
    table.do(inputs.Button)
    assert (table.state.phase, table.state.switch) == (Phase.OPEN, "")
