"""A real Mosquitto for a test: started, killed, frozen, started again on the same port."""

import asyncio
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.ports import free_port

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")

needs_mosquitto = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not on this machine")


class Mosquitto:
    """A broker on loopback that keeps nothing when it ends."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._config = folder / "mosquitto.conf"
        self._config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
        self._running: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start it, and wait until it listens."""
        assert MOSQUITTO is not None
        self._running = subprocess.Popen([MOSQUITTO, "-c", str(self._config)], stderr=subprocess.DEVNULL)  # noqa: ASYNC220 -- to be signalled like any other process
        async with asyncio.timeout(20):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                except OSError:
                    await asyncio.sleep(0.02)
                    continue
                writer.close()
                await writer.wait_closed()
                return

    def kill(self) -> None:
        """As a power cut would."""
        self.signal(signal.SIGKILL)
        assert self._running is not None
        self._running.wait()
        self._running = None

    def signal(self, which: signal.Signals) -> None:
        """Stop it in its tracks, or let it go on."""
        assert self._running is not None
        self._running.send_signal(which)

    def close(self) -> None:
        """End it, whatever state it is in."""
        if self._running is not None:
            self._running.send_signal(signal.SIGCONT)
            self.kill()
