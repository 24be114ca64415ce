"""`jackpotd operators`: people added, listed and disabled on a journal whose controller is stopped."""

import asyncio
import io
import json
import os
import pty
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.core.facts import AccessWasNoted, OperatorWasChanged
from controller.core.operators import WRONG_PINS
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load, recorded
from controller.people.pepper import read_pepper
from controller.people.pins import Pins
from tests.cli.calls import Said, call, refusal
from tests.journal.closed_days import archived, week

ROOT = Path(__file__).parents[2]
PIN, OTHER, BAD = "480213", "77665544", "999999"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


@pytest.fixture
def pepper(tmp_path: Path) -> Path:
    path = tmp_path / "pepper"
    path.write_text("8f2ad35b9c01e6477d10ba93fe5264c8a1b7093dce48f57526ef13d0944b6a7c\n")
    path.chmod(0o600)
    return path


class Desk:
    """Someone at a shell, whose PINs come from a file."""

    def __init__(self, journal: Path, pepper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.journal, self.pepper, self._patch = journal, pepper, monkeypatch

    def words(self, action: str, *more: str) -> list[str]:
        files = ["--journal", str(self.journal), "--offline"]
        return ["operators", action, *more, *files, *(["--pepper", str(self.pepper)] if action != "list" else [])]

    def type(self, *pins: str) -> None:
        self._patch.setattr(sys, "stdin", io.StringIO("".join(f"{pin}\n" for pin in pins)))

    def add(self, operator: str, role: str, *pins: str, by: str = "", name: str = "Ana Ruiz") -> int:
        self.type(*pins)
        signed = ["--by", by] if by else []
        return call(*self.words("add", operator, "--name", name, "--role", role, *signed))

    def disable(self, operator: str, *pins: str, by: str = "") -> int:
        self.type(*pins)
        return call(*self.words("disable", operator, *(["--by", by] if by else [])))

    def facts(self) -> list[object]:
        with SqliteJournal(self.journal) as journal:
            return [recorded(row).fact for row in journal.rows()]


@pytest.fixture
def desk(journal: Path, pepper: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(journal, pepper, monkeypatch)


def listed(capsys: Said, desk: Desk) -> dict[str, dict[str, object]]:
    capsys.readouterr()
    assert call(*desk.words("list", "--json")) == 0
    return {each["operator"]: each for each in json.loads(capsys.readouterr().out)["operators"]}


def test_the_first_supervisor_is_added_by_nobody_and_adds_the_others(desk: Desk, capsys: Said) -> None:
    assert desk.add("ana", "supervisor", PIN) == 0
    assert capsys.readouterr().out == "ana (Ana Ruiz) is added: supervisor\n"
    assert desk.add("bo", "dealer", PIN, OTHER, by="ana", name="Bo Lind") == 0
    found = listed(capsys, desk)
    assert [found["ana"]["role"], found["bo"]["name"], found["bo"]["active"]] == ["supervisor", "Bo Lind", True]
    changed = [fact for fact in desk.facts() if isinstance(fact, OperatorWasChanged)]
    assert [(fact.operator, fact.by) for fact in changed] == [("ana", ""), ("bo", "ana")]
    assert call("audit", "verify", str(desk.journal)) == 0


def test_nobody_adds_a_second_one(desk: Desk, capsys: Said) -> None:
    desk.add("ana", "supervisor", PIN)
    capsys.readouterr()
    assert desk.add("eve", "supervisor", PIN) == 2
    assert "there is a supervisor already: name the one who does this with --by" in capsys.readouterr().err
    assert list(listed(capsys, desk)) == ["ana"]


def test_the_first_is_a_supervisor(desk: Desk, capsys: Said) -> None:
    assert desk.add("bo", "dealer", PIN) == 1
    assert "nobody is signed in: this takes a supervisor" in capsys.readouterr().err
    assert listed(capsys, desk) == {}


def test_a_supervisor_signs_with_the_right_pin_and_a_wrong_one_is_recorded(desk: Desk, capsys: Said) -> None:
    desk.add("ana", "supervisor", PIN)
    for _ in range(WRONG_PINS):
        assert desk.add("bo", "dealer", BAD, OTHER, by="ana") == 1
    assert desk.add("bo", "dealer", PIN, OTHER, by="ana") == 1
    assert "ana: too many wrong PINs" in capsys.readouterr().err
    assert listed(capsys, desk)["ana"]["locked_out"] is True
    noted = [fact for fact in desk.facts() if isinstance(fact, AccessWasNoted)]
    assert [(fact.what, fact.client, fact.wrong) for fact in noted] == [
        ("wrong-pin", "offline", number + 1) for number in range(WRONG_PINS)
    ]


def test_a_dealer_adds_nobody(desk: Desk, capsys: Said) -> None:
    desk.add("ana", "supervisor", PIN)
    desk.add("bo", "dealer", PIN, OTHER, by="ana")
    assert desk.add("cy", "dealer", OTHER, PIN, by="bo") == 1
    assert "bo is dealer: this takes a supervisor" in capsys.readouterr().err


def test_added_again_someone_has_another_name_role_and_pin(desk: Desk, capsys: Said) -> None:
    desk.add("ana", "supervisor", PIN)
    desk.add("bo", "dealer", PIN, OTHER, by="ana")
    assert desk.add("bo", "supervisor", PIN, "123123123123", by="ana", name="Bo Ek") == 0
    assert "bo (Bo Ek) is changed: supervisor" in capsys.readouterr().out
    assert desk.add("cy", "auditor", OTHER, PIN, by="bo") == 1
    assert desk.add("cy", "auditor", "123123123123", PIN, by="bo") == 0


def test_who_is_disabled_stays_listed_and_signs_nothing(desk: Desk, capsys: Said) -> None:
    desk.add("ana", "supervisor", PIN)
    desk.add("bo", "supervisor", PIN, OTHER, by="ana", name="Bo Lind")
    capsys.readouterr()
    assert desk.disable("bo", PIN, by="ana") == 0
    assert capsys.readouterr().out == "bo (Bo Lind) can sign in no more\n"
    assert (listed(capsys, desk)["bo"]["active"], listed(capsys, desk)["bo"]["pin_changed_at"]) == (False, None)
    assert desk.add("cy", "dealer", OTHER, PIN, by="bo") == 1
    assert desk.disable("zoe", PIN, by="ana") == 1
    assert "there is no operator 'zoe'" in capsys.readouterr().err
    assert desk.disable("ana", PIN, by="ana") == 2
    assert "ana is the only supervisor: add another one first" in capsys.readouterr().err


@pytest.mark.parametrize("bad", ["12345", "1234567890123", "abcdef", ""])
def test_what_is_no_pin_changes_nothing(desk: Desk, capsys: Said, bad: str) -> None:
    assert desk.add("ana", "supervisor", bad) == 2
    assert "a PIN has 6 to 12 digits" in capsys.readouterr().err
    assert listed(capsys, desk) == {}


@pytest.mark.parametrize(("operator", "role"), [("Ana", "supervisor"), ("ana", "cook")])
def test_what_is_no_operator_is_bad_input(desk: Desk, capsys: Said, operator: str, role: str) -> None:
    desk.add("boss", "supervisor", PIN)
    capsys.readouterr()
    assert desk.add(operator, role, PIN, OTHER, by="boss") == 2
    assert "is no" in capsys.readouterr().err


def test_while_the_controller_runs_it_is_refused(desk: Desk, capsys: Said) -> None:
    with SqliteJournal(desk.journal):
        desk.type(PIN)
        assert "the controller is not stopped" in refusal(capsys, *desk.words("list"))


def test_without_offline_it_asks_where_the_broker_is(desk: Desk, capsys: Said) -> None:
    words = [word for word in desk.words("list") if word != "--offline"]
    assert "--config FILE says where the broker is" in refusal(capsys, *words)


@pytest.mark.parametrize("missing", ["--journal", "--pepper"])
def test_offline_it_needs_the_journal_and_the_pepper(desk: Desk, capsys: Said, missing: str) -> None:
    words = desk.words("disable", "bo")
    place = words.index(missing)
    assert f"{missing} FILE is needed with --offline" in refusal(capsys, *words[:place], *words[place + 2 :])


@pytest.mark.parametrize("action", [("list",), ("disable", "ana")])
def test_a_mistyped_path_begins_no_journal(desk: Desk, capsys: Said, action: tuple[str, ...]) -> None:
    assert "is not there: name the journal of a table" in refusal(capsys, *desk.words(*action))
    assert not desk.journal.exists()


def test_another_user_s_journal_is_left_alone(desk: Desk, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert "do this as that user" in refusal(capsys, *desk.words("add", "ana", "--name", "A", "--role", "supervisor"))
    assert not desk.journal.exists()


def test_a_pepper_that_is_missing_or_another_one_lets_nobody_sign(desk: Desk, capsys: Said) -> None:
    desk.add("ana", "supervisor", PIN)
    desk.pepper.write_text("1" + desk.pepper.read_text()[1:])
    assert desk.add("bo", "dealer", PIN, OTHER, by="ana") == 1
    desk.pepper.unlink()
    assert desk.add("bo", "dealer", PIN, OTHER, by="ana") == 2
    assert "openssl rand" in capsys.readouterr().err


def test_a_list_is_a_table_and_of_nobody_a_sentence(desk: Desk, capsys: Said) -> None:
    SqliteJournal(desk.journal).close()
    assert call(*desk.words("list")) == 0
    assert "Nobody may sign in yet" in capsys.readouterr().out
    desk.add("ana", "supervisor", PIN)
    capsys.readouterr()
    assert call(*desk.words("list")) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["ID", "NAME", "ROLE", "PIN", "SINCE"]
    assert line.split()[:4] == ["ana", "Ana", "Ruiz", "supervisor"]


def test_the_answer_as_json_names_what_was_done(desk: Desk, capsys: Said) -> None:
    desk.type(PIN)
    assert main([*desk.words("add", "ana", "--name", "Ana", "--role", "supervisor"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "operator": "ana", "done": "added"}


@pytest.mark.parametrize(("again", "code"), [(PIN, 0), (OTHER, 2)])
def test_at_a_terminal_a_pin_is_typed_twice_and_never_shown(desk: Desk, again: str, code: int) -> None:
    ours, theirs = pty.openpty()
    words = desk.words("add", "ana", "--name", "Ana Ruiz", "--role", "supervisor")
    command = [sys.executable, "-m", "controller", *words]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as child:
        os.close(theirs)
        said = b""
        for prompt, pin in ((b"New PIN for ana: ", PIN), (b"The same again: ", again)):
            while not said.endswith(prompt):  # a prompt that never comes ends with the child, and so does reading
                said += os.read(ours, 1024)
            os.write(ours, f"{pin}\n".encode())
        try:
            while more := os.read(ours, 1024):
                said += more
        except OSError:
            pass  # the child has left its terminal
        assert child.wait(60) == code
    os.close(ours)
    assert PIN.encode() not in said
    assert OTHER.encode() not in said
    if code:
        assert b"the two PINs are not the same" in said
    with SqliteJournal(desk.journal) as journal:
        assert bool(load(journal).operators) == (code == 0)


def test_without_a_snapshot_people_are_found_through_the_archives(desk: Desk, tmp_path: Path, capsys: Said) -> None:
    week(desk.journal)
    boss = next(id_ for id_, each in listed(capsys, desk).items() if each["role"] == "supervisor")
    archived(desk.journal)
    with SqliteJournal(desk.journal) as journal:
        asyncio.run(Pins(journal, read_pepper(desk.pepper)).keep(boss, PIN, "2026-11-23T12:00:00.000000Z"))
    with closing(sqlite3.connect(desk.journal)) as conn, conn:
        conn.execute("DELETE FROM snapshots")  # as good as of another version
    assert listed(capsys, desk)[boss]["active"]
    away = (tmp_path / "archive").rename(tmp_path / "away")
    assert "name it with --archives" in refusal(capsys, *desk.words("list"))
    there = ["--by", boss, "--archives", str(away)]
    desk.type(PIN, OTHER)
    assert call(*desk.words("add", "bo", "--name", "Bo", "--role", "dealer", *there)) == 0
    desk.type(PIN)
    assert call(*desk.words("disable", "bo", *there)) == 0
    capsys.readouterr()
    assert call(*desk.words("list", "--json", "--archives", str(away))) == 0
    people = {each["operator"]: each["active"] for each in json.loads(capsys.readouterr().out)["operators"]}
    assert (people[boss], people["bo"]) == (True, False)
