"""The process: how it starts, what it tells systemd, how it ends, TLS, a proxy, and how much memory it takes."""

import asyncio
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from msgspec import json
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidStatus

from controller.console.limits import MOST_SOCKETS, SIGN_INS_PER_MINUTE, SOCKETS_PER_ADDRESS
from tests.console.house import NAME, Console, needs_a_house, serve
from tests.console.visitors import Visitor, alone
from tests.mosquitto.broker import MISSING, script
from tests.ports import free_port
from tests.service.house import WAIT_SECONDS, House
from tests.test_notify import Manager

MOST_MEMORY_KB = 100 * 1024


def memory_kb(pid: int) -> int:
    """What a process holds."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1])


def test_it_stops_at_once_though_browsers_hold_on(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        async with AsyncExitStack() as stack:
            for _ in range(3):
                await stack.enter_async_context(Visitor(console.port).follow())
            waiting = await asyncio.open_connection("127.0.0.1", console.port)
            assert await console.stop() == 0
            waiting[1].close()
        assert console.logged("stopping")

    alone(tmp_path, scene)


def test_it_tells_systemd_that_it_is_ready_alive_and_stopping(tmp_path: Path) -> None:
    async def main() -> None:
        manager = Manager(str(tmp_path / "notify"))
        told: list[bytes] = []

        async def until(enough: Callable[[], bool]) -> None:
            async with asyncio.timeout(WAIT_SECONDS):
                while not enough():
                    await asyncio.sleep(0.05)
                    told.extend(manager.heard())

        try:
            console = Console(tmp_path, free_port())
            await console.start(NOTIFY_SOCKET=manager.address, WATCHDOG_USEC="3000000")
            await until(lambda: told.count(b"WATCHDOG=1") >= 2)
            assert told[0] == b"READY=1"
            assert await console.stop() == 0
            await until(lambda: told[-1] == b"STOPPING=1")
        finally:
            manager.close()

    asyncio.run(main())


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        second = Console(tmp_path, free_port())
        second.config.write_text(second.config.read_text().replace(str(second.port), str(console.port)))
        process = await asyncio.create_subprocess_exec(
            *console_command(second), stderr=subprocess.PIPE, env=dict(os.environ)
        )
        _, said_ = await process.communicate()
        assert process.returncode == 2
        assert b"console.port" in said_

    alone(tmp_path, scene)


def console_command(console: Console) -> list[str]:
    return [sys.executable, "-m", "controller", "console", "--config", str(console.config)]


@pytest.mark.skipif(bool(MISSING), reason="openssl is not on this machine")
def test_with_a_certificate_it_speaks_tls_alone_and_says_so_to_browsers(tmp_path: Path) -> None:
    names = ["--name", "localhost", "--name", "table-7.pit"]
    assert script("make-certificates", "--dir", str(tmp_path / "tls"), *names).returncode == 0
    settings = (
        f'certificate = "{tmp_path}/tls/server.crt"\nkey = "{tmp_path}/tls/server.key"\nnames = ["table-7.pit"]\n'
        'host = "0.0.0.0"\n'
    )

    async def scene(console: Console) -> None:
        context = ssl.create_default_context(cafile=str(tmp_path / "tls/ca.crt"))
        visitor = Visitor(console.port, host=f"localhost:{console.port}", tls=context)
        await visitor.arrive()
        assert set(visitor.cookies) == {"__Host-jackpotd"}
        answer = await visitor.get("/api/session")
        assert answer.header("strict-transport-security").startswith("max-age=")
        fresh = await Visitor(console.port, host=visitor.host, tls=context).get("/api/session")
        assert "secure" in fresh.header("set-cookie").lower().split("; ")
        named = Visitor(console.port, host="table-7.pit", tls=context)
        assert (await named.get("/api/session")).status == 200
        assert (await Visitor(console.port, host="other.pit", tls=context).get("/api/session")).status == 403
        body = {"operator": "x", "pin": "1", "table": NAME}
        assert (await visitor.post("/api/sign-in", body, origin=f"http://{visitor.host}")).status == 403
        plain_reader, plain = await asyncio.open_connection("127.0.0.1", console.port)
        plain.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert not (await plain_reader.read(100)).startswith(b"HTTP/1.1 200")
        plain.close()

    alone(tmp_path, scene, settings=settings)


def test_behind_a_proxy_the_visitor_is_whom_it_names_and_elsewhere_nobody_may_name_one(tmp_path: Path) -> None:
    async def tried(console: Console, scheme: str) -> list[int]:
        visitor = Visitor(console.port)
        await visitor.arrive()
        own = {"origin": f"{scheme}://{visitor.host}"}
        statuses = []
        for number in range(SIGN_INS_PER_MINUTE + 2):
            told = {"x-forwarded-for": f"10.9.8.{number}", "x-forwarded-proto": "https"}
            body = {"operator": "x", "pin": "1", "table": "no/table"}
            statuses.append((await visitor.post("/api/sign-in", body, **own, **told)).status)
        return statuses

    async def behind(console: Console) -> None:
        assert await tried(console, "https") == [404] * (SIGN_INS_PER_MINUTE + 2)
        assert "secure" in (await Visitor(console.port).get("/api/session")).header("set-cookie").lower()

    async def elsewhere(console: Console) -> None:
        assert await tried(console, "http") == [404] * SIGN_INS_PER_MINUTE + [429] * 2

    alone(tmp_path, behind, settings="behind_proxy = true")
    alone(tmp_path, elsewhere)
    strange = 'behind_proxy = true\nproxies = ["10.0.0.9"]'  # the one that speaks to us is not that

    async def from_another(console: Console) -> None:
        assert await tried(console, "https") == [404] * SIGN_INS_PER_MINUTE + [429] * 2

    alone(tmp_path, from_another, settings=strange)


@needs_a_house
def test_two_hundred_browsers_fit_and_one_that_does_not_read_costs_nothing(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        assert console.process is not None
        phases: dict[int, str] = {}  # the newest that each browser was told of

        async def read(number: int, socket: ClientConnection) -> None:
            async for text in socket:
                told = json.decode(text)
                if told.get("topic") == "round":
                    phases[number] = told["message"]["phase"]

        async with AsyncExitStack() as stack:
            reading = []
            for number in range(200):
                visitor = Visitor(console.port, f"127.0.2.{number // SOCKETS_PER_ADDRESS + 1}")
                socket = await stack.enter_async_context(visitor.follow())
                reading.append(asyncio.create_task(read(number, socket)))
            # One that reads nothing.
            stuck = await asyncio.open_connection("127.0.0.1", console.port, limit=1024)
            stuck[1].write(
                f"GET /live?tables={NAME} HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
            )
            await house.open()
            await house.bet(1, 2, 3)
            await house.lock()
            await house.until(lambda: list(phases.values()) == ["locked"] * 200)
            assert memory_kb(console.process.pid) < MOST_MEMORY_KB
            stuck[1].close()
        await asyncio.gather(*reading)
        async with Visitor(console.port).follow() as socket:
            assert json.decode(await socket.recv())["type"] == "snapshot"
        assert console.process.returncode is None

    serve(tmp_path, scene)


def test_all_places_taken_is_told_and_one_given_back_is_free(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        async with AsyncExitStack() as stack:
            for number in range(MOST_SOCKETS):
                visitor = Visitor(console.port, f"127.0.3.{number // SOCKETS_PER_ADDRESS + 1}")
                await stack.enter_async_context(visitor.follow())
            with pytest.raises(InvalidStatus) as refused:
                await stack.enter_async_context(Visitor(console.port, "127.0.4.1").follow())
            assert refused.value.response.status_code == 429
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                try:
                    async with Visitor(console.port, "127.0.4.1").follow():
                        break
                except InvalidStatus:
                    await asyncio.sleep(0.05)

    alone(tmp_path, scene)


def test_killed_and_started_again_it_is_there(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        assert console.process is not None
        console.process.send_signal(signal.SIGKILL)
        await console.process.wait()
        await console.start()
        assert (await Visitor(console.port).get("/api/session")).status == 200

    alone(tmp_path, scene)
