"""A whole table to be measured: `jackpotd run` as its own process, boards on a terminal, a broker, an open round.

The journal is prepared before the start: submission filed, table open. So nobody has to sign in.
"""

import asyncio
import os
import secrets
import time
import tomllib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from msgspec import json

from bench.play import POSITIONS, SUBMISSION, WAGERS, NoLines
from bench.raw_mqtt import RawClient, connected
from controller import vault
from controller.clock import WallClock
from controller.core.inputs import Person, SubmissionChanged, TableOpened
from controller.core.state import State
from controller.core.times import stamp
from controller.demo.children import Child, jackpotd
from controller.engine import Engine
from controller.journal.sqlite import SqliteJournal
from controller.people.pepper import PEPPER_FILE
from controller.wire import topics
from drivers.simulated.line import TwinLine

POLL_MS = 25
OPEN_SECONDS = 30.0  # for a start on a busy machine
PLACES = tuple((position, wager) for wager in WAGERS for position in range(1, POSITIONS + 1))
_DAY = "2026-11-16"
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_MEGABYTE = 1024 * 1024


def submission(name: str = "") -> str:
    """What is filed, by the table of the example or by one of another name."""
    text = SUBMISSION.read_text()
    return text.replace(f'id = "{_told(text)["id"]}"', f'id = "{name}"', 1) if name else text


def base(name: str = "") -> str:
    """Under which the table speaks."""
    told = _told(submission(name))
    return topics.base(told["site"], told["id"])


def _told(text: str) -> dict[str, str]:
    told: dict[str, str] = tomllib.loads(text)["table"]
    return told


class Running:
    """A controller under way, its last `round`, and what it costs."""

    def __init__(self, child: Child, journal: Path) -> None:
        self._child = child
        self.journal = journal

    @property
    def process(self) -> int:
        """Its number."""
        return self._child.process.pid

    def cpu_seconds(self) -> float:
        """Processor time it has used, its own and the system's for it."""
        return cpu_seconds(self._child.process.pid)

    def memory_mb(self) -> float:
        """What it holds in memory."""
        return memory_mb(self._child.process.pid)


def cpu_seconds(process: int) -> float:
    """Processor time a process has used, its own and the system's for it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def memory_mb(process: int) -> float:
    """What a process holds in memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE / _MEGABYTE


@asynccontextmanager
async def running(
    folder: Path, port: int, line: TwinLine, boards: Sequence[dict[str, Any]], *, name: str = "", **times: object
) -> AsyncIterator[Running]:
    """A controller that keeps an open table, until it is stopped."""
    config, keys, journal = folder / "table.toml", folder / "keys", folder / "journal.db"
    config.write_text(submission(name))
    config.with_suffix(".service.toml").write_text(_settings(line.path, journal, port, boards, times))
    keys.mkdir(mode=0o700)
    vault.create_key(keys / vault.KEY_FILE)
    (keys / PEPPER_FILE).touch(0o600)
    (keys / PEPPER_FILE).write_text(secrets.token_hex(32))
    _open(journal, keys, submission(name))
    line.plug()
    command = jackpotd("run", "--config", str(config))
    child = await Child.start("the controller", command, folder / "run.log", {"CREDENTIALS_DIRECTORY": str(keys)})
    try:
        await _until_open(child, port, base(name))
        yield Running(child, journal)
    finally:
        await child.stop()
        line.unplug()


def _open(journal: Path, keys: Path, toml: str) -> None:
    now = stamp(time.time_ns() // 1000)
    with SqliteJournal(journal) as kept:
        engine = Engine(State(), kept, vault.load(keys), WallClock(), NoLines())
        dealer = Person("d1", "dealer")
        answers = engine.step(
            [
                SubmissionChanged(at=now, key=str(uuid4()), toml=toml, day=_DAY, reason="installed"),
                TableOpened(at=now, key=str(uuid4()), by=dealer),
            ]
        )
        engine.stop()
    if not all(answer.ok for answer in answers):
        raise RuntimeError(f"the table cannot be opened: {answers}")


async def _until_open(child: Child, port: int, speaks: str) -> None:
    opened = asyncio.Event()

    def hear(_: float, __: str, payload: bytes) -> None:
        if json.decode(payload)["phase"] == "open":
            opened.set()

    sign: RawClient = await connected(port, "opening", hear)
    await sign.subscribe(f"{speaks}/{topics.ROUND}")
    try:
        async with asyncio.timeout(OPEN_SECONDS):
            await opened.wait()
    except TimeoutError:
        raise RuntimeError("the table does not open:\n" + "\n".join(child.last_lines())) from None
    finally:
        sign.close()


def _settings(line: Path, journal: Path, port: int, boards: Sequence[dict[str, Any]], times: dict[str, object]) -> str:
    rail = {"driver": "modbus", "port": str(line), "baudrate": 115200, "poll_ms": POLL_MS, **times}
    parts = [
        _table("[devices.rail]", rail),
        *(_table("[[devices.rail.boards]]", board) for board in boards),
        _table("[journal]", {"path": str(journal), "warn_free_mb": 1}),
        _table("[software]", {"allow_unsigned": True}),
        _table("[mqtt]", {"port": port}),
    ]
    return "\n".join(parts)


def _table(name: str, values: dict[str, Any]) -> str:
    return f"{name}\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.encode(value).decode()
