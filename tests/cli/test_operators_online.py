"""`jackpotd operators` while the controller runs: over a real broker, for a supervisor who signs in."""

import asyncio
import io
import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.wire.broker import MqttSettings
from tests.cli.calls import Said, call, refusal
from tests.commands.desks import PIN, Clock, Desk
from tests.core.play import MINI
from tests.outlets.brokers import Mosquitto, needs_mosquitto
from tests.test_asking import answering, of

pytestmark = needs_mosquitto
NEW = "918273"


class Today(Clock):
    """The real time: the command line has no other."""

    def now(self) -> int:
        return time.time_ns() // 1000


class Table(threading.Thread):
    """A broker and a table behind it, in a thread of their own."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.broker = Mosquitto(folder)
        self.ready, self._loop, self._over = threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    def run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        with Desk(self.folder / "journal.db", Today()) as desk:
            await desk.install().staff()
            await self.broker.start()
            async with answering(MqttSettings(port=self.broker.port), of(desk)):
                self.ready.set()
                await self._over.wait()
        self.broker.close()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self.join()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    found = Table(tmp_path_factory.mktemp("online"))
    found.start()
    assert found.ready.wait(30)
    yield found
    found.stop()


class Shell:
    """Someone at a shell, whose PINs come from a file."""

    def __init__(self, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.config, self._patch = config, monkeypatch

    def words(self, action: str, *more: str, pins: tuple[str, ...] = (PIN,)) -> list[str]:
        self._patch.setattr(sys, "stdin", io.StringIO("".join(f"{pin}\n" for pin in pins)))
        return ["operators", action, *more, "--config", str(self.config)]

    def add(self, operator: str, *more: str, by: str = "sue", pins: tuple[str, ...] = (PIN, NEW)) -> list[str]:
        named = ("--name", "Eve Sand", "--role", "dealer", "--by", by)
        return self.words("add", operator, *named, *more, pins=pins)


@pytest.fixture
def shell(table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    config = tmp_path / "table.toml"
    config.write_text(f"{MINI}\n[mqtt]\nport = {table.broker.port}\n")
    return Shell(config, monkeypatch)


def listed(shell: Shell, capsys: Said) -> dict[str, dict[str, object]]:
    capsys.readouterr()
    assert call(*shell.words("list", "--by", "sue", "--json")) == 0
    return {each["operator"]: each for each in json.loads(capsys.readouterr().out)["operators"]}


def test_someone_is_added_listed_and_disabled(shell: Shell, capsys: Said) -> None:
    assert call(*shell.add("eve")) == 0
    assert capsys.readouterr().out == "eve (Eve Sand) may sign in: dealer\n"
    found = listed(shell, capsys)
    assert (found["eve"]["name"], found["eve"]["active"]) == ("Eve Sand", True)
    assert found["eve"]["pin_changed_at"]
    assert call(*shell.words("list", "--by", "sue")) == 0
    assert "eve" in capsys.readouterr().out
    assert call(*shell.words("disable", "eve", "--by", "sue")) == 0
    assert capsys.readouterr().out == "eve (Eve Sand) can sign in no more\n"
    assert listed(shell, capsys)["eve"]["active"] is False


def test_who_may_not_is_told_so(shell: Shell, capsys: Said) -> None:
    assert call(*shell.add("ivo", by="dee")) == 1
    said = capsys.readouterr()
    assert (said.out, "not-allowed: dee is dealer" in said.err) == ("", True)
    assert call(*shell.add("ivo", pins=("000000", NEW))) == 1
    assert "wrong-pin: no operator has this id and this PIN" in capsys.readouterr().err
    assert call(*shell.words("disable", "nobody", "--by", "sue")) == 1
    assert "unknown: there is no operator 'nobody'" in capsys.readouterr().err
    assert "ivo" not in listed(shell, capsys)


def test_bad_input_is_refused_with_the_remedy(shell: Shell, capsys: Said, tmp_path: Path) -> None:
    assert "is no operator's id" in refusal(capsys, *shell.add("EVE"))
    assert "a PIN has 6 to 12 digits" in refusal(capsys, *shell.add("ivo", pins=(PIN, "12")))
    assert "--by ID" in refusal(capsys, *shell.words("list"))
    assert "cannot be read" in refusal(capsys, *shell.add("ivo", "--mqtt-password-file", str(tmp_path / "none")))
    empty = tmp_path / "empty"
    empty.write_text("\n")
    assert "holds no password" in refusal(capsys, *shell.add("ivo", "--mqtt-password-file", str(empty)))
    shell.config = tmp_path / "missing.toml"
    assert "missing.toml" in refusal(capsys, *shell.add("ivo"))


def test_without_a_broker_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said) -> None:
    config = tmp_path / "table.toml"
    config.write_text(f"{MINI}\n[mqtt]\nport = {Mosquitto(tmp_path).port}\n")
    assert call(*Shell(config, monkeypatch).add("eve")) == 1
    assert "the controller cannot be asked: " in capsys.readouterr().err
