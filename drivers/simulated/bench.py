"""A simulated device on a pseudo-terminal that obeys words: for a technician who has no hardware at hand yet."""

import asyncio
import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from drivers.driver import Place
from drivers.simulated.cctalk import COINS, Acceptor, AcceptorBus
from drivers.simulated.dealer import Dealer
from drivers.simulated.line import Twin, TwinLine
from drivers.simulated.modbus import Board, Bus
from drivers.simulated.players import Table
from drivers.simulated.shoe import AngelEyeTwin, ShoeTwin, TextShoeTwin, tell

BOARD_INPUTS = 10  # nine positions and the button
BUTTON = 9
PRESS_SECONDS = 0.15  # a finger on a button

Say = Callable[[str], None]
Word = Callable[..., None]


class WordError(Exception):
    """A word that is not understood; the message says which are."""


class Bench:
    """One twin on its line, the words it obeys, and a way to play by itself."""

    def __init__(self, path: Path, twin: Twin, words: Mapping[str, Word], settings: str) -> None:
        self.line = TwinLine(path, twin)
        self.settings = settings  # what a configuration says to use it
        self.words: dict[str, Word] = {**words, "unplug": self.line.unplug, "plug": self.line.plug}

    def obey(self, said: str) -> None:
        """Do what a line of words says."""
        word, *numbers = said.split()
        try:
            self.words[word](*map(int, numbers))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise WordError(f"{said!r}: say one of {', '.join(self.words)}, with its numbers") from error

    async def play(self) -> None:
        """Do what people do with it, for ever."""
        await asyncio.Event().wait()


class ModbusBench(Bench):
    """A board with nine chip sensors, the button and nine lamps."""

    def __init__(self, path: Path, say: Say) -> None:
        loop = asyncio.get_running_loop()
        self.board = Board(1, inputs=16, coils=16)
        self._say = say
        self._shown = list(self.board.coils)
        self._bus = Bus([self.board], loop.time)
        words: dict[str, Word] = {
            "on": lambda at: self.board.sense(at, on=True),
            "off": lambda at: self.board.sense(at, on=False),
            "pulse": self.board.pulse,
            "restart": self.board.restart,
            "silence": lambda: self._bus.silent.add(1),
            "answer": self._bus.silent.clear,
        }
        inputs = ", ".join(f'{{ at = {at}, position = {at + 1}, wager = "royal9" }}' for at in range(BUTTON))
        super().__init__(
            path,
            self,
            words,
            f'[devices.bench]\ndriver = "modbus"\nport = "{path}"\n\n'
            f'[[devices.bench.boards]]\nid = "bench"\naddress = 1\n'
            f"inputs = [{inputs}, {{ at = {BUTTON}, button = true }}]\nlamps = [{inputs}]\n",
        )

    def received(self, data: bytes) -> bytes:
        """Answer as a board does, and say what its lamps show where that changed."""
        reply = self._bus.received(data)
        if self.board.coils != self._shown:
            self._shown = list(self.board.coils)
            self._say("lamps " + "".join("#" if on else "." for on in self._shown))
        return reply

    async def play(self) -> None:
        """Players and a dealer at nine positions."""
        table = Table(BUTTON, ["royal9"], self, random.Random())
        while True:
            played = await table.play()
            self._say(f"round {len(table.rounds)}: bets at {sorted(place.position for place in played.bets)}")

    async def chip(self, place: Place, *, there: bool) -> None:
        """Put a chip on a sensor, or take it off."""
        self.board.sense(place.position - 1, on=there)

    async def press(self) -> None:
        """Press the button and let it go."""
        self.board.sense(BUTTON, on=True)
        await asyncio.sleep(PRESS_SECONDS)
        self.board.sense(BUTTON, on=False)

    async def deal(self) -> None:
        """There is no shoe on this line."""

    async def pause(self, seconds: float) -> None:
        """Take the time people take."""
        await asyncio.sleep(seconds)


class CcTalkBench(Bench):
    """A coin acceptor at address 2."""

    def __init__(self, path: Path, say: Say) -> None:
        self.acceptor = Acceptor()
        self._say = say
        super().__init__(
            path,
            AcceptorBus([self.acceptor]),
            {"coin": self._coin, "reset": self.acceptor.reset},
            f'[devices.bench]\ndriver = "cctalk"\nport = "{path}"\n\n[[devices.bench.acceptors]]\nid = "slot-1"\n'
            'position = 1\nwager = "royal9"\ncoins = [1]\n',
        )

    def _coin(self, coin: int) -> None:
        self._say(f"coin {coin} {'taken' if self.acceptor.insert(coin) else 'refused'}")

    async def play(self) -> None:
        """Someone drops in a coin now and then, mostly the right one."""
        while True:
            await asyncio.sleep(random.uniform(1, 4))
            self._coin(1 if random.random() < 0.9 else random.randrange(1, COINS + 1))  # noqa: PLR2004 -- mostly


class ShoeBench(Bench):
    """A shoe that is dealt from."""

    def __init__(self, path: Path, say: Say, driver: str, twin: ShoeTwin) -> None:
        self._say = say
        self._shoe = twin
        self._dealer = Dealer(random.randrange(2**32))
        settings = f'[devices.bench]\ndriver = "{driver}"\nport = "{path}"\n'
        super().__init__(path, twin, {"deal": self._deal, "cancel": self._cancel}, settings)

    def _deal(self) -> None:
        played = self._dealer.deal()
        self._say(f"player {' '.join(played.player)}, banker {' '.join(played.banker)}: {played.result}")
        for message in tell(played, self._shoe):
            self._send(message)

    def _cancel(self) -> None:
        self._send(self._shoe.cancel())

    def _send(self, message: bytes) -> None:
        """A wire without a listener loses what is said on it."""
        with suppress(OverflowError):
            self.line.send(message)

    async def play(self) -> None:
        """Deal a round now and then."""
        while True:
            await asyncio.sleep(random.uniform(3, 8))
            self._deal()


BENCHES: dict[str, Callable[[Path, Say], Bench]] = {
    "modbus": ModbusBench,
    "cctalk": CcTalkBench,
    "angel-eye": lambda path, say: ShoeBench(path, say, "angel-eye", AngelEyeTwin()),
    "text-shoe": lambda path, say: ShoeBench(path, say, "text-shoe", TextShoeTwin()),
}
