"""What a script would do: a thread for each device, `sqlite3` as it comes, paho; every wager two transactions."""

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

BUSY_SECONDS = 60.0  # how long a thread waits for the others: sqlite3's own five seconds end in errors
ANSWER_SECONDS = 10.0


class Script:
    """Some devices."""

    def __init__(self, path: Path, port: int, devices: int) -> None:
        self._path = path
        self._threads = ThreadPoolExecutor(devices)
        self._devices = devices
        self._own = threading.local()
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE wagers (id INTEGER PRIMARY KEY, at TEXT, position INTEGER, cents INTEGER)")
            database.execute("CREATE TABLE meters (id TEXT PRIMARY KEY, cents INTEGER)")
            database.execute("INSERT INTO meters VALUES ('mega', 5500000)")
        database.close()
        self._client = Client(CallbackAPIVersion.VERSION2, "script")
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def close(self) -> None:
        """The end."""
        self._threads.shutdown()
        self._client.loop_stop()
        self._client.disconnect()

    def block(self, seconds: float) -> float:
        """Wagers a second, with all devices for a while."""
        until = time.perf_counter() + seconds
        began = time.perf_counter()
        counts = list(self._threads.map(lambda number: self._device(number, until), range(self._devices)))
        return sum(counts) / (time.perf_counter() - began)

    def _device(self, number: int, until: float) -> int:
        database: sqlite3.Connection | None = getattr(self._own, "database", None)
        if database is None:
            database = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
            self._own.database = database
        count = 0
        while time.perf_counter() < until:
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            database.execute("INSERT INTO wagers (at, position, cents) VALUES (?, ?, 500)", [at, number])
            database.execute("UPDATE meters SET cents = cents + 50 WHERE id = 'mega'")
            self._client.publish(f"script/{number}", f'{{"position": {number}, "cents": 500}}', qos=1).wait_for_publish(
                ANSWER_SECONDS
            )
            count += 1
        return count
