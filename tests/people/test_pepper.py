"""The pepper's file: 64 hex digits drawn at random, that nobody else can read."""

import os
from pathlib import Path

import pytest

from controller.people.pepper import PepperError, read_pepper

DRAWN = "8f2ad35b9c01e6477d10ba93fe5264c8a1b7093dce48f57526ef13d0944b6a7c"


def written(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("text", [DRAWN, DRAWN + "\n", DRAWN.upper()])
@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_pepper_is_64_hex_digits(tmp_path: Path, text: str, mode: int) -> None:
    assert read_pepper(written(tmp_path / "pepper", text, mode)) == bytes.fromhex(DRAWN)


@pytest.mark.parametrize("text", ["", "secret", DRAWN[:-1], DRAWN + "0", DRAWN + "\n\n", "0" * 64, "ab" * 32, "x" * 64])
def test_what_is_no_pepper_is_refused_and_not_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(PepperError, match="holds no pepper") as refused:
        read_pepper(written(tmp_path / "pepper", text))
    assert not text or text not in str(refused.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o440])
def test_a_pepper_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(PepperError, match="open to others"):
        read_pepper(written(tmp_path / "pepper", DRAWN, mode))


def test_a_credential_as_systemd_gives_it_is_taken(tmp_path: Path) -> None:
    folder = tmp_path / "credentials"
    folder.mkdir()
    path = written(folder / "pin-pepper", DRAWN, 0o440)
    folder.chmod(0o550)
    assert read_pepper(path) == bytes.fromhex(DRAWN)


def test_a_missing_pepper_and_one_that_is_no_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(PepperError, match=r"nothing cannot be read .*openssl rand"):
        read_pepper(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(PepperError, match="not a plain file"):
        read_pepper(tmp_path / "pipe")
