"""What a controller touches of the world around it: the real one, unless a simulation gives another."""

import asyncio
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from controller.engine import SNAPSHOT_EVERY
from controller.journal.sqlite import SqliteJournal
from controller.mqtt import Connect, connection
from controller.outlets.broker import STATUS_SECONDS
from controller.people.pins import Elsewhere, Pins
from controller.people.tokens import Tokens
from controller.service import socket, software, starting
from controller.service.machine import Machine
from controller.service.retention import Packer, in_a_process
from controller.service.software import Software
from controller.service.starting import Configuration, Credentials
from controller.settings import SoftwareSettings
from drivers.driver import Driver
from drivers.port import OpenPort, Port


def heed_signals(stop: Callable[[], None]) -> None:
    """Stop when the system says so."""
    loop = asyncio.get_running_loop()
    for which in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(which, stop)


def new_name() -> str:
    """A name nobody has had."""
    return str(uuid4())


class World(NamedTuple):
    """Each is what it is called; the defaults are the real ones."""

    heed_signals: Callable[[Callable[[], None]], None] = heed_signals
    credentials: Callable[[Mapping[str, str], Configuration], Credentials] = starting.credentials
    software: Callable[[SoftwareSettings], Software] = software.check
    open_journal: Callable[[Path], SqliteJournal] = SqliteJournal
    snapshot_every: int = SNAPSHOT_EVERY  # facts
    connect: Connect = connection
    alive_seconds: float = STATUS_SECONDS  # between two signs of life
    open_port: OpenPort = Port
    seen: Callable[[Driver], Driver] = lambda driver: driver  # a driver, as the table has it
    serve_status: Callable[[Path, Callable[[], bytes]], AbstractAsyncContextManager[None]] = socket.served
    machine: type[Machine] = Machine
    pins: Callable[..., Pins] = Pins
    tokens: Callable[[], Tokens] = Tokens
    elsewhere: Elsewhere = asyncio.to_thread
    packer: Packer = in_a_process  # of archives
    seconds: Callable[[], float] = time.monotonic  # that only count
    new_name: Callable[[], str] = new_name


REAL = World()
