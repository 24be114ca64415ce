"""What systemd is told of the service, over the socket it gives: ready, alive, stopping. Elsewhere nobody is told.

Being unable to tell never stops the service: each call says whether systemd was told, and no more.
"""

import os
import socket
from collections.abc import Mapping

from controller.rules.errors import BadInputError

# systemd takes a message of at most 4096 bytes and drops a longer one whole; `systemctl status` shows one line.
MOST_STATUS_BYTES = 2048
_ABSTRACT = "@"  # stands for the zero byte that the name of an abstract socket begins with
_FORMS = ("/", _ABSTRACT)  # of an address this can reach: systemd knows others, for virtual machines
_A_SECOND = 1_000_000  # systemd's times are microseconds


class Notifier:
    """Tells systemd how the service is; made by `from_environment`."""

    def __init__(self, address: str, watchdog_seconds: float | None) -> None:
        self._address = address
        self.watchdog_seconds = watchdog_seconds  # longer without `watchdog`, and systemd ends the service; None: never

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Notifier":
        """The one for what systemd has set; outside of systemd, one that tells nobody."""
        address = environ.get("NOTIFY_SOCKET", "")
        return cls(address, _watchdog_seconds(environ) if address else None)

    def ready(self) -> bool:
        """The service has started."""
        return self._tell(b"READY=1")

    def watchdog(self) -> bool:
        """The service makes progress."""
        return self._tell(b"WATCHDOG=1")

    def stopping(self) -> bool:
        """The service is about to end."""
        return self._tell(b"STOPPING=1")

    def status(self, text: str) -> bool:
        """One line for `systemctl status`. What is too long is cut."""
        line = " ".join(text.split())  # a second line would be another message
        cut = line.encode("utf-8", "replace")[:MOST_STATUS_BYTES].decode("utf-8", "ignore")  # at a whole character
        return self._tell(b"STATUS=" + cut.encode())

    def extend(self, seconds: float) -> bool:
        """Starting or stopping takes longer, at least this much from now."""
        return self._tell(b"EXTEND_TIMEOUT_USEC=%d" % round(seconds * _A_SECOND))

    def _tell(self, message: bytes) -> bool:
        if not self._address.startswith(_FORMS):
            return False
        address = self._address
        if address.startswith(_ABSTRACT):
            address = "\0" + address.removeprefix(_ABSTRACT)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
                line.settimeout(0)  # systemd that does not read must not hold up a wager
                line.sendto(message, address)
        except OSError:
            return False
        return True


def _watchdog_seconds(environ: Mapping[str, str]) -> float | None:
    """How long systemd waits between two signs of life, where it does and means this process."""
    if "WATCHDOG_USEC" not in environ:
        return None
    process = environ.get("WATCHDOG_PID", "")
    if process and _number("WATCHDOG_PID", process) != os.getpid():
        return None
    return _number("WATCHDOG_USEC", environ["WATCHDOG_USEC"]) / _A_SECOND


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise BadInputError(f"{name}: {text!r} is no number above zero: systemd sets it, take out what else does")
    return int(text)
