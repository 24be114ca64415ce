"""The broker of a demonstration: loopback only, nobody without a password, and nothing for who did not ask for it."""

import asyncio
import socket
import subprocess
import sys
from contextlib import suppress

import aiomqtt
import pytest
from amqtt.broker import Broker  # type: ignore[import-untyped]  # it ships no types
from msgspec import json

from controller.demo.broker import LOOPBACK, LoopbackBroker, Told
from controller.demo.rights import CONSOLE, CONTROLLER, RIGHTS, SIGN, STAFF, covers, may_read, may_write
from tests.demo.brokers import BASE, PASSWORDS, broker, client, heard


class LeakyBroker(LoopbackBroker):
    """The same without what closes the leak."""

    _publish_retained_messages_for_subscription = Broker._publish_retained_messages_for_subscription  # noqa: SLF001 -- what is put back is private


def overheard(kind: type[LoopbackBroker]) -> list[str]:
    """What a sign gets that has asked for the status, while somebody else has asked for awards."""

    async def main() -> list[str]:
        async with broker(kind) as at, client(at, CONTROLLER) as controller, client(at, STAFF) as staff:
            await controller.publish(f"{BASE}/awards/mb-01-7-1", b"an award", qos=1, retain=True)
            await controller.publish(f"{BASE}/status", b"online", qos=1, retain=True)
            await staff.subscribe(f"{BASE}/awards/+", qos=1)
            assert await heard(staff, f"{BASE}/awards/mb-01-7-1")
            async with client(at, SIGN) as sign:
                await sign.subscribe(f"{BASE}/status", qos=1)
                return [topic for topic, _ in await heard(sign, f"{BASE}/status")]

    return asyncio.run(main())


def test_who_has_not_asked_for_a_retained_message_does_not_get_it() -> None:
    assert overheard(LoopbackBroker) == [f"{BASE}/status"]


def test_the_library_by_itself_gives_retained_messages_to_whoever_connects() -> None:
    # When this fails the leak is closed in amqtt, and our own lines against it may go.
    assert overheard(LeakyBroker) == [f"{BASE}/awards/mb-01-7-1", f"{BASE}/status"]


def test_it_listens_on_loopback_alone() -> None:
    async def main() -> list[str]:
        async with broker() as at:
            return [each.getsockname()[0] for each in at._servers["default"].instance.sockets]  # noqa: SLF001 -- nothing public tells

    assert asyncio.run(main()) == [LOOPBACK]


@pytest.mark.parametrize(
    ("user", "password"), [("", ""), (CONTROLLER, "wrong"), ("nobody", "wrong"), (SIGN, PASSWORDS[CONTROLLER])]
)
def test_nobody_comes_in_without_the_password(user: str, password: str) -> None:
    async def main() -> None:
        async with broker() as at:
            with pytest.raises(aiomqtt.MqttError, match=r"(?i)not auth"):
                async with client(at, user, password):
                    pass

    asyncio.run(main())


def test_what_a_user_may_not_say_nobody_hears() -> None:
    async def main() -> list[tuple[str, bytes]]:
        async with broker() as at, client(at, CONTROLLER) as controller, client(at, SIGN) as sign:
            await controller.subscribe(f"{BASE}/meters/#", qos=1)
            await sign.publish(f"{BASE}/meters/harmony", b"a sign's own", qos=1, retain=True)
            await controller.publish(f"{BASE}/meters/royal9-mega", b"true", qos=1, retain=True)
            return await heard(controller, f"{BASE}/meters/royal9-mega")

    assert asyncio.run(main()) == [(f"{BASE}/meters/royal9-mega", b"true")]


def test_what_a_user_may_not_hear_is_refused() -> None:
    async def main() -> None:
        async with broker() as at, client(at, SIGN) as sign:
            (granted,) = await sign.subscribe(f"{BASE}/awards/+", qos=1)
            assert getattr(granted, "value", granted) == 0x80

    asyncio.run(main())


def test_a_command_reaches_the_controller_and_its_reply_only_who_asked() -> None:
    async def main() -> None:
        async with broker() as at, client(at, CONTROLLER) as controller, client(at, STAFF) as staff:
            await controller.subscribe(f"{BASE}/commands/+/+", qos=1)
            await staff.subscribe(f"{BASE}/replies/{STAFF}/+", qos=1)
            await staff.publish(f"{BASE}/commands/{STAFF}/open-table", b"{}", qos=1)
            await heard(controller, f"{BASE}/commands/{STAFF}/open-table")
            await controller.publish(f"{BASE}/replies/{CONSOLE}/1", b"other", qos=1)
            await controller.publish(f"{BASE}/replies/{STAFF}/2", b"own", qos=1)
            assert await heard(staff, f"{BASE}/replies/{STAFF}/2") == [(f"{BASE}/replies/{STAFF}/2", b"own")]

    asyncio.run(main())


def test_messages_come_in_their_order_and_the_last_will_is_told() -> None:
    async def main() -> None:
        async with broker() as at, client(at, STAFF) as staff:
            await staff.subscribe(f"{BASE}/round", qos=1)
            await staff.subscribe(f"{BASE}/status", qos=1)
            will = aiomqtt.Will(f"{BASE}/status", b"offline", 1, retain=True)
            lost = aiomqtt.Client(LOOPBACK, at.port, username=CONTROLLER, password=PASSWORDS[CONTROLLER], will=will)
            with suppress(aiomqtt.MqttError):
                async with lost:
                    for number in range(200):
                        await lost.publish(f"{BASE}/round", str(number).encode(), qos=1, retain=True)
                    wire = lost._client.socket()  # noqa: SLF001 -- a cable is cut below the library
                    assert isinstance(wire, socket.socket)
                    wire.shutdown(socket.SHUT_RDWR)
                    await heard(lost, "nothing")
            found = await heard(staff, f"{BASE}/status")
            assert [payload for _, payload in found] == [*(str(number).encode() for number in range(200)), b"offline"]

    asyncio.run(main())


def test_it_runs_as_a_process_that_ends_with_who_started_it() -> None:
    told = json.encode(Told(passwords=PASSWORDS))
    command = [sys.executable, "-m", "controller.demo.broker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(told)
        process.stdin.flush()
        port = int(process.stdout.readline())
        with socket.create_connection((LOOPBACK, port), timeout=20):
            pass
        process.stdin.close()
        assert process.wait(timeout=20) == 0


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = json.encode(Told(passwords=PASSWORDS, port=port))
        command = [sys.executable, "-m", "controller.demo.broker"]
        ended = subprocess.run(command, input=told, capture_output=True, check=False, timeout=30)
    assert ended.returncode == 1
    assert f"cannot listen on port {port}" in ended.stderr.decode()


@pytest.mark.parametrize(
    ("allowed", "wanted", "is_covered"),
    [
        ("a/#", "a/b/c", True),
        ("a/#", "a/#", True),
        ("a/#", "a", True),
        ("a/#", "#", False),
        ("a/+", "a/b", True),
        ("a/+", "a/+", True),
        ("a/+", "a/#", False),
        ("a/+", "a/b/c", False),
        ("a/b", "a/+", False),
        ("a/b", "a/b", True),
        ("a/b", "a", False),
    ],
)
def test_a_filter_covers_another_only_if_it_matches_all_of_it(allowed: str, wanted: str, is_covered: bool) -> None:
    assert covers(allowed, wanted) is is_covered


def test_rights_are_those_of_the_role() -> None:
    assert [user for user in RIGHTS if may_write(user, f"{BASE}/meters/harmony")] == [CONTROLLER]
    assert [user for user in RIGHTS if may_read(user, f"{BASE}/awards/+")] == [CONTROLLER, CONSOLE, STAFF]
    assert [user for user in RIGHTS if may_read(user, f"{BASE}/replies/{STAFF}/+")] == [STAFF]
    assert [user for user in RIGHTS if may_write(user, f"{BASE}/commands/{STAFF}/login")] == [STAFF]
    assert not any(may_read(user, "#") or may_write(user, "jackpot/valley-forge/mb-01/status") for user in RIGHTS)
    assert not may_read("nobody", f"{BASE}/status")
