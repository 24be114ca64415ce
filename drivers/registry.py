"""Every kind of driver there is, and the configuration of those a table has.

A new one is a module with a `Driver`, and its class in `DRIVERS`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from drivers.cctalk import CcTalk
from drivers.driver import Bookmark, Driver, HandUp
from drivers.modbus import Modbus
from drivers.port import OpenPort, Port
from drivers.shoe import AngelEye, TextShoe

DRIVERS: dict[str, type[Driver]] = {driver.name: driver for driver in (Modbus, CcTalk, AngelEye, TextShoe)}

MOST_LINES = 16  # a box under a table has one or two hubs of seven


class SettingsError(Exception):
    """Settings no driver can be made of; the message begins with the key."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(f"{key}: {why}")
        self.key, self.why = key, why


def read(devices: Mapping[str, Any]) -> dict[str, Struct]:
    """The settings of each line, from the `devices` table of a configuration: `[devices.rail]` is the line `rail`."""
    if len(devices) > MOST_LINES:
        raise SettingsError("devices", f"{len(devices)} lines: at most {MOST_LINES}")
    found = {name: _line(name, table) for name, table in devices.items()}
    taken: dict[str, str] = {}
    for name, settings in found.items():
        port = getattr(settings, "port", "")
        if port in taken:
            raise SettingsError(f"devices.{name}.port", f"{port} is the line {taken[port]} already")
        taken[port] = name
    return found


def _line(name: str, table: object) -> Struct:
    key = f"devices.{name}"
    if not isinstance(table, Mapping):
        raise SettingsError(key, f"write it as a table, [devices.{name}]")
    rest = dict(table)
    kind = rest.pop("driver", None)
    if kind not in DRIVERS:
        raise SettingsError(f"{key}.driver", f"{kind!r}: there are {', '.join(DRIVERS)}")
    try:
        return msgspec.convert(rest, DRIVERS[kind].settings)
    except msgspec.ValidationError as error:
        why, _, where = str(error).partition(" - at `$")
        raise SettingsError(key + where.rstrip("`"), why) from error


def make(
    lines: Mapping[str, Struct],
    hand_up: HandUp,
    bookmarks: Mapping[str, Bookmark] | None = None,
    open_port: OpenPort = Port,
) -> dict[str, Driver]:
    """The driver of each line. `bookmarks` tell how far counted events were taken, by device."""
    by_settings = {driver.settings: driver for driver in DRIVERS.values()}
    known = bookmarks or {}
    made = {name: by_settings[type(each)](name, each, hand_up, known, open_port) for name, each in lines.items()}
    _refuse_twice("device", {name: [device.id for device in each.devices] for name, each in made.items()})
    for kind in {driver.name for driver in made.values()}:
        mine = {name: each.devices for name, each in made.items() if each.name == kind}
        _refuse_twice(
            "place", {name: [place for each in found for place in each.places] for name, found in mine.items()}
        )
    buttons = {name: ["the button" for each in driver.devices if each.button] for name, driver in made.items()}
    _refuse_twice("lock-out", buttons)
    return made


def _refuse_twice(what: str, by_line: Mapping[str, Sequence[object]]) -> None:
    """Refuse what stands on two lines."""
    taken: dict[object, str] = {}
    for name, found in by_line.items():
        for each in found:
            if each in taken:
                told = "/".join(map(str, each)) if isinstance(each, tuple) else each
                raise SettingsError(f"devices.{name}", f"the {what} {told} is on the line {taken[each]} already")
            taken[each] = name
