"""What a start refuses, with the key, the file and the remedy in so many words."""

from pathlib import Path

import pytest

from controller.core.state import State
from controller.rules.errors import BadInputError
from controller.service.starting import MOST_PASSWORD_BYTES, configuration, credentials, refuse_other_submission
from controller.settings import SettingsError
from tests.core.play import BEGIN, HEAVENLY, MINI, Table

BOARD = """
[devices.rail]
driver = "modbus"
port = "/dev/ttyUSB0"
[[devices.rail.boards]]
id = "left"
address = 1
inputs = [{ at = 0, position = POSITION, wager = "WAGER" }]
"""


def written(tmp_path: Path, toml: str) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(toml)
    return path


def test_a_lawful_configuration_is_read(tmp_path: Path) -> None:
    found = configuration(written(tmp_path, MINI), BEGIN)
    assert (found.site, found.table, found.settings.mode) == ("valley-forge", "mb-07", "live")


def test_an_unlawful_one_is_refused_with_every_violation(tmp_path: Path) -> None:
    wrong = MINI.replace("decks = 8", "decks = 5").replace('seed = "450.00", rate = "4%"', 'seed = "1.00", rate = "4%"')
    with pytest.raises(BadInputError, match=r"(?s)table\.decks.*royal9\.major"):
        configuration(written(tmp_path, wrong), BEGIN)


@pytest.mark.parametrize(
    ("position", "wager", "why"),
    [(9, "royal9", ""), (9, "base", ""), (10, "royal9", "position 10"), (9, "heavenly9", "heavenly9, which is not")],
)
def test_sensors_are_where_something_is_filed(tmp_path: Path, position: int, wager: str, why: str) -> None:
    path = written(tmp_path, MINI + BOARD.replace("POSITION", str(position)).replace("WAGER", wager))
    if not why:
        configuration(path, BEGIN)
        return
    with pytest.raises(SettingsError, match=f"devices.rail.*{why}"):
        configuration(path, BEGIN)


def test_the_submission_in_force_is_the_one_in_the_file(tmp_path: Path) -> None:
    state = Table().state
    refuse_other_submission(state, configuration(written(tmp_path, MINI), BEGIN))
    refuse_other_submission(State(), configuration(written(tmp_path, MINI), BEGIN))
    same = MINI.replace("# A minibaccarat", "# Another comment").replace("decks = 8", "decks  =  8")
    refuse_other_submission(state, configuration(written(tmp_path, same + BOARD.replace("POSITION", "1").replace("WAGER", "base")), BEGIN))  # fmt: skip  # noqa: E501 -- one thought
    other = MINI.replace('rate = "10%"', 'rate = "9%"').replace("late_hands = 3", "late_hands = 4")
    with pytest.raises(SettingsError, match=r"^awards\.late_hands: .*awards\.late_hands, royal9\.mega\.rate"):
        refuse_other_submission(state, configuration(written(tmp_path, other), BEGIN))


def test_a_file_that_says_the_same_otherwise_is_the_same(tmp_path: Path) -> None:
    """A seed is an initial and a reset amount of the same height."""
    other = MINI.replace('major = { seed = "450.00"', 'major = { initial = "450.00", reset = "450.00"')
    assert other != MINI
    refuse_other_submission(Table().state, configuration(written(tmp_path, other), BEGIN))


def test_credentials_are_in_the_folder_systemd_names(tmp_path: Path) -> None:
    configured = configuration(written(tmp_path, MINI + '[mqtt]\nuser = "controller"\n'), BEGIN)
    with pytest.raises(BadInputError, match=r"CREDENTIALS_DIRECTORY is not set.*vault-key"):
        credentials({}, configured)
    for name in ("vault-key", "pin-pepper"):
        (tmp_path / name).touch(0o600)
        (tmp_path / name).write_text("".join(f"{each:02x}" for each in range(32)))
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    with pytest.raises(BadInputError, match="mqtt-password cannot be read"):
        credentials(environ, configured)
    password = tmp_path / "mqtt-password"
    password.touch(0o644)
    with pytest.raises(BadInputError, match="mqtt-password is open to others"):
        credentials(environ, configured)
    password.chmod(0o600)
    for content, fine in [
        ("secret", True),
        ("secret\n", True),
        ("", False),
        ("two\nlines", False),
        ("x" * MOST_PASSWORD_BYTES, True),
        ("x" * (MOST_PASSWORD_BYTES + 1), False),
    ]:
        password.write_text(content)
        if fine:
            found = credentials(environ, configured)
            assert found.password == content.strip()
            assert "secret" not in repr(found)
        else:
            with pytest.raises(BadInputError, match="holds no password"):
                credentials(environ, configured)
    password.write_text("secret")
    assert credentials(environ, configured).old_pepper is None
    former = tmp_path / "pin-pepper-old"
    former.touch(0o600)
    former.write_text("".join(f"{each:02x}" for each in range(100, 132)))
    assert credentials(environ, configured).old_pepper == bytes(range(100, 132))
    former.chmod(0o644)
    with pytest.raises(BadInputError, match="pin-pepper-old is open to others"):
        credentials(environ, configured)


def test_the_key_of_a_link_is_read_before_its_mystery_wager_is_filed(tmp_path: Path) -> None:
    """The wager is added while the controller runs."""
    for name in ("vault-key", "pin-pepper"):
        (tmp_path / name).touch(0o600)
        (tmp_path / name).write_text("".join(f"{each:02x}" for each in range(32)))
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    link = '[link]\nname = "bank"\ndsn = "host=/tmp"\nmeter = "{}"\n'
    without = HEAVENLY.partition("must_hit_by")[0]
    for meter, needed in (("heavenly9", False), ("must-hit-by", True)):
        found = configuration(written(tmp_path, without + link.format(meter)), BEGIN)
        if needed:
            with pytest.raises(BadInputError, match="link-key is missing"):
                credentials(environ, found)
        else:
            assert credentials(environ, found).link_vault is None
