"""The Modbus driver against an independent implementation of the other side: pymodbus's own serial server."""

import asyncio
import os
import tty
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pymodbus.server import ModbusSerialServer
from pymodbus.simulator import DataType, SimData, SimDevice

from drivers.driver import Place
from drivers.events import Absent, Button, Event, Faulted, Lost, Present
from drivers.modbus import Modbus
from drivers.modbus_settings import ModbusSettings
from drivers.simulated.line import BYTE_BY_BYTE, CLEAN, Condition, TwinLine

READ_COILS, READ_INPUTS, READ_REGISTERS = 1, 2, 4


class Pump:
    """Carries bytes between the driver's terminal and the server's own: a terminal's master end has no path."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.path = os.ttyname(self._slave)
        self.line: TwinLine | None = None
        asyncio.get_running_loop().add_reader(self._master, self._readable)

    def received(self, data: bytes) -> bytes:
        os.write(self._master, data)
        return b""

    def _readable(self) -> None:
        if self.line is not None:
            self.line.send(os.read(self._master, 4096))

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        os.close(self._slave)


def board(address: int) -> SimDevice:
    bits = [SimData(0, count=32, values=False, datatype=DataType.BITS)]
    words = [SimData(0, count=16, values=0, datatype=DataType.REGISTERS)]
    return SimDevice(address, (bits, bits, words, words), use_bit_addressing=True)


@asynccontextmanager
async def served(path: Path, condition: Condition) -> AsyncIterator[ModbusSerialServer]:
    pump = Pump()
    pump.line = TwinLine(path, pump, condition)
    pump.line.plug()
    server = ModbusSerialServer([board(1), board(2)], port=pump.path, baudrate=115200, ignore_missing_devices=True)
    await server.serve_forever(background=True)
    try:
        yield server
    finally:
        await server.shutdown()  # type: ignore[no-untyped-call]  # the library's own
        pump.line.unplug()
        pump.close()


BOARDS: list[dict[str, Any]] = [
    {
        "id": "left",
        "address": 1,
        "inputs": [
            *({"at": at, "position": at + 1, "wager": "royal9"} for at in range(10)),
            {"at": 12, "button": True, "counter": 2},
        ],
        "lamps": [{"at": at, "position": at + 1, "wager": "royal9"} for at in range(9)],
    },
    {"id": "right", "address": 2, "inputs": [{"at": 3, "position": 11, "wager": "royal9"}]},
    {"id": "absent", "address": 3, "inputs": [{"at": 0, "position": 12, "wager": "royal9"}]},
]


@pytest.mark.parametrize("condition", [CLEAN, BYTE_BY_BYTE], ids=["clean", "byte by byte"])
def test_boards_of_another_maker_s_code_are_read_and_lit(tmp_path: Path, condition: Condition) -> None:
    events: list[Event] = []

    async def take(found: Sequence[Event]) -> None:
        events.extend(found)

    async def until(true: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not true():
                await asyncio.sleep(0.005)

    def levels() -> dict[int, bool]:
        told = [event for event in events if isinstance(event, Present | Absent)]
        return {event.position: isinstance(event, Present) for event in told}

    async def main() -> None:
        async with served(tmp_path / "rail", condition) as server:
            settings = msgspec.convert(
                {
                    "port": str(tmp_path / "rail"),
                    "baudrate": 115200,
                    "poll_ms": 2,
                    "debounce_ms": 5,
                    "reply_ms": 200,
                    "stale_ms": 1500,
                    "boards": BOARDS,
                },
                ModbusSettings,
            )
            driver = Modbus("rail", settings, take, {})
            serving = asyncio.create_task(driver.run())
            await until(lambda: len(levels()) == 11)
            assert not any(levels().values())
            await server.async_setValues(1, READ_INPUTS, 0, [True, False, True, True])
            await server.async_setValues(2, READ_INPUTS, 3, [True])
            await until(lambda: {position for position, there in levels().items() if there} == {1, 3, 4, 11})
            await server.async_setValues(1, READ_INPUTS, 0, [False] * 4)
            await until(lambda: {position for position, there in levels().items() if there} == {11})
            await server.async_setValues(1, READ_INPUTS, 12, [True])
            await until(lambda: Button(device="left", pressed=True) in events)
            await server.async_setValues(1, READ_INPUTS, 12, [False])
            await until(lambda: events[-1] == Button(device="left", pressed=False))
            await server.async_setValues(1, READ_REGISTERS, 2, [1, 0])  # a press only the board saw
            await until(lambda: events[-2:] == [Button(device="left", pressed=on) for on in (True, False)])
            driver.show({Place(2, "royal9"): "accepted", Place(9, "royal9"): "accepted"})
            wanted = [at in {1, 8} for at in range(9)]
            coils: list[Any] = []
            async with asyncio.timeout(20):
                while coils != wanted:
                    coils = list(await server.async_getValues(1, READ_COILS, 0, 9))
                    await asyncio.sleep(0.005)
            # A board that is not there: the server answers in its place that it failed.
            await until(lambda: Lost(device="absent", reason="it failed") in events)
            assert [event.device for event in events if isinstance(event, Lost | Faulted)] == ["absent"]
            for name in ("left", "right"):
                assert driver.counters[name].bad_checksums == 0
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(main())
