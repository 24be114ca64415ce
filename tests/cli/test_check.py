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
EXAMPLES = ("baccarat-heavenly9", "midibaccarat-harmony", "minibaccarat-royal9-1", "minibaccarat-royal9-5")
ROYAL5 = CONFIG / f"{EXAMPLES[-1]}.toml"
LAWFUL = ROYAL5.read_text(encoding="utf-8")
UNLAWFUL = LAWFUL.replace("positions = 9", "positions = 10").replace("50000.00", "49999.99")
IN_FORCE, EXPIRED = ("--on", "2024-06-01"), ("--on", "2025-03-12")
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "submission.toml"


def told(capsys: Capture, code: int, *arguments: str) -> list[str]:
    """The lines of an answer to people."""
    assert main(["check", *arguments]) == code
    return capsys.readouterr().out.splitlines()


def answer(capsys: Capture, code: int, *arguments: str) -> dict[str, Any]:
    assert main(["check", "--json", *arguments]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refusal(capsys: Capture, *arguments: str) -> str:
    """What is said of a file that cannot be judged: on standard error only, with exit 2."""
    assert main(["check", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("jackpotd check: ")
    return said.err


def ended(*arguments: str, stdout: int, **environment: str) -> tuple[int, bytes]:
    """The exit code of the command in a process of its own, and what it says on standard error."""
    command, env = [sys.executable, "-m", "controller", "check", *arguments], os.environ | environment
    run = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, check=False, cwd=CONFIG.parent, env=env)
    return run.returncode, run.stderr


@pytest.mark.parametrize("path", sorted(CONFIG.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_is_lawful(path: Path, capsys: Capture) -> None:
    assert path.stem in EXAMPLES
    assert answer(capsys, 0, str(path), *IN_FORCE) == {"ok": True, "violations": [], "warnings": []}
    assert told(capsys, 0, str(path), *IN_FORCE) == [f"{path}: lawful on 2024-06-01 (0 violations, 0 warnings)"]
    assert told(capsys, 0, str(path))  # today's warnings, if there are any, do not make it unlawful


def test_violations_are_told_as_json_and_to_people(file: Path, capsys: Capture) -> None:
    file.write_text(UNLAWFUL, encoding="utf-8")
    found = answer(capsys, 1, str(file), *IN_FORCE)
    assert list(found) == ["ok", "violations", "warnings"]
    assert (found["ok"], found["warnings"]) == (False, [])
    positions, reset = found["violations"]
    assert list(positions) == list(reset) == ["key", "value", "section", "message"]
    assert list(positions.values())[:3] == ["table.positions", 10, "§ 627a.2(a)"]
    assert list(reset.values())[:3] == ["royal9.mega.reset", "49999.99", "§ 627b.3(f)(2)"]
    assert "at least $50,000" in reset["message"]
    assert told(capsys, 1, str(file), *IN_FORCE) == [
        f"violation: table.positions = 10: {positions['message']} (§ 627a.2(a))",
        f'violation: royal9.mega.reset = "49999.99": {reset["message"]} (§ 627b.3(f)(2))',
        f"{file}: NOT lawful on 2024-06-01 (2 violations, 0 warnings)",
    ]


def test_a_warning_leaves_the_answer_yes(capsys: Capture) -> None:
    found = answer(capsys, 0, str(ROYAL5), *EXPIRED)
    assert (found["ok"], found["violations"]) == (True, [])
    [warning] = found["warnings"]
    assert list(warning) == ["key", "value", "section", "message"]
    assert (warning["key"], warning["section"]) == ("royal9", "§ 627b.3")
    warned, verdict = told(capsys, 0, str(ROYAL5), *EXPIRED)
    assert warned.startswith("warning: royal9")
    assert verdict == f"{ROYAL5}: lawful on 2025-03-12 (0 violations, 1 warning)"
    assert answer(capsys, 0, str(ROYAL5), "--on", "2025-03-11")["warnings"] == []


def test_a_file_is_judged_by_today_where_no_day_is_given(capsys: Capture) -> None:
    before = datetime.now().astimezone().date()
    verdict = told(capsys, 0, str(ROYAL5))[-1]
    assert any(f": lawful on {day} (" in verdict for day in (before, datetime.now().astimezone().date()))


@pytest.mark.parametrize("day", ["yesterday", "2025-02-30", "2025-3-1", "12.03.2025", "2025-03-12T00:00", ""])
def test_a_day_that_is_none_is_bad_usage(day: str, capsys: Capture) -> None:
    assert "YYYY-MM-DD" in refusal(capsys, str(ROYAL5), "--on", day)


@pytest.mark.parametrize("arguments", [[], [str(ROYAL5), "more"], [str(ROYAL5), "--strict"], [str(ROYAL5), "--on"]])
def test_a_wrong_command_line_is_bad_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["check", *arguments])
    assert stopped.value.code == 2


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_what_cannot_be_read_is_refused(form: list[str], file: Path, capsys: Capture) -> None:
    assert str(file) in refusal(capsys, str(file), *form)  # it does not exist
    assert str(file.parent) in refusal(capsys, str(file.parent), *form)
    for data in (b"\xff\xfe[table]", b"[table\n", b"a = 1\na = 2\n", b"\0"):
        file.write_bytes(data)
        assert str(file) in refusal(capsys, str(file), *form)


def test_a_file_may_be_as_long_as_the_limit_and_no_longer(file: Path, capsys: Capture) -> None:
    text = LAWFUL.encode()
    file.write_bytes(text.ljust(MOST_BYTES, b"\n"))
    assert told(capsys, 0, str(file))
    file.write_bytes(text.ljust(MOST_BYTES + 1, b"\n"))
    assert str(MOST_BYTES) in refusal(capsys, str(file))


@pytest.mark.parametrize("line", ["x = [1979-05-27]", "x = {a = 07:32:00}", '"x\\nviolation" = 1', '"x\\u001b[2J" = 1'])
def test_an_odd_value_or_key_is_one_violation_on_one_line(line: str, file: Path, capsys: Capture) -> None:
    file.write_text(f"{line}\n{LAWFUL}", encoding="utf-8")
    assert len(answer(capsys, 1, str(file), *IN_FORCE)["violations"]) == 1
    lines = told(capsys, 1, str(file), *IN_FORCE)
    assert len(lines) == 2
    assert "\x1b" not in lines[0]


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    "value", [f" = 0x{'f' * 5000}", f" = {'9' * 5000}", f"{'.a' * 2000} = 1"], ids=lambda text: text[:5]
)
def test_a_value_too_large_to_write_is_a_violation_or_refused(value: str, form: list[str], file: Path) -> None:
    file.write_text(f"x{value}\n{LAWFUL}", encoding="utf-8")
    assert main(["check", str(file), *form]) in {1, 2}


def test_violations_are_the_answer_even_when_the_reader_has_left(file: Path) -> None:
    file.write_text(UNLAWFUL, encoding="utf-8")
    reader, writer = os.pipe()
    os.close(reader)
    assert ended(str(file), stdout=writer) == (1, b"")
    os.close(writer)


def test_the_answer_does_not_depend_on_what_the_terminal_can_write() -> None:
    assert ended(str(ROYAL5), *EXPIRED, stdout=subprocess.DEVNULL, PYTHONIOENCODING="ascii") == (0, b"")


def test_a_byte_order_mark_is_some_editors_habit(file: Path, capsys: Capture) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + LAWFUL.encode())
    assert told(capsys, 0, str(file))
