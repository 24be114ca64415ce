"""docs/wiring.md, followed from the first command to the first wager that is in, on two simulated boards."""

import asyncio
import re
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from controller.asking import Client
from controller.journal.audit.verifying import verify
from controller.journal.reading import open_readonly
from controller.wire.broker import MqttSettings
from controller.wire.commands import LoginReply, Reply
from tests.documents.box import PATIENCE_S, PIN, Box
from tests.documents.reading import ROOT, blocks
from tests.documents.walking import installed, walk
from tests.mosquitto.broker import MISSING, WHY_SKIPPED

pytestmark = pytest.mark.skipif(bool(MISSING), reason=WHY_SKIPPED)
PAGE = ROOT / "docs/wiring.md"
SUPERVISOR = "ana.ruiz"  # whom the document lets in
# What $5 gives to each meter, as the document says it.
GIVES = {"royal9-mega": 50, "royal9-major": 20, "royal9-minor": 20, "royal9-mystery": 25}
OPENS = {"royal9-mega": 55_000_00, "royal9-major": 450_00, "royal9-minor": 450_00, "royal9-mystery": 250_00}


class Wired:
    """The technician at the table."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self._rail = box.plug_in()
        self._lamps = ""
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        assert self._rail.stdout is not None
        for line in self._rail.stdout:
            self._lamps = line.strip()

    def do(self, *words: str) -> None:
        """Chips laid and lifted, the button pressed and let go."""
        assert self._rail.stdin is not None
        for each in words:
            self._rail.stdin.write(f"{each}\n")

    def until(self, true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """What the controller says of itself, once this is so."""
        ends = time.monotonic() + PATIENCE_S
        while True:
            _, told = self.box.run("jackpotd status --config /etc/jackpotd/table.toml --json")
            status: dict[str, Any] = json.decode(told)
            if true(status["retained"]):
                return dict(status["retained"])
            assert time.monotonic() < ends, status

    def lamp(self, position: int, shows: str) -> dict[str, Any]:
        """Wait until a position's lamp shows this."""
        return self.until(lambda said: said["round"]["positions"][str(position)]["royal9"] == shows)

    def shine(self, lamps: str) -> None:
        """Wait until the outputs of both boards are these."""
        ends = time.monotonic() + PATIENCE_S
        while self._lamps != f"lamps {lamps}":
            assert time.monotonic() < ends, self._lamps
            time.sleep(0.02)

    def press(self) -> None:
        """The button, held until the bets are locked; input 8 of the left board."""
        self.do("on 1 7")
        self.until(lambda said: bool(said["round"]["phase"] == "locked"))
        self.do("off 1 7")

    def ask(self, *asked: tuple[str, dict[str, Any]]) -> list[Reply]:
        """Sign in at the console as the first supervisor, and do something."""
        return asyncio.run(self._ask(asked))

    async def _ask(self, asked: tuple[tuple[str, dict[str, Any]], ...]) -> list[Reply]:
        async with Client(self.broker, "valley-forge", "mb-07", password=self.password) as client:
            session = await client.ask("login", operator=SUPERVISOR, pin=PIN)
            assert isinstance(session, LoginReply), session
            replies = [await client.ask(name, token=str(session.token), **fields) for name, fields in asked]
        assert all(reply.ok for reply in replies), replies
        return replies

    @property
    def broker(self) -> MqttSettings:
        ca = str(self.box.root / "etc/jackpotd/ca.crt")
        return MqttSettings(host="localhost", port=self.box.port, tls=True, ca=ca, user="console")

    @property
    def password(self) -> str:
        return (self.box.root / "etc/credstore/jackpotd-console.mqtt-password").read_text().strip()


@pytest.fixture
def wired(tmp_path: Path) -> Iterator[Wired]:
    """A box installed up to step 5, its two boards plugged in, and the two files of the document."""
    box = Box(tmp_path)
    try:
        table = Wired(box)
        installed(box)
        box.configure()
        yield table
    finally:
        box.close()


@pytest.mark.verify
def test_a_table_wired_as_described_takes_its_first_wager(wired: Wired) -> None:
    """Every command, both files, and section 9 step by step."""
    assert walk(PAGE, wired.box) == []
    told = wired.until(lambda _: True)
    assert {meter: told[f"meters/{meter}"]["display_cents"] for meter in OPENS} == OPENS
    wired.shine("........ ........")
    wired.ask(("open-table", {}))
    wired.lamp(3, "invite")
    wired.do("on 1 2")
    wired.lamp(3, "placed")
    wired.press()
    told = wired.lamp(3, "accepted")
    won = bool(told["meters/royal9-mystery"]["hits"])  # one first wager in three thousand is also a mystery hit
    gave = {meter: told[f"meters/{meter}"]["display_cents"] - OPENS[meter] for meter in GIVES}
    assert won or gave == GIVES
    if not won:
        wired.shine("..#..... ........")
    wired.do("on 1 4")
    wired.lamp(5, "refused")
    wired.do("off 1 4")
    wired.ask(("void-round", {"round": told["round"]["round"], "reason": "technician's test"}))
    told = wired.until(lambda said: bool(said["round"]["phase"] == "open"))
    assert won or {meter: told[f"meters/{meter}"]["display_cents"] for meter in OPENS} == OPENS
    wired.do("off 1 2")
    wired.lamp(3, "invite")
    _close(wired)
    wired.until(lambda said: bool(said["round"]["phase"] == "closed"))
    wired.box.stop("controller")
    with open_readonly(wired.box.root / "var/lib/jackpotd/journal.db") as journal:
        assert verify(journal).bad is None
        (refused,) = journal.db.execute("SELECT count(*) FROM facts WHERE type = 'wager-refused'").fetchone()
    assert refused >= 1


def _close(wired: Wired) -> None:
    """Close the table with the program of docs/mqtt-commands.md."""
    (program,) = [block.text for block in blocks(ROOT / "docs/mqtt-commands.md") if block.kind == "python"]
    assert 'MqttSettings(host="broker.example", tls=True, user="console")' in program
    module: dict[str, Any] = {"__name__": "example"}
    exec(program.replace('MqttSettings(host="broker.example", tls=True, user="console")', "SETTINGS"), module)  # noqa: S102 -- the document's own code is what is tested
    module["SETTINGS"] = wired.broker
    asyncio.run(module["close"](PIN, wired.password))


def test_the_terminals_are_those_of_the_configuration() -> None:
    """The table of section 4, counted from 1, against the boards of section 6, counted from 0."""
    _, service = (tomllib.loads(block.text) for block in blocks(PAGE) if block.kind == "toml")
    rows = re.findall(
        r"^\| (left|right)[^|]* \| (inputs|outputs) 1 to (\d) \| (?:chip sensors|lamps) of positions (\d) to (\d) \|$",
        PAGE.read_text(),
        re.MULTILINE,
    )
    assert len(rows) == 4
    boards = {board["id"]: board for board in service["devices"]["rail"]["boards"]}
    for board, kind, last, first_position, last_position in rows:
        wired = boards[board]["inputs" if kind == "inputs" else "lamps"]
        places = {each["at"]: each["position"] for each in wired if "position" in each}
        expected = range(int(first_position), int(last_position) + 1)
        assert places == dict(zip(range(int(last)), expected, strict=True))
    assert [each["at"] for each in boards["left"]["inputs"] if each.get("button")] == [7]  # terminal 8
