"""`jackpotd status`: the live state over the controller's own socket, with the broker gone too."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest
from msgspec import json

from controller.service import socket
from tests.outlets.brokers import needs_mosquitto
from tests.service.house import House, in_a_house


async def status(house: House, *words: str) -> tuple[int, str]:
    asking = [sys.executable, "-m", "controller", "status", "--config", str(house.config), *words]
    asked = await asyncio.create_subprocess_exec(*asking, stdout=PIPE)
    said, _ = await asked.communicate()
    return asked.returncode or 0, said.decode()


@needs_mosquitto
def test_a_technician_sees_meters_devices_and_disk_and_what_is_wrong(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        code, said = await status(house)
        assert code == 1
        assert "no controller answers" in said
        code, said = await status(house, "--json")
        assert (code, json.decode(said)["state"]) == (1, "offline")
        await house.start()
        await house.open()
        code, said = await status(house)
        assert code == 0
        for word in ("valley-forge/mb-07 online", "round 1 open", "royal9-mega", "$55,000.00", "$1,000.00", "MB free"):
            assert word in said
        house.broker.kill()
        house.lines["rail"].unplug()
        await house.until(lambda: house.logged("broker-gone") and house.state().devices["royal9"].lost)
        code, said = await status(house)
        assert code == 1
        assert "faulted" in said
        assert "lost  royal9: " in said
        code, said = await status(house, "--json")
        told = json.decode(said)
        assert (code, told["state"], told["table"], told["mode"]) == (1, "faulted", "mb-07", "live")
        assert told["devices"]["royal9"]["state"] == "lost"
        assert told["health"]["outbox"] > 0
        assert any(each.startswith("broker: ") for each in told["health"]["warnings"])
        house.lines["rail"].plug()
        await house.broker.start()
        await house.until(lambda: house.sign.phase == "open")
        await house.agree()

    in_a_house(tmp_path, scene)


def test_a_socket_says_all_to_everyone_who_asks_and_is_gone_at_the_end(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 90) / ("y" * 90)  # longer than the kernel takes
    deep.mkdir(parents=True)
    path = socket.place({}, deep / "journal.db")

    async def main() -> None:
        large = b"z" * (3 * 1024 * 1024)
        async with socket.served(path, lambda: large):
            assert path.stat().st_mode & 0o777 == socket.MODE
            assert await asyncio.gather(*(socket.ask(path) for _ in range(5))) == [large] * 5
        assert not path.exists()
        path.touch()  # left behind by a kill
        async with socket.served(path, lambda: b"new"):
            assert await socket.ask(path) == b"new"
        async with socket.served(path, lambda: b"z" * (socket.MOST_BYTES + 1)):
            with pytest.raises(ValueError, match="that is no controller"):
                await socket.ask(path)

    asyncio.run(main())


def test_under_systemd_the_socket_is_where_such_things_are(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    assert socket.place({"RUNTIME_DIRECTORY": "/run/jackpotd"}, journal) == Path("/run/jackpotd/status.socket")
    assert socket.place({}, journal) == tmp_path / "journal.db.status.socket"
