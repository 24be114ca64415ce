"""The end of a gaming day: every meter is read as it stands, and what is counted through the days goes on."""

from controller.core import inputs
from controller.core.facts import AwardWasValidated, Reading, ReadingsTaken
from tests.core.play import DEALER, FLOOR, Table
from tests.core.test_people import MAJOR

NAMES = ("units", "reserve", "carry", "in_cents", "hits", "wins_cents", "paid_cents", "cycle")


def won(table: Table) -> str:
    """A round with both wagers in, of which one wins the major; the award that waits."""
    for wager in ("royal9", "harmony"):
        table.do(inputs.WagerAbsent, position=1, wager=wager)
        table.do(inputs.WagerPresent, position=1, wager=wager)
    table.do(inputs.Button)
    table.do(inputs.FourCards, **MAJOR)
    (award,) = [each.id for each in table.state.pending()]
    return award


def validated(table: Table, award: str) -> int:
    """Pay an award; the number of its slip."""
    fact = table.do(inputs.AwardValidated, award=award, method="slip", base_wager=True, by=FLOOR)
    assert isinstance(fact, AwardWasValidated)
    return fact.slip


def opened() -> Table:
    table = Table()
    table.do(inputs.TableOpened, by=DEALER)
    return table


def read(table: Table, day: int) -> ReadingsTaken:
    """The readings with which the day before ends."""
    fact = table.do(inputs.ReadingsDue, day=f"2026-11-{day}")
    assert isinstance(fact, ReadingsTaken)
    return fact


def test_every_meter_is_read_as_it_stands() -> None:
    table = opened()
    validated(table, won(table))
    table.do(inputs.Button)
    won(table)
    readings: dict[str, Reading] = {each.meter: each for each in read(table, 17).readings}
    assert {id_: [getattr(each, name) for name in NAMES] for id_, each in readings.items()} == {
        id_: [getattr(each, name) for name in NAMES] for id_, each in table.state.meters.items()
    }
    assert readings["harmony"].reserve > readings["harmony"].carry
    assert readings["royal9-major"].wins_cents > readings["royal9-major"].paid_cents > 0


def test_every_day_is_read_and_once() -> None:
    table = opened()
    for day in (17, 18, 19):
        fact = read(table, day)
        assert (fact.ended, fact.day) == (f"2026-11-{day - 1}", f"2026-11-{day}")
        assert table.do(inputs.ReadingsDue, day=fact.day) is None


def test_slips_are_numbered_on_through_the_days() -> None:
    table, slips = opened(), []
    for day in (17, 18, 19):
        slips.append(validated(table, won(table)))
        read(table, day)
        table.do(inputs.Button)
    assert slips == [1, 2, 3]
