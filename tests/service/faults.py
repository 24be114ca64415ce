"""What a fault must leave behind: a whole journal, signs that were told nothing but the truth, and every fact told."""

import shutil
import sqlite3
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec import json

from controller.journal.reading import open_readonly
from controller.journal.rows import Row
from controller.outlets.public import told
from drivers.simulated.dealer import Round
from tests.service.house import House, in_house_of
from tests.service.truth import check_told

NOTHING = Round(("2S", "3S", "5C"), ("TH", "4D", "KD"), "banker")
Scene = Callable[[House], Awaitable[None]]
MEDDLER = Path(__file__).with_name("meddler.c")
PACKAGES = "gcc libc6-dev"
_SECONDS_AND_HOLD = 16  # bytes: what `meddler.c` maps


def survived(folder: Path, scene: Scene, kind: type[House] = House, **more: Any) -> House:  # noqa: ANN401 -- as the house has them
    """Play a scene with a fault in it. Afterwards the journal is whole, and no sign was told what was not so."""
    house = in_house_of(kind, folder, scene, **more)
    assert check_told(house.journal, house.sign.messages)
    if house.sign.connections == 1:  # otherwise some came out of what the broker keeps, in any order
        _check_status_leads(house)
    return house


def _check_status_leads(house: House) -> None:
    """Whenever signs were told of a round, they knew from the status already whether it can be played."""
    status: dict[str, Any] = {}
    for topic, message in house.sign.told:
        if topic == "status":
            status = message
        elif topic == "round":
            faulted = "faulted" if message["phase"] == "faulted" else "online"
            assert (status["epoch"], status["state"]) == (message["epoch"], faulted), (status, message)


def check_every_fact_was_told(house: House) -> None:
    """Every fact of the journal was told, in order and as it is."""
    with open_readonly(house.journal) as journal:
        rows = journal.db.execute("SELECT * FROM facts ORDER BY seq").fetchall()
    facts = told(map(Row._make, rows))
    assert [fact["seq"] for fact in house.sign.facts] == [fact["seq"] for fact in facts]
    assert house.sign.facts == json.decode(json.encode(facts))


async def a_round(house: House, *positions: int) -> None:
    """A whole round with a Royal 9 wager at each position, from an open table to an open one."""
    before = house.sign.meter("royal9-mega")
    await house.bet(*positions)
    await house.lock()
    await house.until(lambda: house.sign.meter("royal9-mega") == before + 50 * len(positions))  # 10% of $5
    house.deal(NOTHING)
    await house.until(lambda: house.sign.phase == "settled")
    await house.reopen()
    await house.agree()


def taken_by_a_consumer(messages: Iterable[tuple[str, bytes]], topic: str) -> list[dict[str, Any]]:
    """What is left of a topic for someone who drops what is lower than the last (epoch, seq), as the contract says."""
    taken: list[dict[str, Any]] = []
    for name, payload in messages:
        if name == topic and payload:
            message = json.decode(payload)
            if not taken or (message["epoch"], message["seq"]) >= (taken[-1]["epoch"], taken[-1]["seq"]):
                taken.append(message)
    return taken


def failures(house: House) -> list[str]:
    """Why the service ended, as its log has it."""
    return [line["why"] for line in house.logged("failed")]


async def stopped_by_itself(house: House) -> int:
    """SIGTERM; the exit code. `stop` fails the test where the process does not end."""
    began = time.monotonic()
    code = await house.stop()
    print(f"ended {time.monotonic() - began:.2f} s after SIGTERM with {code}")  # noqa: T201 -- for whoever measures
    return code


async def refused(house: House) -> str:
    """Start a controller that does not start; why."""
    begun = len(house.log)
    await house.start(ready=False)
    assert await house.ended() == 1, house.raw_log.decode()
    assert house.logged("ready", begun) == []
    (line,) = house.logged("refused-to-start", begun)
    return str(line["why"])


def save(journal: Path, copy: Path) -> None:
    """Copy a journal as a backup does, while it is in use or not."""
    with closing(sqlite3.connect(journal)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def take_back(house: House, copy: Path) -> None:
    """Put a copy in the place of the journal and all that lies beside it."""
    for path in house.folder.glob("journal.db*"):
        path.unlink()
    copy.rename(house.journal)


class Meddler:
    """A library loaded into the controller that sets its clock, and holds its disk, from outside."""

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc")
        if compiler is None:
            raise RuntimeError(f"no C compiler: install the Debian packages {PACKAGES} (.ci/debian {PACKAGES})")
        self._library, self._told = folder / "meddler.so", folder / "meddled"
        command = [compiler, "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-o", str(self._library)]
        done = subprocess.run([*command, str(MEDDLER)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"meddler.c: install the Debian packages {PACKAGES}, or mend it: {done.stderr}")
        self._told.write_bytes(bytes(_SECONDS_AND_HOLD))

    async def start(self, house: House, **environ: Any) -> None:  # noqa: ANN401 -- as the house has them
        """Start the controller with the library in it."""
        await house.start(LD_PRELOAD=str(self._library), MEDDLED=str(self._told), **environ)

    def set_clock(self, seconds: int) -> None:
        """Put the controller's clock this much ahead of the machine's; behind where it is less than nothing."""
        self._write(0, seconds)

    def hold_disk(self, *, held: bool) -> None:
        """Let no sync return, or let all return."""
        self._write(8, int(held))

    def _write(self, at: int, number: int) -> None:
        with self._told.open("r+b") as file:
            file.seek(at)
            file.write(number.to_bytes(8, "little", signed=True))
