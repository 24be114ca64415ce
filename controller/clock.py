"""The time of this machine."""

import asyncio
import time


class WallClock:
    """UTC as the machine has it. It may be set back: what is measured with it stands that."""

    def now(self) -> int:
        """Microseconds since 1970."""
        return time.time_ns() // 1000

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
