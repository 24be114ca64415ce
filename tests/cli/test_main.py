"""`jackpotd` itself: its commands, its version, and how little it loads before it knows what is wanted."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.calls import Said, call, refusal

ROOT = Path(__file__).parents[2]
COMMANDS = ("check", "odds", "settle")


def test_help_lists_every_command(capsys: Said) -> None:
    assert call("--help") == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("    ")]
    assert set(COMMANDS) <= set(listed)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: Said) -> None:
    assert call(command, "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: jackpotd {command}")


@pytest.mark.parametrize("arguments", [["--help"], ["settle", "--help"], ["odds", "--help"], ["--version"], ["nope"]])
def test_no_rule_is_loaded_before_a_command_is_known(arguments: list[str]) -> None:
    code = (
        "import atexit, sys; from controller.cli.main import main;"
        "atexit.register(lambda: print(*(n for n in sys.modules if n.startswith('controller.')), file=sys.stderr));"
        "main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    loaded = set(done.stderr.splitlines()[-1].split())
    assert loaded <= {"controller.cli", "controller.cli.main", "controller.rules", "controller.rules.errors"}
    assert "controller.cli.main" in loaded


@pytest.mark.parametrize("arguments", [[], ["nope"], ["sett"], ["--nope"], ["settle", "--nope"], ["--json", "odds"]])
def test_no_command_or_an_unknown_one_is_bad_usage(arguments: list[str], capsys: Said) -> None:
    assert refusal(capsys, *arguments).startswith("usage: jackpotd")


def test_the_version_is_the_package_s(capsys: Said) -> None:
    assert call("--version") == 0
    assert capsys.readouterr().out == f"jackpotd {version('jackpotd')}\n"


@pytest.mark.parametrize("arguments", ["odds player", "settle tie --amount 5 --player KH --banker KH", "odds nope"])
def test_a_closed_output_is_no_traceback_and_never_a_no(arguments: str) -> None:
    command = f"exec {sys.executable} -m controller {arguments} >&-"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 2)
