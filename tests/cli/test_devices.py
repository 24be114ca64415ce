"""`jackpotd devices`: against simulated devices that the same command leaves running."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

JACKPOTD = [sys.executable, "-m", "controller"]
PATIENT = "reply_ms = 1000\nstale_ms = 60000\n"
PATIENCE = 60.0  # seconds until a test gives up: far beyond what a busy machine needs


def jackpotd(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*JACKPOTD, *arguments], capture_output=True, text=True, timeout=60, check=False)


def jackpotd_until(expected: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same, again until it says this: a probe asks once, and a device that waits for a core comes too late."""
    give_up = time.monotonic() + PATIENCE
    while True:
        told = jackpotd(*arguments)
        if expected in told.stdout or time.monotonic() > give_up:
            return told


class Device:
    """A simulated device: what it said at first, and a way to talk to it."""

    def __init__(self, running: subprocess.Popen[str], path: Path) -> None:
        self._running = running
        self.path = path
        self.said = self.until("Words it obeys")
        self.config = path.with_suffix(".toml")
        settings = "".join(line for line in self.said[2:] if not line.startswith("Words"))
        if 'driver = "modbus"' in settings or 'driver = "cctalk"' in settings:
            # The device is a process of its own: where the machine lets it wait, it must not be taken for lost.
            settings = settings.replace("[devices.bench]\n", f"[devices.bench]\n{PATIENT}", 1)
        self.config.write_text(settings)

    def until(self, text: str) -> list[str]:
        assert self._running.stdout is not None
        said: list[str] = []
        while not said or text not in said[-1]:
            line = self._running.stdout.readline()
            assert line, f"it ended, and never said {text!r}: {said}"
            said.append(line)
        return said

    def say(self, words: str) -> None:
        assert self._running.stdin is not None
        self._running.stdin.write(words + "\n")
        self._running.stdin.flush()


@contextmanager
def simulated(tmp_path: Path, driver: str, *options: str) -> Iterator[Device]:
    path = tmp_path / driver
    command = [*JACKPOTD, "devices", "simulate", driver, "--path", str(path), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as running:
        try:
            yield Device(running, path)
        finally:
            running.terminate()


@contextmanager
def watched(device: Device) -> Iterator["Watch"]:
    command = [*JACKPOTD, "devices", "watch", "--config", str(device.config), "--json", "--coins"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield Watch(running)
        finally:
            running.terminate()


class Watch:
    def __init__(self, running: subprocess.Popen[str]) -> None:
        self._running = running

    def until(self, event: str, **parts: object) -> list[dict[str, object]]:
        assert self._running.stdout is not None
        seen: list[dict[str, object]] = []
        while not seen or not ({"event": event} | parts).items() <= seen[-1].items():
            line = self._running.stdout.readline()
            assert line, f"it ended: {seen}"
            seen.append(json.loads(line))
        return seen


@pytest.mark.parametrize(
    ("driver", "answer"),
    [
        ("modbus", "modbus: address 1 at 9600 baud: a board with inputs"),
        ("cctalk", "cctalk: address 2, simple checksum: Coin Acceptor"),
    ],
)
def test_a_port_is_listed_with_what_answers_there(tmp_path: Path, driver: str, answer: str) -> None:
    with simulated(tmp_path, driver) as device:
        told = jackpotd_until(answer, "devices", "--port", str(device.path), "--json")
        assert told.returncode == 0
        (port,) = json.loads(told.stdout)["ports"]
        assert [each for each in port["answers"] if each.startswith(answer)], port
        table = jackpotd_until(answer, "devices", "--port", str(device.path))
        assert answer in table.stdout
        assert table.stdout.startswith("PORT")
        silent = jackpotd("devices", "--port", str(device.path), "--no-probe")
        assert answer not in silent.stdout


def test_a_port_that_is_in_use_or_not_there_is_told_so(tmp_path: Path) -> None:
    with simulated(tmp_path, "modbus") as device, watched(device) as watch:
        watch.until("online")
        told = jackpotd("devices", "--port", str(device.path), "--port", str(tmp_path / "none"))
        assert "another program has it open" in told.stdout
        assert "no such device" in told.stdout


def test_a_board_is_watched_as_it_changes(tmp_path: Path) -> None:
    with simulated(tmp_path, "modbus") as device, watched(device) as watch:
        assert len(watch.until("button", pressed=False)) == 11  # online, nine chips, the button
        device.say("on 4")
        watch.until("present", position=5, wager="royal9", device="bench")
        device.until("lamps ....#")  # a lamp shines where a chip lies
        device.say("pulse")
        device.until("say one of on, off")
        device.say("unplug")
        watch.until("lost")
        device.say("off 4")
        device.say("plug")
        watch.until("absent", position=5)


def test_coins_and_cards_are_watched(tmp_path: Path) -> None:
    with simulated(tmp_path, "cctalk") as device, watched(device) as watch:
        watch.until("online")
        for _ in range(100):  # it takes coins from the moment the driver lets it
            device.say("coin 1")
            if "taken" in device.until("coin 1")[-1]:
                break
            time.sleep(0.2)  # as a player tries again: it counts the refused ones too, and keeps only five
        assert watch.until("dropped")[-1]["coin"] == 1
    with simulated(tmp_path, "text-shoe") as device, watched(device) as watch:
        watch.until("online")
        device.say("deal")
        assert [event["event"] for event in watch.until("game", what="ended")].count("card") >= 4


def test_a_look_at_a_table_ends_after_the_time_asked_for(tmp_path: Path) -> None:
    with simulated(tmp_path, "modbus") as device:
        device.say("on 4")
        # In so short a look a busy machine may not have asked the board yet.
        told = jackpotd_until("button up", "devices", "watch", "--config", str(device.config), "--seconds", "3")
        assert told.returncode == 0
        for expected in ("bench", "online", "5 royal9 chip accepted", "9 royal9 - off", "button up", "frames"):
            assert expected in told.stdout


@pytest.mark.parametrize("driver", ["modbus", "cctalk", "angel-eye", "text-shoe"])
def test_every_driver_can_be_simulated_and_its_settings_are_taken(tmp_path: Path, driver: str) -> None:
    with simulated(tmp_path, driver, "--play") as device, watched(device) as watch:
        assert device.config.read_text().startswith("[devices.bench]")
        watch.until("online")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[table]\n", "devices: there are none"),
        ("[devices]\n", "devices: there are none"),
        ("devices = 1\n", "devices: write it as a table"),
        ("[devices.rail]\ndriver = 'x'\n", "devices.rail.driver: 'x': there are modbus"),
        ("[devices.rail]\ndriver = 'modbus'\n", "devices.rail: Object missing required field `port`"),
        ("][", "is not TOML"),
        ("# " + "x" * 1024 * 1024, "it is no configuration"),
    ],
)
def test_a_configuration_that_cannot_be_watched_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(text)
    told = jackpotd("devices", "watch", "--config", str(path))
    assert told.returncode == 2
    assert why in told.stderr


def test_what_cannot_be_simulated_is_refused(tmp_path: Path) -> None:
    told = jackpotd("devices", "simulate", "toaster")
    assert (told.returncode, "there are modbus, cctalk" in told.stderr) == (2, True)
    there = tmp_path / "file"
    there.write_text("")
    told = jackpotd("devices", "simulate", "modbus", "--path", str(there))
    assert (told.returncode, "is there already" in told.stderr) == (2, True)
    assert there.read_text() == ""
    link = tmp_path / "link"
    link.symlink_to("/dev/null")
    told = jackpotd("devices", "simulate", "modbus", "--path", str(link))
    assert (told.returncode, link.is_symlink()) == (2, True)


@pytest.mark.parametrize("driver", ["modbus", "cctalk"])
def test_after_a_look_every_lamp_is_off_and_every_slot_shut(tmp_path: Path, driver: str) -> None:
    with simulated(tmp_path, driver) as device:
        with watched(device) as watch:
            watch.until("online")
            if driver == "modbus":
                device.say("on 0")
                device.until("lamps #")
        if driver == "modbus":
            device.until("lamps ....")
        else:
            device.say("coin 1")
            assert "refused" in device.until("coin 1")[-1]


def test_a_file_that_is_not_there_is_named() -> None:
    told = jackpotd("devices", "watch", "--config", "no/such/file.toml")
    assert (told.returncode, "no/such/file.toml" in told.stderr) == (2, True)
