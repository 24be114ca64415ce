"""Where hashes of PINs are kept: beside the facts in the same file, and outside of the chain.

A hash is no fact: it can be changed and removed, and no view, event or snapshot shows it. Who changed a PIN is in the
fact `operator-changed`. `tests/journal/test_pins.py` holds the journal on disk and its twin in memory to this.
"""

from typing import NamedTuple, Protocol


class Pin(NamedTuple):
    """What is left of an operator's PIN, and since when it is theirs."""

    operator: str
    hash: str
    changed_at: str


class PinStore(Protocol):
    """The hash of each operator's PIN."""

    def pin(self, operator: str) -> Pin | None:
        """An operator's, if there is one."""

    def pins(self) -> list[Pin]:
        """Everybody's."""

    def keep_pin(self, pin: Pin) -> None:
        """Keep one in place of the operator's last; durable when it returns."""

    def drop_pin(self, operator: str) -> None:
        """Keep none for an operator; durable when it returns."""
