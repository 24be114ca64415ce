"""`jackpotd run` on a clock that can be set on by a day: SIGUSR1 does. So that weeks of play pass in minutes.

Run as a process of its own, `python -m bench.service_days CONFIG`.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from controller.clock import WallClock
from controller.notify import Notifier
from controller.service import logs
from controller.service.service import Service

DAY_SECONDS = 24 * 3600
_DAY = DAY_SECONDS * 1_000_000


class DayClock(WallClock):
    """The time of this machine, some days ahead."""

    def __init__(self) -> None:
        self._ahead = 0

    def now(self) -> int:
        """Microseconds since 1970."""
        return super().now() + self._ahead

    def next_day(self) -> None:
        """The same time, a day later."""
        self._ahead += _DAY


async def keep(config: Path, log: logs.Log) -> None:
    """Keep the table until stopped."""
    clock = DayClock()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, clock.next_day)
    await Service(config, os.environ, log, Notifier.from_environment(os.environ), clock).run()


def main() -> None:
    """As the command does it."""
    log, writer = logs.from_environment(os.environ)
    try:
        asyncio.run(keep(Path(sys.argv[1]), log))
    finally:
        writer.close()


if __name__ == "__main__":
    main()
