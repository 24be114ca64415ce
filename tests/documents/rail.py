"""`python -m tests.documents.rail PATH`: two boards on a pseudo-terminal, as docs/wiring.md has them.

It obeys lines on standard input: `on 1 0` and `off 1 0` for input 0 of the board with address 1. Whenever a coil
changes it says what all of them are.
"""

import asyncio
import sys
from pathlib import Path

from controller.cli.output import say
from drivers.simulated.line import TwinLine
from drivers.simulated.modbus import Board, Bus


class Rail:
    """Both boards; what their coils show is told when it changes."""

    def __init__(self) -> None:
        self.boards = {address: Board(address) for address in (1, 2)}
        self._bus = Bus(list(self.boards.values()), asyncio.get_running_loop().time)
        self._shown = ""

    def received(self, data: bytes) -> bytes:
        """Answer as boards do."""
        reply = self._bus.received(data)
        self.tell()
        return reply

    def tell(self) -> None:
        """The lamps, where they changed."""
        shown = " ".join("".join("#" if on else "." for on in board.coils) for board in self.boards.values())
        if shown != self._shown:
            self._shown = shown
            say(f"lamps {shown}")

    def obey(self, word: str, address: int, at: int) -> None:
        """A chip is laid or lifted, the button pressed or let go."""
        self.boards[address].sense(at, on=word == "on")


async def main(path: Path) -> None:
    """Serve until the input ends."""
    rail = Rail()
    line = TwinLine(path, rail)
    line.plug()
    say("plugged")
    words = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(words), sys.stdin)
    while said := (await words.readline()).decode().split():
        rail.obey(said[0], int(said[1]), int(said[2]))
    line.unplug()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
