"""The whole service against the broker as it is shipped: TLS, a password for each user, and their rights."""

import asyncio
from pathlib import Path

import pytest

from controller.mqtt import end
from controller.wire.broker import MqttSettings
from tests.mosquitto.broker import MISSING, WHY_SKIPPED, Broker
from tests.outlets.brokers import Mosquitto
from tests.service.house import House

pytestmark = pytest.mark.skipif(bool(MISSING), reason=WHY_SKIPPED)


class GuardedHouse(House):
    """A house whose broker knows its users."""

    guard: Broker

    def speaking_as(self, user: str) -> tuple[MqttSettings, str | None]:
        settings = MqttSettings(
            host="localhost", port=self.guard.port, tls=True, ca=str(self.guard.folder / "ca.crt"), user=user
        )
        return settings, self.guard.password(user)


def test_a_round_over_tls_with_the_rights_that_are_shipped(tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    guard = Broker(tmp_path / "broker")
    guard.start()

    async def main() -> None:
        GuardedHouse.guard = guard
        broker = Mosquitto(tmp_path)  # not started: only its port is asked for
        broker.port = guard.port
        ca = str(guard.folder / "ca.crt")
        house = GuardedHouse(tmp_path, broker, host="localhost", tls=True, ca=ca, user="controller")
        await house.prepare()
        (house.keys / "mqtt-password").write_text(guard.password("controller"))
        for line in house.lines.values():
            line.plug()
        watching = asyncio.create_task(house.sign.run())
        try:
            await house.start()
            await house.open()
            await house.bet(1, 2)
            await house.lock()
            await house.agree()
            await house.sign_in("abe")
            reply = await house.do("query-operators", by="abe")
            assert {row["operator"] for row in reply["operators"]} >= {"sue", "abe"}
            # Another client asks with the auditor's token: it is the console's, and good nowhere else.
            stolen = await house.ask("query-operators", client="auditor-tool", token=house.tokens["abe"])
            assert stolen["error"] == "not-allowed"
            assert await house.stop() == 0
            await house.until(lambda: house.sign.state == "offline")
        finally:
            if house.process is not None and house.process.returncode is None:
                await house.kill()
            await end(watching)
            for line in house.lines.values():
                line.unplug()

    try:
        asyncio.run(main())
    finally:
        guard.stop()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"password": "wrong"}, "not authori"),
        ({"ca": ""}, "certificate verify failed"),
        ({"user": "sign"}, "not authori"),
    ],
)
def test_a_broker_that_does_not_know_us_is_told_in_the_log(tmp_path: Path, change: dict[str, str], why: str) -> None:
    (tmp_path / "broker").mkdir()
    guard = Broker(tmp_path / "broker")
    guard.start()

    async def main() -> None:
        GuardedHouse.guard = guard
        broker = Mosquitto(tmp_path)
        broker.port = guard.port
        ca = change.get("ca", str(guard.folder / "ca.crt"))
        user = change.get("user", "controller")
        house = GuardedHouse(tmp_path, broker, host="localhost", tls=True, user=user, grace_s=0, ca=ca)
        await house.prepare()
        (house.keys / "mqtt-password").write_text(change.get("password", guard.password("controller")))
        for line in house.lines.values():
            line.plug()
        try:
            await house.start(ready=False)
            await house.until(lambda: house.logged("broker-not-reached"))
            assert why in house.logged("broker-not-reached")[0]["why"].lower()
            await house.until(lambda: house.logged("ready"))
            assert house.state().devices["broker"].lost
            assert await house.stop() == 0
        finally:
            if house.process is not None and house.process.returncode is None:
                await house.kill()
            for line in house.lines.values():
                line.unplug()

    try:
        asyncio.run(main())
    finally:
        guard.stop()
