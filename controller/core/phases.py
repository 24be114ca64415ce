"""The phases of a table, and which inputs each of them takes: one literal table. The diagram is made from it."""

from enum import Enum


class Phase(Enum):
    """Where a table stands."""

    CLOSED = "closed"
    OPEN = "open"
    LOCKED = "locked"
    DEALT = "dealt"
    SETTLED = "settled"
    SIMULATED = "simulated"
    FAULTED = "faulted"


CLOSED, OPEN, LOCKED, DEALT, SETTLED, SIMULATED, FAULTED = Phase

# For each phase and input: the phases it may lead to. An input that is not there is refused in that phase. An input
# that only records or pays something leads back to where it was.
_ANYWHERE = {
    "wager-present",
    "wager-absent",
    "wager-dropped",
    "award-validated",
    "award-rejected",
    "slip-printed",
    "late-hand",
    "hand-corrected",
    "wager-voided",
    "return-confirmed",
    "meter-adjusted",
    "submission-changed",
    "operator-changed",
    "access-noted",
    "controller-started",
    "link-answered",
    "readings-due",
    "tick",
}

TABLE: dict[Phase, dict[str, tuple[Phase, ...]]] = {
    CLOSED: {
        "table-opened": (OPEN, LOCKED),  # LOCKED at once, with no wager in, where a maintained switch says so
        "button": (CLOSED,),
        "position-service": (CLOSED,),
        "device-lost": (CLOSED, FAULTED),
        "device-restored": (CLOSED,),
    },
    OPEN: {
        "button": (LOCKED, OPEN),
        "table-closed": (CLOSED,),
        "simulated-round": (SIMULATED,),
        "position-service": (OPEN,),
        "device-lost": (OPEN, FAULTED),
        "device-restored": (OPEN,),
    },
    LOCKED: {
        "button": (OPEN, LOCKED),
        "four-cards": (DEALT, SETTLED),
        "hand-complete": (SETTLED,),
        "round-voided": (OPEN, LOCKED),
        "position-service": (LOCKED,),
        "device-lost": (LOCKED, FAULTED),
        "device-restored": (LOCKED,),
    },
    DEALT: {
        "button": (OPEN, DEALT),
        "four-cards": (DEALT, SETTLED),
        "hand-complete": (SETTLED,),
        "hand-corrected": (DEALT, SETTLED),
        "round-voided": (OPEN, LOCKED),
        "position-service": (DEALT,),
        "device-lost": (DEALT, FAULTED),
        "device-restored": (DEALT,),
    },
    SETTLED: {
        "button": (OPEN, SETTLED),
        "four-cards": (SETTLED,),
        "hand-complete": (SETTLED,),
        "table-closed": (CLOSED,),
        "simulated-round": (SIMULATED,),
        "position-service": (SETTLED,),
        "device-lost": (SETTLED, FAULTED),
        "device-restored": (SETTLED,),
    },
    SIMULATED: {
        "button": (SIMULATED,),
        "four-cards": (SIMULATED, OPEN, LOCKED, SETTLED),
        "hand-complete": (OPEN, LOCKED, SETTLED),
        "simulated-round": (OPEN, LOCKED, SETTLED),
        "position-service": (SIMULATED,),
        "device-lost": (SIMULATED, FAULTED),
        "device-restored": (SIMULATED,),
    },
    FAULTED: {
        "button": (FAULTED,),
        "four-cards": (FAULTED,),
        "hand-complete": (FAULTED,),
        "round-voided": (FAULTED,),
        "position-service": (FAULTED,),
        "device-lost": (FAULTED,),
        "device-restored": (FAULTED, CLOSED, OPEN, LOCKED, DEALT, SETTLED, SIMULATED),
    },
}
for _phase, _inputs in TABLE.items():
    for _kind in sorted(_ANYWHERE - _inputs.keys()):
        _inputs[_kind] = (_phase,)


def diagram() -> str:
    """The phases as a Mermaid state diagram: the ways from one to another, each with the inputs that take it."""
    ways: dict[tuple[Phase, Phase], list[str]] = {}
    for phase, inputs in TABLE.items():
        for kind, targets in sorted(inputs.items()):
            for target in targets:
                if target is not phase:
                    ways.setdefault((phase, target), []).append(kind)
    lines = ["stateDiagram-v2", f"    [*] --> {CLOSED.value}"]
    for (phase, target), kinds in ways.items():
        lines.append(f"    {phase.value} --> {target.value}: {', '.join(kinds)}")
    return "\n".join(lines)
