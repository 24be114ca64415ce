"""What a start needs before anything can be lost: the configuration, the keys, and proof that both fit the journal."""

import os
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct

from controller import vault
from controller.core.filed import Filed, filed
from controller.core.state import State
from controller.engine import gaming_day
from controller.people.pepper import OLD_PEPPER_FILE, PEPPER_FILE, read_pepper, refuse_exposed
from controller.rules import catalog, lawful
from controller.rules.errors import BadInputError
from controller.settings import Settings, SettingsError, read
from controller.vault import Vault
from drivers import registry

CREDENTIALS = "CREDENTIALS_DIRECTORY"
PASSWORD_FILE = "mqtt-password"  # noqa: S105 -- the name of a file
LINK_PASSWORD_FILE = "link-password"  # noqa: S105 -- the same; where the database asks for none there is no such file
MOST_PASSWORD_BYTES = 1024  # MQTT allows 64 KiB; what is longer than this was put there by mistake


class Configuration(Struct, frozen=True):
    """A configuration that is lawful and can be run."""

    toml: str
    files: Filed
    settings: Settings
    site: str
    table: str


class Credentials(Struct, frozen=True):
    """Secrets, as systemd hands them over. No repr shows them."""

    vault: Vault
    pepper: bytes
    password: str | None
    old_pepper: bytes | None = None  # while some PINs are kept with it
    link_vault: Vault | None = None  # where a mystery meter is linked
    link_password: str | None = None

    def __repr__(self) -> str:
        return "Credentials(…)"


def configuration(path: Path, now: int) -> Configuration:
    """Read a configuration, refused with everything that is wrong with it."""
    settings = read(path)
    text = path.read_bytes().decode("utf-8-sig")
    found = lawful.check(text, datetime.fromtimestamp(now / 1_000_000, UTC).date())
    if found.submission is None:
        told = "\n".join(f"  {each.key}: {each.message}" for each in found.violations)
        raise BadInputError(f"{path} is not lawful, see `jackpotd check`:\n{told}")
    files = filed(found.submission, settings.link.links)
    _refuse_places(settings, files)
    return Configuration(text, files, settings, files.site, files.table)


def _refuse_places(settings: Settings, files: Filed) -> None:
    """Refuse sensors at places the submission does not file: a chip there would be nobody's."""

    async def nobody(_: object) -> None:
        pass

    try:
        made = registry.make(settings.lines, nobody)
    except registry.SettingsError as error:
        raise SettingsError(error.key, error.why) from error
    for line, driver in made.items():
        for device in driver.devices:
            for place in device.places:
                if place.wager not in {*files.wagers, "base"}:
                    raise SettingsError(f"devices.{line}", f"{device.id} senses {place.wager}, which is not filed")
                if place.position > files.positions:
                    why = f"{device.id} senses position {place.position}, the table has {files.positions}"
                    raise SettingsError(f"devices.{line}", why)


def credentials(environ: Mapping[str, str], found: Configuration) -> Credentials:
    """The keys and passwords this start needs."""
    settings = found.settings
    folder = environ.get(CREDENTIALS, "")
    if not folder:
        raise BadInputError(
            f"${CREDENTIALS} is not set: systemd sets it for the service; elsewhere, name the folder that holds "
            f"{vault.KEY_FILE}, {PEPPER_FILE} and {PASSWORD_FILE}"
        )
    place = Path(folder)
    password = read_password(place / PASSWORD_FILE, "mqtt.user") if settings.mqtt.user else None
    sealed = any(mystery.meter in settings.link.meters for mystery in catalog.mysteries().values())
    asked = bool(settings.link.name) and (place / LINK_PASSWORD_FILE).exists()
    old = place / OLD_PEPPER_FILE
    return Credentials(
        vault.load(place),
        read_pepper(place / PEPPER_FILE),
        password,
        read_pepper(old) if old.exists() else None,
        vault.load(place, vault.LINK_KEY_FILE) if sealed else None,
        read_password(place / LINK_PASSWORD_FILE, "link.dsn") if asked else None,
    )


def read_password(path: Path, whose: str) -> str:
    """The password in a file of one line, refused where others may have read it."""
    try:
        with path.open("rb") as file:
            refuse_exposed(path, os.fstat(file.fileno()))
            content = file.read(MOST_PASSWORD_BYTES + 1)
        text = content.decode().removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read ({error}): it is to hold the password of {whose}") from error
    if not text or len(content) > MOST_PASSWORD_BYTES or "\n" in text:
        raise BadInputError(f"{path} holds no password: one line of at most {MOST_PASSWORD_BYTES} bytes")
    return text


def gaming_day_of(files: Filed, now: int) -> str:
    """The gaming day of a time, as a submission has its hours."""
    day, _ = gaming_day(now, files.timezone, files.day_start)
    return day


def refuse_other_submission(state: State, found: Configuration) -> None:
    """Refuse a file that files something else than what is in force, and name the key."""
    if state.filed is None or state.filed == found.files:
        return
    old, new = (_submitted(each) for each in (state.toml, found.toml))
    keys = _differences(old, new) or _relinked(state.filed, found.files) or ["the Rules Submission"]
    raise SettingsError(
        keys[0],
        f"is not what the journal has in force since fact {state.filed_seq} (differing: {', '.join(keys)}): put the "
        "file back as it was, and change it with change-submission, signed by two supervisors",
    )


def _relinked(old: Filed, new: Filed) -> list[str]:
    """The key of the links, where only they differ."""
    before, now = ({id_: meter.link for id_, meter in each.meters().items()} for each in (old, new))
    return ["link"] if before != now else []


def _submitted(text: str) -> dict[str, Any]:
    return {name: each for name, each in tomllib.loads(text).items() if name not in lawful.SERVICE_TABLES}


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> list[str]:
    """The dotted keys that differ."""
    found: list[str] = []
    for key in sorted({*old, *new}):
        before, now = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(now, dict):
            found += _differences(before, now, f"{prefix}{key}.")
        elif before != now:
            found.append(f"{prefix}{key}")
    return found
