"""Devices that were truly gone, held against what the controller noticed."""

from bisect import bisect_right
from collections.abc import Callable

from controller.simulation.auditor.facts import Fact
from controller.simulation.auditor.verdicts import Verdict
from controller.simulation.trace import Began, FaultBegan, FaultEnded

Find = Callable[[Verdict], None]
SECOND = 1_000_000
NOTICED = 6 * SECOND  # by then: lines are asked many times a second
GONE = {"unplug", "silent"}


class Losses:
    """Lines and boards that do not answer."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._lines: dict[str, set[str]] = {}
        self._began: dict[int, int] = {}
        self._gone: list[tuple[int, int, str]] = []
        self._told: dict[str, list[tuple[int, bool]]] = {}  # of each device, by the number of the fact

    def began(self, event: Began) -> None:
        """What hangs at which line."""
        self._lines = {"rail": {each.board for each in event.spots}, "slots": {each.id for each in event.slots}}

    def fault(self, event: FaultBegan | FaultEnded) -> None:
        """Something is gone, or back."""
        if event.kind not in GONE:
            return
        if isinstance(event, FaultBegan):
            self._began[event.id] = event.at
        elif event.where:
            self._gone.append((self._began.pop(event.id), event.at, event.where))

    def fact(self, fact: Fact) -> None:
        """A device is said to be lost, or to answer."""
        if fact.type == "device-changed":
            self._told.setdefault(fact.payload["device"], []).append((fact.seq, fact.payload["lost"]))

    def judge(self, durable: Callable[[int], int], calm: Callable[..., bool], last: int) -> None:
        """Whether each was noticed that was long gone, with all else well. `durable`: the last fact at a time."""
        for began, ended, where in self._gone:
            seq = durable(began + NOTICED)
            if ended < began + NOTICED or seq > last or not calm(began, began + NOTICED, but=(began, ended)):
                continue
            for device in sorted(self._lines.get(where, {where})):
                told = self._told.get(device, [])
                place = bisect_right(told, (seq, True))
                if not place or not told[place - 1][1]:
                    why = f"{device} was gone for {(ended - began) / SECOND:.1f} s"
                    self._find(Verdict("unnoticed", began, why, seq))
