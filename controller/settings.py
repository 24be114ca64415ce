"""The settings of the service: what stands beside the Rules Submission, in its file or in one beside it.

`table.toml` may have them itself, or `table.service.toml` beside it has: each table of settings in one of them.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct, field

from controller.rules.errors import BadInputError
from controller.rules.lawful import SERVICE_TABLES
from controller.rules.money import parse_cents
from controller.wire.broker import MqttSettings
from controller.wire.link import LinkSettings
from drivers import registry

MOST_BYTES = 1024 * 1024  # as of a Rules Submission; settings are a page or two
COINS = "coins"  # of `[devices]`: no line, but what coins are worth

Milliseconds = Annotated[int, Meta(ge=0, le=60_000)]
T = TypeVar("T", bound=Struct)


class SettingsError(BadInputError):
    """Settings the service cannot run with; the message begins with the key."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(f"{key}: {why}")
        self.key, self.why = key, why


class ButtonSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lock-out button: `[button]`."""

    maintained: bool = False  # a switch that stays where it is put, down meaning locked; otherwise each press counts
    reopen_after_ms: Milliseconds = 3000  # a press sooner than this after the last one is that one once more
    pulled_ms: Milliseconds = 3000  # a chip lifted sooner than this after lock-out flashes its position


class JournalSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The journal: `[journal]`."""

    path: str = "/var/lib/jackpotd/journal.db"
    warn_free_mb: Annotated[int, Meta(ge=1, le=1_000_000)] = 500  # weeks of play: time to act
    archive: bool = True  # closed gaming days leave for compressed files; false: the journal grows for ever
    archive_path: str = ""  # the folder they go to; empty: the folder `archive` beside the journal
    # Closed gaming days that stay: a month is still here when its report is made. At least three, because rounds of the
    # last two can still be corrected and voided; at most ten years, twice what has to be kept.
    keep_days: Annotated[int, Meta(ge=3, le=3660)] = 35

    @property
    def archives(self) -> str:
        """The folder that closed days go to."""
        return self.archive_path or str(Path(os.path.realpath(self.path)).parent / "archive")


class SoftwareSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The self-check: `[software]`."""

    digest: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")] = ""  # SHA-256 of the installed package's RECORD
    allow_unsigned: bool = False  # run from a checkout, which has no RECORD: for demonstrations only
    demonstration: bool = False  # no money: every message and every start in the journal says so


class Settings(Struct, frozen=True, kw_only=True):
    """All of them."""

    lines: dict[str, Struct] = field(default_factory=dict)  # by the names of `[devices]`
    coins: dict[int, int] = field(default_factory=dict)  # cents by the acceptors' numbers
    button: ButtonSettings = ButtonSettings()
    mqtt: MqttSettings = MqttSettings()
    journal: JournalSettings = JournalSettings()
    software: SoftwareSettings = SoftwareSettings()
    link: LinkSettings = LinkSettings()

    @property
    def mode(self) -> Literal["live", "demonstration"]:
        """Whether there is money in it."""
        return "demonstration" if self.software.demonstration else "live"


def read(path: Path) -> Settings:
    """The settings for a configuration, from it and from the file beside it."""
    tables = _tables(path)
    beside = path.with_suffix(".service.toml")
    if beside.exists():
        other = _tables(beside)
        wrong = [name for name in other if name not in SERVICE_TABLES]
        if wrong:
            raise SettingsError(wrong[0], f"is no setting of the service: it belongs into {path.name}")
        twice = [name for name in other if name in tables]
        if twice:
            raise SettingsError(twice[0], f"stands in {path.name} and in {beside.name}: keep one of them")
        tables |= other
    return settings(tables)


def settings(tables: Mapping[str, Any]) -> Settings:
    """The settings of tables as they are in TOML. Those of the Rules Submission are left alone."""
    devices = dict(_table(tables, "devices"))
    coins = _coins(devices.pop(COINS, {}))
    try:
        lines = registry.read(devices)
    except registry.SettingsError as error:
        raise SettingsError(error.key, error.why) from error
    return Settings(
        lines=lines,
        coins=coins,
        button=_typed(tables, "button", ButtonSettings),
        mqtt=_typed(tables, "mqtt", MqttSettings),
        journal=_typed(tables, "journal", JournalSettings),
        software=_typed(tables, "software", SoftwareSettings),
        link=_typed(tables, "link", LinkSettings),
    )


def _tables(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadInputError(f"{path} is longer than {MOST_BYTES} bytes: it is no configuration")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{path} is not TOML: {error}") from error


def _table(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = tables.get(name, {})
    if not isinstance(found, Mapping):
        raise SettingsError(name, f"write it as a table, [{name}]")
    return found


def _typed(tables: Mapping[str, Any], name: str, type_: type[T]) -> T:
    try:
        return msgspec.convert(_table(tables, name), type_)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at `$")
        raise SettingsError(name + where.rstrip("`"), why) from error


def _coins(found: object) -> dict[int, int]:
    """What coins are worth: `coins = { 1 = "5.00" }`."""
    key = f"devices.{COINS}"
    if not isinstance(found, Mapping):
        raise SettingsError(key, 'write what each coin is worth, like coins = { 1 = "5.00" }')
    worth: dict[int, int] = {}
    for number, amount in found.items():
        if not number.isdecimal() or not 1 <= int(number) <= 16:  # noqa: PLR2004 -- what an acceptor tells apart
            raise SettingsError(f"{key}.{number}", "an acceptor numbers its coins from 1 to 16")
        try:
            worth[int(number)] = parse_cents(amount)
        except (BadInputError, TypeError, AttributeError) as error:
            raise SettingsError(f"{key}.{number}", f'{amount!r} is no amount: write it like "5.00"') from error
    return worth
