"""What `jackpotd console` is told: a table's own configuration, or a `console.toml` that names tables."""

import re
import tomllib
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct, structs

from controller.rules.errors import BadInputError
from controller.wire.broker import MqttSettings, PortNumber

MOST_BYTES = 1024 * 1024  # as of a Rules Submission, which this file may be
MOST_TABLES = 64  # a whole floor; each is nine subscriptions, and a sign of more could not be read
MOST_PASSWORD_BYTES = 1024  # MQTT allows 64 KiB; what is longer than this was put there by mistake
PASSWORD_FILE = "mqtt-password"  # noqa: S105 -- the name of a file
CREDENTIALS = "CREDENTIALS_DIRECTORY"
CONSOLE, PUBLIC = "console", "public"  # users of the broker: config/mosquitto/acl has their rights
THEMES = ("night", "velvet", "jade")
OWN = {"console", "signage", "mqtt"}  # the tables of a console.toml
TABLE = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")

T = TypeVar("T", bound=Struct)


class SettingsError(BadInputError):
    """Settings the console cannot run with; the message begins with the key."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(f"{key}: {why}")
        self.key = key


class ConsoleSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The listener: `[console]`."""

    host: str = "127.0.0.1"
    port: PortNumber = 8080
    certificate: str = ""  # for TLS: a file with the certificate and those that signed it, and
    key: str = ""  # its key
    behind_proxy: bool = False  # a proxy in front does the TLS; what it says of the visitor is believed
    proxies: tuple[str, ...] = ("127.0.0.1", "::1")  # where that proxy is
    names: tuple[str, ...] = ()  # by which browsers may call this box; addresses and localhost they may anyway
    tables: tuple[str, ...] = ()  # "site/table", the first is shown unless told
    public: bool = False  # only signs and proofs, for everybody's eyes
    user: str = ""  # at the broker, where the file is the table's own: its [mqtt] names the controller's
    timezone: str = ""  # of slips, where the file is not the table's own

    @property
    def tls(self) -> bool:
        """Whether browsers come by HTTPS, to us or to the proxy."""
        return bool(self.certificate) or self.behind_proxy


class SignageSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The signs: `[signage]`."""

    # A hit fills the screen no longer than half a minute: the amount that can be won now must be seen again.
    hit_seconds: Annotated[int, Meta(ge=1, le=30)] = 30
    theme: str = THEMES[0]


class Settings(Struct, frozen=True, kw_only=True):
    """All of them. `client` is who asks: the broker's user, which its ACL binds to the topics."""

    console: ConsoleSettings
    signage: SignageSettings
    mqtt: MqttSettings
    tables: tuple[str, ...]
    client: str
    timezone: str = ""


def read(path: Path) -> Settings:
    """The settings in a file, and in `….service.toml` beside a table's own."""
    found = _file(path)
    beside = path.with_suffix(".service.toml")
    if beside.exists():
        other = _file(beside)
        twice = [name for name in other if name in found]
        if twice:
            raise SettingsError(twice[0], f"stands in {path.name} and in {beside.name}: keep one of them")
        found |= other
    return settings(found)


def settings(found: Mapping[str, Any]) -> Settings:
    """The settings of tables as they are in TOML."""
    console = _typed(found, "console", ConsoleSettings)
    signage = _typed(found, "signage", SignageSettings)
    mqtt = _typed(found, "mqtt", MqttSettings)
    if signage.theme not in THEMES:
        raise SettingsError("signage.theme", f"{signage.theme!r} is none of {', '.join(THEMES)}")
    _refuse_open(console)
    user = PUBLIC if console.public else CONSOLE
    if "table" in found:
        own, timezone = _own_table(found["table"])
        if mqtt.certificate:
            raise SettingsError("mqtt.certificate", "is the controller's: give the console a file of its own")
        mqtt = structs.replace(mqtt, user=(console.user or user) if mqtt.user else "")
        tables = console.tables or (own,)
    else:
        _refuse_strange(found)
        if console.user:
            raise SettingsError("console.user", "write it as mqtt.user: this file is the console's own")
        tables, timezone = console.tables, console.timezone
    _refuse_tables(tables)
    return Settings(
        console=console,
        signage=signage,
        mqtt=mqtt,
        tables=tables,
        client=mqtt.user or user,
        timezone=console.timezone or timezone,
    )


def _own_table(table: object) -> tuple[str, str]:
    if not isinstance(table, Mapping):
        raise SettingsError("table", "write it as a table, [table]")
    name = f"{table.get('site', '')}/{table.get('id', '')}"
    if not TABLE.fullmatch(name):
        raise SettingsError("table", f"{name!r} names no table: see `jackpotd check`")
    return name, str(table.get("timezone", ""))


def _refuse_strange(found: Mapping[str, Any]) -> None:
    for name in found:
        if name not in OWN:
            raise SettingsError(name, "is no setting of a console: it has [console], [signage] and [mqtt]")


def _refuse_tables(tables: tuple[str, ...]) -> None:
    if not tables:
        raise SettingsError("console.tables", 'say which tables, like tables = ["valley-forge/mb-07"]')
    if len(tables) > MOST_TABLES:
        raise SettingsError("console.tables", f"{len(tables)} tables: at most {MOST_TABLES} fit one console")
    for name in tables:
        if not TABLE.fullmatch(name):
            raise SettingsError("console.tables", f"{name!r} is no table: write it as site/table")
        if tables.count(name) > 1:
            raise SettingsError("console.tables", f"{name} stands there twice")


def _refuse_open(console: ConsoleSettings) -> None:
    """Refuse a listener that others could read along with: PINs and sessions go over it."""
    if bool(console.certificate) != bool(console.key):
        raise SettingsError("console.certificate", "certificate and key go together")
    if console.certificate and console.behind_proxy:
        raise SettingsError("console.behind_proxy", "either the proxy does the TLS or the console: keep one")
    if not console.tls and not is_loopback(console.host):
        raise SettingsError(
            "console.host",
            f"{console.host} can be reached from elsewhere, and without TLS all could read along: give a certificate "
            "and its key, or set behind_proxy = true where a proxy does that",
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _file(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadInputError(f"{path} is longer than {MOST_BYTES} bytes: it is no configuration")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{path} is not TOML: {error}") from error


def _typed(tables: Mapping[str, Any], name: str, type_: type[T]) -> T:
    try:
        return msgspec.convert(tables.get(name, {}), type_)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at `$")
        raise SettingsError(name + where.rstrip("`"), why) from error


def password(environ: Mapping[str, str], mqtt: MqttSettings) -> str | None:
    """The password of the broker's user, where there is one."""
    if not mqtt.user:
        return None
    folder = environ.get(CREDENTIALS, "")
    if not folder:
        raise BadInputError(
            f"${CREDENTIALS} is not set: systemd sets it for the service; elsewhere, name the folder that holds "
            f"{PASSWORD_FILE}"
        )
    path = Path(folder) / PASSWORD_FILE
    try:
        with path.open("rb") as file:
            content = file.read(MOST_PASSWORD_BYTES + 1)
        text = content.decode().removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read ({error}): it is to hold the password of {mqtt.user}") from error
    if not text or len(content) > MOST_PASSWORD_BYTES or "\n" in text:
        raise BadInputError(f"{path} holds no password: one line of at most {MOST_PASSWORD_BYTES} bytes")
    return text
