"""`jackpotd demo`: the whole system on embedded defaults, playing by itself."""

import argparse
import signal
import sys
from pathlib import Path

from rich.console import Console

from controller.cli.main import command_names
from controller.cli.output import hush
from controller.demo.demonstration import Voice, Wanted, demonstrate
from controller.demo.state import default_folder
from controller.rules.errors import BadInputError

LAST_PORT = 65_535


def run(options: argparse.Namespace) -> int:
    """Play until it is enough."""
    wanted = Wanted(
        folder=Path(options.state) if options.state else default_folder(),
        speed=options.speed,
        rounds=options.rounds or 0,
        tables=options.tables,
        broker=_address(options.broker) if options.broker else None,
        port=options.port,
        has_console="console" in command_names(),
        seed=options.seed,
        link=options.link or "",
        has_floor=not options.no_floor,
    )
    if options.rounds is not None and options.rounds < 1:
        raise BadInputError(f"--rounds {options.rounds}: at least 1, or leave it out to play on")
    if not 1 <= options.port <= LAST_PORT:
        raise BadInputError(f"--port {options.port}: from 1 to {LAST_PORT}")
    return demonstrate(wanted, Voice(Console(), _say, _complain))


def _address(text: str) -> tuple[str, int]:
    """HOST:PORT; an IPv6 address stands in brackets."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isascii() or not port.isdecimal() or not 1 <= int(port) <= LAST_PORT:
        raise BadInputError(f"--broker {text!r}: write it like localhost:1883")
    return host, int(port)


def _say(line: str) -> None:
    """Print a line. A reader that has left has seen enough: the demonstration ends as by Ctrl-C."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        hush()
        signal.raise_signal(signal.SIGTERM)


def _complain(why: str) -> None:
    print(f"jackpotd demo: {why}", file=sys.stderr)
