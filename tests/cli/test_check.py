"""`jackpotd check`: its answers as text and as JSON, and its exit codes: 0 lawful, 1 violations, 2 unreadable."""

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from controller.cli.check import MOST_BYTES
from controller.cli.main import main

CONFIG = Path(__file__).parents[2] / "config"
ROYAL5 = CONFIG / "minibaccarat-royal9-5.toml"
IN_FORCE = ("--on", "2024-06-01")
EXPIRED = ("--on", "2025-03-12")


@pytest.fixture
def unlawful(tmp_path: Path) -> Path:
    """The example with ten positions and a floor missed by a cent."""
    text = ROYAL5.read_text(encoding="utf-8")
    file = tmp_path / "unlawful.toml"
    file.write_text(text.replace("= 9\n", "= 10\n", 1).replace("50000.00", "49999.99"), encoding="utf-8")
    return file


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["check", "--json", *arguments])
    told = capsys.readouterr()
    assert told.err == ""
    found: dict[str, Any] = json.loads(told.out)
    return code, found


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said of a file that cannot be read: on standard error only, with exit 2."""
    assert main(["check", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("jackpotd check: ")
    return told.err


def jackpotd(*arguments: str, stdout: int, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "controller", "check", *arguments]
    return subprocess.run(
        command, stdout=stdout, stderr=subprocess.PIPE, check=False, cwd=CONFIG.parent, env=os.environ | environment
    )


def test_there_are_the_four_examples() -> None:
    names = ["baccarat-heavenly9", "midibaccarat-harmony", "minibaccarat-royal9-1", "minibaccarat-royal9-5"]
    assert sorted(file.stem for file in CONFIG.glob("*.toml")) == names


@pytest.mark.parametrize("file", sorted(CONFIG.glob("*.toml")), ids=lambda file: file.stem)
def test_every_example_is_lawful(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, str(file), *IN_FORCE) == (0, {"ok": True, "violations": [], "warnings": []})
    assert main(["check", str(file), *IN_FORCE]) == 0
    assert capsys.readouterr().out == f"{file}: lawful on 2024-06-01 (0 violations, 0 warnings)\n"
    assert main(["check", str(file)]) == 0  # warnings of expired sections do not make it unlawful


def test_violations_are_told_as_json(unlawful: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answer(capsys, str(unlawful), *IN_FORCE)
    assert code == 1
    assert list(found) == ["ok", "violations", "warnings"]
    assert found["ok"] is False
    assert found["warnings"] == []
    positions, reset = found["violations"]
    assert list(positions) == ["key", "value", "section", "message"]
    assert (positions["key"], positions["value"], positions["section"]) == ("table.positions", 10, "§ 627a.2(a)")
    assert (reset["key"], reset["value"], reset["section"]) == ("royal9.mega.reset", "49999.99", "§ 627b.3(f)(2)")
    assert "at least $50,000" in reset["message"]


def test_violations_are_told_to_people(unlawful: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(unlawful), *IN_FORCE]) == 1
    positions, reset, verdict = capsys.readouterr().out.splitlines()
    assert positions.startswith("violation: table.positions = 10: ")
    assert positions.endswith("(§ 627a.2(a))")
    assert reset.startswith('violation: royal9.mega.reset = "49999.99": ')
    assert verdict == f"{unlawful}: NOT lawful on 2024-06-01 (2 violations, 0 warnings)"


def test_a_warning_leaves_the_answer_yes(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answer(capsys, str(ROYAL5), *EXPIRED)
    assert (code, found["ok"], found["violations"]) == (0, True, [])
    [warning] = found["warnings"]
    assert list(warning) == ["key", "value", "section", "message"]
    assert (warning["key"], warning["section"]) == ("royal9", "§ 627b.3")
    assert main(["check", str(ROYAL5), *EXPIRED]) == 0
    warned, verdict = capsys.readouterr().out.splitlines()
    assert warned.startswith("warning: royal9")
    assert verdict.endswith("lawful on 2025-03-12 (0 violations, 1 warning)")
    assert answer(capsys, str(ROYAL5), "--on", "2025-03-11")[1]["warnings"] == []


def test_a_file_is_judged_by_today_where_no_day_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    days = [datetime.now().astimezone().date()]
    main(["check", str(ROYAL5)])
    days.append(datetime.now().astimezone().date())
    assert any(f" lawful on {day} (" in capsys.readouterr().out for day in days[:1]) or days[0] != days[1]


@pytest.mark.parametrize("day", ["yesterday", "2025-02-30", "2025-3-1", "12.03.2025", "2025-03-12T00:00", ""])
def test_a_day_that_is_none_is_bad_usage(day: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "YYYY-MM-DD" in refusal(capsys, str(ROYAL5), "--on", day)


@pytest.mark.parametrize("arguments", [[], [str(ROYAL5), "more"], [str(ROYAL5), "--strict"], [str(ROYAL5), "--on"]])
def test_a_wrong_command_line_is_bad_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", *arguments])
    assert ended.value.code == 2


UNREADABLE = {"not-utf-8": b"\xff\xfe[table]", "broken": b"[table\n", "twice": b"a = 1\na = 2\n", "nul": b"\0"}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE.keys())
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_what_is_no_toml_is_unreadable(
    data: bytes, form: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file.toml"
    file.write_bytes(data)
    assert str(file) in refusal(capsys, str(file), *form)


def test_a_missing_file_and_a_directory_are_unreadable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "absent.toml" in refusal(capsys, str(tmp_path / "absent.toml"))
    assert str(tmp_path) in refusal(capsys, str(tmp_path))


@pytest.mark.parametrize("excess", [0, 1])
def test_a_file_may_be_as_long_as_the_limit_and_no_longer(
    excess: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = ROYAL5.read_bytes() + b"\n#"
    file = tmp_path / "long.toml"
    file.write_bytes(text.ljust(MOST_BYTES + excess, b"x"))
    if excess:
        assert str(MOST_BYTES) in refusal(capsys, str(file))
    else:
        assert main(["check", str(file), *IN_FORCE]) == 0


ODD = {
    "a date in a list": "x = [1979-05-27]",
    "a number of 6000 digits": f"x = 0x{'f' * 5000}",
    "a table in a table, a thousand times": f"x{'.a' * 1000} = 1",
    "a key with a line break": '"x\\nviolation" = 1',
    "a key with an escape": '"x\\u001b[2J" = 1',
}


@pytest.mark.parametrize("line", ODD.values(), ids=ODD.keys())
def test_an_odd_value_or_key_is_one_violation_on_one_line(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "odd.toml"
    file.write_text(f"{line}\n{ROYAL5.read_text(encoding='utf-8')}", encoding="utf-8")
    assert main(["check", str(file), *IN_FORCE]) == 1
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 2
    assert "\x1b" not in out
    code, found = answer(capsys, str(file), *IN_FORCE)
    assert (code, len(found["violations"])) == (1, 1)


def test_violations_are_the_answer_even_when_the_reader_has_left(unlawful: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = jackpotd(str(unlawful), *IN_FORCE, stdout=writer)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_the_answer_does_not_depend_on_what_the_terminal_can_write() -> None:
    ended = jackpotd(str(ROYAL5), *EXPIRED, stdout=subprocess.PIPE, PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"627b.3" in ended.stdout
