"""`jackpotd run` archives closed days while its table plays, and its console is answered from them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from controller import vault
from controller.core.inputs import SubmissionChanged, Tick
from controller.core.times import stamp
from controller.engine import Engine, gaming_day
from controller.journal.reading import open_readonly
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.settings import JournalSettings
from tests.outlets.brokers import needs_mosquitto
from tests.people.tables import Lines
from tests.service.faults import a_round
from tests.service.house import House, in_a_house

pytestmark = needs_mosquitto
KEEP_DAYS = JournalSettings().keep_days
DAYS = KEEP_DAYS + 5  # before the controller starts


class Weeks:
    """A clock some weeks ago, that goes a day at a time."""

    def __init__(self) -> None:
        self._now = datetime.now(UTC) - timedelta(days=DAYS)

    def now(self) -> int:
        return int(self._now.timestamp()) * 1_000_000

    async def sleep(self, seconds: float) -> None:
        """Nobody waits."""

    def next_day(self) -> None:
        self._now += timedelta(days=1)


def weeks_of_play(house: House) -> list[str]:
    """The days a table closed that was on for weeks, in its journal; a change of the clocks may leave one out."""
    clock, days = Weeks(), list[str]()
    with SqliteJournal(house.journal) as journal:
        engine = Engine(load(journal), journal, vault.load(house.keys), clock, Lines(), snapshot_every=10)
        day, _ = gaming_day(clock.now(), "America/New_York", "06:00")
        toml = house.config.read_text()
        engine.step([SubmissionChanged(at=stamp(clock.now()), key="filed", toml=toml, day=day, reason="installed")])
        for _ in range(DAYS):
            day = engine.state.day
            clock.next_day()
            engine.step([Tick(at=stamp(clock.now()))])
            if engine.state.day != day:
                days.append(day)
        journal.append([], cursor=journal.head().seq)  # all of it was told
    return days


def test_a_table_that_plays_archives_its_oldest_days_and_answers_from_them(tmp_path: Path) -> None:
    days: list[str] = []

    async def scene(house: House) -> None:
        days.extend(weeks_of_play(house))
        await house.start()
        await house.open()
        await a_round(house, 1, 2)
        await house.until(lambda: len(house.logged("facts-archived")) == len(days) - KEEP_DAYS)
        await a_round(house, 3)
        await house.sign_in("abe")
        reply = await house.do("query-readings", "abe", day=days[0])
        assert (reply["day"], reply["ended"], reply["explained"]) == (days[0], True, True)
        assert reply["days"][: len(days)] == days
        actions = await house.do("query-actions", "abe", day=days[0])
        assert "submission-filed" in {action["action"] for action in actions["actions"]}
        assert house.logged("archive-failed") == []

    house = in_a_house(tmp_path, scene)  # whose journal is verified with its archives
    with open_readonly(house.journal) as journal:
        assert [file.day for file in journal.past.files] == days[:-KEEP_DAYS]
