"""Children of a demonstration: they die with it, and one that dies by itself has its last words heard."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.demo.children import LAST_LINES, Child, ChildEndedError
from tests.demo.processes import gone, is_alive

SLEEPS = "import time; print('here', flush=True); time.sleep(600)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); time.sleep(600)"
)
PARENT = f"""
import asyncio, sys
from pathlib import Path
from controller.demo.children import Child

async def main():
    child = await Child.start("a child", [sys.executable, "-c", {SLEEPS!r}], Path(sys.argv[1]), {{}})
    print(child.process.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def written(log: Path) -> None:
    async with asyncio.timeout(20):
        while b"here" not in log.read_bytes():  # noqa: ASYNC240 -- a line in a small file
            await asyncio.sleep(0.02)


def test_a_child_dies_when_its_parent_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
        parent.wait()
        assert gone(child)


@pytest.mark.parametrize(("program", "ended_by"), [(SLEEPS, signal.SIGTERM), (STUBBORN, signal.SIGKILL)])
def test_a_child_is_asked_to_end_and_then_made_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, ended_by: signal.Signals
) -> None:
    monkeypatch.setattr("controller.demo.children.STOP_SECONDS", 1.0 if program is STUBBORN else 20.0)

    async def main() -> int | None:
        child = await Child.start("a child", [sys.executable, "-c", program], tmp_path / "log", {})
        await written(child.log)
        await child.stop()
        await child.stop()  # twice is once
        return child.process.returncode

    assert asyncio.run(main()) == -ended_by


def test_a_child_that_ends_by_itself_is_told_with_its_last_lines(tmp_path: Path) -> None:
    program = f"import sys; [print(f'line {{n}}.', file=sys.stderr) for n in range({LAST_LINES + 5})]; sys.exit(3)"

    async def main() -> None:
        child = await Child.start("the oracle", [sys.executable, "-c", program], tmp_path / "log", {})
        await child.ended()

    with pytest.raises(ChildEndedError) as told:
        asyncio.run(main())
    said = str(told.value)
    assert "the oracle ended by itself, exit code 3" in said
    assert str(tmp_path / "log") in said
    assert [f"line {number}." in said for number in (4, 5, LAST_LINES + 4)] == [False, True, True]


def test_what_a_service_manager_said_is_not_for_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", "/run/notify")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/credentials")
    program = "import os; print('here', os.environ.get('NOTIFY_SOCKET'), os.environ['CREDENTIALS_DIRECTORY'])"

    async def main() -> str:
        more = {"CREDENTIALS_DIRECTORY": "theirs"}
        child = await Child.start("a child", [sys.executable, "-c", program], tmp_path / "log", more)
        await child.process.wait()
        return child.log.read_text()

    assert asyncio.run(main()) == "here None theirs\n"
    assert os.environ["CREDENTIALS_DIRECTORY"] == "/run/credentials"
