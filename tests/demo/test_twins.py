"""Twins of a demonstration: hands wait for what was read of the board and said of the table, and for nothing else."""

import asyncio

from controller.demo.twins import READINGS, ReadBoard
from drivers import modbus_rtu as rtu

READ_ALL = (0).to_bytes(2, "big") + (16).to_bytes(2, "big")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_change_is_known_when_it_was_read_often_enough() -> None:
    async def main() -> None:
        board = ReadBoard(1, 0, Clock())
        await board.settled()  # nothing has changed
        board.sense(3, on=True)
        known = asyncio.create_task(board.settled())
        for _ in range(READINGS - 1):
            board.answer(rtu.READ_INPUTS, READ_ALL)
            await asyncio.sleep(0)
        assert not known.done()
        assert board.fresh == {3}
        board.answer(rtu.READ_COILS, READ_ALL)  # lamps tell nothing about chips
        await asyncio.sleep(0)
        assert not known.done()
        board.answer(rtu.READ_INPUTS, READ_ALL)
        await known
        assert board.fresh == set()

    asyncio.run(main())


def test_with_a_debounce_only_readings_after_it_count() -> None:
    async def main() -> None:
        clock = Clock()
        board = ReadBoard(1, 0.25, clock)
        board.sense(3, on=True)
        known = asyncio.create_task(board.settled())
        for _ in range(10):
            board.answer(rtu.READ_INPUTS, READ_ALL)
        clock.now += 0.25
        for _ in range(READINGS - 1):
            board.answer(rtu.READ_INPUTS, READ_ALL)
        await asyncio.sleep(0)
        assert not known.done()
        board.sense(4, on=True)  # another chip, and all of it begins anew
        for _ in range(READINGS):
            board.answer(rtu.READ_INPUTS, READ_ALL)
        await asyncio.sleep(0)
        assert not known.done()
        clock.now += 0.25
        for _ in range(READINGS):
            board.answer(rtu.READ_INPUTS, READ_ALL)
        await known

    asyncio.run(main())
