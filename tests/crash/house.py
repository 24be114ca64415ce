"""A whole table whose controller is recorded: the unmodified `jackpotd run`, with a recorder loaded into it."""

import asyncio
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.crash.recorder import Operation, compiled, operations
from tests.crash.recording import is_complete
from tests.service.house import HurriedHouse

# One coil for each thing a lamp acknowledges, steady: a frame says of every place which of them it is, or none.
LIGHTS = ("placed", "accepted", "won")
POSITIONS = range(1, 10)
MYSTERY_ABOVE_CENTS = 60  # its least value: some wagers on, so that a mystery is hit in the second round or so
ROOT = Path(__file__).parent.parent.parent


class RecordedHouse(HurriedHouse):
    """Everything the controller does to its disk, and says to boards and broker, is in one log."""

    JOURNAL = "disk/journal.db"

    def __init__(self, folder: Path, *more: Any, **named: Any) -> None:  # noqa: ANN401 -- as `House` has them
        (folder / "disk").mkdir()
        super().__init__(folder, *more, **named)
        for board in self.boards:
            board.coils = [False] * (len(LIGHTS) * len(POSITIONS))
        self.disk = self.journal.parent
        self.rail = ""  # the terminal on which the boards are
        self.files: dict[str, bytes] = {}  # on the disk before the controller was first started
        self._log, self._library = folder / "log", compiled(folder)

    def _settings(self, mqtt: Mapping[str, object]) -> str:
        """Without the flash for a chip that is pulled, during which a lamp does not say how its wager is."""
        button = "reopen_after_ms = 0\n"
        found = super()._settings(mqtt)
        assert button in found
        return found.replace(button, f"{button}pulled_ms = 0\n")

    def _lamps(self, wager: str) -> str:
        return ", ".join(
            f"{{ at = {coil(position, light)}, position = {position}, "
            f'wager = "{wager}", shows = {{ {light} = "on" }} }}'
            for position in POSITIONS
            for light in LIGHTS
        )

    def sabotaged(self, kind: str) -> None:
        """Have another program start it: see `saboteur`."""
        self.module = ["tests.crash.saboteur", kind]

    async def prepare(self) -> None:
        """File the submission with a mystery that will soon be hit; then the recording can begin."""
        await super().prepare()
        self.file(MYSTERY_ABOVE_CENTS)
        self.files = {path.name: path.read_bytes() for path in self.disk.iterdir()}

    async def start(self, *, ready: bool = True, heard: bool = True, **environ: str) -> None:
        """Start the controller with the recorder in it."""
        if self.lines["rail"].plugged:
            self.rail = str(self.lines["rail"].path.readlink())
        recorded = {
            "LD_PRELOAD": str(self._library),
            "JACKPOTD_RECORD_FOLDER": str(self.disk),
            "JACKPOTD_RECORD_LOG": str(self._log),
            "RUNTIME_DIRECTORY": str(self.folder),  # for its socket, which is no file of the disk
            "PYTHONPATH": str(ROOT),
        }
        await super().start(ready=ready, heard=heard, **recorded, **environ)

    async def kill(self) -> None:
        """SIGKILL between two operations: whatever was done is in the log."""
        assert self.process is not None
        while True:
            self.process.send_signal(signal.SIGSTOP)
            await self.until(self._stands_still, pause=0.001)
            if is_complete(self.disk, self.files, self.operations()):
                break
            self.process.send_signal(signal.SIGCONT)
            await asyncio.sleep(0.001)
        await super().kill()

    def operations(self) -> list[Operation]:
        """The log so far."""
        return list(operations(self._log.read_bytes()))

    def forget_log(self) -> None:
        """Begin the log anew, while nobody writes it."""
        self._log.unlink(missing_ok=True)

    def _stands_still(self) -> bool:
        assert self.process is not None
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/stat")
        return all(task.read_text().rpartition(")")[2].split()[0] == "T" for task in tasks)


def coil(position: int, light: str) -> int:
    """The coil that shows one thing of one place."""
    return (position - 1) * len(LIGHTS) + LIGHTS.index(light)
