"""A real Mosquitto on loopback, for as long as something is measured."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")  # where Debian keeps it
LOOPBACK = "127.0.0.1"
START_SECONDS = 20.0


@contextmanager
def mosquitto(folder: Path) -> Iterator[int]:
    """The port of a broker that keeps nothing and sends every packet at once."""
    with broker(folder) as (port, _):
        yield port


@contextmanager
def broker(folder: Path) -> Iterator[tuple[int, int]]:
    """Its port, and its process."""
    if MOSQUITTO is None:
        raise RuntimeError("there is no mosquitto on this machine: ask before")
    port = free_port()
    config = folder / "mosquitto.conf"
    config.write_text(f"listener {port} {LOOPBACK}\nallow_anonymous true\nset_tcp_nodelay true\n")
    with subprocess.Popen([MOSQUITTO, "-c", str(config)], stderr=subprocess.DEVNULL) as running:
        try:
            _wait(port)
            yield port, running.pid
        finally:
            running.terminate()


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as found:
        found.bind((LOOPBACK, 0))
        port: int = found.getsockname()[1]
        return port


def _wait(port: int) -> None:
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection((LOOPBACK, port)).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return
