"""The table a demonstration plays: the minibaccarat example, wired to twins."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import json

from controller.demo.pace import Pace
from controller.demo.rights import CONTROLLER, SITE
from controller.wire.broker import MqttSettings

POSITIONS, WAGERS, DECKS = 9, ("royal9", "harmony"), 8
# Two boards on one line: seats 1 to 5, and seats 6 to 9 with the button beside the dealer.
BOARDS = {"left": range(1, 6), "right": range(6, POSITIONS + 1)}
BUTTON_BOARD, BUTTON_AT = "right", 15
BOARD_SIZE = 16  # inputs and coils
RAIL, SHOE = "rail", "shoe"  # the two lines
# Twins answer at once, but this machine may be busy: only a twin that is gone is to be told as lost.
REPLY_MS, STALE_MS = 1000, 5000

# As config/minibaccarat-royal9-5.toml, which an installed package does not carry; a test holds them side by side.
SUBMISSION = """\
# A DEMONSTRATION: a minibaccarat table with Royal 9 for $5, its mystery progressive, and Harmony.

[table]
site = "{site}"
id = "{table}"
game = "minibaccarat"
positions = 9
decks = 8
timezone = "America/New_York"
day_start = "06:00"
payout = "either"

[awards]
validate_from = "1000.00"
second_person_from = "10000.00"
hold_play_on_hit = false
late_hands = 3

[royal9]
denomination = 5
award = "highest"
mega = {{ initial = "55000.00", reset = "50000.00", rate = "10%" }}
major = {{ seed = "450.00", rate = "4%" }}
minor = {{ seed = "450.00", rate = "4%" }}
mystery = {{ configuration = 1 }}

[royal9.layout]
1 = "KS9S"
2 = "KH9H"
3 = "KD9D"
4 = "KC9C"
5 = "KS9H"
6 = "KH9S"
7 = "KD9C"
8 = "KC9D"
9 = "KS9D"

[harmony]
paytable = "B"
denomination = 5
seed = "25000.00"
minimum_reseed = "5000.00"
"""


def place_at(position: int, wager: str) -> tuple[str, int]:
    """The board and the input of a chip sensor; the coil of its lamp has the same number."""
    for board, seats in BOARDS.items():
        if position in seats:
            return board, seats.index(position) * len(WAGERS) + WAGERS.index(wager)
    raise LookupError(f"there is no position {position}")


def configuration(
    table: str,
    folder: Path,
    pace: Pace,
    mqtt: MqttSettings,
    more: Mapping[str, Mapping[str, object]] = {},
) -> str:
    """The configuration of one table whose lines, journal and logs are in a folder; with more tables, if any."""
    parts = [SUBMISSION.format(site=SITE, table=table), *_devices(folder, pace)]
    parts.append(_table("button", pace.button()))
    broker: dict[str, Any] = {"host": mqtt.host, "port": mqtt.address()[1]}
    if mqtt.user:
        broker["user"] = CONTROLLER
    if mqtt.allow_plain_text_over_the_network:
        broker["allow_plain_text_over_the_network"] = True
    parts.append(_table("mqtt", broker))
    parts.append(_table("journal", {"path": str(folder / "journal.db"), "warn_free_mb": 1}))
    parts.append(_table("software", {"demonstration": True, "allow_unsigned": True}))
    parts += [_table(name, values) for name, values in more.items()]
    return "\n".join(parts)


def _devices(folder: Path, pace: Pace) -> list[str]:
    times = {**pace.line(), "reply_ms": REPLY_MS, "stale_ms": max(STALE_MS, 2 * REPLY_MS)}
    rail = {"driver": "modbus", "port": str(folder / RAIL), "baudrate": 115200, **times}
    parts = [_table(f"devices.{RAIL}", rail)]
    for address, (board, seats) in enumerate(BOARDS.items(), start=1):
        places = [
            f'{{ at = {place_at(seat, wager)[1]}, position = {seat}, wager = "{wager}" }}'
            for seat in seats
            for wager in WAGERS
        ]
        button = [f"{{ at = {BUTTON_AT}, button = true }}"] if board == BUTTON_BOARD else []
        parts.append(
            f"[[devices.{RAIL}.boards]]\n"
            f'id = "{board}"\naddress = {address}\n'
            f"inputs = [\n{_listed(places + button)}]\nlamps = [\n{_listed(places)}]\n"
        )
    parts.append(_table(f"devices.{SHOE}", {"driver": "text-shoe", "port": str(folder / SHOE)}))
    return parts


def _listed(parts: list[str]) -> str:
    return "".join(f"    {part},\n" for part in parts)


def _table(name: str, values: Mapping[str, Any]) -> str:
    return f"[{name}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def _toml(value: object) -> str:
    """A value as TOML writes it: strings, numbers and booleans look as they do in JSON."""
    return json.encode(value).decode()
