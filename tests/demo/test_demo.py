"""`jackpotd demo`, whole: a process as anybody starts it, with its broker, controllers, twins and people."""

import asyncio
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.demo.state import held
from controller.journal.audit.verifying import verify
from controller.journal.reading import open_readonly
from tests.cli.calls import Said, refusal
from tests.demo.processes import children_of, gone, is_alive
from tests.outlets.brokers import Mosquitto, needs_mosquitto
from tests.ports import free_port

LONGEST = 60  # seconds for a demonstration of some rounds, on a machine that does other things too


def command(folder: Path, *more: str) -> list[str]:
    told = ["--state", str(folder), "--seed", "5", "--port", str(free_port())]
    return [sys.executable, "-P", "-m", "controller", "demo", *told, *more]


def demo(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(folder, *more), capture_output=True, text=True, check=False, timeout=LONGEST)


def rounds_of(folder: Path, table: str = "mb-01") -> int:
    """The rounds a journal holds, once it is proven."""
    with open_readonly(folder / table / "journal.db") as journal:
        assert verify(journal).bad is None
        (found,) = journal.db.execute("SELECT count(*) FROM facts WHERE type = 'locked-out'").fetchone()
    return int(found)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A demonstration that plays until it is ended, and has played a round."""
    process = subprocess.Popen(
        command(tmp_path / "s", "--speed", "0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        until = time.monotonic() + LONGEST
        log = tmp_path / "s/mb-01/run.log"
        while not log.exists() or "reopened" not in log.read_text():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.communicate()


def test_so_many_rounds_at_full_speed_and_then_again_on_the_same_state(tmp_path: Path) -> None:
    ended = demo(tmp_path / "s", "--rounds", "3", "--speed", "0")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("DEMONSTRATION")
    assert re.search(r"^3 rounds in .* rounds/s, .* wagers/s", ended.stdout, re.MULTILINE)
    assert re.search(r"^mb-01  Royal 9 Mega +\$55,0[0-9]+\.[0-9]{2}$", ended.stdout, re.MULTILINE)
    assert "journal.db: whole" in ended.stdout
    assert rounds_of(tmp_path / "s") == 3
    again = demo(tmp_path / "s", "--rounds", "2", "--speed", "1000")
    assert again.returncode == 0, again.stderr
    assert "\n2 rounds in " in again.stdout  # only its own
    assert rounds_of(tmp_path / "s") == 5


def test_several_tables_play_each_on_its_own_journal(tmp_path: Path) -> None:
    ended = demo(tmp_path / "s", "--rounds", "2", "--speed", "0", "--tables", "2")
    assert ended.returncode == 0, ended.stderr
    assert [rounds_of(tmp_path / "s", table) for table in ("mb-01", "mb-02")] == [2, 2]
    assert ended.stdout.count("journal.db: whole") == 2


@needs_mosquitto
def test_with_a_broker_of_ones_own(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    asyncio.run(broker.start())
    try:
        ended = demo(tmp_path / "s", "--rounds", "2", "--speed", "0", "--broker", f"127.0.0.1:{broker.port}")
        anew = demo(tmp_path / "t", "--rounds", "1", "--speed", "0", "--broker", f"127.0.0.1:{broker.port}")
    finally:
        broker.close()
    assert ended.returncode == 0, ended.stderr
    assert anew.returncode == 0, anew.stderr  # a new folder is no disk that was set back
    assert f"broker 127.0.0.1:{broker.port}" in ended.stdout
    assert rounds_of(tmp_path / "s") == 2
    assert not (tmp_path / "s/broker.log").exists()


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_midway_with_a_summary_and_leaves_no_child(
    running: subprocess.Popen[str], tmp_path: Path, which: signal.Signals
) -> None:
    children = children_of(running.pid)
    assert len(children) == 3  # broker, controller and console
    running.send_signal(which)
    said, _ = running.communicate(timeout=LONGEST)
    assert running.returncode == 0
    assert "rounds in" in said
    assert "journal.db: whole" in said
    assert not any(map(is_alive, children))
    assert rounds_of(tmp_path / "s") >= 1
    assert '"event":"stopped"' in (tmp_path / "s/mb-01/run.log").read_text()


def test_killed_it_leaves_no_child_and_a_journal_that_is_whole(running: subprocess.Popen[str], tmp_path: Path) -> None:
    children = children_of(running.pid)
    assert len(children) == 3
    running.kill()
    running.wait()
    assert all(map(gone, children))
    assert rounds_of(tmp_path / "s") >= 1


def test_a_controller_that_dies_ends_it_with_its_last_words(running: subprocess.Popen[str], tmp_path: Path) -> None:
    children = children_of(running.pid)
    (controller,) = [pid for pid in children if b"\0run\0" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(controller, signal.SIGKILL)
    said, complaint = running.communicate(timeout=LONGEST)
    assert running.returncode == 1
    assert "journal.db: whole" in said
    assert "the controller of mb-01 ended by itself, signal SIGKILL" in complaint
    assert '"event":"reopened"' in complaint
    assert not any(map(is_alive, children))
    assert rounds_of(tmp_path / "s") >= 1


def test_a_reader_that_leaves_ends_it(tmp_path: Path) -> None:
    process = subprocess.Popen(command(tmp_path / "s", "--speed", "0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"DEMONSTRATION")
    process.stdout.close()  # as `head -1` does; the next line is about a hit, or about how it goes
    assert process.wait(timeout=LONGEST) == 0
    process.communicate()


def test_on_a_terminal_it_draws_and_leaves_it_as_it_was(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", "PYTHONIOENCODING": "utf-8"}
    arguments = command(tmp_path / "s", "--rounds", "3", "--speed", "100")
    with subprocess.Popen(arguments, stdin=slave, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        drawn = b""
        until = time.monotonic() + LONGEST
        while time.monotonic() < until:
            if not select.select([master], [], [], 0.2)[0]:
                continue
            try:
                drawn += os.read(master, 65536)
            except OSError:  # the other end is closed
                break
        assert process.wait(timeout=LONGEST) == 0
    os.close(master)
    screen, _, after = drawn.decode().rpartition("\x1b[?1049l")  # back from the alternate screen
    assert "\x1b[?1049h" in screen
    assert "DEMONSTRATION" in screen
    assert "Royal 9 Mega" in screen
    assert "http://127.0.0.1:" in screen
    assert "3 rounds in" in after
    assert "journal.db: whole" in after


def test_a_second_one_on_the_same_state_is_refused(tmp_path: Path, capsys: Said) -> None:
    with held(tmp_path / "s"):
        assert "runs in" in refusal(capsys, "demo", "--state", str(tmp_path / "s"))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--speed", "-1"), "--speed -1"),
        (("--speed", "0.01"), "--speed 0.01"),
        (("--rounds", "0"), "--rounds 0"),
        (("--rounds", "10000001"), "--rounds 10000001"),
        (("--tables", "0"), "--tables 0"),
        (("--tables", "9"), "--tables 9"),
        (("--port", "0"), "--port 0"),
        (("--port", "65536"), "--port 65536"),
        (("--broker", "localhost"), "--broker"),
        (("--broker", "localhost:0"), "--broker"),
        (("--broker", ":1883"), "--broker"),
    ],
)
def test_what_cannot_be_played_is_refused_by_name(
    tmp_path: Path, capsys: Said, arguments: tuple[str, ...], named: str
) -> None:
    assert named in refusal(capsys, "demo", "--state", str(tmp_path / "s"), *arguments)
    assert not (tmp_path / "s").exists()


def test_a_broker_that_is_not_there_is_told(tmp_path: Path, capsys: Said) -> None:
    address = f"127.0.0.1:{free_port()}"
    port = ("--port", str(free_port()))
    assert address in refusal(capsys, "demo", "--state", str(tmp_path / "s"), "--broker", address, *port)


def test_a_port_that_is_taken_is_told_before_anything_starts(tmp_path: Path, capsys: Said) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert f"--port {port}" in refusal(capsys, "demo", "--state", str(tmp_path / "s"), "--port", port)
    assert not (tmp_path / "s/broker.log").exists()


def test_its_console_is_where_it_says_and_shows_every_table(tmp_path: Path) -> None:
    with subprocess.Popen(
        command(tmp_path / "s", "--tables", "2"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            (address,) = re.findall(r"open (http://127\.0\.0\.1:[0-9]+)", process.stdout.readline())
            log = tmp_path / "s/console.log"
            until = time.monotonic() + LONGEST
            while "broker-connected" not in log.read_text():
                assert process.poll() is None
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.05)
            with urllib.request.urlopen(address, timeout=LONGEST) as page:  # noqa: S310 -- the address it has just told
                assert page.url == f"{address}/table"
                shown = page.read().decode()
            assert "demonstration/mb-01" in shown
            assert "demonstration/mb-02" in shown
        finally:
            process.terminate()
            process.communicate(timeout=LONGEST)
    assert process.returncode == 0
    assert '"event":"stopping"' in log.read_text()
