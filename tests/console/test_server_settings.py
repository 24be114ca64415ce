"""What a console is told, and what it refuses to run with, by name."""

import tomllib
from pathlib import Path

import pytest

from controller.console.settings import (
    MOST_BYTES,
    MOST_PASSWORD_BYTES,
    MOST_TABLES,
    SettingsError,
    password,
    read,
    settings,
)
from controller.rules.errors import BadInputError
from tests.cli.calls import Said, refusal

TABLE = '[table]\nsite = "valley-forge"\nid = "mb-07"\ntimezone = "America/New_York"\n'
OWN = '[console]\ntables = ["valley-forge/mb-07"]\n'


def test_a_tables_own_file_names_the_table_and_the_console_has_a_user_of_its_own() -> None:
    found = settings(tomllib.loads(f'{TABLE}[mqtt]\nuser = "controller"\n'))
    assert found.tables == ("valley-forge/mb-07",)
    assert (found.mqtt.user, found.client, found.timezone) == ("console", "console", "America/New_York")
    public = settings(tomllib.loads(f'{TABLE}[mqtt]\nuser = "controller"\n[console]\npublic = true\n'))
    assert public.client == "public"
    named = settings(tomllib.loads(f'{TABLE}[mqtt]\nuser = "controller"\n[console]\nuser = "console-2"\n'))
    assert named.client == "console-2"
    nobody = settings(tomllib.loads(TABLE))  # a broker without users
    assert (nobody.mqtt.user, nobody.client) == ("", "console")


def test_a_file_of_its_own_has_its_own_user_and_tables() -> None:
    found = settings(
        tomllib.loads(f'{OWN}timezone = "Asia/Macau"\n[mqtt]\nuser = "pit-3"\n[signage]\ntheme = "jade"\n')
    )
    assert (found.client, found.timezone, found.signage.theme) == ("pit-3", "Asia/Macau", "jade")
    assert found.signage.hit_seconds == 30
    assert (found.console.host, found.console.port) == ("127.0.0.1", 8080)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "console.tables"),
        ('[console]\ntables = ["mb-07"]\n', "console.tables"),
        ('[console]\ntables = ["a/b/c"]\n', "console.tables"),
        ('[console]\ntables = ["a/+"]\n', "console.tables"),
        ('[console]\ntables = ["a/b", "a/b"]\n', "console.tables"),
        (f"[console]\ntables = {[f'a/{number}' for number in range(MOST_TABLES + 1)]}\n", "console.tables"),
        (f"{OWN}port = 0\n", "console.port"),
        (f"{OWN}port = 65536\n", "console.port"),
        (f"{OWN}colour = 1\n", "console"),
        (f'{OWN}host = "0.0.0.0"\n', "console.host"),
        (f'{OWN}host = "10.1.2.3"\n', "console.host"),
        (f'{OWN}host = "table-7.pit"\n', "console.host"),
        (f'{OWN}certificate = "c"\n', "console.certificate"),
        (f'{OWN}key = "k"\n', "console.certificate"),
        (f'{OWN}certificate = "c"\nkey = "k"\nbehind_proxy = true\n', "console.behind_proxy"),
        (f'{OWN}user = "x"\n', "console.user"),
        (f"{OWN}[signage]\nhit_seconds = 31\n", "signage.hit_seconds"),
        (f"{OWN}[signage]\nhit_seconds = 0\n", "signage.hit_seconds"),
        (f'{OWN}[signage]\ntheme = "pink"\n', "signage.theme"),
        (f'{OWN}[mqtt]\nhost = "broker.example"\n', "mqtt"),
        (f"{OWN}[journal]\n", "journal"),
        ("table = 5\n", "table"),
        ("[table]\n", "table"),
        (f'{TABLE}[mqtt]\ntls = true\ncertificate = "c"\nkey = "k"\n', "mqtt.certificate"),
    ],
)
def test_what_cannot_be_run_with_is_refused_by_its_key(text: str, key: str) -> None:
    with pytest.raises(SettingsError) as refused:
        settings(tomllib.loads(text))
    assert refused.value.key == key


@pytest.mark.parametrize(
    "more",
    [
        'host = "::1"\n',
        'host = "localhost"\n',
        'host = "0.0.0.0"\nbehind_proxy = true\n',
        'host = "0.0.0.0"\ncertificate = "c"\nkey = "k"\n',
        "port = 65535\n",
        "port = 1\n",
    ],
)
def test_what_can_be_is_not(more: str) -> None:
    settings(tomllib.loads(OWN + more + "[signage]\nhit_seconds = 1\n"))


def test_a_floor_of_tables_fits() -> None:
    names = [f"a/{number}" for number in range(MOST_TABLES)]
    assert len(settings({"console": {"tables": names}}).tables) == MOST_TABLES


def test_settings_may_stand_beside_a_tables_file_but_not_in_both(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(TABLE)
    (tmp_path / "table.service.toml").write_text("[console]\nport = 9000\n")
    assert read(path).console.port == 9000
    path.write_text(f"{TABLE}[console]\n")
    with pytest.raises(SettingsError, match=r"console: stands in table.toml and in table.service.toml"):
        read(path)


def test_what_is_no_toml_or_far_too_long_is_told(tmp_path: Path) -> None:
    path = tmp_path / "console.toml"
    path.write_text("[console")
    with pytest.raises(BadInputError, match="is not TOML"):
        read(path)
    path.write_text(OWN + "#" * (MOST_BYTES - len(OWN)))
    read(path)
    path.write_text(OWN + "#" * (MOST_BYTES - len(OWN) + 1))
    with pytest.raises(BadInputError, match="is longer than"):
        read(path)


def test_a_password_is_one_line_of_the_credentials(tmp_path: Path) -> None:
    mqtt = settings(tomllib.loads(f'{OWN}[mqtt]\nuser = "console"\n')).mqtt
    where = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    with pytest.raises(BadInputError, match="CREDENTIALS_DIRECTORY"):
        password({}, mqtt)
    with pytest.raises(BadInputError, match="cannot be read"):
        password(where, mqtt)
    for content, good in {
        "secret\n": "secret",
        "x" * MOST_PASSWORD_BYTES: "x" * MOST_PASSWORD_BYTES,
        "x" * (MOST_PASSWORD_BYTES + 1): "",
        "": "",
        "a\nb": "",
    }.items():
        (tmp_path / "mqtt-password").write_text(content)
        if good:
            assert password(where, mqtt) == good
        else:
            with pytest.raises(BadInputError, match="holds no password"):
                password(where, mqtt)
    assert password({}, settings(tomllib.loads(OWN)).mqtt) is None


def test_the_command_refuses_an_open_door_and_says_how_to_shut_it(tmp_path: Path, capsys: Said) -> None:
    path = tmp_path / "console.toml"
    path.write_text(f'{OWN}host = "0.0.0.0"\n')
    said = refusal(capsys, "console", "--config", str(path))
    assert "console.host" in said
    assert "behind_proxy" in said
    path.write_text(f'{OWN}certificate = "{tmp_path}/c"\nkey = "{tmp_path}/k"\n')
    assert "console.certificate" in refusal(capsys, "console", "--config", str(path))
    assert "missing.toml" in refusal(capsys, "console", "--config", str(tmp_path / "missing.toml"))
