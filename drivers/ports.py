"""The serial ports of this machine, under the names that stay the same."""

import os
from pathlib import Path

from msgspec import Struct
from serial.tools import list_ports

_STABLE = Path("/dev/serial/by-id")


class Found(Struct, frozen=True):
    """A port: the name to put into a configuration, the device it leads to now, and what the adapter says of itself."""

    name: str
    device: str
    description: str = ""


def found(stable: Path = _STABLE) -> list[Found]:
    """Every port with an adapter on it. One without a stable name is listed by its device."""
    names = {os.path.realpath(each): str(each) for each in sorted(stable.iterdir())} if stable.is_dir() else {}
    ports = sorted(list_ports.comports(), key=lambda port: port.device)
    listed = [Found(names.pop(port.device, port.device), port.device, _described(port.description)) for port in ports]
    return listed + [Found(name, device) for device, name in names.items()]  # adapters pyserial does not know


def _described(text: str | None) -> str:
    return "" if text in (None, "n/a") else str(text)
