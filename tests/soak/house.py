"""A recorded house whose power can be cut: its disk is then left as a disk could have left it, and it goes on."""

from pathlib import Path
from random import Random
from typing import Any

from controller.journal.reading import open_readonly
from controller.simulation.disk_content import torn
from drivers.simulated.cctalk import Acceptor, AcceptorBus
from drivers.simulated.line import TwinLine
from tests.crash.cuts import lay_out
from tests.crash.disk import Disk
from tests.crash.house import RecordedHouse

COIN = 1
SLOT = "slot-1"
SLOT_PLACE = (9, "harmony")
GRACE_SECONDS = 3  # play without the broker goes on for so long; short, so that it also ends


class SoakedHouse(RecordedHouse):
    """A table with boards, a shoe and a drop slot."""

    def __init__(self, folder: Path, *more: Any, **named: Any) -> None:  # noqa: ANN401 -- as `House` has them
        position, wager = SLOT_PLACE
        slots = (
            f'[devices.slots]\ndriver = "cctalk"\nport = "{folder}/slots"\npoll_ms = 50\n'
            f'[[devices.slots.acceptors]]\nid = "{SLOT}"\nposition = {position}\nwager = "{wager}"\ncoins = [{COIN}]\n'
            f'[devices.coins]\n{COIN} = "5.00"\n'
        )
        super().__init__(folder, *more, settings=slots, grace_s=GRACE_SECONDS, **named)
        self.slot = Acceptor()
        self.lines["slots"] = TwinLine(folder / "slots", AcceptorBus([self.slot]))

    async def die(self) -> None:
        """SIGKILL, wherever it is."""
        assert self.process is not None
        self.process.kill()
        await self.ended()
        self.remember_disk()

    async def cut(self, chance: Random) -> None:
        """The power fails: of what was not synced, any part is on the disk."""
        await self.kill()
        disk = Disk(self.files)
        for operation in self.operations():
            disk.apply(operation)
        lay_out(self.disk, disk.after_a_cut(torn(chance), torn(chance)).files)
        self.remember_disk()

    def coins(self) -> list[int]:
        """The coins of the slot that are in the journal, by their numbers."""
        with open_readonly(self.journal) as journal:
            found = journal.db.execute(
                "SELECT payload ->> '$.counted[1]' FROM facts"
                " WHERE payload ->> '$.counted[0]' = ? AND NOT coalesce(payload ->> '$.counted[4]', 0)",
                [SLOT],
            ).fetchall()
        return [ordinal for (ordinal,) in found]

    def remember_disk(self) -> None:
        """What is on the disk now is there for good: the next recording begins with it."""
        self.files = {path.name: path.read_bytes() for path in self.disk.iterdir() if not path.name.endswith("-shm")}
        self.forget_log()
