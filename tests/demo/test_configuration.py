"""The table of a demonstration: the example's, lawful, and wired so that every wager has its sensor and its lamp."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from controller import settings
from controller.demo.configuration import (
    BUTTON_AT,
    BUTTON_BOARD,
    POSITIONS,
    SUBMISSION,
    WAGERS,
    configuration,
    place_at,
)
from controller.demo.pace import Pace
from controller.demo.rights import CONTROLLER, SITE
from controller.rules.lawful import check
from controller.wire.broker import MqttSettings
from drivers.modbus_settings import ModbusSettings

ROOT = Path(__file__).parents[2]
BROKER = MqttSettings(port=1883, user=CONTROLLER)


def test_the_submission_is_the_example_with_names_of_its_own() -> None:
    example = tomllib.loads((ROOT / "config/minibaccarat-royal9-5.toml").read_text())
    ours = tomllib.loads(SUBMISSION.format(site=SITE, table="mb-01"))
    assert (ours["table"]["site"], ours["table"]["id"]) == (SITE, "mb-01")
    ours["table"] |= {name: example["table"][name] for name in ("site", "id")}
    assert ours == example


@pytest.mark.parametrize("speed", [0, 0.1, 1, 10, 1000])
def test_the_configuration_is_lawful_and_the_service_can_run_with_it(tmp_path: Path, speed: float) -> None:
    folder = tmp_path / 'a "strange" \\ folder, ü'
    folder.mkdir()
    path = folder / "table.toml"
    path.write_text(configuration("mb-02", folder, Pace(speed), BROKER, {"console": {"port": 8080}}))
    assert not check(path.read_text(), date(2026, 11, 16)).violations
    found = settings.read(path)
    rail = found.lines["rail"]
    assert isinstance(rail, ModbusSettings)
    assert (rail.poll_ms, rail.debounce_ms) == (Pace(speed).line()["poll_ms"], Pace(speed).line()["debounce_ms"])
    assert rail.port == str(folder / "rail")
    assert found.button.reopen_after_ms == Pace(speed).button()["reopen_after_ms"]
    assert found.mqtt.address() == ("127.0.0.1", 1883)
    assert found.mqtt.user == CONTROLLER
    assert Path(found.journal.path) == folder / "journal.db"
    assert found.software.allow_unsigned
    assert found.software.demonstration


def test_every_wager_has_a_sensor_and_a_lamp_where_the_twins_have_them(tmp_path: Path) -> None:
    tables = tomllib.loads(configuration("mb-01", tmp_path, Pace(10), BROKER))
    boards = {board["id"]: board for board in tables["devices"]["rail"]["boards"]}
    for position in range(1, POSITIONS + 1):
        for wager in WAGERS:
            board, at = place_at(position, wager)
            wired = {"at": at, "position": position, "wager": wager}
            assert wired in boards[board]["inputs"]
            assert wired in boards[board]["lamps"]
    assert {"at": BUTTON_AT, "button": True} in boards[BUTTON_BOARD]["inputs"]
    assert "console" not in tables
    with pytest.raises(LookupError, match="position 10"):
        place_at(POSITIONS + 1, "royal9")


def test_a_broker_elsewhere_is_used_in_plain_text_only_because_that_is_said(tmp_path: Path) -> None:
    broker = MqttSettings(host="broker.example", port=1884, allow_plain_text_over_the_network=True)
    path = tmp_path / "table.toml"
    path.write_text(configuration("mb-01", tmp_path, Pace(10), broker))
    found = settings.read(path).mqtt
    assert (found.address(), found.user) == (("broker.example", 1884), "")
