"""One table of a demonstration: its folder, devices, controller, people, and what it says."""

import asyncio
from collections.abc import Mapping
from random import Random
from time import monotonic

from controller import mqtt
from controller.demo.asking import Asking
from controller.demo.children import Child, jackpotd
from controller.demo.configuration import POSITIONS, WAGERS, configuration
from controller.demo.pace import Pace
from controller.demo.people import enrol
from controller.demo.rights import SITE
from controller.demo.staff import Staff
from controller.demo.state import State
from controller.demo.twins import TableTwin
from controller.demo.watching import Watched, watch
from controller.outlets.heads import Identity, kept_by
from controller.people.pepper import PEPPER_FILE, read_pepper
from controller.wire import topics
from controller.wire.broker import MqttSettings
from drivers.simulated.players import Table

FINISH_SECONDS = 10.0  # for the floor to validate what the last rounds won


class DemoTable:
    """One table, played by itself."""

    def __init__(self, name: str, state: State, pace: Pace, chance: Random) -> None:
        self.name = name
        self.folder = state.table(name)
        self.journal = self.folder / "journal.db"
        self.config = self.folder / "table.toml"
        self.watched = Watched(name)
        self.rounds = 0
        self.seconds = 0.0  # of play, from the table being open on
        self.began_after = 0  # the last fact before this demonstration
        self._credentials = state.credentials
        self._pace = pace
        self._chance = chance
        self.twin = TableTwin(self.folder, pace, self.watched, chance.getrandbits(32))

    async def prepare(self, broker: MqttSettings, more: Mapping[str, Mapping[str, object]]) -> None:
        """Write the configuration, and let everybody in."""
        if not self.journal.exists() and not broker.user:  # a broker that is not ours may know an earlier one
            await _forgotten(broker, self.name)
        self.config.write_text(configuration(self.name, self.folder, self._pace, broker, more))
        self.began_after = await enrol(self.journal, read_pepper(self._credentials / PEPPER_FILE))

    async def start(self) -> Child:
        """Start its controller."""
        command = jackpotd("run", "--config", str(self.config))
        credentials = {"CREDENTIALS_DIRECTORY": str(self._credentials)}
        return await Child.start(f"the controller of {self.name}", command, self.folder / "run.log", credentials)

    async def watch(self, settings: MqttSettings, password: str | None) -> None:
        """Hear what it says, for ever."""
        await watch(self.watched, settings, password)

    async def play(
        self, settings: MqttSettings, password: str | None, rounds: int, stop: asyncio.Event, *, staffed: bool = True
    ) -> None:
        """Open it, play so many rounds or until it is enough, and close it. Unstaffed, nobody validates."""
        async with Asking(settings, password, self.name) as asks:
            staff = Staff(asks, self.watched, self._pace)
            playing = asyncio.create_task(self._play(staff, rounds))
            validating = asyncio.create_task(staff.validate() if staffed else _nobody())
            stopping = asyncio.create_task(stop.wait())
            try:
                await asyncio.wait([playing, validating, stopping], return_when=asyncio.FIRST_COMPLETED)
                for task in (playing, validating):
                    if task.done():
                        task.result()
                await mqtt.end(playing)
                if staffed and not stop.is_set():
                    await self.watched.until(lambda: not self.watched.pending, FINISH_SECONDS)
                await mqtt.end(validating)
                await staff.close_table()
            finally:
                await mqtt.end(playing, validating)
                stopping.cancel()

    async def _play(self, staff: Staff, rounds: int) -> None:
        players = Table(POSITIONS, WAGERS, self.twin, self._chance)
        await staff.open_table()
        self.twin.take_up()
        await self.twin.press()  # a round that was left locked, or nothing
        began = monotonic()
        while not rounds or self.rounds < rounds:
            self.twin.begin()
            await players.play()
            players.rounds.clear()  # what is to be remembered is in the journal
            self.rounds += 1
            self.seconds = monotonic() - began


async def _nobody() -> None:
    """The floor where nobody is at work: never done."""
    await asyncio.Event().wait()


async def _forgotten(broker: MqttSettings, name: str) -> None:
    """Have the broker forget a demonstration whose journal is gone: a new one would look like a disk set back."""
    table = Identity(site=SITE, table=name, epoch=0, mode="demonstration", instance="new")
    async with mqtt.connection(broker, table.client) as line:
        kept = await kept_by(line, table)
        await line.publish_all(mqtt.Said(table.topic(topic), b"", retain=True) for topic in [*kept, topics.ROUND])
