"""What chance has prepared for one decision: plain values, so that deciding stays pure."""

from collections.abc import Mapping
from typing import NamedTuple


class Draw(NamedTuple):
    """A mystery value made ready for one cycle of one meter, sealed and committed to for that cycle and no other."""

    cents: int
    nonce: str  # 32 bytes, lowercase hex
    sealed: str  # cents and nonce under AES-256-GCM; what is stored
    key_id: str
    commitment: str  # lowercase hex; what is published

    def __repr__(self) -> str:  # of a log or a traceback: without the value
        return f"Draw(sealed={self.sealed!r}, key_id={self.key_id!r}, commitment={self.commitment!r})"


class Ready(NamedTuple):
    """Chance for one mystery meter: the standing value, unsealed, and the draws of the cycles that may follow."""

    cents: int | None  # None where the meter is only being opened
    nonce: str
    draws: tuple[Draw, ...]  # the k-th, from 0, is for the cycle k + 1 after the standing one

    def __repr__(self) -> str:  # the same
        return f"Ready({'opening' if self.cents is None else 'standing'}, draws={self.draws!r})"


Chance = Mapping[str, Ready]  # by meter id
NO_CHANCE: Chance = {}
