"""Gaming days as the engine reckons them: of 23 and 25 hours too, by a clock that is set, and by hours filed anew."""

from datetime import datetime

import pytest

from controller.core import inputs
from controller.core.facts import ReadingsTaken
from controller.core.state import State
from controller.core.times import stamp
from controller.engine import Engine, gaming_day
from controller.journal.memory import MemoryJournal
from controller.journal.starting import recorded
from tests.core.play import MINI, SUPERVISOR, SUPERVISOR2, vault
from tests.test_engine import Clock, Lines

NEW_YORK = "America/New_York"


def micro(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1_000_000


class Filed:
    """A table that is filed, on a clock that is set by hand."""

    def __init__(self, now: str) -> None:
        self.clock, self.journal = Clock(micro(now)), MemoryJournal()
        self.engine = Engine(State(), self.journal, vault(), self.clock, Lines())
        self.file(MINI)

    def file(self, toml: str) -> None:
        """File a submission."""
        filing = inputs.SubmissionChanged(
            at=stamp(self.clock.now()),
            key=f"filing-{self.journal.head().seq}",
            toml=toml,
            day="2026-11-16",
            reason="r",
            by=SUPERVISOR,
            second=SUPERVISOR2,
        )
        (answer,) = self.engine.step([filing])
        assert answer.ok, answer

    def days_at(self, *times: str) -> list[tuple[str, str]]:
        """The days that ended and began while the clock was set so."""
        after = self.journal.head().seq
        for each in times:
            self.clock.time = micro(each)
            self.engine.step([])
        found = [recorded(row).fact for row in self.journal.rows(after)]
        return [(each.ended, each.day) for each in found if isinstance(each, ReadingsTaken)]


@pytest.mark.parametrize(
    ("now", "day", "following"),
    [
        ("2027-03-13T11:00:00Z", "2027-03-13", "2027-03-14T10:00:00Z"),  # 23 hours: at two it is three
        ("2026-10-31T10:00:00Z", "2026-10-31", "2026-11-01T11:00:00Z"),  # 25 hours: at two it is one
        ("2026-11-16T04:30:00Z", "2026-11-15", "2026-11-16T11:00:00Z"),  # late in the evening of the day before
        ("2026-11-16T05:30:00Z", "2026-11-15", "2026-11-16T11:00:00Z"),
    ],
)
def test_a_day_is_as_long_as_the_clocks_make_it(now: str, day: str, following: str) -> None:
    assert gaming_day(micro(now), NEW_YORK, "06:00") == (day, micro(following))


@pytest.mark.parametrize("start", ["00:00", "19:30", "23:59"])
def test_a_day_begins_at_its_hour_by_the_casinos_clock_and_not_by_utc(start: str) -> None:
    begins = micro(f"2026-11-16T{start}:00-05:00")
    assert gaming_day(begins, NEW_YORK, start)[0] == "2026-11-16"
    assert gaming_day(begins - 1_000_000, NEW_YORK, start) == ("2026-11-15", begins)


def test_a_day_begins_in_the_hour_that_is_left_out_as_soon_as_that_is_over() -> None:
    day, following = gaming_day(micro("2027-03-13T20:00:00Z"), NEW_YORK, "02:30")
    assert (day, following) == ("2027-03-13", micro("2027-03-14T07:30:00Z"))
    assert gaming_day(following, NEW_YORK, "02:30")[0] == "2027-03-14"


def test_each_day_is_read_at_the_first_step_after_its_end() -> None:
    table = Filed("2026-11-16T15:00:00Z")
    assert table.days_at("2026-11-17T10:59:59Z") == []
    assert table.days_at("2026-11-17T11:00:00Z", "2026-11-17T12:00:00Z") == [("2026-11-16", "2026-11-17")]
    assert table.days_at("2026-11-18T11:00:00Z") == [("2026-11-17", "2026-11-18")]


def test_hours_that_are_filed_anew_count_at_once() -> None:
    table = Filed("2026-11-16T15:00:00Z")
    assert table.days_at("2026-11-17T10:00:00Z") == []
    table.file(MINI.replace('day_start = "06:00"', 'day_start = "04:30"'))  # half an hour ago
    assert table.days_at("2026-11-17T10:00:01Z") == [("2026-11-16", "2026-11-17")]
    assert table.days_at("2026-11-18T09:29:59Z") == []
    assert table.days_at("2026-11-18T09:30:00Z") == [("2026-11-17", "2026-11-18")]
