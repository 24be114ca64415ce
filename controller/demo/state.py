"""The folder of a demonstration: kept from one to the next, and apart from everything that is live.

demonstration       says what the folder is; a folder with other things in it is left alone
demonstration.lock  held while one runs
credentials/        vault-key, pin-pepper, mqtt-password
mb-01/              table.toml, journal.db, run.log, and the lines of its twins
"""

import fcntl
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from controller.demo.rights import CONSOLE, CONTROLLER
from controller.people.pepper import PEPPER_BYTES, PEPPER_FILE
from controller.rules.errors import BadInputError
from controller.vault import KEY_FILE, create_key

MARK = "demonstration"
_LOCK = f"{MARK}.lock"
_SAYS = "The state of a demonstration of jackpotd: nobody's money. Remove the folder to begin anew.\n"
MQTT_PASSWORD_FILE = "mqtt-password"  # noqa: S105 -- a file's name
# A line's path is a link in a table's folder. Unix sockets beside the journal have names of at most 107 bytes: what
# is left for the folder is that without "/mb-01/" and the name of a socket.
MOST_PATH = 80


class StateError(BadInputError):
    """A folder a demonstration cannot use; the message names it and the remedy."""


def default_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where a demonstration is kept if nothing is said."""
    told = environment.get("XDG_STATE_HOME", "")
    if told.startswith("/"):  # others are to be ignored, says the specification
        return Path(told) / "jackpotd-demo"
    home = environment.get("HOME", "")
    if not home:
        raise StateError("there is no home folder to keep a demonstration in: name a folder with --state DIR")
    return Path(home) / ".local/state/jackpotd-demo"


class State:
    """A folder that is held by this demonstration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.credentials = folder / "credentials"  # the controllers'
        self.console = folder / "console"

    def table(self, name: str) -> Path:
        """The folder of a table."""
        found = self.folder / name
        found.mkdir(mode=0o700, exist_ok=True)
        return found

    def make_credentials(self, passwords: Mapping[str, str]) -> None:
        """The keys, made once, and the broker's passwords by user, which are new each time."""
        for folder, user in ((self.credentials, CONTROLLER), (self.console, CONSOLE)):
            folder.mkdir(mode=0o700, exist_ok=True)
            write_secret(folder / MQTT_PASSWORD_FILE, passwords.get(user, "") + "\n")
        if not (self.credentials / KEY_FILE).exists():
            create_key(self.credentials / KEY_FILE)
        if not (self.credentials / PEPPER_FILE).exists():
            write_secret(self.credentials / PEPPER_FILE, secrets.token_hex(PEPPER_BYTES) + "\n")


@contextmanager
def held(folder: Path) -> Iterator[State]:
    """The folder, made where it is missing, for one demonstration at a time."""
    folder = folder.absolute()
    if len(os.fsencode(folder)) > MOST_PATH:
        raise StateError(
            f"{folder} is longer than {MOST_PATH} bytes, and a socket in it would be too: use a shorter one"
        )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_others(folder)
        (folder / MARK).write_text(_SAYS)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StateError(f"{folder} cannot be used ({error.strerror}): name another folder with --state DIR") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateError(
                f"a demonstration runs in {folder} already: end that one, or name another folder with --state DIR"
            ) from None
        yield State(folder)
    finally:
        os.close(lock)


def _refuse_others(folder: Path) -> None:
    """Leave a folder alone that something else lives in: it may be a live table's."""
    if any(folder.iterdir()) and not (folder / MARK).is_file():
        raise StateError(
            f"{folder} is not empty, and no demonstration's: name an empty folder, or one that is not there yet"
        )


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner can read, in place of what was there."""
    with suppress(FileNotFoundError):
        path.unlink()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
        file.write(text)
