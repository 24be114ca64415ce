"""The settings of the service: what is taken, and what is refused by its key."""

import tomllib
from pathlib import Path

import pytest

from controller.rules.errors import BadInputError
from controller.settings import (
    MOST_BYTES,
    ButtonSettings,
    JournalSettings,
    Settings,
    SettingsError,
    SoftwareSettings,
    read,
    settings,
)
from controller.wire.broker import MqttSettings
from drivers.modbus_settings import ModbusSettings
from tests.core.play import MINI

WHOLE = """
[devices.coins]
1 = "5.00"
16 = "1"

[devices.rail]
driver = "modbus"
port = "/dev/serial/by-id/usb-1"
boards = [{ id = "left", address = 1, inputs = [{ at = 0, position = 1, wager = "royal9" }] }]

[button]
maintained = true
reopen_after_ms = 0
pulled_ms = 60000

[mqtt]
host = "broker.example"
tls = true
ca = "/etc/jackpotd/ca.pem"
user = "controller"
grace_s = 0

[journal]
path = "table.db"

[software]
digest = "0000000000000000000000000000000000000000000000000000000000000000"
"""


def refused(text: str) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        settings(tomllib.loads(text))
    return caught.value


def test_a_file_without_settings_has_the_usual_ones() -> None:
    found = settings(tomllib.loads(MINI))
    assert found == Settings()
    assert found.mqtt.address() == ("127.0.0.1", 1883)
    assert (found.button.reopen_after_ms, found.button.pulled_ms, found.mqtt.grace_s) == (3000, 3000, 60)


def test_every_setting_is_read() -> None:
    found = settings(tomllib.loads(WHOLE))
    assert found.coins == {1: 500, 16: 100}
    assert isinstance(found.lines["rail"], ModbusSettings)
    assert found.button == ButtonSettings(maintained=True, reopen_after_ms=0, pulled_ms=60_000)
    assert found.mqtt == MqttSettings(
        host="broker.example", tls=True, ca="/etc/jackpotd/ca.pem", user="controller", grace_s=0
    )
    assert found.mqtt.address() == ("broker.example", 8883)
    assert found.journal == JournalSettings(path="table.db")
    assert found.software == SoftwareSettings(digest="0" * 64)


@pytest.mark.parametrize(
    ("text", "key", "why"),
    [
        ("button = 3", "button", "write it as a table"),
        ("[button]\nreopen_after_ms = -1", "button.reopen_after_ms", ">= 0"),
        ("[button]\nreopen_after_ms = 60001", "button.reopen_after_ms", "<= 60000"),
        ("[button]\ncolour = 1", "button", "unknown field `colour`"),
        ("[mqtt]\nport = 0", "mqtt.port", ">= 1"),
        ("[mqtt]\nport = 65536", "mqtt.port", "<= 65535"),
        ("[mqtt]\ngrace_s = 3601", "mqtt.grace_s", "<= 3600"),
        ("[mqtt]\nhost = '10.0.0.5'", "mqtt", "10.0.0.5 is not this machine"),
        ("[mqtt]\nhost = 'broker'", "mqtt", "set tls = true, or allow_plain_text_over_the_network = true"),
        ("[mqtt]\nca = 'x'", "mqtt", "certificates are for TLS"),
        ("[mqtt]\ntls = true\nkey = 'x'", "mqtt", "certificate and key go together"),
        ("[journal]\nwarn_free_mb = 0", "journal.warn_free_mb", ">= 1"),
        ("[software]\ndigest = 'abc'", "software.digest", "regex"),
        ("[devices.rail]\ndriver = 'x'", "devices.rail.driver", "'x': there are modbus"),
        ("[devices]\ncoins = 5", "devices.coins", "write what each coin is worth"),
        ("[devices.coins]\n0 = '5.00'", "devices.coins.0", "from 1 to 16"),
        ("[devices.coins]\n17 = '5.00'", "devices.coins.17", "from 1 to 16"),
        ("[devices.coins]\none = '5.00'", "devices.coins.one", "from 1 to 16"),
        ("[devices.coins]\n1 = 5.00", "devices.coins.1", 'write it like "5.00"'),
        ("[devices.coins]\n1 = 'five'", "devices.coins.1", "'five' is no amount"),
    ],
)
def test_what_the_service_cannot_run_with_is_refused_by_its_key(text: str, key: str, why: str) -> None:
    error = refused(text)
    assert error.key == key
    assert why in error.why


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_plain_text_stays_on_this_machine(host: str) -> None:
    assert settings({"mqtt": {"host": host}}).mqtt.host == host
    allowed = settings({"mqtt": {"host": "10.0.0.5", "allow_plain_text_over_the_network": True}})
    assert allowed.mqtt.address() == ("10.0.0.5", 1883)


def test_settings_may_stand_in_a_file_beside(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(MINI)
    assert read(path) == Settings()
    (tmp_path / "table.service.toml").write_text("[button]\nmaintained = true\n")
    assert read(path).button.maintained
    path.write_text(MINI + "\n[journal]\npath = 'here.db'\n")
    assert (read(path).button.maintained, read(path).journal.path) == (True, "here.db")


def test_each_table_of_settings_stands_in_one_file(tmp_path: Path) -> None:
    path, beside = tmp_path / "table.toml", tmp_path / "table.service.toml"
    path.write_text(MINI + "\n[button]\nmaintained = true\n")
    beside.write_text("[button]\nmaintained = true\n")
    with pytest.raises(SettingsError, match=r"button: stands in table\.toml and in table\.service\.toml"):
        read(path)
    beside.write_text("[awards]\nlate_hands = 5\n")
    with pytest.raises(SettingsError, match=r"awards: is no setting of the service: it belongs into table\.toml"):
        read(path)


def test_a_file_that_is_no_configuration_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("][")
    with pytest.raises(BadInputError, match="is not TOML"):
        read(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match="is not TOML"):
        read(path)
    path.write_text("#" + " " * (MOST_BYTES - 1))
    assert read(path) == Settings()
    path.write_text("#" + " " * MOST_BYTES)
    with pytest.raises(BadInputError, match="is longer than"):
        read(path)
