"""What the second set of books is written in: rounds, wagers, hits and awards, and what it is told of."""

from dataclasses import dataclass, field
from fractions import Fraction

from controller.simulation.auditor.law import ZERO, Law, Numbers

CLOSED, OPEN, LOCKED, DEALT, SETTLED, SIMULATED = "closed", "open", "locked", "dealt", "settled", "simulated"
Spot = tuple[int, str]
# Why something is refused, as replies name it.
REASONS = (
    "wrong-phase",
    "faulted",
    "bad-request",
    "not-allowed",
    "second-person",
    "unknown",
    "bad-hand",
    "too-late",
    "validated",
    "stale",
)
RANK = {"dealer": 1, "floorperson": 2, "supervisor": 3}


@dataclass(frozen=True)
class Person:
    """Someone who asks."""

    id: str
    role: str


def rank(person: Person | None) -> int:
    """How much someone may."""
    return RANK.get(person.role, 0) if person else 0


@dataclass(frozen=True)
class Told:
    """Something that is said to have happened; of its fields it uses those that its kind has."""

    kind: str
    at: str = ""
    key: str = ""
    by: Person | None = None
    second: Person | None = None
    position: int = 0
    wager: str = ""
    cents: int = 0
    cause: str = "button"
    level: str = ""
    reopen_after_ms: int = 3000
    round: int = 0
    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()
    source: str = "shoe"
    reference: str = ""
    award: str = ""
    method: str = ""
    base_wager: bool = True
    reason: str = ""
    on: bool = False
    return_id: str = ""
    meter: str = ""
    delta_cents: int = 0
    expected_cents: int = 0
    toml: str = ""
    day: str = ""
    operator: str = ""
    name: str = ""
    role: str = ""
    active: bool = True
    what: str = ""
    device: str = ""
    device_kind: str = ""
    positions: tuple[int, ...] = ()
    wagers: tuple[str, ...] = ()
    mode: str = "live"


@dataclass(eq=False)
class Hit:
    """A meter hit, and what opened the cycle after it."""

    meter: str
    round: int
    order: int
    due: Fraction
    from_meter: bool
    seed: Fraction = ZERO
    released: Fraction = ZERO
    former: tuple[Numbers, Numbers | None] | None = None
    late: Fraction = ZERO  # what house:late has added to it
    awards: "list[Award]" = field(default_factory=list)
    undone: bool = False


@dataclass(eq=False)
class Award:
    """Something due to one wager."""

    round: int
    position: int
    wager: str
    id: str
    kind: str
    outcome: str
    amount: Fraction
    meter: str = ""
    listed: str = ""
    hit: Hit | None = None
    validate: bool = True
    fate: str = "pending"
    theirs: str = ""  # the product's id

    @property
    def spot(self) -> Spot:
        """Whose it is."""
        return self.position, self.wager

    @property
    def validated(self) -> bool:
        """Confirmed by people: final."""
        return self.validate and self.fate == "paid"

    @property
    def alive(self) -> bool:
        """Neither rejected nor undone."""
        return self.fate in {"pending", "paid"}


@dataclass
class Meter:
    """One meter; its money is in the books under its accounts."""

    kind: str
    feeder: str
    numbers: Numbers
    pending: Numbers | None = None
    cycle: int = 1
    taken_in: Fraction = ZERO
    hits: int = 0
    wins: Fraction = ZERO
    paid: Fraction = ZERO
    struck: list[Hit] = field(default_factory=list)


@dataclass
class Share:
    """What one wager gave to one meter."""

    amount: Fraction
    reserve: Fraction
    cycle: int


@dataclass
class In:
    """A wager in at a lock-out."""

    position: int
    wager: str
    stake: Fraction
    source: str
    shares: dict[str, Share] = field(default_factory=dict)
    out: bool = False


@dataclass
class Round:
    """A round from its lock-out on."""

    number: int
    order: int
    day: str
    law: Law
    wagers: list[In]
    amounts: dict[str, tuple[Fraction, Fraction]]
    player: tuple[str, ...] = ()
    banker: tuple[str, ...] = ()
    source: str = ""
    complete: bool = False
    voided: bool = False
    awards: list[Award] = field(default_factory=list)


@dataclass
class Sensor:
    """A chip sensor."""

    present: bool
    lifted: bool  # seen absent since the last lock-out


@dataclass
class Part:
    """A device."""

    kind: str
    lost: bool
    positions: tuple[int, ...]
    wagers: tuple[str, ...]


@dataclass(frozen=True)
class Due:
    """One row a wager is due under some cards."""

    position: int
    wager: str
    outcome: str
    listed: str


class NotDueError(Exception):
    """The input must be refused, for one of these reasons."""

    def __init__(self, why: str, *reasons: str) -> None:
        super().__init__(why)
        self.reasons = reasons or REASONS
