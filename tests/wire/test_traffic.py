"""What a table says in a short evening is as the schemas say, and the guide's programs understand it."""

import asyncio
import re
import shlex
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec import json

from controller.core import inputs
from controller.core.meters import HITS_KEPT
from controller.outlets.broker import HEAD_EVERY, STATUS_SECONDS
from controller.vault import Vault
from controller.wire.channels import STATES, channel_of
from controller.wire.commands import MOST_AGE_SECONDS, Login
from controller.wire.messages import MOST_WHOLE
from controller.wire.schemas import schema_of
from tests.core.play import FLOOR
from tests.mosquitto.broker import BASE, MISSING, WHY_SKIPPED, Broker
from tests.outlets.test_broker import MINOR
from tests.ports import free_port
from tests.wire.tables import PATIENCE_S, playing
from tests.wire.validating import check

pytestmark = [pytest.mark.skipif(bool(MISSING), reason=WHY_SKIPPED), pytest.mark.slow]
ROOT = Path(__file__).parent.parent.parent
GUIDE = (ROOT / "docs/mqtt.md").read_text()
MEGA = "meters/royal9-mega"


@pytest.fixture
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """One for each test: what one table left retained another must not find."""
    broker = Broker(tmp_path_factory.mktemp("broker"))
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture(autouse=True)
def _low_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mystery value is the lowest there is, so that the first wager of a cycle hits."""
    low = Vault({"test": bytes(range(32))}, "test", randbelow=lambda _: 0)
    monkeypatch.setattr("tests.outlets.test_broker.vault", lambda: low)


class Output:
    """What a program prints, line by line."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        self._lines = process.stdout
        self.seen: list[str] = []

    async def until(self, true: Callable[[str], bool]) -> str:
        """The next line of which it is true."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                line = (await self._lines.readline()).decode().rstrip("\n")
                assert line or not self._lines.at_eof(), f"the program ended after {self.seen}"
                self.seen.append(line)
                if true(line):
                    return line

    async def until_begins(self, text: str) -> str:
        """The next line that begins so."""
        return await self.until(lambda line: line.startswith(text))


@asynccontextmanager
async def program(folder: Path, *words: str) -> AsyncIterator[Output]:
    process = await asyncio.create_subprocess_exec(*words, cwd=folder, stdout=PIPE, limit=2**20)
    try:
        yield Output(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def of_this_test(text: str, shipped: Broker) -> str:
    """A command or a program of the guide, with this broker's address."""
    assert "table-7.pit" in text
    return text.replace("table-7.pit", "localhost").replace("8883", str(shipped.port))


def guide(kind: str, has: str) -> str:
    """The one block of the guide of this kind that has this in it."""
    blocks: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)\n```$", GUIDE, re.MULTILINE | re.DOTALL)
    (found,) = [block for name, block in blocks if name == kind and has in block]
    return found


def test_a_whole_evening_is_as_the_schemas_say(shipped: Broker, tmp_path: Path) -> None:
    said: list[tuple[str, bytes]] = []

    def take(line: str) -> str:
        topic, _, payload = line.partition(" ")
        said.append((topic, payload.encode()))
        return topic.removeprefix(f"{BASE}/")

    async def main() -> None:
        words = [
            "mosquitto_sub",
            *shipped.where(),
            *shipped.who("witness"),
            "-q",
            "1",
            "-t",
            f"{BASE}/#",
            "-F",
            "%t %p",
        ]
        async with program(tmp_path, *words) as heard:
            async with playing(tmp_path / "t.db", shipped) as table:
                await heard.until(lambda line: take(line) == "status" and '"online"' in line)
                await table.round()
                await table.do(inputs.WagerPresent, position=1, wager="royal9")
                await table.do(inputs.Button)
                await table.do(inputs.HandComplete, **MINOR, source="shoe")
                part = {"device": "button", "device_kind": "button"}
                await table.do(inputs.DeviceLost, **part, detail="its board does not answer")
                await heard.until(lambda line: take(line) == "status" and '"faulted"' in line)
                await table.do(inputs.DeviceRestored, **part)
                for award in table.engine.state.pending():
                    await table.do(inputs.AwardValidated, by=FLOOR, award=award.id, method="slip", base_wager=True)
                await table.do(inputs.Button)
                await table.do(inputs.WagerPresent, position=2, wager="royal9")
                await table.do(inputs.Button)
                due = f'"display_cents":{table.engine.state.meters["royal9-mega"].display_cents},'
                await heard.until(lambda line: take(line) == MEGA and due in line)
                await table.do(inputs.RoundVoided, by=FLOOR, round=table.engine.state.round, reason="card exposed")
            await heard.until(lambda line: take(line) == "status" and '"stopped"' in line)

    asyncio.run(main())
    for topic, payload in said:
        check(topic, payload)
    names = {channel_of(topic).name for topic, _ in said}
    assert names == {channel.name for channel in STATES} - {"devices"}, "no device is wired here"
    kinds = {
        fact["type"] for topic, payload in said if topic.endswith("/events") for fact in json.decode(payload)["facts"]
    }
    assert {"locked-out", "award-validated", "round-voided", "device-changed"} <= kinds
    told = [json.decode(payload) for _, payload in said if payload]
    assert any("correction" in each for each in told)
    assert any(each.get("reveals") for each in told)
    assert any(each.get("hits") for each in told)


def test_the_guides_sign_shows_what_can_be_won_and_nothing_once_it_is_stale(shipped: Broker, tmp_path: Path) -> None:
    (shipped.folder / "sign.py").write_text(of_this_test(guide("python", "paho"), shipped))

    async def main() -> None:
        async with program(shipped.folder, sys.executable, "-W", "ignore", "sign.py") as sign:
            async with playing(tmp_path / "t.db", shipped) as table:
                await table.round()
                for id_, label in (("royal9-mega", "Royal 9 Mega"), ("royal9-minor", "Royal 9 Minor")):
                    cents = table.engine.state.meters[id_].display_cents
                    await sign.until_begins(f"{label} ${cents // 100:,}.{cents % 100:02}")
                await sign.until(lambda line: "Royal 9 Mystery" in line and "| position 1 won $" in line)
                assert not any("demonstration" in line for line in sign.seen)
            await sign.until_begins("Royal 9 Mega ---")
            async with playing(tmp_path / "t.db", shipped, epoch=5):
                await sign.until_begins("Royal 9 Mega $")

    asyncio.run(main())


def test_the_guides_sign_drops_what_is_older_and_believes_no_retained_status(shipped: Broker) -> None:
    (shipped.folder / "sign.py").write_text(of_this_test(guide("python", "paho"), shipped))
    stand = {"v": 1, "epoch": 9, "seq": 50, "at": "2026-11-16T21:04:05.123456Z"}
    meter = stand | {"label": "Royal 9 Mega", "state": "live", "hits": [], "display_cents": 200}
    status = stand | {"state": "online", "reason": "", "mode": "demonstration"}

    def say(topic: str, message: dict[str, object], *more: str) -> None:
        told = json.encode(message).decode()
        assert shipped.publish(shipped.who("controller"), f"{BASE}/{topic}", told, *more) == 0

    async def main() -> None:
        say("status", status, "-r")
        say(MEGA, meter, "-r")
        async with program(shipped.folder, sys.executable, "-W", "ignore", "sign.py") as sign:
            assert "---" in await sign.until_begins("Royal 9 Mega")
            say("status", status)
            await sign.until(lambda line: line.startswith("Royal 9 Mega $2.00") and line.endswith("(demonstration)"))
            say(MEGA, meter | {"seq": 49, "display_cents": 300})
            say(MEGA, meter | {"epoch": 8, "seq": 60, "display_cents": 400})
            say("status", status)
            say(MEGA, meter | {"epoch": 10, "seq": 1, "display_cents": 500})
            await sign.until_begins("Royal 9 Mega $5.00")
            assert not any("$3.00" in line or "$4.00" in line for line in sign.seen)
            say("status", status | {"seq": 3, "state": "offline", "reason": "lost"})  # a last will is older, and counts
            await sign.until_begins("Royal 9 Mega ---")

    asyncio.run(main())


def test_the_guides_commands_work_and_its_proof_proves(shipped: Broker, tmp_path: Path) -> None:
    watch, fetch = (of_this_test(guide("sh", has), shipped) for has in ("-u sign", "-u auditor-tool"))
    proving = shipped.folder / "proving.py"
    proving.write_text(guide("python", "hashlib"))

    async def main() -> None:
        async with playing(tmp_path / "t.db", shipped, epoch=20) as table:
            await table.round()
            async with program(shipped.folder, "sh", "-c", f"exec {watch}") as seen:
                await seen.until(lambda line: line.startswith(f"{BASE}/{MEGA} ") and '"epoch":20' in line)
                for line in filter(None, seen.seen):
                    check(*_message(line))
            cycle = table.engine.state.meters["royal9-mystery"].cycle
            assert cycle > 1, "it was hit"
            await _fetched(fetch, shipped.folder, cycle)

    asyncio.run(main())
    proof = json.decode((shipped.folder / "proof.json").read_bytes())
    assert proven(proving) == [f"{reveal['cycle']} True" for reveal in proof["reveals"]]
    assert proof["reveals"]
    proof["reveals"][0]["value_cents"] += 1
    (shipped.folder / "proof.json").write_bytes(json.encode(proof))
    assert proven(proving)[0].endswith(" False")


def _message(line: str) -> tuple[str, bytes]:
    topic, _, payload = line.partition(" ")
    return topic, payload.encode()


async def _fetched(fetch: str, folder: Path, cycle: int) -> None:
    """Fetch the proof as the guide does until it is that of the running cycle."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            process = await asyncio.create_subprocess_shell(fetch, cwd=folder)
            assert await process.wait() == 0
            if json.decode((folder / "proof.json").read_bytes())["cycle"] == cycle:
                return


def proven(path: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-W", "ignore", path.name], cwd=path.parent, capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def test_a_page_gets_in_by_the_listener_of_the_guide(tmp_path: Path) -> None:
    """With the same sign, over WebSockets."""
    shipped, port = Broker(tmp_path), free_port()
    listener = guide("text", "protocol websockets").replace("/etc/mosquitto/jackpotd", str(tmp_path))
    (tmp_path / "conf.d/websockets.conf").write_text(listener.replace("8884", str(port)) + "\n")
    code = of_this_test(guide("python", "paho"), shipped).replace("VERSION2)", 'VERSION2, transport="websockets")')
    (tmp_path / "sign.py").write_text(code.replace(str(shipped.port), str(port)))

    async def main() -> None:
        sign = program(tmp_path, sys.executable, "-W", "ignore", "sign.py")
        async with sign as seen, playing(tmp_path / "t.db", shipped):
            await seen.until_begins("Royal 9 Mega $")

    shipped.start()
    try:
        asyncio.run(main())
    finally:
        shipped.stop()


def test_the_guides_javascript_names_the_topics_of_the_sign() -> None:
    assert shlex.split(guide("sh", "-u sign"))[-1] == f"{BASE}/meters/+"
    assert f'"{BASE}/" + topic' in guide("javascript", "mqtt.connect")


def test_the_guides_figures_are_those_of_the_code_and_of_the_broker() -> None:
    broker = (ROOT / "config/mosquitto/jackpotd.conf").read_text()
    assert "max_queued_messages 10000\n" in broker
    assert "persistent_client_expiration 1d\n" in broker
    assert "up to 10000 messages for you, for\n  a day" in GUIDE
    assert (HEAD_EVERY, STATUS_SECONDS, HITS_KEPT, MOST_WHOLE) == (100, 2, 25, 2**53 - 1)
    assert all(text in GUIDE for text in ("every hundred facts", "`status` comes every two", "last 25 values", "2⁵³"))
    assert MOST_AGE_SECONDS == 30
    assert "More than 30 s" in schema_of(Login)["properties"]["at"]["description"]


def test_the_guide_tells_what_each_user_reads() -> None:
    rights = (ROOT / "config/mosquitto/acl").read_text()
    read = {"round", "awards/#", "proofs/#", "devices/#", "journal/head", "events"}
    for user, more in (("sign", set()), ("auditor-tool", read), ("console", read - {"events"})):
        lines = rights.partition(f"user {user}\n")[2].partition("\nuser ")[0].splitlines()
        found = {line.partition("SITE/TABLE/")[2] for line in lines if line.startswith("topic read ")}
        assert found - {f"replies/{user}/+"} == {"status", "meters/#"} | more
