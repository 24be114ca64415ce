"""Questions to a journal whose older days are archived have the answers of one that still has all of them."""

import asyncio
import errno
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from controller.cli.link_audit import journaled
from controller.commands import rounds
from controller.commands.actions import MOST_ARCHIVES
from controller.commands.looks import Looks, TooLongError
from controller.commands.queries import ask
from controller.commands.slips import slip
from controller.core.state import State
from controller.journal.archive import past, restoring
from controller.journal.archive.restoring import restore
from controller.journal.archive.whole import whole as whole_of
from controller.journal.audit import stored
from controller.journal.audit.awards import find, hits
from controller.journal.audit.days import days, report
from controller.journal.audit.derivation import derive
from controller.journal.audit.reveals import reveal
from controller.journal.audit.stored import one
from controller.journal.audit.verifying import verify
from controller.journal.chain import RawRow
from controller.journal.errors import (
    JournalBusyError,
    JournalCorruptError,
    JournalUnreadableError,
    JournalUnwritableError,
)
from controller.journal.place import OperatingSystem
from controller.journal.reading import JournalReader, open_readonly
from controller.journal.rows import Entry
from controller.journal.sqlite import SqliteJournal
from controller.wire import commands as wire
from tests.journal.closed_days import DAYS, KEPT, archived, both, week
from tests.journal.tampering import run


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[JournalReader, JournalReader]]:
    whole, parted = both(tmp_path_factory.mktemp("pair"))
    with open_readonly(whole) as one_, open_readonly(parted) as other:
        yield one_, other


ALL_DAYS = [f"2026-11-{16 + day}" for day in range(DAYS + 1)]


def test_every_day_is_known_and_reported_alike(pair: tuple[JournalReader, JournalReader]) -> None:
    whole, parted = pair
    assert days(whole) == days(parted) == ALL_DAYS
    for day in ALL_DAYS[:-1]:
        assert report(whole, day) == report(parted, day)
        assert all(meter.ok for meter in report(parted, day).meters)


def test_every_hit_is_listed_derived_and_revealed_alike(pair: tuple[JournalReader, JournalReader]) -> None:
    whole, parted = pair
    assert hits(whole) == hits(parted)
    assert len(hits(whole)) > DAYS
    for won in hits(whole):
        for award in won.awards:
            assert find(whole, award.id) == find(parted, award.id)
        assert derive(whole, won) == derive(parted, won)
        assert derive(parted, won).ok
        if won.hit.reveal:
            assert reveal(whole, won) == reveal(parted, won)
            assert reveal(parted, won).match


def asked(journal: JournalReader, query: wire.Query) -> object:
    return ask(journal, query, State(), "2026-11-24T12:00:00.000000Z")


def paged(journal: JournalReader, make: Callable[[str], wire.Query], field: str) -> list[object]:
    """Every page of an answer, as one."""
    rows: list[object] = []
    after = ""
    while True:
        found = ask(journal, make(after), State(), "2026-11-24T12:00:00.000000Z")
        rows += found[field]
        if found["next"] is UNSET:
            return rows
        assert found["next"] != after
        after = found["next"]


COMMON: dict[str, Any] = {"id": "x", "at": "2026-11-24T12:00:00.000000Z", "token": "t"}


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_every_online_question_is_answered_alike(pair: tuple[JournalReader, JournalReader], limit: int) -> None:
    whole, parted = pair
    questions: list[tuple[str, Callable[[str], wire.Query]]] = [
        ("hits", lambda after: wire.QueryHits(**COMMON, after=after, limit=limit)),
        ("hits", lambda after: wire.QueryHits(**COMMON, after=after, limit=limit, meter="royal9-minor")),
        ("rounds", lambda after: wire.QueryRounds(**COMMON, after=after, limit=limit)),
        *(("rounds", _rounds_of(day, limit)) for day in ALL_DAYS[:-1]),
        *(("actions", _actions_of(day, limit)) for day in ALL_DAYS[:-1]),
        ("actions", lambda after: wire.QueryActions(**COMMON, after=after, limit=limit)),
        ("actions", lambda after: wire.QueryActions(**COMMON, after=after, limit=limit, person="f1")),
    ]
    for field, make in questions:
        assert paged(whole, make, field) == paged(parted, make, field)
    for day in ALL_DAYS[:-1]:
        assert asked(whole, wire.QueryReadings(**COMMON, day=day)) == asked(
            parted, wire.QueryReadings(**COMMON, day=day)
        )
    for won in hits(whole):
        query = wire.QueryDerive(**COMMON, award=won.hit.id, limit=limit)
        assert asked(whole, query) == asked(parted, query)
    newest = max(won.hit.round for won in hits(whole))
    for round_ in range(1, newest):
        single = wire.QueryRounds(**COMMON, round=round_)
        assert asked(whole, single) == asked(parted, single)


def _rounds_of(day: str, limit: int) -> Callable[[str], wire.Query]:
    return lambda after: wire.QueryRounds(**COMMON, after=after, limit=limit, day=day)


def _actions_of(day: str, limit: int) -> Callable[[str], wire.Query]:
    return lambda after: wire.QueryActions(**COMMON, after=after, limit=limit, day=day)


@pytest.fixture
def parted(tmp_path: Path) -> Path:
    path = week(tmp_path / "table.journal")
    archived(path)
    return path


def test_a_long_way_back_unpacks_no_more_than_there_is_room_for(parted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_readonly(parted) as journal:
        most = max(file.last - file.first + 1 for file in journal.past.files)
        monkeypatch.setattr(past, "MOST_UNPACKED", most)
        seen = []
        for first, last in journal.past.spans(1, journal.head().seq):
            seen += [
                seq
                for (seq,) in journal.db.conn.execute("SELECT seq FROM facts WHERE seq BETWEEN ? AND ?", (first, last))
            ]
            (there,) = journal.db.conn.execute("SELECT count(*) FROM temp.unpacked").fetchone()
            assert there <= most
        assert sorted(seen) == list(range(1, journal.head().seq + 1))


def test_facts_that_are_just_leaving_are_told_once(tmp_path: Path) -> None:
    path = week(tmp_path / "table.journal")
    archived(path, forget=False)
    gone = 1
    while gone:
        with open_readonly(path) as journal:
            journal.past.bring([1])
            found = [seq for (seq,) in journal.db.conn.execute("SELECT seq FROM facts ORDER BY seq LIMIT 60")]
            assert found == list(range(1, 61))
        with SqliteJournal(path) as live:
            gone = live.forget(101)


def test_a_missing_archive_is_named_with_its_day(parted: Path) -> None:
    file = min((parted.parent / "archive").iterdir())
    file.rename(parted.parent / "aside")
    with open_readonly(parted) as journal:
        assert len(hits(journal)) > DAYS  # facts of awards have stayed
        report(journal, "2026-11-17")
        with pytest.raises(JournalUnreadableError, match=r"of 2026-11-16, are in .*: put it there, or name it with"):
            report(journal, "2026-11-16")
    (parted.parent / "aside").rename(parted.parent / "elsewhere.gz")
    with open_readonly(parted, archives=[parted.parent / "elsewhere.gz"]) as journal:
        report(journal, "2026-11-16")


def test_a_changed_archive_answers_nothing(parted: Path) -> None:
    file = min((parted.parent / "archive").iterdir())
    file.chmod(0o640)
    file.write_bytes(file.read_bytes()[:-1])
    with (
        open_readonly(parted) as journal,
        pytest.raises(JournalCorruptError, match="put the file back that was written"),
    ):
        report(journal, "2026-11-16")


def test_a_fact_may_be_asked_for_without_going_to_an_archive(parted: Path) -> None:
    with open_readonly(parted) as journal:
        assert one(journal, 5, here=True) is None
        found = one(journal, 5)
        assert found is not None
        assert found.seq == 5


def test_an_award_whose_facts_stayed_is_found_and_printed_without_its_archive(parted: Path) -> None:
    with open_readonly(parted) as journal:
        made = {award.id for won in hits(journal) for award in won.awards}
    for file in (parted.parent / "archive").iterdir():
        file.unlink()
    with open_readonly(parted) as journal:
        assert {award for award in made if any(each.id == award for each in find(journal, award).awards)} == made
        assert [reveal(journal, won).match for won in hits(journal) if won.hit.reveal] == [True, True]
        paid = list(stored.stored(journal, ("award-validated",)))
        assert min(each.seq for each in paid) <= journal.start().seq
        assert len({slip(journal, each.seq).award for each in paid} & made) > DAYS / 2


def test_a_day_archived_in_the_midst_of_a_question_makes_it_asked_again(tmp_path: Path) -> None:
    path = week(tmp_path / "table.journal")
    with SqliteJournal(path):  # which makes readers use locks
        reader = open_readonly(path)
    with reader:
        archived(path)
        with pytest.raises(
            JournalBusyError, match=r"written to while it was read|a day was archived while it was read"
        ):
            report(reader, "2026-11-16")


def test_a_look_is_tried_once_more_when_a_day_left_meanwhile(parted: Path) -> None:
    times = []

    def question(journal: JournalReader) -> str:
        times.append(journal)
        if len(times) == 1:
            raise JournalBusyError("a day was archived while it was read")
        return report(journal, "2026-11-16").day

    async def looked() -> str:
        return await Looks(lambda: open_readonly(parted)).query(question)

    assert asyncio.run(looked()) == "2026-11-16"
    assert len(times) == 2


def test_a_look_at_facts_that_left_meanwhile_is_tried_once_more(tmp_path: Path) -> None:
    path = week(tmp_path / "table.journal")
    asked = []

    def question(journal: JournalReader) -> int:
        asked.append(journal)
        if len(asked) == 1:
            archived(path)
        journal.past.bring([1])
        return int(journal.db.conn.execute("SELECT count(*) FROM facts WHERE seq <= 50").fetchone()[0])

    async def looked() -> int:
        return await Looks(lambda: open_readonly(path)).query(question)

    assert asyncio.run(looked()) == 50
    assert len(asked) == 2


def test_a_look_whose_facts_leave_in_the_midst_of_it_is_tried_once_more_whatever_came_of_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = week(tmp_path / "table.journal")
    real, times = rounds._times, []  # noqa: SLF001 -- between two of its questions

    def leaving(journal: JournalReader, seqs: set[int]) -> dict[int, str]:
        times.append(journal)
        if len(times) == 1:
            archived(path)
        return real(journal, seqs)

    monkeypatch.setattr(rounds, "_times", leaving)

    def opened() -> JournalReader:
        with SqliteJournal(path):  # which makes readers use locks
            return open_readonly(path)

    async def looked() -> Any:  # noqa: ANN401 -- fields of a reply
        query = wire.QueryRounds(**COMMON, day="2026-11-16")
        return await Looks(opened).query(lambda journal: ask(journal, query, State(), ""))

    assert asyncio.run(looked())["rounds"]
    assert len(times) == 2


def test_where_there_is_no_room_to_unpack_that_place_is_named_and_not_the_journal_s_disk(parted: Path) -> None:
    with open_readonly(parted) as journal:
        journal.db.conn.execute("CREATE TEMP TABLE first (x)")
        journal.db.conn.execute("PRAGMA temp.max_page_count = 8").close()
        with pytest.raises(JournalUnreadableError, match=r"cannot be unpacked: .* is full: see that .* /var/tmp"):
            report(journal, "2026-11-16")


def test_a_disk_of_archives_that_fails_is_told(parted: Path) -> None:
    class Failing(OperatingSystem):
        def exists(self, path: str) -> bool:
            if "/archive/" in path:
                raise OSError(errno.EIO, "Input/output error", path)
            return super().exists(path)

    with (
        open_readonly(parted, Failing()) as journal,
        pytest.raises(JournalUnreadableError, match=r"cannot be looked for: Input/output error: see to its disk"),
    ):
        asked(journal, wire.QueryRounds(**COMMON, round=1))


@pytest.mark.parametrize("most", [18, 19])
def test_a_question_within_a_question_does_not_put_away_what_the_first_goes_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    for name in ("whole", "parted"):
        (tmp_path / name).mkdir()
        week(tmp_path / name / "table.journal")
    archived(tmp_path / "parted" / "table.journal", most=most)
    monkeypatch.setattr(past, "MOST_UNPACKED", 1)
    monkeypatch.setattr(stored, "PAGE_ROWS", 2)
    with (
        open_readonly(tmp_path / "whole" / "table.journal") as whole,
        open_readonly(tmp_path / "parted" / "table.journal") as parted_,
    ):
        for won in hits(whole):
            assert derive(parted_, won) == derive(whole, won)


def test_a_look_that_takes_too_long_is_given_up_in_the_midst_of_an_archive(parted: Path) -> None:
    async def looked() -> None:
        await Looks(lambda: open_readonly(parted), query_seconds=0).query(lambda journal: journal.past.bring([1]))

    with pytest.raises(TooLongError, match="ask for less, or later"):
        asyncio.run(looked())


def test_people_long_ago_are_found_a_stretch_of_days_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = week(tmp_path / "table.journal")
    archived(path, KEPT, 12)
    with open_readonly(path) as journal:
        assert len(journal.past.files) > MOST_ARCHIVES

        def make(after: str) -> wire.Query:
            return wire.QueryActions(**COMMON, after=after, person="nobody-of-this-name")

        first = ask(journal, make(""), State(), "")
        assert first["actions"] == ()
        assert first["next"] == str(journal.past.files[-MOST_ARCHIVES].first)
        assert paged(journal, make, "actions") == []
        monkeypatch.setattr("controller.commands.actions.MOST_ARCHIVES", 10**6)
        assert ask(journal, make(""), State(), "")["next"] is UNSET


# -- everything in one file again --


def test_everything_is_put_back_into_one_plain_file(pair: tuple[JournalReader, JournalReader], tmp_path: Path) -> None:
    whole, parted = pair
    into = tmp_path / "one.journal"
    head = restore(parted, str(into))
    assert head == parted.head()
    with open_readonly(into) as journal:
        verdict = verify(journal)
        assert (verdict.bad, verdict.head, verdict.since) == (None, head, 1)
        for view in ("hits", "awards", "readings", "rounds", "wagers", "contributions"):
            select = f"SELECT * FROM {view}"  # noqa: S608 -- a name of this test
            assert journal.db.conn.execute(select).fetchall() == whole.db.conn.execute(select).fetchall()
    assert list(tmp_path.iterdir()) == [into]
    with pytest.raises(JournalUnwritableError, match="is there already"):
        restore(parted, str(into))


def test_a_file_put_back_can_be_kept_by_a_controller_and_archived_anew(parted: Path, tmp_path: Path) -> None:
    into = tmp_path / "again" / "table.journal"
    into.parent.mkdir()
    with open_readonly(parted) as journal:
        restore(journal, str(into))
        names = [file.file for file in journal.past.files]
    assert [file.file for file in archived(into)] == names
    with open_readonly(into) as journal:
        assert verify(journal).bad is None


def test_what_a_table_tells_while_it_is_put_back_is_not_told_of_the_file_put_back(
    parted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SqliteJournal(parted) as live, open_readonly(parted) as journal:

        def playing(reader: JournalReader) -> Iterator[RawRow]:
            yield from whole_of(reader)
            live.append([Entry("2026-11-24T12:00:00.000000Z", None, "input-noted", 1, "{}")])
            live.append([], cursor=live.head().seq)

        monkeypatch.setattr(restoring, "whole", playing)
        head = restore(journal, str(tmp_path / "one.journal"))
        assert live.cursor() == head.seq + 1
    with SqliteJournal(tmp_path / "one.journal") as back:
        assert (back.cursor(), back.head()) == (head.seq, head)


def test_a_file_that_cannot_be_made_is_told_by_its_name(parted: Path) -> None:
    with (
        open_readonly(parted) as journal,
        pytest.raises(JournalUnwritableError, match=r"/one\.journal: Not a directory"),
    ):
        restore(journal, str(parted / "one.journal"))


def test_nothing_is_put_back_where_an_archive_is_missing_or_changed(parted: Path, tmp_path: Path) -> None:
    file = min((parted.parent / "archive").iterdir())
    file.chmod(0o640)
    file.write_bytes(file.read_bytes()[:-1])
    for error in (JournalCorruptError, JournalUnreadableError):
        with open_readonly(parted) as journal, pytest.raises(error):
            restore(journal, str(tmp_path / "one.journal"))
        assert not list(tmp_path.glob("one.journal*"))
        file.unlink(missing_ok=True)


def test_nothing_is_put_back_of_a_journal_that_was_changed(parted: Path, tmp_path: Path) -> None:
    run(parted, "UPDATE facts SET round = round + 1 WHERE seq = (SELECT max(seq) FROM facts WHERE round > 0)")
    with open_readonly(parted) as journal, pytest.raises(JournalCorruptError, match="fact "):
        restore(journal, str(tmp_path / "one.journal"))
    assert not list(tmp_path.glob("one.journal*"))


def test_a_link_is_held_against_a_table_s_archived_days_too(
    pair: tuple[JournalReader, JournalReader],
) -> None:
    given = [journaled("pit-3", [journal], [100], ["valley-forge/mb-07"])[0]["valley-forge/mb-07"] for journal in pair]
    assert vars(given[0].journaled) == vars(given[1].journaled)


def test_a_day_of_many_files_has_all_its_rounds(tmp_path: Path) -> None:
    whole, parts = week(tmp_path / "whole.journal"), week(tmp_path / "table.journal")
    archived(parts, KEPT, 12)
    query = wire.QueryRounds(**COMMON, day="2026-11-16")
    with open_readonly(whole) as one_, open_readonly(parts) as other:
        assert asked(one_, query) == asked(other, query)
        assert report(one_, "2026-11-16") == report(other, "2026-11-16")
