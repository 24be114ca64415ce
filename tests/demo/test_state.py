"""The folder of a demonstration: one at a time, apart from what is live, and no secret for others to read."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from controller import vault
from controller.demo.rights import CONSOLE, CONTROLLER
from controller.demo.state import MARK, MOST_PATH, MQTT_PASSWORD_FILE, StateError, default_folder, held
from controller.people.pepper import PEPPER_FILE, read_pepper


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short name: those of the tests may be longer than a socket's path may be."""
    with TemporaryDirectory(prefix="jackpotd-") as folder:
        yield Path(folder)


def test_keys_are_made_once_and_passwords_each_time(short: Path) -> None:
    with held(short / "new/state") as state:
        state.make_credentials({CONTROLLER: "first", CONSOLE: "other"})
        key, pepper = ((state.credentials / name).read_bytes() for name in (vault.KEY_FILE, PEPPER_FILE))
    with held(short / "new/state") as state:
        state.make_credentials({CONTROLLER: "second", CONSOLE: "other"})
        assert (state.credentials / vault.KEY_FILE).read_bytes() == key
        assert (state.credentials / PEPPER_FILE).read_bytes() == pepper
        assert (state.credentials / MQTT_PASSWORD_FILE).read_text() == "second\n"
        assert (state.console / MQTT_PASSWORD_FILE).read_text() == "other\n"
        vault.load(state.credentials)
        read_pepper(state.credentials / PEPPER_FILE)
        secrets = [path for folder in (state.credentials, state.console) for path in folder.iterdir()]
        assert len(secrets) == 4
        assert {path.stat().st_mode & 0o777 for path in secrets} == {0o600}
        assert state.credentials.stat().st_mode & 0o777 == 0o700


def test_a_second_demonstration_in_the_folder_is_refused_until_the_first_ends(short: Path) -> None:
    with held(short / "state"), pytest.raises(StateError, match=r"runs in .*--state"), held(short / "state"):
        pass
    with held(short / "state") as state:
        assert state.table("mb-01").is_dir()


def test_a_folder_something_else_lives_in_is_left_alone(short: Path) -> None:
    (short / "journal.db").write_text("a live table's")
    with pytest.raises(StateError, match="no demonstration's"), held(short):
        pass
    assert [path.name for path in short.iterdir()] == ["journal.db"]


def test_an_empty_folder_is_taken_and_marked(short: Path) -> None:
    with held(short) as state:
        assert (state.folder / MARK).is_file()


def test_a_folder_that_cannot_be_made_is_named_with_the_remedy(short: Path) -> None:
    (short / "file").write_text("")
    with pytest.raises(StateError, match=r"file/state cannot be used .*--state DIR"), held(short / "file/state"):
        pass


@pytest.mark.parametrize(("longer", "taken"), [(0, True), (1, False)])
def test_a_path_is_as_long_as_a_socket_in_it_can_be(short: Path, longer: int, taken: bool) -> None:
    room = MOST_PATH - len(os.fsencode(short)) - 1
    assert room > 0, "the folder for temporary files has too long a name"
    folder = short / ("x" * (room + longer))
    if taken:
        with held(folder) as state:
            assert len(f"{state.table('mb-08')}/status-of-the-table") <= 107
    else:
        with pytest.raises(StateError, match="shorter"), held(folder):
            pass


def test_where_it_is_kept_if_nothing_is_said() -> None:
    assert default_folder({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == Path("/s/jackpotd-demo")
    assert default_folder({"XDG_STATE_HOME": "s", "HOME": "/h"}) == Path("/h/.local/state/jackpotd-demo")
    with pytest.raises(StateError, match="--state"):
        default_folder({})
