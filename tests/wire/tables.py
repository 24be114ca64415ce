"""A real table at a real Mosquitto with the shipped configuration: TLS, users and rights, as a sign meets it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from controller.mqtt import end
from controller.outlets.broker import Broker
from controller.outlets.heads import Identity
from controller.wire.broker import MqttSettings
from tests.mosquitto.broker import Broker as Shipped
from tests.outlets.test_broker import Table

PATIENCE_S = 60


@asynccontextmanager
async def playing(path: Path, shipped: Shipped, epoch: int = 4) -> AsyncIterator[Table]:
    """An open table that speaks as the user `controller`; in the end it says that it stops."""
    table = Table(path, shipped.port)
    settings = MqttSettings(
        host="localhost", port=shipped.port, tls=True, ca=str(shipped.folder / "ca.crt"), user="controller"
    )
    identity = Identity(site="valley-forge", table="mb-07", epoch=epoch)
    table.broker = Broker(
        settings, identity, table.engine, table.journal, table.clock, password=shipped.password("controller")
    )
    tasks = [asyncio.create_task(table.engine.run())]
    if not table.journal.head().seq:
        await table.open()  # what stands nowhere is not said: the service too begins with a fact
    tasks.append(asyncio.create_task(table.broker.run()))
    try:
        async with asyncio.timeout(PATIENCE_S):
            await table.broker.connected.wait()
        yield table
    finally:
        table.broker.close("offline", "stopped")
        await asyncio.wait(tasks[1:], timeout=PATIENCE_S)
        await end(*tasks)
        table.journal.close()
