"""Mystery values that nobody may know yet, looked for in everything that is said; and nonces, which serve once."""

import json
from collections import deque
from collections.abc import Callable

from controller.simulation.auditor.verdicts import Verdict
from controller.simulation.trace import Drawn, Replied, Said

Find = Callable[[Verdict], None]
SEAL_DIGITS = 24  # of hex, with which a sealed value begins: its seal's own nonce
KEPT = 4  # of the last draws of a meter: one is in force, others were drawn ahead


class Secrets:
    """The nonces that were drawn last. Whoever knows one can try all values against the commitment."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._drawn: dict[str, deque[str]] = {}
        self._used: dict[str, int] = {}
        self._told: list[tuple[int, int, str]] = []
        self.revealed: dict[str, int] = {}  # each nonce, and the fact that reveals it

    def drew(self, event: Drawn) -> None:
        """A value was drawn. Two commitments with one nonce, or two seals, would tell of each other's values."""
        for nonce in (event.nonce, event.sealed[:SEAL_DIGITS]):
            if nonce in self._used:
                why = (
                    f"{nonce[:16]}… of {event.meter}, cycle {event.cycle}, was used at {self._used[nonce] / 1e6:.6f} s"
                )
                self._find(Verdict("nonce", event.at, why))
            self._used[nonce] = event.at
        self._drawn.setdefault(event.meter, deque(maxlen=KEPT)).append(event.nonce)

    def said(self, event: Said | Replied) -> None:
        """Something left the controller."""
        for nonces in self._drawn.values():
            for nonce in nonces:
                if nonce.encode() in event.payload:
                    self._told.append((event.at, json.loads(event.payload).get("seq", 0), nonce))

    def judge(self) -> None:
        """Whether any was said before it was revealed."""
        for at, seq, nonce in self._told:
            if seq < self.revealed.get(nonce, 2**62):
                self._find(Verdict("secret", at, f"the nonce {nonce[:16]}…", seq))
