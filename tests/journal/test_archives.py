"""Archive files: what leaves and when, that nothing is lost, and that the chain is one across all files."""

import gzip
import json
import sqlite3
import stat
from contextlib import closing
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from controller.core.state import State
from controller.journal import schema
from controller.journal.archive import files
from controller.journal.archive.files import ArchiveFile
from controller.journal.archive.leaving import due
from controller.journal.archive.packing import LEAST_FREE_BYTES, UNFINISHED, job, prepare, publish
from controller.journal.archive.whole import archived_rows, whole
from controller.journal.audit.stayed import stays
from controller.journal.audit.verifying import Verdict, verify
from controller.journal.chain import proven
from controller.journal.errors import JournalCorruptError, JournalLimitError, JournalUnwritableError
from controller.journal.place import HERE, OperatingSystem
from controller.journal.reading import open_readonly
from controller.journal.rows import EMPTY, Head
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from controller.people.stopped import Stopped
from tests.journal.closed_days import DAYS, KEPT, archived, both, copied, long_play, week
from tests.journal.played import state_after, write
from tests.journal.tampering import run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return week(tmp_path / "table.journal")


def found(path: Path, *, live: bool = False, archives: tuple[Path, ...] = (), promised: Head | None = None) -> Verdict:
    with open_readonly(path, archives=archives) as journal:
        return verify(journal, promised, live=live)


def test_closed_days_leave_one_by_one_and_the_rest_stays(path: Path) -> None:
    with SqliteJournal(path) as journal:
        head = journal.head()
    made = archived(path)
    assert len(made) == DAYS - KEPT
    assert [each.day for each in made] == [f"2026-11-{16 + day}" for day in range(DAYS - KEPT)]
    assert made[0].first == 1
    assert all(before.last + 1 == after.first for before, after in pairwise(made))
    with SqliteJournal(path) as journal:
        assert journal.anchor() == Head(made[-1].last, bytes.fromhex(made[-1].hash))
        assert journal.head().seq == head.seq + len(made)
        gone = [row.seq for row in journal.rows() if row.seq <= made[-1].last]
    assert 0 < len(gone) < made[-1].last / 3


def test_the_file_is_plain_and_says_all_that_the_hashes_are_made_of(path: Path) -> None:
    with open_readonly(path) as journal:
        rows = list(journal.raw(text=bytes))
    first, *_ = archived(path)
    file = path.parent / "archive" / first.file
    assert first.file == f"table.journal.000000000001-{first.last:012}.2026-11-16.jsonl.gz"
    header, *lines = map(json.loads, gzip.decompress(file.read_bytes()).splitlines())
    assert header == {
        "format": "jackpotd archive",
        "version": 1,
        "table": "valley-forge/mb-07",
        "day": "2026-11-16",
        "first": 1,
        "last": first.last,
        "prev_hash": "00" * 32,
    }
    for row, line in zip(rows, lines, strict=False):
        seq, at, round_, type_, version, payload, _, hash_ = row
        assert line == {
            "seq": seq,
            "at": at.decode(),  # type: ignore[union-attr]  # bytes, as asked for
            "round": round_,
            "type": type_.decode(),  # type: ignore[union-attr]  # the same
            "version": version,
            "payload": payload.decode(),  # type: ignore[union-attr]  # the same
            "hash": hash_.hex(),  # type: ignore[union-attr]  # the same
        }
    assert (first.bytes, first.sha256) == (file.stat().st_size, sha256(file.read_bytes()).hexdigest())
    assert stat.S_IMODE(file.stat().st_mode) == files.FILE_MODE


def test_each_file_ends_with_the_readings_of_its_day(path: Path) -> None:
    for made in archived(path):
        *_, last = ArchiveFile(str(path.parent / "archive" / made.file)).raw(bytes)
        assert last[0] == made.last
        assert last[3] == b"readings-taken"
        assert json.loads(cast("bytes", last[5]))["ended"] == made.day


def test_the_same_facts_are_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        made.append([each.sha256 for each in archived(week(tmp_path / name / "table.journal"))])
    assert made[0] == made[1]


@pytest.mark.parametrize(("keep", "due_days"), [(DAYS - 1, 1), (DAYS, 0)])
def test_as_many_closed_days_stay_as_are_set(path: Path, keep: int, due_days: int) -> None:
    assert len(archived(path, keep)) == due_days


def test_a_day_that_was_not_told_to_the_broker_stays(tmp_path: Path) -> None:
    path = week(tmp_path / "table.journal")
    with SqliteJournal(path) as journal:
        leaving = due(journal, KEPT)
        assert leaving is not None
        journal.append([], cursor=leaving.last - 1)
        assert due(journal, KEPT) is None
        journal.append([], cursor=leaving.last)
        assert due(journal, KEPT) == leaving


@pytest.mark.parametrize(
    "statement", ["DELETE FROM snapshots", "DELETE FROM snapshots WHERE seq = (SELECT max(seq) FROM snapshots)"]
)
def test_a_day_stays_while_a_start_could_need_it(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(statement)
    assert archived(path) == []


def test_a_day_of_very_many_facts_leaves_in_parts(path: Path) -> None:
    made = archived(path, most=40)
    assert all(each.last - each.first + 1 <= 40 for each in made)
    assert sum(each.day == "2026-11-16" for each in made) > 1
    assert found(path).bad is None


def test_the_store_itself_refuses_an_anchor_that_would_let_too_much_go(path: Path) -> None:
    with SqliteJournal(path) as journal:
        row = list(journal.rows(0, 10))[-1]
    for archived_, why in (
        (Head(10, bytes(32)), "that fact has another hash"),
        (Head(10**6, row.hash), "only those up to"),
        (EMPTY, "facts up to 0 are already"),
    ):
        with SqliteJournal(path) as journal, pytest.raises(JournalLimitError, match=why):
            journal.append([], archived=archived_)
    with SqliteJournal(path) as journal:
        newest = journal.snapshots()[0]
        with pytest.raises(JournalLimitError, match="two snapshots after it are needed"):
            journal.append([], archived=Head(newest.seq, newest.hash))


def test_what_stays_is_said_alike_in_sql_and_in_python(path: Path) -> None:
    with open_readonly(path) as journal:
        in_sql = {seq for (seq,) in journal.db.conn.execute(f"SELECT seq FROM facts WHERE {schema.STAYS}")}  # noqa: S608 -- a constant
        assert in_sql == {row[0] for row in journal.raw() if stays(row)}


def test_a_start_needs_no_archive(path: Path) -> None:
    archived(path)
    for each in (path.parent / "archive").iterdir():
        each.unlink()
    with SqliteJournal(path) as journal:
        state = load(journal)
    facts, _ = long_play()
    assert state.accounts == state_after(facts).accounts


def test_a_start_without_a_snapshot_adds_up_the_archives(path: Path) -> None:
    archived(path)
    with SqliteJournal(path) as journal:
        expected = load(journal)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("DELETE FROM snapshots")
    with SqliteJournal(path) as journal:
        with pytest.raises(JournalCorruptError, match="no snapshot to begin from"):
            load(journal)
        assert load(journal, lambda: archived_rows(str(path))) == expected != State()


@pytest.mark.parametrize("change", ["payload = '{'", "type = 'snapshot-tafen'", "version = 99"])
def test_a_start_names_the_fact_after_a_snapshot_that_cannot_be_read(path: Path, change: str) -> None:
    with SqliteJournal(path) as journal:
        seq = journal.snapshots()[0].seq + 1
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("DROP TRIGGER facts_never_change")
        conn.execute(f"UPDATE facts SET {change} WHERE seq = ?", (seq,))  # noqa: S608 -- a test's own
    with SqliteJournal(path) as journal, pytest.raises(JournalCorruptError, match=f"fact {seq} cannot be read"):
        load(journal)


# -- verifying --


def test_a_journal_and_its_archives_are_whole_from_the_first_fact(path: Path) -> None:
    made = archived(path)
    verdict = found(path)
    assert (verdict.bad, verdict.since, verdict.replayed) == (None, 1, 1)
    assert verdict.seen == tuple(each.file for each in made)
    assert verdict.facts == verdict.head.seq
    with open_readonly(path) as journal:
        assert proven(whole(journal), EMPTY) == verdict.head


def test_it_is_whole_too_side_by_side_and_with_files_given_in_any_order(path: Path, tmp_path: Path) -> None:
    archived(path)
    elsewhere = tmp_path / "elsewhere"
    (path.parent / "archive").rename(elsewhere)
    given = sorted(elsewhere.iterdir(), reverse=True)
    given[0] = given[0].rename(elsewhere / "renamed.gz")
    with open_readonly(path, archives=given) as journal:
        assert verify(journal, side_by_side_from=10).bad is None
    assert found(path, archives=(elsewhere,)).missing != ()  # one has another name
    assert found(path).bad is not None


def test_days_that_are_leaving_are_whole_at_every_moment(path: Path) -> None:
    archived(path, forget=False)
    gone = 1
    while gone:
        assert found(path).bad is None
        with SqliteJournal(path) as journal:
            gone = journal.forget(37)


def test_a_missing_archive_is_named_and_what_follows_the_anchor_is_proven(path: Path) -> None:
    made = archived(path)
    (path.parent / "archive" / made[1].file).unlink()
    verdict = found(path)
    assert verdict.bad is not None
    assert verdict.bad.seq == made[1].first
    assert made[1].file in verdict.bad.why
    assert verdict.missing == (made[1].file,)
    with SqliteJournal(path) as journal:
        assert verdict.head == journal.head()
        oldest = journal.snapshots()[-1].seq
    assert (verdict.since, verdict.replayed) == (made[-1].last + 1, oldest + 1)
    assert verdict.facts == verdict.head.seq - made[-1].last
    alone = found(path, live=True)
    assert alone.bad is None
    assert alone.missing == (made[1].file,)


def test_without_archives_and_snapshots_the_chain_is_proven_and_no_more_is_claimed(path: Path) -> None:
    archived(path)
    run(path, "DELETE FROM snapshots")
    verdict = found(path, live=True)
    assert (verdict.bad, verdict.replayed) == (None, 0)


@pytest.mark.parametrize("lost", [False, True])
def test_a_damaged_snapshot_is_a_finding_where_nothing_else_can_be_begun_from(path: Path, lost: bool) -> None:
    made = archived(path)
    with SqliteJournal(path) as journal:
        oldest = journal.snapshots()[-1].seq
    if lost:
        (path.parent / "archive" / made[1].file).unlink()
    run(path, ("UPDATE snapshots SET payload = substr(payload, 1, 99) WHERE seq = ?", (oldest,)))
    verdict = found(path, live=not lost)
    assert verdict.bad is not None
    assert (verdict.bad.seq, "cannot be read" in verdict.bad.why) == (oldest, True)
    assert (verdict.since, verdict.replayed) == (made[-1].last + 1, 0)


@pytest.mark.parametrize(
    "change",
    ["'{'", "17", 'replace(payload, \'"hash":"\', \'"hash":"zz\')', "replace(payload, '\"last\":', '\"lost\":')"],
)
def test_a_fact_that_was_changed_and_names_no_archive_is_found(path: Path, change: str) -> None:
    archived(path)
    with SqliteJournal(path) as journal:
        seq = next(row.seq for row in journal.rows() if row.type == "facts-archived")
    run(path, (f"UPDATE facts SET payload = {change} WHERE seq = ?", (seq,)))  # noqa: S608 -- a test's own
    bad = found(path).bad
    assert bad is not None
    assert (bad.seq, f"fact {seq} names no archive" in bad.why) == (seq, True)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("change", ["payload = replace(payload, '2026', '2036')", "hash = zeroblob(32)"])
def test_a_fact_that_stayed_and_was_changed_is_found(path: Path, change: str, live: bool) -> None:
    archived(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("DROP TRIGGER facts_never_change")
        (seq,) = conn.execute("SELECT min(seq) FROM facts WHERE type = 'readings-taken'").fetchone()
        conn.execute(f"UPDATE facts SET {change} WHERE seq = ?", (seq,))  # noqa: S608 -- a test's own
    bad = found(path, live=live).bad
    assert bad is not None
    assert bad.seq == seq


def test_a_fact_that_should_have_stayed_is_missed(path: Path) -> None:
    archived(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        (seq,) = conn.execute("SELECT max(seq) FROM facts WHERE seq < 200 AND instr(payload, '\"hit\":')").fetchone()
        conn.execute("DELETE FROM facts WHERE seq = ?", (seq,))  # which its trigger allows
    bad = found(path).bad
    assert bad is not None
    assert (bad.seq, "the journal lacks it" in bad.why) == (seq, True)


def rewritten(file: Path, change: bytes, to: bytes) -> None:
    """A change by someone who can unpack a file and pack it again."""
    file.chmod(0o640)
    content = gzip.decompress(file.read_bytes())
    assert change in content
    file.write_bytes(gzip.compress(content.replace(change, to, 1), mtime=0))


def test_a_changed_archive_is_found_at_the_fact(path: Path) -> None:
    made = archived(path)
    file = path.parent / "archive" / made[0].file
    line = next(line for line in gzip.decompress(file.read_bytes()).splitlines() if b'"wager-placed"' in line)
    rewritten(file, line, line.replace(b'\\"position\\":1', b'\\"position\\":2'))
    bad = found(path).bad
    assert bad is not None
    assert bad.seq == json.loads(line)["seq"]


def test_an_archive_packed_anew_is_not_the_one_that_was_written(path: Path) -> None:
    made = archived(path)
    file = path.parent / "archive" / made[0].file
    rewritten(file, b"valley-forge", b"valley-gorge")
    bad = found(path).bad
    assert bad is not None
    assert bad.seq == 1
    assert "SHA-256" in bad.why or "bytes" in bad.why


def test_an_archive_of_the_same_size_and_content_is_not_the_one_that_was_written(path: Path) -> None:
    made = archived(path)[1]
    file = path.parent / "archive" / made.file
    file.chmod(0o640)
    content = bytearray(file.read_bytes())
    content[4] ^= 1  # of the time in gzip's header, which unpacks to the same
    file.write_bytes(content)
    bad = found(path).bad
    assert bad is not None
    assert "its SHA-256 is" in bad.why


@pytest.mark.parametrize("cut", [0, 1, 10, 500])
def test_an_archive_that_is_cut_off_is_found(path: Path, cut: int) -> None:
    made = archived(path)
    file = path.parent / "archive" / made[1].file
    file.chmod(0o640)
    content = file.read_bytes()
    file.write_bytes(content[:-cut] if cut else b"")
    bad = found(path).bad
    assert bad is not None
    assert made[1].first <= bad.seq <= made[1].last + 1


def test_archives_in_each_other_s_place_are_found(path: Path) -> None:
    made = archived(path)
    folder = path.parent / "archive"
    one, two = folder / made[0].file, folder / made[1].file
    one.rename(folder / "aside")
    two.rename(one)
    (folder / "aside").rename(two)
    bad = found(path).bad
    assert bad is not None
    assert bad.seq == 1


def test_an_anchor_that_no_fact_names_is_found(path: Path) -> None:
    with SqliteJournal(path) as journal:
        row = list(journal.rows(0, 9))[-1]
    run(path, ("DELETE FROM facts WHERE seq <= 9", ()), ("UPDATE archived SET seq = 9, hash = ?", (row.hash,)))
    bad = found(path).bad
    assert bad is not None
    assert (bad.seq, "no fact names the archive of fact 1" in bad.why) == (1, True)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE archived SET seq = seq + 16",
        "UPDATE archived SET seq = seq - 1",
        "UPDATE archived SET hash = zeroblob(32)",
    ],
)
def test_a_damaged_anchor_is_refused_before_it_lets_anything_go(path: Path, change: str) -> None:
    archived(path, forget=False)
    before = path.read_bytes()
    run(path, (change, ()))
    with pytest.raises(JournalCorruptError, match="names no archive that ends there"):
        SqliteJournal(path)
    path.write_bytes(before)
    with SqliteJournal(path) as journal:
        assert journal.forget(1) == 1


def test_a_head_noted_years_ago_is_found_in_an_archive(path: Path) -> None:
    with SqliteJournal(path) as journal:
        row = list(journal.rows(0, 30))[-1]
    archived(path)
    assert found(path, promised=Head(30, row.hash)).bad is None
    for live, hash_ in ((False, bytes(32)), (True, row.hash)):
        bad = found(path, live=live, promised=Head(30, hash_)).bad
        assert bad is not None
        assert bad.seq == 30


@pytest.mark.parametrize("live", [False, True])
def test_a_head_noted_at_the_anchor_is_held_against_it(path: Path, live: bool) -> None:
    last = archived(path)[-1]
    assert found(path, live=live, promised=Head(last.last, bytes.fromhex(last.hash))).bad is None
    bad = found(path, live=live, promised=Head(last.last, bytes(32))).bad
    assert bad is not None
    assert (bad.seq, "was promised" in bad.why) == (last.last, True)


# -- a copy that is older than its archives --


def test_a_journal_put_back_from_a_copy_older_than_its_archives_is_whole_and_goes_on(
    path: Path, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    backup.write_bytes(path.read_bytes())
    made = archived(path)
    path.write_bytes(backup.read_bytes())
    assert found(path).bad is None
    again = archived(path)
    assert again == made
    assert found(path).bad is None


def test_a_file_packed_by_another_version_of_gzip_is_taken_as_it_is(path: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    backup.write_bytes(path.read_bytes())
    first, *_ = archived(path)
    path.write_bytes(backup.read_bytes())
    file = path.parent / "archive" / first.file
    file.chmod(0o640)
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()), 1, mtime=0))
    again, *_ = archived(path)
    assert again.sha256 == sha256(file.read_bytes()).hexdigest() != first.sha256
    assert found(path).bad is None


def test_a_file_in_the_way_that_holds_something_else_is_left_alone(path: Path) -> None:
    with SqliteJournal(path) as journal:
        leaving = due(journal, KEPT)
        assert leaving is not None
        wanted = job(journal, str(path.parent / "archive"), "valley-forge/mb-07", leaving)
        other = job(journal, str(path.parent / "archive"), "elsewhere/mb-07", leaving)
        publish(other, prepare(other))
        with pytest.raises(JournalCorruptError, match="holds something else: move it away"):
            prepare(wanted)
        Path(wanted.path).chmod(0o640)
        Path(wanted.path).write_bytes(b"not an archive")
        with pytest.raises(JournalCorruptError, match="is no archive"):
            prepare(wanted)
    assert found(path).bad is not None


def test_a_file_in_the_way_whose_facts_were_others_is_left_alone(path: Path) -> None:
    with SqliteJournal(path) as journal:
        leaving = due(journal, KEPT)
        assert leaving is not None
        wanted = job(journal, str(path.parent / "archive"), "valley-forge/mb-07", leaving)
        with pytest.raises(JournalCorruptError, match="holds something else: move it away"):
            prepare(replace(wanted, hash="ab" * 32))  # as a journal has it that was set back and played on
        publish(wanted, prepare(wanted))
        with pytest.raises(JournalCorruptError, match="holds something else: move it away"):
            prepare(replace(wanted, hash="ab" * 32))
        assert prepare(wanted).hash == wanted.hash


@pytest.mark.parametrize("ending", ["", UNFINISHED])
def test_a_file_that_came_in_between_is_not_taken_for_the_one_that_was_proven(path: Path, ending: str) -> None:
    """Put back by someone under its name; or before that by the process of a controller that was killed."""
    with SqliteJournal(path) as journal:
        leaving = due(journal, KEPT)
        assert leaving is not None
        wanted = job(journal, str(path.parent / "archive"), "valley-forge/mb-07", leaving)
        made = prepare(wanted)
        content = Path(f"{wanted.path}{UNFINISHED}").read_bytes()
        HERE.write_new(f"{wanted.path}{ending}", content[: len(content) // 2])
        with pytest.raises(JournalCorruptError, match=r"bytes, and had .* when it was written: if it stays so"):
            publish(wanted, made)
        Path(wanted.path).write_bytes(content)  # that process has come to its end
        publish(wanted, prepare(wanted))
    assert archived(path)[0] == made
    assert found(path).bad is None


def test_archives_of_another_table_in_the_same_folder_are_passed_over(path: Path) -> None:
    made = archived(path)
    file = path.parent / "archive" / made[-1].file
    first, rest = gzip.decompress(file.read_bytes()).split(b"\n", 1)
    other = json.dumps(json.loads(first) | {"table": "valley-forge/mb-09", "first": 999, "last": 1000}).encode()
    name = f"other.journal.{999:012}-{1000:012}.2026-11-20.jsonl.gz"
    (file.parent / name).write_bytes(gzip.compress(other + b"\n" + rest))
    assert found(path).bad is None


@pytest.mark.parametrize("name", ["table.journal", "mb-07.copy"])
def test_an_archive_that_tells_of_more_than_the_journal_is_found(path: Path, tmp_path: Path, name: str) -> None:
    facts, _ = long_play()
    made = archived(path)
    short = tmp_path / "short" / name
    short.parent.mkdir()
    (path.parent / "archive").rename(short.parent / "archive")
    write(short, facts[: made[2].first + 2])
    bad = found(short).bad
    assert bad is not None
    assert "older copy than its archives" in bad.why


# -- disks that fail --


def test_a_folder_that_cannot_be_made_or_is_full_leaves_everything_where_it_is(path: Path) -> None:
    with SqliteJournal(path) as journal:
        leaving = due(journal, KEPT)
        assert leaving is not None
        wanted = job(journal, "/proc/no-such-place/archive", "valley-forge/mb-07", leaving)
        with pytest.raises(JournalUnwritableError, match="see that the folder above it exists"):
            prepare(wanted)
        assert journal.anchor() == EMPTY
    assert found(path).bad is None


def test_the_name_of_a_folder_is_safe_whoever_made_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    monkeypatch.setattr(OperatingSystem, "sync_folder", lambda _, each: synced.append(each))
    for _ in range(2):  # the second finds it, as after a crash, or made by hand
        HERE.make_folder(str(path.parent / "archive"))
    assert synced == [str(path.parent / "archive")] * 2


def test_a_file_that_was_put_back_is_safe_before_it_counts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteJournal(path) as journal:
        leaving = due(journal, KEPT)
        assert leaving is not None
        wanted = job(journal, str(path.parent / "archive"), "valley-forge/mb-07", leaving)
    made = prepare(wanted)
    Path(f"{wanted.path}{UNFINISHED}").rename(wanted.path)
    synced = []
    monkeypatch.setattr(OperatingSystem, "sync_file", lambda _, each: synced.append(each))
    assert prepare(wanted) == made
    assert synced == [wanted.path]
    publish(wanted, made)
    assert synced == [wanted.path] * 2


def test_a_file_is_written_only_where_it_leaves_room_for_the_table(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteJournal(path) as journal:
        leaving = due(journal, KEPT)
        assert leaving is not None
        wanted = job(journal, str(path.parent / "archive"), "valley-forge/mb-07", leaving)
        size = prepare(wanted).bytes
        Path(f"{wanted.path}{UNFINISHED}").unlink()
        monkeypatch.setattr(OperatingSystem, "free_bytes", lambda *_: LEAST_FREE_BYTES + size - 1)
        with pytest.raises(JournalUnwritableError, match="less than 64 MiB free: make room"):
            prepare(wanted)
        assert not list((path.parent / "archive").iterdir())
        monkeypatch.setattr(OperatingSystem, "free_bytes", lambda *_: LEAST_FREE_BYTES + size)
        prepare(wanted)


def test_a_line_that_never_ends_and_a_line_that_is_no_fact_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = archived(path)
    file = path.parent / "archive" / made[0].file
    longest = max(map(len, gzip.decompress(file.read_bytes()).splitlines(keepends=True)))
    monkeypatch.setattr(files, "MOST_LINE_BYTES", longest)
    assert len(list(ArchiveFile(str(file)).raw())) == made[0].last
    monkeypatch.setattr(files, "MOST_LINE_BYTES", longest - 1)
    with pytest.raises(JournalCorruptError, match="a line does not end"):
        list(ArchiveFile(str(file)).raw())
    monkeypatch.undo()
    rewritten(file, b'"seq":2,', b'"soq":2,')
    with pytest.raises(JournalCorruptError, match=r"fact 2: .* has a line that is no fact"):
        list(ArchiveFile(str(file)).raw())


def test_a_copy_of_everything_verifies_elsewhere(tmp_path: Path) -> None:
    _, parted = both(tmp_path)
    assert found(copied(parted, tmp_path / "copy")).bad is None
    with SqliteJournal(copied(parted, tmp_path / "other")) as journal:
        assert Stopped(journal).state.filed is not None
