"""Time as it passes where every sync takes the same: the processor's own time, and the syncs at their fixed latency.

On a machine that also does other things, a process waits for its turn now here, now there, and one that computes more
waits more often. Neither shows in this clock, so its ratios hold still.
"""

import ctypes
import os
import time

VARIABLE = "SYNC_NANOSECONDS"
_NANOSECONDS = 1e-9


class SyncClock:
    """Reads what the library `slow_sync.c`, loaded before this process began, has counted."""

    def __init__(self) -> None:
        self._latency = int(os.environ[VARIABLE])
        loaded = ctypes.CDLL(None)
        self._syncs = ctypes.c_long.in_dll(loaded, "slow_syncs")
        self._waited = ctypes.c_long.in_dll(loaded, "slow_sync_cpu")

    def __call__(self) -> float:
        """Seconds."""
        return time.process_time() + (self._syncs.value * self._latency - self._waited.value) * _NANOSECONDS


def clock() -> SyncClock | None:
    """Such a clock, where the library was loaded."""
    return SyncClock() if VARIABLE in os.environ else None
