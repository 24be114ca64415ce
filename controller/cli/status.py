"""`jackpotd status`: how the controller on this box is, asked over its socket: no broker and no password is needed."""

import argparse
import asyncio
import os
from pathlib import Path
from typing import Any

from msgspec import json
from rich.table import Table
from rich.text import Text

from controller.cli.output import say
from controller.rules.errors import BadInputError
from controller.service import socket
from controller.settings import read

ONLINE, NOT_ONLINE = 0, 1
WIDE = 160  # columns a pipe is given: what reads it has no terminal to ask


def run(options: argparse.Namespace) -> int:
    """Ask, and show. Exit 1 where the table is faulted, or nobody answers."""
    journal = Path(read(Path(options.config)).journal.path)
    path = _found(journal)
    try:
        answer = asyncio.run(socket.ask(path))
    except PermissionError as error:
        raise BadInputError(f"{path}: this user may not ask: be of the group jackpotd, or use sudo") from error
    except (OSError, TimeoutError) as error:
        why = f"no controller answers at {path}: see `systemctl status jackpotd` and `journalctl -u jackpotd`"
        say(json.encode({"state": "offline", "reason": why}).decode() if options.json else f"offline: {why} ({error})")
        return NOT_ONLINE
    told: dict[str, Any] = json.decode(answer)
    if options.json:
        say(json.format(answer).decode())
    else:
        _show(told)
    return ONLINE if told["state"] == "online" else NOT_ONLINE


def _found(journal: Path) -> Path:
    """The socket: where systemd puts it for the service, or beside the journal."""
    places = [
        socket.place({"RUNTIME_DIRECTORY": "/run/jackpotd"}, journal),
        socket.place(os.environ, journal),
        socket.place({}, journal),
    ]
    beside = places[-1]
    return next((path for path in (beside, *places) if path.exists()), beside)


def _show(told: dict[str, Any]) -> None:
    """A screenful, the worst first."""
    from rich.console import Console  # noqa: PLC0415 -- only where something is shown

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDE
    health, round_ = told["health"], told["retained"]["round"]
    colour = "green" if told["state"] == "online" else "bold red"
    title = Text.assemble(
        (f"{told['site']}/{told['table']} ", "bold"),
        (told["state"], colour),
        f"  round {round_['round']} {round_['phase']}",
        ("  DEMONSTRATION", "yellow") if told["mode"] == "demonstration" else "",
    )
    console.print(title)
    for name, why in told["lost"].items():
        console.print(Text(f"  lost  {name}: {why}", "red"))
    for warning in health["warnings"]:
        console.print(Text(f"  warning  {warning}", "yellow"))
    meters = Table("METER", "SHOWS", "MUST HIT BY", "STATE", box=None, pad_edge=False)
    for topic, meter in told["retained"].items():
        if topic.startswith("meters/"):
            ceiling = _money(meter["must_hit_by_cents"]) if "must_hit_by_cents" in meter else ""
            meters.add_row(topic.removeprefix("meters/"), _money(meter["display_cents"]), ceiling, meter["state"])
    for column in meters.columns[1:3]:
        column.justify = "right"
    console.print(meters)
    pending = [each for topic, each in told["retained"].items() if topic.startswith("awards/")]
    for award in pending:
        where = f"position {award['position']}, round {award['round']}"
        console.print(f"pending  {award['award']}  {_money(award['amount_cents'])}  {award['outcome']}, {where}")
    devices = Table("DEVICE", "STATE", "PORT", "FRAMES", "BAD", "TIMEOUTS", "LAST SEEN", box=None, pad_edge=False)
    for id_, each in told["devices"].items():
        counts = (str(each[name]) for name in ("frames", "bad_checksums", "timeouts"))
        devices.add_row(id_, each["state"], each["port"], *counts, each["last_seen"][:19])
    console.print(devices)
    console.print(
        f"journal  fact {told['seq']}, last commit {health['last_commit_at'] or 'none yet'} in "
        f"{health['commit_ms']} ms, proven {health['alive_at']}, {health['free_mb']} MB free"
    )
    console.print(
        f"broker   {told['broker']}, {health['outbox']} facts to tell   start {told['epoch']}, up "
        f"{health['uptime_s']} s, {health['memory_mb']} MB, {health['waiting']} inputs waiting"
    )


def _money(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02}"
