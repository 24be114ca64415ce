"""Where a link's mystery values come from: drawn and sealed by whichever table's controller opens a cycle."""

from typing import Protocol

from controller.core.chance import Ready
from controller.core.filed import MYSTERY, FiledMeter
from controller.core.meters import Meter
from controller.vault import LINK_KEY_FILE, KeyFileError, SealBrokenError, Vault, commitment


class Chances(Protocol):
    """The standing value of a link's meter, and values for the cycles that may follow."""

    def ready(self, meter: Meter | None, filed: FiledMeter, draws: int) -> Ready:
        """The standing value of a meter, None where it is being opened, and the next draws."""


def refuse_broken_seal(link: str, filed: FiledMeter, meter: Meter, chances: Chances) -> None:
    """Refuse a mystery value that does not open, or is not the one committed to: no wager could be decided on it."""
    if filed.kind != MYSTERY:
        return
    ready = chances.ready(meter, filed, 0)
    if ready.cents is None or commitment(link, filed.id, meter.cycle, ready.cents, bytes.fromhex(ready.nonce)) != (
        meter.commitment
    ):
        raise SealBrokenError(f"the sealed value of {filed.id} at {link} is not the one it has committed to")


class Sealed:
    """Values sealed with the link's own key, which every controller of the link has and the database has not."""

    def __init__(self, link: str, vault: Vault | None) -> None:
        self._link = link
        self._vault = vault

    def ready(self, meter: Meter | None, filed: FiledMeter, draws: int) -> Ready:
        """The standing value, unsealed, and the next draws, sealed and committed to in the name of the link."""
        if self._vault is None:
            raise KeyFileError(f"{filed.id} of {self._link} is sealed: give the link's key as {LINK_KEY_FILE}")
        filing = (meter.next_filing or meter.filing) if meter else filed.filing
        return self._vault.ready(
            self._link,
            filed.id,
            meter.cycle if meter else 0,
            filing.reset_cents,
            filing.maximum_cents,
            sealed=meter.sealed if meter else None,
            key_id=meter.key_id if meter else "",
            draws=draws,
        )
