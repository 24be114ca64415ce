"""The log: one event a line, JSON where a machine reads it and in words on a terminal.

Lines are written by a thread, so that a reader who does not read holds up no wager. What is told of a fact is chosen
field by field: nothing sealed, no nonce, no PIN, no token and no key is among them.
"""

import logging
import sys
from collections.abc import Mapping
from queue import Full, Queue
from threading import Thread
from typing import Any, TextIO

import structlog
from msgspec import json

# Lines not yet written. An evening of a busy table: who has not read by then gets a line that says how many are gone.
MOST_LINES = 10_000
FLUSH_SECONDS = 1.0  # at the end: a reader who still does not read is left alone

Log = structlog.typing.FilteringBoundLogger

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_PRIORITIES = {"debug": "<7>", "info": "<6>", "warning": "<4>", "error": "<3>", "critical": "<2>"}  # as syslog has them


class Writer:
    """Writes lines to a stream, from a thread of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: Queue[str | None] = Queue(MOST_LINES)
        self._dropped = 0
        self._thread = Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def msg(self, line: str) -> None:
        """Have a line written; dropped, and counted, where too many wait."""
        try:
            self._lines.put_nowait(line)
        except Full:
            self._dropped += 1

    debug = info = warning = error = critical = msg

    def close(self) -> None:
        """Write what waits, within reason."""
        try:
            self._lines.put(None, timeout=FLUSH_SECONDS)
        except Full:
            return
        self._thread.join(FLUSH_SECONDS)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                self._stream.write(f"{line}\n")
                if self._dropped:
                    lost, self._dropped = self._dropped, 0
                    self._stream.write(f'{{"event":"lines-dropped","count":{lost}}}\n')
                if self._lines.empty():
                    self._stream.flush()
            except (OSError, ValueError):
                continue  # nobody reads any more; play goes on


def make(writer: Writer, *, readable: bool, priorities: bool, level: str = "info") -> Log:
    """A log into a writer. `priorities`: each line begins with its own, as systemd's journal takes it."""
    render: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer(pad_event_to=24) if readable else structlog.processors.JSONRenderer(_encoded)
    )
    return structlog.wrap_logger(  # type: ignore[no-any-return]  # a proxy for one
        writer,
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.ExceptionRenderer(),
            *([_prioritised(render)] if priorities else [render]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        cache_logger_on_first_use=True,
    )


def _encoded(event: Any, **_: object) -> str:  # noqa: ANN401 -- as the library calls it
    return json.encode(event, enc_hook=repr).decode()


def _prioritised(render: structlog.typing.Processor) -> structlog.typing.Processor:
    def prioritised(logger: Any, method: str, event: structlog.typing.EventDict) -> str:  # noqa: ANN401 -- as the library calls it
        return _PRIORITIES.get(method, "<6>") + str(render(logger, method, event))

    return prioritised


def from_environment(environ: Mapping[str, str], stream: TextIO = sys.stderr) -> tuple[Log, Writer]:
    """The log of a service: readable on a terminal, otherwise JSON; with priorities where systemd's journal reads."""
    writer = Writer(stream)
    level = environ.get("JACKPOTD_LOG", "info")
    log = make(
        writer,
        readable=stream.isatty(),
        priorities="JOURNAL_STREAM" in environ and not stream.isatty(),
        level=level if level in _LEVELS else "info",
    )
    logging.basicConfig(handlers=[_FromLibraries(log)], level=logging.WARNING, force=True)
    return log, writer


class _FromLibraries(logging.Handler):
    """What libraries say through Python's own logging."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.warning("library", logger=record.name, message=record.getMessage())
