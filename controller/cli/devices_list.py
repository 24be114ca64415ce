"""`jackpotd devices`: serial ports under their stable names, and what answers there."""

import argparse
import asyncio

from msgspec import Struct, json

from controller.cli.audit import columns
from controller.cli.output import say
from drivers.port import LineLostError
from drivers.ports import Found, found
from drivers.registry import DRIVERS


class Port(Struct):
    """A port as it is told."""

    name: str
    device: str
    description: str
    answers: list[str]
    problem: str = ""


def run(options: argparse.Namespace) -> int:
    """Ask every port, or those named, one after the other."""
    ports = [Found(path, path) for path in options.port] or found()
    listed = asyncio.run(_listed(ports, probe=not options.no_probe))
    if options.json:
        say(json.encode({"ports": listed}).decode())
        return 0
    if not listed:
        say("No serial port has an adapter on it. Plug one in, or name a port with --port.")
        return 0
    rows = [["PORT", "DEVICE", "ADAPTER", "ANSWERS"]]
    for port in listed:
        said = port.answers or [port.problem or ("-" if options.no_probe else "nothing answers")]
        rows.append([port.name, port.device, port.description or "-", said[0]])
        rows += [["", "", "", more] for more in said[1:]]
    say("\n".join(columns(rows, "llll")))
    return 0


async def _listed(ports: list[Found], *, probe: bool) -> list[Port]:
    return [await _asked(port) if probe else _told(port) for port in ports]


def _told(port: Found) -> Port:
    return Port(port.name, port.device, port.description, [])


async def _asked(port: Found) -> Port:
    """Ask in every protocol that can be asked. A port another program has open is left alone."""
    told = _told(port)
    try:
        for name, driver in DRIVERS.items():
            told.answers += [f"{name}: {each}" for each in await driver.probe(port.name)]
            if told.answers:
                break  # a line speaks one protocol
    except LineLostError as error:
        told.problem = str(error)
    return told
