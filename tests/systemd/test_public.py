"""The listener for the public as the manual has it: its file, its unit's own command, and a broker with users."""

import asyncio
import os
import re
import shlex
import ssl
import tomllib
from pathlib import Path

import pytest
from msgspec import json
from websockets.asyncio.client import connect

from controller.console.settings import read
from controller.wire.examples import EXAMPLES
from controller.wire.messages import Meter
from tests.console.house import NAME
from tests.console.visitors import Visitor, said
from tests.mosquitto.broker import BASE, MISSING, WHY_SKIPPED, Broker, script
from tests.ports import free_port
from tests.service.program import WAIT_SECONDS, Program
from tests.systemd.test_units import ROOT, settings

pytestmark = pytest.mark.skipif(bool(MISSING), reason=WHY_SKIPPED)
UNIT = "jackpotd-public.service"
METER = json.encode(next(iter(EXAMPLES[Meter].values()))).decode()


def manual() -> str:
    """The file that the manual shows."""
    (found,) = [
        each
        for each in re.findall(r"```toml\n(.*?)```", (ROOT / "docs/console.md").read_text(), re.DOTALL)
        if "public = true" in each
    ]
    return str(found)


def test_the_unit_starts_what_the_manual_says_with_what_systemd_gives(tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    broker = Broker(tmp_path / "broker")
    broker.start()
    etc, credentials, port = tmp_path / "etc", tmp_path / "credentials", free_port()
    made = script("make-certificates", "--dir", str(etc), "--name", "localhost", "--name", "jackpots.example")
    assert made.returncode == 0
    for ours, theirs in (("public.crt", "server.crt"), ("public.key", "server.key")):
        (etc / theirs).rename(etc / ours)
    file = etc / "public.toml"
    text = manual().replace("/etc/jackpotd/ca.crt", str(broker.folder / "ca.crt")).replace("/etc/jackpotd/", f"{etc}/")
    text = text.replace("port = 443", f"port = {port}").replace("table-7.pit", "localhost")
    file.write_text(text.replace("tls = true", f"tls = true\nport = {broker.port}"))
    (credential,) = [each.partition(":")[0] for each in settings(UNIT)["LoadCredential"]]
    credentials.mkdir(mode=0o700)
    (credentials / credential).write_text(broker.password("public"))
    (command,) = settings(UNIT)["ExecStart"]
    program, *words = shlex.split(command)
    assert program == "/opt/jackpotd/bin/jackpotd"
    words = [word.replace("/etc/jackpotd/public.toml", str(file)) for word in words]
    # Nothing of this shell's: what the unit sets, and what systemd sets for every service.
    environ = dict(each.split("=", 1) for each in settings(UNIT)["Environment"][0].split())
    environ |= {"CREDENTIALS_DIRECTORY": str(credentials), "PATH": os.defpath, "HOME": "/", "LANG": "C.UTF-8"}

    async def main() -> None:
        console = Program()
        await console.launch(*words, env=environ)
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                while not console.logged("broker-connected"):
                    assert console.runs, console.raw_log.decode()
                    await asyncio.sleep(0.05)
            trusting = ssl.create_default_context(cafile=str(etc / "ca.crt"))
            visitor = Visitor(port, host="jackpots.example", tls=trusting)
            for path in ("/signage", "/proof"):
                assert (await visitor.get(path)).status == 200
            for path in ("/table", "/api/session"):
                assert (await visitor.get(path)).status == 404
            here = f"localhost:{port}"
            origin = f"https://{here}"
            async with connect(f"wss://{here}/live?tables={NAME}", origin=origin, ssl=trusting) as socket:  # type: ignore[arg-type]  # a name for a text
                who = broker.who("controller")
                assert await asyncio.to_thread(broker.publish, who, f"{BASE}/meters/harmony", METER) == 0
                await said(socket, lambda each: each.get("topic") == "meters/harmony")
            assert await console.stop() == 0, console.raw_log.decode()
        finally:
            if console.runs:
                await console.kill()

    try:
        asyncio.run(main())
    finally:
        broker.stop()


def test_the_manual_s_file_is_one_and_names_what_the_broker_knows(tmp_path: Path) -> None:
    file = tmp_path / "public.toml"
    file.write_text(manual())
    found = read(file)
    assert found.console.public
    assert found.client == found.mqtt.user == "public"
    assert found.mqtt.address()[1] == 8883  # the shipped broker has no other listener
    assert found.tables == (NAME,)
    assert tomllib.loads(manual())["console"]["port"] < 1024, "the unit's capability is for this"
