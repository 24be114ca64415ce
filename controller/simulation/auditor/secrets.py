"""Mystery values that nobody may know yet, looked for in everything that is said."""

import json
from collections import deque
from collections.abc import Callable

from controller.simulation.auditor.verdicts import Verdict
from controller.simulation.trace import Drawn, Replied, Said

Find = Callable[[Verdict], None]
KEPT = 4  # of the last draws of a meter: one is in force, others were drawn ahead


class Secrets:
    """The nonces that were drawn last. Whoever knows one can try all values against the commitment."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._drawn: dict[str, deque[str]] = {}
        self._told: list[tuple[int, int, str]] = []
        self.revealed: dict[str, int] = {}  # each nonce, and the fact that reveals it

    def drew(self, event: Drawn) -> None:
        """A value was drawn."""
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
